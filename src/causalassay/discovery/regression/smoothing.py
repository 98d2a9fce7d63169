"""How smooth each term of an additive model is: the maximum of the restricted likelihood."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotri

from causalassay.common.arrays import Vector, Weights

_MOST_STEPS = 30
_MOST_HALVINGS = 12
_LONGEST_STEP = 4.0
_LEAST_CURVATURE = 1e-9
_FLAT = 2.0
_TOLERANCE = 1e-4
"""Smoothings are final where a step would raise the log-likelihood by less than this."""
_LEAST_WEIGHT, _MOST_WEIGHT = 1e-4, 1e5
"""The range of smoothings: of a term's smoothest bend so much of a weight is penalty."""
RIDGE = 1e-9
"""Added to the cross products, so that columns that repeat each other have a solution."""


@dataclass(frozen=True, eq=False)
class Solution:
    """The solution for one choice of smoothings, with the criterion and its derivatives."""

    coefficients: Vector
    inverse: Weights
    value: float
    slope: Vector
    curvature: Weights


@dataclass(frozen=True, eq=False)
class SmoothingProblem:
    """The choice of one smoothing for each term by restricted likelihood.

    Parameters
    ----------
    gram : ndarray, shape (k, k)
    with_target : ndarray, shape (k,)
        Of a target of variance 1.
    penalties : ndarray, shape (k,)
    sizes : ndarray of int, shape (p,)
        How many functions each term has; they stand term by term.
    n_samples : int
    """

    gram: Weights
    with_target: Vector
    penalties: Vector
    sizes: NDArray[np.int64]
    n_samples: int

    @cached_property
    def term(self) -> NDArray[np.int64]:
        """Which term each function belongs to."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @cached_property
    def _members(self) -> Weights:
        """Which functions belong to each term, as numbers."""
        return (self.term == np.arange(len(self.sizes))[:, None]).astype(float)

    @cached_property
    def _ranks(self) -> Vector:
        """How many functions of each term are penalised."""
        return self._members @ (self.penalties > 0)

    @cached_property
    def _free_rows(self) -> int:
        """The rows that the intercept and the unpenalised functions leave."""
        return max(self.n_samples - 1 - int((self.penalties == 0).sum()), 1)

    @cached_property
    def _smoothest(self) -> Vector:
        """The least penalty of each term that is not that of its line; 1 for a line alone."""
        least = np.full(len(self.sizes), np.inf)
        bent = self.penalties > 0
        np.minimum.at(least, self.term[bent], self.penalties[bent])
        return np.where(np.isfinite(least), least, 1.0)

    @property
    def start(self) -> Vector:
        """Smoothings that halve the smoothest bend of each term, where it is alone."""
        return -np.log(self._smoothest)

    def _bounds(self) -> tuple[Vector, Vector]:
        return self.start + np.log(_LEAST_WEIGHT), self.start + np.log(_MOST_WEIGHT)

    def at(self, log_smoothing: Vector) -> Solution:
        """Return the solution, minus the log restricted likelihood, its slope and curvature.

        With A the penalised cross products, D the mean squared residual plus the penalty and
        m the rows that the unpenalised functions leave, the criterion is
        (m log D + log|A| - Σ_j rank_j log λ_j) / 2.
        """
        if not len(self.gram):  # LAPACK takes no empty matrices
            p = len(self.sizes)
            return Solution(np.empty(0), self.gram, 0.0, np.zeros(p), np.zeros((p, p)))
        penalty = np.exp(log_smoothing)[self.term] * self.penalties
        factor, _ = dpotrf(self.gram + np.diag(penalty), lower=1)
        lower, _ = dpotri(factor, lower=1)
        inverse = lower + lower.T
        np.fill_diagonal(inverse, lower.diagonal())
        coefficients = inverse @ self.with_target
        deviance = max(1.0 - float(self.with_target @ coefficients), RIDGE)
        ranks, m = self._ranks, self._free_rows
        value = m * np.log(deviance) + 2.0 * np.log(factor.diagonal()).sum() - ranks @ log_smoothing
        # How the deviance and log|A| change with each log smoothing.
        pulled = penalty * coefficients
        by_term = self._members * pulled
        weights, pulls = by_term @ coefficients, by_term @ inverse @ by_term.T
        by_term = self._members * penalty
        traces, overlaps = by_term @ inverse.diagonal(), by_term @ inverse**2 @ by_term.T
        slope = m * weights / deviance + traces - ranks
        of_deviance = (np.diag(weights) - 2.0 * pulls) / deviance
        of_deviance -= np.outer(weights, weights) / deviance**2
        curvature = m * of_deviance + np.diag(traces) - overlaps
        return Solution(coefficients, inverse, value / 2, slope / 2, curvature / 2)

    def minimised(self, start: Vector) -> tuple[Vector, Solution]:
        """Return the log smoothings at which the criterion is least, by Newton's steps.

        The steps begin at `start`, but not where the criterion is flat, for they could stay
        there, and where it is nan at `self.start`.
        """
        low, high = self._bounds()
        smoothing = np.maximum(
            np.where(np.isnan(start), self.start, np.minimum(start, self.start + _FLAT)), low
        )
        state = self.at(smoothing)
        for _ in range(_MOST_STEPS):
            blocked = ((smoothing <= low) & (state.slope > 0)) | (
                (smoothing >= high) & (state.slope < 0)
            )
            free = np.flatnonzero(~blocked)
            if not len(free):
                break
            step = np.zeros(len(smoothing))
            step[free] = _newton_step(state.slope[free], state.curvature[np.ix_(free, free)])
            if -(step @ state.slope) / 2 < _TOLERANCE:
                break
            trial, after = self._halved(smoothing, step, state.value, low, high)
            if after is None:
                break
            smoothing, state = trial, after
        return smoothing, state

    def _halved(
        self, smoothing: Vector, step: Vector, value: float, low: Vector, high: Vector
    ) -> tuple[Vector, Solution | None]:
        """Halve the step until the criterion falls; None if it never does."""
        for _ in range(_MOST_HALVINGS):
            trial = np.clip(smoothing + step, low, high)
            state = self.at(trial)
            if state.value < value:
                return trial, state
            step = step / 2
        return smoothing, None


def _newton_step(slope: Vector, curvature: Weights) -> Vector:
    """Return a step downhill: Newton's, with the sizes of curvatures instead of their signs."""
    eigenvalues, rotation = np.linalg.eigh(curvature)
    step = -rotation @ ((rotation.T @ slope) / np.maximum(abs(eigenvalues), _LEAST_CURVATURE))
    return np.clip(step, -_LONGEST_STEP, _LONGEST_STEP)
