"""The plan: what a study runs, and the names of its parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from causalassay.contracts import Algorithm
from causalassay.metrics.registry import Resolution
from causalassay.processes.limits import Limits
from causalassay.study.keys import canonical, digest
from causalassay.study.problem_specs import ProblemSpec

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
    """

    payload: bytes = field(repr=False)
    key: str
    ours: bool
    environment: str = ""


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
    tuning : Tuning, optional
    tuned_key : str
        What the tuning is, as part of the key; empty without tuning.
    """

    name: str
    use: str
    algorithm: Algorithm | PickledAlgorithm
    role: Role = "listed"
    limits: Limits = Limits()
    tuning: Tuning | None = None
    tuned_key: str = ""

    @cached_property
    def key(self) -> str:
        """What the algorithm is, without its name and limits."""
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
        """The indices of the algorithms that have rows in the main part."""
        return tuple(i for i, a in enumerate(self.algorithms) if a.role != "candidate")

    @property
    def n_tasks(self) -> dict[Purpose, int]:
        """How many algorithm runs the study has, by purpose."""
        tuned = sum(len(candidates) for _, candidates in _tuned_replicates(self))
        return {
            "tuning": len(self.problems) * tuned,
            "main": len(self.problems) * self.replicates * len(self.listed),
        }


def coordinates(study: Study, purpose: Purpose) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Yield problem, replicate and the algorithms to run there, in the order of work."""
    if purpose == "tuning":
        for problem in range(len(study.problems)):
            for replicate, candidates in _tuned_replicates(study):
                yield problem, replicate, candidates
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
        candidates = dict.fromkeys(index for tuning in running for index in tuning.candidates)
        yield replicate, tuple(candidates)
