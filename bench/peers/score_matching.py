"""SCORE and NoGAM as the papers write them, in numpy: the order alone, without pruning."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from bench.worker import Arrays, Call, Read

RIDGE = 0.001
PENALTY = GAMMA = 0.01
N_FOLDS = 5

Leaf = Callable[[Any], int]


def score(data: Arrays) -> tuple[Call, Read]:
    """Prepare the order of SCORE."""
    return partial(_order, data["values"], _least_varying_derivative), _read


def nogam(data: Arrays) -> tuple[Call, Read]:
    """Prepare the order of NoGAM, with the settings in the code of its authors' package."""
    return partial(_order, data["values"], _best_predicted_score), _read


def _read(order: list[int]) -> Arrays:
    return {"order": np.array(order)}


def _order(values: Any, leaf_of: Leaf) -> list[int]:
    left, order = list(range(values.shape[1])), []
    while len(left) > 1:
        order.insert(0, left.pop(leaf_of(values[:, left])))
    return left + order


def _stein(values: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Return differences, width, kernel, its inverse with the ridge, and the score."""
    difference = values[:, None, :] - values
    distance = np.sqrt((difference**2).sum(axis=2))
    width = np.median(distance[distance > 0])
    kernel = np.exp(-(distance**2) / (2 * width**2)) / width
    inverse = np.linalg.inv(kernel + RIDGE * np.eye(len(values)))
    score = inverse @ -np.einsum("kij,ik->kj", difference, kernel) / width**2
    return difference, width, kernel, inverse, score


def _least_varying_derivative(values: Any) -> int:
    difference, width, kernel, inverse, score = _stein(values)
    curvature = difference**2 / width**4 - 1 / width**2
    diagonal = inverse @ np.einsum("kij,ik->kj", curvature, kernel) - score**2
    return int(diagonal.var(axis=0).argmin())


def _best_predicted_score(values: Any) -> int:
    score = _stein(values)[-1]
    errors = []
    for node in range(values.shape[1]):
        residual = _held_out(np.delete(values, node, axis=1), values[:, node])
        errors.append(np.mean(_held_out(residual[:, None], score[:, node]) ** 2))
    return int(np.argmin(errors))


def _held_out(regressors: Any, target: Any) -> Any:
    """Return what kernel ridge regressions leave of each fold, fitted on the others."""
    squares = (regressors**2).sum(axis=1)
    kernel = np.exp(-GAMMA * (squares[:, None] + squares - 2 * regressors @ regressors.T))
    left = np.empty(len(target))
    for fold in np.array_split(np.arange(len(target)), N_FOLDS):
        others = np.setdiff1d(np.arange(len(target)), fold)
        inner = kernel[np.ix_(others, others)] + PENALTY * np.eye(len(others))
        fitted = kernel[np.ix_(fold, others)] @ np.linalg.solve(inner, target[others])
        left[fold] = target[fold] - fitted
    return left
