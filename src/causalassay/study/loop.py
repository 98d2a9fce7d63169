"""The loop that keeps an executor busy and turns whatever comes back into records."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator

import numpy as np

from causalassay.study.batching import Batch, Batcher, batch_limits
from causalassay.study.plan import Record, Status, Study, Task, sent_back
from causalassay.study.processes.executor import Executor, Loss

TRIES = 3
"""How often a task may lose its process before it is to blame: others may have killed it."""

QUEUED = 3
"""Batches in flight for each worker: enough to keep it busy, few enough to lose."""

_SAVE_EVERY = 0.5
_SAVE_AT_MOST = 500
_WAIT = 0.2


def run_tasks(
    study: Study,
    tasks: Iterator[Task],
    executor: Executor,
    save: Callable[[list[Record]], None],
) -> None:
    """Run tasks until there are none left, saving records as they come.

    On an exception, Ctrl-C included, what has come back is saved before it goes on its way.

    Parameters
    ----------
    study : Study
    tasks : iterator of Task
    executor : Executor
    save : callable
        Takes a list of records; called twice a second or so.
    """
    flight = _Flight(study, tasks, executor)
    saved = time.monotonic()
    try:
        while flight.launch():
            flight.land()
            late = time.monotonic() - saved > _SAVE_EVERY
            if late or len(flight.records) >= _SAVE_AT_MOST:
                save(flight.take_records())
                saved = time.monotonic()
    finally:
        save(flight.take_records())


class _Flight:
    """The batches that are under way, and what has become of them."""

    def __init__(self, study: Study, tasks: Iterator[Task], executor: Executor) -> None:
        self.records: list[Record] = []
        self._study = study
        self._batcher = Batcher(tasks)
        self._executor = executor
        self._again: deque[Batch] = deque()
        self._lost: Counter[Task] = Counter()
        self._flying = 0

    def launch(self) -> bool:
        """Submit what there is room for; False once nothing is left or under way."""
        while self._flying < QUEUED * max(self._executor.workers, 1):
            batch = self._again.popleft() if self._again else None
            batch = batch or self._batcher.next(self._executor.batch_seconds)
            if not batch:
                break
            self._executor.submit(batch, batch_limits(self._study, batch))
            self._flying += 1
        return self._flying > 0

    def land(self) -> None:
        """Wait a little and take in what has ended."""
        for batch, outcome in self._executor.completed(_WAIT):
            self._flying -= 1
            if isinstance(outcome, Loss):
                self._lose(batch, outcome)
                continue
            for record in outcome:
                self._batcher.observe(record)
                self.records.append(record)

    def take_records(self) -> list[Record]:
        """Return the records that have come since the last time."""
        taken, self.records = self.records, []
        return taken

    def _lose(self, batch: Batch, loss: Loss) -> None:
        """Try the tasks of a lost batch apart; one that is lost alone, and again, has failed."""
        if len(batch) > 1:
            self._again.extend((task,) for task in batch)
            return
        (task,) = batch
        self._lost[task] += 1
        if loss.cause == "crashed" and self._lost[task] < TRIES:
            self._again.append(batch)
            return
        status: Status = "timeout" if loss.cause == "timeout" else "failed"
        undefined = (np.nan,) * len(task.metrics)
        self.records.append(Record(sent_back(task), status, loss.reason, scores=undefined))
