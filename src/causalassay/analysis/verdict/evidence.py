"""What a study knows, as the judge asks for it: numbers by instance, and their means."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from causalassay.analysis.comparison import (
    by_instance,
    count_instances,
    difference,
    mean_with_interval,
)
from causalassay.analysis.runs import OK, SCHEME, Codes, Runs
from causalassay.analysis.summary import Summary
from causalassay.analysis.verdict.statements import Lead, Number
from causalassay.common.arrays import Vector
from causalassay.judging.artefacts import ARTEFACTS, Artefact
from causalassay.judging.order_measures import (
    ATTAINABLE_P,
    RANDOM_DIRECTION,
    RANDOM_SKELETON_F1,
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
from causalassay.metrics.registry import metric_name

MAIN = "f1"
"""The metric that tables show and scale findings compare: controls stand beside it."""
CHANCE = "f1_chance"
DIRECTION, DIRECTION_P = "direction_score", "direction_p"
"""What leads are judged by, and the share of random orders that reach it."""
SKELETON, SKELETON_F1_P, SKELETON_P = "skeleton_f1", "skeleton_f1_p", "skeleton_p"
ORDER_SCORE = "order_score"
LEAD_CONTROLS = frozenset({DIRECTION_P, SKELETON_F1_P, SKELETON_P, CHANCE, DIRECTION, SKELETON})
"""What leads are judged by, beside the scores."""
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
        The summary of the same rows.
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
        controls = {*self.runs.controls, *self.runs.scores}
        return (
            self.metric == MAIN
            and RANDOM_DIRECTION in self.runs.measured
            and controls >= LEAD_CONTROLS
        )

    @cached_property
    def cells(self) -> dict[str, Codes]:
        """The indices of each scheme's problems and replicates, in the order of the schemes."""
        return {group.values[0]: group.cells for group in self.runs.groups((SCHEME,))}

    @cached_property
    def n_instances(self) -> int:
        """How many instances the study has."""
        return int(self.runs.instances.max(initial=-1)) + 1

    @property
    def listed(self) -> list[str]:
        """The algorithms that the study lists."""
        named = zip(self.runs.algorithms, self.runs.roles, strict=True)
        return [name for name, role in named if role != "baseline"]

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
        about = Number(np.nan, "mean", metric, scheme, algorithm, is_share=self.is_share(metric))
        return _mean(self.runs.scores_of(metric, algorithm)[self.cells[scheme]], about)

    def n_scores(self, algorithm: str, scheme: str, metric: str) -> int:
        """Return how many scores an algorithm has on a scheme."""
        return int((~np.isnan(self.runs.scores_of(metric, algorithm)[self.cells[scheme]])).sum())

    def measured_mean(self, scheme: str, column: str) -> Number | None:
        """Return the mean of a diagnostic over a scheme's instances; None if it has none."""
        if column not in self.runs.measured:
            return None
        return _mean(self._measured(scheme, column), Number(np.nan, "measured", column, scheme))

    def lead(self, algorithm: str, scheme: str, metric: str = DIRECTION) -> Lead | None:
        """Return how far an algorithm is ahead of the mean of random orders; None if unknown.

        Parameters
        ----------
        algorithm, scheme : str
        metric : {"direction_score", "skeleton_f1"}
        """
        gain = self._gain(algorithm, metric)[self.cells[scheme]]
        if np.isnan(gain).all():
            return None
        return self._lead(gain, Number(np.nan, "lead", metric, scheme, algorithm))

    def lead_over(self, metric: str, scheme: str, algorithm: str, opponent: str) -> Lead:
        """Return how far one algorithm is ahead of another in any metric."""
        gain = self.gain(metric, scheme, algorithm, opponent)
        share = self.is_share(metric)
        number = Number(np.nan, "lead", metric, scheme, algorithm, opponent, is_share=share)
        return self._lead(gain, number)

    def _lead(self, gain: Vector, number: Number) -> Lead:
        """Return the mean of gains on the cells of a scheme."""
        instances = self.runs.instances[self.cells[str(number.scheme)]]
        mean = mean_with_interval(gain, instances)
        number = replace(number, value=mean.value)
        return Lead(number, mean.low, mean.high, count_instances(instances[~np.isnan(gain)]))

    def skeleton_fit(self, algorithm: str, scheme: str) -> Number | None:
        """Return how probable it is to join as many true pairs by chance; None if unknown."""
        if SKELETON_P not in self.runs.controls:
            return None
        p_value = combined(self._control(SKELETON_P, algorithm, scheme))
        if np.isnan(p_value):
            return None
        return Number(p_value, "skeleton fit p", SKELETON_P, scheme, algorithm)

    def gain(self, metric: str, scheme: str, algorithm: str, opponent: str) -> Vector:
        """Return in each cell of a scheme how much better an algorithm is than an opponent."""
        pair = self._index(algorithm), self._index(opponent)
        return difference(self.runs, metric, self.cells[scheme], pair) * self.runs.better[metric]

    def gain_by_instance(self, metric: str, scheme: str, algorithm: str, opponent: str) -> Vector:
        """Return the same, averaged over each instance."""
        instances = self.runs.instances[self.cells[scheme]]
        return by_instance(
            self.gain(metric, scheme, algorithm, opponent), instances, self.n_instances
        )

    def orders(self, scheme: str) -> dict[Artefact, OrderEvidence]:
        """Return what was measured of each statistic that could give a scheme's order away."""
        measured = {}
        for key, artefact in ARTEFACTS.items():
            columns = order_columns(key)
            if not all(name in self.runs.measured for name in columns):
                continue
            *values, up, down = (self._measured(scheme, name) for name in columns)
            if not np.isnan(values[0]).all():
                random = self._measured(scheme, RANDOM_DIRECTION)
                measured[artefact] = OrderEvidence(*[*values, up - random, down - random])
        return measured

    @cached_property
    def artefacts(self) -> list[Artefact]:
        """The artefacts that were looked for on any scheme."""
        return list(dict.fromkeys(one for scheme in self.cells for one in self.orders(scheme)))

    def attainable(self, scheme: str) -> Vector | None:
        """Return by instance the least p-value that any order could have, if it was measured."""
        if ATTAINABLE_P not in self.runs.measured:
            return None
        return self._measured(scheme, ATTAINABLE_P)

    def of_algorithm(self, algorithm: str, free: list[str], gamed: list[str]) -> AlgorithmEvidence:
        """Return what the judge looks at for an algorithm.

        Parameters
        ----------
        algorithm : str
        free, gamed : list of str
            The schemes without and with a found artefact.
        """
        leads = {scheme: self._lead_evidence(algorithm, scheme) for scheme in self.cells}
        falls = (
            {scheme: leads[gamed[0]].gain - leads[scheme].gain for scheme in free} if gamed else {}
        )
        return AlgorithmEvidence(leads, free, falls, self._scales(algorithm))

    def _lead_evidence(self, algorithm: str, scheme: str) -> LeadEvidence:
        def by_instance(values: Vector) -> Vector:
            return self._by_instance(values, scheme)

        return LeadEvidence(
            by_instance(self._scores(DIRECTION, algorithm)),
            self._control(DIRECTION_P, algorithm, scheme),
            by_instance(self._gain(algorithm, DIRECTION)),
            self._control(SKELETON_F1_P, algorithm, scheme),
            self._control(SKELETON_P, algorithm, scheme),
            by_instance(self._gain(algorithm, SKELETON)),
        )

    def beyond_chance(self, algorithm: str, scheme: str) -> Vector:
        """Return by instance how far a score is above as many edges at random places."""
        chance = self.runs.controls[CHANCE][self._index(algorithm)]
        return self._by_instance(self.runs.scores_of(self.metric, algorithm) - chance, scheme)

    def _scales(self, algorithm: str) -> dict[str, ScaleEvidence]:
        scores = self.runs.scores_of(self.metric, algorithm)
        orders = np.full(len(scores), np.nan)
        if ORDER_SCORE in self.runs.scores:
            orders = self.runs.scores_of(ORDER_SCORE, algorithm)
        return {
            base: ScaleEvidence(
                *(self._by_instance(scores, scheme) for scheme in (base, *others)),
                *(self._by_instance(orders, scheme) for scheme in others[:2]),
            )
            for base, others in rescalings(self.cells).items()
        }

    def _gain(self, algorithm: str, metric: str) -> Vector:
        """Return how far scores are above those of random orders; nan if that is not known."""
        random = {DIRECTION: RANDOM_DIRECTION, SKELETON: RANDOM_SKELETON_F1}[metric]
        if random not in self.runs.measured:
            return np.full(len(self.runs.cells), np.nan)
        return self._scores(metric, algorithm) - self.runs.measured[random]

    def _scores(self, metric: str, algorithm: str) -> Vector:
        """Return the scores of a metric that the study lists or that is a control."""
        if metric in self.runs.scores:
            return self.runs.scores_of(metric, algorithm)
        if metric in self.runs.controls:
            return self.runs.controls[metric][self._index(algorithm)]
        return np.full(len(self.runs.cells), np.nan)

    def _index(self, algorithm: str) -> int:
        return self.runs.algorithms.index(algorithm)

    def _measured(self, scheme: str, column: str) -> Vector:
        return self._by_instance(self.runs.measured[column], scheme)

    def _control(self, name: str, algorithm: str, scheme: str) -> Vector:
        return self._by_instance(self.runs.controls[name][self._index(algorithm)], scheme)

    def _by_instance(self, values: Vector, scheme: str | None) -> Vector:
        """Return the mean of each instance on a scheme; nan without the scheme."""
        if scheme is None:
            return np.full(self.n_instances, np.nan)
        cells = self.cells[scheme]
        return by_instance(values[cells], self.runs.instances[cells], self.n_instances)

    def has_failed(self, algorithm: str) -> bool:
        """Return whether some runs of an algorithm did not end ok."""
        return bool((self.runs.status[self._index(algorithm)] > OK).any())


def order_columns(key: str) -> list[str]:
    """Return the columns with what is measured of an artefact, by its key in `ARTEFACTS`."""
    p_values = ("rising_p", "falling_p", "up_direction_p", "down_direction_p")
    parts = (*p_values, "up_direction", "down_direction")
    return [sortability_column(key), *(column(key, part) for part in parts)]


def _mean(values: Vector, about: Number) -> Number | None:
    """Return the number with the mean of the values that are not nan; None if there are none."""
    known = values[~np.isnan(values)]
    return replace(about, value=float(known.mean())) if len(known) else None


def rescalings(schemes: Collection[str]) -> dict[str, tuple[str | None, str | None, str | None]]:
    """Return of each scheme that was rescaled: in order, at random and standardised, if there.

    Examples
    --------
    >>> rescalings(["raw", "raw + rescale-in-order", "standardized", "iscm"])
    {'raw': ('raw + rescale-in-order', None, 'standardized')}
    >>> rescalings(["data", "data + standardize"])
    {'data': (None, None, 'data + standardize')}
    >>> rescalings(["alarm raw", "alarm raw + standardize"])  # a folder of files may be called so
    {'alarm raw': (None, None, 'alarm raw + standardize')}
    """
    rescaled = {}
    for base in schemes:
        transformed = f"{base} + standardize"
        standard = transformed if transformed in schemes else _standardized(base)
        wanted = (f"{base} + {IN_ORDER}", f"{base} + {AT_RANDOM}", standard)
        in_order, at_random, standardized = (n if n in schemes else None for n in wanted)
        if in_order or at_random or standardized:
            rescaled[base] = (in_order, at_random, standardized)
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
    """Return what generated raw data are called once they are standardised."""
    *mechanism, kind = base.split(" ")
    return " ".join([*mechanism, "standardized"]) if kind == "raw" else ""
