"""The generalised Cauchy point: where the projected gradient path first minimises the model.

References
----------
[1] Byrd, Lu, Nocedal, Zhu (1995), https://doi.org/10.1137/0916069.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Vector
from causalassay.common.kernels import kernel
from causalassay.discovery.continuous.lbfgsb_memory import (
    BOTH,
    PAIRS,
    Memory,
    SearchState,
    apply_middle,
    apply_pairs,
)

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
