"""Audits: tables beside the judge's findings, in one object."""

import json
import math
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import causalassay as ca
from causalassay.auditing import audit
from causalassay.auditing.audit import spearman
from causalassay.data import Dataset, Discrete, Regime
from causalassay.judging.artefacts import artefacts_of
from causalassay.judging.findings import RULES
from causalassay.judging.graph_check import average_ranks
from causalassay.judging.order_tests import all_orders
from causalassay.present.markup import escaped


def benchmark(source, seed=1, n_nodes=12, n_samples=300):
    rng = np.random.default_rng(seed)
    graph = ca.graphs.erdos_renyi(n_nodes, 2, rng)
    if getattr(source, "sample_size", None):
        return source.calibrate(graph, rng)[1], graph
    return source.draw(graph, rng).sample(n_samples, rng), graph


def audited(values, graph, seed=0, n_bootstrap=5, **options):
    return audit(values, graph, seed, n_bootstrap=n_bootstrap, **options)


def test_the_verdict_is_the_main_finding():
    found = audited(*benchmark(ca.models.SCM()))
    assert ("gameable", "variance") == (found.verdict.kind, found.verdict.statistic)
    assert found.verdict.kind == found.findings[0].kind
    assert found.graph_check.finding == found.findings[-1]
    assert "graph-not-refuted" == found.findings[-1].kind


def test_data_and_graph_may_be_stated_in_any_usual_form(tmp_path):
    values, graph = benchmark(ca.models.SCM(), n_nodes=5)
    expected = audited(values, graph).to_dict()
    assert (0, None) == (expected["seed"], audited(values, graph, np.random.default_rng(0)).seed)
    for form in (
        graph.astype(int),
        graph.astype(float),
        graph.tolist(),
        graph.astype(int).tolist(),
    ):
        assert expected == audited(values.tolist(), form).to_dict()
    names = [f"x{k}" for k in range(5)]
    frame = pd.DataFrame(values, columns=names)
    ca.graphs.write_graph(tmp_path / "graph.csv", graph, names)
    frame.to_csv(tmp_path / "data.csv", index=False)
    expected = audited(frame, graph).to_dict()
    assert expected == audited(tmp_path / "data.csv", str(tmp_path / "graph.csv")).to_dict()
    assert audit(values).findings == audit(values, None, 0).findings
    with pytest.raises(TypeError, match="graph: expected a bool array, got float64"):
        audited(values, 0.3 * graph)


def test_a_refuted_graph_hides_no_finding_on_the_order():
    values, graph = benchmark(ca.models.SCM(), seed=4, n_nodes=20, n_samples=1000)
    found = audited(values, graph.T)
    assert "gameable-backwards" == found.verdict.kind
    assert "graph-refuted" == found.findings[-1].kind
    assert "The data refute the graph and not its transpose" in found.findings[-1].advice
    assert "the graph is probably reversed" in found.verdict.advice


def test_no_evidence_is_not_worded_as_an_absence():
    found = audited(*benchmark(ca.models.ISCM(sample_size=300), seed=4))
    assert "no-evidence" == found.verdict.kind
    assert "ot gameable" not in found.verdict.sentence
    assert {"two tests", "no evidence", "graph check"} == set(found.rules)
    assert "does not say that there is no artefact" in found.rules["no evidence"]


def test_without_a_graph_only_the_columns_are_described():
    found = audited(benchmark(ca.models.SCM())[0], None)
    assert "no-graph" == found.verdict.kind
    assert () == found.sortabilities == found.baselines
    assert found.graph_check is None
    assert "factor of" in found.verdict.sentence
    assert "data with var-sortnregress and r2-sortnregress" in found.verdict.advice


def test_equal_variances_without_a_graph_are_said():
    values = benchmark(ca.models.SCM())[0]
    found = audited(values / values.std(axis=0), None)
    assert "The columns are standardised" in found.verdict.advice


def test_every_sortability_has_an_interval_around_a_sensible_value():
    values, graph = benchmark(ca.models.SCM(), n_nodes=20, n_samples=600)
    found = audited(values, graph, n_bootstrap=50)
    names = {(s.statistic, s.convention) for s in found.sortabilities}
    known = {(s, c) for s in ("variance", "R2", "SNR", "relatives") for c in ("paths", "pairs")}
    assert known <= names
    assert {"kurtosis", "skewness", "mean", "position"} <= {statistic for statistic, _ in names}
    by_variance = found.sortabilities[0]
    assert pytest.approx(ca.diagnostics.var_sortability(values, graph)) == by_variance.value
    low, high = by_variance.interval
    assert 0.9 < low <= high <= 1


def test_the_interval_of_a_position_is_the_value_itself():
    """Resampling rows moves no column, whatever order the audit works in."""
    order = np.arange(8)
    graph = order[:, None] + 1 == order
    values = np.random.default_rng(0).normal(size=(200, 8))[:, ::-1].cumsum(axis=1)
    found = audited(values, graph, n_bootstrap=5)
    rows = [s for s in found.sortabilities if s.statistic == "position"]
    assert [(1.0, (1.0, 1.0))] * 2 == [(s.value, s.interval) for s in rows]


def test_the_table_and_the_judge_have_the_same_p_values():
    values, graph = benchmark(ca.models.SCM(), n_nodes=6)
    found = audited(values, graph)
    rows = {s.statistic: s for s in found.sortabilities if s.convention == "paths"}
    from_judge = {one.algorithm: one.p_order for one in found.baselines}
    assert 0 < from_judge["sorted by rising variance"] <= 1
    chance = [
        ca.diagnostics.alignment(graph, order) >= rows["variance"].value - 1e-9
        for order in all_orders(6).astype(float)
    ]
    assert pytest.approx(np.mean(chance)) == rows["variance"].p_rising


def test_baselines_stand_beside_random_orders():
    found = audited(*benchmark(ca.models.SCM()), n_bootstrap=0)
    tied = [s for s in found.sortabilities if s.note]  # they are 1/2 whatever is resampled
    words = {artefact.statistic: artefact.word for artefact in artefacts_of("continuous")}
    sorted_by = [word for name, word in words.items() if name not in {s.statistic for s in tied}]
    assert {"variance", "R²", "position in the file"} <= set(sorted_by)
    assert [
        *(f"sorted by {way} {word}" for word in sorted_by for way in ("rising", "falling")),
        "random orders",
        "relatives-sortnregress",
        "variance-sorting",
        "random-sorting",
        "empty",
    ] == [b.algorithm for b in found.baselines]
    empty = found.baselines[-1]
    assert (found.n_edges, 0.0, 0.0) == (empty.shd, empty.f1, empty.direction_score)
    assert all(math.isnan(s.interval[0]) for s in found.sortabilities if s not in tied)


def test_the_sorted_rows_are_what_the_named_baselines_reach():
    values, graph = benchmark(ca.models.SCM())
    rows = {b.algorithm: b for b in audited(values, graph).baselines}
    for name, word in (("var-sortnregress", "variance"), ("r2-sortnregress", "R²")):
        guess = ca.discover(name, values, 0)
        row = rows[f"sorted by rising {word}"]
        assert pytest.approx(ca.metrics.f1(graph, guess)) == row.f1
        assert pytest.approx(ca.metrics.direction_score(graph, guess)) == row.direction_score


def test_the_same_stream_gives_the_same_audit():
    values, graph = benchmark(ca.models.ISCM(), n_nodes=9)
    first, second = (audited(values, graph, 5).to_dict() for _ in range(2))
    assert first == second


def test_the_order_of_the_columns_changes_nothing_but_their_position(monkeypatch):
    every = tuple(one for one in artefacts_of("continuous") if not one.of_file)
    for place in ("judging.data_set", "auditing.audit", "judging.artefacts"):
        module = sys.modules[f"causalassay.{place}"]  # `audit` is a function of its package, too
        monkeypatch.setattr(module, "artefacts_of", lambda world: every)
    values, graph = benchmark(ca.models.SCM(), n_nodes=10)
    back = np.arange(10)[::-1]
    data = Dataset.from_values(values)
    straight, turned = (
        audited(data, graph).to_dict(),
        audited(data.permute_columns(back), graph[np.ix_(back, back)]).to_dict(),
    )
    del straight["spread"], turned["spread"]  # sums of the same numbers in another order
    assert straight == turned


def test_progress_counts_resamples_and_orders():
    values, graph = benchmark(ca.models.SCM(), n_nodes=9)
    steps = []
    audited(values, graph, n_bootstrap=10, on_progress=steps.append)
    assert list(range(1, len(steps) + 1)) == steps
    assert len(steps) >= 60


def test_json_has_no_nan_and_all_findings():
    values, graph = benchmark(ca.models.SCM(), n_nodes=8)
    found = audited(values, graph, n_bootstrap=0)
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["sortabilities"][0]["interval"] == [None, None]
    assert plain["verdict"]["kind"] == plain["findings"][0]["kind"]
    assert "not looked at" in plain["looked_at"].lower()
    assert {one["rule"] for one in plain["findings"]} <= set(plain["rules"]) <= set(RULES)
    assert plain["graph_check"]["finding"] == plain["findings"][-1]


def test_a_notebook_shows_all_findings_rules_and_pictures():
    found = audited(*benchmark(ca.models.SCM()))
    shown = found._repr_html_()
    assert shown.count("<svg") >= 4
    assert 1 == shown.count('class="headline"')
    for finding in found.findings:
        assert escaped(finding.sentence) in shown
    for rule in found.rules.values():
        assert escaped(rule) in shown


def test_a_table_has_a_row_for_each_sortability_and_each_baseline():
    found = audited(*benchmark(ca.models.SCM()))
    by_statistic, scores = found.document().tables()
    assert [row.value for row in found.sortabilities] == [
        row["sortability"][0] for row in by_statistic.records()
    ]
    assert [row.algorithm for row in found.baselines] == [
        row["baseline"] for row in scores.records()
    ]
    assert [row.statistic for row in found.sortabilities] == list(found.to_frame()["statistic"])


@pytest.mark.filterwarnings("ignore::causalassay.diagnostics.RankDeficientWarning")
def test_fewer_rows_than_columns_are_audited_as_far_as_they_go():
    values, graph = benchmark(ca.models.SCM(), n_nodes=30, n_samples=20)
    found = audited(values, graph)
    r2 = next(s for s in found.sortabilities if s.statistic == "R2")
    assert 0.5 == r2.value
    assert "rank 19 of 30" in r2.note
    assert "undecided" == found.verdict.kind
    assert "need at least 31 rows, got 20" in found.verdict.sentence


def codes(rng):
    graph = ca.graphs.erdos_renyi(8, 1, rng)
    model = ca.models.draw("dirichlet", graph, rng)
    kinds = tuple(Discrete(levels) for levels in model.levels)
    return Dataset(model.names, (Regime("o", model.sample(500, rng)),), "o", kinds), graph


def test_all_worlds_go_through_the_same_engine():
    rng = np.random.default_rng(0)
    data, graph = codes(rng)
    found = audited(data, graph)
    assert {"entropy", "position"} == {s.statistic for s in found.sortabilities}
    assert [
        "sorted by rising entropy",
        "sorted by falling entropy",
        "sorted by rising position in the file",
        "sorted by falling position in the file",
        "random orders",
        "empty",
    ] == [b.algorithm for b in found.baselines]
    lagged = ca.graphs.lagged_erdos_renyi(6, 0.4, 1, rng, feedback=False)
    values = ca.models.draw("uumc", lagged, rng, mechanism="var").sample(300, rng)
    series = audited(Dataset.from_values(values, rows="series"), lagged)
    names = ["variance", "R2", "R2 without own past", "position"]
    assert names == [s.statistic for s in series.sortabilities]
    assert {"pairs"} == {s.convention for s in series.sortabilities}
    assert ["random orders", "granger-lasso", "empty"] == [
        b.algorithm for b in series.baselines[8:]
    ]
    assert "graph-not-checked" == series.findings[-1].kind


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


def test_what_only_a_pooled_verdict_needs_changes_nothing_else():
    values, graph = benchmark(ca.models.SCM())
    alone, pooled = audited(values, graph), audited(values, graph, pooled=True)
    assert math.isnan(alone.attainable_p)
    assert 0 < pooled.attainable_p <= 1
    assert alone.to_dict() == pooled.to_dict() | {"attainable_p": None}


def test_ranks_and_correlations_are_those_of_scipy():
    from scipy.stats import rankdata, spearmanr

    rng = np.random.default_rng(0)
    for n in (3, 4, 10):
        one, other = rng.integers(0, 4, n).astype(float), rng.random(n)
        one[0] = 9.0
        np.testing.assert_array_equal(rankdata(one), average_ranks(one))
        expected = spearmanr(one, other)
        assert pytest.approx((expected.statistic, expected.pvalue)) == spearman(one, other)
    assert pytest.approx((-1.0, 0.0)) == spearman(np.arange(4.0), -np.arange(4.0))
    assert math.isnan(spearman(np.arange(2.0), np.arange(2.0))[1])


def test_an_audit_imports_no_slow_part_of_scipy():
    code = "import sys, causalassay.auditing; sys.exit('scipy.stats' in sys.modules)"
    assert 0 == subprocess.run([sys.executable, "-c", code], check=False).returncode


def test_an_audit_that_is_printed_imports_nothing_that_draws():
    code = """if True:
        import sys, numpy as np
        from causalassay import audit, graphs
        from causalassay.present.terminal import document_text
        rng = np.random.default_rng(0)
        found = audit(rng.normal(size=(50, 3)), graphs.chain(3), 0, n_bootstrap=0)
        assert "Verdict" in document_text(found.document())
        sys.exit(bool({"altair", "vl_convert", "pandas"} & set(sys.modules)))
    """
    assert 0 == subprocess.run([sys.executable, "-c", code], check=False).returncode


def test_arrays_data_frames_and_seeds_are_taken_as_they_come():
    values, graph = benchmark(ca.models.SCM(), n_nodes=8)
    drawn = audit(Dataset.from_values(values), graph, np.random.default_rng(3), n_bootstrap=5)
    expected = replace(drawn, seed=3)
    frame = pd.DataFrame(values).add_prefix("x")
    assert expected.to_dict() == audit(values, graph, 3, n_bootstrap=5).to_dict()
    assert expected.to_dict() == ca.audit(frame, graph, 3, n_bootstrap=5).to_dict()
    with pytest.raises(TypeError, match="rng: expected a numpy Generator or an int, got NoneType"):
        audit(values, graph, None)
    with pytest.raises(TypeError, match="positional"):
        audit(values, graph, 3, 5)
