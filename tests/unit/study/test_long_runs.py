"""What long runs need: a scratch folder for each task, progress, and what is running now."""

from __future__ import annotations

import json
import os
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from causalassay.data import Dataset
from causalassay.graphs.sources import Chain
from causalassay.metrics.registry import METRICS
from causalassay.models import SCM
from causalassay.processes import scratch as scratch_module
from causalassay.processes.limits import Limits
from causalassay.processes.scratch import SCRATCH, begin_task, read_progress
from causalassay.processes.stages import Stage, Work, show, working_at
from causalassay.study import LocalExecutor
from causalassay.study.driver import run_study
from causalassay.study.estimate_encoding import decode
from causalassay.study.plan import (
    AlgorithmEntry,
    MetricEntry,
    ProblemEntry,
    RunTask,
    Study,
    task_key,
)
from causalassay.study.problem_specs import Generated
from causalassay.study.scratch_folders import ScratchFolders
from causalassay.study.storage import Store, read_store
from causalassay.study.storage.running import RunningFile, RunningTask, read_running
from hostile import algorithms as hostile
from waiting import LIMIT, eventually

DATA = Dataset.from_values(np.arange(12.0).reshape(6, 2) ** 2)


def study_of(*algorithms, seconds=LIMIT, replicates=1, seed=4_711):
    entries = [
        AlgorithmEntry(type(one).__name__, "x", one, limits=Limits(seconds, None, LIMIT))
        for one in algorithms
    ]
    metrics = (MetricEntry("shd", METRICS["shd"].resolution, 1, "shd"),)
    problem = ProblemEntry("secret-scheme", Generated(Chain(3), SCM(), 50))
    return Study("secret-study", seed, replicates, (problem,), tuple(entries), metrics, ())


@pytest.fixture
def folders(tmp_path):
    return ScratchFolders.of_results(tmp_path / "secret-study-results", tmp_path / "home")


@pytest.fixture
def done(tmp_path, folders):
    """Run a study, or the rest of it; return its only row's status and what the algorithm said."""

    def run(study, **options):
        executor = LocalExecutor(study, 1, folders)
        run_study(study, tmp_path / "secret-study-results", executor, **options)
        with Store.open(tmp_path / "secret-study-results", study) as store:
            status = store.rows("main", 0, 0).algorithms[0].status
            estimate = store.estimate("main", 0, 0, 0)
        return status, {} if estimate is None else dict(decode(estimate).info)

    return run


def left_in(folders):
    return sorted(path for path in folders.folder.rglob("*") if path.is_file())


def test_a_task_that_loses_its_process_goes_on_from_its_checkpoint(done, folders):
    status, said = done(study_of(hostile.Resuming("kill_itself")))
    assert ("ok", "half") == (status, said["before"])
    assert not folders.folder.exists()


@pytest.mark.parametrize(
    ("function", "seconds", "ended"), [("raise_error", LIMIT, "failed"), ("hang", 1.0, "timeout")]
)
def test_the_checkpoint_of_a_task_that_is_not_ok_stays_for_the_next_time(
    done, folders, function, seconds, ended
):
    study = study_of(hostile.Resuming(function, "no"), seconds=seconds)
    assert (ended, {}) == done(study)
    assert ["checkpoint", "progress"] == [path.name for path in left_in(folders)]
    status, said = done(study, retry=[ended])
    assert ("ok", "half") == (status, said["before"])
    assert [] == left_in(folders)


def test_what_is_computed_again_begins_without_the_old_checkpoints(done, folders):
    study = study_of(hostile.Resuming("raise_error", "no"))
    done(study)
    checkpoint = next(path for path in left_in(folders) if path.name == "checkpoint")
    checkpoint.write_text("old")
    assert ("failed", {}) == done(study, again=["Resuming"])
    assert "half" == checkpoint.read_text()


def test_the_scratch_folder_tells_nothing_and_is_the_same_each_time(tmp_path, folders):
    study, results = study_of(hostile.Resuming()), tmp_path / "secret-study-results"
    task = RunTask("main", 0, 0, 0, 0, (0,))
    folder = folders.of_task(study, task)
    assert folder == ScratchFolders.of_results(results, tmp_path / "home").of_task(study, task)
    parts = folder.relative_to(tmp_path / "home").parts
    assert 3 == len(parts)
    assert task_key(study, task) == parts[-1]
    assert all(set(part) <= set("0123456789abcdef") for part in parts)
    others = [
        ScratchFolders.of_results(tmp_path / "other", tmp_path / "home").of_task(study, task),
        folders.of_task(study_of(hostile.Resuming(), seed=2), task),
        folders.of_task(study, RunTask("tuning", 0, 0, 0, 0, (0,))),
        folders.of_task(study_of(hostile.Resuming("hang")), task),
    ]
    assert 5 == len({folder, *others})


def test_tasks_that_keep_nothing_make_no_folder(done, tmp_path):
    assert "ok" == done(study_of(hostile.Hostile()))[0]
    assert not (tmp_path / "home").exists()


def test_outside_studies_there_is_no_scratch_folder_and_progress_goes_nowhere(monkeypatch):
    monkeypatch.delenv(SCRATCH, raising=False)
    assert DATA.scratch is None
    DATA.progress(0.5, "half")


@pytest.fixture
def task_folder(tmp_path, monkeypatch):
    monkeypatch.setenv(SCRATCH, "")
    begin_task(str(tmp_path / "a" / "task"))
    yield tmp_path / "a" / "task"
    begin_task("")


def test_progress_is_read_where_it_was_reported(task_folder):
    assert read_progress(task_folder) is None
    began = time.time()
    DATA.progress(0.4, "epoch 40 of 100")
    report = read_progress(task_folder)
    assert "40 % epoch 40 of 100" == report.text
    assert began - 1 < report.at < time.time() + 1
    assert task_folder == DATA.scratch


def test_progress_is_written_a_few_times_a_second_only(task_folder, monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(scratch_module, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    texts = []
    for step in range(100):
        clock[0] += 0.01
        DATA.progress(step / 100)
        texts.append(read_progress(task_folder).text)
    assert 4 <= len(set(texts)) <= 6


def test_what_is_no_report_is_not_read(task_folder):
    task_folder.mkdir(parents=True)
    report = task_folder / "progress"
    os.mkfifo(report)
    assert read_progress(task_folder) is None  # and does not wait for a writer
    report.unlink()
    (task_folder / "other").write_text("a secret")
    report.symlink_to(task_folder / "other")
    assert read_progress(task_folder) is None
    report.unlink()
    report.write_bytes(b"x" * 10**6)
    assert len(read_progress(task_folder).text) < 1000


def test_a_process_tells_what_it_works_at():
    stage = Stage()
    show(stage)
    assert stage.work is None
    began = time.time()
    with working_at((1, 2, 3, -1, 5)):
        assert (1, 2, 3, -1, 5) == stage.work.place
        assert began <= stage.work.since <= time.time()
        seen = []
        other = threading.Thread(target=lambda: seen.append(stage.work))
        other.start()
        other.join()
        assert [stage.work] == seen
    assert stage.work is None
    stage.work = Work((0, 0, 0, 0, 0), 1.5)
    assert Work((0, 0, 0, 0, 0), 1.5) == stage.work


def test_status_tells_which_tasks_run_and_how_far_they_are(tmp_path, folders):
    waited_for = tmp_path / "go on"
    algorithms = hostile.Resuming("wait_for_file", str(waited_for)), hostile.Hostile()
    study, results = study_of(*algorithms), tmp_path / "results"
    executor = LocalExecutor(study, 1, folders)
    running = threading.Thread(target=run_study, args=(study, results, executor))
    running.start()
    try:
        (task,) = eventually(lambda: read_running(results))
        assert ("Resuming", "secret-scheme", 0) == (task.algorithm, task.problem, task.replicate)
        eventually(lambda: task.progress)
        with read_store(results) as store:
            status = store.status()
        assert status.driver is not None
        (line,) = [line for line in status.lines() if line.startswith("  Resuming on")]
        assert line.startswith("  Resuming on secret-scheme, replicate 0: for ")
        assert "50 % half of it" in line
        (told,) = json.loads(json.dumps(status.to_dict()))["running"]
        assert "50 % half of it" == told["progress"]
        assert {"algorithm", "since", "progress_at"} < set(told)
        assert "scratch" not in told
    finally:
        waited_for.touch()
        running.join()
    assert [] == read_running(results)
    assert not (results / "running.json").exists()
    with read_store(results) as store:
        assert () == store.status().running


def test_tasks_that_have_just_begun_are_not_told(tmp_path):
    file, now = RunningFile(tmp_path), time.time()
    file.show([RunningTask("a", "p", 0, "main", now)])
    assert [] == list(tmp_path.iterdir())
    file.show([RunningTask("a", "p", 0, "main", now - 5), RunningTask("b", "p", 0, "main", now)])
    assert ["a"] == [task.algorithm for task in read_running(tmp_path)]
    (tmp_path / "running.json").write_text('[{"nonsense": 1}]')
    assert [] == read_running(tmp_path)
    RunningFile(tmp_path)
    assert [] == list(tmp_path.iterdir())
