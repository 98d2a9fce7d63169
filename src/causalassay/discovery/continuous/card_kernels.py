"""All steps of one small problem in one block of a graphics card, by Triton: GOLEM and NOTEARS.

`batch_solver` describes the methods and has the same in torch, which is the twin that the tests
compare with. Here a problem never leaves its block: nothing is launched or read between steps.
This file imports Triton and torch alone, and Triton comes with torch for cards.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
import triton
import triton.language as tl
from torch import Tensor

GOLEM_STEPS = 500
NOTEARS_POINTS = 500
"""Of each problem in one launch; between launches the processor can be interrupted."""
LARGEST = {"golem": 64, "notears": 32}
"""With more nodes a problem does not fit into one block."""
WARPS = {
    "golem, double": {16: 2, 32: 4, 64: 8},
    "golem, single": {16: 2, 32: 2, 64: 4},
    "notears": {16: 2, 32: 2},
}
"""By the size of a block of numbers."""
INVERSE_TOLERANCES = {torch.float64: 1e-6, torch.float32: 1e-3}
"""The inverse is refined until no entry of I - AX was larger: the last refinement squares it."""


def tile_of(n_nodes: int) -> int:
    """Return the size of a block of numbers that holds a matrix."""
    return max(16, int(triton.next_power_of_2(n_nodes)))


def _wait() -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()


@triton.jit
def _exponential(weights, unit, PRECISION: tl.constexpr):
    """Return exp(W∘W) - I: see `batch_solver.expm1`."""
    power = weights * weights
    largest = tl.max(tl.sum(power, axis=0), axis=0)
    largest = tl.minimum(tl.maximum(largest, 1.0), 1e12)
    times = tl.ceil(tl.log2(largest.to(tl.float32))).to(tl.int32)
    times = tl.where(tl.exp2(times.to(tl.float32)).to(largest.dtype) < largest, times + 1, times)
    power = power * tl.exp2(-times.to(tl.float32)).to(largest.dtype)
    second = tl.dot(power, power, out_dtype=power.dtype, input_precision=PRECISION)
    third = tl.dot(second, power, out_dtype=power.dtype, input_precision=PRECISION)
    fourth = tl.dot(second, second, out_dtype=power.dtype, input_precision=PRECISION)
    growth = (unit + power / 13 + second / 182 + third / 2730) / 479001600
    growth = tl.dot(fourth, growth, out_dtype=power.dtype, input_precision=PRECISION)
    growth += (unit + power / 9 + second / 90 + third / 990) / 40320
    growth = tl.dot(fourth, growth, out_dtype=power.dtype, input_precision=PRECISION)
    growth += (unit + power / 5 + second / 30 + third / 210) / 24
    growth = tl.dot(fourth, growth, out_dtype=power.dtype, input_precision=PRECISION)
    growth += power + second / 2 + third / 6
    for _ in range(times):
        growth = 2 * growth + tl.dot(
            growth, growth, out_dtype=power.dtype, input_precision=PRECISION
        )
    return growth, times


# GOLEM


def move_golem(
    state: Sequence[Tensor],
    covariance: Tensor,
    equal: bool,  # noqa: FBT001
    penalties: Tensor,
    lengths: Tensor,
    steps: tuple[int, int],
) -> Tensor:
    """Take Adam's steps for many problems, in the precision of the arguments.

    Parameters
    ----------
    state : sequence of Tensor, shape (n, d, d)
        The weights, Adam's mean and square of the gradients, and the inverse of I - W of the
        step before; all are changed in place.
    covariance : Tensor, shape (n, d, d)
    equal : bool
        Whether noise variances are equal.
    penalties : Tensor, shape (2,)
    lengths : Tensor
        How far each step goes.
    steps : tuple
        The first step and the one before which to stop.

    Returns
    -------
    Tensor, shape (n,)
        By how much I - AX was off at most where a refinement of the inverse ended.
    """
    n, d, _ = covariance.shape
    tile = tile_of(d)
    precision = "double" if covariance.dtype == torch.float64 else "single"
    worst = torch.zeros(n, dtype=covariance.dtype, device=covariance.device)
    first, stop = steps
    while first < stop:
        last = min(first + GOLEM_STEPS, stop)
        _golem[(n,)](
            *state,
            covariance,
            worst,
            lengths,
            penalties,
            first,
            last,
            d,
            INVERSE_TOLERANCES[covariance.dtype],
            equal,
            "ieee" if precision == "double" else "tf32x3",
            tile,
            num_warps=WARPS[f"golem, {precision}"][tile],
        )
        _wait()
        first = last
    return worst


@triton.jit
def _golem(
    weights_at,
    mean_at,
    square_at,
    inverse_at,
    covariance_at,
    worst_at,
    lengths_at,
    penalties_at,
    first,
    last,
    d,
    tolerance,
    EQUAL: tl.constexpr,
    PRECISION: tl.constexpr,
    TILE: tl.constexpr,
):
    """Take Adam's steps of one problem; rows and columns beyond `d` are those of I."""
    problem = tl.program_id(0)
    row = tl.arange(0, TILE)[:, None]
    column = tl.arange(0, TILE)[None, :]
    inside = (row < d) & (column < d)
    at = problem * d * d + row * d + column
    off = inside & (row != column)
    weights = tl.load(weights_at + at, mask=inside, other=0.0)
    kind = weights.dtype
    unit = tl.where(row == column, 1.0, 0.0).to(kind)
    mean = tl.load(mean_at + at, mask=inside, other=0.0)
    square = tl.load(square_at + at, mask=inside, other=0.0)
    covariance = tl.load(covariance_at + at, mask=inside, other=0.0)
    inverse = tl.where(inside, tl.load(inverse_at + at, mask=inside, other=0.0), unit)
    worst = tl.load(worst_at + problem)
    lambda1 = tl.load(penalties_at)
    lambda2 = tl.load(penalties_at + 1)
    for step in range(first, last):
        growth, _ = _exponential(weights, unit, PRECISION)
        slope = 2 * lambda2 * tl.trans(growth + unit) * weights
        away = unit - weights
        residual = tl.dot(covariance, away, out_dtype=kind, input_precision=PRECISION)
        scales = tl.sum(away * residual, axis=0)
        if EQUAL:
            scales = tl.zeros_like(scales) + tl.sum(scales, axis=0) / d
        else:
            scales = tl.where(tl.arange(0, TILE) < d, scales, 1.0)
        slope -= residual / scales[None, :]

        # The inverse of the last step, refined after Newton and Schulz; where that goes astray,
        # from a start from which it always converges.
        error = tl.max(tl.max(unit, axis=1), axis=0)
        tries = 0
        while (error > tolerance) & (tries < 60):
            rest = unit - tl.dot(away, inverse, out_dtype=kind, input_precision=PRECISION)
            size = tl.where(rest == rest, tl.abs(rest), 1e30)
            error = tl.max(tl.max(size, axis=1), axis=0)
            astray = (error > 1.5) | ((error > 0.9) & (tries == 0))
            if astray:
                size = tl.abs(away)
                length = tl.max(tl.sum(size, axis=0), axis=0) * tl.max(tl.sum(size, axis=1), axis=0)
                inverse = tl.trans(away) / length
                error = tl.max(tl.max(unit, axis=1), axis=0)
            else:
                inverse += tl.dot(inverse, rest, out_dtype=kind, input_precision=PRECISION)
            tries += 1
        worst = tl.maximum(worst, error)
        slope += tl.trans(inverse)
        slope += lambda1 * tl.where(weights > 0, 1.0, tl.where(weights < 0, -1.0, 0.0)).to(kind)
        slope = tl.where(off, slope, 0.0)

        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope * slope
        weights -= tl.load(lengths_at + step) * mean / (tl.sqrt(square) + 1e-8)
    tl.store(weights_at + at, weights, mask=inside)
    tl.store(mean_at + at, mean, mask=inside)
    tl.store(square_at + at, square, mask=inside)
    tl.store(inverse_at + at, inverse, mask=inside)
    tl.store(worst_at + problem, worst)


# NOTEARS

TILES = 7
"""Matrices of a problem between launches: the weights, the gradients of loss and h there, the
direction, and the first three where the present minimisation set out."""
NUMBERS = 20
"""Numbers of a problem between launches, in the order in which `_notears` loads them."""


def minimise_notears(
    covariance: Tensor,
    penalty: Tensor,
    max_iter: int,
    h_tolerance: float,
    rho_max: float,
    stopping: tuple[float, ...],
) -> dict[str, Tensor]:
    """Minimise the augmented Lagrangian of many problems; see `batch_solver.solve_notears`.

    All problems have a penalty, or none. `stopping` says when minimisations and line searches
    end: `batch_solver._STOPPING`.
    """
    n, d, _ = covariance.shape
    covariance = covariance.contiguous()
    tile, n_pairs = tile_of(d), int(stopping[0])
    kind = {"dtype": covariance.dtype, "device": covariance.device}
    tiles = torch.zeros(n, TILES, d, d, **kind)
    pairs = torch.zeros(n, 2 * n_pairs, d, d, **kind)
    curvatures = torch.zeros(n, 16, **kind)
    numbers = torch.zeros(n, NUMBERS, **kind)
    # All weights are 0.
    trace = covariance.diagonal(dim1=1, dim2=2).sum(dim=1)
    numbers[:, 0] = numbers[:, 5] = trace / 2
    tiles[:, 1] = tiles[:, 5] = -covariance * (1 - torch.eye(d, **kind))
    numbers[:, 19] = 1.0  # a direction is missing
    numbers[:, 2] = 1.0  # rho
    numbers[:, 4] = numbers[:, 9] = torch.inf  # h before, and the upper end of the line search
    limits = torch.tensor([h_tolerance, rho_max, *stopping[1:]], **kind)
    while not (numbers[:, 18] != 0).all():
        _notears[(n,)](
            covariance,
            tiles,
            pairs,
            curvatures,
            numbers,
            penalty.contiguous(),
            limits,
            max_iter,
            NOTEARS_POINTS,
            d,
            bool((penalty > 0).any()),
            n_pairs,
            TILES,
            NUMBERS,
            tile,
            num_warps=WARPS["notears"][tile],
        )
        _wait()
    weights = tiles[:, 0]
    h = numbers[:, 1]
    return {
        "weights": weights,
        "h": h,
        "rho": numbers[:, 2],
        "alpha": numbers[:, 3],
        "iterations": numbers[:, 15].long(),
        "evaluations": numbers[:, 16].long(),
        "objective": numbers[:, 0] + penalty * weights.abs().sum(dim=(1, 2)),
        "converged": (numbers[:, 17] != 0) & (h <= h_tolerance),
    }


@triton.jit
def _lagrangian(covariance, weights, unit, off):
    """Return the squared error over 2n, h, and the gradients of both; whether it has numbers."""
    growth, times = _exponential(weights, unit, "ieee")
    residual = covariance - tl.dot(
        covariance, weights, out_dtype=weights.dtype, input_precision="ieee"
    )
    loss = (tl.sum(residual * unit) - tl.sum(weights * residual)) / 2
    h = tl.sum(growth * unit)
    return loss, h, tl.where(off, -residual, 0.0), 2 * tl.trans(growth) * weights, times


@triton.jit
def _steepest(gradient, weights, lambda1, PENALISED: tl.constexpr):
    """Return the gradient with that of the penalty; at a weight of 0 the least of all."""
    if PENALISED:
        up = gradient + lambda1
        down = gradient - lambda1
        at_zero = tl.where(up < 0, up, tl.where(down > 0, down, 0.0))
        return tl.where(weights > 0, up, tl.where(weights < 0, down, at_zero))
    else:
        return gradient


@triton.jit
def _notears(
    covariance_at,
    tiles_at,
    pairs_at,
    curvatures_at,
    numbers_at,
    penalties_at,
    limits_at,
    max_iter,
    points,
    d,
    PENALISED: tl.constexpr,
    PAIRS: tl.constexpr,
    TILES: tl.constexpr,
    NUMBERS: tl.constexpr,
    TILE: tl.constexpr,
):
    """Evaluate some points of one problem; `batch_solver._Search` says what each step is."""
    problem = tl.program_id(0)
    row = tl.arange(0, TILE)[:, None]
    column = tl.arange(0, TILE)[None, :]
    inside = (row < d) & (column < d)
    off = inside & (row != column)
    here = row * d + column
    size = d * d
    covariance = tl.load(covariance_at + problem * size + here, mask=inside, other=0.0)
    kind = covariance.dtype
    unit = tl.where(row == column, 1.0, 0.0).to(kind)
    lanes = tl.arange(0, 16)
    tiles_at += problem * TILES * size
    pairs_at += problem * 2 * PAIRS * size
    numbers_at += problem * NUMBERS
    weights = tl.load(tiles_at + here, mask=inside, other=0.0)
    loss_slope = tl.load(tiles_at + size + here, mask=inside, other=0.0)
    h_slope = tl.load(tiles_at + 2 * size + here, mask=inside, other=0.0)
    direction = tl.load(tiles_at + 3 * size + here, mask=inside, other=0.0)
    curvatures = tl.load(curvatures_at + problem * 16 + lanes)  # s·y of each pair
    loss = tl.load(numbers_at)
    h = tl.load(numbers_at + 1)
    rho = tl.load(numbers_at + 2)
    alpha = tl.load(numbers_at + 3)
    h_before = tl.load(numbers_at + 4)
    first_loss = tl.load(numbers_at + 5)
    first_h = tl.load(numbers_at + 6)
    step = tl.load(numbers_at + 7)
    low = tl.load(numbers_at + 8)
    high = tl.load(numbers_at + 9)
    scale = tl.load(numbers_at + 10)  # s·y / y·y of the youngest pair
    trials = tl.load(numbers_at + 11).to(tl.int32)
    steps = tl.load(numbers_at + 12).to(tl.int32)
    slot = tl.load(numbers_at + 13).to(tl.int32)
    known = tl.load(numbers_at + 14).to(tl.int32)
    iterations = tl.load(numbers_at + 15).to(tl.int32)
    evaluations = tl.load(numbers_at + 16).to(tl.int32)
    minimised = tl.load(numbers_at + 17).to(tl.int32)
    ended = tl.load(numbers_at + 18).to(tl.int32)
    lambda1 = tl.load(penalties_at + problem)
    h_tolerance = tl.load(limits_at)
    rho_max = tl.load(limits_at + 1)
    gradient_tolerance = tl.load(limits_at + 2)
    value_tolerance = tl.load(limits_at + 3)
    most_steps = tl.load(limits_at + 4).to(tl.int32)
    most_trials = tl.load(limits_at + 5).to(tl.int32)
    enough_decrease = tl.load(limits_at + 6)
    enough_curvature = tl.load(limits_at + 7)
    rounding = tl.load(limits_at + 8)
    least_shrinking = tl.load(limits_at + 9)
    most_squarings = tl.load(limits_at + 10).to(tl.int32)
    aims = tl.load(numbers_at + 19).to(tl.int32)
    point = 0
    while (point < points) & (ended == 0):
        gradient = loss_slope + (rho * h + alpha) * h_slope
        steepest = _steepest(gradient, weights, lambda1, PENALISED)
        if aims == 1:
            # A new direction: that of L-BFGS by two loops over the pairs.
            downhill = steepest
            shares = tl.zeros_like(curvatures)
            for back in range(known):
                place = (slot - 1 - back + 2 * PAIRS) % PAIRS
                move = tl.load(pairs_at + place * size + here, mask=inside, other=0.0)
                curvature = tl.sum(tl.where(lanes == place, curvatures, 0.0))
                share = tl.sum(move * downhill) / curvature
                shares = tl.where(lanes == place, share, shares)
                change = tl.load(pairs_at + (PAIRS + place) * size + here, mask=inside, other=0.0)
                downhill -= share * change
            if known > 0:
                downhill = scale * downhill
            for forth in range(known):
                place = (slot - known + forth + 2 * PAIRS) % PAIRS
                change = tl.load(pairs_at + (PAIRS + place) * size + here, mask=inside, other=0.0)
                curvature = tl.sum(tl.where(lanes == place, curvatures, 0.0))
                share = tl.sum(tl.where(lanes == place, shares, 0.0))
                share -= tl.sum(change * downhill) / curvature
                move = tl.load(pairs_at + place * size + here, mask=inside, other=0.0)
                downhill += share * move
            direction = -downhill
            if PENALISED:
                direction = tl.where(direction * steepest < 0, direction, 0.0)
            if tl.sum(direction * steepest) >= 0:
                direction = -steepest
                known = 0
            step = 0.0 * low + 1.0
            if known == 0:
                length = tl.sqrt(tl.sum(steepest * steepest))
                step = tl.minimum(1.0 / tl.maximum(length, 1e-300), step)
            low = 0.0 * low
            high = low + float("inf")
            trials = 0

        value = loss + rho * h * h / 2 + alpha * h + lambda1 * tl.sum(tl.abs(weights))
        there = weights + step * direction
        if PENALISED:  # no weight changes its sign in one step
            sign = tl.where(weights > 0, 1.0, tl.where(weights < 0, -1.0, 0.0))
            sign = tl.where(weights == 0, tl.where(steepest > 0, -1.0, 1.0), sign)
            sign = tl.where((weights == 0) & (steepest == 0), 0.0, sign)
            there = tl.where(there * sign > 0, there, 0.0)
        loss_there, h_there, loss_slope_there, h_slope_there, times = _lagrangian(
            covariance, there, unit, off
        )
        reached = loss_there + rho * h_there * h_there / 2 + alpha * h_there
        reached += lambda1 * tl.sum(tl.abs(there))
        gradient_there = loss_slope_there + (rho * h_there + alpha) * h_slope_there
        evaluations += 1
        trials += 1
        promised = tl.sum(steepest * (there - weights))
        bound = value + enough_decrease * promised + rounding * tl.abs(value)
        falls = (reached <= bound) & (tl.abs(reached) < float("inf")) & (times <= most_squarings)
        is_flat = falls
        if not PENALISED:
            is_flat = tl.sum(gradient_there * direction) >= enough_curvature * tl.sum(
                steepest * direction
            )
        is_last = trials >= most_trials
        accepted = falls & (is_last | is_flat)
        failed = (falls == 0) & is_last
        if falls:
            low = step
        else:
            high = step
        excess = tl.maximum(reached - value - promised, 1e-300)
        share = -promised / (2 * excess)
        share = tl.where(share == share, share, 0.0)
        share = tl.minimum(tl.maximum(share, least_shrinking), 0.5)
        share = tl.where(low > 0, 0.5, share)
        step = tl.where(high < float("inf"), low + share * (high - low), 2 * low)

        gain = value - reached
        least = tl.maximum(tl.maximum(tl.abs(value), tl.abs(reached)), 1.0)
        if accepted:
            move = there - weights
            change = gradient_there - gradient
            curvature = tl.sum(move * change)
            square = tl.sum(change * change)
            if curvature > 2.2e-16 * square:
                tl.store(pairs_at + slot * size + here, move, mask=inside)
                tl.store(pairs_at + (PAIRS + slot) * size + here, change, mask=inside)
                curvatures = tl.where(lanes == slot, curvature, curvatures)
                scale = curvature / square
                slot = (slot + 1) % PAIRS
                known = tl.minimum(known + 1, PAIRS)
            weights = there
            loss = loss_there
            h = h_there
            loss_slope = loss_slope_there
            h_slope = h_slope_there
            steps += 1
        aims = tl.where(accepted | failed, 1, 0)

        gradient = loss_slope + (rho * h + alpha) * h_slope
        steepest = tl.abs(_steepest(gradient, weights, lambda1, PENALISED))
        is_flat = tl.max(tl.max(steepest, axis=1), axis=0) <= gradient_tolerance
        is_minimum = accepted & (is_flat | (gain <= value_tolerance * least))
        is_stuck = failed & (known == 0)
        if failed:
            known = 0
            slot = 0
        if is_minimum | is_stuck | (accepted & (steps >= most_steps)):
            minimised = tl.where(is_minimum, 1, 0)
            steps = 0
            known = 0
            slot = 0
            aims = 1
            too_little = h > 0.25 * h_before
            rho = tl.where(too_little, 10 * rho, rho)
            if too_little & (rho < rho_max):  # again, from where it set out
                tl.debug_barrier()
                weights = tl.load(tiles_at + 4 * size + here, mask=inside, other=0.0)
                loss_slope = tl.load(tiles_at + 5 * size + here, mask=inside, other=0.0)
                h_slope = tl.load(tiles_at + 6 * size + here, mask=inside, other=0.0)
                loss = first_loss
                h = first_h
            else:
                alpha += rho * h
                h_before = h
                iterations += 1
                tl.store(tiles_at + 4 * size + here, weights, mask=inside)
                tl.store(tiles_at + 5 * size + here, loss_slope, mask=inside)
                tl.store(tiles_at + 6 * size + here, h_slope, mask=inside)
                first_loss = loss
                first_h = h
                is_met = (h <= h_tolerance) | (rho >= rho_max) | (iterations >= max_iter)
                ended = tl.where(is_met, 1, 0)
        tl.debug_barrier()  # what was stored is read by others of the block
        point += 1
    tl.store(tiles_at + here, weights, mask=inside)
    tl.store(tiles_at + size + here, loss_slope, mask=inside)
    tl.store(tiles_at + 2 * size + here, h_slope, mask=inside)
    tl.store(tiles_at + 3 * size + here, direction, mask=inside)
    tl.store(curvatures_at + problem * 16 + lanes, curvatures)
    tl.store(numbers_at, loss)
    tl.store(numbers_at + 1, h)
    tl.store(numbers_at + 2, rho)
    tl.store(numbers_at + 3, alpha)
    tl.store(numbers_at + 4, h_before)
    tl.store(numbers_at + 5, first_loss)
    tl.store(numbers_at + 6, first_h)
    tl.store(numbers_at + 7, step)
    tl.store(numbers_at + 8, low)
    tl.store(numbers_at + 9, high)
    tl.store(numbers_at + 10, scale)
    tl.store(numbers_at + 11, trials)
    tl.store(numbers_at + 12, steps)
    tl.store(numbers_at + 13, slot)
    tl.store(numbers_at + 14, known)
    tl.store(numbers_at + 15, iterations)
    tl.store(numbers_at + 16, evaluations)
    tl.store(numbers_at + 17, minimised)
    tl.store(numbers_at + 18, ended)
    tl.store(numbers_at + 19, aims)
