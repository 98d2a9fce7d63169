"""L-BFGS-B for variables that are at least 0: its next point, by a line search.

The choices are those of the authors' code, version 3.0, which SciPy has too:
given the same objective both take the same steps, up to rounding. As kernels
they cost a fraction of the calls between SciPy and an objective in Python.

References
----------
[1] Byrd, Lu, Nocedal, Zhu (1995), https://doi.org/10.1137/0916069.
[2] Morales, Nocedal (2011), https://doi.org/10.1145/2049662.2049669.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from causalassay.common.arrays import Vector
from causalassay.common.kernels import kernel
from causalassay.discovery.continuous.quadratic_model import (
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
    find_cauchy_point,
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


# A step between 0 and a limit that decreases a function enough: Moré and Thuente's search.

_DECREASE, _CURVATURE, _WIDTH = 1e-3, 0.9, 0.1


class Trial(NamedTuple):
    """A step with the function and its slope there."""

    step: float
    value: float
    slope: float


class Bracket(NamedTuple):
    """The best trial, and the other end of the interval that holds a minimum.

    Until `closed` the interval is open above.
    """

    best: Trial
    other: Trial
    closed: bool
    raw: bool
    """Whether the function itself is interpolated, no longer the one less its least decrease."""
    least: float
    most: float
    width: float
    width_before: float


@kernel
def open_bracket(start: Trial, step: float, limit: float) -> Bracket:
    """Return the bracket before the first trial, which will be at `step`."""
    return Bracket(start, start, False, False, 0.0, 5.0 * step, limit, 2.0 * limit)


@kernel
def is_done(bracket: Bracket, start: Trial, trial: Trial, limit: float) -> bool:
    """Return whether the trial satisfies both conditions, or no better one can be had."""
    rate = _DECREASE * start.slope
    low_enough = trial.value <= start.value + rate * trial.step
    return (
        (low_enough and abs(trial.slope) <= -_CURVATURE * start.slope)
        or (low_enough and trial.step == limit and trial.slope <= rate)
        or (bracket.closed and _is_outside(trial.step, bracket.least, bracket.most))
        or (bracket.closed and _is_narrow(bracket.least, bracket.most))
    )


@kernel
def next_step(bracket: Bracket, start: Trial, trial: Trial, limit: float) -> tuple[float, Bracket]:
    """Return the step to try next, and the bracket that the trial leaves."""
    rate = _DECREASE * start.slope
    enough = start.value + rate * trial.step
    raw = bracket.raw or (trial.value <= enough and trial.slope >= 0.0)
    tilt = rate if not raw and enough < trial.value <= bracket.best.value else 0.0
    step, best, other, closed = _interpolate(
        _tilted(bracket.best, -tilt),
        _tilted(bracket.other, -tilt),
        _tilted(trial, -tilt),
        bracket.closed,
        (bracket.least, bracket.most),
    )
    best, other = _tilted(best, tilt), _tilted(other, tilt)
    width, width_before = bracket.width, bracket.width_before
    if closed:
        if abs(other.step - best.step) >= 0.66 * width_before:
            step = best.step + 0.5 * (other.step - best.step)
        width, width_before = abs(other.step - best.step), width
        least, most = min(best.step, other.step), max(best.step, other.step)
    else:
        least, most = step + 1.1 * (step - best.step), step + 4.0 * (step - best.step)
    step = min(max(step, 0.0), limit)
    if closed and (_is_outside(step, least, most) or _is_narrow(least, most)):
        step = best.step
    return step, Bracket(best, other, closed, raw, least, most, width, width_before)


@kernel
def _is_outside(step: float, least: float, most: float) -> bool:
    return step <= least or step >= most


@kernel
def _is_narrow(least: float, most: float) -> bool:
    return most - least <= _WIDTH * most


@kernel
def _tilted(trial: Trial, rate: float) -> Trial:
    return Trial(trial.step, trial.value + rate * trial.step, trial.slope + rate)


@kernel
def _interpolate(
    best: Trial, other: Trial, trial: Trial, closed: bool, bounds: tuple[float, float]
) -> tuple[float, Trial, Trial, bool]:
    """Return the next step and the new ends: the four cases of section 4."""
    opposite = trial.slope * np.sign(best.slope) < 0.0
    if trial.value > best.value:
        cubic = best.step + _cubic_share(best, trial) * (trial.step - best.step)
        chord = (best.value - trial.value) / (trial.step - best.step)
        parabola = best.step + best.slope / (chord + best.slope) / 2 * (trial.step - best.step)
        if abs(cubic - best.step) > abs(parabola - best.step):
            cubic += (parabola - cubic) / 2
        return cubic, best, trial, True
    if opposite:
        cubic = trial.step + _cubic_share(trial, best) * (best.step - trial.step)
        secant = _secant(best, trial)
        further = abs(cubic - trial.step) > abs(secant - trial.step)
        return cubic if further else secant, trial, best, True
    if abs(trial.slope) < abs(best.slope):
        return _extrapolate(best, other, trial, closed, bounds), trial, other, closed
    step = bounds[1] if trial.step > best.step else bounds[0]
    if closed:
        step = trial.step + _cubic_share(trial, other) * (other.step - trial.step)
    return step, trial, other, closed


@kernel
def _extrapolate(
    best: Trial, other: Trial, trial: Trial, closed: bool, bounds: tuple[float, float]
) -> float:
    """Return the third case: lower, same sign of the slope, which is less steep."""
    share, secant = _cubic_share(trial, best), _secant(best, trial)
    cubic = bounds[1] if trial.step > best.step else bounds[0]
    if share < 0.0:
        cubic = trial.step + share * (best.step - trial.step)
    nearer = abs(cubic - trial.step) < abs(secant - trial.step)
    if not closed:
        return max(bounds[0], min(bounds[1], secant if nearer else cubic))
    step = cubic if nearer else secant
    far = trial.step + 0.66 * (other.step - trial.step)
    return min(far, step) if trial.step > best.step else max(far, step)


@kernel
def _cubic_share(a: Trial, b: Trial) -> float:
    """Return how far from a to b the cubic through both, with their slopes, has its minimum."""
    theta = 3 * (a.value - b.value) / (b.step - a.step) + a.slope + b.slope
    scale = max(abs(theta), abs(a.slope), abs(b.slope))
    square = (theta / scale) ** 2 - (a.slope / scale) * (b.slope / scale)
    gamma = scale * np.sqrt(max(0.0, square))
    if b.step < a.step:
        gamma = -gamma
    return ((gamma - a.slope) + theta) / (((gamma - a.slope) + gamma) + b.slope)


@kernel
def _secant(best: Trial, trial: Trial) -> float:
    return trial.step + trial.slope / (trial.slope - best.slope) * (best.step - trial.step)
