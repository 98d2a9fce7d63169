"""Kernel ridge regression judged on held-out rows, without fitting for each part of the rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpotrf, dpotri

from causalassay.common.arrays import Values, Vector, Weights
from causalassay.contracts import NotApplicable
from causalassay.graphs.orders import Indices

PENALTIES = np.logspace(-3, 2, 11)
"""Among which the error of left-out rows chooses."""
LEAST_SHARE = 1e-3
"""Directions of the features that no penalty fits by more than this share are left out."""
LEAST_LEFT = 1e-6
"""No landmark is added to those that already give every row's kernel to this precision."""
JITTER = 1e-8
"""Added to the kernel of the landmarks, so that nearly equal ones do no harm."""
NO_FACTOR = (
    "a kernel of the rows cannot be factored, for rounding; look for outliers and for rows or "
    "columns that are nearly equal, and remove them"
)


class HeldOut(NamedTuple):
    """What predictions of left-out rows leave."""

    residuals: Vector
    mean_square: float


def leave_one_out(features: Values, target: Vector) -> HeldOut:
    """Predict each row by the ridge regression on all others, with the best of `PENALTIES`.

    Parameters
    ----------
    features : ndarray, shape (n, m)
    target : ndarray, shape (n,)

    Notes
    -----
    With the singular vectors of the centred features, the residual of row i and its leverage
    h_i follow for every penalty; predicted from the other rows, its residual is the residual
    divided by 1 - h_i. The intercept has no penalty.

    Examples
    --------
    >>> x = np.linspace(-2, 2, 60)
    >>> noise = np.random.default_rng(0).normal(size=60)
    >>> fit = leave_one_out(np.column_stack([x, x**2]), x**2 + noise)
    >>> bool(0.5 < fit.mean_square < 2.0)
    True
    """
    n = len(target)
    centred = features - features.mean(axis=0)
    squares, rotation = np.linalg.eigh(centred.T @ centred)
    large = squares > LEAST_SHARE * PENALTIES[0]
    basis = centred @ (rotation[:, large] / np.sqrt(squares[large]))
    shares = squares[large] / (squares[large] + PENALTIES[:, None])
    left = target - target.mean()
    residuals = left[:, None] - basis @ (shares * (left @ basis)).T
    residuals /= (1.0 - 1.0 / n) - basis**2 @ shares.T
    mean_squares = np.einsum("ij,ij->j", residuals, residuals) / n
    best = int(mean_squares.argmin())
    return HeldOut(residuals[:, best], float(mean_squares[best]))


def leave_folds_out(kernel: Weights, target: Vector, penalty: float, n_folds: int = 5) -> HeldOut:
    """Predict each fold by the kernel ridge regression on the other folds, without intercept.

    Parameters
    ----------
    kernel : ndarray, shape (n, n)
        Overwritten.
    target : ndarray, shape (n,)
    penalty : float
    n_folds : int
        Of successive rows, as scikit-learn makes them without shuffling.

    Notes
    -----
    With A = (kernel + penalty)⁻¹, predictions of fold F from all others leave
    (A_FF)⁻¹ (A y)_F: one inverse serves all folds.

    Examples
    --------
    >>> x = np.linspace(-2, 2, 60)
    >>> kernel = np.exp(-np.subtract.outer(x, x) ** 2)
    >>> leave_folds_out(kernel, np.sin(x), 0.01).mean_square < 0.1
    True
    """
    kernel.ravel()[:: len(kernel) + 1] += penalty
    factor, breakdown = dpotrf(kernel.T, lower=1, overwrite_a=1)
    if breakdown:
        raise NotApplicable(NO_FACTOR)
    inverse, _ = dpotri(factor, lower=1, overwrite_c=1)
    inverse += np.tril(inverse, -1).T
    along = inverse @ target
    residuals = np.empty(len(target))
    for fold in np.array_split(np.arange(len(target)), n_folds):
        part = slice(fold[0], fold[-1] + 1)
        residuals[part] = np.linalg.solve(inverse[part, part], along[part])
    return HeldOut(residuals, float(residuals @ residuals) / len(target))


def landmarks(values: Values, width: float, most: int) -> Indices:
    """Return rows from which the Gaussian kernel of all rows follows nearly.

    Parameters
    ----------
    values : ndarray, shape (n, k)
    width : float
    most : int

    Notes
    -----
    The pivots of a pivoted Cholesky factor of the kernel matrix, the first of them the row
    nearest to the mean: the order of the rows does not matter.

    Examples
    --------
    >>> landmarks(np.array([[0.0], [1.0], [1.01], [5.0]]), 1.0, 3).tolist()
    [2, 3, 0]
    """
    distances = np.square(values - values.mean(axis=0)).sum(axis=1)
    factor = np.empty((min(most, len(values)), len(values)))
    left = np.ones(len(values))
    rows = []
    pivot = int(distances.argmin())
    for k in range(len(factor)):
        if left[pivot] < LEAST_LEFT:
            break
        rows.append(pivot)
        row = np.exp(np.square(values - values[pivot]).sum(axis=1) * (-0.5 / width**2))
        row -= factor[:k, pivot] @ factor[:k]
        factor[k] = row / np.sqrt(left[pivot])
        left -= factor[k] ** 2
        pivot = int(left.argmax())
    return np.array(rows)


def features_of(kernel: Weights, of_landmarks: Weights) -> Values:
    """Return features whose products are near the kernel: Nyström's approximation.

    Parameters
    ----------
    kernel : ndarray, shape (n, m)
        Of all rows with the landmarks.
    of_landmarks : ndarray, shape (m, m)
        Of the landmarks with each other.

    Raises
    ------
    NotApplicable
        If rounding has made it no kernel.

    Examples
    --------
    >>> x = np.linspace(0, 1, 50)
    >>> kernel = np.exp(-np.subtract.outer(x, x) ** 2)
    >>> features = features_of(kernel[:, ::5], kernel[::5, ::5])
    >>> bool(abs(features @ features.T - kernel).max() < 1e-4)
    True
    """
    try:
        factor = np.linalg.cholesky(of_landmarks + JITTER * np.eye(len(of_landmarks)))
    except np.linalg.LinAlgError:
        raise NotApplicable(NO_FACTOR) from None
    features: Values = solve_triangular(factor, kernel.T, lower=True, check_finite=False).T
    return features
