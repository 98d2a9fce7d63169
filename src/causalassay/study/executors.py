"""What runs batches of tasks, here or on a cluster, and how a batch can be lost."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, Self

from causalassay.processes.launcher import Launcher
from causalassay.processes.limits import Limits, Loss, NoWorkers
from causalassay.processes.resources import NO_NEEDS, Needs, cards
from causalassay.processes.stages import Work
from causalassay.processes.supervisor import Supervisor, memory_share
from causalassay.processes.worker import shared_folder
from causalassay.study.kernel_marks import algorithm_jobs, is_ready, n_under_way
from causalassay.study.plan import Batch, Record, Study
from causalassay.study.programs import for_workers, main_module
from causalassay.study.scratch_folders import ScratchFolders
from causalassay.study.worker.algorithm_process import SERVER
from causalassay.study.worker.batch_runner import (
    measuring_jobs,
    run_batch,
    scoring_jobs,
    start_worker,
)
from causalassay.study.worker.discovering import BlindDiscovery

Outcome = list[Record] | Loss


@dataclass(frozen=True)
class Compiling:
    """How far the compiling of kernels is: it happens once for each installation.

    Parameters
    ----------
    ready, total : int
        Jobs, such as the kernels of one algorithm, that were not ready when the run began.
    """

    ready: int
    total: int


class Executor(Protocol):
    """Runs batches of tasks in other processes.

    It is a context manager: leaving it ends every process it started, also
    after an exception or Ctrl-C.
    """

    @property
    def workers(self) -> int:
        """How many batches run at once; on a cluster this changes."""

    @property
    def batch_seconds(self) -> float:
        """How much work to put into one batch."""

    @property
    def compiling(self) -> Compiling | None:
        """How far the compiling of kernels is; None while none are compiled, or not known."""

    @property
    def scratch(self) -> ScratchFolders | None:
        """Where algorithms keep what is to survive an interruption; None for nowhere."""

    @property
    def at_work(self) -> list[Work]:
        """Which tasks run now (`plan.task_place`); empty where that is not known."""

    def submit(self, batch: Batch, limits: Limits, needs: Needs = NO_NEEDS) -> None:
        """Put a batch at the end of the queue; it runs once what it needs is free."""

    def completed(self, timeout: float) -> list[tuple[Batch, Outcome]]:
        """Return the batches that have ended since the last call; wait for one so many seconds.

        Raises
        ------
        NoWorkers
            If no process can be started.
        ConnectionError
            If a cluster is gone.
        """

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


# Runs batches in processes of this machine.


class LocalExecutor:
    """Run batches in supervised processes; see `Executor`.

    Parameters
    ----------
    study : Study
        The study whose tasks are run.
    workers : int
        The number of processes.
    scratch : ScratchFolders, optional
        Where algorithms keep what is to survive an interruption.
    on_start : callable, optional
        Called with the id of each process that is ready, from another thread.
    """

    batch_seconds = 0.05

    def __init__(
        self,
        study: Study,
        workers: int,
        scratch: ScratchFolders | None = None,
        *,
        on_start: Callable[[int], None] | None = None,
    ) -> None:
        self.workers = workers
        self.scratch = scratch
        self._cold = tuple(job for job in _kernel_jobs(study) if not is_ready(job))
        self._opening = study_workers(for_workers(study), workers, scratch, on_start)
        self._begun = False
        self._ended: queue.SimpleQueue[tuple[Batch, Future[Outcome]]] = queue.SimpleQueue()

    def __enter__(self) -> Self:
        self._supervisor = self._opening.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._opening.__exit__(*error)

    @property
    def compiling(self) -> Compiling | None:
        """How far kernels are: before the first task has ended, and while some are compiled."""
        if not self._cold or (self._begun and not n_under_way(self._supervisor.folder)):
            return None
        return Compiling(sum(map(is_ready, self._cold)), len(self._cold))

    @property
    def at_work(self) -> list[Work]:
        """Which tasks run now."""
        return self._supervisor.at_work()

    def submit(self, batch: Batch, limits: Limits, needs: Needs = NO_NEEDS) -> None:
        """Put a batch at the end of the queue."""
        future = self._supervisor.submit(run_batch, batch, limits, needs)
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
def study_workers(
    study: Study,
    workers: int,
    scratch: ScratchFolders | None = None,
    on_start: Callable[[int], None] | None = None,
) -> Iterator[Supervisor]:
    """Yield a supervisor whose workers can run batches of a study for workers."""
    arguments = (study, memory_share(workers), main_module(), scratch)
    with Supervisor(
        workers, start_study_worker, arguments, on_start=on_start, cards=cards_for(study)
    ) as running:
        yield running


def cards_for(study: Study) -> tuple[str, ...]:
    """Return the graphics cards of this machine, if an algorithm of a study needs one."""
    return cards() if any(entry.needs.gpus for entry in study.algorithms) else ()


def start_study_worker(
    study: Study, memory: int, main: Mapping[str, Any], scratch: ScratchFolders | None
) -> None:
    """Prepare a worker to run batches of a study for workers.

    Parameters
    ----------
    study : Study
    memory : int
        Bytes that an algorithm may hold whose limits state none.
    main : mapping
        How to import the driver's script.
    scratch : ScratchFolders, optional
        Where algorithms keep what is to survive an interruption.
    """
    shared = shared_folder()
    launcher = Launcher(shared, SERVER)
    launcher.prepare()
    start_worker(study, BlindDiscovery(launcher, memory, main, shared), shared, scratch)


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
