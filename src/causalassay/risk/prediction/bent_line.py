"""Additive regression: a bent line for each parent, as bent as leaving rows out supports."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from causalassay.arrays import Values, Vector

_BENDS = (0.2, 0.4, 0.6, 0.8)
"""Quantiles of a parent at which its line may bend."""

_PENALTIES = (0.01, 0.1, np.inf)
"""On the bends, times the rows and the variance of each; with the last the lines are straight."""

_UNDETERMINED = 1e-8
"""The penalty on slopes, in squared standard deviations: collinear parents share their weight."""

_PIECES = len(_BENDS) + 1


class Columns(NamedTuple):
    """Where the line of each column may bend, in units of its mean and standard deviation."""

    mean: Vector
    sd: Vector
    bends: Values

    @classmethod
    def of(cls, rows: Values) -> Columns:
        """Return the units of the columns; a constant column has the unit 1."""
        constant = (rows == rows[0]).all(axis=0)
        mean = np.where(constant, rows[0], rows.mean(axis=0))
        sd = np.where(constant, 1.0, rows.std(axis=0))
        return cls(mean, sd, (np.quantile(rows, _BENDS, axis=0) - mean) / sd)

    def pieces(self, values: Vector, column: int) -> Values:
        """Return the straight line and the bends that the line of a column is made of.

        Parameters
        ----------
        values : ndarray, shape (m,)
        column : int

        Returns
        -------
        ndarray, shape (m, 5)
        """
        scaled = (values - self.mean[column]) / self.sd[column]
        bent = np.maximum(scaled[:, None] - self.bends[:, column], 0.0)
        return np.column_stack([scaled, bent])


def fit_lines(pieces: list[Values], outcome: Vector) -> list[Vector]:
    """Return the weights of each parent's pieces, by least squares with the best penalty.

    Parameters
    ----------
    pieces : list of k ndarray, shape (n, 5)
        Of each parent.
    outcome : ndarray, shape (n,)

    Notes
    -----
    The penalty is that of the least squared error on rows left out one at a time. Without bends
    this is linear regression.

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(400, 1))
    >>> parent = Columns.of(rows).pieces(rows[:, 0], 0)
    >>> (straight,) = fit_lines([parent], 3.0 * rows[:, 0])
    >>> (straight / rows.std()).round(3).tolist()
    [3.0, 0.0, 0.0, 0.0, 0.0]
    >>> (bent,) = fit_lines([parent], np.abs(rows[:, 0]))
    >>> bool(np.mean(np.square(parent @ bent - np.abs(rows[:, 0]))) < 0.1)
    True
    """
    design = np.hstack(pieces)
    design = design - design.mean(axis=0)
    centred = outcome - outcome.mean()
    square, with_outcome = design.T @ design, design.T @ centred
    is_bend = np.arange(design.shape[1]) % _PIECES > 0
    least, best = np.inf, np.zeros(design.shape[1])
    for penalty in reversed(_PENALTIES):
        kept = ~is_bend if np.isinf(penalty) else np.ones_like(is_bend)
        ridge = _UNDETERMINED * len(outcome) * np.ones(len(kept))
        if not np.isinf(penalty):
            ridge += np.where(is_bend, penalty * square.diagonal(), 0.0)
        inverse = np.linalg.inv(square[np.ix_(kept, kept)] + np.diag(ridge[kept]))
        weights = inverse @ with_outcome[kept]
        part = design[:, kept]
        leverage = ((part @ inverse) * part).sum(axis=1) + 1 / len(outcome)
        left_out = (centred - part @ weights) / np.maximum(1 - leverage, 1e-6)
        error = float(left_out @ left_out)
        if error < least:
            least, best = error, np.zeros(len(kept))
            best[kept] = weights
    return list(best.reshape(-1, _PIECES))
