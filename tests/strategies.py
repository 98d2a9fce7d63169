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


@st.composite
def linear_models(draw, min_nodes=1, max_nodes=6):
    """A linear SCM with weights of magnitude 0.5 to 2 and noise variances 0.25 to 4."""
    from causalassay.models import LinearSCM

    dag = draw(dags(min_nodes=min_nodes, max_nodes=max_nodes))
    rng = draw(rngs())
    magnitude = rng.uniform(0.5, 2.0, dag.shape) * rng.choice([-1, 1], dag.shape)
    return LinearSCM(np.where(dag, magnitude, 0.0), rng.uniform(0.25, 4.0, len(dag)))


@st.composite
def discrete_models(draw, min_nodes=1, max_nodes=5, zeros=True):
    """Tables of 1 to 3 levels a node (2 to 3 without `zeros`), some probabilities 0."""
    from causalassay.models import DiscreteSCM

    dag = draw(dags(min_nodes=min_nodes, max_nodes=max_nodes))
    rng = draw(rngs())
    n_levels = rng.integers(1 if zeros else 2, 4, size=len(dag))
    tables = []
    for node in range(len(dag)):
        shape = [*n_levels[dag[:, node]], n_levels[node]]
        table = rng.gamma(0.5, size=shape) + (0 if zeros else 0.05)
        if zeros:
            table *= rng.random(shape) < 0.8
            table[..., 0] += table.sum(axis=-1) == 0
        tables.append(table / table.sum(axis=-1, keepdims=True))
    return DiscreteSCM(dag, tables)


@st.composite
def datasets(draw, min_nodes=1, max_nodes=4, max_regimes=3, discrete=True):
    """A data set of continuous and discrete columns under regimes of 6 to 8 rows."""
    from causalassay.data import Dataset, Regime

    columns = draw(st.lists(_names(";\t\n"), min_size=min_nodes, max_size=max_nodes, unique=True))
    kinds = [draw(_column_kinds(discrete)) for _ in columns]
    conditions = draw(st.lists(_names("\t\n"), min_size=1, max_size=max_regimes, unique=True))
    observational = draw(st.sampled_from([None, *conditions]))
    sizes = [draw(st.integers(6, 8)) for _ in conditions]
    values = _varied_values(draw(rngs()), sum(sizes), kinds, draw(st.integers(-150, 150)))
    some_columns = st.lists(st.integers(0, len(columns) - 1), unique=True).map(tuple)
    regimes = [
        Regime(
            condition,
            part,
            () if condition == observational else draw(st.none() | some_columns),
        )
        for condition, part in zip(conditions, np.split(values, np.cumsum(sizes)[:-1]), strict=True)
    ]
    return Dataset(tuple(columns), tuple(regimes), observational, tuple(kinds))


def _names(without=""):
    """Names that trip careless readers of tables: quotes, commas, spaces, NA."""
    letters = "".join(letter for letter in "abé ,\"'\t\n;1_" if letter not in without)
    odd = st.sampled_from(
        ["NA", "None", "nan", "true", "2020-01-01", "untargeted", "observational"]
    )
    return st.text(letters, min_size=1, max_size=4) | odd


@st.composite
def _column_kinds(draw, discrete):
    from causalassay.data import Continuous, Discrete

    if not discrete or draw(st.booleans()):
        return Continuous()
    level = draw(st.sampled_from([_names(), st.integers(-3, 3), st.floats(-1e9, 1e9)]))
    levels = draw(st.lists(level, min_size=2, max_size=4, unique=True))
    return Discrete(tuple(levels))


def _varied_values(rng, n, kinds, exponent):
    """Draw until no column is constant or like another; 6 rows make that likely."""
    while True:
        values = rng.standard_normal((n, len(kinds))) * 10.0**exponent
        for j, kind in enumerate(kinds):
            if hasattr(kind, "levels"):
                values[:, j] = rng.integers(len(kind.levels), size=n)
        if (
            len(np.unique(values, axis=1).T) == len(kinds)
            and (values != values[0]).any(axis=0).all()
        ):
            return values


@st.composite
def pdags(draw, min_nodes=1, max_nodes=6):
    """Any mixture of no edge, i→j, j→i and i—j; most have no extension."""
    d = draw(st.integers(min_nodes, max_nodes))
    n_cells = d * (d - 1)
    graph = np.zeros((d, d), dtype=bool)
    graph[~np.eye(d, dtype=bool)] = draw(
        st.lists(st.booleans(), min_size=n_cells, max_size=n_cells)
    )
    return graph


def cpdags(min_nodes=1, max_nodes=8):
    from causalassay.graphs import to_cpdag

    return dags(min_nodes, max_nodes).map(to_cpdag)


@st.composite
def chordal_graphs(draw, min_nodes=1, max_nodes=8):
    """A connected undirected chordal graph: each node joins part of an earlier clique."""
    d = draw(st.integers(min_nodes, max_nodes))
    label = draw(permutations_of(d))
    grown = np.zeros((d, d), dtype=bool)
    cliques = [[0]]
    for new in range(1, d):
        clique = draw(st.sampled_from(cliques))
        joined = draw(st.lists(st.sampled_from(clique), min_size=1, unique=True))
        grown[new, joined] = grown[joined, new] = True
        cliques.append([*joined, new])
    return relabel(grown, label)


def relabel(graph, label):
    """The graph in which node i is called ``label[i]``."""
    renamed = np.empty_like(graph)
    renamed[np.ix_(label, label)] = graph
    return renamed
