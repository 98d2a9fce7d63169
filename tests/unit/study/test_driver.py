"""What is left to do, in which batches, and what becomes of batches that are lost."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pytest

from causalassay.discovery import make_algorithm
from causalassay.graphs.sources import Chain
from causalassay.models import SCM
from causalassay.processes.limits import Limits, Loss
from causalassay.study.driver import (
    TRIES,
    algorithms_named,
    best_candidate,
    pending_tasks,
    run_study,
    run_tasks,
)
from causalassay.study.plan import (
    AlgorithmEntry,
    Batcher,
    MeasureTask,
    MetricEntry,
    ProblemEntry,
    Record,
    RescoreTask,
    RunTask,
    Study,
    Tuning,
    batch_limits,
    number_indices,
)
from causalassay.study.problem_specs import Generated
from causalassay.study.storage import read_store
from causalassay.study.storage.store import StoredRow, StoredRows

NAN = float("nan")


def study_of(algorithms=("empty", "pc"), *, replicates=2, metrics=("shd", "f1")):
    entries = [
        AlgorithmEntry(name, name, make_algorithm(name)) if isinstance(name, str) else name
        for name in algorithms
    ]
    return Study(
        "test",
        1,
        replicates,
        tuple(ProblemEntry(str(n), Generated(Chain(n), SCM(), 50)) for n in (3, 4)),
        tuple(entries),
        tuple(MetricEntry(name, "as-is", 1, name) for name in metrics),
        ("var_sortability",),
    )


@dataclass
class FakeStore:
    """A store of what the tests put there."""

    stored: dict = field(default_factory=dict)
    choices: dict = field(default_factory=dict)

    def rows(self, purpose, problem, replicate):
        return self.stored.get((purpose, problem, replicate), StoredRows())

    def estimate(self, *address):
        return b"estimate"

    def choice(self, problem, algorithm):
        return self.choices.get((problem, algorithm))


def tasks_of(study, store=None, purpose="main"):
    return list(pending_tasks(study, store or FakeStore(), purpose))


def store_with(row):
    """Return a store in which every problem is measured and both algorithms have this row."""
    rows = StoredRows(frozenset({0}), {0: row, 1: row})
    return FakeStore({("main", p, r): rows for p in (0, 1) for r in (0, 1)})


def test_an_empty_store_leaves_every_task_and_every_problem_to_measure():
    tasks = tasks_of(study_of())
    assert 2 * 2 * 3 == len(tasks)
    assert 4 == sum(isinstance(task, MeasureTask) for task in tasks)
    assert len(tasks) == len(set(tasks))


def test_what_needs_no_compiling_comes_first_and_nothing_comes_twice():
    tasks = list(pending_tasks(study_of(("pc", "empty")), FakeStore(), "main", at_once={1}))
    assert [(0, 1), (1, 1)] == [(task.problem, task.algorithm) for task in tasks[:2]]
    assert set(tasks) == set(tasks_of(study_of(("pc", "empty"))))
    assert 12 == len(tasks)


def test_what_the_store_knows_is_not_done_again():
    row = StoredRow("ok", frozenset({0, 1}))
    store = FakeStore({("main", 0, 0): StoredRows(frozenset({0}), {0: row, 1: row})})
    assert 9 == len(tasks_of(study_of(), store))


def test_a_new_metric_is_computed_from_the_stored_estimate():
    store = store_with(StoredRow("ok", frozenset({0, 1})))
    assert [] == tasks_of(study_of(), store)
    more = tasks_of(study_of(metrics=("shd", "f1", "recall")), store)
    assert {RescoreTask} == {type(task) for task in more}
    assert {(2,)} == {task.metrics for task in more}
    assert {b"estimate"} == {task.estimate for task in more}
    assert 8 == len(more)


@pytest.mark.parametrize("status", ["ok", "failed", "skipped"])
def test_a_row_that_is_outdated_is_run_again_with_all_metrics(status):
    """Its estimate is not scored again: it may be another one now."""
    row = StoredRow(status, frozenset({0}), outdated=True)
    tasks = tasks_of(study_of(), store_with(row))
    assert {RunTask} == {type(task) for task in tasks}
    assert {(0, 1)} == {task.metrics for task in tasks}
    assert 8 == len(tasks)


def test_algorithms_are_named_as_tables_or_the_registry_have_them():
    names = [("pc strict", 0.01), ("pc loose", 0.1)]
    entries = [
        AlgorithmEntry(name, "pc", make_algorithm("pc", alpha=alpha)) for name, alpha in names
    ]
    study = study_of(["empty", *entries])
    assert (2,) == algorithms_named(study, ["pc loose"])
    assert (1, 2) == algorithms_named(study, ["pc"])
    assert (0, 1) == algorithms_named(study, ["empty", "pc strict", "empty"])
    assert (1, 2, 3) == algorithms_named(tuned_study(), ["pc"])  # with its candidates
    with pytest.raises(ValueError, match=r"no algorithm 'pc-lose' .*did you mean 'pc loose'"):
        algorithms_named(study, ["pc-lose"])


@pytest.mark.parametrize("status", ["failed", "timeout", "skipped"])
def test_a_row_that_is_not_ok_gets_no_new_metric(status):
    assert [] == tasks_of(study_of(), store_with(StoredRow(status, frozenset())))


def tuned_study():
    candidates = [
        AlgorithmEntry(f"pc {alpha}", "pc", make_algorithm("pc", alpha=alpha), "candidate")
        for alpha in (0.01, 0.1)
    ]
    tuned = AlgorithmEntry(
        "pc", "pc", make_algorithm("pc"), tuning=Tuning((2, 3), 1, systems=5), tuned_key="k"
    )
    return study_of(["empty", tuned, *candidates])


def test_a_tuning_runs_its_candidates_on_held_out_systems():
    tasks = tasks_of(tuned_study(), purpose="tuning")
    assert 2 * 5 * 2 == len(tasks) == tuned_study().n_tasks["tuning"]
    assert {2, 3} == {task.algorithm for task in tasks}
    assert {(1,)} == {task.metrics for task in tasks}


def test_a_tuned_algorithm_runs_the_candidate_that_was_chosen():
    store = FakeStore(choices={(0, 1): 3, (1, 1): 2})
    runs = [task for task in tasks_of(tuned_study(), store) if isinstance(task, RunTask)]
    chosen = {(task.problem, task.run) for task in runs if task.algorithm == 1}
    assert {(0, 3), (1, 2)} == chosen


def test_candidates_have_no_rows_in_the_main_part():
    store = FakeStore(choices={(0, 1): 3, (1, 1): 2})
    runs = [task for task in tasks_of(tuned_study(), store) if isinstance(task, RunTask)]
    assert {0, 1} == {task.algorithm for task in runs}


def test_tuning_comes_before_planning():
    with pytest.raises(ValueError, match="is to be tuned"):
        tasks_of(tuned_study())


@pytest.mark.parametrize(
    ("scores", "better", "statistic", "expected"),
    [
        ([[1, 2, 9], [3, 3, 3]], "high", "median", (1, 3)),
        ([[1, 2, 9], [3, 3, 3]], "high", "mean", (0, 4)),
        ([[1, 2, 9], [3, 3, 3]], "low", "median", (0, 2)),
        ([[5, 5], [5, 5]], "low", "mean", (0, 5)),
        ([[NAN, NAN, 9], [1, 1, 1]], "high", "median", (1, 1)),
        ([[NAN, NAN, 1], [9, 9, 9]], "low", "median", (1, 9)),
    ],
)
def test_the_best_candidate_is_best_on_average(scores, better, statistic, expected):
    assert expected == best_candidate(scores, better, statistic)


def test_where_all_candidates_failed_the_first_is_taken():
    assert (0, -np.inf) == best_candidate([[NAN, NAN], [NAN, NAN]], "high", "median")


def test_unknown_algorithms_go_alone_and_quick_ones_together():
    tasks = [RunTask("main", 0, r, 0, 0, ()) for r in range(20)]
    batcher = Batcher(iter(tasks))
    assert 1 == len(batcher.next(1.0))
    batcher.observe(Record(tasks[0], "ok", wall=0.25))
    assert [4, 4, 4, 4, 3, 0] == [len(batcher.next(1.0)) for _ in range(6)]


def test_batches_keep_every_task_once_and_in_order():
    tasks = [RunTask("main", 0, r, r % 3, r % 3, ()) for r in range(200)]
    batcher = Batcher(iter(tasks))
    taken = []
    while batch := batcher.next(0.1):
        taken += batch
        for task in batch:
            batcher.observe(Record(task, "ok", wall=0.01 * (1 + task.algorithm * 20)))
    assert tasks == taken


def test_a_batch_has_the_least_limit_of_time_of_its_tasks():
    quick = AlgorithmEntry("q", "empty", make_algorithm("empty"), limits=Limits(1.0, 100))
    slow = AlgorithmEntry("s", "pc", make_algorithm("pc"), limits=Limits(None, 500))
    study = study_of([quick, slow])
    runs = [RunTask("main", 0, 0, index, index, ()) for index in (0, 1)]
    tasks = [MeasureTask("main", 0, 0, ()), *runs]
    assert Limits(1.0, None) == batch_limits(study, tuple(tasks))
    assert Limits(None, None) == batch_limits(study, tuple(tasks[2:]))
    assert Limits(None, None) == batch_limits(study, tuple(tasks[:1]))


@dataclass
class FakeExecutor:
    """An executor in which chosen tasks end their process."""

    hostile: dict
    workers: int = 2
    batch_seconds: float = 1.0
    batches: list = field(default_factory=list)
    under_way: list = field(default_factory=list)

    def submit(self, batch, limits, needs):
        self.batches.append(batch)
        self.under_way.append(batch)

    def completed(self, timeout):
        batch = self.under_way.pop(0)
        causes = [self.hostile[t.replicate] for t in batch if t.replicate in self.hostile]
        if causes:
            return [(batch, Loss(causes[0], f"{causes[0]}: it did"))]
        return [(batch, [Record(task, "ok", wall=0.1) for task in batch])]


def records_of(tasks, executor):
    saved = []
    run_tasks(study_of(), iter(tasks), executor, saved.extend)
    return {record.task.replicate: record for record in saved}, saved


TASKS = [RunTask("main", 0, r, 0, 0, (0, 1)) for r in range(40)]


@pytest.mark.parametrize(
    ("cause", "status"), [("timeout", "timeout"), ("memory", "failed"), ("crashed", "failed")]
)
def test_a_hostile_task_costs_one_row(cause, status):
    records, saved = records_of(TASKS, FakeExecutor({17: cause}))
    assert 40 == len(records) == len(saved)
    assert (status, f"{cause}: it did") == (records[17].status, records[17].reason)
    assert (2,) == np.shape(records[17].scores)
    assert np.isnan(records[17].scores).all()
    assert {"ok"} == {record.status for r, record in records.items() if r != 17}


def test_a_task_that_loses_its_process_is_tried_again_before_it_is_blamed():
    executor = FakeExecutor({0: "crashed"})
    records_of(TASKS[:1], executor)
    assert TRIES == len(executor.batches)


def test_a_late_task_is_not_tried_again():
    executor = FakeExecutor({0: "timeout"})
    records_of(TASKS[:1], executor)
    assert 1 == len(executor.batches)


def test_few_batches_are_under_way():
    executor = FakeExecutor({})
    most = 0

    def tasks():
        nonlocal most
        for task in TASKS:
            most = max(most, len(executor.under_way))
            yield task

    run_tasks(study_of(), tasks(), executor, lambda _: None)
    assert most <= 6


def test_what_came_back_before_an_interrupt_is_saved():
    def tasks():
        yield from TASKS[:10]
        raise KeyboardInterrupt

    saved = []
    with pytest.raises(KeyboardInterrupt):
        run_tasks(study_of(), tasks(), FakeExecutor({}), saved.extend)
    assert saved


@dataclass
class OneByOne:
    """An executor that runs one task after the other, and is interrupted after so many."""

    host: str
    most: int = 10**9
    ran: list = field(default_factory=list)
    waiting: list = field(default_factory=list)
    compiling: None = None
    scratch: None = None
    at_work: tuple = ()
    workers: int = 1
    batch_seconds: float = 0.01

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def submit(self, batch, limits, needs):
        self.waiting.append(batch)

    def completed(self, timeout):
        if len(self.ran) == self.most:
            raise KeyboardInterrupt
        batch = (task,) = self.waiting.pop(0)
        self.ran.append(task)
        scores = (1.0,) * len(number_indices(task))
        # Without a time that is known each batch is one task.
        return [(batch, [Record(task, "ok", scores=scores, host=self.host, wall=1.0)])]


def hosts_of(folder):
    """Return by algorithm on which hosts its rows were computed."""
    with read_store(folder) as store:
        rows = store.connection.execute(
            "SELECT algorithms.name, host, count(*) FROM rows "
            "JOIN algorithms ON algorithms.id = algorithm GROUP BY 1, 2"
        )
        return {(name, host): count for name, host, count in rows}


def test_an_interruption_of_computing_again_loses_no_row_and_the_next_run_goes_on(tmp_path):
    study, shown = study_of(), []
    run_study(study, tmp_path, OneByOne("first"))
    before = {("empty", "first"): 4, ("pc", "first"): 4}
    assert before == hosts_of(tmp_path)
    assert Counter(ok=8) == +run_study(study, tmp_path, OneByOne("none"))
    with pytest.raises(KeyboardInterrupt):
        run_study(study, tmp_path, OneByOne("second", most=1), again=["pc"], watch=shown.append)
    assert {("empty", "first"): 4, ("pc", "first"): 3, ("pc", "second"): 1} == hosts_of(tmp_path)
    assert [4, 5] == [shown[0].done, shown[-1].done]
    with read_store(tmp_path) as store:
        status = store.status()
    assert (3, {"pc": 3}, 8) == (status.left, status.again, status.counts["main"]["ok"])
    assert any("3 rows of pc" in line for line in status.lines())
    executor = OneByOne("third")
    assert Counter(ok=8) == +run_study(study, tmp_path, executor)
    assert 3 == len(executor.ran)
    after = {("empty", "first"): 4, ("pc", "second"): 1, ("pc", "third"): 3}
    assert after == hosts_of(tmp_path)
    with read_store(tmp_path) as store:
        assert (0, {}) == (store.status().left, store.status().again)


def test_computing_again_begins_anew_each_time_it_is_asked_for(tmp_path):
    run_study(study_of(), tmp_path, OneByOne("first"))
    for most in (1, 3):
        with pytest.raises(KeyboardInterrupt):
            run_study(study_of(), tmp_path, OneByOne(str(most), most=most), again=["pc", "empty"])
    run_study(study_of(), tmp_path, OneByOne("last"), again=["pc", "empty"])
    assert {("empty", "last"): 4, ("pc", "last"): 4} == hosts_of(tmp_path)


def test_a_tuned_algorithm_that_is_computed_again_is_tuned_again(tmp_path):
    run_study(tuned_study(), tmp_path, OneByOne("first"))
    executor = OneByOne("second")
    run_study(tuned_study(), tmp_path, executor, again=["pc"])
    purposes = Counter(task.purpose for task in executor.ran)
    assert {"tuning": 20, "main": 4} == purposes
    assert {("empty", "first"): 4} == {
        name: count for name, count in hosts_of(tmp_path).items() if name[1] == "first"
    }
