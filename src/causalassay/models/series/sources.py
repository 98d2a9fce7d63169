"""Where random vector autoregressions come from: the schemes of `sources`, for series.

A source is a frozen dataclass; ``draw(graph, rng)`` makes a stationary `VAR`
on a `LaggedGraph`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Vector
from causalassay.graphs.lagged import LaggedGraph
from causalassay.graphs.orders import topological_order
from causalassay.models.linear.sources import Range, Signs, _check_draws, _draw_variance
from causalassay.models.series.stationarity import (
    Coefficients,
    companion,
    reduced_form,
    spectral_radius,
)
from causalassay.models.series.unit_variance import rescaled, unit_scales
from causalassay.models.series.var import VAR


def check_lagged(graph: LaggedGraph) -> LaggedGraph:
    """Return `graph` if it is lagged, else raise."""
    if not isinstance(graph, LaggedGraph):
        raise TypeError(
            f'graph: mechanism "var" needs a LaggedGraph, got {type(graph).__name__}; '
            "causalassay.graphs.lagged_erdos_renyi draws one"
        )
    if graph.max_lag < 1:
        raise ValueError("graph: a series needs at least lags 0 and 1, got lag 0 alone")
    return graph


@dataclass(frozen=True)
class SeriesSCM:
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

    weights: Range = (0.5, 2.0)
    signs: Signs = "random"
    noise_sd: float | Range = 1.0
    radius: float = 0.9
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        _check_draws(self.weights, self.signs, "gaussian", self.noise_sd)
        if not 0 < self.radius < 1:
            raise ValueError(f"radius: expected a number between 0 and 1, got {self.radius}")

    def draw(self, graph: LaggedGraph, rng: Generator) -> VAR:
        """Draw coefficients and noise scales on `graph`."""
        links = np.nonzero(check_lagged(graph).links)
        drawn = rng.uniform(*self.weights, len(links[0]))
        match self.signs:
            case "random":
                drawn *= rng.choice((-1.0, 1.0), len(drawn))
            case "shared":
                drawn *= rng.choice((-1.0, 1.0))
        coefficients = np.zeros(graph.links.shape)
        coefficients[links] = drawn
        variance = _draw_variance(graph.n_nodes, self.noise_sd, rng)
        return VAR(_calmed(coefficients, self.radius), variance)


@dataclass(frozen=True)
class SeriesStandardized:
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

    weights: Range = (0.5, 2.0)
    signs: Signs = "random"
    noise_sd: float | Range = 1.0
    radius: float = 0.9
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        SeriesSCM(self.weights, self.signs, self.noise_sd, self.radius)

    def draw(self, graph: LaggedGraph, rng: Generator) -> VAR:
        """Draw the recursion of the standardised variables."""
        raw = SeriesSCM(self.weights, self.signs, self.noise_sd, self.radius).draw(graph, rng)
        sd = np.sqrt(raw.stationary_covariance().diagonal())
        return VAR(raw.coefficients * sd[:, None] / sd, raw.noise_variance / sd**2)


@dataclass(frozen=True)
class SeriesISCM:
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

    weights: Range = (0.5, 2.0)
    signs: Signs = "random"
    noise_sd: float | Range = 1.0
    radius: float = 0.9
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        SeriesSCM(self.weights, self.signs, self.noise_sd, self.radius)

    def draw(self, graph: LaggedGraph, rng: Generator) -> VAR:
        """Draw the recursion of the internally standardised variables."""
        if check_lagged(graph).has_feedback:
            raise ValueError(
                "graph: internal standardisation needs an order of the processes, but the graph "
                'has feedback; draw it with feedback=False, or take "uumc" or "standardized"'
            )
        raw = SeriesSCM(self.weights, self.signs, self.noise_sd, self.radius).draw(graph, rng)
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
        own = spectral_radius(companion(coefficients[1:, [[node]], [[node]]]))
        if own > radius:
            calmed[:, node, node] *= (radius / own) ** powers
    whole = spectral_radius(companion(reduced_form(calmed).transition))
    if whole > radius:
        calmed *= ((radius / whole) ** powers)[:, None, None]
    return calmed
