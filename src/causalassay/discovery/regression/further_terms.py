"""What one further term would add to an additive model, for all candidates at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from causalassay.common.arrays import Vector, Weights
from causalassay.discovery.regression.additive_model import AdditiveFit, functions_allowed
from causalassay.discovery.regression.smoothing import RIDGE
from causalassay.discovery.regression.spline_columns import MOST_FUNCTIONS
from causalassay.graphs.orders import Indices

_GRID = np.linspace(np.log(1e-4), np.log(1e5), 22)
"""Log smoothings that are tried for a further term, as multiples of its smoothest bend."""

_LEAST_NEW = 1e-6
"""A function of which less is new beside the present terms counts as rounding errors."""


class FurtherTerms(NamedTuple):
    """For each candidate the residual variance with it as a further term, and its smoothing."""

    variance: Vector
    log_smoothing: Vector


def further_terms(fit: AdditiveFit, candidates: Indices) -> FurtherTerms:
    """Return what the regression would be with each candidate as a further term.

    Parameters
    ----------
    fit : AdditiveFit
    candidates : ndarray of int
        Columns that are not in the fit.

    Notes
    -----
    The terms of the fit have their smoothings; their coefficients are estimated anew
    together with the candidate's. The candidate's smoothing is that of 22, a factor of 2.7
    apart, with the largest restricted likelihood.

    Examples
    --------
    >>> from causalassay.discovery.regression.additive_model import fit_additive
    >>> from causalassay.discovery.regression.spline_columns import spline_columns
    >>> values = np.random.default_rng(0).normal(size=(300, 4))
    >>> values[:, 0] += values[:, 1] ** 2 + values[:, 2]
    >>> fit = fit_additive(spline_columns(values), 0, np.array([1]))
    >>> with_each = further_terms(fit, np.array([2, 3])).variance
    >>> (with_each / fit.residual_variance).round(1)
    array([0.5, 1. ])
    """
    gram, with_target, penalties = _candidate_blocks(fit, candidates)
    # What each candidate's functions share with the present terms, and what of them is new.
    shared = np.einsum("ij,cjk->cik", fit.inverse, gram)
    new = np.eye(MOST_FUNCTIONS) - np.einsum("cji,cjk->cik", gram, shared)
    left = with_target - np.einsum("cji,j->ci", gram, fit.coefficients)
    # Axes in which what is new is the identity and its penalty diagonal.
    eigenvalues, rotation = np.linalg.eigh(new)
    whitened = rotation / np.sqrt(np.maximum(eigenvalues, _LEAST_NEW))[:, None, :]
    scaled = whitened.swapaxes(1, 2) @ (penalties[:, :, None] * whitened)
    weights, turned = np.linalg.eigh(scaled)
    weights = np.maximum(weights, 0.0)
    axes = whitened @ turned
    along = np.einsum("cji,cj->ci", axes, left)
    bent = penalties > 0
    smoothest = np.where(bent, penalties, np.inf).min(axis=1, keepdims=True)
    smoothings = np.exp(_GRID) / np.where(np.isfinite(smoothest), smoothest, 1.0)
    shrunk = 1.0 + smoothings[:, :, None] * weights[:, None, :]
    deviance = fit.deviance - ((along**2)[:, None, :] / shrunk).sum(axis=2)
    deviance = np.maximum(deviance, RIDGE)
    rows = fit.free_rows - 1
    criterion = rows * np.log(deviance) + np.log(shrunk).sum(axis=2)
    criterion -= bent.sum(axis=1, keepdims=True) * np.log(smoothings)
    best = criterion.argmin(axis=1)[:, None]
    smoothing = np.take_along_axis(smoothings, best, axis=1)
    added = np.einsum("cij,cj->ci", axes, along / (1.0 + smoothing * weights))
    # The deviance is the residual variance and the penalties of all terms.
    changed = fit.coefficients - np.einsum("cij,cj->ci", shared, added)
    penalty = (changed**2 @ fit.penalty) + smoothing[:, 0] * (penalties * added**2).sum(axis=1)
    variance: Vector = np.take_along_axis(deviance, best, axis=1)[:, 0] - penalty
    return FurtherTerms(np.maximum(variance, RIDGE), np.log(smoothing[:, 0]))


def _candidate_blocks(fit: AdditiveFit, candidates: Indices) -> tuple[Weights, Vector, Vector]:
    """Return each candidate's products with the fit and the target, and its penalties.

    Candidates with few functions have zeros for the others.
    """
    columns = fit.columns
    shape = (len(candidates), MOST_FUNCTIONS)
    gram = np.zeros((len(candidates), len(fit.used), MOST_FUNCTIONS))
    with_target, penalties = np.zeros(shape), np.zeros(shape)
    allowed = functions_allowed(columns.n_samples, len(fit.predictors) + 1)
    for k, block in enumerate(columns.functions(candidates, allowed)):
        gram[k, :, : len(block)] = columns.products[np.ix_(fit.used, block)]
        with_target[k, : len(block)] = columns.products[block, columns.starts[fit.target]]
        penalties[k, : len(block)] = columns.penalties[block]
    return gram, with_target, penalties
