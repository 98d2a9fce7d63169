"""What an experiment says for sure: laws under interventions, and who moves what."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from causalassay.common.arrays import Adjacency, Vector
from causalassay.data import Dataset
from causalassay.data.dataset import Regime
from causalassay.data.kinds import ColumnKind, Continuous, Discrete
from causalassay.graphs.orders import Indices
from causalassay.lab.factorial.biasing import biasing_scale, level_probabilities, signs
from causalassay.lab.factorial.experiment import FactorialExperiment
from causalassay.lab.factorial.scales import NumberScale, Scale, scale_of
from causalassay.lab.factorial.settings import Settings

ALPHA = 0.05
"""The level of the tests together (Holm)."""

LAST = -1


@dataclass(frozen=True)
class Truth:
    """The interventional laws of an experiment, and the graph that is consistent with it.

    Parameters
    ----------
    experiment : FactorialExperiment
    settings : Settings
    """

    experiment: FactorialExperiment
    settings: Settings

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the nodes: covariates, treatments, outcomes."""
        own = self.experiment
        others = tuple(name for name in own.covariates if name != own.biasing)
        seen = others if self.settings.covariates == "all" else ()
        return (own.biasing, *own.treatments, *own.outcomes, *seen)

    @cached_property
    def scales(self) -> dict[str, Scale]:
        """The scales of the columns that are no treatments."""
        own = self.experiment
        scales = {own.biasing: biasing_scale(own, self.settings.bins)}
        for name in self.columns:
            if name not in own.treatments and name not in scales:
                scales[name] = scale_of(own.frame[name], self.settings.levels)
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
        own = self.experiment
        return tuple(
            len(own.levels[name]) if name in own.levels else self.scales[name].n_levels
            for name in self.columns
        )

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """The level of every entry of the experiment, shape (rows, columns)."""
        own = self.experiment
        return np.column_stack(
            [
                own.treatment_codes[name]
                if name in own.levels
                else self.scales[name].codes(own.frame[name].tolist())
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
        own = self.experiment
        sign = signs(self.codes[:, 0] + 1, len(own.treatments))
        rows = np.arange(len(own.frame))
        return {
            name: level_probabilities(sign[:, j], self.settings.beta, len(own.levels[name]))[
                rows, own.treatment_codes[name]
            ]
            for j, name in enumerate(own.treatments)
        }

    def laws(self, treatment: str, level: int = LAST) -> dict[str, Vector]:
        """Return the law of each outcome where a treatment is set to the level of that number.

        All subjects count alike. The other treatments vary as biasing assigns them, for that is
        the population that a model of the biased data describes; with beta = 0 they are uniform.
        """
        own = self.experiment
        weights = np.ones(len(own.frame))
        for name, probability in self.assignment.items():
            if name != treatment:
                weights *= probability
        codes = own.treatment_codes[treatment]
        weights *= codes == level % len(own.levels[treatment])
        cell = own.subject_numbers * own.n_combinations + own.combinations
        weights /= np.bincount(cell)[cell] * own.n_subjects
        return {
            name: np.bincount(
                self.codes[:, node], weights, minlength=self.level_counts[node]
            ).astype(float)
            for name, node in zip(own.outcomes, self.outcome_nodes, strict=True)
        }

    @cached_property
    def treated(self) -> tuple[dict[str, Vector], ...]:
        """The laws of the outcomes under the last level of each treatment."""
        return tuple(self.laws(name) for name in self.experiment.treatments)

    @cached_property
    def effects(self) -> NDArray[Any]:
        """The total variation between last and first level, shape (treatments, outcomes)."""
        own = self.experiment
        first = [self.laws(name, 0) for name in own.treatments]
        return np.array(
            [
                [np.abs(high[name] - low[name]).sum() / 2 for name in own.outcomes]
                for high, low in zip(self.treated, first, strict=True)
            ]
        )

    @cached_property
    def p_values(self) -> NDArray[Any]:
        """Of tests within subjects that a treatment moves an outcome, by Holm's correction.

        Each subject's mean outcome under each level is compared: Wilcoxon's signed ranks
        (exact for few subjects) for two levels, Friedman's test for more. Shape (treatments,
        outcomes).
        """
        own = self.experiment
        raw = [_test_within(self._subject_means(treatment)) for treatment in own.treatments]
        return holm(np.array(raw))

    def _subject_means(self, treatment: str) -> NDArray[Any]:
        """Return mean outcomes of each subject under each level: subjects, levels, outcomes."""
        own = self.experiment
        n_levels = len(own.levels[treatment])
        cell = own.subject_numbers * n_levels + own.treatment_codes[treatment]
        size = own.n_subjects * n_levels
        counts = np.bincount(cell, minlength=size)
        sums = [
            np.bincount(cell, own.frame[name].to_numpy(float), minlength=size)
            for name in own.outcomes
        ]
        return (np.array(sums) / counts).T.reshape(own.n_subjects, n_levels, len(own.outcomes))

    @cached_property
    def covariate_p_values(self) -> Vector:
        """Of Kruskal–Wallis tests that subjects' mean outcomes depend on the biasing covariate."""
        own = self.experiment
        codes = self.scales[own.biasing].codes(own.subjects[own.biasing].tolist())
        raw = []
        for outcome in own.outcomes:
            sums = np.bincount(own.subject_numbers, own.frame[outcome].to_numpy(float))
            means = sums / np.bincount(own.subject_numbers)
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
        p_values[moved] = [signed_rank_p_value(one) for one in differences.T]
    elif len(means) >= two:
        for k in np.flatnonzero(moved):
            p_values[k] = stats.friedmanchisquare(*means[:, :, k].T).pvalue
    return p_values.tolist()


def _test_between(groups: list[Vector]) -> float:
    if len(groups) < 2 or np.ptp(np.concatenate(groups)) == 0:  # noqa: PLR2004
        return 1.0
    return float(stats.kruskal(*groups).pvalue)


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


def without_doubles(truth: Truth) -> tuple[Truth, dict[str, str]]:
    """Return the truth without columns that equal an earlier one in every row, and these.

    Two outcomes may differ and yet have the same levels, such as blocks read and blocks
    written. Algorithms cannot use both, so the later one is left out; it is returned with the
    one that it equals. Treatments and the biasing covariate stay.
    """
    seen: dict[bytes, str] = {}
    doubles: dict[str, str] = {}
    own = truth.experiment
    for node, name in enumerate(truth.columns):
        content = truth.values[:, node].tobytes()
        if content in seen and name not in own.treatments:
            doubles[name] = seen[content]
        seen.setdefault(content, name)
    if not doubles:
        return truth, {}
    single = replace(
        own,
        outcomes=tuple(name for name in own.outcomes if name not in doubles),
        covariates=tuple(name for name in own.covariates if name not in doubles),
    )
    return Truth(single, truth.settings), doubles


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
