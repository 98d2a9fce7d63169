"""What is left to do: the plan less what the store knows, one problem at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from causalassay.study.plan import Purpose, Study, Task, coordinates


class Known(Protocol):
    """What the store has of one row."""

    @property
    def status(self) -> str:
        """Of the row."""
        ...

    @property
    def metrics(self) -> frozenset[int]:
        """The numbers it has, by their place in the study."""
        ...


class Shelf(Protocol):
    """The part of a store that planning needs."""

    def known(self, purpose: Purpose, problem: int, replicate: int) -> Mapping[int | None, Known]:
        """Return the rows of one problem and replicate, by algorithm."""
        ...

    def estimate(
        self, purpose: Purpose, problem: int, replicate: int, algorithm: int
    ) -> bytes | None:
        """Return a stored estimate."""
        ...

    def choice(self, problem: int, algorithm: int) -> int | None:
        """Return the candidate that a tuning chose."""
        ...


def pending(study: Study, shelf: Shelf, purpose: Purpose) -> Iterator[Task]:
    """Yield the tasks that have no row yet, and those whose row lacks a number.

    The store is asked as the work goes on, so that a plan of 10^6 tasks is
    never in memory.
    """
    wanted = _wanted_metrics(study, purpose)
    for problem, replicate, algorithms in coordinates(study, purpose):
        known = shelf.known(purpose, problem, replicate)
        if purpose == "main":
            measured = known[None].metrics if None in known else frozenset()
            missing = tuple(i for i in range(len(study.diagnostics)) if i not in measured)
            if missing:
                yield Task(purpose, problem, replicate, None, None, missing)
        for place in algorithms:
            run = _run(study, shelf, problem, place)
            row = known.get(place)
            if row is None:
                yield Task(purpose, problem, replicate, place, run, wanted[place])
                continue
            missing = tuple(metric for metric in wanted[place] if metric not in row.metrics)
            if missing and row.status == "ok":
                estimate = shelf.estimate(purpose, problem, replicate, place)
                yield Task(purpose, problem, replicate, place, run, missing, estimate)


def _run(study: Study, shelf: Shelf, problem: int, place: int) -> int:
    if study.algorithms[place].tuning is None:
        return place
    chosen = shelf.choice(problem, place)
    if chosen is None:
        name = study.algorithms[place].name
        raise ValueError(f"{name} is to be tuned before its tasks are planned")
    return chosen


def _wanted_metrics(study: Study, purpose: Purpose) -> dict[int, tuple[int, ...]]:
    """Return the numbers to compute for each algorithm: in a tuning its criterion only."""
    if purpose == "main":
        everything = tuple(range(len(study.metrics)))
        return {place: everything for place in study.listed}
    wanted: dict[int, set[int]] = {}
    for entry in study.algorithms:
        if entry.tuning:
            for place in entry.tuning.candidates:
                wanted.setdefault(place, set()).add(entry.tuning.criterion)
    return {place: tuple(sorted(metrics)) for place, metrics in wanted.items()}
