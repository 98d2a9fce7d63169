"""Keeps an executor busy with batches and turns whatever comes back into records."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator

from causalassay.study.batching import Batch, Batcher, batch_limits
from causalassay.study.plan import Study
from causalassay.study.processes.executor import Executor, Loss
from causalassay.study.tasks import Record, Status, Task

TRIES = 3
"""How often a task may lose its process before it is to blame: others may have killed it."""

QUEUED = 3
"""Batches submitted for each worker: enough to keep it busy, few enough to lose."""

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

    On an exception, Ctrl-C included, what has come back is saved before it is raised again.

    Parameters
    ----------
    study : Study
    tasks : iterator of Task
    executor : Executor
    save : callable
        Takes a list of records; called twice a second or so.
    """
    submitted = _Submitted(study, tasks, executor)
    saved = time.monotonic()
    try:
        while submitted.submit():
            submitted.collect()
            late = time.monotonic() - saved > _SAVE_EVERY
            if late or len(submitted.records) >= _SAVE_AT_MOST:
                save(submitted.take_records())
                saved = time.monotonic()
    finally:
        save(submitted.take_records())


class _Submitted:
    """The batches that are under way, and the records of those that have ended."""

    def __init__(self, study: Study, tasks: Iterator[Task], executor: Executor) -> None:
        self.records: list[Record] = []
        self._study = study
        self._batcher = Batcher(tasks)
        self._executor = executor
        self._retries: deque[Batch] = deque()
        self._losses: Counter[Task] = Counter()
        self._n_under_way = 0

    def submit(self) -> bool:
        """Submit what there is room for; False once nothing is left or under way."""
        while self._n_under_way < QUEUED * max(self._executor.workers, 1):
            batch = self._next_batch()
            if not batch:
                break
            self._executor.submit(batch, batch_limits(self._study, batch))
            self._n_under_way += 1
        return self._n_under_way > 0

    def collect(self) -> None:
        """Wait a little and take in what has ended."""
        for batch, outcome in self._executor.completed(_WAIT):
            self._n_under_way -= 1
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

    def _next_batch(self) -> Batch:
        if self._retries:
            return self._retries.popleft()
        return self._batcher.next(self._executor.batch_seconds)

    def _lose(self, batch: Batch, loss: Loss) -> None:
        """Try the tasks of a lost batch apart; one that is lost alone, and again, has failed."""
        if len(batch) > 1:
            self._retries.extend((task,) for task in batch)
            return
        (task,) = batch
        self._losses[task] += 1
        if loss.cause == "crashed" and self._losses[task] < TRIES:
            self._retries.append(batch)
            return
        status: Status = "timeout" if loss.cause == "timeout" else "failed"
        self.records.append(Record.without_scores(task, status, loss.reason))
