import numpy as np
import pytest

from causalassay.contracts import NotApplicable
from causalassay.data import Continuous, Dataset, Discrete, Regime
from causalassay.discovery import discover
from causalassay.discovery.baselines import ACor

NAMES = [("single-edge", {}), ("acor", {"n_edges": 1})]


def pairs(estimate):
    """The undirected edges, and a check that they are."""
    assert "pdag" == estimate.kind
    np.testing.assert_array_equal(estimate.graph, estimate.graph.T)
    return np.argwhere(np.triu(estimate.graph)).tolist()


def correlated_values(n=400):
    """|correlations| fall from (0, 1) over (2, 3) to (0, 2); 4 is apart."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(n, 5))
    values[:, 1] = -3 * values[:, 0] + values[:, 1]
    values[:, 3] += 1.5 * values[:, 2]
    values[:, 2] += 0.5 * values[:, 0]
    return values


def slow_acor(values, n_edges):
    d = values.shape[1]
    size = {
        (i, j): abs(np.corrcoef(values[:, i], values[:, j])[0, 1])
        for i in range(d)
        for j in range(i + 1, d)
    }
    return sorted(sorted(size, key=size.__getitem__, reverse=True)[:n_edges])


def test_single_edge_joins_the_largest_correlation():
    estimate = discover("single-edge", correlated_values(), np.random.default_rng(0))
    assert [[0, 1]] == pairs(estimate)
    assert "all" == estimate.info["pairs"]


@pytest.mark.parametrize(
    ("targets", "edge", "text"),
    [
        (((2,),), [2, 3], "with a target"),
        (((2,), (1,)), [0, 1], "with a target"),
        ((None,), [0, 1], "all"),
        ((None, (3,)), [2, 3], "with a target"),
        (((),), [0, 1], "all"),
    ],
)
def test_single_edge_has_a_target_where_one_is_known(targets, edge, text):
    values = correlated_values()
    regimes = [Regime(f"r{k}", values, target) for k, target in enumerate(targets)]
    data = Dataset(tuple("abcde"), (Regime("none", values), *regimes), "none")
    estimate = discover("single-edge", data, np.random.default_rng(0))
    assert ([edge], text) == (pairs(estimate), estimate.info["pairs"])


@pytest.mark.parametrize("n_edges", range(11))
def test_acor_joins_as_many_pairs_as_stated(n_edges):
    values = correlated_values()
    estimate = discover("acor", values, np.random.default_rng(0), n_edges=n_edges)
    assert slow_acor(values, n_edges) == [tuple(pair) for pair in pairs(estimate)]
    assert {"oracle": "number of edges"} == estimate.info


def test_the_regimes_are_pooled_and_none_need_be_observational():
    rng = np.random.default_rng(0)
    quiet, shifted = rng.normal(size=(50, 3)), rng.normal(size=(50, 3)) + [0, 9, 9]
    data = Dataset(tuple("abc"), (Regime("x", quiet), Regime("y", shifted, None)), None)
    for name, options in NAMES:
        assert [[1, 2]] == pairs(discover(name, data, rng, **options))


@pytest.mark.parametrize(("name", "options"), NAMES)
def test_ties_are_drawn(name, options):
    design = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)], dtype=float)
    result = {
        tuple(pairs(discover(name, design, np.random.default_rng(seed), **options))[0])
        for seed in range(40)
    }
    assert {(0, 1), (0, 2), (1, 2)} == result


@pytest.mark.parametrize(("name", "options"), [("single-edge", {}), ("acor", {"n_edges": 2})])
def test_relabelling_columns_relabels_the_result(name, options):
    values, label = correlated_values(), np.array([3, 0, 4, 2, 1])
    expected = discover(name, values, np.random.default_rng(0), **options).graph
    result = discover(name, values[:, label], np.random.default_rng(1), **options).graph
    np.testing.assert_array_equal(expected[np.ix_(label, label)], result)


def test_a_single_variable_gives_a_single_node():
    values = [[0.0], [1.0], [3.0]]
    for name, options in (("single-edge", {}), ("acor", {"n_edges": 0})):
        assert [] == pairs(discover(name, values, np.random.default_rng(0), **options))


def test_more_edges_than_pairs_are_not_applicable():
    with pytest.raises(NotApplicable, match="5 columns have 10 pairs"):
        discover("acor", correlated_values(), np.random.default_rng(0), n_edges=11)


def test_codes_are_not_applicable():
    values = np.column_stack([np.arange(6.0), [0, 1, 2, 0, 1, 2]])
    kinds = (Continuous(), Discrete(("x", "y", "z")))
    data = Dataset(("a", "b"), (Regime("r", values),), "r", kinds)
    for name, options in NAMES:
        with pytest.raises(NotApplicable, match="'b' is discrete"):
            discover(name, data, np.random.default_rng(0), **options)


@pytest.mark.parametrize("n_edges", [-1, 1.5, True, "2", None])
def test_a_number_of_edges_is_a_whole_number(n_edges):
    with pytest.raises(ValueError, match="n_edges: expected a whole number"):
        ACor(n_edges)


def test_the_number_of_edges_has_no_default():
    with pytest.raises(TypeError, match="n_edges"):
        discover("acor", correlated_values(), np.random.default_rng(0))
