"""GOLEM and NOTEARS for many covariance matrices of one size at once, by torch.

This file imports torch and numpy alone, so that a machine with a graphics card and nothing else
can run it. With `card_kernels` beside it, small problems are solved much faster on a card. Each
problem has its own steps and its own end; what they share is the call.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

card_kernels: Any
try:
    card_kernels = import_module(f"{__package__}.card_kernels" if __package__ else "card_kernels")
except ImportError:  # torch for CPUs comes without Triton
    card_kernels = None

PAIRS = 10
"""How many of the last steps L-BFGS remembers."""
GRADIENT_TOLERANCE = 1e-5
SMALL = 64
SMALL_ENDS = 2.220446049250313e-10, 2_000
LARGE_ENDS = 2.220446049250313e-9, 1_000
"""When a minimisation of up to `SMALL` nodes ends, and one of more: the relative gain of a step,
and the steps. SciPy's L-BFGS-B, and with it the sequential solver, ends at 2.2e-9 and 15 000.
There, of 20 problems of 20 nodes all had a larger objective than the sequential solver's, by 0.02 %
in the median; with a tenth of it they are the same. With 15 000 steps 1000 of them took three
times as long on a card, for the few that creep; beside the sequential solver's, objectives were
the same.
Of 10 problems of 100 nodes all had a lower objective than the sequential solver's with either
tolerance, by 0.2 % in the median."""
MOST_TRIALS = 20
"""Points that a line search tries."""
ENOUGH_DECREASE, ENOUGH_CURVATURE = 1e-4, 0.9
"""The constants of the conditions of Wolfe."""
ROUNDING = 4.440892098500626e-16
LEAST_SHRINKING = 1e-4
"""By how much a step that is too long is shortened at most."""
LOOK_AFTER = 50
"""Evaluations between two looks at how many problems have ended."""
MOST_SQUARINGS = 30
"""A point whose exponential takes more is none: its h is beyond all numbers."""
DOUBLE_STEPS = 500
LOST = 0.1
"""A problem of which a kernel inverted a matrix worse than that is computed again by torch."""
REFINEMENTS = 3
INVERSE_TOLERANCE = 1e-6
"""How far I - AX may be from 0 before the last refinement of an inverse, which squares it."""

_STOPPING = (
    PAIRS,
    GRADIENT_TOLERANCE,
    *SMALL_ENDS,
    MOST_TRIALS,
    ENOUGH_DECREASE,
    ENOUGH_CURVATURE,
    ROUNDING,
    LEAST_SHRINKING,
    MOST_SQUARINGS,
)

Arrays = dict[str, NDArray[Any]]


def is_there(device: str) -> bool:
    """Return whether torch can compute on a device."""
    return device == "cpu" or torch.cuda.is_available()


def expm1(matrices: Tensor, most: int = 1100, *, ask: bool = True) -> Tensor:
    """Return exp(A) - I of matrices without negative entries: no term cancels another.

    A Taylor polynomial of degree 15 of the scaled matrices, whose sums are at most 1, leaves
    an error of at most 5e-14; it is then squared back as (I + E)² - I = E² + 2E.

    Parameters
    ----------
    matrices : Tensor, shape (n, d, d)
    most : int
        How often to square at most.
    ask : bool
        Square as often as the matrices need, not more: the processor then waits for a card.

    Examples
    --------
    >>> expm1(torch.tensor([[[0.0, 2.0], [0.0, 0.0]]])).tolist()
    [[[0.0, 2.0], [0.0, 0.0]]]
    """
    squarings = squarings_of(matrices)  # of each its own, so that none depends on its batch
    scaled = matrices * (2.0**-squarings)[:, None, None]
    second = scaled @ scaled
    third, fourth = second @ scaled, second @ second
    unit = torch.eye(matrices.shape[-1], dtype=matrices.dtype, device=matrices.device)
    growth = torch.zeros_like(matrices)
    for low in (12, 8, 4, 0):
        share = [1 / math.factorial(low + k) for k in range(4)]
        known = share[1] * scaled
        known.add_(second, alpha=share[2]).add_(third, alpha=share[3])
        if low:  # at the end less I: added, it would round
            known.add_(unit, alpha=share[0])
        growth = known if low == 12 else torch.baddbmm(known, fourth, growth)
    for k in range(min(most, int(squarings.max())) if ask else most):
        twice = torch.baddbmm(growth, growth, growth, beta=2)
        growth = _chosen(squarings > k, twice, growth)
    return growth


def squarings_of(matrices: Tensor) -> Tensor:
    """Return how often the polynomial of each matrix has to be squared."""
    largest = matrices.sum(dim=1).amax(dim=1).clamp(min=1.0)
    return torch.where(torch.isfinite(largest), largest, 1.0).log2().ceil()


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
    penalties = Penalties(variant, lambda1, lambda2)
    covariance = _on(device, covariances)
    first = torch.zeros_like(covariance) if start is None else _on(device, start)
    step = np.arange(1, steps + 1)
    lengths = _on(device, learning_rate * np.sqrt(1 - 0.999**step) / (1 - 0.9**step))
    late_step = int(np.linspace(0, steps, 11)[-2])
    descent = _Descent(covariance, first, penalties, lengths)
    late = descent.weights_after(late_step)
    weights = descent.weights_after(steps)
    is_lost = ~torch.isfinite(weights).all(dim=2).all(dim=1) | (descent.inverse_error > LOST)
    if descent.by_kernel and is_lost.any():
        descent = _Descent(covariance[is_lost], first[is_lost], penalties, lengths, by_kernel=False)
        late[is_lost] = descent.weights_after(late_step)
        weights[is_lost] = descent.weights_after(steps)
    rows = _on(device, n_samples)
    loss, h = _golem_loss(weights, covariance, rows, penalties)
    before, _ = _golem_loss(late, covariance, rows, penalties)
    return _arrays(weights=weights, loss=loss, h=h, change=loss - before)


class Penalties(NamedTuple):
    """What GOLEM minimises."""

    variant: str
    lambda1: float
    lambda2: float


class _Descent:
    """Where the weights of each problem stand on their way by Adam."""

    def __init__(
        self,
        covariance: Tensor,
        first: Tensor,
        penalties: Penalties,
        lengths: Tensor,
        *,
        by_kernel: bool = True,
    ) -> None:
        self.covariance, self.penalties, self.lengths = covariance, penalties, lengths
        self.by_kernel = by_kernel and _fits_a_block("golem", covariance)
        self.unit = torch.eye(covariance.shape[-1], dtype=first.dtype, device=first.device)
        self.weights = first.clone()
        self.mean, self.square = torch.zeros_like(first), torch.zeros_like(first)
        self.inverse = self.unit.repeat(len(first), 1, 1)
        self.inverse_error = torch.zeros_like(first[:, 0, 0])
        self.count = torch.zeros(1, dtype=torch.int64, device=first.device)
        self._records: dict[int, Any] = {}

    def weights_after(self, stop: int) -> Tensor:
        """Take the steps up to one; return the weights then."""
        step = int(self.count)
        while step < stop:
            if self.by_kernel:
                end = min(stop, DOUBLE_STEPS) if step < DOUBLE_STEPS else stop
                self._call_kernel(step, end)
            else:
                end = min(step + LOOK_AFTER, stop)
                if not self.weights.is_cuda or step == 0:
                    self._take_exact_steps(end - step)
                else:
                    self._replay(end - step)
            step = end
        return self.weights.clone()

    def _call_kernel(self, step: int, end: int) -> None:
        """Take steps in one kernel: the first in double, the others in single precision.

        At the start directions are open, and rounding decides between them: problems of which
        500 steps were in double precision end with the loss of a run in double precision.
        """
        precision = torch.float64 if step < DOUBLE_STEPS else torch.float32
        state = [self.weights, self.mean, self.square, self.inverse]
        copies = [tensor.to(precision, copy=True).contiguous() for tensor in state]
        penalties = _on(self.weights.device, self.penalties[1:]).to(precision)
        worst = card_kernels.move_golem(
            copies,
            self.covariance.to(precision).contiguous(),
            self.penalties.variant == "ev",
            penalties,
            self.lengths.to(precision),
            (step, end),
        )
        for tensor, new in zip(state, copies, strict=True):
            tensor.copy_(new)
        self.inverse_error = torch.maximum(self.inverse_error, worst.double())
        self.count.fill_(end)

    def _take_exact_steps(self, steps: int) -> None:
        for _ in range(steps):
            self.inverse.copy_(torch.linalg.inv_ex(self.unit - self.weights)[0])
            self._take_step(MOST_SQUARINGS, ask=True)

    def _replay(self, steps: int) -> None:
        """Take steps recorded for a card, the inverse refined from step to step.

        If a refinement went astray, they are taken again with exact inverses.
        """
        # Until the next look the sums can hardly double, and the polynomial would bear that.
        most = int(squarings_of(self.weights**2).clamp(max=MOST_SQUARINGS).max()) + 1
        if most not in self._records:
            self._records[most] = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._records[most]):
                self._refine_inverse()
                self._take_step(most, ask=False)
        state = (self.weights, self.mean, self.square, self.count, self.inverse)
        before = [tensor.clone() for tensor in state]
        self.inverse_error.zero_()
        for _ in range(steps):
            self._records[most].replay()
        if not (self.inverse_error <= INVERSE_TOLERANCE).all():
            for tensor, old in zip(state, before, strict=True):
                tensor.copy_(old)
            self._take_exact_steps(steps)

    def _refine_inverse(self) -> None:
        """Refine the inverse of the step before: each time the error I - AX is squared."""
        away = self.unit - self.weights
        inverse, rest = self.inverse, self.unit
        for _ in range(REFINEMENTS):
            rest = torch.baddbmm(self.unit, away, inverse, alpha=-1)
            inverse = torch.baddbmm(inverse, inverse, rest)
        error = rest.abs().amax(dim=(1, 2)).nan_to_num(nan=math.inf)
        self.inverse_error.copy_(torch.maximum(self.inverse_error, error))
        self.inverse.copy_(inverse)

    def _take_step(self, most: int, *, ask: bool) -> None:
        weights, penalties = self.weights, self.penalties
        growth = expm1(weights * weights, most, ask=ask)
        away = self.unit - weights
        residual = self.covariance @ away
        scales = (away * residual).sum(dim=1)
        if penalties.variant == "ev":
            scales = scales.mean(dim=1, keepdim=True)
        slope = self.inverse.transpose(1, 2) - residual / scales[:, None, :]
        slope = slope + penalties.lambda1 * weights.sign()
        slope = slope + 2 * penalties.lambda2 * (growth + self.unit).transpose(1, 2) * weights
        slope = slope * (1 - self.unit)
        self.mean.mul_(0.9).add_(slope, alpha=0.1)
        self.square.mul_(0.999).addcmul_(slope, slope, value=0.001)
        weights.sub_(self.lengths[self.count] * self.mean / (self.square.sqrt() + 1e-8))
        self.count.add_(1)


def _golem_loss(
    weights: Tensor, covariance: Tensor, rows: Tensor, penalties: Penalties
) -> tuple[Tensor, Tensor]:
    """Return the loss and h of each problem."""
    d = weights.shape[-1]
    away = torch.eye(d, dtype=weights.dtype, device=weights.device) - weights
    scales = (away * (covariance @ away)).sum(dim=1)
    if penalties.variant == "ev":
        fit = d / 2 * torch.log(scales.sum(dim=1) * rows)
    else:
        fit = torch.log(scales * rows[:, None]).sum(dim=1) / 2
    h = expm1(weights * weights).diagonal(dim1=1, dim2=2).sum(dim=1)
    size = weights.abs().sum(dim=(1, 2))
    penalty = penalties.lambda1 * size + penalties.lambda2 * h
    return fit - torch.linalg.slogdet(away)[1] + penalty, h


def _fits_a_block(method: str, covariance: Tensor) -> bool:
    """Return whether a problem is small enough for all its steps to be one kernel of a card."""
    return (
        covariance.is_cuda
        and card_kernels is not None
        and covariance.shape[-1] <= card_kernels.LARGEST[method]
    )


def solve_notears(  # noqa: PLR0913  they are NOTEARS' own
    covariances: NDArray[np.float64],
    lambda1: float | Sequence[float] = 0.0,
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
    lambda1 : float or sequence of float
        The penalty of all problems, or of each.
    max_iter, h_tolerance, rho_max
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
    covariance = _on(device, covariances)
    penalty = _on(device, np.broadcast_to(lambda1, len(covariances)).copy())
    others = max_iter, h_tolerance, rho_max
    solved: list[tuple[NDArray[Any], Arrays]] = []
    # Without a penalty the line search asks for more, so these go on their own.
    for which in (penalty > 0, penalty == 0):
        if which.any():
            places = np.flatnonzero(which.cpu().numpy())
            solved += _minimised(covariance[which], penalty[which], places, others)
    order = np.argsort(np.concatenate([some for some, _ in solved]))
    names = solved[0][1]
    return {name: np.concatenate([some[name] for _, some in solved])[order] for name in names}


def _minimised(
    covariance: Tensor,
    penalty: Tensor,
    places: NDArray[Any],
    others: tuple[int, float, float],
) -> list[tuple[NDArray[Any], Arrays]]:
    """Return what comes of problems that all have a penalty, or none; some places at a time."""
    if _fits_a_block("notears", covariance):
        by_kernel = card_kernels.minimise_notears(covariance, penalty, *others, _STOPPING)
        return [(places, _arrays(**by_kernel))]
    search = _Search(covariance, penalty, *others)
    solved: list[tuple[NDArray[Any], Arrays]] = []
    while len(places):
        search.advance()
        ended = search.ended.cpu().numpy()
        # Those that have ended would be computed along: they go once they are a quarter of all.
        if 4 * ended.sum() >= len(places):
            solved.append((places[ended], search.results(search.ended)))
            search.keep(~search.ended)
            places = places[~ended]
    return solved


class _Search:
    """Where each of the problems stands: its point, its line search, its memory, its multiplier."""

    def __init__(
        self,
        covariance: Tensor,
        penalty: Tensor,
        max_iter: int,
        h_tolerance: float,
        rho_max: float,
    ) -> None:
        self.penalty, self._is_penalised = penalty, bool((penalty > 0).any())
        self._max_iter = max_iter
        small = covariance.shape[-1] <= SMALL
        self._value_tolerance, self._most_steps = SMALL_ENDS if small else LARGE_ENDS
        self._h_tolerance, self._rho_max = h_tolerance, rho_max
        n, d, _ = covariance.shape
        numbers = {"dtype": covariance.dtype, "device": covariance.device}
        counts = {"dtype": torch.int64, "device": covariance.device}
        self.covariance = covariance
        # On a card all steps are recorded, so how often exponentials are squared is fixed before:
        # what needs more waits until the next recording.
        self.squarings, self.furthest = torch.zeros(n, **numbers), torch.zeros(n, **numbers)
        self._most: int | None = 4 if covariance.is_cuda else None
        self._record: Any = None
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
        # The memory: the last moves and after them the changes of the gradient, their products,
        # and where the next pair goes.
        self.pairs = torch.zeros(n, 2 * PAIRS, d * d, **numbers)
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
            "objective": self.loss + self.penalty * size,
            "converged": self.minimised & (self.h <= self._h_tolerance),
        }
        return _arrays(**{name: tensor[some] for name, tensor in whole.items()})

    def advance(self) -> None:
        """Evaluate some points of each line search."""
        if not self.covariance.is_cuda:
            for _ in range(LOOK_AFTER):
                self.try_next_point()
            return
        if self._record is None:
            self._record = self._recorded()
        for _ in range(LOOK_AFTER):
            self._record.replay()
        waiting = self.squarings[~self.ended & self._is_waiting()]
        if len(waiting):
            self._most, self._record = int(waiting.max()) + 1, None

    def _furthest(self) -> Tensor:
        """Return how many squarings a point may take that is not too far away.

        What is recorded for a card squares as often for all problems as the worst one needs: a
        first trial with sums that are 16 times as large would make all wait, and be refused.
        """
        if self._most is None:
            return torch.full_like(self.squarings, MOST_SQUARINGS)
        return (squarings_of(self.weights**2) + 4).clamp(max=MOST_SQUARINGS)

    def _is_waiting(self) -> Tensor:
        if self._most is None:
            return torch.zeros_like(self.ended)
        return (self.squarings > self._most) & (self.squarings <= self.furthest)

    def _recorded(self) -> Any:
        """Return one step as a graph of CUDA, which costs one launch in place of hundreds."""
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):  # libraries must have been called once before
            self.try_next_point()
        torch.cuda.current_stream().wait_stream(aside)
        names = [name for name, value in vars(self).items() if isinstance(value, Tensor)]
        before, first = [getattr(self, name) for name in names], self.first
        record = torch.cuda.CUDAGraph()
        with torch.cuda.graph(record):
            self.try_next_point()
            after = [getattr(self, name) for name in names] + self.first
            for old, new in zip(before + first, after, strict=True):
                if old is not new:
                    old.copy_(new)
        for name, tensor in zip(names, before, strict=True):
            setattr(self, name, tensor)
        self.first = first
        return record

    def keep(self, some: Tensor) -> None:
        """Forget all other problems."""
        self._record = None
        for name, value in vars(self).items():
            if isinstance(value, Tensor):
                setattr(self, name, value[some])
        self.first = [tensor[some] for tensor in self.first]

    def try_next_point(self) -> None:
        """Evaluate the next point of each line search; go there, or look elsewhere."""
        gradient, steepest = self.gradient, self.steepest
        value = self._value(self.loss, self.h, self.weights)
        weights = self.weights + self.step[:, None, None] * self.direction
        if self._is_penalised:  # no weight changes its sign in one step
            sign = torch.where(self.weights != 0, self.weights.sign(), -steepest.sign())
            weights = torch.where(weights * sign > 0, weights, torch.zeros_like(weights))
        self.squarings, self.furthest = squarings_of(weights * weights), self._furthest()
        loss, h, loss_slope, h_slope = self._evaluate(weights)
        reached = self._value(loss, h, weights)
        gradient_there = self._gradient(loss_slope, h, h_slope)
        move = weights - self.weights

        running = ~self.ended & ~self._is_waiting()
        self.evaluations = self.evaluations + running
        self.trials = self.trials + running
        promised = (steepest * move).sum(dim=(1, 2))
        # Where ρ is large a step can gain less than rounding; the minimisation then ends.
        bound = value + ENOUGH_DECREASE * promised + ROUNDING * value.abs()
        falls = (reached <= bound) & torch.isfinite(reached)
        falls = falls & (self.squarings <= self.furthest)
        is_last = self.trials >= MOST_TRIALS
        accepted = running & falls & (is_last | self._is_flat(gradient_there, steepest))
        failed = running & ~falls & is_last
        self.high = torch.where(running & ~falls, self.step, self.high)
        self.low = torch.where(running & falls, self.step, self.low)
        # Between two steps the middle; before the first one that falls, the parabola's minimum.
        excess = (reached - value - promised).clamp(min=1e-300)
        share = (-promised / (2 * excess)).nan_to_num(0.0).clamp(LEAST_SHRINKING, 0.5)
        share = torch.where(self.low > 0, 0.5, share)
        between = self.low + share * (self.high - self.low)
        step = torch.where(torch.isfinite(self.high), between, 2 * self.low)
        self.step = torch.where(running, step, self.step)

        self._remember(accepted, move, gradient_there - gradient)
        there = [weights, loss, h, loss_slope, h_slope]
        self._go(accepted, there)
        self.steps = self.steps + accepted
        slope = self._steepest(gradient_there, weights).abs().amax(dim=(1, 2))
        ended = self._end_minimisations(accepted, failed, slope, value, reached)
        forgets = ended | failed
        self.known = torch.where(forgets, 0, self.known)
        self.slot = torch.where(forgets, 0, self.slot)
        self._aim(accepted | forgets)

    def _end_minimisations(
        self, accepted: Tensor, failed: Tensor, slope: Tensor, value: Tensor, reached: Tensor
    ) -> Tensor:
        """Return which minimisations have ended; there ρ grows, or the multiplier takes a step."""
        scale = torch.maximum(value.abs(), reached.abs()).clamp(min=1.0)
        gains_little = value - reached <= self._value_tolerance * scale
        minimised = accepted & ((slope <= GRADIENT_TOLERANCE) | gains_little)
        stuck = failed & (self.known == 0)
        ended = minimised | stuck | (accepted & (self.steps >= self._most_steps))
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
        most = MOST_SQUARINGS if self._most is None else self._most
        growth = expm1(weights * weights, most, ask=self._most is None)
        residual = torch.baddbmm(self.covariance, self.covariance, weights, alpha=-1)
        trace = residual.diagonal(dim1=1, dim2=2).sum(dim=1)
        loss = (trace - (weights * residual).sum(dim=(1, 2))) / 2
        h = growth.diagonal(dim1=1, dim2=2).sum(dim=1)
        # The gradient of the loss on the diagonal is left out: weights there stay 0.
        residual.neg_().diagonal(dim1=1, dim2=2).zero_()
        return loss, h, residual, (growth.transpose(1, 2) * weights).mul_(2)

    def _value(self, loss: Tensor, h: Tensor, weights: Tensor) -> Tensor:
        size = weights.abs().sum(dim=(1, 2))
        return loss + self.rho * h * h / 2 + self.alpha * h + self.penalty * size

    def _gradient(self, loss_slope: Tensor, h: Tensor, h_slope: Tensor) -> Tensor:
        """Return the gradient of what is smooth."""
        return loss_slope + (self.rho * h + self.alpha)[:, None, None] * h_slope

    def _steepest(self, gradient: Tensor, weights: Tensor) -> Tensor:
        """Return the gradient with that of the penalty; at a weight of 0 the least of all."""
        if not self._is_penalised:
            return gradient
        penalty = self.penalty[:, None, None]
        at_zero = gradient - gradient.clamp(-penalty, penalty)
        return torch.where(weights != 0, gradient + penalty * weights.sign(), at_zero)

    def _is_flat(self, gradient_there: Tensor, steepest: Tensor) -> Tensor:
        """Return whether the slope has risen enough; with a penalty that is not asked for."""
        if self._is_penalised:
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
        count = torch.arange(len(s), device=s.device)
        for place, new in ((self.slot, s), (self.slot + PAIRS, y)):  # in place: it is large
            self.pairs[count, place] = _chosen(useful, new, self.pairs[count, place])
        products = self.pairs @ torch.stack([s, y], dim=2)
        here = (self.slot[:, None] == torch.arange(PAIRS, device=s.device)) & useful[:, None]
        column = products[:, :PAIRS, 1:].expand(-1, -1, PAIRS)
        row = products[:, PAIRS:, :1].transpose(1, 2).expand(-1, PAIRS, -1)
        square = products[:, PAIRS:, 1:].expand(-1, -1, PAIRS)
        self.mixed = torch.where(here[:, None, :], column, self.mixed)
        self.mixed = torch.where(here[:, :, None], row, self.mixed)
        self.squares = torch.where(here[:, None, :], square, self.squares)
        self.squares = torch.where(here[:, :, None], square.transpose(1, 2), self.squares)
        self.slot = torch.where(useful, (self.slot + 1) % PAIRS, self.slot)
        self.known = torch.where(useful, (self.known + 1).clamp(max=PAIRS), self.known)

    def _aim(self, which: Tensor) -> None:
        """Set out in a new direction: that of L-BFGS, or down the gradient without a memory."""
        gradient = self._gradient(self.loss_slope, self.h, self.h_slope)
        steepest = self._steepest(gradient, self.weights)
        direction = -self._times_inverse(steepest.flatten(1)).reshape(steepest.shape)
        if self._is_penalised:
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
        self.gradient, self.steepest = gradient, steepest

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
        products = (self.pairs @ vectors[:, :, None])[:, :, 0]
        along = products[:, :PAIRS].gather(1, place) * is_known
        across = products[:, PAIRS:].gather(1, place) * is_known
        solved = torch.linalg.solve_triangular(upper, along[:, :, None], upper=True)
        inner = curvature[:, :, None] * solved + scale[:, :, None] * (squares @ solved)
        inner = inner - scale[:, :, None] * across[:, :, None]
        outer = torch.linalg.solve_triangular(upper.transpose(1, 2), inner, upper=False)
        shares = torch.zeros_like(products)
        shares = shares.scatter(1, place, outer[:, :, 0] * is_known)
        shares = shares.scatter(1, place + PAIRS, -scale * solved[:, :, 0] * is_known)
        return scale * vectors + (shares[:, None, :] @ self.pairs)[:, 0]


def _chosen(which: Tensor, new: Tensor, old: Tensor) -> Tensor:
    """Return the new values of some problems and the old ones of the others."""
    return torch.where(which.reshape(-1, *[1] * (old.dim() - 1)), new, old)


def _on(device: Any, array: Any) -> Tensor:
    return torch.as_tensor(np.asarray(array), dtype=torch.float64, device=device)


def _arrays(**tensors: Tensor) -> Arrays:
    return {name: tensor.cpu().numpy() for name, tensor in tensors.items()}
