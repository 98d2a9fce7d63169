"""Studies on a real Slurm of one node: what is killed costs nothing, and changes no row."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from slurm_study import exported, n_rows, write_study
from waiting import LIMIT, eventually

pytestmark = [pytest.mark.slow, pytest.mark.needs("root", "slurm", "package:dask_jobqueue")]

BY_HAND = """
from dask_jobqueue import SLURMCluster

with SLURMCluster(
    interface="lo",
    cores=2,
    processes=1,
    memory="2GB",
    walltime="01:00:00",
    job_script_prologue=["export DASK_DISTRIBUTED__WORKER__DAEMON=False"],
    log_directory={logs!r},
) as cluster:
    cluster.scale(jobs=2)
    print(cluster.scheduler_address, flush=True)
    input()
"""


def start(slurm, *words, **options):
    return subprocess.Popen(
        [sys.executable, *map(str, words)],
        env={**os.environ, **slurm.environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **options,
    )


@pytest.fixture
def study_file(tmp_path):
    return write_study(tmp_path)


@pytest.fixture
def by_hand(slurm, tmp_path, no_jobs_left):
    """The address of a cluster as docs/cluster.md makes it with dask-jobqueue."""
    script = BY_HAND.format(logs=str(tmp_path / "logs"))
    cluster = start(slurm, "-c", script, stdin=subprocess.PIPE)
    try:
        yield cluster.stdout.readline().strip()
    finally:
        cluster.communicate("\n", timeout=LIMIT)


def test_a_killed_job_a_killed_node_and_a_killed_driver_change_no_row(
    slurm, by_hand, study_file, local_rows
):
    folder = study_file.parent / "slurm-results"
    words = ("-m", "causalassay", "run", "--json", "--allow-programs", study_file)
    words += ("--cluster", by_hand)
    driver = start(slurm, *words)

    def more_rows():
        before = n_rows(folder)
        eventually(lambda: n_rows(folder) >= before + 20 or driver.poll() is not None)
        assert driver.poll() is None, driver.communicate()

    more_rows()
    assert 2 == len(eventually(lambda: len(slurm.jobs()) == 2 and slurm.jobs()))
    slurm.call("scancel", slurm.jobs()[0])
    more_rows()
    slurm.order("kill-daemon")
    more_rows()
    slurm.order("start-node")
    more_rows()
    driver.kill()
    driver.communicate()
    kept = n_rows(folder)
    resumed = start(slurm, *words)
    _, complained = resumed.communicate(timeout=LIMIT)
    assert 0 == resumed.returncode, complained
    assert kept < len(local_rows[1])
    assert local_rows == exported(folder)


JOB = "--cpus-per-task 2 --mem 2G"


def submit(slurm, study_file, *words):
    """Submit the study as a job and return what is printed of it."""
    run = ("-m", "causalassay", "run", "--json", "--allow-programs", study_file)
    command = start(slurm, *run, "--slurm", JOB, *words)
    printed, complained = command.communicate(timeout=LIMIT)
    assert 0 == command.returncode, complained
    return json.loads(printed)


def wait_for_more_rows(job, wanted=20):
    """Wait until the copy in the results folder has more rows than now."""
    folder = Path(job["folder"])
    before = n_rows(folder)
    eventually(lambda: n_rows(folder) >= before + wanted, "no more rows came")


def end_of(slurm, job):
    """Wait until a job is gone; return its log."""
    ended = ("COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL")
    eventually(lambda: slurm.facts(job["job"])["JobState"] in ended, "the job does not end")
    return Path(job["log"]).read_text()


def test_a_job_goes_on_after_its_time_limit_a_lost_node_and_scancel(
    slurm, study_file, local_rows, no_jobs_left
):
    job = submit(slurm, study_file)
    folder, number = Path(job["folder"]), job["job"]
    wait_for_more_rows(job)
    assert 0 == n_logs(folder)
    # What Slurm sends some time before the limit, to the script alone.
    slurm.call("scancel", "--batch", "--signal=USR1", number)
    eventually(lambda: slurm.restarts(number) == 1, "the job was not queued again")
    wait_for_more_rows(job)
    slurm.order("lose-node")
    slurm.order("start-node")
    eventually(lambda: slurm.restarts(number) == 2, "the lost job was not queued again")
    wait_for_more_rows(job)
    # A second job of the same folder waits for the first.
    second = submit(slurm, study_file)
    assert [str(second["job"])] == slurm.jobs("pending")
    slurm.call("scancel", number)
    log = end_of(slurm, job)
    assert f"the time limit is near: job {number} is queued again" in log
    assert "interrupted: finished rows are in" in log
    assert len(local_rows[1]) > n_rows(folder)
    log = end_of(slurm, second)
    assert "Report: " in log, log
    assert local_rows == exported(folder)
    assert 0 == n_logs(folder)


def test_several_jobs_share_a_study_and_one_that_ends_is_replaced(
    slurm, study_file, local_rows, no_jobs_left
):
    job = submit(slurm, study_file, "--jobs", 2)
    folder = Path(job["folder"])

    def worker_jobs():
        return sorted(set(slurm.jobs()) - {str(job["job"])})

    (worker,) = eventually(worker_jobs, "no job for a worker was submitted")
    wait_for_more_rows(job)
    slurm.call("scancel", worker)
    eventually(lambda: worker_jobs() not in ([], [worker]), "the job was not replaced")
    slurm.order("kill-daemon")
    wait_for_more_rows(job)
    slurm.order("start-node")
    # The driver dies without a word; the jobs of its workers end by themselves.
    slurm.call("scancel", "--full", "--signal=KILL", job["job"])
    end_of(slurm, job)
    eventually(lambda: not slurm.jobs(), "a worker's job outlives its driver")
    assert len(local_rows[1]) > n_rows(folder)
    last = submit(slurm, study_file, "--jobs", 2)
    log = end_of(slurm, last)
    assert "Report: " in log, log
    assert local_rows == exported(folder)
    assert [] == slurm.jobs()
    assert [] == list((folder / "slurm-workers").glob(".dask-jobqueue*")), "keys are left"


def n_logs(folder):
    """Return the number of SQLite's own files beside a copy: a file server has none."""
    return len(list(folder.glob("study.sqlite-*")))
