"""The truth of an experiment: laws under interventions, who moves what, and its tests."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from causalassay.common.arrays import Adjacency, Vector, finite_or_none
from causalassay.data import Dataset
from causalassay.data.dataset import Regime
from causalassay.data.kinds import ColumnKind, Continuous, Discrete
from causalassay.graphs.orders import Indices
from causalassay.lab.factorial.biasing import (
    NumberScale,
    Scale,
    Settings,
    biasing_scale,
    level_probabilities,
    scale_of,
    signs,
)
from causalassay.lab.factorial.experiment import FactorialExperiment

# Means over repeats with intervals, and tests whose p-values are exact or corrected.

LEVEL = 0.95


class Mean(NamedTuple):
    """A mean over repeats with its interval, 95 % unless said otherwise; nan if undefined."""

    value: float
    low: float
    high: float
    n: int

    def to_dict(self) -> dict[str, float | int | None]:
        """Return plain values for JSON, None for what is undefined."""
        numbers = {"mean": self.value, "low": self.low, "high": self.high}
        return {key: finite_or_none(number) for key, number in numbers.items()} | {"n": self.n}


def mean_of(values: ArrayLike, level: float = LEVEL) -> Mean:
    """Return the mean of repeats, with Student's interval; nan entries are left out.

    Examples
    --------
    >>> mean_of([1.0, 2.0, 3.0])
    Mean(value=2.0, low=-0.48..., high=4.48..., n=3)
    >>> mean_of([]).n
    0
    """
    array = np.asarray(values, dtype=float)
    array = array[~np.isnan(array)]
    n = len(array)
    if n == 0:
        return Mean(math.nan, math.nan, math.nan, 0)
    mean = float(array.mean())
    if n == 1:
        return Mean(mean, math.nan, math.nan, 1)
    half = float(stats.t.ppf((1 + level) / 2, n - 1) * array.std(ddof=1) / math.sqrt(n))
    return Mean(mean, mean - half, mean + half, n)


def mean_distance(values: ArrayLike, most: float = math.inf) -> Mean:
    """Return the mean of distances or counts; its interval has no impossible values.

    Examples
    --------
    >>> mean_distance([0.0, 0.0, 3.0])
    Mean(value=1.0, low=0.0, high=5.3..., n=3)
    """
    mean = mean_of(values)
    if math.isnan(mean.low):
        return mean
    return mean._replace(low=max(mean.low, 0.0), high=min(mean.high, most))


def difference_of(first: ArrayLike, second: ArrayLike) -> Mean:
    """Return the difference of two independent means, with Welch's interval.

    Examples
    --------
    >>> difference_of([2.0, 3.0], [1.0, 1.0]).value
    1.5
    """
    before, other = (np.asarray(values, dtype=float) for values in (first, second))
    before, other = before[~np.isnan(before)], other[~np.isnan(other)]
    least = 2
    if min(len(before), len(other)) < least:
        return Mean(math.nan, math.nan, math.nan, min(len(before), len(other)))
    gap = float(before.mean() - other.mean())
    errors = [float(values.var(ddof=1)) / len(values) for values in (before, other)]
    total = sum(errors)
    if total == 0:
        return Mean(gap, gap, gap, min(len(before), len(other)))
    freedom = total**2 / sum(
        error**2 / (len(values) - 1) for error, values in zip(errors, (before, other), strict=True)
    )
    half = float(stats.t.ppf((1 + LEVEL) / 2, freedom)) * math.sqrt(total)
    return Mean(gap, gap - half, gap + half, min(len(before), len(other)))


def holm(p_values: NDArray[Any]) -> NDArray[Any]:
    """Return p-values corrected for their number, in the same shape; undefined ones become 1.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).round(6)
    array([0.03, 0.06, 0.06])
    """
    flat = np.where(np.isnan(p_values), 1.0, p_values).ravel()
    order = np.argsort(flat)
    corrected = np.maximum.accumulate(flat[order] * np.arange(len(flat), 0, -1))
    result = np.empty(len(flat))
    result[order] = np.minimum(corrected, 1.0)
    return result.reshape(p_values.shape)


# Wilcoxon's signed-rank test, exact for few subjects, also with ties and zeros.

MOST_EXACT = 50
"""Differences up to which the distribution is exact; beyond it is normal."""


def signed_rank_p_value(differences: Vector) -> float:
    """Return the two-sided p-value that differences are symmetric about 0.

    Zeros are left out, and ties share their mean rank. For at most `MOST_EXACT` differences the
    distribution over all signs is exact, given these ranks.

    Examples
    --------
    >>> signed_rank_p_value(np.array([1.0, 2.0, 2.0, 5.0, 0.0]))
    0.125
    """
    moved = differences[differences != 0]
    if not len(moved):
        return 1.0
    if len(moved) > MOST_EXACT:
        return float(stats.wilcoxon(moved, method="approx").pvalue)
    doubled = np.rint(2 * stats.rankdata(np.abs(moved))).astype(np.int64)
    positive = int(doubled[moved > 0].sum())
    law = _law_of_sums(doubled)
    return min(1.0, 2.0 * float(law[max(positive, len(law) - 1 - positive) :].sum()))


def _law_of_sums(ranks: NDArray[np.int64]) -> Vector:
    """Return the probability of each sum of ranks whose signs are fair coins."""
    law = np.zeros(int(ranks.sum()) + 1)
    law[0] = 1.0
    for rank in ranks:
        law[rank:] = law[rank:] / 2 + law[: len(law) - rank] / 2
        law[:rank] /= 2
    return law


ALPHA = 0.05
"""The level of the tests together (Holm)."""

LAST = -1


class Effect(NamedTuple):
    """How far a treatment moves an outcome, and whether tests show it; named as in JSON."""

    treatment: str
    outcome: str
    TV: float
    p_value: float
    moves: bool


@dataclass(frozen=True)
class Truth:
    """The interventional laws of an experiment, and the graph that is consistent with it.

    Parameters
    ----------
    experiment : FactorialExperiment
        The experiment, with two levels of each treatment.
    settings : Settings
        The settings of the evaluation.
    """

    experiment: FactorialExperiment
    settings: Settings

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the nodes: covariates, treatments, outcomes."""
        experiment = self.experiment
        others = tuple(name for name in experiment.covariates if name != experiment.biasing)
        seen = others if self.settings.covariates == "all" else ()
        return (experiment.biasing, *experiment.treatments, *experiment.outcomes, *seen)

    @cached_property
    def scales(self) -> dict[str, Scale]:
        """The scales of the columns that are no treatments."""
        experiment = self.experiment
        scales = {experiment.biasing: biasing_scale(experiment, self.settings.bins)}
        for name in self.columns:
            if name not in experiment.treatments and name not in scales:
                scales[name] = scale_of(experiment.frame[name], self.settings.levels)
        return scales

    @property
    def treatment_nodes(self) -> range:
        """The positions of the treatments among the columns."""
        return range(1, 1 + len(self.experiment.treatments))

    @property
    def outcome_nodes(self) -> range:
        """The positions of the outcomes among the columns."""
        first = 1 + len(self.experiment.treatments)
        return range(first, first + len(self.experiment.outcomes))

    @cached_property
    def level_counts(self) -> tuple[int, ...]:
        """The number of levels of each column."""
        experiment = self.experiment
        return tuple(
            len(experiment.levels[name])
            if name in experiment.levels
            else self.scales[name].n_levels
            for name in self.columns
        )

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """The level of every entry of the experiment, shape (rows, columns)."""
        experiment = self.experiment
        return np.column_stack(
            [
                experiment.treatment_codes[name]
                if name in experiment.levels
                else self.scales[name].codes(experiment.frame[name].tolist())
                for name in self.columns
            ]
        )

    @cached_property
    def values(self) -> NDArray[Any]:
        """The experiment as algorithms see it, shape (rows, columns)."""
        values = self.codes.astype(float)
        if self.settings.fit == "linear-gaussian":
            for node in range(self.outcome_nodes.start, len(self.columns)):
                name = self.columns[node]
                column = self.experiment.frame[name].tolist()
                values[:, node] = self.scales[name].normal_scores(column)
        return values

    def dataset(self, rows: Indices) -> Dataset:
        """Return rows of the experiment, by position, as an observational data set."""
        regime = Regime("observational", self.values[rows])
        kinds = tuple(self._kind(name) for name in self.columns)
        return Dataset(self.columns, (regime,), observational="observational", kinds=kinds)

    def _kind(self, name: str) -> ColumnKind:
        if self.settings.fit != "tables":
            return Continuous()
        levels = self.experiment.levels.get(name)
        return Discrete(tuple(levels) if levels else self.scales[name].names)  # type: ignore[arg-type]

    @cached_property
    def assignment(self) -> dict[str, NDArray[Any]]:
        """For each treatment the probability with which biasing gives each row its level."""
        experiment = self.experiment
        sign = signs(self.codes[:, 0] + 1, len(experiment.treatments))
        rows = np.arange(len(experiment.frame))
        return {
            name: level_probabilities(sign[:, j], self.settings.beta, len(experiment.levels[name]))[
                rows, experiment.treatment_codes[name]
            ]
            for j, name in enumerate(experiment.treatments)
        }

    def laws(self, treatment: str, level: int = LAST) -> dict[str, Vector]:
        """Return the law of each outcome where a treatment is set to the level of that number.

        All subjects count alike. The other treatments vary as biasing assigns them, for that is
        the population that a model of the biased data describes; with beta = 0 they are uniform.
        """
        experiment = self.experiment
        weights = np.ones(len(experiment.frame))
        for name, probability in self.assignment.items():
            if name != treatment:
                weights *= probability
        codes = experiment.treatment_codes[treatment]
        weights *= codes == level % len(experiment.levels[treatment])
        cell = experiment.subject_numbers * experiment.n_combinations + experiment.combinations
        weights /= np.bincount(cell)[cell] * experiment.n_subjects
        return {
            name: np.bincount(
                self.codes[:, node], weights, minlength=self.level_counts[node]
            ).astype(float)
            for name, node in zip(experiment.outcomes, self.outcome_nodes, strict=True)
        }

    @cached_property
    def treated(self) -> tuple[dict[str, Vector], ...]:
        """The laws of the outcomes under the last level of each treatment."""
        return tuple(self.laws(name) for name in self.experiment.treatments)

    @cached_property
    def effects(self) -> NDArray[Any]:
        """The total variation between last and first level, shape (treatments, outcomes)."""
        experiment = self.experiment
        first = [self.laws(name, 0) for name in experiment.treatments]
        return np.array(
            [
                [np.abs(high[name] - low[name]).sum() / 2 for name in experiment.outcomes]
                for high, low in zip(self.treated, first, strict=True)
            ]
        )

    @cached_property
    def p_values(self) -> NDArray[Any]:
        """P-values that a treatment moves an outcome: tests within subjects, corrected by Holm.

        Each subject's mean outcome under each level is compared: Wilcoxon's signed ranks
        (exact for few subjects) for two levels, Friedman's test for more. Shape (treatments,
        outcomes).
        """
        experiment = self.experiment
        raw = [_test_within(self._subject_means(treatment)) for treatment in experiment.treatments]
        return holm(np.array(raw))

    @property
    def effect_rows(self) -> list[Effect]:
        """The effect of each treatment on each outcome."""
        moved = self.p_values <= ALPHA
        return [
            Effect(treatment, outcome, float(tv), float(p_value), bool(moves))
            for j, treatment in enumerate(self.experiment.treatments)
            for outcome, tv, p_value, moves in zip(
                self.experiment.outcomes, self.effects[j], self.p_values[j], moved[j], strict=True
            )
        ]

    def _subject_means(self, treatment: str) -> NDArray[Any]:
        """Return mean outcomes of each subject under each level: subjects, levels, outcomes."""
        experiment = self.experiment
        n_levels = len(experiment.levels[treatment])
        cell = experiment.subject_numbers * n_levels + experiment.treatment_codes[treatment]
        size = experiment.n_subjects * n_levels
        counts = np.bincount(cell, minlength=size)
        sums = [
            np.bincount(cell, experiment.frame[name].to_numpy(float), minlength=size)
            for name in experiment.outcomes
        ]
        return (np.array(sums) / counts).T.reshape(
            experiment.n_subjects, n_levels, len(experiment.outcomes)
        )

    @cached_property
    def covariate_p_values(self) -> Vector:
        """P-values that mean outcomes depend on the biasing covariate (Kruskal–Wallis, Holm)."""
        experiment = self.experiment
        codes = self.scales[experiment.biasing].codes(
            experiment.subjects[experiment.biasing].tolist()
        )
        raw = []
        for outcome in experiment.outcomes:
            sums = np.bincount(
                experiment.subject_numbers, experiment.frame[outcome].to_numpy(float)
            )
            means = sums / np.bincount(experiment.subject_numbers)
            raw.append(_test_between([means[codes == code] for code in np.unique(codes)]))
        return holm(np.array(raw))

    @cached_property
    def graph(self) -> Adjacency:
        """The consistent graph: its tables give every law of an outcome under one treatment.

        The biasing covariate acts on all treatments, and on the outcomes that depend on it;
        a treatment acts on the outcomes that it moves. Between outcomes there are no edges.
        """
        graph = self.graph_of_the_paper.copy()
        for node, p_value in zip(self.outcome_nodes, self.covariate_p_values, strict=True):
            graph[0, node] = p_value <= ALPHA
        return graph

    @cached_property
    def graph_of_the_paper(self) -> Adjacency:
        """The graph that the paper's text describes: without covariate → outcome."""
        graph = np.zeros((len(self.columns), len(self.columns)), dtype=bool)
        graph[0, self.treatment_nodes] = True
        graph[np.ix_(self.treatment_nodes, self.outcome_nodes)] = self.p_values <= ALPHA
        return graph

    def outcome_scale(self, name: str) -> NumberScale:
        """Return the scale of an outcome."""
        scale = self.scales[name]
        if not isinstance(scale, NumberScale):
            raise TypeError(f"outcome {name!r}: expected numbers")
        return scale


def _test_within(means: NDArray[Any]) -> list[float]:
    """Return the p-value of each outcome, whose means are in the last axis."""
    # Means of equal values over more or fewer trials may differ by rounding.
    first = means[:, :1]
    means = np.where(np.isclose(means, first, rtol=1e-12, atol=0.0), first, means)
    moved = (means != first).any(axis=(0, 1))
    p_values = np.ones(len(moved))
    two = 2
    if means.shape[1] == two and moved.any():
        differences = (means[:, 1] - means[:, 0])[:, moved]
        p_values[moved] = [signed_rank_p_value(difference) for difference in differences.T]
    elif len(means) >= two:
        for k in np.flatnonzero(moved):
            p_values[k] = stats.friedmanchisquare(*means[:, :, k].T).pvalue
    return p_values.tolist()


def _test_between(groups: list[Vector]) -> float:
    if len(groups) < 2 or np.ptp(np.concatenate(groups)) == 0:  # noqa: PLR2004
        return 1.0
    return float(stats.kruskal(*groups).pvalue)


def without_doubles(truth: Truth) -> tuple[Truth, dict[str, str]]:
    """Return the truth without columns that equal an earlier one in every row, and these.

    Two outcomes may differ and yet have the same levels, such as blocks read and blocks
    written. Algorithms cannot use both, so the later one is left out; it is returned with the
    one that it equals. Treatments and the biasing covariate stay.
    """
    seen: dict[bytes, str] = {}
    doubles: dict[str, str] = {}
    experiment = truth.experiment
    for node, name in enumerate(truth.columns):
        content = truth.values[:, node].tobytes()
        if content in seen and name not in experiment.treatments:
            doubles[name] = seen[content]
        seen.setdefault(content, name)
    if not doubles:
        return truth, {}
    single = replace(
        experiment,
        outcomes=tuple(name for name in experiment.outcomes if name not in doubles),
        covariates=tuple(name for name in experiment.covariates if name not in doubles),
    )
    return Truth(single, truth.settings), doubles
