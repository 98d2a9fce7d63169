"""Runs a study: opens its store, tunes, runs what is left, and notes how it ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from causalassay.metrics.registry import METRICS
from causalassay.study.dispatch import run_tasks
from causalassay.study.kernel_marks import ready_before_others
from causalassay.study.pending_tasks import pending_tasks
from causalassay.study.plan import Purpose, Study
from causalassay.study.processes.executor import Compiling, Executor
from causalassay.study.storage import Store
from causalassay.study.tasks import Record, RunTask, Status
from causalassay.study.tuning import best_candidate


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


def run_study(
    study: Study,
    folder: Path,
    executor: AbstractContextManager[Executor],
    *,
    retry: Collection[Status | Literal["damaged"]] = (),
    watch: Watch = lambda _: None,
    notify: Callable[[str], None] = lambda _: None,
) -> Counter[str]:
    """Run what is left of a study and return the number of rows by status.

    Rows are kept as they come: after a crash, a kill or Ctrl-C the same call
    goes on where the last one stopped.

    Parameters
    ----------
    study : Study
    folder : Path
        Where the store is, or is to be.
    executor : context manager of Executor
        Entered once the store has been opened, so that a refusal starts no process.
    retry : collection of status, or "damaged"
        Rows of these statuses are deleted first, to be run again, or those that are not as
        they were written.
    watch : callable
        Called with the progress.
    notify : callable
        Called with a sentence for the user, such as that versions have changed.
    """
    statuses = [status for status in retry if status != "damaged"]
    with Store.open(folder, study, drop_damaged="damaged" in retry) as store:
        if statuses:
            store.forget(statuses)
        if changed := store.earlier_machines():
            notify(
                f"earlier rows come from another machine or other versions ({'; '.join(changed)}): "
                "new rows may differ from them in the last bits"
            )
        ended = "failed"
        try:
            with executor as running:
                if any(entry.tuning for entry in study.algorithms):
                    _run_purpose(study, store, running, "tuning", watch)
                    _choose(study, store)
                _run_purpose(study, store, running, "main", watch)
            ended = "completed"
        except KeyboardInterrupt:
            ended = "interrupted"
            raise
        finally:
            store.finish(ended)
        return Counter(store.counts("main"))


def _run_purpose(
    study: Study, store: Store, executor: Executor, purpose: Purpose, watch: Watch
) -> None:
    counts = Counter(store.counts(purpose))
    reasons = Counter(store.reasons(purpose))
    total, new = study.n_tasks[purpose], 0

    def show() -> None:
        watch(Progress(purpose, total, counts.copy(), new, reasons, executor.compiling))

    def save(records: list[Record]) -> None:
        nonlocal new
        if records:
            store.save(records)
            new += len(records)
            rows = [record for record in records if isinstance(record.task, RunTask)]
            counts.update(record.status for record in rows)
            reasons.update(record.reason for record in rows if record.status != "ok")
        show()

    show()
    at_once = ready_before_others(study)
    run_tasks(study, pending_tasks(study, store, purpose, at_once), executor, save)


def _choose(study: Study, store: Store) -> None:
    """Choose the candidate of each tuned algorithm on each problem; a choice once made stays."""
    for algorithm, entry in enumerate(study.algorithms):
        if entry.tuning is None:
            continue
        tuning = entry.tuning
        better = METRICS[study.metrics[tuning.criterion].name].better
        for problem in range(len(study.problems)):
            if store.choice(problem, algorithm) is not None:
                continue
            scores = [
                store.criterion(problem, candidate, tuning.criterion, tuning.systems)
                for candidate in tuning.candidates
            ]
            best, value = best_candidate(scores, better, tuning.statistic)
            store.choose(problem, algorithm, tuning.candidates[best], value)
