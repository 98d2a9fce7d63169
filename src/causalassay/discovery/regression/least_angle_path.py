"""The steps of the least-angle path of the lasso, on a Gram matrix and its Cholesky factor."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Vector, Weights
from causalassay.common.kernels import kernel
from causalassay.graphs.orders import Indices

WAITING, ACTIVE, BARRED = 0, 1, 2
"""States of a regressor: not yet in, in, or left out because those in determine it."""

EPS = 2.220446049250313e-16


class PathState(NamedTuple):
    """How far the path of p regressors was followed; arrays that its steps change.

    `slope` is X'(y - Xb)/n. The first entries of `active` and `sign` and the
    leading rows of `rows` (of the Gram matrix) and `factor` belong to the active
    regressors, in the order in which they joined. `factor` is the lower Cholesky
    factor of their Gram matrix, `turned` its transpose: each loop over it takes
    the one that lies in the order of memory. `forward` solves factor·x = sign.
    """

    coefficient: Vector
    slope: Vector
    status: NDArray[np.int8]
    active: Indices
    sign: Vector
    forward: Vector
    rows: Weights
    factor: Weights
    turned: Weights


@kernel
def begin(moment: Vector) -> PathState:
    """Return the beginning of the path: no regressor is active."""
    p = len(moment)
    return PathState(
        np.zeros(p),
        moment.copy(),
        np.zeros(p, np.int8),
        np.empty(p, np.int64),
        np.empty(p),
        np.empty(p),
        np.empty((p, p)),
        np.empty((p, p)),
        np.empty((p, p)),
    )


@kernel
def join(path: PathState, row: Vector, size: int, joining: int) -> int:
    """Make a regressor active and return how many are; as many as before if it is barred.

    `row` is its row of the Gram matrix.
    """
    path.status[joining] = append_column(path, row, size, joining)
    if path.status[joining] == BARRED:
        return size
    path.active[size], path.sign[size] = joining, np.sign(path.slope[joining])
    for k in range(len(row)):
        path.rows[size, k] = row[k]
    extend_forward(path, size)
    return size + 1


@kernel
def to_next_knot(path: PathState, size: int, level: float) -> tuple[float, int]:
    """Go on until a regressor would join or leaves; return the step and how many are active."""
    active, sign = path.active[:size], path.sign[:size]
    direction = equiangular(path, size)
    taken = pull(path.rows[:size], direction)
    step = step_to_join(path.slope, taken, path.status, level)
    step, leaving = step_to_leave(path.coefficient, direction, active, step)
    for j in range(len(taken)):
        path.slope[j] -= step * taken[j]
    for a in range(size):
        path.coefficient[active[a]] += step * direction[a]
        path.slope[active[a]] = sign[a] * (level - step)
    if leaving >= 0:
        path.coefficient[active[leaving]] = 0.0
        path.status[active[leaving]] = WAITING
        delete_column(path, size, leaving)
        return step, size - 1
    return step, size


@kernel
def steepest(slope: Vector, status: NDArray[np.int8]) -> int:
    """Return the waiting regressor with the largest slope in magnitude, -1 if none waits."""
    best, where = -1.0, -1
    for j in range(len(slope)):
        if status[j] == WAITING and abs(slope[j]) > best:
            best, where = abs(slope[j]), j
    return where


@kernel
def append_column(path: PathState, row: Vector, size: int, joining: int) -> int:
    """Add a row to the Cholesky factor of the active Gram matrix, unless it is degenerate."""
    added = path.factor[size]
    for a in range(size):
        added[a] = row[path.active[a]]
    left = row[joining]
    for a in range(size):
        column = path.turned[a]
        added[a] /= column[a]
        share = added[a]
        for b in range(a + 1, size):
            added[b] -= share * column[b]
        left -= share**2
    if left <= 4 * EPS * row[joining]:
        return BARRED
    added[size] = np.sqrt(left)
    for a in range(size + 1):
        path.turned[a, size] = added[a]
    return ACTIVE


@kernel
def extend_forward(path: PathState, last: int) -> None:
    """Solve the last row of factor·forward = sign; a new row leaves those before it alone."""
    total = path.sign[last]
    for b in range(last):
        total -= path.factor[last, b] * path.forward[b]
    path.forward[last] = total / path.factor[last, last]


@kernel
def delete_column(path: PathState, size: int, leaving: int) -> None:
    """Take a regressor out of the active set; Givens rotations keep the factor triangular."""
    factor = path.factor
    for a in range(leaving, size - 1):
        path.active[a], path.sign[a] = path.active[a + 1], path.sign[a + 1]
        for k in range(path.rows.shape[1]):
            path.rows[a, k] = path.rows[a + 1, k]
        for b in range(a + 2):
            factor[a, b] = factor[a + 1, b]
    for a in range(leaving, size - 1):
        length = np.hypot(factor[a, a], factor[a, a + 1])
        cosine, sine = factor[a, a] / length, factor[a, a + 1] / length
        for row in range(a, size - 1):
            left, right = factor[row, a], factor[row, a + 1]
            factor[row, a] = cosine * left + sine * right
            factor[row, a + 1] = cosine * right - sine * left
    for a in range(leaving, size - 1):
        for b in range(a + 1):
            path.turned[b, a] = factor[a, b]
        extend_forward(path, a)


@kernel
def equiangular(path: PathState, size: int) -> Vector:
    """Return the direction G⁻¹ sign in which all active slopes shrink alike."""
    solution = path.forward[:size].copy()
    for a in range(size - 1, -1, -1):
        row = path.factor[a]
        solution[a] /= row[a]
        share = solution[a]
        for b in range(a):
            solution[b] -= row[b] * share
    return solution


@kernel
def pull(rows: Weights, direction: Vector) -> Vector:
    """Return how much a unit step in the direction takes off each slope."""
    size, taken = len(direction), np.zeros(rows.shape[1])
    # Four rows in one loop: the sums are read and written a quarter as often.
    fours = size - size % 4
    for a in range(0, fours, 4):
        first, second, third, fourth = rows[a], rows[a + 1], rows[a + 2], rows[a + 3]
        w, x, y, z = direction[a], direction[a + 1], direction[a + 2], direction[a + 3]
        for j in range(len(taken)):
            taken[j] = taken[j] + w * first[j] + x * second[j] + y * third[j] + z * fourth[j]
    for a in range(fours, size):
        row, share = rows[a], direction[a]
        for j in range(len(taken)):
            taken[j] += share * row[j]
    return taken


@kernel
def step_to_join(slope: Vector, pull: Vector, status: NDArray[np.int8], level: float) -> float:
    """Return the step at which a waiting slope meets the active ones; at most to level 0."""
    step = level
    for j in range(len(slope)):
        if status[j] == WAITING:
            for side in (1.0, -1.0):
                gap, closing = level - side * slope[j], 1.0 - side * pull[j]
                if gap > 0 and closing > 0 and gap < step * closing:
                    step = gap / closing
    return step


@kernel
def step_to_leave(
    coefficient: Vector, direction: Vector, active: Indices, step: float
) -> tuple[float, int]:
    """Return the step and which active coefficient it brings to zero, -1 if none."""
    leaving = -1
    for a in range(len(active)):
        if coefficient[active[a]] * direction[a] < 0:
            crossing = -coefficient[active[a]] / direction[a]
            if crossing < step:
                step, leaving = crossing, a
    return step, leaving
