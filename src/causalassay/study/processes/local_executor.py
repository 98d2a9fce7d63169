"""Runs batches in processes of this machine."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, Self

from causalassay.study.kernel_marks import algorithm_jobs, is_ready, n_under_way
from causalassay.study.plan import Limits, Study
from causalassay.study.processes.executor import Batch, Compiling, Loss, NoWorkers, Outcome
from causalassay.study.processes.launcher import Launcher
from causalassay.study.processes.pool import SupervisedPool, memory_share
from causalassay.study.processes.worker_process import pool_folder
from causalassay.study.programs import for_workers, main_module
from causalassay.study.worker.batch_runner import run_batch, start_worker
from causalassay.study.worker.discovering import BlindDiscovery
from causalassay.study.worker.kernel_warming import measuring_jobs, scoring_jobs


class LocalExecutor:
    """Run batches in supervised processes; see `Executor`.

    Parameters
    ----------
    study : Study
    workers : int
    on_start : callable, optional
        Called with the id of each process that is ready, from another thread.
    """

    batch_seconds = 0.05

    def __init__(
        self, study: Study, workers: int, *, on_start: Callable[[int], None] | None = None
    ) -> None:
        self.workers = workers
        self._cold = tuple(job for job in _kernel_jobs(study) if not is_ready(job))
        self._opening = study_pool(for_workers(study), workers, on_start)
        self._begun = False
        self._ended: queue.SimpleQueue[tuple[Batch, Future[Outcome]]] = queue.SimpleQueue()

    def __enter__(self) -> Self:
        self._pool = self._opening.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._opening.__exit__(*error)

    @property
    def compiling(self) -> Compiling | None:
        """How far kernels are: before the first task has ended, and while some are compiled."""
        if not self._cold or (self._begun and not n_under_way(self._pool.folder)):
            return None
        return Compiling(sum(map(is_ready, self._cold)), len(self._cold))

    def submit(self, batch: Batch, limits: Limits) -> None:
        """Put a batch at the end of the queue."""
        future = self._pool.schedule(run_batch, batch, limits)
        future.add_done_callback(lambda ended: self._ended.put((batch, ended)))

    def completed(self, timeout: float) -> list[tuple[Batch, Outcome]]:
        """Return the batches that have ended since the last call; wait for one so many seconds."""
        ended: list[tuple[Batch, Outcome]] = []
        try:
            batch, future = self._ended.get(timeout=timeout)
            while True:
                self._begun = True
                ended.append((batch, checked(future.result())))
                batch, future = self._ended.get_nowait()
        except queue.Empty:
            return ended


@contextmanager
def study_pool(
    study: Study, workers: int, on_start: Callable[[int], None] | None = None
) -> Iterator[SupervisedPool]:
    """Yield a pool whose processes can run batches of a study for workers."""
    arguments = (study, memory_share(workers), main_module())
    with SupervisedPool(workers, start_pool_worker, arguments, on_start=on_start) as pool:
        yield pool


def start_pool_worker(study: Study, memory: int, main: Mapping[str, Any]) -> None:
    """Prepare a process of a pool to run batches of a study for workers.

    Parameters
    ----------
    study : Study
    memory : int
        Bytes that an algorithm may hold whose limits state none.
    main : mapping
        How to import the driver's script.
    """
    shared = pool_folder()
    launcher = Launcher(shared)
    launcher.prepare()
    start_worker(study, BlindDiscovery(launcher, memory, main, shared), shared)


def _kernel_jobs(study: Study) -> list[str]:
    return [*scoring_jobs(study), *measuring_jobs(study), *algorithm_jobs(study)]


def checked(outcome: Outcome) -> Outcome:
    """Return the outcome of a batch unless there was no process to run it.

    Raises
    ------
    NoWorkers
        With the reason.
    """
    if isinstance(outcome, Loss) and outcome.cause == "pool":
        raise NoWorkers(outcome.reason)
    return outcome
