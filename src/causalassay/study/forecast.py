"""What a run would do: the plan in lines, the rows that are missing, and how long they may take."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from causalassay.present.formatting import counted
from causalassay.processes.limits import Limits
from causalassay.processes.resources import NO_NEEDS, Needs
from causalassay.study.plan import AlgorithmEntry, ProblemEntry, Purpose, Study
from causalassay.study.problem_specs import is_of_folder
from causalassay.study.storage import read_store, schema
from causalassay.study.storage.refusals import refuse_other_study
from causalassay.study.storage.running import span

# How many rows a store has of each problem and algorithm, and how long they took.

Cell = tuple[Purpose, str, str]
"""Purpose, the problem's key and the algorithm's key."""


@dataclass(frozen=True)
class StoredCell:
    """The rows of one algorithm on one problem.

    Parameters
    ----------
    rows : int
        Without those that are to be computed again.
    timed : int
        Those whose discovery ended, in time.
    seconds : float
        What their discovery took in total.
    """

    rows: int
    timed: int
    seconds: float


def stored_seconds(
    folder: Path, study: Study, retry: Collection[str] = ()
) -> dict[Cell, StoredCell]:
    """Return what a folder has of a study's rows; nothing if it has no store.

    Parameters
    ----------
    folder : Path
    study : Study
        As it is now: what the store was last run with may differ.
    retry : collection of str
        Rows of these statuses are to be computed again.

    Raises
    ------
    StoreRefused
        What is there is damaged, of another version, another study's, or no store.
    """
    if not (folder / schema.FILE).exists():
        return {}
    with read_store(folder) as store, store.sound():
        refuse_other_study(store.path, store.connection, study)
        retried = f"status IN ({', '.join('?' * len(retry))})"
        rows = store.connection.execute(
            "SELECT purpose, problems.key, algorithms.key, "
            f"count(*) - sum({schema.outdated('rows')} OR {retried}), count(seconds), "
            "total(seconds) FROM rows JOIN problems ON problems.id = rows.problem "
            "JOIN algorithms ON algorithms.id = rows.algorithm "
            "WHERE purpose = 'tuning' OR replicate < ? GROUP BY 1, 2, 3",
            (*retry, study.replicates),
        )
        return {
            (purpose, problem, algorithm): StoredCell(*numbers)
            for purpose, problem, algorithm, *numbers in rows
        }


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
    reserving : tuple
        What algorithms reserve that need more than a core, each with its part of `seconds`.
    """

    stored: int
    total: int
    seconds: float
    basis: int
    without_basis: tuple[str, ...]
    reserving: tuple[tuple[Needs, float], ...] = ()

    @property
    def missing(self) -> int:
        """Rows that a run would compute."""
        return self.total - self.stored

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        values = {name: value for name, value in asdict(self).items() if name != "reserving"}
        return values | {"missing": self.missing}

    def wall_seconds(self, workers: int, cards: int = 0) -> float:
        """Return how long the missing rows take at least on so many workers and cards.

        Examples
        --------
        Half of the time is one algorithm's that runs twice at once at most:

        >>> Forecast(0, 9, 80.0, 1, (), ((Needs(at_most=2), 40.0),)).wall_seconds(8)
        20.0
        """
        of_cores = sum((min(needs.threads, workers) - 1) * part for needs, part in self.reserving)
        of_cards = sum(needs.gpus * part for needs, part in self.reserving)
        limited = [part / needs.at_most for needs, part in self.reserving if needs.at_most]
        return max((self.seconds + of_cores) / workers, of_cards / max(cards, 1), *limited, 0.0)

    def lines(self, workers: int, cards: int = 0) -> list[str]:
        """Return what to print, for a run on so many workers and cards.

        Examples
        --------
        >>> for line in Forecast(360, 720, 600.0, 360, ("ges",)).lines(2):
        ...     print(line)
        rows: 360 of 720 are stored already, 360 are missing
        time: about 5 min on 2 workers for discovery, by the mean of 360 stored rows; drawing data
        and scoring come on top; no stored row of ges
        >>> Forecast(0, 720, 0.0, 0, ("ges",)).lines(2)[1]
        'time: no estimate, since no row is stored yet; the progress line has one once rows come'
        >>> Forecast(360, 380, 0.0, 360, ("mine",)).lines(2)[1]
        'time: no estimate, since no row of mine is stored as it is now'
        """
        lines = [
            f"rows: {self.stored} of {self.total} are stored already, {self.missing} are missing"
        ]
        if self.missing and not self.basis:
            lines.append(
                "time: no estimate, since no row is stored yet; the progress line has one once "
                "rows come"
            )
        elif self.missing and not self.seconds and self.without_basis:
            lines.append(
                f"time: no estimate, since no row of {_names(self.without_basis)} is stored as it "
                "is now"
            )
        elif self.missing:
            lines.append(self._time(workers, cards))
        return lines

    def _time(self, workers: int, cards: int) -> str:
        on = counted(workers, "worker")
        text = (
            f"time: about {span(self.wall_seconds(workers, cards))} on {on} for discovery, by the "
            f"mean of {counted(self.basis, 'stored row')}; drawing data and scoring come on top"
        )
        if not self.without_basis:
            return text
        return f"{text}; no stored row of {_names(self.without_basis)}"


def forecast(
    study: Study, folder: Path, again: Collection[int] = (), retry: Collection[str] = ()
) -> Forecast:
    """Return what is left of a study whose rows are, or will be, in a folder.

    Parameters
    ----------
    study : Study
    folder : Path
    again : collection of int
        Algorithms, by index, whose rows are to be computed again.
    retry : collection of str
        Rows of these statuses are, too.

    Raises
    ------
    StoreRefused
        What is there is damaged, of another version, another study's, or no store.
    """
    cells = stored_seconds(folder, study, retry)
    outdated = {study.algorithms[index].key for index in again}
    means = _means(cells)
    stored, total = 0, 0
    seconds: dict[Needs, float] = {}
    without_basis: dict[str, None] = {}
    for purpose, problem, entry, wanted in _wanted(study):
        cell = cells.get((purpose, problem.key, entry.key), _NOTHING)
        there = 0 if entry.key in outdated else min(cell.rows, wanted)
        stored, total = stored + there, total + wanted
        if there == wanted:
            continue
        mean = cell.seconds / cell.timed if cell.timed else means.get(entry.key)
        if mean is None:
            without_basis[entry.name] = None
        else:
            seconds[entry.needs] = seconds.get(entry.needs, 0.0) + (wanted - there) * mean
    basis = sum(cell.timed for cell in cells.values())
    reserving = tuple((needs, part) for needs, part in seconds.items() if needs != NO_NEEDS)
    in_all = sum(seconds.values())
    return Forecast(stored, total, in_all, basis, tuple(without_basis), reserving)


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
    for place, problem in enumerate(study.problems):
        for index in study.listed:
            yield "main", problem, study.algorithms[index], study.replicates_of(place)
        for index, count in systems.items():
            yield "tuning", problem, study.algorithms[index], count


# Which rows an unfinished study still lacks, by algorithm.


@dataclass(frozen=True)
class MissingRows:
    """What the main part of a study lacks, as it was last run.

    Parameters
    ----------
    by_algorithm : mapping
        Rows that are missing, by algorithm, in the order of the study; those that lack none
        are left out.
    total : int
        Rows of the complete study.
    """

    by_algorithm: dict[str, int]
    total: int

    @property
    def n_missing(self) -> int:
        """Rows that are missing.

        Examples
        --------
        >>> MissingRows({"pc": 2, "ges": 1}, 8).n_missing
        3
        """
        return sum(self.by_algorithm.values())


def missing_rows(folder: Path | str) -> MissingRows:
    """Return what the study in a results folder lacks."""
    with read_store(folder) as store, store.sound():
        total = store.totals()["main"]
        stored = {
            name: sum(counts.values()) for name, counts in store.counts_by_algorithm().items()
        }
    each = total // len(stored) if stored else 0
    lacking = {name: each - count for name, count in stored.items() if count < each}
    return MissingRows(lacking, total)


# What a study will run, in a few lines.

_MOST_NAMED = 6


def describe(study: Study) -> list[str]:
    """Return lines that say how many tasks there are, and what they are.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from causalassay.cli.beginning import new_study
    >>> from causalassay.study.language.study_file import read_study
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study = read_study(new_study("first-look", Path(folder)))
    >>> print(describe(study)[0])
    first-look: ... tasks
    """
    listed = [study.algorithms[index] for index in study.listed]
    main = study.n_tasks["main"]
    tuning = _tuning(study)
    total = main + sum(count for count, _ in tuning)
    controls = _metrics(study, controls=True)
    return [
        f"{study.name}: {counted(total, 'task')}",
        f"  main: {_data_sets(study)} × {counted(len(listed), 'algorithm')} = {main}",
        *(line for _, line in tuning),
        _group("problems", [entry.name for entry in study.problems]),
        _group("algorithms", [entry.name for entry in listed if entry.role != "baseline"]),
        _group("baselines", [entry.name for entry in listed if entry.role == "baseline"]),
        _group("metrics", _metrics(study, controls=False)),
        *([_group("controls of each estimate", controls)] if controls else []),
        _group("diagnostics of each data set", study.diagnostics),
        *_limits(listed),
        *_needs(listed),
        *_together(listed),
    ]


def _data_sets(study: Study) -> str:
    """Return how many data sets the problems have; the files of folders are counted apart."""
    replicates = [study.replicates_of(index) for index in range(len(study.problems))]
    folder_files = sum(
        is_of_folder(entry.spec) and count == 1
        for entry, count in zip(study.problems, replicates, strict=True)
    )
    others = len(replicates) - folder_files
    parts = []
    if others:
        repeated = f"{counted(others, 'problem')} × {counted(study.replicates, 'replicate')}"
        parts.append(f"({repeated}" if folder_files else repeated)
    if folder_files:
        files = f"{counted(folder_files, 'problem')} × 1 file of a folder"
        parts.append(f"{files})" if others else files)
    return " + ".join(parts)


def _metrics(study: Study, *, controls: bool) -> list[str]:
    """Return what each estimate is scored by, or the numbers beside the scores."""
    return [
        entry.label or entry.name
        for entry in study.metrics
        if (entry.metric.better == "none") == controls
    ]


def _tuning(study: Study) -> list[tuple[int, str]]:
    """Return the number of tasks for each size of tuning; a candidate that two share runs once."""
    sizes: dict[int, int] = {}
    tuned = {entry.name: entry.tuning for entry in study.algorithms if entry.tuning}
    for tuning in tuned.values():
        for index in tuning.candidates:
            sizes[index] = max(sizes.get(index, 0), tuning.systems)
    lines = []
    for size in sorted(set(sizes.values())):
        candidates = {index for index, most in sizes.items() if most == size}
        count = len(study.problems) * size * len(candidates)
        names = [name for name, entry in tuned.items() if candidates & set(entry.candidates)]
        line = (
            f"  tuning of {', '.join(names)}: {counted(len(study.problems), 'problem')} × "
            f"{counted(size, 'held-out system')} × {counted(len(candidates), 'candidate')} "
            f"= {count}"
        )
        lines.append((count, line))
    return lines


def _limits(listed: Sequence[AlgorithmEntry]) -> list[str]:
    """Return the limits that most algorithms have, then those that differ."""
    groups: dict[Limits, list[str]] = {}
    for entry in listed:
        groups.setdefault(entry.limits, []).append(entry.name)
    most = max(groups, key=lambda limits: len(groups[limits]))
    rest = {limits: names for limits, names in groups.items() if limits != most}
    return [
        f"limits of each task: {_limit(most)}",
        *(f"  {_names(names)}: {_limit(limits)}" for limits, names in rest.items()),
    ]


def _needs(listed: Sequence[AlgorithmEntry]) -> list[str]:
    """Return what algorithms reserve, if it is more than a core."""
    groups: dict[str, list[str]] = {}
    for entry in listed:
        needs = entry.needs
        parts = [counted(needs.threads, "thread")] if needs.threads > 1 else []
        parts += [f"{needs.gpus:g} GPU"] if needs.gpus else []
        parts += [f"at most {needs.at_most} at once"] if needs.at_most else []
        if parts:
            groups.setdefault(", ".join(parts), []).append(entry.name)
    return [f"reserved: {_names(names)}: {parts}" for parts, names in groups.items()]


def _together(listed: Sequence[AlgorithmEntry]) -> list[str]:
    """Return which algorithms compute many tasks in one call."""
    groups: dict[str, list[str]] = {}
    for entry in listed:
        if entry.is_batched:
            most = "" if entry.batch is None else f", at most {entry.batch}"
            groups.setdefault(most, []).append(entry.name)
    return [
        f"tasks of one size in one call: {_names(names)}{most}" for most, names in groups.items()
    ]


def _limit(limits: Limits) -> str:
    seconds = "any time" if limits.seconds is None else f"{limits.seconds:g} s"
    memory = "its share of memory" if limits.memory is None else f"{limits.memory / 1e9:g} GB"
    default = limits.load_seconds == Limits().load_seconds
    return f"{seconds}, {memory}" + ("" if default else f", {_loading(limits.load_seconds)}")


def _loading(seconds: float | None) -> str:
    return "any time of loading" if seconds is None else f"{seconds:g} s of loading"


def _group(what: str, names: Sequence[str]) -> str:
    return f"{what} ({len(names)}): {_names(names) or 'none'}"


def _names(names: Sequence[str]) -> str:
    left = len(names) - _MOST_NAMED
    beginning = ", ".join(names[:_MOST_NAMED])
    return f"{beginning} and {left} more" if left > 0 else beginning
