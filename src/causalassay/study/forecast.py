"""What a run would do: the rows that are there already, and how long the others may take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from causalassay.study.plan import AlgorithmEntry, ProblemEntry, Purpose, Study
from causalassay.study.storage.reader import span

MOST_NAMED = 6
_NOTHING = StoredCell(0, 0, 0.0)


@dataclass(frozen=True)
class Forecast:
    """What is left of a study, and what is known of its time.

    Parameters
    ----------
    stored : int
        Rows that the study asks for and the folder has.
    total : int
        Rows of the complete study.
    seconds : float
        Of discovery, for the missing rows whose algorithm has stored rows: the mean of the same
        problem, else of all problems.
    basis : int
        Stored rows that have a time.
    without_basis : tuple of str
        Algorithms with missing rows and none to judge by.
    """

    stored: int
    total: int
    seconds: float
    basis: int
    without_basis: tuple[str, ...]

    @property
    def missing(self) -> int:
        """Rows that a run would compute."""
        return self.total - self.stored

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return asdict(self) | {"missing": self.missing}

    def lines(self, workers: int) -> list[str]:
        """Return what to print, for a run on so many workers.

        Examples
        --------
        >>> for line in Forecast(360, 720, 600.0, 360, ("ges",)).lines(2):
        ...     print(line)
        rows: 360 of 720 are stored already, 360 are missing
        time: about 5 min on 2 workers for discovery, by the mean of 360 stored rows; drawing data
        and scoring come on top; no stored row of ges
        >>> Forecast(0, 720, 0.0, 0, ("ges",)).lines(2)[1]
        'time: no estimate, since no row is stored yet; the progress line has one once rows come'
        """
        lines = [
            f"rows: {self.stored} of {self.total} are stored already, {self.missing} are missing"
        ]
        if self.missing and not self.basis:
            lines.append(
                "time: no estimate, since no row is stored yet; the progress line has one once "
                "rows come"
            )
        elif self.missing:
            lines.append(self._time(workers))
        return lines

    def _time(self, workers: int) -> str:
        on = "1 worker" if workers == 1 else f"{workers} workers"
        text = (
            f"time: about {span(self.seconds / workers)} on {on} for discovery, by the mean of "
            f"{self.basis} stored rows; drawing data and scoring come on top"
        )
        if not self.without_basis:
            return text
        left = len(self.without_basis) - MOST_NAMED
        named = ", ".join(self.without_basis[:MOST_NAMED])
        return f"{text}; no stored row of {named}" + (f" and {left} more" if left > 0 else "")


def forecast(study: Study, folder: Path) -> Forecast:
    """Return what is left of a study whose rows are, or will be, in a folder.

    Raises
    ------
    StoreRefused
        What is there is damaged, of another version, another study's, or no store.
    """
    cells = stored_seconds(folder, study)
    means = _means(cells)
    stored, total, seconds = 0, 0, 0.0
    without_basis: dict[str, None] = {}
    for purpose, problem, entry, wanted in _wanted(study):
        cell = cells.get((purpose, problem.key, entry.key), _NOTHING)
        there = min(cell.rows, wanted)
        stored, total = stored + there, total + wanted
        if there == wanted:
            continue
        mean = cell.seconds / cell.timed if cell.timed else means.get(entry.key)
        if mean is None:
            without_basis[entry.name] = None
        else:
            seconds += (wanted - there) * mean
    basis = sum(cell.timed for cell in cells.values())
    return Forecast(stored, total, seconds, basis, tuple(without_basis))


def _means(cells: Mapping[Cell, StoredCell]) -> dict[str, float]:
    """Return the mean seconds of each algorithm that has rows with a time, by key."""
    sums: dict[str, tuple[float, int]] = {}
    for (_, _, algorithm), cell in cells.items():
        seconds, timed = sums.get(algorithm, (0.0, 0))
        sums[algorithm] = seconds + cell.seconds, timed + cell.timed
    return {key: seconds / timed for key, (seconds, timed) in sums.items() if timed}


def _wanted(study: Study) -> Iterator[tuple[Purpose, ProblemEntry, AlgorithmEntry, int]]:
    """Yield each problem with each algorithm that runs there, and how many rows that makes."""
    systems: dict[int, int] = {}
    for entry in study.algorithms:
        if entry.tuning:
            for index in entry.tuning.candidates:
                systems[index] = max(systems.get(index, 0), entry.tuning.systems)
    for problem in study.problems:
        for index in study.listed:
            yield "main", problem, study.algorithms[index], study.replicates
        for index, count in systems.items():
            yield "tuning", problem, study.algorithms[index], count
