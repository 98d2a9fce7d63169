"""Tasks that one call of their algorithm computes: their rows are those of one by one."""

from __future__ import annotations

import os
import signal
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import pytest

from causalassay.contracts import computes_many
from causalassay.discovery import make_algorithm
from causalassay.graphs.sources import Chain, ErdosRenyi
from causalassay.metrics.registry import METRICS
from causalassay.models import SCM
from causalassay.processes.limits import Limits, Loss
from causalassay.processes.resources import Needs
from causalassay.study import LocalExecutor, parse_study, run_study, study_table
from causalassay.study.driver import run_tasks
from causalassay.study.estimate_encoding import decode
from causalassay.study.forecast import describe
from causalassay.study.kernel_marks import algorithm_jobs
from causalassay.study.language.mistakes import StudyMistakes
from causalassay.study.pending import pending_calls, pending_tasks
from causalassay.study.plan import (
    AlgorithmEntry,
    MeasureTask,
    MetricEntry,
    ProblemEntry,
    Record,
    RescoreTask,
    RunTask,
    Study,
    Tuning,
    most_members,
)
from causalassay.study.problem_specs import Generated
from causalassay.study.storage import Store, read_store
from causalassay.study.storage.store import StoredRow, StoredRows
from causalassay.study.worker import calls
from hostile.algorithms import Sleeper, SpyTogether, Together
from waiting import LIMIT

SEED = 918_273_645  # as in `test_study_wall`: a small one would be seen anywhere


def study_of(*algorithms, sizes=(4, 4), replicates=6, batch=None, seconds=LIMIT, **more):
    entries = tuple(
        AlgorithmEntry(
            str(index), "x", each, limits=Limits(seconds), batch=batch if computes_many(each) else 1
        )
        for index, each in enumerate(algorithms)
    )
    metrics = (MetricEntry("shd", METRICS["shd"].resolution, 1, "shd"),)
    problems = tuple(
        ProblemEntry(f"p{index}", Generated(ErdosRenyi(n_nodes, 1.0), SCM(), 30 + index))
        for index, n_nodes in enumerate(sizes)
    )
    return Study("calls", SEED, replicates, problems, entries, metrics, (), **more)


def ran(study, folder, **options):
    """Return the records of a study by problem, replicate and algorithm, as they were saved."""
    with Store.open(folder, study) as store, LocalExecutor(study, 2) as running:
        saved = []

        def save(records):
            store.save(records)
            saved.extend(records)

        tasks = pending_tasks(study, store, "main")
        run_tasks(study, tasks, running, save, pending_calls(study, store, "main"))
    by_place = {(r.task.problem, r.task.replicate, r.task.algorithm): r for r in saved}
    assert len(saved) == len(by_place) == study.n_tasks["main"]
    return by_place


def outcome(record):
    graph = None if record.estimate is None else decode(record.estimate).graph.tolist()
    return record.status, record.reason, record.scores, graph


def outcomes(records):
    return {place: str(outcome(record)) for place, record in records.items()}


def batches(records):
    return Counter(record.cells.get("batch", 1) for record in records.values())


def test_rows_of_one_call_are_those_of_single_ones(tmp_path):
    study = study_of(Together(), Sleeper(0.0))
    together = ran(study, tmp_path / "together")
    entries = tuple(replace(entry, batch=1) for entry in study.algorithms)
    alone = ran(replace(study, algorithms=entries), tmp_path / "alone")
    assert outcomes(alone) == outcomes(together)
    assert {1: 12, 12: 12} == batches(together)
    assert {1: 24} == batches(alone)
    (call,) = {r.seconds for (_, _, algorithm), r in together.items() if algorithm == 0}
    assert 0 < call < LIMIT
    table = study_table(tmp_path / "together").frame
    assert {12, 1} == {*table["batch"]}
    assert {12} == {*table[table["algorithm"] == "0"]["batch"]}


def test_a_call_has_tasks_of_one_size_and_no_more_than_the_study_says(tmp_path):
    study = study_of(Together(), sizes=(3, 5, 3), batch=5)
    with Store.open(tmp_path, study) as store:
        (stream,) = pending_calls(study, store, "main")
        came = list(stream)
        (again,) = pending_calls(study, store, "main")
        assert came == list(again)
        assert {MeasureTask} >= {type(task) for task in pending_tasks(study, store, "main")}
    sizes = [{study.problems[task.problem].spec.graph.n_nodes for task in call} for call in came]
    assert [{3}, {3}, {3}, {5}, {5}] == sizes
    assert [5, 5, 2, 5, 1] == list(map(len, came))
    assert 18 == len({task for call in came for task in call})


def test_sizes_that_only_the_data_tell_are_told_apart_where_they_are_made(tmp_path, monkeypatch):
    study = study_of(Together(), sizes=(3, 5))
    monkeypatch.setattr("causalassay.study.pending.n_nodes_of", lambda spec: None)
    assert {6: 12} == batches(ran(study, tmp_path))


def test_data_that_are_large_are_divided(monkeypatch):
    study = study_of(Together(), sizes=(4,))
    tasks = [RunTask("main", 0, replicate, 0, 0, (0,)) for replicate in range(6)]
    one = 30 * 4 * 8
    monkeypatch.setattr(calls, "MOST_BYTES", 2 * one)
    make = calls_made(study)
    assert [3, 3] == [len(members) for members in calls.members_of_calls(study, tasks, make)]


def calls_made(study):
    from causalassay.study.worker.batch_runner import attempt_problem

    return attempt_problem


def test_how_many_one_call_has_unless_the_study_says_so():
    entry = AlgorithmEntry("a", "x", Together())
    sizes = [most_members(entry, n_nodes) for n_nodes in (1, 5, 10, 20, 30, 50, 100, 1000)]
    assert all(later <= before for before, later in pairwise(sizes))
    assert (1000, 100) == (sizes[0], sizes[-1])
    assert 7 == most_members(replace(entry, batch=7), 1000)
    assert 1 == most_members(replace(entry, batch=1), 10)
    assert 1 == most_members(AlgorithmEntry("a", "x", Sleeper()), 10)


BAD = {
    "refuse": ("skipped", "this one has no room for it"),
    "fail": ("failed", "ArithmeticError: this one diverged"),
    "cycle": ("failed", "invalid: "),
    "shape": ("failed", "invalid: "),
    "raise": ("failed", "as announced"),
    "segfault": ("failed", "crashed: killed by signal 11 (SIGSEGV)"),
    "exit": ("failed", "crashed: exit code 7"),
}
WHOLE = {"refuse", "fail", "cycle", "shape"}


@pytest.mark.parametrize("deed", BAD)
def test_one_bad_member_costs_only_its_row(tmp_path, deed):
    """With this seed some of 12 are bad, and most are not."""
    records = ran(study_of(Together(deed, share=0.2), replicates=6), tmp_path / "bad")
    good = ran(study_of(Together("", share=0.2), replicates=6), tmp_path / "good")
    status, reason = BAD[deed]
    bad = {place for place, record in records.items() if record.status != "ok"}
    assert 0 < len(bad) < 12
    assert {status} == {records[place].status for place in bad}
    assert all(reason in records[place].reason for place in bad)
    fine = outcomes(good).keys() - bad
    # The stream of a task is that of its algorithm: of the same settings but for the deed.
    assert len(fine) == len(records) - len(bad)
    assert all(records[place].estimate is not None for place in fine)
    assert ({12} == batches(records).keys()) == (deed in WHOLE)


def test_a_member_that_takes_too_long_costs_only_its_row(tmp_path):
    records = ran(study_of(Together("loop", share=0.3), replicates=4, seconds=0.3), tmp_path)
    statuses = Counter(record.status for record in records.values())
    assert {"ok", "timeout"} == statuses.keys()
    assert {"timeout: more than 0.3 s"} == {r.reason for r in records.values() if r.reason}


def test_what_holds_for_the_whole_call_is_not_tried_again(tmp_path):
    study = study_of(Together("no card", share=1.0))
    records = ran(study, tmp_path)
    assert {("skipped", "no card for any of them")} == {
        (record.status, record.reason) for record in records.values()
    }
    assert {b"a call of 12\n"} == {record.output.end for record in records.values()}


def test_what_a_call_prints_is_kept_once_and_for_what_is_not_ok(tmp_path):
    records = ran(study_of(Together("refuse", share=0.3), replicates=6), tmp_path)
    kept = {place for place, record in records.items() if record.output.size}
    bad = {place for place, record in records.items() if record.status != "ok"}
    assert bad | {min(records)} == kept
    assert all("printed" in records[place].notes for place in bad)


def test_a_call_that_returns_too_few_is_divided(tmp_path):
    records = ran(study_of(Together("lose"), replicates=2), tmp_path)
    assert {"ok"} == {record.status for record in records.values()}
    assert {1: 4} == batches(records)


def test_a_call_learns_neither_the_truth_nor_the_seed(tmp_path):
    records = ran(study_of(SpyTogether(str(SEED)), replicates=2), tmp_path)
    assert {4} == batches(records).keys()
    assert [[]] * 4 == [decode(record.estimate).info["seen"] for record in records.values()]


def test_without_a_card_all_are_skipped(tmp_path, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    study = study_of(Together(), replicates=2)
    (entry,) = study.algorithms
    records = ran(replace(study, algorithms=(replace(entry, needs=Needs(gpus=1.0)),)), tmp_path)
    assert {"skipped"} == {record.status for record in records.values()}


@dataclass
class FakeStore:
    """A store of what the tests put there."""

    stored: dict = field(default_factory=dict)
    chosen: int | None = None

    def rows(self, purpose, problem, replicate):
        return StoredRows(frozenset(), self.stored.get((purpose, problem, replicate), {}))

    def estimate(self, *address):
        return b"estimate"

    def choice(self, problem, algorithm):
        return self.chosen


def test_only_runs_that_are_left_are_put_together():
    study = study_of(Together(), sizes=(4,), replicates=5)
    rows = {
        ("main", 0, 0): {0: StoredRow("ok", frozenset({0}))},
        ("main", 0, 1): {0: StoredRow("failed", frozenset())},
        ("main", 0, 2): {0: StoredRow("ok", frozenset())},
        ("main", 0, 3): {0: StoredRow("ok", frozenset({0}), outdated=True)},
    }
    store = FakeStore(rows)
    (call,) = pending_calls(study, store, "main")[0]
    assert [3, 4] == [task.replicate for task in call]
    (call,) = pending_calls(study, store, "main", retry=["failed"])[0]
    assert [1, 3, 4] == [task.replicate for task in call]
    (rescore,) = pending_tasks(study, store, "main")
    assert isinstance(rescore, RescoreTask)
    assert 2 == rescore.replicate


def test_candidates_of_a_tuning_are_put_together_too():
    study = study_of(Together(seconds=0.0), Together(seconds=0.01), Together(), sizes=(4,))
    first, second, tuned = study.algorithms
    tuned = replace(tuned, tuning=Tuning((0, 1), 0, systems=3), tuned_key="tuned")
    entries = (replace(first, role="candidate"), replace(second, role="candidate"), tuned)
    study = replace(study, algorithms=entries)
    store = FakeStore(chosen=1)
    tuning = [call for stream in pending_calls(study, store, "tuning") for call in stream]
    assert [[0] * 3, [1] * 3] == [[task.run for task in call] for call in tuning]
    main = [call for stream in pending_calls(study, store, "main") for call in stream]
    assert [[(2, 1)] * 6] == [[(task.algorithm, task.run) for task in call] for call in main]


@dataclass
class LosingExecutor:
    """An executor in which a chosen task ends the process of its batch."""

    bad: int
    workers: int = 2
    batch_seconds: float = 1.0
    batches: list = field(default_factory=list)
    under_way: list = field(default_factory=list)
    most: int = 0

    def submit(self, batch, limits, needs):
        self.batches.append(batch)
        self.under_way.append(batch)
        self.most = max(self.most, sum(len(each) > 1 for each in self.under_way))

    def completed(self, timeout):
        batch = self.under_way.pop(0)
        if any(task.replicate == self.bad for task in batch):
            return [(batch, Loss("timeout", "timeout: it did"))]
        return [(batch, [Record(task, "ok", wall=0.1) for task in batch])]


def test_a_lost_worker_costs_one_row_and_little_work():
    study = study_of(Together(), sizes=(4,), replicates=64)
    executor, saved = LosingExecutor(bad=17), []
    run_tasks(study, iter(()), executor, saved.extend, pending_calls(study, FakeStore(), "main"))
    assert Counter(ok=63, timeout=1) == Counter(record.status for record in saved)
    assert 64 == len({record.task for record in saved})
    assert 1 + 2 * 6 == len(executor.batches)


def test_few_calls_are_under_way_and_other_tasks_come_first():
    study = study_of(Together(), Sleeper(), sizes=(4,), replicates=40, batch=2)
    executor, store = LosingExecutor(bad=-1), FakeStore()
    calls = pending_calls(study, store, "main")
    saved = []
    run_tasks(study, pending_tasks(study, store, "main"), executor, saved.extend, calls)
    assert 80 == len(saved)
    algorithms = [batch[0].algorithm for batch in executor.batches]
    first = algorithms.index(0)
    assert {1} == {*algorithms[:first]}
    called = [batch for batch in executor.batches if batch[0].algorithm == 0]
    assert 20 == len(called)


def rows_of(folder):
    frame = study_table(folder).frame
    return frame.drop(columns=["seconds", "load_seconds", "host", "batch"]).sort_values("key")


def test_a_study_goes_on_and_again_and_retry_keep_their_promises(tmp_path):
    study = study_of(Together("refuse", share=0.3), Sleeper(0.0), replicates=4, batch=3)
    counts = run_study(study, tmp_path / "a", LocalExecutor(study, 2))
    assert 16 == sum(counts.values())
    assert {"ok", "skipped"} == (+counts).keys()
    whole = rows_of(tmp_path / "a")

    def sessions():
        with read_store(tmp_path / "a") as store:
            return [session.records for session in store.sessions()]

    assert counts == run_study(study, tmp_path / "a", LocalExecutor(study, 2))
    run_study(study, tmp_path / "a", LocalExecutor(study, 2), again=["0"])
    run_study(study, tmp_path / "a", LocalExecutor(study, 2), retry=["skipped"])
    assert [16, 0, 8, counts["skipped"]] == sessions()
    assert whole.equals(rows_of(tmp_path / "a"))
    half = replace(study, replicates=2)
    run_study(half, tmp_path / "b", LocalExecutor(half, 1))
    run_study(study, tmp_path / "b", LocalExecutor(study, 1))
    assert whole.equals(rows_of(tmp_path / "b"))


def test_after_a_killed_worker_the_rows_are_the_same(tmp_path):
    study = study_of(Together(seconds=0.5), replicates=4)
    expected = outcomes(ran(study, tmp_path / "calm"))
    killed = []

    def kill(pid):
        if not killed:
            killed.append(pid)
            signal.pthread_sigmask(signal.SIG_BLOCK, set())
            os.kill(pid, signal.SIGKILL)

    with Store.open(tmp_path / "killed", study) as store:
        saved = []
        with LocalExecutor(study, 1, on_start=kill) as running:
            run_tasks(study, iter(()), running, saved.extend, pending_calls(study, store, "main"))
    records = {(r.task.problem, r.task.replicate, r.task.algorithm): r for r in saved}
    assert killed
    assert expected == outcomes(records)


STUDY = """
name = "calls"
seed = 1
replicates = 2
baselines = false

[[problems]]
samples = 100
graph = {kind = "chain", n_nodes = 4}
model = {kind = "scm"}

[[algorithms]]
use = "golem-ev"
"""


def test_the_number_of_a_call_is_read_and_changes_no_key():
    plain = parse_study(STUDY + 'device = "torch"', None)
    stated = parse_study(STUDY + 'device = "torch"\nbatch = 20', None)
    assert (None, 20) == (plain.algorithms[0].batch, stated.algorithms[0].batch)
    assert plain.algorithms[0].key == stated.algorithms[0].key
    assert "tasks of one size in one call: golem-ev, at most 20" in describe(stated)
    assert "tasks of one size in one call: golem-ev" in describe(plain)
    assert {} == algorithm_jobs(plain)


@pytest.mark.parametrize(
    ("keys", "refusal"),
    [
        ("batch = 20", "computes one data set at a time with these settings"),
        ('device = "torch"\nbatch = 0', "expected an integer from 1"),
        ('device = "torch"\nbatch = 1.5', "expected an integer from 1"),
    ],
)
def test_a_number_that_cannot_be_is_refused(keys, refusal):
    with pytest.raises(StudyMistakes, match=refusal):
        parse_study(STUDY + keys, None)


def test_the_default_device_is_in_no_key():
    """Rows of earlier versions, which had no device or two, keep their keys."""
    keys = {
        "golem-ev": "",
        "golem-nv": "",
        "notears": "",
    }
    for name in keys:
        plain, stated = make_algorithm(name), make_algorithm(name, device="cpu")
        assert AlgorithmEntry(name, name, plain).key == AlgorithmEntry(name, name, stated).key
        others = {
            AlgorithmEntry(name, name, make_algorithm(name, device=device)).key
            for device in ("torch", "cuda")
        }
        assert 2 == len(others - {AlgorithmEntry(name, name, plain).key})


def test_an_algorithm_by_kernels_computes_one_by_one_what_it_computes_together():
    golem = make_algorithm("golem-ev", steps=50)
    rng = np.random.default_rng(0)
    from causalassay.data import Dataset

    datasets = [Dataset.from_values(rng.normal(size=(50, 3)).cumsum(axis=1)) for _ in range(3)]
    datasets.append(Dataset.from_values(rng.normal(size=(50, 1)) * [[1.0, 2.0]]))
    *found, refused = golem.discover_many(datasets, [rng] * 4)
    for data, estimate in zip(datasets, found, strict=False):
        assert (golem.discover(data, rng).weights == estimate.weights).all()
    assert "linear combination" in str(refused)
    assert not computes_many(golem)


def test_chains_have_a_size():
    from causalassay.study.problem_specs import n_nodes_of

    assert 7 == n_nodes_of(Generated(Chain(7), SCM(), 20))
