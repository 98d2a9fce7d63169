"""Where random vector autoregressions come from: the schemes of `sources`, for series.

A source is a frozen dataclass; ``draw(graph, rng)`` makes a stationary `VAR`
on a `LaggedGraph`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency, Vector, Weights
from causalassay.common.spelling import RefusedValue
from causalassay.graphs.lagged import LaggedGraph, summary_ancestors
from causalassay.graphs.orders import Indices, topological_order
from causalassay.models.parameters import (
    Range,
    Signs,
    check_parameters,
    draw_variance,
    draw_weights,
)
from causalassay.models.series.var import (
    VAR,
    Coefficients,
    companion,
    reduced_form,
    solve_lyapunov,
    spectral_radius,
)

# Scales at which chosen nodes of a series have stationary variance 1.

CLOSE = 1e-12
"""How far from 1 a variance may be for the search to end."""
ACCEPTED = 1e-10
"""The largest error accepted where rounding prevents a smaller one."""


def unit_scales(coefficients: Coefficients, noise_sd: Vector, nodes: Indices) -> Vector | None:
    """Return the C of `nodes` that make their stationary variances 1; None if none is found.

    Newton's method on log C, which starts at 1, or lower where the series
    would explode, and halves steps that leave the stationary region or bring
    the variances no nearer. For a node without feedback the variance is
    quadratic in 1/C, and one step gives the solution.

    Parameters
    ----------
    coefficients : ndarray, shape (max_lag + 1, d, d)
        The coefficients of `nodes` and all their ancestors.
    noise_sd : ndarray, shape (d,)
    nodes : ndarray of int
        The nodes to scale.

    Examples
    --------
    >>> unit_scales(np.array([[[0.0]], [[0.6]]]), np.array([1.6]), np.array([0]))
    array([2.])
    """
    theta = np.zeros(len(nodes))
    log_variances = _log_variances(coefficients, noise_sd, nodes, theta)
    while log_variances is None:
        theta -= np.log(2)
        if theta[0] < -50:  # never where the self-coefficients alone are stationary
            return None
        log_variances = _log_variances(coefficients, noise_sd, nodes, theta)
    for _ in range(60):
        error = float(np.abs(log_variances[0]).max())
        if error <= CLOSE:
            return np.exp(-theta)
        step = _solve(log_variances[1], log_variances[0])
        better = None
        for halving in range(30):
            trial = theta - step / 2**halving
            better = _log_variances(coefficients, noise_sd, nodes, trial)
            if better is not None and np.linalg.norm(better[0]) < np.linalg.norm(log_variances[0]):
                theta, log_variances = trial, better
                break
        else:
            return np.exp(-theta) if error <= ACCEPTED else None
    return None


def rescaled(
    coefficients: Coefficients, noise_sd: Vector, nodes: Indices, divisor: Vector
) -> tuple[Coefficients, Vector]:
    """Return both with the cross coefficients and noise of `nodes` divided; self-links stay.

    Examples
    --------
    >>> a, sd = rescaled(np.ones((1, 2, 2)), np.ones(2), np.array([1]), np.array([2.0]))
    >>> a[0], sd
    (array([[1. , 0.5],
           [1. , 1. ]]), array([1. , 0.5]))
    """
    factor = np.ones(len(noise_sd))
    factor[nodes] = 1 / divisor
    self_coefficients = np.einsum("lii->li", coefficients)
    scaled = coefficients * factor
    np.einsum("lii->li", scaled)[:] = self_coefficients
    return scaled, noise_sd * factor


def _solve(jacobian: Weights, values: Vector) -> Vector:
    try:
        return np.linalg.solve(jacobian, values)
    except np.linalg.LinAlgError:
        return np.linalg.lstsq(jacobian, values)[0]


def _log_variances(
    coefficients: Coefficients, noise_sd: Vector, nodes: Indices, theta: Vector
) -> tuple[Vector, Weights] | None:
    """Return log Var_i at C = exp(-θ), and its derivatives by θ; None if not stationary.

    With B_l = A_l' and E_k = e_k e_k': a change of θ_k multiplies row k of
    B_0 and of the off-diagonal part B_l° of each B_l, so that with F_l = M B_l
    and Q = M D M', dF_l = M E_k (B_0 F_l + B_l°) and dQ = G + G' with
    G = M E_k (B_0 Q + D M'). P = F P F' + Q gives dP = F dP F' + (H + H')
    with H = dF P F' + G.
    """
    scaled, sd = rescaled(coefficients, noise_sd, nodes, np.exp(-theta))
    transition, mixing = reduced_form(scaled)
    matrix = companion(transition)
    if not spectral_radius(matrix) < 1 - 1e-9:
        return None
    d, width = len(sd), len(matrix)
    shocks = np.zeros_like(matrix)
    shocks[:d, :d] = (mixing * np.square(sd)) @ mixing.T
    within = scaled[0].T
    across = scaled[1:].transpose(0, 2, 1).copy()
    np.einsum("lii->li", across)[:] = 0.0
    moved = (within @ transition + across).transpose(1, 0, 2).reshape(d, width)
    noisy = within @ shocks[:d, :d] + np.square(sd)[:, None] * mixing.T
    covariance = solve_lyapunov(matrix, shocks)
    reached = moved @ covariance @ matrix.T
    reached[:, :d] += noisy
    sources = np.zeros((len(nodes), width, width))
    sources[:, :d] = mixing.T[nodes][:, :, None] * reached[nodes][:, None, :]
    derivative = solve_lyapunov(matrix, sources + sources.transpose(0, 2, 1))
    variance = covariance.diagonal()[nodes]
    slopes = np.einsum("kii->ki", derivative)[:, nodes].T
    return np.log(variance), slopes / variance[:, None]


def check_lagged(graph: LaggedGraph) -> LaggedGraph:
    """Return `graph` if it is lagged, else raise."""
    if not isinstance(graph, LaggedGraph):
        raise TypeError(
            f'graph: mechanism "var" needs a LaggedGraph, got {type(graph).__name__}; '
            "causalassay.graphs.lagged_erdos_renyi draws one"
        )
    if graph.max_lag < 1:
        raise RefusedValue("graph", "a series needs at least lags 0 and 1, got lag 0 alone")
    return graph


@dataclass(frozen=True)
class _Weighted:
    """The fields of a source that draws coefficients in a range."""

    weights: Range = (0.5, 2.0)
    signs: Signs = "random"
    noise_sd: float | Range = 1.0
    radius: float = 0.9
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        check_parameters(self)

    def _raw(self, graph: LaggedGraph, rng: Generator) -> VAR:
        """Draw coefficients and noise scales: the series before it is rescaled."""
        links = check_lagged(graph).links
        coefficients = np.zeros(links.shape)
        coefficients[links] = draw_weights(int(links.sum()), self.weights, self.signs, rng)
        variance = draw_variance(graph.n_nodes, self.noise_sd, rng)
        return VAR(_calmed(coefficients, self.radius), variance)


@dataclass(frozen=True)
class SeriesSCM(_Weighted):
    """The raw scheme for series: coefficients have random signs and magnitudes in a range.

    Such series would mostly explode. So the self-coefficients of a node, at
    lag l, are multiplied by s^l with the largest s up to 1 at which the node
    alone has at most the spectral radius `radius`; where feedback still
    exceeds it, all lagged coefficients are multiplied so. That divides every
    root of the recursion by one number and touches nothing else.

    Parameters
    ----------
    weights : (float, float)
        Range of the magnitudes, uniform, for all lags and self-links.
    signs : {"random", "positive", "shared"}
        Each weight has its own random sign, all are positive, or all share one random sign.
    noise_sd : float or (float, float)
        Equal for all nodes, or a range from which each node draws its own.
    radius : float
        Below 1.

    Notes
    -----
    Our definition: the series analogue of the weights that Reisach et al. (2021)
    and many others draw for independent rows.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import lagged_erdos_renyi
    >>> rng = np.random.default_rng(0)
    >>> SeriesSCM().draw(lagged_erdos_renyi(5, 0.5, 2, rng), rng).radius < 0.9 + 1e-9
    True
    """

    def draw(self, graph: LaggedGraph, rng: Generator) -> VAR:
        """Draw coefficients and noise scales on `graph`."""
        return self._raw(graph, rng)


@dataclass(frozen=True)
class SeriesStandardized(_Weighted):
    """A raw series whose variables are divided by their stationary sd once it is complete.

    Parameters
    ----------
    weights, signs, noise_sd, radius
        As for `SeriesSCM`.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import lagged_erdos_renyi
    >>> rng = np.random.default_rng(0)
    >>> model = SeriesStandardized().draw(lagged_erdos_renyi(4, 0.5, 2, rng), rng)
    >>> model.stationary_covariance().diagonal().round(12)
    array([1., 1., 1., 1.])
    """

    def draw(self, graph: LaggedGraph, rng: Generator) -> VAR:
        """Draw the recursion of the standardised variables."""
        raw = self._raw(graph, rng)
        sd = np.sqrt(raw.stationary_covariance().diagonal())
        return VAR(raw.coefficients * sd[:, None] / sd, raw.noise_variance / sd**2)


@dataclass(frozen=True)
class SeriesISCM(_Weighted):
    """A series whose processes are standardised in turn, each before others use it.

    A process has the self-coefficients that `SeriesSCM` draws; its causes, which
    have variance 1 already, and its noise are divided by what makes its own
    stationary variance 1. This needs an order of the processes: with feedback
    there is none, and the graph is refused.

    Parameters
    ----------
    weights, signs, noise_sd, radius
        As for `SeriesSCM`, before standardisation.

    Notes
    -----
    Our extension of Ormaniec et al. (2024), who have independent rows.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import lagged_erdos_renyi
    >>> rng = np.random.default_rng(0)
    >>> graph = lagged_erdos_renyi(4, 0.5, 2, rng, feedback=False)
    >>> SeriesISCM().draw(graph, rng).stationary_covariance().diagonal().round(12)
    array([1., 1., 1., 1.])
    """

    def draw(self, graph: LaggedGraph, rng: Generator) -> VAR:
        """Draw the recursion of the internally standardised variables."""
        if check_lagged(graph).has_feedback:
            raise RefusedValue(
                "graph",
                "internal standardisation needs an order of the processes, but the graph "
                'has feedback; draw it with feedback=False, or take "uumc" or "standardized"',
            )
        raw = self._raw(graph, rng)
        coefficients, noise_sd = raw.coefficients, np.sqrt(raw.noise_variance)
        ancestors = graph.summary_ancestors()
        for node in topological_order(graph.summary):
            coefficients, noise_sd = _unit_variance(coefficients, noise_sd, int(node), ancestors)
        return VAR(coefficients, np.square(noise_sd))


def _unit_variance(
    coefficients: Coefficients, noise_sd: Vector, node: int, ancestors: np.ndarray
) -> tuple[Coefficients, Vector]:
    part = np.append(np.flatnonzero(ancestors[:, node]), node)
    within = coefficients[:, part][:, :, part]
    divisor = unit_scales(within, noise_sd[part], np.array([len(part) - 1]))
    if divisor is None:  # without feedback one step of Newton's method is exact
        raise ArithmeticError(f"no scale gives node {node} variance 1")
    return rescaled(coefficients, noise_sd, np.array([node]), divisor)


def _calmed(coefficients: Coefficients, radius: float) -> Coefficients:
    """Return the coefficients with spectral radius at most `radius`; see `SeriesSCM`."""
    calmed = coefficients.copy()
    powers = np.arange(len(coefficients))
    for node in range(coefficients.shape[1]):
        alone = spectral_radius(companion(coefficients[1:, [[node]], [[node]]]))
        if alone > radius:
            calmed[:, node, node] *= (radius / alone) ** powers
    whole = spectral_radius(companion(reduced_form(calmed).transition))
    if whole > radius:
        calmed *= ((radius / whole) ** powers)[:, None, None]
    return calmed


# Unitless, unrestricted, Markov-consistent series, with exact stationary variances.

TOLERANCE = 1e-9
"""How far from 1 a stationary variance of a finished system may be."""
MOST_SPLITS = 10_000
"""The most draws of the self-coefficients of a node: each is stationary with probability
2^(1 - lags)."""


class NoStationarySystem(ValueError):
    """No draw gave a stationary series of unit variances; the message says why, and what to do."""


@dataclass(frozen=True)
class SeriesUUMC:
    """A random stationary series in which every variable has variance 1, exactly.

    How strongly a process remembers itself and how much of its variance its
    causes explain are drawn uniformly, whatever the rest of the graph:

    1. One sampling-rate exponent f ~ F(100, 100) a system.
    2. A self-dependent process has alpha ~ U(0, 1); a = alpha^f is the sum of
       its self-coefficients over lags. Others have alpha = a = 0.
    3. Its P causes have effects b = z/|z| · r · √(1 - a²), z normal, r = U^(1/P),
       times (a_j - a_i)/(alpha_j - alpha_i) for j → i: the off-diagonal of a
       triangular matrix to the power f (f·alpha^(f-1) where they are equal, 1
       where both are 0). Its noise has variance (1 - a²)(1 - r²).
    4. Sums are split over the lags that the graph has, in proportion to
       independent normal draws.
    5. Causes and noise, but not self-coefficients, are divided by the C_i at
       which all stationary variances are 1.
    6. What is not stationary, or has no such C, is drawn again.

    Parameters
    ----------
    most_attempts : int
        Draws of one strongly connected component before the graph is given up.

    Notes
    -----
    Departs from the authors' package: the variances are those of the exact
    stationary law (companion form, discrete Lyapunov equation, Newton's
    method), to 1e-9, also with feedback, where the package leaves 0.94 to 1.10;
    stationarity is judged by the true recursion, not by (I + A_0)⁻¹ in place of
    (I - A_0)⁻¹. Rejection is local, so that what is drawn for a process does
    not depend on those downstream: the split of a node's self-coefficients is
    drawn again until the node alone is stationary, and a strongly connected
    component until it has unit variances; the package draws everything again,
    up to 10 times. Alpha and f are never drawn again. Samples are not rejected
    for their variances.

    References
    ----------
    Herman, Wahl, Ninad, Runge (2025), arXiv 2503.17037, and its package UUMCdata.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import lagged_erdos_renyi
    >>> rng = np.random.default_rng(0)
    >>> model = SeriesUUMC().draw(lagged_erdos_renyi(4, 0.5, 2, rng), rng)
    >>> model.stationary_covariance().diagonal().round(9)
    array([1., 1., 1., 1.])
    """

    most_attempts: int = 100
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        check_parameters(self)

    def draw(self, graph: LaggedGraph, rng: Generator) -> VAR:
        """Draw coefficients and noise scales on `graph`."""
        return self.draw_counted(graph, rng)[0]

    def draw_counted(self, graph: LaggedGraph, rng: Generator) -> tuple[VAR, int]:
        """Draw a system, and tell how many draws of components were rejected.

        Examples
        --------
        >>> import numpy as np
        >>> from causalassay.graphs import lagged_erdos_renyi
        >>> rng = np.random.default_rng(0)
        >>> graph = lagged_erdos_renyi(4, 0.5, 1, rng, feedback=False)
        >>> SeriesUUMC().draw_counted(graph, rng)[1]
        0
        """
        memory = _draw_memory(check_lagged(graph), rng)
        ancestors = graph.summary_ancestors()
        coefficients: Coefficients = np.zeros(graph.links.shape)
        noise_sd: Vector = np.zeros(graph.n_nodes)
        rejected = 0
        for component in components(graph.summary):
            reasons: Counter[str] = Counter()
            while True:
                for node in component:
                    _draw_node(int(node), graph, memory, coefficients, noise_sd, rng)
                done, reason = _standardized(coefficients, noise_sd, component, ancestors)
                if done is not None:
                    coefficients, noise_sd = done
                    break
                reasons[reason] += 1
                rejected += 1
                if reasons.total() >= self.most_attempts:
                    raise NoStationarySystem(_given_up(component, reasons))
        return VAR(coefficients, np.square(noise_sd)), rejected


class _Memory(NamedTuple):
    """What steps 1 and 2 draw."""

    exponent: float
    alpha: Vector
    total: Vector
    """a = alpha^f."""


def components(summary: Adjacency) -> list[Indices]:
    """Return the strongly connected components, causes before effects.

    Examples
    --------
    >>> loop = np.array([[False, False, False], [True, False, True], [True, True, False]])
    >>> [part.tolist() for part in components(loop)]
    [[1, 2], [0]]
    """
    above = summary_ancestors(summary) | np.eye(len(summary), dtype=bool)
    together = above & above.T
    first = together.argmax(axis=0)
    leaders = sorted(set(first.tolist()), key=lambda node: (int(above[:, node].sum()), node))
    return [np.flatnonzero(first == leader) for leader in leaders]


def _draw_memory(graph: LaggedGraph, rng: Generator) -> _Memory:
    exponent = float(rng.f(100, 100))
    alpha = np.where(graph.self_links, rng.random(graph.n_nodes), 0.0)
    return _Memory(exponent, alpha, np.where(graph.self_links, alpha**exponent, 0.0))


def _draw_node(  # noqa: PLR0913, PLR0917  the two arrays are filled in place
    node: int,
    graph: LaggedGraph,
    memory: _Memory,
    coefficients: Coefficients,
    noise_sd: Vector,
    rng: Generator,
) -> None:
    """Draw what acts on a node, before it is standardised."""
    own_lags = np.flatnonzero(graph.links[:, node, node])
    total = memory.total[node]
    if len(own_lags):
        coefficients[:, node, node] = _draw_own(own_lags, total, graph.max_lag, rng)
    left = np.sqrt(1 - total**2)
    causes = np.flatnonzero(graph.summary[:, node])
    strength = 0.0
    if len(causes):
        direction = rng.standard_normal(len(causes))
        strength = rng.random() ** (1 / len(causes))
        effects = direction / np.linalg.norm(direction) * strength * left
        for cause, effect in zip(causes, effects * _subsampling(causes, node, memory), strict=True):
            lags = graph.links[:, cause, node]
            coefficients[lags, cause, node] = effect * _shares(int(lags.sum()), rng)
    noise_sd[node] = left * np.sqrt(1 - strength**2)


def _draw_own(lags: Indices, total: float, max_lag: int, rng: Generator) -> Vector:
    coefficients = np.zeros(max_lag + 1)
    for _ in range(MOST_SPLITS):
        coefficients[lags] = total * _shares(len(lags), rng)
        if spectral_radius(companion(coefficients[1:, None, None])) < 1:
            return coefficients
    raise NoStationarySystem(
        f"no split of self-coefficients over {len(lags)} lags was stationary in {MOST_SPLITS} "
        "draws; take a smaller max_lag"
    )


def _shares(n: int, rng: Generator) -> Vector:
    """Return numbers that add up to 1, in proportion to normal draws; 1 if there is one."""
    drawn = rng.standard_normal(n)
    return drawn / drawn.sum()


def _subsampling(causes: Indices, node: int, memory: _Memory) -> Vector:
    """Return the factors of step 3."""
    alpha, alpha_here = memory.alpha[causes], memory.alpha[node]
    factor = np.ones(len(causes))
    apart = alpha != alpha_here
    factor[apart] = (memory.total[causes][apart] - memory.total[node]) / (alpha[apart] - alpha_here)
    if alpha_here:
        factor[~apart] = memory.exponent * alpha_here ** (memory.exponent - 1)
    return factor


def _standardized(
    coefficients: Coefficients, noise_sd: Vector, component: Indices, ancestors: Adjacency
) -> tuple[tuple[Coefficients, Vector] | None, str]:
    """Return both arrays with unit variances in the component, or None and the reason."""
    above: Adjacency = np.logical_or.reduce(ancestors[:, component], axis=1)
    above[component] = False
    part = np.concatenate([np.flatnonzero(above), component])
    within, last = coefficients[:, part][:, :, part], np.arange(above.sum(), len(part))
    divisor = unit_scales(within, noise_sd[part], last)
    if divisor is None:
        return None, "no scales gave unit variances"
    done = rescaled(coefficients, noise_sd, component, divisor)
    model = VAR(done[0][:, part][:, :, part], np.square(done[1][part]))
    if not model.is_stationary:
        return None, "not stationary"
    if not np.abs(model.stationary_covariance().diagonal() - 1).max() < TOLERANCE:
        return None, "too near the border of stationarity for exact variances"
    return done, ""


def _given_up(component: Indices, reasons: Counter[str]) -> str:
    reason_text = ", ".join(f"{reason}: {times}" for reason, times in reasons.most_common())
    return (
        f"nodes {component.tolist()} of the graph: {reasons.total()} draws were rejected "
        f"({reason_text}); "
        "draw another graph, one with fewer links or without feedback, or raise most_attempts"
    )
