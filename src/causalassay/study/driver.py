"""Runs a study: opens its store, tunes, runs what is left, and notes how it ended."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np

from causalassay.common.spelling import did_you_mean
from causalassay.present.formatting import counted
from causalassay.processes.limits import Loss
from causalassay.processes.resources import Needs
from causalassay.study.executors import Compiling, Executor
from causalassay.study.kernel_marks import ready_before_others
from causalassay.study.pending import pending_calls, pending_tasks
from causalassay.study.plan import (
    Batch,
    Batcher,
    Purpose,
    Record,
    RunTask,
    Statistic,
    Status,
    Study,
    Task,
    batch_limits,
    is_batched,
    is_call,
    task_needs,
    tried_apart,
)
from causalassay.study.storage import Store
from causalassay.study.storage.running import RunningFile, RunningTask


@dataclass(frozen=True)
class Progress:
    """Where a run stands.

    Parameters
    ----------
    purpose : {"main", "tuning"}
    total : int
        Rows of this purpose in the plan.
    counts : mapping
        Rows by status, those of earlier runs included.
    new : int
        Records of this run and purpose: rows, new numbers of old rows, problems measured.
    reasons : mapping
        Rows that are not ok by their reason, those of earlier runs included.
    compiling : Compiling, optional
        While kernels are compiled, how far that is.
    """

    purpose: Purpose
    total: int
    counts: Counter[str]
    new: int
    reasons: Counter[str] = field(default_factory=Counter)
    compiling: Compiling | None = None

    @property
    def done(self) -> int:
        """Rows that are stored."""
        return sum(self.counts.values())


Watch = Callable[[Progress], None]


def run_study(  # noqa: PLR0913  most of them have defaults
    study: Study,
    folder: Path,
    executor: AbstractContextManager[Executor],
    *,
    retry: Collection[Status | Literal["damaged"]] = (),
    again: Collection[str] = (),
    watch: Watch = lambda _: None,
    notify: Callable[[str], None] = lambda _: None,
) -> Counter[str]:
    """Run what is left of a study and return the number of rows by status.

    Rows are kept as they come: after a crash, a kill or Ctrl-C the same call
    goes on where the last one stopped.

    Parameters
    ----------
    study : Study
        What to run.
    folder : Path
        Where the store is, or is to be.
    executor : context manager of Executor
        Entered once the store has been opened, so that a refusal starts no process.
    retry : collection of status, or "damaged"
        Rows of these statuses are deleted first, to be run again, or those that are not as
        they were written.
    again : collection of str
        Names of algorithms whose rows are computed again (see `algorithms_named`). Each row
        stays until its new one comes; what an interruption leaves, the next call computes.
    watch : callable
        Called with the progress.
    notify : callable
        Called with a sentence for the user, such as that versions have changed.
    """
    statuses = [status for status in retry if status != "damaged"]
    outdated = algorithms_named(study, again)
    with Store.open(folder, study, drop_damaged="damaged" in retry) as store:
        if statuses:
            store.forget(statuses)
        if outdated:
            store.mark_outdated(outdated)
        running_file = RunningFile(folder)
        if changed := store.earlier_machines():
            notify(
                f"earlier rows come from another machine or other versions ({'; '.join(changed)}): "
                "new rows may differ from them in the last bits"
            )
        ended = "failed"
        try:
            with executor as running:
                if outdated and running.scratch is not None:
                    running.scratch.forget(study, outdated)
                for name, threads in _wide(study, running.workers):
                    notify(
                        f"{name} computes with {threads} threads on "
                        f"{counted(running.workers, 'worker')}: each of its tasks runs alone"
                    )

                def show(progress: Progress, executor: Executor = running) -> None:
                    watch(progress)
                    running_file.show(_running_tasks(study, executor))

                if any(entry.tuning for entry in study.algorithms):
                    _run_purpose(study, store, running, "tuning", show)
                    choose_candidates(study, store)
                _run_purpose(study, store, running, "main", show)
            store.remove_marks()
            ended = "completed"
        except KeyboardInterrupt:
            ended = "interrupted"
            raise
        finally:
            running_file.close()
            store.finish(ended)
        return Counter(store.counts("main"))


def algorithms_named(study: Study, names: Iterable[str]) -> tuple[int, ...]:
    """Return the indices of the algorithms with some names, and of the candidates of tuned ones.

    Parameters
    ----------
    study : Study
    names : iterable of str
        As tables have them, or as the registry has them: then of all with these names.

    Raises
    ------
    ValueError
        If the study has no such algorithm.
    """
    indices: dict[int, None] = {}
    for name in names:
        entries = [(index, study.algorithms[index]) for index in study.listed]
        called = [(index, entry) for index, entry in entries if entry.name == name]
        called = called or [(index, entry) for index, entry in entries if entry.use == name]
        if not called:
            known = [entry.name for _, entry in entries]
            raise ValueError(
                f"the study has no algorithm {name!r} to compute again; {did_you_mean(name, known)}"
            )
        for index, entry in called:
            tuned = () if entry.tuning is None else entry.tuning.candidates
            indices |= dict.fromkeys((index, *tuned))
    return tuple(indices)


def _running_tasks(study: Study, executor: Executor) -> list[RunningTask]:
    """Return the tasks that run now, as people call them."""
    tasks = []
    for (tuning, problem, replicate, algorithm, run), since in executor.at_work:
        purpose: Purpose = "tuning" if tuning else "main"
        name, scratch = "", ""
        if algorithm >= 0:
            name = study.algorithms[algorithm].name
        if algorithm >= 0 and executor.scratch is not None:
            task = RunTask(purpose, problem, replicate, algorithm, run, ())
            scratch = executor.scratch.path_of_task(study, task)
        where = study.problems[problem].name
        tasks.append(RunningTask(name, where, replicate, purpose, since, scratch))
    return tasks


def _wide(study: Study, workers: int) -> list[tuple[str, int]]:
    """Return the algorithms with more threads than there are workers."""
    named = [(entry.name, entry.needs.threads) for entry in study.algorithms]
    return [(name, threads) for name, threads in named if threads > workers]


def _run_purpose(
    study: Study, store: Store, executor: Executor, purpose: Purpose, watch: Watch
) -> None:
    counts, reasons = _counts(store, purpose)
    total, new = study.n_tasks[purpose], 0

    def show() -> None:
        watch(Progress(purpose, total, counts.copy(), new, reasons, executor.compiling))

    def save(records: list[Record]) -> None:
        nonlocal new
        if records:
            store.save(records)
            new += len(records)
            rows = [record for record in records if isinstance(record.task, RunTask)]
            if executor.scratch is not None:
                done = (record.task for record in records if record.status == "ok")
                executor.scratch.remove(study, (t for t in done if isinstance(t, RunTask)))
            counts.update(record.status for record in rows)
            reasons.update(record.reason for record in rows if record.status != "ok")
        show()

    show()
    at_once = ready_before_others(study)
    tasks, calls = pending_tasks(study, store, purpose, at_once), pending_calls
    run_tasks(study, tasks, executor, save, calls(study, store, purpose))
    if any(entry.own is not None for entry in study.metrics):
        # Runs that were lost with a metric of one's own were repeated without: it comes now.
        tasks = pending_tasks(study, store, purpose)
        run_tasks(study, tasks, executor, save, calls(study, store, purpose))


def _counts(store: Store, purpose: Purpose) -> tuple[Counter[str], Counter[str]]:
    """Return how many rows stay as they are, by status and by reason."""
    counts, reasons = Counter(store.counts(purpose)), Counter(store.reasons(purpose))
    for _, status, reason, count in store.outdated(purpose):
        counts[status] -= count
        if status != "ok":
            reasons[reason] -= count
    return counts, +reasons


def choose_candidates(study: Study, store: Store) -> None:
    """Choose the candidate of each tuned algorithm on each problem; a choice once made stays."""
    for algorithm, entry in enumerate(study.algorithms):
        if entry.tuning is None:
            continue
        tuning = entry.tuning
        better = study.metrics[tuning.criterion].metric.better
        for problem in range(len(study.problems)):
            if store.choice(problem, algorithm) is not None:
                continue
            scores = [
                store.criterion(problem, candidate, tuning.criterion, tuning.systems)
                for candidate in tuning.candidates
            ]
            best, value = best_candidate(scores, better, tuning.statistic)
            store.choose(problem, algorithm, tuning.candidates[best], value)


# Keeps an executor busy with batches and turns whatever comes back into records.

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
    calls: Sequence[Iterator[Batch]] = (),
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
    calls : sequence of iterators of Batch
        Tasks that are computed many in one call, each batch a call.
    """
    submitted = _Submitted(study, tasks, calls, executor)
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

    def __init__(
        self,
        study: Study,
        tasks: Iterator[Task],
        calls: Sequence[Iterator[Batch]],
        executor: Executor,
    ) -> None:
        self.records: list[Record] = []
        self._study = study
        self._batcher = Batcher(tasks, partial(task_needs, study))
        self._calls = list(calls)
        self._next_of: dict[Iterator[Batch], Batch] = {}
        self._n_calls: Counter[Needs] = Counter()
        self._executor = executor
        self._retries: deque[Batch] = deque()
        self._losses: Counter[Task] = Counter()
        self._n_under_way: Counter[Needs] = Counter()

    def submit(self) -> bool:
        """Submit what there is room for; False once nothing is left or under way."""
        while batch := self._next_batch():
            needs = task_needs(self._study, batch[0])
            self._executor.submit(batch, batch_limits(self._study, batch), needs)
            self._count(batch, 1)
        return self._n_under_way.total() > 0

    def collect(self) -> None:
        """Wait a little and take in what has ended."""
        for batch, outcome in self._executor.completed(_WAIT):
            self._count(batch, -1)
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
        """Return a batch that there is room for: of the same needs a few are under way."""
        room = QUEUED * max(self._executor.workers, 1)
        full = {
            needs
            for needs, count in self._n_under_way.items()
            if count >= (room if needs.at_most is None else min(room, needs.at_most))
        }
        for batch in self._retries:
            if task_needs(self._study, batch[0]) not in full:
                self._retries.remove(batch)
                return batch
        batch = self._batcher.next(self._executor.batch_seconds, full)
        return batch or self._next_call(full)

    def _next_call(self, full: Set[Needs]) -> Batch:
        """Return a call that there is room for: few are under way, since each has many tasks.

        Other tasks with the same needs come first, so that a study soon has rows of each.
        """
        room = max(self._executor.workers, 1)
        for stream in [*self._calls]:
            call = self._next_of.pop(stream, None) or next(stream, None)
            if call is None:
                self._calls.remove(stream)
                continue
            needs = task_needs(self._study, call[0])
            if needs not in full and self._n_calls[needs] < room:
                return call
            self._next_of[stream] = call
        return ()

    def _count(self, batch: Batch, change: int) -> None:
        """Count what is under way."""
        needs = task_needs(self._study, batch[0])
        self._n_under_way[needs] += change
        if is_batched(self._study, batch[0]):
            self._n_calls[needs] += change

    def _lose(self, batch: Batch, loss: Loss) -> None:
        """Try the tasks of a lost batch apart; one that is lost alone, and again, has failed."""
        if is_call(self._study, batch):
            middle = len(batch) // 2
            self._retries.extend((batch[:middle], batch[middle:]))
            return
        if len(batch) > 1:
            self._retries.extend((task,) for task in batch)
            return
        (task,) = batch
        if parts := tried_apart(self._study, task):
            self._retries.extend((part,) for part in parts)
            return
        self._losses[task] += 1
        if loss.cause == "crashed" and self._losses[task] < TRIES:
            self._retries.append(batch)
            return
        status: Status = "timeout" if loss.cause == "timeout" else "failed"
        self.records.append(Record.without_scores(task, status, loss.reason))


# Hyper-parameters chosen on held-out systems.


def best_candidate(
    scores: Sequence[Sequence[float]], better: str, statistic: Statistic
) -> tuple[int, float]:
    """Return the index of the best candidate and its statistic; of equals the first.

    Parameters
    ----------
    scores : sequence of sequence of float
        Of each candidate on each held-out system; nan (it failed, or the number
        is undefined) counts as worse than any number.
    better : {"high", "low"}
    statistic : {"median", "mean"}

    References
    ----------
    Ormaniec et al. 2024, appendix E.4.

    Examples
    --------
    >>> best_candidate([[0.5, 0.6, 0.7], [0.9, 0.9, float("nan")]], "high", "median")
    (1, 0.9)
    >>> best_candidate([[0.5, 0.6, 0.7], [0.9, 0.9, float("nan")]], "high", "mean")
    (0, 0.6)
    """
    sign = 1.0 if better == "high" else -1.0
    middle: Callable[..., np.floating] = np.median if statistic == "median" else np.mean
    signed = [np.nan_to_num(sign * np.asarray(row, dtype=float), nan=-np.inf) for row in scores]
    # Equal infinities have the difference nan in a mean or median; the worst stays the worst.
    with np.errstate(invalid="ignore"):
        values = [float(middle(row)) for row in signed]
    values = [-np.inf if np.isnan(value) else value for value in values]
    best = int(np.argmax(values))
    return best, sign * values[best]
