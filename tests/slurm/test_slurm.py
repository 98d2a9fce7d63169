"""Studies on a real Slurm of one node: what is killed costs nothing, and changes no row."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from slurm_study import STUDY, exported, n_rows
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
    file = tmp_path / "study.toml"
    file.write_text(STUDY)
    return file


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
    words = ("-m", "causalassay", "run", "--json", study_file, "--cluster", by_hand)
    driver = start(slurm, *words)

    def more_rows():
        before = n_rows(folder)
        eventually(lambda: n_rows(folder) >= before + 20 or driver.poll() is not None)
        assert driver.poll() is None, driver.communicate()

    more_rows()
    assert 2 == len(eventually(lambda: len(slurm.jobs()) == 2 and slurm.jobs()))
    slurm.call("scancel", slurm.jobs()[0])
    more_rows()
    slurm.order("kill-node")
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
