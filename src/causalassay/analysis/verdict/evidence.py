"""What a study knows, as the judge asks for it: numbers by unit, and their means."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from causalassay.analysis.comparison import difference
from causalassay.analysis.names import metric_name
from causalassay.analysis.runs import SCHEME, Runs
from causalassay.analysis.summary import Summary
from causalassay.analysis.unit_means import Codes, by_unit, count_units, mean_with_interval
from causalassay.analysis.verdict.statements import Lead, Number
from causalassay.common.arrays import Vector
from causalassay.judging.artefacts import ARTEFACTS, Artefact
from causalassay.judging.order_measures import (
    ATTAINABLE_P,
    RANDOM_F1,
    column,
    sortability_column,
)
from causalassay.judging.over_instances import (
    AlgorithmEvidence,
    LeadEvidence,
    OrderEvidence,
    ScaleEvidence,
)
from causalassay.judging.p_values import combined

MAIN = "f1"
"""The metric that the judge looks at: what chance reaches is measured for it."""
REACHED, CHANCE = "f1_p", "f1_chance"
ORDER_SCORE = "order_score"
SKELETON_P = "skeleton_p"
WITHOUT_SIGNAL = "shuffle-labels"
"""A transform after which the graph has nothing to do with the data."""
IN_ORDER, AT_RANDOM = "rescale-in-order", "rescale-at-random"
"""Transforms to other standard deviations."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Numbers of a study, on request.

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
        """The metric that sentences quote."""
        return MAIN if MAIN in self.summary.metrics else self.summary.metrics[0]

    @cached_property
    def word(self) -> str:
        """What sentences call that metric."""
        return metric_name(self.metric)

    @cached_property
    def judged(self) -> bool:
        """Whether what chance reaches was measured, so that leads can be judged."""
        controls = {REACHED, CHANCE} <= set(self.runs.controls)
        return self.metric == MAIN and RANDOM_F1 in self.runs.measured and controls

    @cached_property
    def cells(self) -> dict[str, Codes]:
        """The indices of each scheme's problems and replicates, in the order of the schemes."""
        return {group.values[0]: group.cells for group in self.runs.groups((SCHEME,))}

    @cached_property
    def n_units(self) -> int:
        """How many units the study has."""
        return int(self.runs.units.max(initial=-1)) + 1

    @property
    def listed(self) -> list[str]:
        """The algorithms that the study lists."""
        named = zip(self.runs.algorithms, self.runs.roles, strict=True)
        return [name for name, role in named if role != "baseline"]

    def count_units(self, scheme: str) -> int:
        """Return how many units a scheme has."""
        return count_units(self.runs.units[self.cells[scheme]])

    def is_share(self, metric: str) -> bool:
        """Return whether all scores of a metric lie from 0 to 1."""
        scores = self.runs.scores[metric]
        defined = scores[~np.isnan(scores)]
        return bool(((defined >= 0) & (defined <= 1)).all())

    def mean(self, algorithm: str, scheme: str, metric: str | None = None) -> Number | None:
        """Return an algorithm's mean score on a scheme; None if it has none."""
        metric = metric or self.metric
        if metric not in self.runs.scores:
            return None
        scores = self._scores(metric, algorithm)[self.cells[scheme]]
        scores = scores[~np.isnan(scores)]
        if not len(scores):
            return None
        share = self.is_share(metric)
        return Number(float(scores.mean()), "mean", metric, scheme, algorithm, is_share=share)

    def n_scores(self, algorithm: str, scheme: str, metric: str) -> int:
        """Return how many scores an algorithm has on a scheme."""
        return int((~np.isnan(self._scores(metric, algorithm)[self.cells[scheme]])).sum())

    def measured_mean(self, scheme: str, column: str) -> Number | None:
        """Return the mean of a diagnostic over a scheme's units; None if it has none."""
        if column not in self.runs.measured:
            return None
        values = self._measured_by_unit(scheme, column)
        values = values[~np.isnan(values)]
        if not len(values):
            return None
        return Number(float(values.mean()), "measured", column, scheme)

    def lead(self, algorithm: str, scheme: str) -> Lead | None:
        """Return how far an algorithm is ahead of the mean of random orders; None if unknown."""
        gain = self._gain(algorithm)[self.cells[scheme]]
        if np.isnan(gain).all():
            return None
        return self._lead(gain, Number(np.nan, "lead", self.metric, scheme, algorithm))

    def lead_over(self, metric: str, scheme: str, algorithm: str, opponent: str) -> Lead:
        """Return how far one algorithm is ahead of another in any metric."""
        gain = self.gain(metric, scheme, algorithm, opponent)
        share = self.is_share(metric)
        number = Number(np.nan, "lead", metric, scheme, algorithm, opponent, is_share=share)
        return self._lead(gain, number)

    def _lead(self, gain: Vector, number: Number) -> Lead:
        """Return the mean of gains on the cells of a scheme."""
        units = self.runs.units[self.cells[str(number.scheme)]]
        mean = mean_with_interval(gain, units)
        number = replace(number, value=mean.value)
        return Lead(number, mean.low, mean.high, count_units(units[~np.isnan(gain)]))

    def skeleton_fit(self, algorithm: str, scheme: str) -> Number | None:
        """Return how probable it is to join as many true pairs by chance; None if unknown."""
        if SKELETON_P not in self.runs.controls:
            return None
        shares = self.runs.controls[SKELETON_P][self._index(algorithm)]
        p_value = combined(self._by_unit(shares, scheme))
        if np.isnan(p_value):
            return None
        return Number(p_value, "skeleton fit p", SKELETON_P, scheme, algorithm)

    def gain(self, metric: str, scheme: str, algorithm: str, opponent: str) -> Vector:
        """Return in each cell of a scheme how much better an algorithm is than an opponent."""
        pair = self._index(algorithm), self._index(opponent)
        return difference(self.runs, metric, self.cells[scheme], pair) * self.runs.better[metric]

    def gain_by_unit(self, metric: str, scheme: str, algorithm: str, opponent: str) -> Vector:
        """Return the same, averaged over each unit."""
        units = self.runs.units[self.cells[scheme]]
        return by_unit(self.gain(metric, scheme, algorithm, opponent), units, self.n_units)

    def orders(self, scheme: str) -> dict[Artefact, OrderEvidence]:
        """Return what was measured of each statistic that could give a scheme's order away."""
        measured = {}
        for key, artefact in ARTEFACTS.items():
            parts = ("rising_p", "falling_p", "up_p", "down_p", "up_f1", "down_f1")
            columns = [sortability_column(key), *(column(key, part) for part in parts)]
            if not all(name in self.runs.measured for name in columns):
                continue
            values = [self._measured_by_unit(scheme, name) for name in columns]
            random = self._measured_by_unit(scheme, RANDOM_F1)
            if not np.isnan(values[0]).all():
                gains = [reached - random for reached in values[-2:]]
                measured[artefact] = OrderEvidence(*(values[:-2] + gains))
        return measured

    def attainable(self, scheme: str) -> Vector | None:
        """Return the least p-value that any order could have on each unit, if it was measured."""
        if ATTAINABLE_P not in self.runs.measured:
            return None
        return self._measured_by_unit(scheme, ATTAINABLE_P)

    def of_algorithm(self, algorithm: str, free: list[str], gamed: list[str]) -> AlgorithmEvidence:
        """Return what the judge looks at for an algorithm.

        Parameters
        ----------
        algorithm : str
        free, gamed : list of str
            The schemes without and with a found artefact.
        """
        leads = {
            scheme: LeadEvidence(
                self._by_unit(self.runs.controls[REACHED][self._index(algorithm)], scheme),
                self._by_unit(
                    self._scores(self.metric, algorithm)
                    - self.runs.controls[CHANCE][self._index(algorithm)],
                    scheme,
                ),
            )
            for scheme in self.cells
        }
        gains = {scheme: self._by_unit(self._gain(algorithm), scheme) for scheme in self.cells}
        falls = {}
        if gamed:
            with_artefact = gains[gamed[0]]
            falls = {scheme: with_artefact - gains[scheme] for scheme in free}
        return AlgorithmEvidence(leads, free, falls, self._scales(algorithm))

    def _scales(self, algorithm: str) -> dict[str, ScaleEvidence]:
        scores = self._scores(self.metric, algorithm)
        nothing = np.full(len(scores), np.nan)
        orders = (
            self._scores(ORDER_SCORE, algorithm) if ORDER_SCORE in self.runs.scores else nothing
        )
        return {
            base: ScaleEvidence(
                *(self._by_unit(scores, scheme) for scheme in (base, *others)),
                *(self._by_unit(orders, scheme) for scheme in others[:2]),
            )
            for base, others in rescalings(self.cells).items()
        }

    def _gain(self, algorithm: str) -> Vector:
        if RANDOM_F1 not in self.runs.measured or self.metric != MAIN:
            return np.full(len(self.runs.cells), np.nan)
        return self._scores(self.metric, algorithm) - self.runs.measured[RANDOM_F1]

    def _scores(self, metric: str, algorithm: str) -> Vector:
        scores: Any = self.runs.scores[metric][self._index(algorithm)]
        return scores

    def _index(self, algorithm: str) -> int:
        return self.runs.algorithms.index(algorithm)

    def _measured_by_unit(self, scheme: str, column: str) -> Vector:
        return self._by_unit(self.runs.measured[column], scheme)

    def _by_unit(self, values: Vector, scheme: str | None) -> Vector:
        """Return the mean of each unit on a scheme; nan without the scheme."""
        if scheme is None:
            return np.full(self.n_units, np.nan)
        cells = self.cells[scheme]
        return by_unit(values[cells], self.runs.units[cells], self.n_units)

    def has_failed(self, algorithm: str) -> bool:
        """Return whether some runs of an algorithm did not end ok."""
        counts = self.summary.counts
        row = counts[counts["algorithm"] == algorithm].iloc[0]
        return bool(row["n"] > row["ok"])


def rescalings(schemes: Collection[str]) -> dict[str, tuple[str | None, str | None, str | None]]:
    """Return of each scheme that was rescaled: in order, at random and standardised, if there.

    Examples
    --------
    >>> rescalings(["raw", "raw + rescale-in-order", "standardized", "iscm"])
    {'raw': ('raw + rescale-in-order', None, 'standardized')}
    >>> rescalings(["data", "data + standardize"])
    {'data': (None, None, 'data + standardize')}
    """
    rescaled = {}
    for base in schemes:
        wanted = (
            f"{base} + {IN_ORDER}",
            f"{base} + {AT_RANDOM}",
            _standardized(base),
        )
        others = tuple(name if name in schemes else None for name in wanted)
        if any(others):
            rescaled[base] = (others[0], others[1], others[2])
    return rescaled


def is_rescaled(scheme: object) -> bool:
    """Return whether a scheme is another one with other standard deviations.

    Examples
    --------
    >>> is_rescaled("raw + rescale-in-order"), is_rescaled("raw"), is_rescaled(None)
    (True, False, False)
    """
    return str(scheme).endswith((f" + {IN_ORDER}", f" + {AT_RANDOM}"))


def _standardized(base: str) -> str:
    *mechanism, kind = base.split(" ")
    return " ".join([*mechanism, "standardized"]) if kind == "raw" else f"{base} + standardize"
