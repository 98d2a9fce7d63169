"""Hypothesis strategies shared by the tests: shrinking gives few nodes and few edges."""

import numpy as np
from hypothesis import strategies as st


@st.composite
def dags(draw, min_nodes=1, max_nodes=8):
    """A DAG from an order and an edge mask."""
    d = draw(st.integers(min_nodes, max_nodes))
    order = np.array(draw(st.permutations(range(d))), dtype=int)
    n_pairs = d * (d - 1) // 2
    mask = draw(st.lists(st.booleans(), min_size=n_pairs, max_size=n_pairs))
    upper = np.zeros((d, d), dtype=bool)
    upper[np.triu_indices(d, 1)] = mask
    dag = np.zeros((d, d), dtype=bool)
    dag[np.ix_(order, order)] = upper
    return dag


@st.composite
def permutations_of(draw, n):
    return np.array(draw(st.permutations(range(n))), dtype=int)


def rngs():
    return st.integers(0, 2**32 - 1).map(np.random.default_rng)
