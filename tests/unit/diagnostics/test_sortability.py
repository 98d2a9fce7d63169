import numpy as np
import pytest

from causalassay.diagnostics import (
    aligned_share,
    alignment,
    pair_weights,
    r2_sortability,
    relatives,
    relatives_sortability,
    snr_sortability,
    var_sortability,
)
from causalassay.graphs import chain, erdos_renyi

TRIANGLE = np.triu(np.ones((3, 3), dtype=bool), 1)
ALL = [var_sortability, r2_sortability, snr_sortability, relatives_sortability]


@pytest.mark.parametrize(
    ("convention", "expected"), [("paths", 3 / 4), ("pairs", 2 / 3), ("edges", 2 / 3)]
)
def test_example_of_section_3_1(convention, expected):
    # Reisach et al. 2021: A→B, B→C, A→C with variances 2, 1, 3.
    values = np.array([[1.0, 1.0, 1.0], [-1.0, -1.0, -1.0]]) * np.sqrt([2, 1, 3])
    assert expected == var_sortability(values, TRIANGLE, convention=convention)


def test_diamond_has_five_paths():
    diamond = np.zeros((4, 4), dtype=bool)
    diamond[[0, 0, 1, 2], [1, 2, 3, 3]] = True
    # Rising: 0→1, 2→3 and 0⇒3 at length two; falling: 0→2, 1→3.
    assert 3 / 5 == alignment(diamond, [2, 4, 1, 3])
    assert {"paths": 5, "pairs": 5, "edges": 4} == {
        c: int(pair_weights(diamond, c).weight.sum()) for c in ("paths", "pairs", "edges")
    }


@pytest.mark.parametrize("convention", ["paths", "pairs", "edges"])
def test_no_edge_gives_nan(convention):
    empty = np.zeros((3, 3), dtype=bool)
    assert np.isnan(alignment(empty, [1, 2, 3], convention=convention))
    for sortability in ALL:
        values = np.random.default_rng(0).normal(size=(9, 3))
        assert np.isnan(sortability(values, empty, convention=convention))


def test_single_node_gives_nan():
    assert np.isnan(var_sortability([[1.0], [2.0]], np.zeros((1, 1), dtype=bool)))


def test_tie_is_a_ratio_test():
    assert 0.5 == alignment(chain(2), [1e9, 1e9 + 0.9])
    assert 1.0 == alignment(chain(2), [1e9, 1e9 + 1.1])
    assert 1.0 == alignment(chain(2), [1e-30, 2e-30])
    assert 0.5 == alignment(chain(2), [0.0, 0.0])
    assert 1.0 == alignment(chain(2), [1.0, np.nextafter(1.0, 2)], tolerance=0.0)


def test_weights_serve_many_scores():
    rng = np.random.default_rng(3)
    graph = erdos_renyi(12, 2, rng)
    weights = pair_weights(graph)
    for _ in range(5):
        scores = rng.normal(size=12)
        assert alignment(graph, scores) == aligned_share(weights, scores)


@pytest.mark.parametrize("seed", range(5))
def test_standardised_data_give_exactly_one_half(seed):
    rng = np.random.default_rng(seed)
    graph = erdos_renyi(15, 2, rng)
    values = rng.normal(50, 1, size=(200, 15)) @ rng.normal(size=(15, 15))
    assert 0.5 == var_sortability((values - values.mean(axis=0)) / values.std(axis=0), graph)


def test_constant_columns_tie_in_variance():
    values = np.column_stack([np.full(1000, 0.1), np.full(1000, 0.3), np.arange(1000.0)])
    assert 0.75 == var_sortability(values, chain(3), convention="edges")


@pytest.mark.parametrize("sortability", ALL[1:])
def test_constant_column_is_named(sortability):
    values = np.column_stack([np.arange(9.0) ** 2, np.arange(9.0), np.full(9, 0.1)])
    with pytest.raises(ValueError, match="column 2 is constant"):
        sortability(values, chain(3))


def test_snr_sortability_of_a_chain():
    rng = np.random.default_rng(0)
    values = np.cumsum(rng.normal(size=(1000, 6)) * 0.5 ** np.arange(6), axis=1)
    assert 1.0 == snr_sortability(values, chain(6))


def test_relatives_count_themselves():
    values = np.random.default_rng(0).normal(size=(50, 1))
    assert [1] == relatives(values).tolist()


def test_relatives_by_hand():
    # n = 4: critical correlation t/sqrt(t² + 2) with t = 4.3027, that is 0.95.
    x = np.array([0.0, 1.0, 2.0, 3.0])
    values = np.column_stack([x, x + [0.1, -0.1, 0.1, -0.1], [1.0, -1.0, -1.0, 1.0]])
    assert [2, 2, 1] == relatives(values).tolist()
    assert [1, 1, 1] == relatives(values, alpha=1e-6).tolist()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: alignment(TRIANGLE, [1, 2, 3], convention="path"), "paths.*pairs.*edges"),
        (lambda: alignment(TRIANGLE, [1, 2]), r"shape \(3,\)"),
        (lambda: alignment(TRIANGLE, [1, 2, np.nan]), "node 2 has nan"),
        (lambda: alignment(TRIANGLE, [1, 2, 3], tolerance=-1), "tolerance"),
        (lambda: alignment(TRIANGLE | TRIANGLE.T, [1, 2, 3]), "cycle"),
        (lambda: var_sortability(np.ones((5, 2)), TRIANGLE), "3 nodes"),
        (lambda: relatives(np.eye(3), alpha=0), "alpha"),
        (lambda: relatives(np.eye(3)[:2]), "3 rows"),
    ],
)
def test_mistakes_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
