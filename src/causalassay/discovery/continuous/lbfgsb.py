"""L-BFGS-B for variables that are at least 0: the point that it proposes.

The choices are those of the authors' code, version 3.0, which SciPy has too:
given the same objective both take the same steps, up to rounding. As kernels
they cost a fraction of the calls between SciPy and an objective in Python.

References
----------
[1] Byrd, Lu, Nocedal, Zhu (1995), https://doi.org/10.1137/0916069.
[2] Morales, Nocedal (2011), https://doi.org/10.1145/2049662.2049669.
"""

from __future__ import annotations

import numpy as np

from causalassay.common.arrays import Vector
from causalassay.common.kernels import kernel
from causalassay.discovery.continuous.cauchy_point import find_cauchy_point
from causalassay.discovery.continuous.lbfgsb_memory import (
    BOTH,
    COUNT,
    PAIRS,
    SLOT,
    STALE,
    Memory,
    SearchState,
    apply_middle,
    apply_pairs,
    cholesky,
    solve_lower,
    solve_upper,
)


@kernel
def propose(memory: Memory, state: SearchState) -> bool:
    """Write the minimiser of the model into `state.proposal`; False if the memory is unusable."""
    find_cauchy_point(memory, state)
    if memory.cursor[COUNT] == 0:
        return True
    _update_products(memory, state)
    if not _factorise_reduced(memory):
        return False
    _newton_direction(memory, state)
    _project(state)
    return True


@kernel
def _update_products(memory: Memory, state: SearchState) -> None:
    """Bring the products over free and held variables up to date."""
    pairs, free = memory.pairs, state.free
    if memory.cursor[STALE] == 1:
        _add_youngest(memory, state.spare)
    for i in range(len(free)):
        if free[i] == memory.free[i]:
            continue
        memory.free[i] = free[i]
        sign = 1.0 if free[i] else -1.0
        for a in range(PAIRS):
            y, s = sign * pairs[i, a], sign * pairs[i, PAIRS + a]
            for b in range(PAIRS):
                memory.yy_free[a, b] += y * pairs[i, b]
                memory.ss_held[a, b] -= s * pairs[i, PAIRS + b]
                memory.mixed[a, b] -= s * pairs[i, b]


@kernel
def _add_youngest(memory: Memory, spare: Vector) -> None:
    """Sum the products of the youngest pair with all, over the variables free before."""
    pairs, new = memory.pairs, (memory.cursor[SLOT] - 1) % PAIRS
    with_change, with_step = memory.small[0], memory.small[1]
    with_step[:] = 0.0
    for i in range(len(pairs)):
        spare[i] = pairs[i, new] if memory.free[i] else 0.0
        if not memory.free[i] and pairs[i, PAIRS + new] != 0.0:
            for j in range(BOTH):
                with_step[j] += pairs[i, j] * pairs[i, PAIRS + new]
    np.dot(spare, pairs, with_change)
    for j in range(PAIRS):
        memory.yy_free[new, j] = memory.yy_free[j, new] = with_change[j]
        memory.ss_held[new, j] = memory.ss_held[j, new] = with_step[PAIRS + j]
        memory.mixed[new, j] = with_step[j]
    for j in range(PAIRS):
        memory.mixed[j, new] = -with_change[PAIRS + j]
    memory.cursor[STALE] = 0


@kernel
def _factorise_reduced(memory: Memory) -> bool:
    """Factorise the middle matrix of the inverse model over the free variables.

    It has the blocks -(D + YᵀY/θ), C = `mixed` and θSᵀS; eliminating the first
    leaves θSᵀS + C(D + YᵀY/θ)⁻¹Cᵀ, and both have Cholesky factors.
    """
    count, theta = memory.cursor[COUNT], memory.theta[0]
    first, half, second = memory.reduced[0], memory.reduced[1], memory.reduced[2]
    for i in range(count):
        for j in range(count):
            first[i, j] = memory.yy_free[i, j] / theta
            half[i, j] = memory.mixed[i, j]
        first[i, i] += memory.sy[i, i]
    if not cholesky(first, count):
        return False
    for i in range(count):
        solve_lower(first, half[i], count)
    for i in range(count):
        for j in range(i + 1):
            second[i, j] = theta * memory.ss_held[i, j]
            for k in range(count):
                second[i, j] += half[i, k] * half[j, k]
    return cholesky(second, count)


@kernel
def _newton_direction(memory: Memory, state: SearchState) -> None:
    """Write the direction from the Cauchy point to the model's minimum: section 5.1 of [1]."""
    theta, pairs, spare = memory.theta[0], memory.pairs, state.spare
    v, w = memory.small[0], memory.small[1]
    apply_middle(memory, memory.small[3], v)
    for j in range(PAIRS, BOTH):
        v[j] *= theta
    np.dot(pairs, v, spare)
    for i in range(len(spare)):
        ahead = state.proposal[i] - state.point[i]
        spare[i] -= theta * ahead + state.gradient[i]
        state.direction[i] = spare[i] if state.free[i] else 0.0
    apply_pairs(memory, state.direction, w)
    _solve_reduced(memory, w)
    for j in range(PAIRS):
        w[j] /= theta
    np.dot(pairs, w, spare)
    for i in range(len(spare)):
        state.direction[i] = (state.direction[i] + spare[i]) / theta


@kernel
def _solve_reduced(memory: Memory, vector: Vector) -> None:
    """Solve, in place, with the matrix of `_factorise_reduced`."""
    count = memory.cursor[COUNT]
    first, half, second = memory.reduced[0], memory.reduced[1], memory.reduced[2]
    top, low = vector[:PAIRS], vector[PAIRS:]
    solve_lower(first, top, count)
    for i in range(count):
        for k in range(count):
            low[i] += half[i, k] * top[k]
    solve_lower(second, low, count)
    solve_upper(second, low, count)
    for k in range(count):
        top[k] = -top[k]
        for i in range(count):
            top[k] += half[i, k] * low[i]
    solve_upper(first, top, count)


@kernel
def _project(state: SearchState) -> None:
    """Add the direction to the Cauchy point: projected if that descends [2], else cut short."""
    hit, slope = False, 0.0
    for i in range(len(state.point)):
        state.breaks[i] = state.proposal[i]
        if state.free[i]:
            state.proposal[i] = max(0.0, state.proposal[i] + state.direction[i])
            hit = hit or state.proposal[i] == 0.0
        slope += (state.proposal[i] - state.point[i]) * state.gradient[i]
    if not hit or slope <= 0.0:
        return
    share, first = 1.0, -1
    for i in range(len(state.point)):
        state.proposal[i] = state.breaks[i]
        if state.free[i] and state.direction[i] * share < -state.proposal[i]:
            share, first = state.proposal[i] / -state.direction[i], i
    for i in range(len(state.point)):
        if state.free[i]:
            state.proposal[i] += share * state.direction[i]
    if first >= 0:
        state.proposal[first] = 0.0
