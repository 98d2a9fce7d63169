"""Runs batches on a dask cluster whose workers are jobs of Slurm, which it submits itself."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from causalassay.common.registry import install_line
from causalassay.study.cluster_executor import DaskExecutor
from causalassay.study.plan import Study
from causalassay.study.scratch_folders import ScratchFolders
from causalassay.study.slurm import CORES, SlurmRefused, check_options, present_jobs

try:
    import dask
    from cryptography import x509  # noqa: F401 - what encrypts needs it, and asks for it late
    from dask_jobqueue.slurm import SLURMCluster, SLURMJob
    from distributed import Nanny
except ImportError as error:
    raise ImportError(
        f"jobs of Slurm need dask-jobqueue and cryptography: {install_line('cluster')}"
    ) from error

LOOK_EVERY = 20.0
"""Seconds between two looks whether all jobs are there."""

MOST_FAILURES = 5
"""So many jobs in a row that end before their worker has started are not replaced."""

_HERE = "driver"
_OWN_DIRECTIVES = ("#SBATCH -n ", "#SBATCH --cpus-per-task", "#SBATCH --mem", "#SBATCH -t ")

logger = logging.getLogger(__name__)


@contextmanager
def slurm_workers(
    study: Study,
    options: Sequence[str],
    jobs: int,
    here: int,
    logs: Path,
    scratch: ScratchFolders | None = None,
) -> Iterator[DaskExecutor]:
    """Yield an executor whose dask workers are jobs of Slurm; at the end these are cancelled.

    A job that ends, by its time limit, its node's death or `scancel`, is replaced. What the
    workers and the driver tell each other is encrypted, and others cannot connect.

    Parameters
    ----------
    study : Study
        The study whose tasks are run.
    options : sequence of str
        Of sbatch, for each job.
    jobs : int
        How many.
    here : int
        Processes on this machine, beside the jobs; 0 is none.
    logs : Path
        A folder that all nodes can read, for the logs of the jobs and the keys.
    scratch : ScratchFolders, optional
        Where algorithms keep what is to survive an interruption.
    """
    check_options(options)
    logs.mkdir(parents=True, exist_ok=True)
    with (
        dask.config.set({"distributed.worker.daemon": False}),
        _cluster(options, logs.absolute()) as cluster,
    ):
        if here:
            cluster.worker_spec[_HERE] = _worker_here(cluster, here)
        with _kept_jobs(cluster, jobs, logs):
            executor = DaskExecutor(study, cluster.scheduler_address, cluster.security, scratch)
            with executor:
                yield executor


def _cluster(options: Sequence[str], logs: Path) -> Any:
    """Return a scheduler in this process; sites set its interface in dask's configuration."""
    stated = "jobqueue.slurm."
    prologue = dask.config.get(f"{stated}job-script-prologue", None) or []
    extra = dask.config.get(f"{stated}worker-extra-args", None) or []
    directives = dask.config.get(f"{stated}job-extra-directives", None) or []
    return SLURMCluster(
        # Both are asked for and not used: the job's own cores and memory count.
        cores=1,
        memory="1GB",
        processes=1,
        python=sys.executable,
        job_name="causalassay-worker",
        job_directives_skip=_OWN_DIRECTIVES,
        job_extra_directives=[*directives, *options],
        job_script_prologue=[*prologue, "export DASK_DISTRIBUTED__WORKER__DAEMON=False"],
        worker_extra_args=[*extra, "--nthreads", CORES, "--memory-limit", "0", "--no-dashboard"],
        local_directory='"${SLURM_TMPDIR:-${TMPDIR:-/tmp}}"',
        log_directory=str(logs),
        scheduler_options={"dashboard": False, "dashboard_address": None},
        security=True,
        shared_temp_directory=str(logs),
    )


def _worker_here(cluster: Any, threads: int) -> dict[str, Any]:
    """Return a dask worker of this machine, in the form in which a cluster has its workers."""
    options = {
        "nthreads": threads,
        "memory_limit": 0,
        "security": cluster.security,
        "protocol": "tls://",
        "interface": dask.config.get("jobqueue.slurm.interface", None),
        "dashboard": False,
    }
    return {"cls": Nanny, "options": options}


class _Keeper:
    """Submits jobs until there are enough, and again when some have ended."""

    def __init__(self, cluster: Any, jobs: int, logs: Path) -> None:
        self._cluster = cluster
        self._jobs = jobs
        self._logs = logs
        self._failures = 0
        self._started: set[str] = set()

    def look(self) -> None:
        """Replace the jobs that are gone."""
        workers = self._cluster.workers
        self._started |= {
            worker["name"] for worker in self._cluster.scheduler_info["workers"].values()
        }
        jobs = {name: job for name, job in workers.items() if isinstance(job, SLURMJob)}
        present = present_jobs() if jobs else set()
        for name, job in jobs.items():
            if job.job_id in present:
                continue
            self._failures = 0 if name in self._started else self._failures + 1
            self._started.discard(name)
            workers.pop(name, None)
            self._cluster.worker_spec.pop(name, None)
        if self._failures < MOST_FAILURES:
            while (
                len(self._cluster.worker_spec) - (_HERE in self._cluster.worker_spec) < self._jobs
            ):
                self._cluster.worker_spec.update(self._cluster.new_worker_spec())
        elif self._failures == MOST_FAILURES:
            self._failures += 1
            logger.warning(
                "%d jobs in a row ended before they could work, so no more are submitted; "
                "their logs in %s say why",
                MOST_FAILURES,
                self._logs,
            )
        # What `scale` calls, too; but from there its errors would reach nobody.
        self._cluster.sync(self._cluster._correct_state)


@contextmanager
def _kept_jobs(cluster: Any, jobs: int, logs: Path) -> Iterator[None]:
    keeper, ended = _Keeper(cluster, jobs, logs), threading.Event()

    def keep() -> None:
        complaint = ""
        while not ended.wait(LOOK_EVERY):
            try:
                keeper.look()
                complaint = ""
            except (RuntimeError, OSError, SlurmRefused) as error:
                if str(error) != complaint:  # once, however long it lasts
                    complaint = str(error)
                    logger.warning("a job could not be submitted: %s", complaint)

    try:
        keeper.look()
    except RuntimeError as error:  # of dask-jobqueue, with what sbatch says
        raise SlurmRefused(f"a job could not be submitted: {error}") from error
    thread = threading.Thread(target=keep, name="slurm-jobs", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(LOOK_EVERY)
