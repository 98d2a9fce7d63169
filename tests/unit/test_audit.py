import json
import math

import numpy as np
import pandas as pd
import pytest

import causalassay as ca
from causalassay.auditing import audit
from causalassay.auditing.graph_fit import graph_fit
from causalassay.auditing.result import GraphFit
from causalassay.auditing.verdict import ENOUGH_NODES, LEVEL, unjudged
from causalassay.data import Dataset, Discrete, Regime


def benchmark(source, seed=1, n_nodes=30, n_samples=600):
    rng = np.random.default_rng(seed)
    graph = ca.graphs.erdos_renyi(n_nodes, 2, rng)
    if getattr(source, "sample_size", None):
        return source.calibrate(graph, rng)[1], graph
    return source.draw(graph, rng).sample(n_samples, rng), graph


def verdict(values, graph, seed=0, **options):
    data = Dataset.from_values(values)
    return audit(data, graph, np.random.default_rng(seed), n_bootstrap=5, **options).verdict


def test_a_raw_scm_is_gameable_by_variance():
    found = verdict(*benchmark(ca.models.SCM()))
    assert "gameable" == found.kind
    assert found.sentence.startswith("Gameable by variance: sorting by variance alone")


def test_rescaled_columns_leave_r2():
    values, graph = benchmark(ca.models.SCM())
    rescaled = values * 10.0 ** np.random.default_rng(0).uniform(-4, 4, values.shape[1])
    found = verdict(rescaled, graph)
    assert "gameable" == found.kind
    assert found.sentence.startswith("Gameable by R², whatever the units")
    assert "variance does not tell the order" in found.sentence


def test_standardising_leaves_r2():
    values, graph = benchmark(ca.models.SCM())
    found = verdict((values - values.mean(axis=0)) / values.std(axis=0), graph)
    assert "the columns are standardised, so variance tells nothing" in found.sentence


def test_an_iscm_is_not_gameable():
    found = verdict(*benchmark(ca.models.ISCM(sample_size=600)))
    assert "not gameable" == found.kind
    assert found.sentence.startswith(
        "Not gameable by variance or R² (the columns are standardised)"
    )
    assert "F1" in found.sentence


def test_shuffled_labels_are_a_graph_that_does_not_fit():
    values, graph = benchmark(ca.models.SCM())
    label = np.random.default_rng(3).permutation(len(graph))
    found = verdict(values[:, label], graph)
    assert "graph does not fit" == found.kind
    assert "check that its node names" in found.sentence


def test_without_a_graph_only_the_columns_are_described():
    values, _ = benchmark(ca.models.SCM())
    found = audit(Dataset.from_values(values), None, np.random.default_rng(0))
    assert "no graph" == found.verdict.kind
    assert () == found.sortabilities == found.baselines
    assert "factor of" in found.verdict.sentence
    assert "agrees with that of R²" in found.verdict.sentence


def test_false_alarms_stay_below_the_stated_rate():
    """40 iSCMs of 15 nodes: at a rate of 5 %, more than 6 alarms have probability 0.003."""
    kinds = [
        verdict(*benchmark(ca.models.ISCM(sample_size=300), seed, 15), n_orders=40).kind
        for seed in range(40)
    ]
    assert kinds.count("gameable") <= 6


def test_every_sortability_has_an_interval_around_a_sensible_value():
    values, graph = benchmark(ca.models.SCM())
    found = audit(Dataset.from_values(values), graph, np.random.default_rng(0), n_bootstrap=50)
    names = {(s.statistic, s.convention) for s in found.sortabilities}
    assert {(s, c) for s in ("variance", "R2", "SNR", "relatives") for c in ("paths", "pairs")} == (
        names
    )
    by_variance = found.sortabilities[0]
    assert pytest.approx(ca.diagnostics.var_sortability(values, graph)) == by_variance.value
    low, high = by_variance.interval
    assert 0.9 < low <= high <= 1


def test_baselines_stand_beside_random_order():
    found = audit(
        Dataset.from_values(benchmark(ca.models.SCM())[0]),
        benchmark(ca.models.SCM())[1],
        np.random.default_rng(0),
        n_bootstrap=0,
    )
    names = [b.algorithm for b in found.baselines]
    assert [
        "var-sortnregress",
        "r2-sortnregress",
        "random-sortnregress",
        "variance-sorting",
        "random-sorting",
        "empty",
    ] == names
    empty = found.baselines[-1]
    assert (found.n_edges, 0.0) == (empty.shd, empty.f1)
    assert all(math.isnan(s.interval[0]) for s in found.sortabilities)


def test_the_same_stream_gives_the_same_audit():
    values, graph = benchmark(ca.models.ISCM(), n_nodes=8)
    data = Dataset.from_values(values)
    first, second = (audit(data, graph, 5, n_bootstrap=10, n_orders=40) for _ in range(2))
    assert first == second


def test_progress_is_reported_to_the_end():
    values, graph = benchmark(ca.models.SCM(), n_nodes=8)
    steps = []
    audit(
        Dataset.from_values(values),
        graph,
        np.random.default_rng(0),
        n_bootstrap=10,
        n_orders=40,
        on_progress=lambda done, total: steps.append((done, total)),
    )
    assert [(k, 50) for k in range(1, 51)] == steps


def test_json_has_no_nan():
    values, graph = benchmark(ca.models.SCM(), n_nodes=8)
    found = audit(Dataset.from_values(values), graph, 0, n_bootstrap=0, n_orders=40)
    text = json.dumps(found.to_dict(), allow_nan=False)
    assert json.loads(text)["sortabilities"][0]["interval"] == [None, None]


def test_few_columns_and_no_edges_are_too_small_to_judge():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(100, 3)) * [1, 2, 3]
    assert "too small" == verdict(values, ca.graphs.chain(3)).kind
    found = verdict(rng.normal(size=(100, 6)), np.zeros((6, 6), dtype=bool))
    assert "The graph has no edge, so there is no order to find." == found.sentence


@pytest.mark.filterwarnings("ignore::causalassay.diagnostics.RankDeficientWarning")
def test_fewer_rows_than_columns_are_audited_as_far_as_they_go():
    values, graph = benchmark(ca.models.SCM(), n_nodes=30, n_samples=20)
    found = audit(Dataset.from_values(values), graph, 0, n_bootstrap=5, n_orders=40)
    r2 = next(s for s in found.sortabilities if s.statistic == "R2")
    assert 0.5 == r2.value
    assert "rank 19 of 30" in r2.note
    assert math.isnan(found.baselines[0].f1)
    assert found.baselines[0].note


def test_graph_fit_is_undefined_for_a_complete_graph():
    values = np.random.default_rng(0).normal(size=(50, 4))
    graph = ca.graphs.complete(4, np.random.default_rng(0))
    assert math.isnan(graph_fit(values, graph, np.random.default_rng(0)).auc)


def test_graph_fit_auc_equals_the_slow_count():
    rng = np.random.default_rng(2)
    graph = ca.graphs.erdos_renyi(6, 1, rng)
    values = ca.models.draw("scm", graph, rng).sample(50, rng)
    precision = np.linalg.inv(np.corrcoef(values, rowvar=False))
    strength = np.abs(precision) / np.sqrt(np.outer(np.diag(precision), np.diag(precision)))
    joined = graph | graph.T
    pairs = [(i, j) for i in range(6) for j in range(i)]
    edges = [strength[p] for p in pairs if joined[p]]
    others = [strength[p] for p in pairs if not joined[p]]
    wins = sum((e > o) + 0.5 * (e == o) for e in edges for o in others)
    expected = wins / (len(edges) * len(others))
    assert pytest.approx(expected) == graph_fit(values, graph, rng).auc


@pytest.mark.parametrize(
    ("data", "graph", "options", "message"),
    [
        (
            Dataset(
                ("a", "b"),
                (Regime("o", [[0, 1.0], [1, 2.0], [1, 0.5]]),),
                "o",
                (Discrete((0, 1)), ca.data.Continuous()),
            ),
            ca.graphs.chain(2),
            {},
            "discrete columns do not have: \\['a'\\]",
        ),
        (Dataset.from_values(np.eye(4)), ca.graphs.chain(3), {}, "expected 4 nodes"),
        (Dataset.from_values(np.eye(4)), ca.graphs.chain(4), {"n_orders": 5}, "at least 40"),
        (Dataset.from_values(np.eye(4)), ca.graphs.chain(4), {"n_bootstrap": -1}, "n_bootstrap"),
        (
            Dataset(
                ("a", "b"),
                (Regime("o", [[0, 1.0], [0, 2.0]]), Regime("x", [[1, 1.0], [2, 2.0]], (0,))),
                "o",
            ),
            ca.graphs.chain(2),
            {},
            "constant in the observational condition: \\['a'\\]",
        ),
        (
            Dataset(("a", "b"), (Regime("o", [[0, 1.0], [1, 2.0]]),), None),
            ca.graphs.chain(2),
            {},
            "no condition is known to be observational",
        ),
    ],
)
def test_what_cannot_be_audited_is_refused(data, graph, options, message):
    with pytest.raises(ValueError, match=message):
        audit(data, graph, np.random.default_rng(0), **options)


def test_arrays_data_frames_and_seeds_are_taken_as_they_come():
    values, graph = benchmark(ca.models.SCM(), n_nodes=8)
    options = {"n_bootstrap": 5, "n_orders": 40}
    expected = audit(Dataset.from_values(values), graph, np.random.default_rng(3), **options)
    assert expected == audit(values, graph, 3, **options)
    assert expected == ca.audit(pd.DataFrame(values).add_prefix("x"), graph, 3, **options)
    with pytest.raises(TypeError, match="rng: expected a numpy Generator or an int, got NoneType"):
        audit(values, graph, None)
    with pytest.raises(TypeError, match="positional"):
        audit(values, graph, 3, 5)


def test_many_columns_are_not_too_few():
    assert math.factorial(ENOUGH_NODES) * LEVEL >= 1 > math.factorial(ENOUGH_NODES - 1) * LEVEL
    fitting = GraphFit(0.9, 0.001)
    assert unjudged(1.0, fitting, 171, "rule", "scores") is None
    assert "too small" == unjudged(1.0, fitting, ENOUGH_NODES - 1, "rule", "scores").kind
