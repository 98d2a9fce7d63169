"""The numbers that rules look at: scores, leads, their falls between schemes, sortabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from causalassay.analysis.attribution import same_graphs
from causalassay.analysis.bootstrap import (
    Codes,
    MeanInterval,
    deal,
    difference_of_means,
    mean_with_interval,
)
from causalassay.analysis.comparison import difference
from causalassay.analysis.runs import FAMILY, NODES, SCHEME, Runs
from causalassay.analysis.summary import Summary
from causalassay.analysis.verdict.intervals import Interval
from causalassay.analysis.verdict.statements import Number
from causalassay.analysis.verdict.words import metric_word
from causalassay.arrays import Vector

MAIN = "f1"
"""The metric that rules look at; a study without it is judged by its first."""
EDGES = "n_edges"
LAGGED = "lagged-erdos-renyi"
"""The family whose graphs are summaries of series, in which links may go both ways."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Single numbers of a study, on request.

    Parameters
    ----------
    frame : DataFrame
        One row for each task.
    runs : Runs
        The same rows as arrays.
    summary : Summary
        Of the same rows.
    """

    frame: pd.DataFrame
    runs: Runs
    summary: Summary

    @cached_property
    def metric(self) -> str:
        """The metric that rules look at."""
        return MAIN if MAIN in self.summary.metrics else self.summary.metrics[0]

    @cached_property
    def word(self) -> str:
        """What sentences call that metric."""
        return metric_word(self.metric)

    @cached_property
    def cells(self) -> dict[str, Codes]:
        """The indices of each scheme's problems and replicates, in the order of the schemes."""
        return {group.values[0]: group.cells for group in self.runs.groups((SCHEME,))}

    @property
    def listed(self) -> list[str]:
        """The algorithms that the study lists."""
        named = zip(self.runs.algorithms, self.runs.roles, strict=True)
        return [name for name, role in named if role != "baseline"]

    def standing_for(self, use: str) -> str | None:
        """Return the algorithm that a registry's name stands for, if one ran."""
        indices = self.runs.using(use)
        return self.runs.algorithms[indices[0]] if indices else None

    def count_units(self, scheme: str) -> int:
        """Return how many graphs and replicates a scheme has."""
        return len(np.unique(self.runs.units[self.cells[scheme]]))

    def is_share(self, metric: str) -> bool:
        """Return whether all scores of a metric lie from 0 to 1."""
        scores = self.runs.scores[metric]
        defined = scores[~np.isnan(scores)]
        return bool(((defined >= 0) & (defined <= 1)).all())

    def mean(self, algorithm: str, scheme: str) -> Number | None:
        """Return an algorithm's mean score on a scheme; None if it has none."""
        row = self._scores.get((algorithm, scheme))
        if row is None or math.isnan(row["mean"]):
            return None
        return self._number(row["mean"], "mean", scheme, algorithm, paired=bool(row["paired"]))

    def lead(self, algorithm: str, scheme: str, reference: str) -> Interval | None:
        """Return how far an algorithm is ahead of a reference ("sorting", "random order", "empty").

        None if either has no score there.
        """
        row = self._margins.get((algorithm, scheme, reference))
        if row is None or math.isnan(row["mean"]):
            return None
        number = self._number(
            row["mean"], "lead", scheme, algorithm, row["opponent"], paired=bool(row["paired"])
        )
        return Interval(number, row["low"], row["high"], int(row["n_units"]))

    def fall(self, algorithm: str, scheme: str, other: str) -> Interval | None:
        """Return how much more an algorithm leads random order on one scheme than on another."""
        leads = [self.lead(algorithm, name, "random order") for name in (scheme, other)]
        if leads[0] is None or leads[1] is None:
            return None
        opponents = [lead.number.opponent for lead in leads if lead]
        chosen = self._same_graphs(algorithm, scheme, other)
        gains = [
            self.gain(self.metric, algorithm, opponent, cells)
            for opponent, cells in zip(opponents, chosen, strict=True)
        ]
        fall, n_units = self._difference(gains, chosen)
        number = replace(leads[0].number, value=fall.value, statistic="fall", other_scheme=other)
        return Interval(number, fall.low, fall.high, n_units)

    def change(self, algorithm: str, scheme: str, other: str) -> Interval | None:
        """Return an algorithm's mean on one scheme minus that on another, if on the same graphs."""
        means = self.mean(algorithm, scheme), self.mean(algorithm, other)
        if not all(mean is not None and mean.paired for mean in means):
            return None
        index = self.runs.algorithms.index(algorithm)
        chosen = self._same_graphs(algorithm, scheme, other)
        change, n_units = self._difference(
            [self.runs.scores[self.metric][index, cells] for cells in chosen], chosen
        )
        number = self._number(change.value, "change", scheme, algorithm, paired=True)
        return Interval(replace(number, other_scheme=other), change.low, change.high, n_units)

    def gain(self, metric: str, algorithm: str, opponent: str | None, cells: Codes) -> Vector:
        """Return by how much an algorithm is better than another in some cells."""
        names = self.runs.algorithms
        pair = names.index(algorithm), names.index(str(opponent))
        return difference(self.runs, metric, cells, pair) * self.runs.better[metric]

    def sortability(self, scheme: str, column: str) -> Interval | None:
        """Return the mean of a diagnostic over a scheme's problems; None if not measured."""
        if column not in self.runs.measured:
            return None
        return self._measured(Number(math.nan, "sortability", column, scheme), self.cells[scheme])

    def sortability_by_family(self, scheme: str, column: str) -> list[Interval]:
        """Return the mean of a diagnostic over a scheme's problems of each graph family."""
        if FAMILY not in self.runs.cells:
            return []
        intervals = []
        for group in self.runs.groups((SCHEME, FAMILY)):
            if group.values[0] == scheme and group.values[1] is not None:
                detail = f"{FAMILY}={group.values[1]}"
                number = Number(math.nan, "sortability", column, scheme, detail=detail)
                intervals.append(self._measured(number, group.cells))
        return [interval for interval in intervals if interval is not None]

    def _measured(self, number: Number, cells: Codes) -> Interval | None:
        values = self.runs.measured[number.column][cells]
        blocks = deal(self.runs.units[cells])
        mean = mean_with_interval(values, blocks)
        if math.isnan(mean.value):
            return None
        n_units = blocks.count_units(~np.isnan(values))
        return Interval(replace(number, value=mean.value), mean.low, mean.high, n_units)

    def chance(self, scheme: str) -> Number | None:
        """Return the greatest F1 that guessing has on average; None for other metrics."""
        chances = self._chances(scheme)
        return None if chances is None else Number(float(chances.mean()), "chance", MAIN, scheme)

    def above_chance(self, algorithm: str, scheme: str) -> bool:
        """Return whether an algorithm does better than guessing, as far as that is known."""
        chances = self._chances(scheme)
        if chances is None:
            return True
        cells = self.cells[scheme]
        scores = self.runs.scores[MAIN][self.runs.algorithms.index(algorithm), cells]
        return mean_with_interval(scores - chances, deal(self.runs.units[cells])).low > 0

    def _chances(self, scheme: str) -> Vector | None:
        known = NODES in self.runs.cells and EDGES in self.runs.measured
        if self.metric != MAIN or not known:
            return None
        cells = self.cells[scheme]
        edges = self.runs.measured[EDGES][cells]
        nodes = self.runs.cells[NODES].to_numpy(dtype=float, na_value=np.nan)[cells]
        # All edges along a random order hit half of a DAG; all links of a series hit its summary.
        both_ways = np.zeros(len(cells), dtype=bool)
        if FAMILY in self.runs.cells:
            both_ways = (self.runs.cells[FAMILY] == LAGGED).to_numpy(dtype=bool)[cells]
        pairs = nodes * (nodes - 1) / 2
        with np.errstate(invalid="ignore"):  # no edge among one node
            chances: Vector = np.where(
                both_ways, 2 * edges / (edges + 2 * pairs), edges / (edges + pairs)
            )
        return None if np.isnan(chances).any() else chances

    def spread(self, scheme: str, column: str) -> Number:
        """Return the standard deviation of a diagnostic over a scheme's problems."""
        values = self.runs.measured[column][self.cells[scheme]]
        values = values[~np.isnan(values)]
        spread = float(values.std(ddof=1)) if len(values) > 1 else math.nan
        return Number(spread, "sortability sd", column, scheme)

    def explained(self, algorithm: str, column: str) -> Number | None:
        """Return the adjusted share of the score's variance that a sortability explains."""
        frame = self.summary.attribution.explained
        row = frame[
            (frame["algorithm"] == algorithm)
            & (frame["metric"] == self.metric)
            & (frame["regressors"] == column)
        ]
        if not len(row) or math.isnan(row["adjusted"].iloc[0]):
            return None
        value = float(row["adjusted"].iloc[0])
        return Number(value, "share", self.metric, None, algorithm, column)

    def _number(
        self,
        value: float,
        statistic: str,
        scheme: str,
        algorithm: str,
        opponent: str | None = None,
        *,
        paired: bool,
    ) -> Number:
        return Number(
            float(value),
            statistic,
            self.metric,
            scheme,
            algorithm,
            opponent,
            paired=paired,
            is_share=self.is_share(self.metric),
        )

    @cached_property
    def _scores(self) -> dict[tuple[str, str], dict[str, Any]]:
        return {
            (row["algorithm"], row[SCHEME]): row
            for row in self._of(self.summary.attribution.schemes)
        }

    @cached_property
    def _margins(self) -> dict[tuple[str, str, str], dict[str, Any]]:
        return {
            (row["algorithm"], row[SCHEME], row["reference"]): row
            for row in self._of(self.summary.attribution.margins)
        }

    def _of(self, frame: pd.DataFrame) -> list[dict[Any, Any]]:
        if not len(frame):
            return []
        return frame[frame["metric"] == self.metric].to_dict("records")

    def _same_graphs(self, algorithm: str, *schemes: str) -> list[Codes]:
        """Return of each scheme the cells that `attribution` averages."""
        index = self.runs.algorithms.index(algorithm)
        chosen = same_graphs(self.runs, self.metric, index, self.cells)
        return [chosen[scheme][0] for scheme in schemes]

    def _difference(self, values: list[Vector], cells: list[Codes]) -> tuple[MeanInterval, int]:
        """Return the difference of two means, with limits, and the units that have both."""
        first = np.arange(sum(map(len, cells))) < len(cells[0])
        return difference_of_means(
            np.concatenate(values), self.runs.units[np.concatenate(cells)], first
        )
