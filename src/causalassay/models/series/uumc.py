"""Unitless, unrestricted, Markov-consistent series, with exact stationary variances."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency, Vector
from causalassay.graphs.lagged import LaggedGraph, summary_ancestors
from causalassay.graphs.orders import Indices
from causalassay.models.series.sources import check_lagged
from causalassay.models.series.stationarity import Coefficients, companion, spectral_radius
from causalassay.models.series.unit_variance import rescaled, unit_scales
from causalassay.models.series.var import VAR

TOLERANCE = 1e-9
"""How far from 1 a stationary variance of a finished system may be."""
MOST_SPLITS = 10_000
"""Of the self-coefficients of one node; a draw is stationary with probability 2^(1 - lags)."""


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
        if self.most_attempts < 1:
            raise ValueError(f"most_attempts: expected at least 1, got {self.most_attempts}")

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
    own = np.zeros(max_lag + 1)
    for _ in range(MOST_SPLITS):
        own[lags] = total * _shares(len(lags), rng)
        if spectral_radius(companion(own[1:, None, None])) < 1:
            return own
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
    alpha, own = memory.alpha[causes], memory.alpha[node]
    factor = np.ones(len(causes))
    apart = alpha != own
    factor[apart] = (memory.total[causes][apart] - memory.total[node]) / (alpha[apart] - own)
    if own:
        factor[~apart] = memory.exponent * own ** (memory.exponent - 1)
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
