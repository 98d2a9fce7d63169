"""The augmented Lagrangian of NOTEARS, and one minimisation of it by L-BFGS-B."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm
from scipy.optimize import minimize

from causalassay.common.arrays import Values, Vector, Weights
from causalassay.common.kernels import kernel
from causalassay.discovery.continuous.lbfgsb import Trial, is_done, next_step, open_bracket, propose
from causalassay.discovery.continuous.matrix_functions import expm1, expm1_workspace
from causalassay.discovery.continuous.quadratic_model import (
    COUNT,
    Memory,
    SearchState,
    forget,
    new_memory,
    remember,
)

GRADIENT_TOLERANCE = 1e-5
"""SciPy's default: no entry of the projected gradient is larger at a minimum."""
_VALUE_TOLERANCE = 2.220446049250313e-9
_MOST_ITERATIONS = _MOST_EVALUATIONS = 15_000
_MOST_TRIALS = 20
_EPS = 2.220446049250313e-16


class Lagrangian(NamedTuple):
    """loss + ρh²/2 + αh + λΣ(w⁺ + w⁻) of W = w⁺ - w⁻, with room for its evaluation."""

    covariance: NDArray[np.float64]
    multipliers: NDArray[np.float64]
    """ρ, α and λ."""
    weights: NDArray[np.float64]
    """W of the last evaluation."""
    square: NDArray[np.float64]
    parts: NDArray[np.float64]
    """h and the loss of the last evaluation."""
    pinned: NDArray[np.float64]
    """The gradient on the diagonal, which is held at 0: at the last evaluation, and before."""
    work: NDArray[np.float64]
    memory: Memory


def new_lagrangian(covariance: Weights, lambda1: float) -> Lagrangian:
    """Return the problem with ρ = 1 and α = 0."""
    d = len(covariance)
    return Lagrangian(
        np.ascontiguousarray(covariance, dtype=np.float64),
        np.array([1.0, 0.0, lambda1]),
        np.zeros((d, d)),
        np.zeros((d, d)),
        np.zeros(2),
        np.zeros((2, d)),
        expm1_workspace(d),
        new_memory(2 * d * (d - 1)),
    )


@kernel
def evaluate(problem: Lagrangian, point: Vector, gradient: Vector) -> float:
    """Return the Lagrangian at ``point``, w⁺ and then w⁻ off the diagonal; write its gradient.

    The loss is tr((I-W)ᵀS(I-W))/2, which is the squared error over 2n.
    """
    covariance, weights, square = problem.covariance, problem.weights, problem.square
    rho, alpha, lambda1 = problem.multipliers[0], problem.multipliers[1], problem.multipliers[2]
    half, d = len(point) // 2, len(weights)
    k = 0
    for i in range(d):
        for j in range(d):
            if i != j:
                weights[i, j] = point[k] - point[half + k]
                k += 1
            square[i, j] = weights[i, j] ** 2
    growth = expm1(square, problem.work)
    h, loss, size = 0.0, 0.0, 0.0
    for i in range(len(point)):
        size += point[i]
    for i in range(d):
        h += growth[i, i]
    product = square
    np.dot(covariance, weights, product)
    pull = 2 * (rho * h + alpha)
    k = 0
    for i in range(d):
        for j in range(d):
            residual = covariance[i, j] - product[i, j]
            if i == j:
                loss += residual
                problem.pinned[0, i] = residual
                continue
            loss -= weights[i, j] * residual
            slope = pull * growth[j, i] * weights[i, j] - residual
            gradient[k], gradient[half + k] = lambda1 + slope, lambda1 - slope
            k += 1
    problem.parts[0], problem.parts[1] = h, loss / 2
    return loss / 2 + rho * h * h / 2 + alpha * h + lambda1 * size


@kernel
def minimise(problem: Lagrangian, state: SearchState) -> tuple[int, bool]:
    """Move `state.point` to a minimum; return the evaluations made and whether it converged.

    L-BFGS-B with SciPy's default tolerances and limits.
    """
    memory = problem.memory
    forget(memory)
    value = evaluate(problem, state.point, state.gradient)
    evaluations, iterations = 1, 0
    if _steepest(state) <= GRADIENT_TOLERANCE:
        return evaluations, True
    while iterations < _MOST_ITERATIONS and evaluations <= _MOST_EVALUATIONS:
        decreased, trials, start, end = False, 0, Trial(0.0, value, 0.0), Trial(0.0, value, 0.0)
        if propose(memory, state):
            decreased, trials, start, end = _search(problem, state, value, iterations == 0)
        evaluations += trials
        if not decreased:
            if memory.cursor[COUNT] == 0:
                return evaluations, False
            forget(memory)
            continue
        iterations += 1
        value = end.value
        if _steepest(state) <= GRADIENT_TOLERANCE:
            return evaluations, True
        if start.value - value <= _VALUE_TOLERANCE * max(abs(start.value), abs(value), 1.0):
            return evaluations, True
        _learn(problem, state, start, end)
    return evaluations, False


@kernel
def _search(
    problem: Lagrangian, state: SearchState, value: float, first: bool
) -> tuple[bool, int, Trial, Trial]:
    """Search towards the proposal; return whether, after how many trials, from and to where."""
    slope, limit, step = _set_out(state, first)
    for i in range(len(problem.weights)):
        problem.pinned[1, i] = problem.pinned[0, i]
    start = Trial(0.0, value, slope)
    trial, bracket = start, open_bracket(start, step, limit)
    if slope < 0.0:
        for count in range(1, _MOST_TRIALS + 1):
            for i in range(len(state.point)):
                reached = max(0.0, state.point_before[i] + step * state.direction[i])
                state.point[i] = state.proposal[i] if step == 1.0 else reached
            value = evaluate(problem, state.point, state.gradient)
            trial = Trial(step, value, np.dot(state.gradient, state.direction))
            if is_done(bracket, start, trial, limit):
                return True, count, start, trial
            step, bracket = next_step(bracket, start, trial, limit)
    for i in range(len(state.point)):
        state.point[i], state.gradient[i] = state.point_before[i], state.gradient_before[i]
    for i in range(len(problem.weights)):
        problem.pinned[0, i] = problem.pinned[1, i]
    return False, _MOST_TRIALS if slope < 0.0 else 0, start, trial


@kernel
def _set_out(state: SearchState, first: bool) -> tuple[float, float, float]:
    """Keep point and gradient, set the direction; return slope, longest and first step."""
    slope, square, limit = 0.0, 0.0, 1e10
    for i in range(len(state.point)):
        here, change = state.point[i], state.proposal[i] - state.point[i]
        state.point_before[i], state.gradient_before[i] = here, state.gradient[i]
        state.direction[i] = change
        slope += change * state.gradient[i]
        square += change * change
        if change * limit < -here:
            limit = here / -change
    if first:
        return slope, 1.0, min(1.0, 1.0 / np.sqrt(square))
    return slope, limit, 1.0


@kernel
def _learn(problem: Lagrangian, state: SearchState, start: Trial, end: Trial) -> None:
    """Add the step to the memory if the curvature along it is positive.

    The authors keep the diagonal among the variables, bounded by 0 and 0. It
    never moves, but its gradient does, which changes the scale of the model.
    """
    product = (end.slope - start.slope) * end.step
    if product <= -_EPS * start.slope * end.step:
        return
    pinned = 0.0
    for i in range(len(problem.weights)):
        pinned += 2 * (problem.pinned[0, i] - problem.pinned[1, i]) ** 2
    for i in range(len(state.point)):
        state.gradient_before[i] = state.gradient[i] - state.gradient_before[i]
        state.direction[i] *= end.step
    if not remember(problem.memory, state.direction, state.gradient_before, product, pinned):
        forget(problem.memory)


@kernel
def _steepest(state: SearchState) -> float:
    """Return the largest entry of the projected gradient."""
    largest = 0.0
    for i in range(len(state.point)):
        slope = state.gradient[i]
        largest = max(largest, -slope if slope < 0.0 else min(state.point[i], slope))
    return largest


# NOTEARS in the arithmetic of its authors' program, operation for operation.


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
