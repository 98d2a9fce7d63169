"""The plan: what a study runs, the tasks that follow, and the records they end in."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from causalassay.contracts import Algorithm, computes_many
from causalassay.diagnostics.registry import DIAGNOSTICS
from causalassay.metrics.registry import METRICS, GraphMetric, Resolution
from causalassay.processes.limits import Limits
from causalassay.processes.messages import NO_OUTPUT, Output
from causalassay.processes.resources import NO_NEEDS, Needs
from causalassay.processes.stages import Place
from causalassay.study.keys import canonical, digest
from causalassay.study.own_parts import OwnDiagnostic, OwnMetric
from causalassay.study.problem_specs import ProblemSpec, replicates_of

Purpose = Literal["main", "tuning"]
Role = Literal["listed", "mine", "baseline", "candidate"]
Statistic = Literal["median", "mean"]


@dataclass(frozen=True)
class ProblemEntry:
    """A problem of the study.

    Parameters
    ----------
    name : str
        What tables and reports call it; unique in the study, no part of the key.
    spec : ProblemSpec
    labels : mapping
        Flat name to plain value (``"graph.n_nodes": 20``): columns to group by.
    """

    name: str
    spec: ProblemSpec
    labels: Mapping[str, str | float | int | bool | None] = field(default_factory=dict)

    @cached_property
    def key(self) -> str:
        """What the problem is, without its name."""
        return digest(self.spec)


@dataclass(frozen=True)
class MetricEntry:
    """A number to compute of each estimate.

    Parameters
    ----------
    name : str
        A key of `METRICS`, or the name of one's own.
    resolution : {"as-is", "mean", "favourable"}
        How an estimated equivalence class is scored.
    version : int
        Of the metric, from `METRICS`.
    label : str
        What tables call it: the name, and the resolution if it is not the metric's own.
    own : OwnMetric, optional
        The metric, if it is in a Python file.
    """

    name: str
    resolution: Resolution
    version: int = 1
    label: str = ""
    own: OwnMetric | None = None

    @cached_property
    def key(self) -> str:
        """What the metric is."""
        if self.own is not None:
            return digest(self.own, self.resolution)
        return digest(self.name, self.resolution, self.version)

    @property
    def metric(self) -> GraphMetric:
        """The metric itself."""
        return METRICS[self.name] if self.own is None else self.own.metric


@dataclass(frozen=True)
class Tuning:
    """How an algorithm's hyperparameters are chosen on held-out systems (Ormaniec 2024, E.4).

    Parameters
    ----------
    candidates : tuple of int
        Indices in `Study.algorithms`.
    criterion : int
        Index in `Study.metrics`.
    statistic : {"median", "mean"}
        Of the criterion over the held-out systems; a run that failed counts as worst.
    systems : int
        Held-out systems per problem; their streams are apart from the study's.
    """

    candidates: tuple[int, ...]
    criterion: int
    statistic: Statistic = "median"
    systems: int = 20


@dataclass(frozen=True)
class PickledAlgorithm:
    """An algorithm as bytes, which only the process that runs it reads.

    Reading them imports its code. The processes that hold the truth must not: what
    they do could be changed by it.

    Parameters
    ----------
    payload : bytes
        The pickled algorithm.
    key : str
        Of its entry.
    ours : bool
        Whether all the code it runs is causalassay's own.
    environment : str
        Of a third-party package: its algorithms share a process; empty for others.
    computes_many : bool
        Whether it computes many data sets of one size in one call.
    """

    payload: bytes = field(repr=False)
    key: str
    ours: bool
    environment: str = ""
    computes_many: bool = False


@dataclass(frozen=True)
class AlgorithmEntry:
    """An algorithm of the study.

    Parameters
    ----------
    name : str
        What tables and reports call it; unique in the study, no part of the key.
    use : str
        Its name in the registry.
    algorithm : Algorithm
        With its hyperparameters; of a tuned one those that are not tuned. Workers have
        it as bytes.
    role : {"listed", "mine", "baseline", "candidate"}
        Named in the study, named as the one that reports compare with all others, added for
        comparison, or tried in a tuning only. No part of the key.
    limits : Limits
    needs : Needs
        What it reserves while it runs. No part of the key: with more threads sums are made in
        another order, which may change the last bits, as another machine does.
    tuning : Tuning, optional
    tuned_key : str
        What the tuning is, as part of the key; empty without tuning.
    batch : int, optional
        How many of its tasks one call computes at most, if it computes many at once; by default
        as many as `most_members` says. No part of the key: on a card it may change last bits.
    """

    name: str
    use: str
    algorithm: Algorithm | PickledAlgorithm
    role: Role = "listed"
    limits: Limits = Limits()
    needs: Needs = NO_NEEDS
    tuning: Tuning | None = None
    tuned_key: str = ""
    batch: int | None = None

    @cached_property
    def computes_many(self) -> bool:
        """Whether it computes many data sets of one size in one call."""
        if isinstance(self.algorithm, PickledAlgorithm):
            return self.algorithm.computes_many
        return computes_many(self.algorithm)

    @property
    def is_batched(self) -> bool:
        """Whether its tasks are put together, many into one call."""
        return self.computes_many and self.batch != 1

    @cached_property
    def key(self) -> str:
        """What the algorithm is, without its name, limits and needs."""
        if isinstance(self.algorithm, PickledAlgorithm):
            return self.algorithm.key
        return digest(self.use, self.algorithm, self.tuned_key)

    @property
    def parameters(self) -> dict[str, Any]:
        """The hyperparameters that differ from their defaults, as plain values."""
        fields = canonical(self.algorithm)
        return {name: value for name, value in fields.items() if name not in ("is", "version")}


@dataclass(frozen=True)
class Study:
    """Everything a study runs. Workers hold a copy; tasks name its parts by index.

    Parameters
    ----------
    name : str
        What reports call it.
    seed : int
        All random streams are derived from it.
    replicates : int
        How many data sets are made of each problem; a file of a folder has one.
    problems : tuple of ProblemEntry
        What data are made of.
    algorithms : tuple of AlgorithmEntry
        What is run on each data set, baselines included.
    metrics : tuple of MetricEntry
        How estimates are scored.
    diagnostics : tuple of str
        Of `DIAGNOSTICS`, `N_DRAWS`, or the name of one's own.
    text : str
        The study file as it was read.
    own_diagnostics : tuple of OwnDiagnostic
        Those of the diagnostics that are in Python files.
    """

    name: str
    seed: int
    replicates: int
    problems: tuple[ProblemEntry, ...]
    algorithms: tuple[AlgorithmEntry, ...]
    metrics: tuple[MetricEntry, ...]
    diagnostics: tuple[str, ...]
    text: str = ""
    own_diagnostics: tuple[OwnDiagnostic, ...] = ()

    @property
    def measure_keys(self) -> list[str]:
        """What a store calls each of the diagnostics."""
        own = {diagnostic.name: digest(diagnostic)[:8] for diagnostic in self.own_diagnostics}
        return [
            f"{name}@{own[name]}" if name in own else measure_key(name) for name in self.diagnostics
        ]

    @property
    def listed(self) -> tuple[int, ...]:
        """The indices of the algorithms that have rows in the main part."""
        return tuple(i for i, a in enumerate(self.algorithms) if a.role != "candidate")

    @property
    def n_tasks(self) -> dict[Purpose, int]:
        """How many algorithm runs the study has, by purpose."""
        tuned = sum(len(candidates) for _, candidates in _tuned_replicates(self))
        return {
            "tuning": len(self.problems) * tuned,
            "main": sum(map(self.replicates_of, range(len(self.problems)))) * len(self.listed),
        }

    def replicates_of(self, problem: int) -> int:
        """Return how many data sets a problem has, by its index."""
        return replicates_of(self.problems[problem].spec, self.replicates)


def coordinates(
    study: Study, purpose: Purpose, problems: Sequence[int] | None = None
) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Yield problem, replicate and the algorithms to run there, in the order of work.

    Parameters
    ----------
    study : Study
    purpose : {"main", "tuning"}
    problems : sequence of int, optional
        Of which problems, by index; by default of all.
    """
    problems = range(len(study.problems)) if problems is None else problems
    if purpose == "tuning":
        for problem in problems:
            for replicate, candidates in _tuned_replicates(study):
                yield problem, replicate, candidates
        return
    # Replicates outside: an interrupted study has something of every problem.
    for replicate in range(study.replicates):
        for problem in problems:
            if replicate < study.replicates_of(problem):
                yield problem, replicate, study.listed


def _tuned_replicates(study: Study) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield each held-out system and the candidates that run there, shared ones once."""
    tuned = [entry.tuning for entry in study.algorithms if entry.tuning]
    for replicate in range(max((tuning.systems for tuning in tuned), default=0)):
        running = [tuning for tuning in tuned if replicate < tuning.systems]
        candidates = dict.fromkeys(index for tuning in running for index in tuning.candidates)
        yield replicate, tuple(candidates)


# The numbers that a study records of each problem: diagnostics, and one of its making.

N_DRAWS = "n_draws"
"""How many problems were drawn until one fell into its bin."""

DEFAULT_DIAGNOSTICS = (
    "var_sortability",
    "r2_sortability",
    "snr_sortability",
    "relatives_sortability",
    "n_edges",
    N_DRAWS,
)

DISCRETE_DIAGNOSTICS = ("entropy_sortability", "n_edges", N_DRAWS)
"""What is recorded of discrete tables: codes of levels have no variance."""

SERIES_DIAGNOSTICS = (
    "var_sortability_pairs",
    "r2_sortability_pairs",
    "r2_summary_sortability_pairs",
    "n_edges",
    N_DRAWS,
)
"""What is recorded of each series, unless a study says otherwise."""


def measure_key(name: str) -> str:
    """Return what a store calls a measure: its name, with the version unless that is the first.

    Examples
    --------
    >>> measure_key("r2_sortability"), measure_key("n_draws")
    ('r2_sortability', 'n_draws')
    """
    # The others are the number of draws and the measures of orders, which have one version.
    version = DIAGNOSTICS[name].version if name in DIAGNOSTICS else 1
    return name if version == 1 else f"{name}@{version}"


# Tasks, the records they end in, and the keys of their rows.

Status = Literal["ok", "skipped", "failed", "timeout"]


@dataclass(frozen=True)
class MeasureTask:
    """Compute diagnostics of a problem.

    Parameters
    ----------
    purpose : {"main", "tuning"}
    problem, replicate : int
    diagnostics : tuple of int
        Which ones, by index in `Study.diagnostics`.
    """

    purpose: Purpose
    problem: int
    replicate: int
    diagnostics: tuple[int, ...]


@dataclass(frozen=True)
class RunTask:
    """Run an algorithm on a problem and score its estimate.

    Parameters
    ----------
    purpose : {"main", "tuning"}
    problem, replicate : int
    algorithm : int
        The row's algorithm.
    run : int
        The algorithm to run: for a tuned one the candidate that was chosen.
    metrics : tuple of int
        Which scores to compute, by index in `Study.metrics`.
    """

    purpose: Purpose
    problem: int
    replicate: int
    algorithm: int
    run: int
    metrics: tuple[int, ...]


@dataclass(frozen=True)
class RescoreTask:
    """Score a stored estimate with more metrics; nothing is run again.

    Parameters
    ----------
    purpose, problem, replicate, algorithm, run, metrics
        As for `RunTask`.
    estimate : bytes
        From the store (`estimate_encoding.encode`).
    """

    purpose: Purpose
    problem: int
    replicate: int
    algorithm: int
    run: int
    metrics: tuple[int, ...]
    estimate: bytes = field(repr=False)


Task = MeasureTask | RunTask | RescoreTask


@dataclass(frozen=True)
class Record:
    """What came of a task.

    Parameters
    ----------
    task : Task
    status : {"ok", "skipped", "failed", "timeout"}
    reason : str
        Of a status that is not ok; the same text on each run.
    seconds : float
        Wall time of discovery; nan where it did not end.
    cells : mapping
        What else is measured of a run, by the column that stores it (`storage/schema.py`).
    scores : tuple of float
        One for each of the task's metrics or diagnostics; nan where undefined.
    estimate : bytes, optional
        A new estimate (`estimate_encoding.encode`).
    notes : mapping
        Why a score is nan, which candidate ran.
    host : str
    wall : float
        Seconds of the whole task, problem and scores included: for batching, not stored.
    output : Output
        What the algorithm printed.
    """

    task: Task
    status: Status
    reason: str = ""
    seconds: float = float("nan")
    cells: Mapping[str, Any] = field(default_factory=dict)
    scores: tuple[float, ...] = ()
    estimate: bytes | None = field(default=None, repr=False)
    notes: Mapping[str, Any] = field(default_factory=dict)
    host: str = ""
    wall: float = 0.0
    output: Output = NO_OUTPUT

    @classmethod
    def without_scores(cls, task: Task, status: Status, reason: str, **others: Any) -> Record:
        """Return the record of a task that computed nothing: each of its scores is nan.

        Examples
        --------
        >>> Record.without_scores(MeasureTask("main", 0, 0, (3, 5)), "timeout", "late").scores
        (nan, nan)
        """
        undefined = (float("nan"),) * len(number_indices(task))
        return cls(task, status, reason, scores=undefined, **others)


def task_place(task: Task) -> Place:
    """Return which task it is, as a process tells its watcher.

    Examples
    --------
    >>> task_place(MeasureTask("main", 2, 5, (0,)))
    (0, 2, 5, -1, -1)
    """
    algorithm, run = (-1, -1) if isinstance(task, MeasureTask) else (task.algorithm, task.run)
    return int(task.purpose == "tuning"), task.problem, task.replicate, algorithm, run


def number_indices(task: Task) -> tuple[int, ...]:
    """Return the indices of the numbers that a task computes: diagnostics or metrics."""
    match task:
        case MeasureTask():
            return task.diagnostics
        case RunTask() | RescoreTask():
            return task.metrics


def tried_apart(study: Study, task: Task) -> list[Task]:
    """Return what to try in place of a lost task, so that one's own code costs only its numbers.

    The metrics or diagnostics in Python files each apart from the others; of a run, only what is
    left without them, for its estimate can be scored later. Empty if there is nothing to part.

    Examples
    --------
    >>> study = Study("s", 1, 1, (), (), (), ("n_edges", "n_draws"))
    >>> tried_apart(study, MeasureTask("main", 0, 0, (0, 1)))
    []
    """
    if isinstance(task, MeasureTask):
        names = {diagnostic.name for diagnostic in study.own_diagnostics}
        indices = [index for index in task.diagnostics if study.diagnostics[index] in names]
    else:
        indices = [index for index in task.metrics if study.metrics[index].own is not None]
    others = tuple(index for index in number_indices(task) if index not in indices)
    if not indices or (len(indices) == 1 and not others and not isinstance(task, RunTask)):
        return []
    groups = [others] if others or isinstance(task, RunTask) else []
    if isinstance(task, MeasureTask):
        groups += [(index,) for index in indices]
        return [replace(task, diagnostics=group) for group in groups]
    if isinstance(task, RescoreTask):
        groups += [(index,) for index in indices]
    return [replace(task, metrics=group) for group in groups]


def task_key(study: Study, task: Task) -> str:
    """Return the key of a task's row: it does not depend on the order of the study's parts."""
    algorithm = None if isinstance(task, MeasureTask) else task.algorithm
    return row_key(study, task.purpose, task.problem, task.replicate, algorithm)


def row_key(
    study: Study, purpose: Purpose, problem: int, replicate: int, algorithm: int | None
) -> str:
    """Return the key of an algorithm's row, or with None of the row of the diagnostics."""
    algorithm_key = None if algorithm is None else study.algorithms[algorithm].key
    return digest(study.seed, purpose, study.problems[problem].key, replicate, algorithm_key)


# Small tasks travel together, as long as little is lost when one of them ends a process.

Batch = tuple[Task, ...]

MOST_TASKS = 256

MOST_ASIDE = 4096
"""Tasks that may wait for a card, for cores or for others of their algorithm."""


MOST_MEMBERS, FEWEST_MEMBERS = 1000, 100
"""Tasks of one call, unless the study states another number: of small problems, of large ones."""

_ENTRIES = 2_500_000
"""Entries of the matrices of one call, each as large as a covariance, for problems between."""


def most_members(entry: AlgorithmEntry, n_nodes: int | None) -> int:
    """Return how many tasks one call of an algorithm computes at most.

    Parameters
    ----------
    entry : AlgorithmEntry
    n_nodes : int, optional
        Columns of the data; None where they are not known beforehand.

    Examples
    --------
    >>> from causalassay.discovery import make_algorithm
    >>> entry = AlgorithmEntry("golem", "golem-ev", make_algorithm("golem-ev", device="cuda"))
    >>> [most_members(entry, n_nodes) for n_nodes in (10, 20, 50, 100, None)]
    [1000, 1000, 1000, 250, 100]
    """
    if not entry.is_batched:
        return 1
    if entry.batch is not None:
        return entry.batch
    by_size = 0 if n_nodes is None else _ENTRIES // n_nodes**2
    return min(max(by_size, FEWEST_MEMBERS), MOST_MEMBERS)


def is_batched(study: Study, task: Task) -> bool:
    """Return whether a task runs an algorithm that computes many tasks in one call."""
    return isinstance(task, RunTask) and study.algorithms[task.run].is_batched


def is_call(study: Study, batch: Batch) -> bool:
    """Return whether the tasks of a batch are computed by one call of their algorithm."""
    return len(batch) > 1 and is_batched(study, batch[0])


class Batcher:
    """Takes tasks off a stream in batches that are expected to last some time.

    A task of a kind that has not ended yet goes alone. The time expected of the
    others is the longest of the last tasks of their kind, which slowly fades. All tasks of a
    batch have the same needs.

    Parameters
    ----------
    tasks : iterator of Task
    needs : callable
        What a task reserves while it runs.
    """

    def __init__(
        self, tasks: Iterator[Task], needs: Callable[[Task], Needs] = lambda _: NO_NEEDS
    ) -> None:
        self._tasks = tasks
        self._needs = needs
        self._waiting: dict[Needs, deque[Task]] = {NO_NEEDS: deque()}
        self._expected: dict[_Kind, float] = {}

    def observe(self, record: Record) -> None:
        """Learn from a task that has ended."""
        kind = _kind(record.task)
        self._expected[kind] = max(record.wall, 0.9 * self._expected.get(kind, 0.0))

    def next(self, seconds: float, full: Set[Needs] = frozenset()) -> Batch:
        """Return tasks for about so many seconds; empty when there are none, or none for now.

        Parameters
        ----------
        seconds : float
        full : set of Needs
            Of which enough tasks are under way. Such tasks are put aside, so that the cores are
            busy while tasks wait for a card.
        """
        for needs, waiting in self._waiting.items():
            if waiting and needs not in full:
                return self._batch(needs, seconds)
        while NO_NEEDS not in full and self._n_aside() < MOST_ASIDE:
            read = self._read()
            if read is None:
                break
            if read not in full:
                return self._batch(read, seconds)
        return ()

    def _batch(self, needs: Needs, seconds: float) -> Batch:
        """Return a batch of the tasks with some needs, of which one waits."""
        taken: list[Task] = []
        total = 0.0
        waiting = self._waiting[needs]
        while total < seconds and len(taken) < MOST_TASKS:
            while not waiting and self._n_aside() < MOST_ASIDE:
                if self._read() is None:
                    break
            if not waiting:
                break
            expected = self._expected.get(_kind(waiting[0]), float("inf"))
            if taken and total + expected > seconds:
                break
            taken.append(waiting.popleft())
            total += expected
        return tuple(taken)

    def _read(self) -> Needs | None:
        """Let the next task of the stream wait, and return its needs; None at the end."""
        task = next(self._tasks, None)
        if task is None:
            return None
        needs = self._needs(task)
        self._waiting.setdefault(needs, deque()).append(task)
        return needs

    def _n_aside(self) -> int:
        return sum(map(len, self._waiting.values()))


_Kind = tuple[type[Task], int | None]
"""What tasks of about the same length share: their type and the algorithm they run."""


def _kind(task: Task) -> _Kind:
    return type(task), None if isinstance(task, MeasureTask) else task.run


def task_needs(study: Study, task: Task) -> Needs:
    """Return what a task reserves while it runs: what its algorithm needs, if it runs one."""
    return study.algorithms[task.run].needs if isinstance(task, RunTask) else NO_NEEDS


def batch_limits(study: Study, batch: Batch) -> Limits:
    """Return the limits of what a worker itself does for a batch: making problems and scoring.

    The least of its tasks', since it can be tried apart again; measuring a problem has the
    most generous of the study. The limits of memory are for the algorithms' own processes.
    """
    limits = (_seconds(study, task) for task in batch)
    least = min((seconds for seconds in limits if seconds is not None), default=None)
    return Limits(least, memory=None)


def _seconds(study: Study, task: Task) -> float | None:
    match task:
        case MeasureTask():
            all_limits = [entry.limits.seconds for entry in study.algorithms]
            limited = [seconds for seconds in all_limits if seconds is not None]
            return max(limited) if limited and len(limited) == len(all_limits) else None
        case RunTask() | RescoreTask():
            return study.algorithms[task.run].limits.seconds
