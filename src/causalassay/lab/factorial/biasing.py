"""Algorithm 1 of Garant and Jensen 2016: a covariate decides which treatments are likely."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from causalassay.graphs.orders import Indices
from causalassay.lab.factorial.experiment import FactorialExperiment
from causalassay.lab.factorial.scales import Scale, scale_of

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
    levels = {name: (one[0], one[-1]) for name, one in experiment.levels.items()}
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
    rng : Generator
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
