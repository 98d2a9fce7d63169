"""The plan: what a study runs, and the names of its parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from causalassay.contracts import Algorithm
from causalassay.metrics.registry import Resolution
from causalassay.study.keys import canonical, digest
from causalassay.study.problem_specs import ProblemSpec

Purpose = Literal["main", "tuning"]
Role = Literal["listed", "baseline", "candidate"]
Statistic = Literal["median", "mean"]


@dataclass(frozen=True)
class Limits:
    """What one task may use; None is no limit.

    Parameters
    ----------
    seconds : float, optional
        Wall time of discovery and scoring together.
    memory : int, optional
        Resident bytes of the worker and of the programs it started.
    """

    seconds: float | None = 600.0
    memory: int | None = None


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
        A key of `METRICS`.
    resolution : {"as-is", "mean", "favourable"}
        How an estimated equivalence class is scored.
    version : int
        Of the metric, from `METRICS`.
    """

    name: str
    resolution: Resolution
    version: int = 1
    label: str = ""
    """What tables call it: the name, and the resolution if it is not the metric's own."""

    @cached_property
    def key(self) -> str:
        """What the metric is."""
        return digest(self.name, self.resolution, self.version)


@dataclass(frozen=True)
class Tuning:
    """How an algorithm's hyper-parameters are chosen on held-out systems (Ormaniec 2024, E.4).

    Parameters
    ----------
    candidates : tuple of int
        Places in `Study.algorithms`.
    criterion : int
        Place in `Study.metrics`.
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
class AlgorithmEntry:
    """An algorithm of the study.

    Parameters
    ----------
    name : str
        What tables and reports call it; unique in the study, no part of the key.
    use : str
        Its name in the registry.
    algorithm : Algorithm
        With its hyper-parameters; of a tuned one those that are not tuned.
    role : {"listed", "baseline", "candidate"}
        Named in the study, added for comparison, or tried in a tuning only.
    limits : Limits
    tuning : Tuning, optional
    tuned_key : str
        What the tuning is, as part of the key; empty without tuning.
    """

    name: str
    use: str
    algorithm: Algorithm
    role: Role = "listed"
    limits: Limits = Limits()
    tuning: Tuning | None = None
    tuned_key: str = ""

    @cached_property
    def key(self) -> str:
        """What the algorithm is, without its name and limits."""
        return digest(self.use, self.algorithm, self.tuned_key)

    @property
    def parameters(self) -> dict[str, Any]:
        """The hyper-parameters that differ from their defaults, as plain values."""
        found = canonical(self.algorithm)
        return {name: value for name, value in found.items() if name not in ("is", "version")}


@dataclass(frozen=True)
class Study:
    """Everything a study runs. Workers hold a copy; tasks name its parts by their place.

    Parameters
    ----------
    name : str
    seed : int
    replicates : int
    problems : tuple of ProblemEntry
    algorithms : tuple of AlgorithmEntry
    metrics : tuple of MetricEntry
    diagnostics : tuple of str
        Of `DIAGNOSTICS`, or `N_DRAWS`.
    text : str
        The study file as it was read.
    """

    name: str
    seed: int
    replicates: int
    problems: tuple[ProblemEntry, ...]
    algorithms: tuple[AlgorithmEntry, ...]
    metrics: tuple[MetricEntry, ...]
    diagnostics: tuple[str, ...]
    text: str = ""

    @property
    def listed(self) -> tuple[int, ...]:
        """The places of the algorithms that have rows in the main part."""
        return tuple(i for i, a in enumerate(self.algorithms) if a.role != "candidate")

    @property
    def n_tasks(self) -> dict[Purpose, int]:
        """How many algorithm runs the study has, by purpose."""
        tuned = sum(len(places) for _, places in _tuned_replicates(self))
        return {
            "tuning": len(self.problems) * tuned,
            "main": len(self.problems) * self.replicates * len(self.listed),
        }


@dataclass(frozen=True)
class Task:
    """One piece of work: an algorithm on a problem, or with no algorithm the problem's numbers.

    Parameters
    ----------
    purpose : {"main", "tuning"}
    problem, replicate : int
    algorithm : int, optional
        The row's algorithm; None: compute diagnostics.
    run : int, optional
        The algorithm to run: for a tuned one the candidate that was chosen.
    metrics : tuple of int
        Which numbers to compute; of a task without algorithm places in `Study.diagnostics`.
    estimate : bytes, optional
        An estimate found earlier, to be scored only.
    """

    purpose: Purpose
    problem: int
    replicate: int
    algorithm: int | None
    run: int | None
    metrics: tuple[int, ...]
    estimate: bytes | None = field(default=None, repr=False)


Status = Literal["ok", "skipped", "failed", "timeout"]


@dataclass(frozen=True)
class Record:
    """What came of a task.

    Parameters
    ----------
    task : Task
        Of a task that was sent with an estimate, with an empty one: see `sent_back`.
    status : {"ok", "skipped", "failed", "timeout"}
    reason : str
        Of a status that is not ok; of the same text on each run.
    seconds : float
        Wall time of discovery; nan where it did not end.
    scores : tuple of float
        One for each of the task's metrics; nan where undefined.
    estimate : bytes, optional
        A new estimate (`encoding.encode`).
    notes : mapping
        Why a score is nan, which candidate ran.
    host : str
    wall : float
        Seconds of the whole task, problem and scores included: for batching, not stored.
    """

    task: Task
    status: Status
    reason: str = ""
    seconds: float = float("nan")
    scores: tuple[float, ...] = ()
    estimate: bytes | None = field(default=None, repr=False)
    notes: Mapping[str, Any] = field(default_factory=dict)
    host: str = ""
    wall: float = 0.0


def sent_back(task: Task) -> Task:
    """Return the task as its record holds it: that it had an estimate is kept, not the bytes."""
    return task if task.estimate is None else replace(task, estimate=b"")


def task_key(study: Study, task: Task) -> str:
    """Return the key of a task's row: it does not depend on the order of the study's parts."""
    problem = study.problems[task.problem].key
    algorithm = None if task.algorithm is None else study.algorithms[task.algorithm].key
    return digest(study.seed, task.purpose, problem, task.replicate, algorithm)


def coordinates(study: Study, purpose: Purpose) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Yield problem, replicate and the algorithms to run there, in the order of work."""
    if purpose == "tuning":
        for problem in range(len(study.problems)):
            for replicate, places in _tuned_replicates(study):
                yield problem, replicate, places
        return
    # Replicates outside: an interrupted study has something of every problem.
    for replicate in range(study.replicates):
        for problem in range(len(study.problems)):
            yield problem, replicate, study.listed


def _tuned_replicates(study: Study) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield each held-out system and the candidates that run there, shared ones once."""
    tuned = [entry.tuning for entry in study.algorithms if entry.tuning]
    for replicate in range(max((tuning.systems for tuning in tuned), default=0)):
        running = [tuning for tuning in tuned if replicate < tuning.systems]
        places = dict.fromkeys(place for tuning in running for place in tuning.candidates)
        yield replicate, tuple(places)
