"""A step between 0 and a limit that decreases a function enough: Moré and Thuente's search.

References
----------
Moré, Thuente (1994), https://doi.org/10.1145/192115.192132; the choices are
those of MINPACK-2's dcsrch, as in L-BFGS-B 3.0 and SciPy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from causalassay.common.kernels import kernel

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
