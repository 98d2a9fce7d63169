"""The metrics a study can name, and how an estimate becomes what each can score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.random import Generator

from causalassay import metrics
from causalassay.arrays import Adjacency
from causalassay.contracts import Estimate
from causalassay.data import Problem
from causalassay.graphs import is_dag
from causalassay.metrics.resolution import Members, Repair
from causalassay.models import DiscreteSCM, LinearSCM, fit
from causalassay.seeding import stream
from causalassay.study.plan import MetricEntry, Resolution

Takes = Literal["any", "class", "dag"]
"""What a metric's function accepts: any graph, a DAG or CPDAG, or a DAG only."""

RESOLUTIONS: MappingProxyType[Takes, tuple[Resolution, ...]] = MappingProxyType(
    {
        "any": ("as-is", "mean", "favourable"),
        "class": ("as-is",),
        "dag": ("mean", "favourable"),
    }
)
"""How an estimated class can be scored, the metric's own way first."""


@dataclass(frozen=True)
class Rule:
    """A metric as a study knows it.

    Parameters
    ----------
    score : callable
        Of a problem and a graph.
    better : {"high", "low"}
    takes : {"any", "class", "dag"}
    version : int
        Raised when the number changes: it is part of the key.
    """

    score: Callable[[Problem, Adjacency], float]
    better: Literal["high", "low"]
    takes: Takes = "any"
    version: int = 1

    @property
    def resolutions(self) -> tuple[Resolution, ...]:
        """The resolutions that make sense, the default first."""
        return RESOLUTIONS[self.takes]

    @property
    def resolution(self) -> Resolution:
        """The default."""
        return self.resolutions[0]


class Undefined(ValueError):
    """A metric has no value here; the message says why."""


def _of_graphs(function: Callable[[Adjacency, Adjacency], Any]) -> Callable[..., float]:
    def score(problem: Problem, guess: Adjacency) -> float:
        return float(function(problem.graph, guess))

    return score


def _tv_dag(problem: Problem, guess: Adjacency) -> float:
    """Fit the guess to the observational rows and compare it with the true model."""
    model, values = problem.model, problem.data.observational_values
    match model:
        case LinearSCM():
            return metrics.tv_dag(model, fit(guess, values))
        case DiscreteSCM():
            fitted = fit(guess, values, model.levels)
            return metrics.tv_dag(model, fitted, rng=stream(0, "tv_dag"))
        case None:
            raise Undefined("the true model is not known")
        case _:
            raise Undefined(f"it is for linear and discrete models, and the true one is {model}")


def _rules() -> dict[str, Rule]:
    high = ("f1", "precision", "recall", "skeleton_f1", "skeleton_precision", "skeleton_recall")
    low = ("shd", "shd_double", "shd_normalized", "fpr", "skeleton_shd", "skeleton_fpr")
    of_classes = ("mec_shd", "parent_aid", "ancestor_aid", "oset_aid")
    of_dags = ("sid", "sid_normalized", "sid_penalized")
    rules = {name: Rule(_of_graphs(getattr(metrics, name)), "high") for name in high}
    rules |= {name: Rule(_of_graphs(getattr(metrics, name)), "low") for name in low}
    rules |= {name: Rule(_of_graphs(getattr(metrics, name)), "low", "class") for name in of_classes}
    rules |= {
        f"{name}_normalized": Rule(
            _of_graphs(getattr(metrics, f"{name}_normalized")), "low", "class"
        )
        for name in of_classes[1:]
    }
    rules |= {name: Rule(_of_graphs(getattr(metrics, name)), "low", "dag") for name in of_dags}
    rules["mec_sid_lower"] = Rule(_of_graphs(lambda t, g: metrics.mec_sid(t, g)[0]), "low", "class")
    rules["mec_sid_upper"] = Rule(_of_graphs(lambda t, g: metrics.mec_sid(t, g)[1]), "low", "class")
    rules["tv_dag"] = Rule(_tv_dag, "low", "dag")
    return rules


METRICS: MappingProxyType[str, Rule] = MappingProxyType(_rules())
"""By name. Undirected edges: as they are, the mean over the class, or as the truth favours."""

DEFAULT_METRICS = ("shd", "f1", "sid", "mec_shd")

SERIES_METRICS = ("shd", "f1", "precision", "recall")
"""What estimates of series are scored by, on the summary graph, unless a study says otherwise."""


@dataclass(frozen=True, eq=False)
class Scorer:
    """Scores one estimate; what several metrics need is made once.

    Parameters
    ----------
    problem : Problem
    estimate : Estimate
    members_rng : callable
        Returns a new generator of the same stream each time, so that what one
        metric draws does not depend on which others are asked for.
    """

    problem: Problem
    estimate: Estimate
    members_rng: Callable[[], Generator]

    @cached_property
    def repaired(self) -> Repair:
        """The estimate as a DAG or CPDAG."""
        return metrics.repair(self.estimate.graph, self.members_rng())

    @cached_property
    def members(self) -> Members:
        """The DAGs of the estimated class, or a uniform draw of them."""
        return metrics.members(self.repaired.graph, self.members_rng())

    def score(self, entry: MetricEntry) -> float:
        """Return the number; raises a ValueError where there is none."""
        rule = METRICS[entry.name]
        if self.problem.data.rows == "series":
            self._check_summary(entry, rule)
            return rule.score(self.problem, self.estimate.graph)
        if is_dag(self.estimate.graph):
            return rule.score(self.problem, self.estimate.graph)
        match entry.resolution:
            case "as-is":
                guess = self.estimate.graph if rule.takes == "any" else self.repaired.graph
                return rule.score(self.problem, guess)
            case "mean":
                scores = [rule.score(self.problem, dag) for dag in self.members.dags]
                return float(np.mean(scores))
            case "favourable":
                guess = metrics.favourable_resolution(self.problem.graph, self.estimate.graph)
                return rule.score(self.problem, guess)

    def _check_summary(self, entry: MetricEntry, rule: Rule) -> None:
        """Raise where a number of DAGs or classes would be taken of a summary graph."""
        if rule.takes != "any" or entry.resolution != "as-is":
            raise Undefined(
                f"{entry.label or entry.name} is of DAGs and their classes; a series is scored on "
                "its summary graph, link by link, by f1, precision, recall, shd and their like"
            )
        if self.estimate.kind not in ("summary", "dag"):
            raise Undefined("an undirected edge is no link of a summary graph")
