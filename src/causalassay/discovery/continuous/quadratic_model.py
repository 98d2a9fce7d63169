"""What L-BFGS-B keeps: its vectors, and pairs of steps and gradient changes with their model.

References
----------
[1] Byrd, Lu, Nocedal, Zhu (1995), https://doi.org/10.1137/0916069.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Vector, Weights
from causalassay.common.kernels import kernel

PAIRS = 10
"""How many pairs are kept; SciPy's default."""
BOTH = 2 * PAIRS
COUNT, SLOT, STALE = 0, 1, 2
"""Indices in `Memory.cursor`."""


class Memory(NamedTuple):
    """The last pairs of a step s and a change y of the gradient, and products of them.

    All arrays change in place. The model of the Hessian is θI - WMWᵀ with
    W = (Y, θS), equation 3.2 of [1].
    """

    pairs: NDArray[np.float64]
    """(n, 2m): y of each slot, then s of each slot; unused slots are 0."""
    sy: NDArray[np.float64]
    """s·y of each two slots."""
    ss: NDArray[np.float64]
    factor: NDArray[np.float64]
    """The Cholesky factor of θSᵀS + LD⁻¹Lᵀ, which M needs."""
    yy_free: NDArray[np.float64]
    """y·y over the free variables."""
    ss_held: NDArray[np.float64]
    """s·s over the variables held at 0."""
    mixed: NDArray[np.float64]
    """s·y over those held where s is the younger, else -s·y over the free."""
    reduced: NDArray[np.float64]
    """Three (m, m) arrays to factorise the model restricted to the free variables."""
    age: NDArray[np.int64]
    """The younger a slot, the larger."""
    free: NDArray[np.bool_]
    """The variables for which the three products above were summed."""
    cursor: NDArray[np.int64]
    """Slots in use, the slot to fill next, whether the products lack the youngest pair."""
    theta: NDArray[np.float64]
    small: NDArray[np.float64]
    """Four (2m,) vectors; the last is Wᵀ(Cauchy point - x)."""


def new_memory(n_variables: int) -> Memory:
    """Return a memory without pairs."""
    square = (PAIRS, PAIRS)
    return Memory(
        pairs=np.zeros((n_variables, BOTH)),
        sy=np.zeros(square),
        ss=np.zeros(square),
        factor=np.zeros(square),
        yy_free=np.zeros(square),
        ss_held=np.zeros(square),
        mixed=np.zeros(square),
        reduced=np.zeros((3, *square)),
        age=np.zeros(PAIRS, dtype=np.int64),
        free=np.zeros(n_variables, dtype=np.bool_),
        cursor=np.zeros(3, dtype=np.int64),
        theta=np.ones(1),
        small=np.zeros((4, BOTH)),
    )


class SearchState(NamedTuple):
    """The vectors of a search, (n,) each, changed in place."""

    point: NDArray[np.float64]
    gradient: NDArray[np.float64]
    proposal: NDArray[np.float64]
    direction: NDArray[np.float64]
    point_before: NDArray[np.float64]
    gradient_before: NDArray[np.float64]
    breaks: NDArray[np.float64]
    spare: NDArray[np.float64]
    heap: NDArray[np.int64]
    free: NDArray[np.bool_]


def new_state(point: NDArray[np.float64]) -> SearchState:
    """Return the vectors of a search that starts at a copy of `point`."""
    n = len(point)
    return SearchState(
        point=point.copy(),
        gradient=np.zeros(n),
        proposal=np.zeros(n),
        direction=np.zeros(n),
        point_before=np.zeros(n),
        gradient_before=np.zeros(n),
        breaks=np.zeros(n),
        spare=np.zeros(n),
        heap=np.zeros(n, dtype=np.int64),
        free=np.zeros(n, dtype=np.bool_),
    )


@kernel
def forget(memory: Memory) -> None:
    """Drop all pairs, so that the next proposal is along the gradient."""
    memory.pairs[:] = 0.0
    memory.cursor[:] = 0
    memory.age[:] = 0
    memory.theta[0] = 1.0


@kernel
def remember(memory: Memory, step: Vector, change: Vector, product: float, pinned: float) -> bool:
    """Store a pair with s·y = `product`; False if the memory has become unusable.

    `pinned` is the part of y·y that belongs to variables with no room to move.
    """
    pairs, slot = memory.pairs, memory.cursor[SLOT]
    count = min(memory.cursor[COUNT] + 1, PAIRS)
    memory.age[slot] = memory.age[(slot - 1) % PAIRS] + 1
    memory.cursor[COUNT], memory.cursor[SLOT] = count, (slot + 1) % PAIRS
    memory.cursor[STALE] = 1
    square = pinned
    for i in range(len(step)):
        pairs[i, slot], pairs[i, PAIRS + slot] = change[i], step[i]
        square += change[i] ** 2
    with_step = memory.small[0]
    np.dot(step, pairs, with_step)
    for j in range(PAIRS):
        memory.sy[slot, j] = with_step[j]
        memory.ss[slot, j] = memory.ss[j, slot] = with_step[PAIRS + j]
    memory.sy[slot, slot] = product
    memory.theta[0] = square / product
    return _factorise_middle(memory)


@kernel
def _factorise_middle(memory: Memory) -> bool:
    count, sy, age = memory.cursor[COUNT], memory.sy, memory.age
    for i in range(count):
        for j in range(i + 1):
            total = memory.theta[0] * memory.ss[i, j]
            for k in range(count):
                if age[k] < age[i] and age[k] < age[j]:
                    total += sy[i, k] * sy[j, k] / sy[k, k]
            memory.factor[i, j] = total
    return cholesky(memory.factor, count)


@kernel
def apply_middle(memory: Memory, vector: Vector, out: Vector) -> None:
    """Write M·vector, by blocks: equation 3.4 of [1]; 0 where no slot is in use."""
    count, sy, age = memory.cursor[COUNT], memory.sy, memory.age
    out[:] = 0.0
    low = out[PAIRS:]
    for i in range(count):
        low[i] = vector[PAIRS + i]
        for k in range(count):
            if age[k] < age[i]:
                low[i] += sy[i, k] * vector[k] / sy[k, k]
    solve_lower(memory.factor, low, count)
    solve_upper(memory.factor, low, count)
    for i in range(count):
        out[i] = -vector[i]
        for k in range(count):
            if age[k] > age[i]:
                out[i] += sy[k, i] * low[k]
        out[i] /= sy[i, i]


@kernel
def apply_pairs(memory: Memory, vector: Vector, out: Vector) -> None:
    """Write Wᵀ·vector."""
    np.dot(vector, memory.pairs, out)
    for j in range(PAIRS, BOTH):
        out[j] *= memory.theta[0]


@kernel
def cholesky(matrix: Weights, size: int) -> bool:
    """Overwrite the lower triangle with its factor; False if it is not positive definite."""
    for i in range(size):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            if i > j:
                matrix[i, j] = total / matrix[j, j]
            elif total > 0.0:
                matrix[i, i] = np.sqrt(total)
            else:
                return False
    return True


@kernel
def solve_lower(factor: Weights, vector: Vector, size: int) -> None:
    """Solve, in place, with a lower factor."""
    for i in range(size):
        for k in range(i):
            vector[i] -= factor[i, k] * vector[k]
        vector[i] /= factor[i, i]


@kernel
def solve_upper(factor: Weights, vector: Vector, size: int) -> None:
    """Solve, in place, with the transpose of a lower factor."""
    for i in range(size - 1, -1, -1):
        for k in range(i + 1, size):
            vector[i] -= factor[k, i] * vector[k]
        vector[i] /= factor[i, i]


# The generalised Cauchy point: where the projected gradient path first minimises the model.

_EPS = 2.220446049250313e-16


@kernel
def find_cauchy_point(memory: Memory, state: SearchState) -> None:
    """Write the point into `state.proposal`: algorithm CP of [1].

    Also set which variables are free there, and the last of `memory.small`.
    """
    p, v, c = memory.small[0], memory.small[1], memory.small[3]
    c[:] = 0.0
    slope, n_breaks, bounded = _project_gradient(memory, state)
    if slope == 0.0:
        return
    steepest = -memory.theta[0] * slope
    apply_middle(memory, p, v)
    curvature = steepest - _dot(v, p)
    ahead, reached = -slope / curvature, 0.0
    for i in range(n_breaks // 2 - 1, -1, -1):
        _sift(state.breaks, state.heap, i, n_breaks)
    while n_breaks > 0 and ahead >= state.breaks[0] - reached:
        node, segment = state.heap[0], state.breaks[0] - reached
        reached += segment
        n_breaks -= 1
        state.breaks[0], state.heap[0] = state.breaks[n_breaks], state.heap[n_breaks]
        _sift(state.breaks, state.heap, 0, n_breaks)
        slope += segment * curvature
        rise, bend = _stop(memory, state, node, segment)
        slope, curvature = slope + rise, max(_EPS * steepest, curvature + bend)
        ahead = 0.0 if n_breaks == 0 and bounded else -slope / curvature
    ahead = max(ahead, 0.0)
    for i in range(len(state.point)):
        state.proposal[i] += (reached + ahead) * state.direction[i]
    for j in range(BOTH):
        c[j] += ahead * p[j]


@kernel
def _stop(memory: Memory, state: SearchState, node: int, segment: float) -> tuple[float, float]:
    """Hold a variable at 0 from here on; return the changes of slope and curvature."""
    p, v, w, c = memory.small[0], memory.small[1], memory.small[2], memory.small[3]
    theta, speed = memory.theta[0], state.direction[node]
    state.direction[node], state.proposal[node], state.free[node] = 0.0, 0.0, False
    for j in range(PAIRS):
        w[j] = memory.pairs[node, j]
        w[PAIRS + j] = theta * memory.pairs[node, PAIRS + j]
    for j in range(BOTH):
        c[j] += segment * p[j]
    apply_middle(memory, w, v)
    rise = speed**2 + theta * speed * state.point[node] + speed * _dot(c, v)
    bend = 2 * speed * _dot(p, v) - speed**2 * (theta + _dot(w, v))
    for j in range(BOTH):
        p[j] -= speed * w[j]
    return rise, bend


@kernel
def _project_gradient(memory: Memory, state: SearchState) -> tuple[float, int, bool]:
    """Set direction, free variables and break points; p = Wᵀ·direction; return the slope."""
    slope, n_breaks, bounded = 0.0, 0, True
    for i in range(len(state.point)):
        speed, here = -state.gradient[i], state.point[i]
        state.proposal[i] = here
        state.free[i] = here > 0.0 or speed > 0.0
        state.direction[i] = speed if state.free[i] else 0.0
        if not state.free[i]:
            continue
        slope -= speed * speed
        if speed < 0.0:
            state.breaks[n_breaks], state.heap[n_breaks] = here / -speed, i
            n_breaks += 1
        elif speed > 0.0:
            bounded = False
    apply_pairs(memory, state.direction, memory.small[0])
    return slope, n_breaks, bounded


@kernel
def _sift(keys: Vector, items: NDArray[np.int64], top: int, size: int) -> None:
    """Restore the heap, least key first, after a change at `top`."""
    key, item = keys[top], items[top]
    while 2 * top + 1 < size:
        child = 2 * top + 1
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[top], items[top] = keys[child], items[child]
        top = child
    keys[top], items[top] = key, item


@kernel
def _dot(left: Vector, right: Vector) -> float:
    total = 0.0
    for j in range(len(left)):
        total += left[j] * right[j]
    return total
