"""GOLEM and NOTEARS for many covariance matrices of one size at once, by torch.

This file imports torch and numpy alone, so that a machine with a graphics card and nothing else
can run it. Each problem has its own steps and its own end; what they share is the call.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

PAIRS = 10
"""How many of the last steps L-BFGS remembers."""
GRADIENT_TOLERANCE = 1e-5
VALUE_TOLERANCE = 2.220446049250313e-10
MOST_STEPS = 15_000
"""When a minimisation ends: as SciPy's L-BFGS-B, and with it the sequential solver, but for a
tenth of the tolerance on values. With theirs it ended a little too early: of 20 problems of 20
nodes all had a larger objective than the sequential solver's, by 0.02 % in the median."""
MOST_TRIALS = 20
"""Points that a line search tries."""
ENOUGH_DECREASE, ENOUGH_CURVATURE = 1e-4, 0.9
"""The constants of the conditions of Wolfe."""
ROUNDING = 4.440892098500626e-16
LEAST_SHRINKING = 1e-4
"""By how much a step that is too long is shortened at most."""
LOOK_AFTER = 50
"""Evaluations between two looks at how many problems have ended."""

Arrays = dict[str, NDArray[Any]]


def is_there(device: str) -> bool:
    """Return whether torch can compute on a device."""
    return device == "cpu" or torch.cuda.is_available()


def expm1(matrices: Tensor) -> Tensor:
    """Return exp(A) - I of matrices without negative entries: no term cancels another.

    A Taylor polynomial of degree 15 of the scaled matrices, whose sums are at most 1, leaves
    an error of at most 5e-14; it is then squared back as (I + E)² - I = E² + 2E.

    Examples
    --------
    >>> expm1(torch.tensor([[[0.0, 2.0], [0.0, 0.0]]])).tolist()
    [[[0.0, 2.0], [0.0, 0.0]]]
    """
    largest = matrices.sum(dim=1).amax(dim=1).clamp(min=1.0)
    # Of each problem its own, so that none depends on the others of its batch.
    squarings = torch.where(torch.isfinite(largest), largest, 1.0).log2().ceil()
    scaled = matrices / (2.0**squarings)[:, None, None]
    second = scaled @ scaled
    third, fourth = second @ scaled, second @ second
    unit = torch.eye(matrices.shape[-1], dtype=matrices.dtype, device=matrices.device)
    growth = torch.zeros_like(matrices)
    for low in (12, 8, 4, 0):
        share = [1 / math.factorial(low + k) for k in range(4)]
        growth = share[1] * scaled + share[2] * second + share[3] * third + fourth @ growth
        growth = growth + share[0] * unit if low else growth  # less I: added, it would round
    for k in range(int(squarings.max())):
        growth = _chosen(squarings > k, growth @ growth + 2 * growth, growth)
    return growth


def solve_golem(  # noqa: PLR0913  they are GOLEM's own
    covariances: NDArray[np.float64],
    n_samples: Sequence[int],
    variant: Literal["ev", "nv"],
    *,
    lambda1: float,
    lambda2: float,
    steps: int,
    learning_rate: float,
    start: NDArray[np.float64] | None = None,
    device: str = "cpu",
) -> Arrays:
    """Move the weights of many problems by Adam, as `discovery.golem` moves those of one.

    Parameters
    ----------
    covariances : ndarray, shape (n, d, d)
    n_samples : sequence of int
        Of each problem.
    variant : {"ev", "nv"}
        Equal or any noise variances.
    lambda1, lambda2, steps, learning_rate
        See `GolemEV`.
    start : ndarray, shape (n, d, d), optional
        The weights to start from; 0 without it.
    device : str
        A device of torch.

    Returns
    -------
    dict
        Arrays by name, with a row for each problem: "weights", "loss", "h", and the "change" of
        the loss over the last tenth of the steps.
    """
    covariance = _on(device, covariances)
    n, d, _ = covariance.shape
    weights = _on(device, np.zeros((n, d, d)) if start is None else start)
    unit = torch.eye(d, dtype=weights.dtype, device=device)
    rows = _on(device, n_samples)[:, None]
    mean, square = torch.zeros_like(weights), torch.zeros_like(weights)
    losses: list[Tensor] = []
    marks = {int(mark) for mark in np.linspace(0, steps, 11)[-2:]}
    for step in range(1, steps + 2):
        growth = expm1(weights * weights)
        away = unit - weights
        residual = covariance @ away
        scales = (away * residual).sum(dim=1)
        if variant == "ev":
            scales = scales.mean(dim=1, keepdim=True).expand(-1, d)
        h = growth.diagonal(dim1=1, dim2=2).sum(dim=1)
        if step - 1 in marks:
            fit = (torch.log(scales * rows) / 2).sum(dim=1)
            fit = fit + d * math.log(d) / 2 * (variant == "ev")
            size = weights.abs().sum(dim=(1, 2))
            loss = fit - torch.linalg.slogdet(away)[1] + lambda1 * size + lambda2 * h
            losses.append(loss)
        if step > steps:
            break
        slope = torch.linalg.inv(away).transpose(1, 2) - residual / scales[:, None, :]
        slope = slope + lambda1 * weights.sign()
        slope = slope + 2 * lambda2 * (growth + unit).transpose(1, 2) * weights
        slope = slope * (1 - unit)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        length = learning_rate * math.sqrt(1 - 0.999**step) / (1 - 0.9**step)
        weights = weights - length * mean / (square.sqrt() + 1e-8)
    change = losses[-1] - losses[0]
    return _arrays(weights=weights, loss=losses[-1], h=h, change=change)


def solve_notears(  # noqa: PLR0913  they are NOTEARS' own
    covariances: NDArray[np.float64],
    lambda1: float = 0.0,
    max_iter: int = 100,
    h_tolerance: float = 1e-8,
    rho_max: float = 1e16,
    device: str = "cpu",
) -> Arrays:
    """Minimise the augmented Lagrangian of many problems, as `discovery.notears` does of one.

    The schedule of the multiplier and the tolerances are those of the sequential solver. Each
    minimisation is by L-BFGS, with a penalty by its form for absolute values (OWL-QN), in place
    of L-BFGS-B over positive and negative parts: paths differ, and with them some local minima.

    Parameters
    ----------
    covariances : ndarray, shape (n, d, d)
    lambda1, max_iter, h_tolerance, rho_max
        See `NOTEARS`.
    device : str
        A device of torch.

    Returns
    -------
    dict
        Arrays by name, with a row for each problem: "weights", "h", "rho", "alpha", "iterations",
        "evaluations", "objective" and "converged".

    References
    ----------
    Andrew, Gao (2007), https://doi.org/10.1145/1273496.1273501 (OWL-QN); Byrd, Nocedal, Schnabel
    (1994), https://doi.org/10.1007/BF01582063 (L-BFGS by small matrices); Lewis, Overton (2013),
    https://doi.org/10.1007/s10107-012-0514-2 (the line search).
    """
    search = _Search(_on(device, covariances), lambda1, max_iter, h_tolerance, rho_max)
    solved: list[tuple[NDArray[Any], Arrays]] = []
    places = np.arange(len(covariances))
    while len(places):
        for _ in range(LOOK_AFTER):
            search.try_next_point()
        ended = search.ended.cpu().numpy()
        # Those that have ended would be computed along: they go once they are half of all.
        if 2 * ended.sum() >= len(places):
            solved.append((places[ended], search.results(search.ended)))
            search.keep(~search.ended)
            places = places[~ended]
    order = np.argsort(np.concatenate([some for some, _ in solved]))
    names = solved[0][1]
    return {name: np.concatenate([some[name] for _, some in solved])[order] for name in names}


class _Search:
    """Where each of the problems stands: its point, its line search, its memory, its multiplier."""

    def __init__(
        self,
        covariance: Tensor,
        lambda1: float,
        max_iter: int,
        h_tolerance: float,
        rho_max: float,
    ) -> None:
        self._lambda1, self._max_iter = lambda1, max_iter
        self._h_tolerance, self._rho_max = h_tolerance, rho_max
        n, d, _ = covariance.shape
        numbers = {"dtype": covariance.dtype, "device": covariance.device}
        counts = {"dtype": torch.int64, "device": covariance.device}
        self.covariance = covariance
        # The point, and what the Lagrangian is made of there.
        self.weights = torch.zeros_like(covariance)
        self.loss, self.h, self.loss_slope, self.h_slope = self._evaluate(self.weights)
        # The point from which the present minimisation set out, if ρ must grow.
        self.first = [self.weights, self.loss, self.h, self.loss_slope, self.h_slope]
        self.rho, self.alpha = torch.ones(n, **numbers), torch.zeros(n, **numbers)
        self.h_before = torch.full((n,), math.inf, **numbers)
        # The line search: its direction, its next step, and between which steps it looks.
        self.direction = torch.zeros_like(covariance)
        self.step, self.low = torch.ones(n, **numbers), torch.zeros(n, **numbers)
        self.high = torch.full((n,), math.inf, **numbers)
        self.trials, self.steps = torch.zeros(n, **counts), torch.zeros(n, **counts)
        self.evaluations, self.iterations = torch.zeros(n, **counts), torch.zeros(n, **counts)
        self.minimised, self.ended = torch.zeros(n, **counts) > 0, torch.zeros(n, **counts) > 0
        # The memory: the last moves and the changes of the gradient, their products, and where
        # the next pair goes.
        self.moves = torch.zeros(n, PAIRS, d * d, **numbers)
        self.changes = torch.zeros(n, PAIRS, d * d, **numbers)
        self.mixed = torch.zeros(n, PAIRS, PAIRS, **numbers)
        self.squares = torch.zeros(n, PAIRS, PAIRS, **numbers)
        self.slot, self.known = torch.zeros(n, **counts), torch.zeros(n, **counts)
        self._aim(~self.ended)

    def results(self, some: Tensor) -> Arrays:
        """Return what came of some problems."""
        size = self.weights.abs().sum(dim=(1, 2))
        whole = {
            "weights": self.weights,
            "h": self.h,
            "rho": self.rho,
            "alpha": self.alpha,
            "iterations": self.iterations,
            "evaluations": self.evaluations,
            "objective": self.loss + self._lambda1 * size,
            "converged": self.minimised & (self.h <= self._h_tolerance),
        }
        return _arrays(**{name: tensor[some] for name, tensor in whole.items()})

    def keep(self, some: Tensor) -> None:
        """Forget all other problems."""
        for name, value in vars(self).items():
            if isinstance(value, Tensor):
                setattr(self, name, value[some])
        self.first = [tensor[some] for tensor in self.first]

    def try_next_point(self) -> None:
        """Evaluate the next point of each line search; go there, or look elsewhere."""
        gradient = self._gradient(self.loss_slope, self.h, self.h_slope)
        steepest = self._steepest(gradient, self.weights)
        value = self._value(self.loss, self.h, self.weights)
        weights = self.weights + self.step[:, None, None] * self.direction
        if self._lambda1:  # no weight changes its sign in one step
            sign = torch.where(self.weights != 0, self.weights.sign(), -steepest.sign())
            weights = torch.where(weights * sign > 0, weights, torch.zeros_like(weights))
        loss, h, loss_slope, h_slope = self._evaluate(weights)
        reached = self._value(loss, h, weights)
        gradient_there = self._gradient(loss_slope, h, h_slope)
        move = weights - self.weights

        running = ~self.ended
        self.evaluations = self.evaluations + running
        self.trials = self.trials + 1
        promised = (steepest * move).sum(dim=(1, 2))
        # Where ρ is large a step can gain less than rounding; the minimisation then ends.
        bound = value + ENOUGH_DECREASE * promised + ROUNDING * value.abs()
        falls = (reached <= bound) & torch.isfinite(reached)
        is_last = self.trials >= MOST_TRIALS
        accepted = running & falls & (is_last | self._is_flat(gradient_there, steepest))
        failed = running & ~falls & is_last
        self.high = torch.where(falls, self.high, self.step)
        self.low = torch.where(falls, self.step, self.low)
        # Between two steps the middle; before the first one that falls, the parabola's minimum.
        excess = (reached - value - promised).clamp(min=1e-300)
        share = (-promised / (2 * excess)).nan_to_num(0.0).clamp(LEAST_SHRINKING, 0.5)
        share = torch.where(self.low > 0, 0.5, share)
        between = self.low + share * (self.high - self.low)
        self.step = torch.where(torch.isfinite(self.high), between, 2 * self.low)

        self._remember(accepted, move, gradient_there - gradient)
        there = [weights, loss, h, loss_slope, h_slope]
        self._go(accepted, there)
        self.steps = self.steps + accepted
        ended = self._end_minimisations(accepted, failed, value - reached, value, reached)
        forgets = ended | failed
        self.known = torch.where(forgets, 0, self.known)
        self.slot = torch.where(forgets, 0, self.slot)
        self._aim(accepted | forgets)

    def _end_minimisations(
        self, accepted: Tensor, failed: Tensor, gain: Tensor, value: Tensor, reached: Tensor
    ) -> Tensor:
        """Return which minimisations have ended; there ρ grows, or the multiplier takes a step."""
        here = self._gradient(self.loss_slope, self.h, self.h_slope)
        is_flat = self._steepest(here, self.weights).abs().amax(dim=(1, 2)) <= GRADIENT_TOLERANCE
        scale = torch.maximum(value.abs(), reached.abs()).clamp(min=1.0)
        minimised = accepted & (is_flat | (gain <= VALUE_TOLERANCE * scale))
        stuck = failed & (self.known == 0)
        ended = minimised | stuck | (accepted & (self.steps >= MOST_STEPS))
        self.minimised = torch.where(ended, minimised, self.minimised)
        self.steps = torch.where(ended, 0, self.steps)

        too_little = ended & (self.h > 0.25 * self.h_before)
        self.rho = torch.where(too_little, 10 * self.rho, self.rho)
        again = too_little & (self.rho < self._rho_max)
        onward = ended & ~again
        self.alpha = torch.where(onward, self.alpha + self.rho * self.h, self.alpha)
        self.h_before = torch.where(onward, self.h, self.h_before)
        self.iterations = self.iterations + onward
        is_met = (self.h <= self._h_tolerance) | (self.rho >= self._rho_max)
        self.ended = self.ended | (onward & (is_met | (self.iterations >= self._max_iter)))
        here_now = [self.weights, self.loss, self.h, self.loss_slope, self.h_slope]
        self._go(again, self.first)
        self.first = [
            _chosen(onward, new, old) for new, old in zip(here_now, self.first, strict=True)
        ]
        return ended

    def _evaluate(self, weights: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return the squared error over 2n, h, and the gradients of both."""
        growth = expm1(weights * weights)
        residual = self.covariance - self.covariance @ weights
        trace = residual.diagonal(dim1=1, dim2=2).sum(dim=1)
        loss = (trace - (weights * residual).sum(dim=(1, 2))) / 2
        h = growth.diagonal(dim1=1, dim2=2).sum(dim=1)
        # The gradient of the loss on the diagonal is left out: weights there stay 0.
        off = 1 - torch.eye(weights.shape[-1], dtype=weights.dtype, device=weights.device)
        return loss, h, -residual * off, 2 * growth.transpose(1, 2) * weights

    def _value(self, loss: Tensor, h: Tensor, weights: Tensor) -> Tensor:
        size = weights.abs().sum(dim=(1, 2))
        return loss + self.rho * h * h / 2 + self.alpha * h + self._lambda1 * size

    def _gradient(self, loss_slope: Tensor, h: Tensor, h_slope: Tensor) -> Tensor:
        """Return the gradient of what is smooth."""
        return loss_slope + (self.rho * h + self.alpha)[:, None, None] * h_slope

    def _steepest(self, gradient: Tensor, weights: Tensor) -> Tensor:
        """Return the gradient with that of the penalty; at a weight of 0 the least of all."""
        if not self._lambda1:
            return gradient
        up, down = gradient + self._lambda1, gradient - self._lambda1
        at_zero = torch.where(up < 0, up, torch.where(down > 0, down, torch.zeros_like(up)))
        return torch.where(weights > 0, up, torch.where(weights < 0, down, at_zero))

    def _is_flat(self, gradient_there: Tensor, steepest: Tensor) -> Tensor:
        """Return whether the slope has risen enough; with a penalty that is not asked for."""
        if self._lambda1:
            return torch.ones_like(self.ended)
        there = (gradient_there * self.direction).sum(dim=(1, 2))
        return there >= ENOUGH_CURVATURE * (steepest * self.direction).sum(dim=(1, 2))

    def _go(self, which: Tensor, there: Sequence[Tensor]) -> None:
        here = [self.weights, self.loss, self.h, self.loss_slope, self.h_slope]
        chosen = [_chosen(which, new, old) for new, old in zip(there, here, strict=True)]
        self.weights, self.loss, self.h, self.loss_slope, self.h_slope = chosen

    def _remember(self, accepted: Tensor, move: Tensor, change: Tensor) -> None:
        """Put a pair in the place of the oldest, where its curvature is positive."""
        s, y = move.flatten(1), change.flatten(1)
        useful = accepted & ((s * y).sum(dim=1) > 2.2e-16 * (y * y).sum(dim=1))
        here = torch.nn.functional.one_hot(self.slot, PAIRS).bool() & useful[:, None]
        self.moves = torch.where(here[:, :, None], s[:, None], self.moves)
        self.changes = torch.where(here[:, :, None], y[:, None], self.changes)
        column = (self.moves @ y[:, :, None]).expand(-1, -1, PAIRS)
        row = (self.changes @ s[:, :, None]).transpose(1, 2).expand(-1, PAIRS, -1)
        square = self.changes @ y[:, :, None]
        self.mixed = torch.where(here[:, None, :], column, self.mixed)
        self.mixed = torch.where(here[:, :, None], row, self.mixed)
        self.squares = torch.where(here[:, None, :], square.expand(-1, -1, PAIRS), self.squares)
        squares = square.transpose(1, 2).expand(-1, PAIRS, -1)
        self.squares = torch.where(here[:, :, None], squares, self.squares)
        self.slot = torch.where(useful, (self.slot + 1) % PAIRS, self.slot)
        self.known = torch.where(useful, (self.known + 1).clamp(max=PAIRS), self.known)

    def _aim(self, which: Tensor) -> None:
        """Set out in a new direction: that of L-BFGS, or down the gradient without a memory."""
        gradient = self._gradient(self.loss_slope, self.h, self.h_slope)
        steepest = self._steepest(gradient, self.weights)
        direction = -self._times_inverse(steepest.flatten(1)).reshape(steepest.shape)
        if self._lambda1:
            agrees = direction * steepest < 0
            direction = torch.where(agrees, direction, torch.zeros_like(direction))
        is_down = (direction * steepest).sum(dim=(1, 2)) < 0
        direction = _chosen(is_down, direction, -steepest)
        self.known = torch.where(which & ~is_down, 0, self.known)
        length = steepest.square().sum(dim=(1, 2)).sqrt().clamp(min=1e-300)
        alone = ~is_down | (self.known == 0)
        step = torch.where(alone, (1 / length).clamp(max=1.0), torch.ones_like(length))
        self.direction = _chosen(which, direction, self.direction)
        self.step = torch.where(which, step, self.step)
        self.low = torch.where(which, torch.zeros_like(step), self.low)
        self.high = torch.where(which, torch.full_like(step, math.inf), self.high)
        self.trials = torch.where(which, 0, self.trials)

    def _times_inverse(self, vectors: Tensor) -> Tensor:
        """Return the product of vectors and the model's inverse Hessian: theorem 2.2 of Byrd."""
        ages = torch.arange(PAIRS, device=vectors.device)
        place = (self.slot[:, None] - self.known[:, None] + ages) % PAIRS  # the oldest first
        is_known = ages < self.known[:, None]
        rows = place[:, :, None].expand(-1, -1, PAIRS)
        columns = place[:, None, :].expand(-1, PAIRS, -1)
        both = is_known[:, :, None] & is_known[:, None, :]
        mixed = self.mixed.gather(1, rows).gather(2, columns) * both
        squares = self.squares.gather(1, rows).gather(2, columns) * both
        curvature = mixed.diagonal(dim1=1, dim2=2)
        youngest = (self.known - 1).clamp(min=0)[:, None]
        has_one = self.known > 0
        above = torch.where(has_one, curvature.gather(1, youngest)[:, 0], 1.0)
        below = squares.diagonal(dim1=1, dim2=2).gather(1, youngest)[:, 0]
        scale = (above / torch.where(has_one, below, 1.0))[:, None]
        upper = mixed.triu() + torch.diag_embed((~is_known).to(mixed.dtype))
        along = (self.moves @ vectors[:, :, None])[:, :, 0].gather(1, place) * is_known
        across = (self.changes @ vectors[:, :, None])[:, :, 0].gather(1, place) * is_known
        solved = torch.linalg.solve_triangular(upper, along[:, :, None], upper=True)
        inner = curvature[:, :, None] * solved + scale[:, :, None] * (squares @ solved)
        inner = inner - scale[:, :, None] * across[:, :, None]
        outer = torch.linalg.solve_triangular(upper.transpose(1, 2), inner, upper=False)
        of_moves = torch.zeros_like(along).scatter(1, place, outer[:, :, 0] * is_known)
        of_changes = torch.zeros_like(along).scatter(1, place, scale * solved[:, :, 0] * is_known)
        product = scale * vectors + (of_moves[:, None, :] @ self.moves)[:, 0]
        return product - (of_changes[:, None, :] @ self.changes)[:, 0]


def _chosen(which: Tensor, new: Tensor, old: Tensor) -> Tensor:
    """Return the new values of some problems and the old ones of the others."""
    return torch.where(which.reshape(-1, *[1] * (old.dim() - 1)), new, old)


def _on(device: str, array: Any) -> Tensor:
    return torch.as_tensor(np.asarray(array), dtype=torch.float64, device=device)


def _arrays(**tensors: Tensor) -> Arrays:
    return {name: tensor.cpu().numpy() for name, tensor in tensors.items()}
