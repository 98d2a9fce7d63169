"""Series in study files: how they are declared, met and scored."""

from pathlib import Path

import numpy as np
import pytest

from causalassay.contracts import Estimate
from causalassay.data import Dataset, Problem, write
from causalassay.diagnostics.registry import DIAGNOSTICS
from causalassay.graphs import LaggedGraph, chain, lagged_erdos_renyi, write_graph
from causalassay.graphs.sources import Chain, ErdosRenyi, LaggedErdosRenyi
from causalassay.metrics.registry import Undefined
from causalassay.models import SCM, UUMC, SeriesSCM, SeriesUUMC
from causalassay.study.estimate_encoding import decode, encode
from causalassay.study.keys import digest
from causalassay.study.plan import MetricEntry, RunTask
from causalassay.study.problem_specs import FromFile, Generated, Interventions, scheme
from causalassay.study.worker.problem_making import make, transformed
from causalassay.study.worker.task_runner import Scorer, run_task
from study_texts import mistakes_of, parsed

STUDY = """
name = "series"
seed = 3
replicates = 1
algorithms = ["granger-lasso", "pc"]
"""
SERIES = """
[[problems]]
samples = 200
graph = {kind = "lagged-erdos-renyi", n_nodes = 4, probability = 0.6, max_lag = 2, feedback = true}
model = {kind = "uumc", mechanism = "var"}
"""
PLAIN = """
[[problems]]
samples = 200
graph = {kind = "chain", n_nodes = 4}
model = {kind = "uumc"}
"""


def test_a_study_of_series_has_what_series_need(tmp_path):
    study = parsed(STUDY + SERIES, tmp_path)
    assert study.problems[0].spec == Generated(LaggedErdosRenyi(4, 0.6, 2), SeriesUUMC(), 200)
    assert {"series-var-sortnregress", "empty"} <= {one.use for one in study.algorithms}
    assert "var-sortnregress" not in {one.use for one in study.algorithms}
    assert "var_sortability_pairs" in study.diagnostics
    assert ["shd", "f1", "precision", "recall"] == [one.name for one in study.metrics][:4]


def test_a_study_of_both_has_what_both_need(tmp_path):
    study = parsed(STUDY + SERIES + PLAIN, tmp_path)
    uses = {one.use for one in study.algorithms}
    assert {"series-var-sortnregress", "var-sortnregress"} <= uses
    assert {"var_sortability", "var_sortability_pairs"} <= set(study.diagnostics)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SERIES.replace(', mechanism = "var"', ""), "a lagged graph needs a model of series"),
        (PLAIN.replace('"uumc"', '"uumc", mechanism = "var"'), "needs a lagged graph"),
        (
            PLAIN + 'interventions = {action = "do", samples = 9, targets = [0], start = 2}',
            "only series have time steps",
        ),
        (SERIES.replace("max_lag = 2", "max_lag = 0"), "expected a whole number >= 1, got 0"),
    ],
)
def test_what_does_not_go_together_is_a_mistake(text, message):
    assert any(message in line for line in mistakes_of(STUDY + text))


def test_keys_of_other_problems_are_as_they_were_before_there_were_series():
    acts = Interventions("do", 10, probability=0.5)
    assert [
        "c3a0f4ebeff41ecced6b",
        "ad7dab73586279fec697",
        "d5167bea29370e54cd6d",
    ] == [
        digest(Generated(Chain(3), SCM(), 100)),
        digest(Generated(ErdosRenyi(5, 1.0), UUMC(), 50, acts)),
        digest(FromFile("a", "b", Path(), Path(), bootstrap=0)),
    ]
    assert digest(SeriesUUMC()) != digest(UUMC())


def test_tasks_on_a_series_end_in_scores_or_with_the_reason(tmp_path):
    study = parsed(STUDY + SERIES, tmp_path)
    made = make(study.seed, study.problems[0].spec, "main", 0)
    assert made.problem.data.rows == "series"
    assert np.array_equal(made.problem.lagged.summary, made.problem.graph)
    metrics = tuple(range(len(study.metrics)))
    by_use = {
        entry.use: run_task(study, RunTask("main", 0, 0, k, k, metrics), made)
        for k, entry in enumerate(study.algorithms)
    }
    assert {"ok", "skipped"} == {record.status for record in by_use.values()}
    assert "skipped" == by_use["pc"].status
    assert "as_independent" in by_use["pc"].reason
    assert "ok" == by_use["granger-lasso"].status
    assert np.isfinite(by_use["granger-lasso"].scores).all()
    estimate = decode(by_use["granger-lasso"].estimate)
    assert np.array_equal(estimate.lagged.summary, estimate.graph)


def test_problems_of_other_schemes_stand_on_the_same_lagged_graphs():
    specs = [Generated(LaggedErdosRenyi(4, 0.6, 2), one, 50) for one in (SeriesSCM(), SeriesUUMC())]
    raw, uumc = (make(1, spec, "main", 0).problem for spec in specs)
    assert np.array_equal(raw.lagged.links, uumc.lagged.links)
    assert ["var raw", "var uumc"] == [scheme(spec) for spec in specs]


def test_regimes_of_a_series_may_be_acted_on_for_a_while():
    acts = Interventions("do", 20, targets=((1,),), value=7.0, start=5, stop=9)
    spec = Generated(LaggedErdosRenyi(3, 0.5, 1), SeriesUUMC(), 50, acts)
    regime = make(1, spec, "main", 0).problem.data.regimes[1]
    assert np.array_equal(regime.values[:, 1] == 7.0, np.isin(np.arange(20), range(5, 9)))
    with pytest.raises(ValueError, match="start: expected 0 to 19, got 30"):
        Interventions("do", 20, targets=((1,),), start=30)


def series_problem(seed=0, n_nodes=4):
    rng = np.random.default_rng(seed)
    graph = lagged_erdos_renyi(n_nodes, 0.7, 2, rng)
    data = Dataset.from_values(SeriesSCM().draw(graph, rng).sample(80, rng), rows="series")
    return Problem.of_series(data, graph)


def scorer(problem, guess, kind="summary"):
    return Scorer(problem, Estimate(guess, kind), lambda: np.random.default_rng(0))


def test_summary_graphs_are_scored_link_by_link_and_by_nothing_else():
    problem = series_problem()
    perfect = scorer(problem, problem.graph)
    assert 1.0 == perfect.score(MetricEntry("f1", "as-is", 1))
    assert 0.0 == perfect.score(MetricEntry("shd", "as-is", 1))
    for name in ("sid", "mec_shd", "tv_dag", "parent_aid"):
        with pytest.raises(Undefined, match="summary graph"):
            perfect.score(MetricEntry(name, "mean" if name in ("sid", "tv_dag") else "as-is", 1))
    with pytest.raises(Undefined, match="summary graph"):
        perfect.score(MetricEntry("shd", "favourable", 1))
    with pytest.raises(Undefined, match="undirected"):
        scorer(problem, problem.graph, "cpdag").score(MetricEntry("f1", "as-is", 1))


def test_diagnostics_of_a_series_count_pairs_only():
    problem = series_problem()
    with pytest.raises(ValueError, match="pairs"):
        DIAGNOSTICS["var_sortability"].measure(problem)
    graph = np.zeros((4, 4), dtype=bool)
    graph[:, 3] = [True, True, True, False]
    untold = Problem(problem.data, graph)
    assert 0 <= DIAGNOSTICS["var_sortability_pairs"].measure(untold) <= 1
    with pytest.raises(ValueError, match="largest lag"):
        DIAGNOSTICS["r2_sortability_pairs"].measure(untold)
    plain = Problem(problem.data.as_independent(), chain(4))
    with pytest.raises(ValueError, match="no past"):
        DIAGNOSTICS["r2_summary_sortability_pairs"].measure(plain)


def test_transforms_keep_a_series():
    problem = series_problem()
    rng = np.random.default_rng(0)
    scaled = transformed(problem, ("standardize", "rescale"), rng)
    assert scaled.data.rows == "series"
    assert scaled.lagged is problem.lagged
    shuffled = transformed(problem, ("shuffle-labels",), rng)
    assert shuffled.lagged.links.sum() == problem.lagged.links.sum()
    assert np.array_equal(shuffled.lagged.summary, shuffled.graph)


def test_estimates_of_series_come_back_from_their_bytes():
    graph = lagged_erdos_renyi(4, 0.5, 3, np.random.default_rng(0))
    again = decode(encode(Estimate(graph.summary, "summary", lagged=graph)))
    assert np.array_equal(again.lagged.links, graph.links)
    assert again.kind == "summary"
    assert decode(encode(Estimate(chain(3), "dag"))).lagged is None


def test_a_file_may_hold_a_series_with_feedback(tmp_path):
    problem = series_problem(n_nodes=3)
    write(problem.data, tmp_path / "x.csv")
    loop = np.array([[0, 1, 1], [1, 0, 0], [0, 0, 0]], dtype=bool)
    write_graph(tmp_path / "g.csv", loop, problem.data.columns)
    table = '[[problems]]\ndata = {file = "x.csv", graph = "g.csv", rows = "series"}\n'
    study = parsed(STUDY + table, tmp_path)
    made = make(1, study.problems[0].spec, "main", 0).problem
    assert made.data.rows == "series"
    assert np.array_equal(made.graph, loop)
    with pytest.raises(ValueError, match="one by one"):
        FromFile("", "", tmp_path, tmp_path, bootstrap=0, rows="series")


def test_a_lagged_graph_is_relabelled_as_its_summary_is():
    graph = lagged_erdos_renyi(5, 0.5, 2, np.random.default_rng(0))
    label = [3, 1, 4, 0, 2]
    assert np.array_equal(graph.relabel(label).summary, graph.summary[np.ix_(label, label)])
    back = LaggedGraph(graph.relabel(label).links).relabel(np.argsort(label))
    assert np.array_equal(back.links, graph.links)
