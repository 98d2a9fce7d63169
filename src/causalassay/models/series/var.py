"""Vector autoregressions with contemporaneous effects, and their exact stationary moments."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from causalassay.common.arrays import Values, Vector, Weights
from causalassay.common.kernels import kernel
from causalassay.common.seeding import as_generator
from causalassay.graphs.lagged import LaggedGraph
from causalassay.graphs.orders import Indices, order_or_cycle
from causalassay.models.interventions import (
    At,
    Intervention,
    SeriesIntervention,
    applied,
    check_intervention,
    check_series_intervention,
)
from causalassay.models.linear.scm import per_node
from causalassay.present import Document, Shown

# The stationary law of a linear recursion: companion form and discrete Lyapunov equation.

Coefficients = NDArray[np.floating[Any]]
"""Float ``(max_lag + 1, d, d)``: ``[lag, i, j]`` of X_i(t - lag) → X_j(t)."""


class Reduced(NamedTuple):
    """X(t) = Σ_l transition[l - 1] X(t - l) + shocks, without terms of the same step."""

    transition: Coefficients
    """Shape (max_lag, d, d); here a matrix acts on columns, so ``[l - 1, j, i]``."""
    mixing: Weights
    """M = (I - A_0')⁻¹, which turns noises into shocks."""


def reduced_form(coefficients: Coefficients) -> Reduced:
    """Return the recursion solved for X(t): F_l = (I - A_0')⁻¹ A_l'.

    Examples
    --------
    >>> a = np.zeros((2, 2, 2))
    >>> a[0, 0, 1], a[1, 0, 0] = 2.0, 0.5
    >>> reduced_form(a).transition[0]
    array([[0.5, 0. ],
           [1. , 0. ]])
    """
    d = coefficients.shape[1]
    mixing = np.linalg.inv(np.eye(d) - coefficients[0].T)
    return Reduced(mixing @ coefficients[1:].transpose(0, 2, 1), mixing)


def companion(transition: Coefficients) -> Weights:
    """Return the matrix that moves the state (X(t), …, X(t - max_lag + 1)) a step on.

    Examples
    --------
    >>> companion(np.array([[[0.5]], [[0.2]]]))
    array([[0.5, 0.2],
           [1. , 0. ]])
    """
    n_lags, d, _ = transition.shape
    matrix = np.eye(n_lags * d, k=-d)
    matrix[:d] = transition.transpose(1, 0, 2).reshape(d, -1)
    return matrix


def spectral_radius(matrix: Weights) -> float:
    """Return the largest modulus of an eigenvalue; below 1 a recursion is stationary.

    Examples
    --------
    >>> round(spectral_radius(np.array([[0.0, 0.25], [1.0, 0.0]])), 12)
    0.5
    """
    return float(np.abs(np.linalg.eigvals(matrix)).max())


def solve_lyapunov(matrix: Weights, shocks: NDArray[Any]) -> NDArray[Any]:
    """Return P = F P F' + Q of a stationary F, for one Q or a stack of them.

    Doubling: after k steps P holds the first 2^k terms of Σ F^n Q F'^n and F
    its 2^k-th power, so the work grows with log log of the precision. Each
    term is positive semidefinite where Q is, hence nothing cancels.

    Parameters
    ----------
    matrix : ndarray, shape (m, m)
        Spectral radius below 1.
    shocks : ndarray, shape (..., m, m)
        Symmetric.

    Examples
    --------
    >>> solve_lyapunov(np.array([[0.5]]), np.array([[3.0]]))
    array([[4.]])
    """
    total, power = shocks, matrix
    for _ in range(64):
        term = power @ total @ power.T
        total = total + term
        if not np.abs(term).max() > np.finfo(float).eps * np.abs(total).max() / 8:
            return total
        power = power @ power
    raise ArithmeticError("the recursion is not stationary; its spectral radius must be below 1")


def state_covariance(coefficients: Coefficients, noise_variance: Vector) -> Weights:
    """Return the stationary covariance of (X(t), …, X(t - max_lag + 1)), lag by lag.

    Examples
    --------
    >>> state_covariance(np.array([[[0.0]], [[0.5]]]), np.array([3.0]))
    array([[4.]])
    """
    transition, mixing = reduced_form(coefficients)
    matrix = companion(transition)
    d = len(mixing)
    shocks = np.zeros_like(matrix)
    shocks[:d, :d] = (mixing * noise_variance) @ mixing.T
    return solve_lyapunov(matrix, shocks)


@kernel
def _propagate(
    values: Values, first: int, coefficients: Coefficients, order: Indices, intercept: Vector
) -> None:
    """Turn the noise in the rows from `first` on into values, in place, row by row."""
    n_lags, d, _ = coefficients.shape
    for t in range(first, len(values)):
        for node in order:
            x = intercept[node] + values[t, node]
            for lag in range(n_lags):
                for cause in range(d):
                    weight = coefficients[lag, cause, node]
                    if weight != 0.0:
                        x += weight * values[t - lag, cause]
            values[t, node] = x


@dataclass(frozen=True, eq=False, repr=False, init=False)
class VAR(Shown):
    """X_j(t) = intercept_j + Σ_lag Σ_i coefficients[lag, i, j]·X_i(t - lag) + Gaussian noise.

    Lag 0 is within a step and acyclic. The noise is independent over nodes and time.

    Parameters
    ----------
    coefficients : array_like, shape (max_lag + 1, d, d)
        ``coefficients[lag, i, j]`` of X_i(t - lag) → X_j(t); the links are the
        non-zero entries. max_lag is at least 1.
    noise_variance : array_like, shape (d,) or scalar
        The variance of each node's noise; a scalar holds for all.
    intercept : array_like, shape (d,) or scalar
        A constant added to each node at every step; a scalar holds for all.

    Examples
    --------
    A process that remembers half of itself, and one that follows it a step later:

    >>> from causalassay.models import Do
    >>> coefficients = np.zeros((2, 2, 2))
    >>> coefficients[1, 0, 0], coefficients[1, 0, 1] = 0.5, 2.0
    >>> model = VAR(coefficients, noise_variance=3.0)
    >>> model
    VAR(2 nodes, lags 0 to 1, 1 cross link, 1 self-link)
    >>> model.stationary_covariance()
    array([[ 4.,  4.],
           [ 4., 19.]])
    >>> model.mean_path(3, (At(Do(0, 1.0), start=1),))
    array([[0., 0.],
           [1., 0.],
           [1., 2.]])
    """

    coefficients: Coefficients
    noise_variance: Vector
    intercept: Vector

    def __init__(
        self,
        coefficients: ArrayLike,
        noise_variance: ArrayLike,
        intercept: ArrayLike = 0.0,
    ) -> None:
        array = np.array(coefficients, dtype=float)
        if not np.isfinite(array).all():
            raise ValueError("coefficients: every number must be finite")
        graph = LaggedGraph(array != 0)
        if graph.max_lag < 1:
            raise ValueError(
                "coefficients: a series needs at least lags 0 and 1, got lag 0 alone; "
                "for independent rows take LinearSCM"
            )
        array.setflags(write=False)
        object.__setattr__(self, "coefficients", array)
        for name, numbers in (("noise_variance", noise_variance), ("intercept", intercept)):
            object.__setattr__(self, name, per_node(numbers, graph.n_nodes, name))
        if (self.noise_variance < 0).any():
            raise ValueError("noise_variance: expected no negative number")

    @property
    def size_text(self) -> str:
        """Its nodes, lags and links, in words."""
        return self.graph.size_text

    def __repr__(self) -> str:
        return f"VAR({self.size_text})"

    def document(self) -> Document:
        """Return what the model shows."""
        from causalassay.models.document import series_document  # noqa: PLC0415

        return series_document(self)

    @property
    def n_nodes(self) -> int:
        """The number of nodes d."""
        return self.coefficients.shape[1]

    @property
    def max_lag(self) -> int:
        """The largest lag."""
        return len(self.coefficients) - 1

    @property
    def graph(self) -> LaggedGraph:
        """The links: where a coefficient is not zero."""
        return LaggedGraph(self.coefficients != 0)

    @cached_property
    def radius(self) -> float:
        """The spectral radius of the recursion: it is stationary below 1."""
        return spectral_radius(companion(reduced_form(self.coefficients).transition))

    @property
    def is_stationary(self) -> bool:
        """Whether the series has a stationary law."""
        return self.radius < 1

    def stationary_mean(self) -> Vector:
        """Return the mean of every node in the stationary law.

        Examples
        --------
        >>> VAR([[[0.0]], [[0.5]]], 1.0, intercept=2.0).stationary_mean()
        array([4.])
        """
        self._check_stationary()
        return np.linalg.solve(
            np.eye(self.n_nodes) - self.coefficients.sum(axis=0).T, self.intercept
        )

    def stationary_covariance(self, lag: int = 0) -> Weights:
        """Return ``[i, j]``, the covariance of X_i(t - lag) and X_j(t) in the stationary law.

        Parameters
        ----------
        lag : int
            0 or more.

        Examples
        --------
        >>> model = VAR([[[0.0]], [[0.5]]], 3.0)
        >>> [model.stationary_covariance(lag).item() for lag in range(3)]
        [4.0, 2.0, 1.0]
        """
        if lag < 0:
            raise ValueError(f"lag: expected 0 or more, got {lag}")
        d, known = self.n_nodes, self._state_covariance
        # Γ(k) = E X(t) X(t - k)' from the first row of blocks, then by Yule and Walker.
        gamma = [known[:d, k * d : (k + 1) * d] for k in range(self.max_lag)]
        transition = reduced_form(self.coefficients).transition
        while len(gamma) <= lag:
            gamma.append(np.einsum("lij,ljk->ik", transition, gamma[: -self.max_lag - 1 : -1]))
        return gamma[lag].T.copy()

    @cached_property
    def _state_covariance(self) -> Weights:
        self._check_stationary()
        return state_covariance(self.coefficients, self.noise_variance)

    def _check_stationary(self) -> None:
        if not self.is_stationary:
            raise ValueError(
                f"the series is not stationary: its spectral radius is {self.radius:.4g}, expected "
                "below 1; take smaller coefficients (an intervention at all times may break "
                "feedback that kept the series stable: limit it with At)"
            )

    def under(self, intervention: Intervention) -> VAR:
        """Return the model in which actions are at work in every step.

        Examples
        --------
        >>> from causalassay.models import Shift
        >>> VAR([[[0.0]], [[0.5]]], 3.0).under((Shift(0, by=1.0),)).stationary_mean()
        array([2.])
        """
        if not check_intervention(intervention, self.n_nodes):
            return self
        coefficients = self.coefficients.copy()
        variance, intercept = self.noise_variance.copy(), self.intercept.copy()
        for action in intervention:
            node = action.node
            cut, variance[node], intercept[node] = applied(action, variance[node], intercept[node])
            if cut:
                coefficients[:, :, node] = 0.0
        return replace(
            self, coefficients=coefficients, noise_variance=variance, intercept=intercept
        )

    def sample(
        self, n_samples: int, rng: Generator | int, intervention: SeriesIntervention = ()
    ) -> Values:
        """Draw a series of `n_samples` rows, from the stationary law on.

        Actions without `At` have always been at work: the first row comes from
        the stationary law under them. A shift is added in every step, so a
        node that remembers itself moves on. The noise of every node is drawn
        whatever the intervention, so equal states of `rng` give equal noise.

        Examples
        --------
        >>> from causalassay.models import Do
        >>> model = VAR([[[0.0]], [[0.5]]], 3.0)
        >>> rows = model.sample(4, np.random.default_rng(0), (At(Do(0, 7.0), 1, 3),))
        >>> rows[1:3].ravel()
        array([7., 7.])
        """
        rng = as_generator(rng)
        base, windows = self._begin(n_samples, intervention)
        d, n_lags = self.n_nodes, self.max_lag
        root = _symmetric_root(base._state_covariance)
        state = (root @ rng.standard_normal(n_lags * d)).reshape(n_lags, d)
        noise = rng.standard_normal((n_samples, d))
        return base._run(state[::-1] + base.stationary_mean(), noise, windows)

    def mean_path(self, n_samples: int, intervention: SeriesIntervention = ()) -> Values:
        """Return the exact mean of each row of `sample`, shape (n, d).

        Examples
        --------
        >>> from causalassay.models import Shift
        >>> model = VAR([[[0.0]], [[0.5]]], 3.0)
        >>> model.mean_path(4, (At(Shift(0, by=1.0), 1, 3),)).ravel()
        array([0.  , 1.  , 1.5 , 0.75])
        """
        base, windows = self._begin(n_samples, intervention)
        history = np.tile(base.stationary_mean(), (self.max_lag, 1))
        return base._run(history, np.zeros((n_samples, self.n_nodes)), windows)

    def _begin(
        self, n_samples: int, intervention: SeriesIntervention
    ) -> tuple[VAR, tuple[At, ...]]:
        if n_samples < 1:
            raise ValueError(f"n_samples: expected at least 1, got {n_samples}")
        always, windows = check_series_intervention(intervention, self.n_nodes)
        base = self.under(always)
        base._check_stationary()
        return base, windows

    def _run(self, history: Values, noise: Values, windows: tuple[At, ...]) -> Values:
        """Go on from `history`, oldest row first; `noise` is of unit variance."""
        n, past = len(noise), len(history)
        edges = {0, n, *(w.start for w in windows), *(w.stop for w in windows if w.stop)}
        rows = sorted(edge for edge in edges if edge <= n)
        values = np.concatenate([history, noise])
        for start, stop in zip(rows[:-1], rows[1:], strict=True):
            now = self.under(tuple(w.action for w in windows if w.lasts(start)))
            values[past + start : past + stop] *= np.sqrt(now.noise_variance)
            order = order_or_cycle(now.coefficients[0] != 0)
            _propagate(values[: past + stop], past + start, now.coefficients, order, now.intercept)
        return values[past:].copy()


def _symmetric_root(covariance: Weights) -> Weights:
    """Return the square root that is symmetric: unique, and defined for singular matrices."""
    variance, direction = np.linalg.eigh(covariance)
    return (direction * np.sqrt(np.maximum(variance, 0.0))) @ direction.T
