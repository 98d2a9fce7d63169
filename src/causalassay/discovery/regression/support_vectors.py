"""Support vector regression judged on held-out rows; needs the extra ``nonlinear``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from causalassay.common.arrays import Adjacency, Values, Vector
from causalassay.common.registry import install_line
from causalassay.contracts import NotApplicable
from causalassay.graphs.orders import Indices

try:
    from sklearn.svm import SVR
except ImportError as error:
    raise ImportError(
        f"nonlinear regression needs scikit-learn: {install_line('nonlinear')}"
    ) from error

N_FOLDS = 5
_STANDARD_ERRORS = 2.0


def held_out_errors(regressors: Values, target: Vector) -> Vector:
    """Return the squared error of each row, predicted by a regression on the other folds.

    Parameters
    ----------
    regressors : ndarray, shape (n, p)
        Standardised. Without columns the prediction is the mean.
    target : ndarray, shape (n,)
        Standardised.

    Returns
    -------
    ndarray, shape (n,)

    Notes
    -----
    scikit-learn's SVR with its defaults: a Gaussian kernel of precision 1/p,
    C = 1, ε = 0.1. Fold k is rows k, k + 5, k + 10, …

    Examples
    --------
    >>> x = np.linspace(-1.7, 1.7, 100)[:, None]
    >>> y = (x[:, 0] ** 2 - 1) / 0.9
    >>> held_out_errors(x[:, :0], y).mean().round(1), held_out_errors(x, y).mean().round(1)
    (np.float64(1.0), np.float64(0.0))
    """
    errors, _ = _errors_and_losses(regressors, target, with_losses=False)
    return errors


def support_vector_parents(values: Values, order: Indices) -> Adjacency:
    """Return the DAG of recursive feature elimination of each variable's predecessors.

    Starting from all predecessors in `order`, the one that matters least on
    held-out rows is left out, again and again. Of these sets the smallest
    counts whose mean squared held-out error is at most two standard errors
    (of the paired differences) above the least.

    Parameters
    ----------
    values : Values, shape (n, d)
        No column constant.
    order : ndarray of int, shape (d,)

    Notes
    -----
    How much a regressor matters is by how much the held-out error grows if its
    held-out values are shifted against the others by half a fold.

    References
    ----------
    Reisach, Seiler, Weichwald (2021), section 3.5, which proposes nonlinear
    regression with cross-validated recursive feature elimination and leaves
    both open; Guyon et al. (2002), https://doi.org/10.1023/A:1012487302797.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal(size=(100, 3))
    >>> values[:, 1] += values[:, 0] ** 2
    >>> support_vector_parents(values, np.arange(3)).astype(int)
    array([[0, 1, 0],
           [0, 0, 0],
           [0, 0, 0]])
    """
    standardised = standardise(values)
    graph = np.zeros((values.shape[1], values.shape[1]), dtype=bool)
    for position in range(1, len(order)):
        node, before = order[position], order[:position]
        graph[before[_eliminate(standardised[:, before], standardised[:, node])], node] = True
    return graph


def standardise(values: Values) -> Values:
    """Return the values with mean 0 and variance 1, or raise if there are too few to fold.

    Examples
    --------
    >>> standardise(np.arange(10.0)[:, None])[[0, -1]].round(4)
    array([[-1.5667],
           [ 1.5667]])
    """
    if len(values) < 2 * N_FOLDS:
        raise NotApplicable(
            f"support vector regression on {N_FOLDS} folds needs at least {2 * N_FOLDS} rows, "
            f"got {len(values)}"
        )
    return (values - values.mean(axis=0)) / values.std(axis=0)


def _eliminate(regressors: Values, target: Vector) -> Indices:
    """Return the columns that recursive elimination keeps."""
    kept = np.arange(regressors.shape[1])
    sets, errors = [], []
    while True:
        error, losses = _errors_and_losses(regressors[:, kept], target, with_losses=True)
        sets.append(kept)
        errors.append(error)
        if not len(kept):
            break
        kept = np.delete(kept, losses.argmin())
    excess = np.array(errors) - errors[int(np.argmin(np.mean(errors, axis=1)))]
    allowed = _STANDARD_ERRORS * excess.std(axis=1) / np.sqrt(len(target))
    return sets[int(np.flatnonzero(excess.mean(axis=1) <= allowed)[-1])]


def _errors_and_losses(
    regressors: Values, target: Vector, with_losses: bool
) -> tuple[Vector, Vector]:
    """Return the held-out squared errors, and the total loss from shifting each regressor."""
    errors, losses = np.empty(len(target)), np.zeros(regressors.shape[1])
    for train, test in _folds(len(target)):
        if not regressors.shape[1]:
            errors[test] = np.square(target[test] - target[train].mean())
            continue
        model = SVR().fit(regressors[train], target[train])
        rows = regressors[test]
        errors[test] = np.square(target[test] - model.predict(rows))
        if with_losses:
            losses += [
                np.square(target[test] - model.predict(_shifted(rows, column))).sum()
                for column in range(regressors.shape[1])
            ]
    return errors, losses


def _shifted(rows: Values, column: int) -> Values:
    shifted = rows.copy()
    shifted[:, column] = np.roll(rows[:, column], len(rows) // 2)
    return shifted


def _folds(n_samples: int) -> Iterator[tuple[Indices, Indices]]:
    fold = np.arange(n_samples) % N_FOLDS
    for k in range(N_FOLDS):
        yield np.flatnonzero(fold != k), np.flatnonzero(fold == k)
