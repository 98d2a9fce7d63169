"""The adaptive lasso whose penalty has the least error on held-out rows."""

from __future__ import annotations

import numpy as np

from causalassay.common.arrays import Values, Vector, Weights
from causalassay.common.kernels import kernel
from causalassay.discovery.regression.lasso_along_order import PATH_END, prefix_fits
from causalassay.discovery.regression.least_angle_path import begin, join, steepest, to_next_knot
from causalassay.graphs.orders import Indices

N_FOLDS = 5
"""Fold k is rows k, k + 5, k + 10, …"""


def sort_regress_held_out(values: Values, order: Indices, path_end: float = PATH_END) -> Weights:
    """Return the weights of the adaptive lasso of each variable on those before it.

    As `sort_regress`, but with the penalty of least mean squared error on five
    held-out folds instead of BIC's, which keeps more edges.

    Parameters
    ----------
    values : Values, shape (n, d)
        Columns with mean 0 and variance 1; n > d, and no column is a combination of others.
    order : ndarray of int, shape (d,)
    path_end : float
        Where each lasso path ends.

    Notes
    -----
    The penalties compared are the knots of the paths of all folds, as in
    scikit-learn's LassoLarsCV. The regressors are scaled by the least-squares
    coefficients of all rows, in every fold.

    Examples
    --------
    >>> values = np.random.default_rng(1).normal(size=(200, 3)).cumsum(axis=1)
    >>> values = (values - values.mean(axis=0)) / values.std(axis=0)
    >>> (sort_regress_held_out(values, np.arange(3)) != 0).astype(int)
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 0, 0]])
    """
    ordered = values[:, order]
    folds = _fold_moments(ordered)
    fits = prefix_fits(ordered)
    weights = np.zeros((len(order), len(order)))
    for position in range(1, len(order)):
        size = np.abs(fits.coefficients[:position, position])
        scale = np.append(size, 1.0)
        within = np.s_[..., : position + 1, : position + 1]
        train, test, whole = (
            moments[within] * scale * scale[:, None] for moments in (*folds, fits.correlation)
        )
        penalty = _least_held_out(train, test, path_end)
        scaled = _coefficients_at(np.array([penalty]), *_last_on_others(whole, path_end))[0]
        weights[order[:position], order[position]] = scaled * size
    return weights


def _fold_moments(values: Values) -> tuple[Weights, Weights]:
    """Return second moments of the rows kept and held out, about the means of those kept."""
    d = values.shape[1]
    train, test = np.empty((N_FOLDS, d, d)), np.empty((N_FOLDS, d, d))
    fold = np.arange(len(values)) % N_FOLDS
    for k in range(N_FOLDS):
        centred = values - values[fold != k].mean(axis=0)
        for rows, moments in ((centred[fold != k], train), (centred[fold == k], test)):
            moments[k] = rows.T @ rows / len(rows)
    return train, test


def _least_held_out(train: Weights, test: Weights, stop: float) -> float:
    """Return the penalty with the least mean held-out error of the last variable on the others."""
    paths = [_last_on_others(moments, stop) for moments in train]
    penalties = np.unique(np.concatenate([levels for levels, _ in paths]))[::-1]
    error = np.zeros(len(penalties))
    for path, moments in zip(paths, test, strict=True):
        contrast = np.column_stack([-_coefficients_at(penalties, *path), np.ones(len(penalties))])
        error += np.einsum("ij,ij->i", contrast @ moments, contrast)
    return float(penalties[error.argmin()])


def _last_on_others(moments: Weights, stop: float) -> tuple[Vector, Weights]:
    return lasso_path(np.ascontiguousarray(moments[:-1, :-1]), moments[:-1, -1].copy(), stop)


def _coefficients_at(penalties: Vector, levels: Vector, knots: Weights) -> Weights:
    """Return the coefficients at each penalty: the path is straight between its knots."""
    if len(levels) == 1:
        return np.repeat(knots, len(penalties), axis=0)
    after = np.searchsorted(-levels, -penalties).clip(1, len(levels) - 1)
    width = levels[after - 1] - levels[after]
    share = ((levels[after - 1] - penalties) / np.where(width > 0, width, 1.0)).clip(0.0, 1.0)
    share = share[:, None]
    return (1 - share) * knots[after - 1] + share * knots[after]


@kernel
def lasso_path(gram: Weights, moment: Vector, stop: float) -> tuple[Vector, Weights]:
    """Return the penalties of the knots of the lasso path, falling, and the coefficients there.

    Parameters
    ----------
    gram : ndarray, shape (p, p)
    moment : ndarray, shape (p,)
    stop : float
        The path ends at the first knot whose penalty is at most this.

    References
    ----------
    Efron et al. (2004), https://doi.org/10.1214/009053604000000067, section 3.1;
    see `lasso_bic`.

    Examples
    --------
    >>> levels, coefficients = lasso_path(np.eye(2), np.array([0.6, 0.2]), 1e-7)
    >>> levels.round(12), coefficients.round(12).tolist()
    (array([0.6, 0.2, 0. ]), [[0.0, 0.0], [0.4, 0.0], [0.6, 0.2]])
    """
    p = len(moment)
    path = begin(moment)
    levels, knots = np.zeros(8 * (p + 1)), np.zeros((8 * (p + 1), p))
    size, dropped, n_knots, level = 0, False, 0, np.abs(moment).max()
    while n_knots < len(levels):
        levels[n_knots], knots[n_knots] = level, path.coefficient
        n_knots += 1
        joining = steepest(path.slope, path.status)
        if level <= stop or joining < 0:
            break
        joined = size
        if not dropped or size == 0:
            joined = join(path, gram[joining], size, joining)
            if joined == size:
                break
        step, size = to_next_knot(path, joined, level)
        level -= step
        dropped = size < joined
    return levels[:n_knots], knots[:n_knots]
