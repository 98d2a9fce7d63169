"""Runs batches on a dask cluster: each of its workers has a supervised pool."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import multiprocessing
import pickle
import platform
import queue
import threading
import time
import uuid
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Self

from causalassay.common.registry import install_line
from causalassay.processes.limits import Limits, Loss, NoWorkers
from causalassay.processes.resources import NO_NEEDS, Needs
from causalassay.processes.stages import Work
from causalassay.processes.supervisor import CLOSED, Supervisor
from causalassay.study.executors import Compiling, Outcome, cards_for, checked, study_workers
from causalassay.study.keys import digest
from causalassay.study.plan import Batch, Study
from causalassay.study.programs import for_workers
from causalassay.study.scratch_folders import ScratchFolders
from causalassay.study.worker.batch_runner import run_batch

try:
    from distributed import Client, KilledWorker, WorkerPlugin, get_worker
except ImportError as error:
    raise ImportError(f"a cluster needs dask.distributed: {install_line('cluster')}") from error

CONNECT_SECONDS = 10.0

CARDS = "causalassay-cards"
"""What dask calls the graphics cards of a worker, which are among its resources."""

_COUNT_EVERY = 2.0
_DAEMON = (
    "the dask worker is a daemonic process, which cannot start others; "
    "start it with DASK_DISTRIBUTED__WORKER__DAEMON=False dask worker ..., or with --no-nanny"
)

_LEAVING = Loss("pool", CLOSED)
_FORGOTTEN = Loss("pool", "the dask scheduler has forgotten it")
"""Of a batch that nobody cancelled: so it goes on a busy machine when a request for an answer
crosses the death of the worker that held it, or when the connection breaks for a moment."""

DaskFuture = Any
"""Dask's own future, as far as its untyped methods are typed."""

logger = logging.getLogger(__name__)


class DaskExecutor:
    """Run batches on a dask cluster; see `Executor`.

    Parameters
    ----------
    study : Study
        The study whose tasks are run.
    address : str
        Of the scheduler: ``tcp://HOST:8786``.
    security : optional
        Keys and certificates, as dask has them, of a scheduler that encrypts.
    scratch : ScratchFolders, optional
        Where algorithms keep what is to survive an interruption; each worker has its own where
        the machines share no such folder.
    """

    batch_seconds = 1.0

    def __init__(
        self,
        study: Study,
        address: str,
        security: Any = None,
        scratch: ScratchFolders | None = None,
    ) -> None:
        self.scratch = scratch
        name = f"causalassay-{digest(study)}"
        self._plugin = StudyPlugin(for_workers(study), name, versions(), scratch)
        self._address = address
        self._security = security
        self._run = uuid.uuid4().hex
        self._numbers = itertools.count()
        self._submitted: dict[DaskFuture, tuple[Batch, Limits, Needs]] = {}
        self._ended: queue.SimpleQueue[DaskFuture] = queue.SimpleQueue()
        self._counted: tuple[float, int] | None = None
        # Whether there has been a dask worker with a card; those that there were when tasks
        # waited for one; and when that was.
        self._had_cards = False
        self._card_workers: set[str] = set()
        self._looked = 0.0

    def __enter__(self) -> Self:
        try:
            self._client: Any = Client(  # type: ignore[no-untyped-call]
                self._address,
                timeout=CONNECT_SECONDS,
                set_as_default=False,
                name="causalassay",
                security=self._security,
            )
        except (OSError, ValueError) as error:
            raise ConnectionError(
                f"no dask scheduler answers at {self._address!r}: {error}; "
                "start one with `dask scheduler` and pass the address it prints"
            ) from error
        try:
            self._scheduler = self._scheduler_id()
            self._send_study()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._client.status == "running":
            with contextlib.suppress(Exception):
                self._client.cancel(list(self._submitted))
                self._client.unregister_worker_plugin(self._plugin.name)
        self._client.close(timeout=2)

    @property
    def workers(self) -> int:
        """The threads of all dask workers; asked for every other second."""
        now = time.monotonic()
        if self._counted is None or now - self._counted[0] > _COUNT_EVERY:
            with contextlib.suppress(OSError):
                self._counted = now, sum(self._client.nthreads().values())
                if self._counted[1] == 0:
                    logger.warning("no dask worker at %s; waiting for one", self._address)
        # With none, something must wait in the queue for the first to come.
        return max(1, 0 if self._counted is None else self._counted[1])

    @property
    def compiling(self) -> Compiling | None:
        """Not known here: the workers compile where they are."""
        return None

    @property
    def at_work(self) -> list[Work]:
        """Not known here: the supervisors of the tasks are elsewhere."""
        return []

    def submit(self, batch: Batch, limits: Limits, needs: Needs = NO_NEEDS) -> None:
        """Put a batch at the end of the queue.

        One that needs a card goes to a dask worker with cards, if there has been any: where that
        one is lost for a while, the batch waits for it, as all do when there is no dask worker.
        """
        # As bytes: the scheduler would otherwise read and hold each task.
        payload = pickle.dumps((batch, limits, needs), protocol=5)
        key = f"causalassay-{self._run}-{next(self._numbers)}"
        try:
            reserved = {CARDS: float(needs.gpus)} if needs.gpus and self._has_cards() else None
            future = self._client.submit(
                _run, self._plugin.name, payload, key=key, pure=False, resources=reserved
            )
        except Exception as error:
            raise self._disconnected() from error
        self._submitted[future] = batch, limits, needs
        future.add_done_callback(self._ended.put)

    def completed(self, timeout: float) -> list[tuple[Batch, Outcome]]:
        """Return the batches that have ended since the last call; wait for one so many seconds."""
        self._send_waiting_again()
        ended: list[DaskFuture] = []
        with contextlib.suppress(queue.Empty):
            ended.append(self._ended.get(timeout=timeout))
            while True:
                ended.append(self._ended.get_nowait())
        if self._client.status != "running":
            raise self._disconnected()
        outcomes: list[tuple[Batch, Outcome]] = []
        for future, outcome in self._gather(ended):
            batch, limits, needs = self._submitted.pop(future)
            if outcome in (_LEAVING, _FORGOTTEN):
                self.submit(batch, limits, needs)
            else:
                outcomes.append((batch, checked(outcome)))
        return outcomes

    def _gather(self, ended: list[DaskFuture]) -> list[tuple[DaskFuture, Outcome]]:
        """Return what came of futures; one that is under way again will be back."""
        finished = {future.key: future for future in ended if future.status == "finished"}
        try:
            answers: dict[str, Outcome] = self._client.gather(finished, errors="skip")
        except OSError as error:
            raise self._disconnected() from error
        outcomes: list[tuple[DaskFuture, Outcome]] = []
        for future in ended:
            if future.key in answers:
                outcomes.append((future, answers[future.key]))
            elif future.status == "error":
                outcomes.append((future, _failed(future.exception())))
            elif future.status == "cancelled":
                if self._scheduler_id() != self._scheduler:
                    raise self._disconnected()
                outcomes.append((future, _FORGOTTEN))
            else:  # its answer went with the dask worker that held it: dask computes it again
                future.add_done_callback(self._ended.put)
        return outcomes

    def _scheduler_id(self) -> str:
        """Return the name of the scheduler that answers: one that was started anew has another."""
        try:
            return str(self._client.sync(self._client.scheduler.identity)["id"])
        except OSError as error:
            raise self._disconnected() from error

    def _has_cards(self) -> bool:
        """Return whether a dask worker has a graphics card, or one that was there had."""
        if self._with_cards():
            self._had_cards = True
        elif self._had_cards:
            logger.warning("no dask worker with a card at %s; waiting for one", self._address)
        return self._had_cards

    def _with_cards(self) -> set[str]:
        """Return the addresses of the dask workers that have a graphics card."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        return {address for address, worker in workers.items() if worker["resources"].get(CARDS)}

    def _send_waiting_again(self) -> None:
        """Send batches that wait for a card again when a dask worker with one has come.

        Dask gives waiting tasks to a worker when it joins, but its cards are known only when it
        has the study, a moment later: the tasks would wait on.
        """
        waiting = [future for future, (_, _, needs) in self._submitted.items() if needs.gpus]
        now = time.monotonic()
        if not waiting or now - self._looked < _COUNT_EVERY:
            return
        self._looked = now
        with contextlib.suppress(OSError):
            before, self._card_workers = self._card_workers, self._with_cards()
            if self._card_workers <= before:
                return
            given = {key for keys in self._client.processing().values() for key in keys}
            for future in waiting:
                if future.status == "pending" and future.key not in given:
                    future.cancel()  # what is cancelled is submitted again

    def _send_study(self) -> None:
        try:
            self._client.register_plugin(self._plugin, name=self._plugin.name)
            complaints = self._client.run(_complaint, self._plugin.name)
        except OSError as error:
            raise self._disconnected() from error
        except Exception as error:
            raise NoWorkers(
                f"a dask worker at {self._address} cannot load the study: "
                f"{type(error).__name__}: {error}; install the same packages there as here"
            ) from error
        for address, complaint in complaints.items():
            if complaint:
                raise NoWorkers(f"{address}: {complaint}")

    def _disconnected(self) -> ConnectionError:
        return ConnectionError(
            f"the connection to the dask scheduler at {self._address} is lost; "
            "what has come back is kept: see that the scheduler runs and call the same again"
        )


class StudyPlugin(WorkerPlugin):
    """The study on one dask worker, with the pool that runs it there.

    Dask gives it to the workers that are there and to those that join later.

    Parameters
    ----------
    study : Study
        As workers get it (`worker_study`).
    name : str
        The same for each run of the study.
    expected : mapping
        The versions of the driver's packages.
    scratch : ScratchFolders, optional
        Where algorithms keep what is to survive an interruption.
    """

    def __init__(
        self,
        study: Study,
        name: str,
        expected: dict[str, str],
        scratch: ScratchFolders | None = None,
    ) -> None:
        self.name = name
        self._scratch = scratch
        self._study = study
        self._expected = expected
        self._pool: _LazyPool | None = None

    async def setup(self, worker: Any) -> None:
        """Prepare a pool on a dask worker; its processes start with the first batch.

        The scheduler is told how many cards it has, so that tasks which need one come here.
        """
        self._pool = _LazyPool(worker.state.nthreads, threading.Lock(), ExitStack(), self._scratch)
        if n_cards := len(await asyncio.to_thread(cards_for, self._study)):
            await worker.set_resources(**{CARDS: n_cards})

    async def teardown(self, worker: Any) -> None:  # noqa: ARG002 - dask's signature
        """End the processes."""
        if self._pool is not None:
            await asyncio.to_thread(self._pool.close)

    def complaint(self) -> str:
        """Return why this dask worker cannot run the study; empty if it can."""
        if multiprocessing.current_process().daemon:
            return _DAEMON
        here = versions()
        other = [
            f"{name} {here[name]} (the driver has {wanted})"
            for name, wanted in self._expected.items()
            if here[name] != wanted
        ]
        if other:
            return f"rows could differ, since it has {', '.join(other)}; install the same versions"
        return ""

    def run(self, batch: Batch, limits: Limits, needs: Needs = NO_NEEDS) -> Outcome:
        """Return the records of a batch, or why there are none."""
        if complaint := self.complaint():
            return Loss("pool", complaint)
        if self._pool is None:
            return Loss("pool", "the dask worker has no pool for the study")
        outcome: Outcome = self._pool.run(self._study, batch, limits, needs)
        return outcome


@dataclass
class _LazyPool:
    """The pool of one study on one dask worker, started when it is first needed."""

    threads: int
    lock: threading.Lock
    stack: ExitStack
    scratch: ScratchFolders | None = None
    pool: Supervisor | None = None
    closed: bool = False

    def run(self, study: Study, batch: Batch, limits: Limits, needs: Needs) -> Outcome:
        with self.lock:
            if self.closed:
                return Loss("pool", CLOSED)
            if self.pool is None:
                self.pool = self._open(study)
            future = self.pool.submit(run_batch, batch, limits, needs)
        return future.result()

    def close(self) -> None:
        with self.lock:
            self.closed = True
            self.stack.close()

    def _open(self, study: Study) -> Supervisor:
        return self.stack.enter_context(study_workers(study, self.threads, self.scratch))


def versions() -> dict[str, str]:
    """Return the versions on which numbers depend, by package.

    Examples
    --------
    >>> sorted(versions())
    ['causalassay', 'numba', 'numpy', 'python', 'scipy']
    """
    python = ".".join(platform.python_version_tuple()[:2])
    packages = ("causalassay", "numba", "numpy", "scipy")
    return {"python": python} | {name: version(name) for name in packages}


def _run(name: str, payload: bytes) -> Outcome:
    """Run a batch on a dask worker, in one of its threads; never raises."""
    try:
        plugin = get_worker().plugins.get(name)
        if not isinstance(plugin, StudyPlugin):
            return Loss("pool", "the dask worker has lost the study: did another run of it end?")
        return plugin.run(*pickle.loads(payload))
    except Exception as error:
        return Loss("pool", f"{type(error).__name__}: {error}")


def _complaint(name: str, dask_worker: Any) -> str:
    plugin = dask_worker.plugins.get(name)
    return plugin.complaint() if isinstance(plugin, StudyPlugin) else ""


def _failed(error: BaseException | None) -> Outcome:
    if isinstance(error, KilledWorker):
        return Loss("crashed", "crashed: the dask workers that ran it died")
    return Loss("pool", f"{type(error).__name__}: {error}")
