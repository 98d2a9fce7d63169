"""NOTEARS in the arithmetic of its authors' program, operation for operation.

The path of NOTEARS is chaotic: whatever rounds otherwise, such as a loss from the covariance
matrix or another order of the columns, ends at another graph on about half of standardised data
sets. Published figures rest on the path of one program, so here is that path: the same sums in
the same order, SciPy's exponential and optimiser with their defaults, and the columns as they
came. On one machine the weights are those of the program to the last bit. It is slow, and
relabelling the columns can change the graph, which is why the other solvers sort them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm
from scipy.optimize import minimize

from causalassay.common.arrays import Values, Weights


def follow_authors(
    values: Values, lambda1: float, max_iter: int, h_tolerance: float, rho_max: float
) -> tuple[Weights, dict[str, Any]]:
    """Return the weights that the authors' program ends at, and what `info` reports.

    Parameters
    ----------
    values : array_like, shape (n, d)
        Taken row by row in memory, as the program's own data lie, for products round by layout.
    lambda1, max_iter, h_tolerance, rho_max
        See `causalassay.discovery.notears.NOTEARS`.

    References
    ----------
    Zheng, Aragam, Ravikumar, Xing (2018), arXiv 1803.01422, algorithm 1; their
    program, https://github.com/xunzheng/notears, commit 4a9ab19, ``notears/linear.py``.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(size=(200, 2)).cumsum(axis=1)
    >>> weights, info = follow_authors(values, 0.0, 100, 1e-8, 1e16)
    >>> weights.round(1)
    array([[0. , 1.1],
           [0. , 0. ]])
    >>> info["converged"]
    True
    """
    x = np.array(values, dtype=np.float64, order="C")
    x = x - x.mean(axis=0)
    d = x.shape[1]
    bounds = [(0, 0 if i == j else None) for _ in "+-" for i in range(d) for j in range(d)]
    point = np.zeros(2 * d * d)
    rho, alpha, h, h_before = 1.0, 0.0, np.inf, np.inf
    evaluations = iterations = 0
    minimised = True
    with np.errstate(over="ignore", invalid="ignore"):
        while iterations < max_iter and h > h_tolerance and rho < rho_max:
            iterations += 1
            start = point
            while rho < rho_max:
                result = minimize(
                    _lagrangian,
                    start,
                    args=(x, lambda1, rho, alpha),
                    method="L-BFGS-B",
                    jac=True,
                    bounds=bounds,
                )
                point, minimised = result.x, bool(result.success)
                evaluations += int(result.nfev)
                h = _constraint(_join(point))[0]
                if not h > 0.25 * h_before:
                    break
                rho *= 10
            h_before = h
            alpha += rho * h
    weights = _join(point)
    return weights, {
        "h": h,
        "rho": rho,
        "alpha": alpha,
        "iterations": iterations,
        "evaluations": evaluations,
        "objective": float(_loss(x, weights)[0] + lambda1 * np.abs(weights).sum()),
        "converged": minimised and h <= h_tolerance,
    }


# Each line below fixes an order of operations: a simpler one rounds otherwise, and ends elsewhere.


def _lagrangian(
    point: NDArray[np.float64], x: NDArray[np.float64], lambda1: float, rho: float, alpha: float
) -> tuple[float, NDArray[np.float64]]:
    """Return loss + ρh²/2 + αh + λΣ(w⁺ + w⁻) and its gradient, w⁺ before w⁻."""
    weights = _join(point)
    loss, slope = _loss(x, weights)
    h, h_slope = _constraint(weights)
    value = loss + 0.5 * rho * h * h + alpha * h + lambda1 * point.sum()
    slope = slope + (rho * h + alpha) * h_slope
    return value, np.concatenate([slope + lambda1, -slope + lambda1], axis=None)


def _loss(
    x: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    """Return the squared error over 2n, and its gradient."""
    residual = x - x @ weights
    return 0.5 / len(x) * (residual**2).sum(), -1.0 / len(x) * x.T @ residual


def _constraint(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """Return h = tr exp(W∘W) - d, and its gradient."""
    growth = expm(weights * weights)
    return float(np.trace(growth) - len(weights)), growth.T * weights * 2


def _join(point: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return W = w⁺ - w⁻."""
    plus, minus = np.split(point, 2)
    d = round(len(plus) ** 0.5)
    return (plus - minus).reshape(d, d)
