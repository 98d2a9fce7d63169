"""GOLEM: the Gaussian likelihood with soft penalties on cycles and weights, by Adam."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.common.arrays import Weights
from causalassay.common.kernels import kernel
from causalassay.common.spelling import RefusedValue
from causalassay.contracts import Estimate, Kind, NotApplicable, Reads
from causalassay.data.dataset import Dataset
from causalassay.discovery.continuous.golem_objective import (
    GolemObjective,
    Variant,
    evaluate,
    golem_loss,
    new_golem_objective,
)
from causalassay.discovery.continuous.moments import (
    Device,
    Moments,
    check_device,
    is_singular,
    own_order_moments,
    thresholded,
)
from causalassay.discovery.continuous.together import Search, SolvedTogether

__all__ = ["GolemEV", "GolemNV", "golem_loss"]

STEADY = 1e-4
"""Converged: over the last tenth of the steps the loss changed by at most this per variable."""


@dataclass(frozen=True)
class GolemEV(SolvedTogether):
    """Maximise the Gaussian likelihood with equal noise variances, penalising cycles and weights.

    Parameters
    ----------
    lambda1, lambda2 : float
        The penalties on the sum of absolute weights and on cycles.
    steps : int
        Steps of Adam: 10⁴ as in Reisach et al., for whom half of it was enough;
        the authors' default is 10⁵.
    learning_rate : float
        The step size of Adam.
    threshold : float
        Weights up to it make no edge; while there is a cycle its weakest edges go, too.
    device : {"cpu", "torch", "cuda"}
        "cuda" computes the same steps on a graphics card, with torch, and "torch" does so on the
        processor. With either a study computes many data sets of one size in one call.

    Notes
    -----
    `info` has the ``loss``, ``h`` of the weights, ``steps``, ``change`` (of
    the loss over the last tenth of the steps), ``converged`` (that change is
    at most 0.0001 per variable) and the ``threshold`` used.

    Departs from the authors' code: double precision where they have single,
    and the covariance matrix instead of the data. The columns are sorted by
    their values first, so that relabelling them changes nothing.

    References
    ----------
    Ng, Ghassami, Zhang (2020), arXiv 2006.10201, section 4;
    Reisach, Seiler, Weichwald (2021), arXiv 2102.13647, appendices D and E.

    Examples
    --------
    >>> from causalassay.data import Dataset
    >>> rng = np.random.default_rng(0)
    >>> data = Dataset.from_values(rng.normal(size=(200, 3)).cumsum(axis=1))
    >>> GolemEV().discover(data, rng).graph.astype(int)
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 0, 0]])
    """

    lambda1: float = 2e-2
    lambda2: float = 5.0
    steps: int = 10_000
    learning_rate: float = 1e-3
    threshold: float = 0.3
    device: Device = "cpu"

    name: ClassVar[str] = "golem-ev"
    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "observational rows"
    output: ClassVar[Kind] = "dag"
    scale_sensitive: ClassVar[bool] = True
    assumptions: ClassVar[str] = (
        "linear mechanisms, Gaussian noise of equal variances, no hidden common causes"
    )
    reference: ClassVar[str] = "Ng, Ghassami, Zhang (2020), arXiv 2006.10201"

    def __post_init__(self) -> None:
        _check(self)

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Estimate a DAG from the observational values; nothing is random."""
        if self.batched:
            return self.discover_by_torch(data, rng)
        moments = self.moments(data)
        weights = np.zeros_like(moments.covariance)
        info = _descend(self, "ev", moments, weights)
        return _estimate(self, moments, weights, info)

    def moments(self, data: Dataset) -> Moments:
        """Return what the search needs of the data."""
        return _regular_moments(data)

    def searches(self) -> list[Search]:
        """Return the settings of the search."""
        return [_search(self, "ev")]

    def estimate(self, moments: Moments, solved: Mapping[str, Any]) -> Estimate:
        """Return the estimate that solved numbers make."""
        return _solved_estimate(self, moments, solved)


@dataclass(frozen=True)
class GolemNV(SolvedTogether):
    """Maximise the Gaussian likelihood with any noise variances, penalising cycles and weights.

    Parameters
    ----------
    lambda1, lambda2, steps, learning_rate, threshold, device
        See `GolemEV`.
    start : {"zero", "ev"}
        "ev" starts from the unthresholded weights of `GolemEV` with its own
        `lambda1` and otherwise the settings given here, as Ng et al.
        recommend; Reisach et al. start from zero.

    Notes
    -----
    As `GolemEV`.

    References
    ----------
    Ng, Ghassami, Zhang (2020), arXiv 2006.10201, section 4;
    Reisach, Seiler, Weichwald (2021), arXiv 2102.13647, appendices D and E.

    Examples
    --------
    >>> from causalassay.data import Dataset
    >>> rng = np.random.default_rng(0)
    >>> data = Dataset.from_values(rng.normal(size=(200, 3)).cumsum(axis=1))
    >>> GolemNV(start="ev").discover(data, rng).graph.astype(int)
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 0, 0]])
    """

    lambda1: float = 2e-3
    lambda2: float = 5.0
    steps: int = 10_000
    learning_rate: float = 1e-3
    threshold: float = 0.3
    start: Literal["zero", "ev"] = "zero"
    device: Device = "cpu"

    name: ClassVar[str] = "golem-nv"
    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "observational rows"
    output: ClassVar[Kind] = "dag"
    scale_sensitive: ClassVar[bool] = True
    assumptions: ClassVar[str] = "linear mechanisms, Gaussian noise, no hidden common causes"
    reference: ClassVar[str] = "Ng, Ghassami, Zhang (2020), arXiv 2006.10201"

    def __post_init__(self) -> None:
        _check(self)
        if self.start not in ("zero", "ev"):
            raise RefusedValue("start", f"expected 'zero' or 'ev', got {self.start!r}")

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Estimate a DAG from the observational values; nothing is random."""
        if self.batched:
            return self.discover_by_torch(data, rng)
        moments = self.moments(data)
        weights = np.zeros_like(moments.covariance)
        if self.start == "ev":
            _descend(self._first(), "ev", moments, weights)
        info = _descend(self, "nv", moments, weights)
        return _estimate(self, moments, weights, info)

    def moments(self, data: Dataset) -> Moments:
        """Return what the search needs of the data."""
        return _regular_moments(data)

    def searches(self) -> list[Search]:
        """Return the settings of each search; a later one starts where the one before ended."""
        first = [_search(self._first(), "ev")] if self.start == "ev" else []
        return [*first, _search(self, "nv")]

    def estimate(self, moments: Moments, solved: Mapping[str, Any]) -> Estimate:
        """Return the estimate that solved numbers make."""
        return _solved_estimate(self, moments, solved)

    def _first(self) -> GolemEV:
        """Return what finds the weights to start from."""
        return GolemEV(
            lambda2=self.lambda2,
            steps=self.steps,
            learning_rate=self.learning_rate,
            device=self.device,
        )


def _check(golem: GolemEV | GolemNV) -> None:
    for name in ("lambda1", "lambda2", "threshold"):
        value = getattr(golem, name)
        if not 0 <= value < np.inf:
            raise RefusedValue(name, f"expected a finite number >= 0, got {value}")
    if not 0 < golem.learning_rate < np.inf:
        raise RefusedValue(
            "learning_rate", f"expected a finite number > 0, got {golem.learning_rate}"
        )
    if golem.steps < 1:
        raise RefusedValue("steps", f"expected at least 1, got {golem.steps}")
    check_device(golem.device)


def _regular_moments(data: Dataset) -> Moments:
    moments = own_order_moments(data)
    if is_singular(moments.covariance):
        raise NotApplicable(
            "a column is a linear combination of others (or there are no more rows than columns), "
            "so that the likelihood has no bound; remove columns or take more rows"
        )
    return moments


def _descend(
    golem: GolemEV | GolemNV, variant: Variant, moments: Moments, weights: Weights
) -> dict[str, Any]:
    """Move the weights, in place, by Adam; return what `info` reports."""
    problem = new_golem_objective(
        moments.covariance, moments.n_samples, variant, golem.lambda1, golem.lambda2
    )
    work = np.zeros((3, *weights.shape))
    loss = before = float("nan")
    for start, stop in pairwise(np.linspace(0, golem.steps, 11).astype(int)):
        before = loss
        loss = _adam(problem, weights, work, (start, stop), golem.learning_rate)
        if not np.isfinite(loss):
            raise _diverged(stop)
    return _report(golem, loss, float(problem.parts[2]), loss - before, len(weights))


def _search(golem: GolemEV | GolemNV, variant: Variant) -> Search:
    return {
        "solver": "golem",
        "variant": variant,
        "lambda1": golem.lambda1,
        "lambda2": golem.lambda2,
        "steps": golem.steps,
        "learning_rate": golem.learning_rate,
    }


def _solved_estimate(
    golem: GolemEV | GolemNV, moments: Moments, solved: Mapping[str, Any]
) -> Estimate:
    loss, h, change = (float(solved[name]) for name in ("loss", "h", "change"))
    if not np.isfinite(loss):
        raise _diverged(golem.steps)
    info = _report(golem, loss, h, change, len(moments.columns))
    return _estimate(golem, moments, solved["weights"], info)


def _estimate(
    golem: GolemEV | GolemNV, moments: Moments, weights: Weights, info: dict[str, Any]
) -> Estimate:
    return thresholded(weights, moments.columns, np.nextafter(golem.threshold, np.inf), info)


def _diverged(step: int) -> NotApplicable:
    return NotApplicable(
        f"the loss left the range of double precision before step {step}; bring the columns to "
        "comparable units or lower learning_rate"
    )


def _report(
    golem: GolemEV | GolemNV, loss: float, h: float, change: float, n_nodes: int
) -> dict[str, Any]:
    converged = abs(change) <= STEADY * n_nodes
    return {
        "loss": loss,
        "h": h,
        "steps": golem.steps,
        "change": change,
        "converged": converged,
    }


@kernel(error_model="numpy")
def _adam(
    problem: GolemObjective,
    weights: Weights,
    work: NDArray[np.float64],
    steps: tuple[int, int],
    rate: float,
) -> float:
    """Take the steps after the first of `steps` up to the second; return the loss then.

    Kingma, Ba (2015), arXiv 1412.6980, algorithm 1 in the form that ends
    section 2, which TensorFlow has: ε is added before the correction of bias.
    """
    gradient, mean, square = work[0], work[1], work[2]
    d = len(weights)
    for step in range(steps[0] + 1, steps[1] + 1):
        evaluate(problem, weights, gradient)
        length = rate * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
        for i in range(d):
            gradient[i, i] = 0.0
            for j in range(d):
                slope = gradient[i, j]
                mean[i, j] = 0.9 * mean[i, j] + 0.1 * slope
                square[i, j] = 0.999 * square[i, j] + 0.001 * slope**2
                weights[i, j] -= length * mean[i, j] / (np.sqrt(square[i, j]) + 1e-8)
    return evaluate(problem, weights, gradient)
