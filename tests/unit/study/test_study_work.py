"""One task, one record: whatever an algorithm does, and in the problem's own columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest

from causalassay.common.seeding import stream
from causalassay.contracts import Estimate, NotApplicable
from causalassay.discovery import make_algorithm
from causalassay.graphs import chain, to_cpdag
from causalassay.graphs.sources import Chain, ErdosRenyi
from causalassay.metrics import auroc, brier, f1, shd, sid
from causalassay.metrics.registry import METRICS
from causalassay.models import SCM
from causalassay.study.estimate_encoding import decode, encode
from causalassay.study.plan import (
    AlgorithmEntry,
    MeasureTask,
    MetricEntry,
    ProblemEntry,
    RescoreTask,
    RunTask,
    Study,
    task_key,
)
from causalassay.study.problem_specs import Accept, Generated
from causalassay.study.worker import batch_runner
from causalassay.study.worker.problem_making import NoProblem, make
from causalassay.study.worker.task_runner import Scorer, run_task


@dataclass(frozen=True)
class Returns:
    """Return function a function makes of the data."""

    function: Any
    version: ClassVar[int] = 1

    def discover(self, data, rng):
        return self.function(data)


def study_of(*algorithms, metrics=("shd", "f1"), spec=None, diagnostics=("var_sortability",)):
    spec = spec or Generated(ErdosRenyi(5, 1.0), SCM(), 100)
    return Study(
        "test",
        1,
        3,
        (ProblemEntry("p", spec),),
        tuple(
            AlgorithmEntry(f"a{i}", f"a{i}", algorithm) for i, algorithm in enumerate(algorithms)
        ),
        tuple(MetricEntry(name, METRICS[name].resolution, 1, name) for name in metrics),
        diagnostics,
    )


def run(study, algorithm=0, estimate=None):
    """Run an algorithm, or with an estimate score that instead."""
    fields = ("main", 0, 0, algorithm, algorithm, tuple(range(len(study.metrics))))
    task = RunTask(*fields) if estimate is None else RescoreTask(*fields, estimate)
    spec = study.problems[0].spec
    return run_task(study, task, make(study.seed, spec, "main", 0))


def raises(error):
    def function(data):
        raise error

    return function


def graph_of(data, *edges):
    graph = np.zeros((data.n_nodes,) * 2, dtype=bool)
    for tail, head in edges:
        graph[data.index(tail), data.index(head)] = True
    return graph


@pytest.fixture(autouse=True)
def _functions_have_keys(monkeypatch):
    """Let the algorithms of these tests, which hold functions, have keys."""
    monkeypatch.setattr(AlgorithmEntry, "key", property(lambda entry: entry.name))


@pytest.mark.parametrize(
    ("function", "status", "reason"),
    [
        (raises(ValueError("no data")), "failed", "raised ValueError: no data"),
        (raises(SystemExit(3)), "failed", "raised SystemExit: 3"),
        (raises(KeyboardInterrupt()), "failed", "raised KeyboardInterrupt"),
        (raises(MemoryError()), "failed", "raised MemoryError"),
        (raises(NotApplicable("too few rows")), "skipped", "too few rows"),
        (lambda data: None, "failed", "invalid: it returned NoneType, not an Estimate"),
        (
            lambda data: Estimate(np.zeros((2, 2), dtype=bool), "dag"),
            "failed",
            "invalid: its graph has shape (2, 2) for 5 columns",
        ),
        (
            lambda data: Estimate(graph_of(data, ("x0", "x1"), ("x1", "x0")), "dag"),
            "failed",
            'invalid: its kind is "dag" but the graph has a cycle',
        ),
        (
            lambda data: Estimate(chain(5), "dag", np.full((5, 5), np.nan)),
            "failed",
            "invalid: its weights are not all finite",
        ),
        (lambda data: Estimate(chain(5), "dag", order=(0, 1)), "failed", "invalid: its order"),
        (
            lambda data: Estimate(chain(5), "dag", probabilities=np.eye(5)),
            "failed",
            "raised ValueError: probabilities: that of 0→0 is 1.0, expected 0",
        ),
        (
            lambda data: Estimate(np.eye(5), "dag"),
            "failed",
            "invalid: its graph is not an adjacency matrix",
        ),
    ],
)
def test_whatever_an_algorithm_does_is_one_record(function, status, reason):
    record = run(study_of(Returns(function)))
    assert status == record.status
    assert record.reason.startswith(reason)
    assert np.isnan(record.scores).all()
    assert 2 == len(record.scores)


def test_an_address_in_a_message_does_not_change_from_run_to_run():
    reasons = {run(study_of(Returns(raises(ValueError(object()))))).reason for _ in range(3)}
    assert {"raised ValueError: <object object at 0x…>"} == reasons


def test_probabilities_come_back_in_the_problems_own_columns_and_are_scored():
    def function(data):
        p = np.zeros((5, 5))
        p[data.index("x1"), data.index("x3")] = 0.7
        p[data.index("x3"), data.index("x1")] = 0.2
        p[data.index("x0"), data.index("x4")] = 0.1
        return Estimate(np.zeros((5, 5), dtype=bool), "dag", probabilities=p)

    study = study_of(Returns(function), metrics=("auroc", "brier", "f1"))
    record = run(study)
    found = decode(record.estimate).probabilities
    expected = np.zeros((5, 5))
    expected[1, 3], expected[3, 1], expected[0, 4] = 0.7, 0.2, 0.1
    np.testing.assert_allclose(expected, found, atol=1e-7)
    assert 20 == sum(record.notes["reliability"][0])
    truth = make(study.seed, study.problems[0].spec, "main", 0).problem.graph
    exact = Estimate(np.zeros((5, 5), dtype=bool), "dag", probabilities=expected)
    assert [auroc(truth, exact), brier(truth, exact)] == pytest.approx(list(record.scores[:2]))
    again = run(study, estimate=record.estimate)
    assert record.scores == again.scores
    assert record.notes == again.notes


def test_without_probabilities_their_metrics_are_nan_and_nothing_is_noted():
    record = run(study_of(Returns(lambda _: Estimate(chain(5), "dag")), metrics=("auroc",)))
    assert np.isnan(record.scores).all()
    assert {} == record.notes


def test_a_warning_of_an_algorithm_is_noted():
    told = {"warning": "the data are unlike those of the training"}
    record = run(study_of(Returns(lambda _: Estimate(chain(5), "dag", info=told))))
    assert told == record.notes


def test_an_estimate_comes_back_in_the_problems_own_columns():
    def function(data):
        weights = graph_of(data, ("x1", "x3")) * 2.5
        order = tuple(data.index(f"x{node}") for node in (1, 0, 3, 2, 4))
        return Estimate(graph_of(data, ("x1", "x3")), "dag", weights, order)

    estimate = decode(run(study_of(Returns(function))).estimate)
    expected = np.zeros((5, 5))
    expected[1, 3] = 2.5
    np.testing.assert_array_equal(expected, estimate.weights)
    np.testing.assert_array_equal(expected != 0, estimate.graph)
    assert (1, 0, 3, 2, 4) == estimate.order


def test_all_algorithms_meet_the_same_permuted_columns():
    seen = []

    def function(data):
        seen.append((data.columns, data.pooled.copy()))
        return Estimate(graph_of(data), "dag")

    study = study_of(Returns(function), Returns(function))
    run(study, 0)
    run(study, 1)
    assert seen[0][0] == seen[1][0] != tuple(f"x{node}" for node in range(5))
    np.testing.assert_array_equal(seen[0][1], seen[1][1])


def test_permuting_leaves_an_equivariant_algorithm_where_it_was():
    study = study_of(make_algorithm("pc"), spec=Generated(ErdosRenyi(8, 1.5), SCM(), 500))
    data = make(1, study.problems[0].spec, "main", 0).problem.data
    straight = make_algorithm("pc").discover(data, np.random.default_rng(0))
    np.testing.assert_array_equal(straight.graph, decode(run(study).estimate).graph)


def test_a_stored_estimate_is_scored_without_running_again():
    study = study_of(Returns(raises(AssertionError("it ran again"))), metrics=("sid",))
    stored = encode(Estimate(chain(5), "dag"))
    record = run(study, estimate=stored)
    truth = make(1, study.problems[0].spec, "main", 0).problem.graph
    assert (sid(truth, chain(5)),) == record.scores
    assert record.estimate is None
    assert np.isnan(record.seconds)


def test_one_undefined_metric_leaves_the_others():
    record = run(
        study_of(
            make_algorithm("pc"),
            metrics=("shd", "tv_dag"),
            spec=Generated(ErdosRenyi(5, 1.0), SCM(noise="laplace"), 100),
        )
    )
    assert "ok" == record.status
    assert np.isfinite(record.scores[0])
    assert np.isnan(record.scores[1])
    assert "tv_dag" in record.notes


def test_a_problem_without_an_acceptable_draw_is_skipped():
    study = study_of(make_algorithm("empty"))
    record = run_task(study, RunTask("main", 0, 0, 0, 0, (0, 1)), NoProblem("none in the bin"))
    assert ("skipped", "none in the bin") == (record.status, record.reason)


def test_a_measure_task_gives_the_diagnostics_of_the_problem():
    study = study_of(
        make_algorithm("empty"),
        spec=Generated(
            ErdosRenyi(5, 1.0), SCM(), 100, accept=Accept("var_sortability", (0.0, 0.9), 1000)
        ),
        diagnostics=("var_sortability", "n_edges", "n_draws"),
    )
    made = make(1, study.problems[0].spec, "main", 0)
    record = run_task(study, MeasureTask("main", 0, 0, (0, 1, 2)), made)
    assert record.scores[0] < 0.9
    assert (5, made.draws) == record.scores[1:]


def test_a_worker_makes_each_problem_once(monkeypatch):
    made = []
    monkeypatch.setattr(batch_runner, "make", lambda *spec: made.append(spec) or make(*spec))
    study = study_of(make_algorithm("empty"), make_algorithm("pc"))
    batch_runner.start_worker(study)
    batch_runner.run_batch(
        [RunTask("main", 0, r, a, a, (0, 1)) for r in range(3) for a in range(2)],
    )
    assert 3 == len(made)


def test_batches_and_their_order_do_not_change_a_record():
    study = study_of(make_algorithm("random-sortnregress"), make_algorithm("golem-ev"))
    tasks = [RunTask("main", 0, r, a, a, (0, 1)) for r in range(3) for a in range(2)]
    batch_runner.start_worker(study)
    together = batch_runner.run_batch(tasks)
    alone = [batch_runner.run_batch([task])[0] for task in reversed(tasks)][::-1]
    for one, other in zip(together, alone, strict=True):
        assert (one.task, one.status, one.scores) == (other.task, other.status, other.scores)
        assert one.estimate == other.estimate


def test_a_worker_without_a_study_says_so(monkeypatch):
    monkeypatch.setattr(batch_runner._state, "study", None)
    with pytest.raises(RuntimeError, match="no study"):
        batch_runner.run_batch([])


def test_a_class_is_scored_as_its_metric_says():
    spec = Generated(Chain(4), SCM(), 100)
    problem = make(1, spec, "main", 0).problem
    estimate = Estimate(to_cpdag(problem.graph), "cpdag")
    scorer = Scorer(problem, estimate, lambda: stream(1, "members"))

    def score(name, resolution):
        return scorer.score(MetricEntry(name, resolution))

    assert 3 == score("shd", "as-is")  # three undirected edges
    assert 0 == score("shd", "favourable")
    assert pytest.approx(1.5) == score("shd", "mean")  # members reverse 0, 1, 2 or 3 edges
    assert 0 == score("mec_shd", "as-is")
    assert 0 == score("sid", "favourable")
    members = scorer.members.dags
    assert pytest.approx(np.mean([sid(problem.graph, dag) for dag in members])) == score(
        "sid", "mean"
    )


OF_GRAPHS = [name for name in METRICS if name not in ("naive_risk", "weighted_risk")]
"""Those two need experiments: risk/test_studies.py tries them."""


def certain(graph):
    """Return a DAG as an estimate with everything that a metric may look at."""
    return Estimate(graph, "dag", weights=graph.astype(float), probabilities=graph.astype(float))


@pytest.mark.parametrize("name", OF_GRAPHS)
def test_every_metric_knows_a_perfect_estimate(name):
    problem = make(1, Generated(ErdosRenyi(6, 1.5), SCM(), 50_000), "main", 0).problem
    estimate = certain(problem.graph)
    scorer = Scorer(problem, estimate, lambda: stream(1, "members"))
    score = scorer.score(MetricEntry(name, METRICS[name].resolution))
    if METRICS[name].better == "none":
        assert 0 < score
    elif METRICS[name].better == "high":
        assert 1 == score
    elif name == "tv_dag":
        assert score < 0.3  # of 30 pairs, each about .01 from sampling error
    elif name != "mec_sid_upper":
        assert 0 == score


@pytest.mark.parametrize("name", OF_GRAPHS)
def test_every_metric_prefers_the_truth_to_its_reverse(name):
    problem = make(1, Generated(ErdosRenyi(6, 1.5), SCM(), 2000), "main", 1).problem
    truth, reverse = (
        Scorer(problem, certain(graph), lambda: stream(1, "m")).score(
            MetricEntry(name, METRICS[name].resolution)
        )
        for graph in (problem.graph, problem.graph.T)
    )
    if name.startswith("skeleton") or name == "ordered_share":  # blind to directions
        assert truth == reverse
    elif METRICS[name].better == "high":
        assert truth > reverse
    else:
        assert truth <= reverse


def test_keys_do_not_depend_on_the_order_of_the_study(monkeypatch):
    monkeypatch.undo()
    entries = [AlgorithmEntry(name, name, make_algorithm(name)) for name in ("empty", "pc")]
    there = replace(study_of(), algorithms=tuple(entries))
    back = replace(study_of(), algorithms=tuple(entries[::-1]))
    for index in (0, 1):
        one = RunTask("main", 0, 0, index, index, (0, 1))
        other = RunTask("main", 0, 0, 1 - index, 1 - index, (1,))
        assert task_key(there, one) == task_key(back, other)
    assert task_key(there, one) != task_key(there, other)


def test_scores_agree_with_the_metrics_called_by_hand():
    study = study_of(make_algorithm("var-sortnregress"))
    record = run(study)
    truth = make(1, study.problems[0].spec, "main", 0).problem.graph
    guess = decode(record.estimate).graph
    assert (shd(truth, guess), f1(truth, guess)) == record.scores


def test_a_long_reason_is_cut():
    record = run(study_of(Returns(raises(ValueError("long " * 1000)))))
    assert len(record.reason) <= 500


@dataclass(frozen=True)
class Spoils:
    """A metric that writes into the graph it scores."""

    version: ClassVar[int] = 1
    better: ClassVar[str] = "low"

    def score(self, problem, guess):
        guess[:] = False
        return 0.0


@dataclass(frozen=True)
class Forgets:
    """A metric that returns nothing."""

    version: ClassVar[int] = 1
    better: ClassVar[str] = "low"

    def score(self, problem, guess):
        return None


def test_no_metric_changes_what_the_next_one_scores(announce):
    announce("metrics", {"spoils": f"{__name__}:Spoils", "forgets": f"{__name__}:Forgets"})
    study = study_of(make_algorithm("pc"), metrics=("spoils", "forgets", "shd"))
    alone = study_of(make_algorithm("pc"), metrics=("shd",))
    record = run(study)
    assert run(alone).scores[0] == record.scores[2]
    assert "read-only" in record.notes["spoils"]
    assert "returned None" in record.notes["forgets"]


@dataclass(frozen=True)
class Empties(SCM):
    """A model source that clears the graph it was given."""

    def draw(self, graph, rng):
        model = SCM.draw(self, graph.copy(), rng)
        graph[:] = False
        return model


def test_no_model_source_changes_the_truth():
    with pytest.raises(ValueError, match="read-only"):
        make(1, Generated(ErdosRenyi(5, 1.0), Empties(), 100), "main", 0)
