"""How an estimate becomes what each metric can score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.random import Generator

from causalassay import metrics
from causalassay.contracts import Estimate
from causalassay.data import Problem
from causalassay.graphs import is_dag
from causalassay.metrics.edges import Guess, graph_of
from causalassay.metrics.registry import METRICS, GraphMetric, Undefined
from causalassay.metrics.resolution import Members, Repair
from causalassay.study.plan import MetricEntry


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
        metric = METRICS[entry.name]
        if metric.takes == "estimate":
            if self.problem.data.world == "series":
                self._check_kind()
            return self._number(metric, self.estimate)
        if self.problem.data.world == "series":
            self._check_summary(entry, metric)
            return self._number(metric, self.estimate.graph)
        if is_dag(self.estimate.graph):
            return self._number(metric, self.estimate.graph)
        match entry.resolution:
            case "as-is":
                guess = self.estimate.graph if metric.takes == "any" else self.repaired.graph
                return self._number(metric, guess)
            case "mean":
                return float(np.mean([self._number(metric, dag) for dag in self.members.dags]))
            case "favourable":
                guess = metrics.favourable_resolution(self.problem.graph, self.estimate.graph)
                return self._number(metric, guess)

    def _number(self, metric: GraphMetric, guess: Guess) -> float:
        """Return a metric's number of a graph that it cannot change: others score it too."""
        read_only = graph_of(guess).view()
        read_only.flags.writeable = False
        shown = replace(guess, graph=read_only) if isinstance(guess, Estimate) else read_only
        number = metric.score(self.problem, shown)
        if number is None:
            raise TypeError("it returned None, not a number")
        return float(number)

    def _check_summary(self, entry: MetricEntry, metric: GraphMetric) -> None:
        """Raise where a number of DAGs or classes would be taken of a summary graph."""
        if metric.takes != "any" or entry.resolution != "as-is":
            raise Undefined(
                f"{entry.label or entry.name} is of DAGs and their classes; a series is scored on "
                "its summary graph, link by link, by f1, precision, recall, shd and their like"
            )
        self._check_kind()

    def _check_kind(self) -> None:
        if self.estimate.kind not in ("summary", "dag"):
            raise Undefined("an undirected edge is not a link of a summary graph")
