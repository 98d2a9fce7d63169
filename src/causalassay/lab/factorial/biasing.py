"""Algorithm 1 of Garant and Jensen 2016: a covariate decides which treatments are likely.

Columns are put on scales that models can be fitted to: levels, or normal scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from causalassay.common.arrays import Vector
from causalassay.common.spelling import check_choice
from causalassay.graphs.orders import Indices
from causalassay.lab.factorial.experiment import FactorialExperiment

OTHER = "(other)"
"""The level of all rarer texts together."""


@dataclass(frozen=True, eq=False)
class NumberScale:
    """A column of numbers cut into levels of about equally many rows, with a normal score each.

    Parameters
    ----------
    edges : Vector
        Rising. Level k holds the values above edge k - 1 and up to edge k.
    values : Vector
        Those that occur, rising.
    scores : Vector
        The normal quantile of each value's mean rank share.

    Examples
    --------
    >>> scale = NumberScale.of([0, 0, 0, 1, 5, 9], 3)
    >>> scale.edges, scale.codes([0, 2, 9]).tolist(), scale.names
    (array([0., 1.]), [0, 2, 2], ('≤ 0', '≤ 1', '> 1'))
    """

    edges: Vector
    values: Vector
    scores: Vector

    @classmethod
    def of(cls, column: ArrayLike, n_levels: int) -> NumberScale:
        """Return the scale of a column of two values or more, in at most `n_levels`.

        Few values have a level each; more are cut at quantiles.
        """
        values, counts = np.unique(np.asarray(column, dtype=float), return_counts=True)
        below = np.cumsum(counts)
        scores = ndtri((below - counts / 2) / below[-1])
        if len(values) <= n_levels:
            return cls(values[:-1], values, scores)
        # The least value with a share of at least k/n at or below it: no mean of two values.
        wanted = np.arange(1, n_levels) / n_levels * below[-1]
        edges = np.unique(values[np.searchsorted(below, wanted - 1e-9)])
        edges = edges[edges < values[-1]]
        if not len(edges):
            edges = values[-2:-1]
        return cls(edges, values, scores)

    @property
    def n_levels(self) -> int:
        """The number of levels."""
        return len(self.edges) + 1

    @property
    def names(self) -> tuple[str, ...]:
        """The levels in words."""
        return (*(f"≤ {edge:.6g}" for edge in self.edges), f"> {self.edges[-1]:.6g}")

    def codes(self, column: ArrayLike) -> Indices:
        """Return the level of each value."""
        return np.searchsorted(self.edges, np.asarray(column, dtype=float)).astype(np.int64)

    def normal_scores(self, column: ArrayLike) -> Vector:
        """Return the score of each value, which must be one that occurs."""
        return self.scores[np.searchsorted(self.values, np.asarray(column, dtype=float))]

    def normal_law(self, mean: float, variance: float) -> Vector:
        """Return the share of each level under a normal law of the scores."""
        last = np.searchsorted(self.values, self.edges)
        cuts = (self.scores[last] + self.scores[last + 1]) / 2
        spread = np.sqrt(max(variance, np.finfo(float).tiny))
        return np.diff(ndtr((cuts - mean) / spread), prepend=0.0, append=1.0)


@dataclass(frozen=True)
class TextScale:
    """A column of texts: the most frequent ones have a level each, the rest one together.

    Examples
    --------
    >>> scale = TextScale.of(["a", "b", "b", "c", "c", "c"], 2)
    >>> scale.names, scale.codes(["a", "c"]).tolist()
    (('c', '(other)'), [1, 0])
    """

    names: tuple[str, ...]

    @classmethod
    def of(cls, column: Sequence[str], n_levels: int) -> TextScale:
        """Return the scale of a column in at most `n_levels`."""
        texts, counts = np.unique(np.asarray(column, dtype=str), return_counts=True)
        if len(texts) <= n_levels:
            return cls(tuple(texts.tolist()))
        frequent = texts[np.argsort(-counts, kind="stable")[: n_levels - 1]]
        return cls((*sorted(frequent.tolist()), OTHER))

    @property
    def n_levels(self) -> int:
        """The number of levels."""
        return len(self.names)

    def codes(self, column: Sequence[str]) -> Indices:
        """Return the level of each text; those without one have the last."""
        codes = {name: k for k, name in enumerate(self.names)}
        return np.array(
            [codes.get(str(text), self.n_levels - 1) for text in column], dtype=np.int64
        )

    def normal_scores(self, column: Sequence[str]) -> Vector:
        """Return the number of the level: texts have no ranks."""
        return self.codes(column).astype(float)


Scale = NumberScale | TextScale

MOST_TEXTS = 8
"""Levels of a column of texts, which no quantiles can cut."""


def scale_of(column: pd.Series[Any], n_levels: int) -> Scale:
    """Return the scale of a column: numbers in at most `n_levels`, texts in `MOST_TEXTS`.

    Examples
    --------
    >>> scale_of(pd.Series([1, 2, 3, 4]), 2).names
    ('≤ 2', '> 2')
    """
    if n_levels < 2:  # noqa: PLR2004
        raise ValueError(f"expected 2 levels or more, got {n_levels}")
    if pd.api.types.is_numeric_dtype(column):
        return NumberScale.of(column.to_numpy(float), n_levels)
    return TextScale.of(column.astype(str).tolist(), max(n_levels, MOST_TEXTS))


def half_l1(p: NDArray[Any], q: NDArray[Any]) -> float:
    """Return the total variation between two laws on the same levels.

    Examples
    --------
    >>> half_l1(np.array([0.5, 0.5]), np.array([0.25, 0.75]))
    0.25
    """
    return float(np.abs(p - q).sum() / 2)


BINS = 2
"""Into how many levels the biasing covariate is cut: at its median.

Signs alternate from level to level, so with more of them a covariate that acts in one direction
confounds less.
"""

Shares = NDArray[np.floating[Any]]


def signs(codes: ArrayLike, n_treatments: int) -> Shares:
    """Return +1 where code times number of the treatment is even, else -1; both count from 1.

    Every second treatment is thus always +1: only those of odd number depend on the covariate.

    Parameters
    ----------
    codes : array_like, shape (n,)
        The covariate of each subject, from 1 on.
    n_treatments : int
        The number of treatments, which is the number of columns returned.

    Examples
    --------
    >>> signs([1, 2], 3).astype(int)
    array([[-1,  1, -1],
           [ 1,  1,  1]])
    """
    products = np.outer(np.asarray(codes), np.arange(1, n_treatments + 1))
    return np.where(products % 2 == 0, 1.0, -1.0)


def level_probabilities(sign: ArrayLike, beta: float, n_levels: int) -> Shares:
    """Return the probability of each level of a treatment, shape (n, n_levels).

    With two levels the second has the logistic function of sign times beta. With more, the log
    odds rise evenly from the first to the last, so that the odds of the last against the first
    are the same.

    Examples
    --------
    >>> level_probabilities([1, -1], 1.0, 2).round(3)
    array([[0.269, 0.731],
           [0.731, 0.269]])
    >>> level_probabilities([1], 1.0, 3).round(3)
    array([[0.186, 0.307, 0.506]])
    """
    log_odds = np.outer(np.asarray(sign, dtype=float) * beta, np.linspace(-0.5, 0.5, n_levels))
    weights = np.exp(log_odds - log_odds.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def at_extremes(experiment: FactorialExperiment) -> FactorialExperiment:
    """Return the experiment with the first and the last level of each treatment only.

    This is how treatments of more than two levels become the two that Algorithm 1 knows. With
    two levels each, the experiment itself.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.lab.factorial import LookAlike, Sizes, draw_look_alike
    >>> experiment = draw_look_alike(
    ...     Sizes(60, 1, 2, 2), LookAlike("logistic", 1, 9.0), np.random.default_rng(0)
    ... )
    >>> at_extremes(experiment) is experiment
    True
    """
    most = 2
    if all(len(levels) == most for levels in experiment.levels.values()):
        return experiment
    levels = {name: (every[0], every[-1]) for name, every in experiment.levels.items()}
    frame = experiment.frame
    for name, two in levels.items():
        frame = frame[frame[name].isin(two)]
    return FactorialExperiment(
        frame,
        experiment.subject,
        experiment.trial,
        experiment.treatments,
        experiment.outcomes,
        experiment.covariates,
        experiment.biasing,
        experiment.provenance,
        levels,
        experiment.left_out,
    )


def bias(
    experiment: FactorialExperiment,
    rng: Generator,
    beta: float = 1.0,
    bins: int = BINS,
    *,
    treated: str | None = None,
) -> pd.DataFrame:
    """Return one row per subject: treatments drawn by the biasing covariate, trial at random.

    Parameters
    ----------
    experiment : FactorialExperiment
        The randomised experiment, with its biasing covariate.
    rng : Generator
        The source of randomness.
    beta : float
        The strength of the bias: 0 is a randomised experiment, and from 3 on some
        treatments are nearly determined by the covariate.
    bins : int
        Into how many levels the biasing covariate is cut, by quantiles; they are the codes
        1, 2, … of the algorithm. How the paper codes it is not stated. A text covariate has a
        level for each text, or for the most frequent ones.
    treated : str, optional
        A treatment that all subjects have at its last level: an intervention.

    References
    ----------
    Garant and Jensen 2016, algorithm 1. For more than two levels see `level_probabilities`.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.lab.factorial import LookAlike, Sizes, draw_look_alike
    >>> experiment = draw_look_alike(
    ...     Sizes(60, 1, 2, 2), LookAlike("logistic", 1, 9.0), np.random.default_rng(0)
    ... )
    >>> rows = bias(experiment, np.random.default_rng(1), beta=1.0)
    >>> len(experiment.frame), len(rows)
    (240, 60)
    """
    rows = biased_rows(experiment, rng, beta, bins, treated=treated)
    return experiment.frame.iloc[rows].reset_index(drop=True)


def biased_rows(
    experiment: FactorialExperiment,
    rng: Generator,
    beta: float,
    bins: int,
    *,
    treated: str | None = None,
) -> Indices:
    """Return the positions of the rows that `bias` returns."""
    check_strength(beta)
    subjects = experiment.subjects
    codes = biasing_scale(experiment, bins).codes(subjects[experiment.biasing].tolist()) + 1
    sign = signs(codes, len(experiment.treatments))
    cells = np.zeros(len(subjects), dtype=np.int64)
    for j, (name, levels) in enumerate(experiment.levels.items()):
        cumulative = level_probabilities(sign[:, j], beta, len(levels)).cumsum(axis=1)
        drawn = (rng.random((len(subjects), 1)) > cumulative[:, :-1]).sum(axis=1)
        drawn = np.full_like(drawn, len(levels) - 1) if name == treated else drawn
        cells = cells * len(levels) + drawn
    return _one_trial(experiment, cells, rng)


def check_strength(beta: float) -> None:
    """Raise unless beta is a number of at least 0."""
    if not 0 <= beta < np.inf:
        raise ValueError(f"beta: expected a number of at least 0, got {beta}")


def biasing_scale(experiment: FactorialExperiment, bins: int) -> Scale:
    """Return how the biasing covariate is cut: by quantiles over subjects."""
    try:
        return scale_of(experiment.subjects[experiment.biasing], bins)
    except ValueError as error:
        raise ValueError(f"bins: {error}") from None


def _one_trial(experiment: FactorialExperiment, cells: Indices, rng: Generator) -> Indices:
    """Return for each subject the position of a random row of its combination."""
    subject = experiment.subject_numbers
    fits = np.flatnonzero(experiment.combinations == cells[subject])
    # A random order, then the first row of each subject: every trial is equally likely.
    shuffled = rng.permutation(fits)
    _, first = np.unique(subject[shuffled], return_index=True)
    return shuffled[first]


# How an experiment is made observational, and how graphs found on it are judged.

Fit = Literal["tables", "linear-gaussian"]
Covariates = Literal["biasing", "all"]


@dataclass(frozen=True)
class Settings:
    """The settings of an evaluation.

    Parameters
    ----------
    beta : float
        The strength of the bias; see `bias`.
    bins : int
        Into how many levels the biasing covariate is cut, by quantiles.
    levels : int
        Into how many levels outcomes and other covariates are cut, by quantiles over all rows
        of the experiment. Laws of outcomes are compared on these levels.
    fit : {"tables", "linear-gaussian"}
        "tables": algorithms see levels, and the model is a table per node. "linear-gaussian":
        they see normal scores, with treatments and the biasing covariate as codes, and the
        model is linear with Gaussian noise.
    smoothing : float
        Of tables: what is added to every count. 0 is maximum likelihood; then a configuration
        of parents that never occurs has equally probable levels.
    covariates : {"biasing", "all"}
        Which covariates algorithms see.

    Examples
    --------
    >>> Settings(beta=-1)
    Traceback (most recent call last):
    ValueError: beta: expected a number of at least 0, got -1
    """

    beta: float = 1.0
    bins: int = BINS
    levels: int = 3
    fit: Fit = "tables"
    smoothing: float = 0.0
    covariates: Covariates = "biasing"

    def __post_init__(self) -> None:
        check_strength(self.beta)
        for name in ("bins", "levels"):
            if getattr(self, name) < 2:  # noqa: PLR2004
                raise ValueError(f"{name}: expected 2 or more, got {getattr(self, name)}")
        if not 0 <= self.smoothing < float("inf"):
            raise ValueError(f"smoothing: expected a number of at least 0, got {self.smoothing}")
        check_choice("fit", self.fit, ("tables", "linear-gaussian"))
        check_choice("covariates", self.covariates, ("biasing", "all"))
