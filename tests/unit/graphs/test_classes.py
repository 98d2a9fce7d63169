"""Equivalence classes whose size is known by hand."""

import math

import numpy as np
import pytest

from causalassay.graphs import (
    chain,
    complete,
    enumerate_dags,
    erdos_renyi,
    forest,
    from_edges,
    mec_size,
    sample_dag,
    skeleton,
    to_cpdag,
    to_edges,
)


@pytest.mark.parametrize(
    ("cpdag", "size"),
    [
        (np.zeros((1, 1), dtype=bool), 1),
        (np.zeros((4, 4), dtype=bool), 1),
        (from_edges([(0, 2), (1, 2)], 3), 1),
        (skeleton(chain(200)), 200),
        (skeleton(forest(50, np.random.default_rng(0))), 50),
        (skeleton(complete(30, np.random.default_rng(0))), math.factorial(30)),
        # complete but for one edge: (2n - 3)(n - 2)!
        (skeleton(from_edges([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)], 4)), 10),
        (to_cpdag(from_edges([(0, 1), (2, 3), (3, 4)], 5)), 6),
    ],
)
def test_class_sizes_known_by_formula(cpdag, size):
    assert size == mec_size(cpdag)
    assert isinstance(mec_size(cpdag), int)


def test_the_class_of_a_collider_has_one_member():
    collider = from_edges([(0, 2), (1, 2)], 3)
    assert [[(0, 2), (1, 2)]] == [to_edges(dag) for dag in enumerate_dags(collider)]
    np.testing.assert_array_equal(collider, sample_dag(collider, np.random.default_rng(0)))


def test_the_empty_graph_has_one_member():
    empty = np.zeros((3, 3), dtype=bool)
    assert [0] == [dag.sum() for dag in enumerate_dags(empty)]
    assert not sample_dag(empty, np.random.default_rng(0)).any()


def test_members_are_handed_out_lazily():
    clique = skeleton(complete(40, np.random.default_rng(0)))
    first = next(enumerate_dags(clique))
    np.testing.assert_array_equal(clique, to_cpdag(first))


def test_members_are_arrays_of_their_own():
    cpdag = skeleton(chain(3))
    members = enumerate_dags(cpdag)
    cpdag[:] = False
    result = list(members)
    assert len({member.tobytes() for member in result}) == 3


def test_a_draw_leaves_the_cpdag_alone():
    cpdag = skeleton(chain(5))
    cpdag.flags.writeable = False
    sample_dag(cpdag, np.random.default_rng(0))
    np.testing.assert_array_equal(skeleton(chain(5)), cpdag)


@pytest.mark.parametrize(
    "function",
    [mec_size, enumerate_dags, lambda cpdag: sample_dag(cpdag, np.random.default_rng(0))],
    ids=["mec_size", "enumerate_dags", "sample_dag"],
)
def test_what_is_no_cpdag_is_refused_before_anything_is_drawn(function):
    with pytest.raises(
        ValueError, match="cpdag: not a CPDAG: the edge 0 -> 1 should be undirected"
    ):
        function(chain(3))


def test_draws_differ_with_the_generator():
    cpdag = to_cpdag(erdos_renyi(60, 1, np.random.default_rng(0)))
    rng = np.random.default_rng(1)
    assert len({sample_dag(cpdag, rng).tobytes() for _ in range(10)}) == 10
