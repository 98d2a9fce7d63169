"""Baselines for series: what acts on what over time by regression, and within a step by an order.

Time orders lagged links; within a step an order must come from elsewhere, and
the baselines here take it from a statistic, or from chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.arrays import Values
from causalassay.contracts import Estimate, Kind
from causalassay.data.dataset import Dataset
from causalassay.diagnostics.explained import determination
from causalassay.diagnostics.moments import variances
from causalassay.discovery.lagged_regressions import lagged_design, lagged_lasso
from causalassay.discovery.regressions import PATH_END
from causalassay.discovery.sorting import random_ties_order
from causalassay.graphs.lagged import LaggedGraph
from causalassay.graphs.orders import Indices

_REFERENCE = "the series analogue of Reisach, Seiler, Weichwald (2021), arXiv 2102.13647"


@dataclass(frozen=True)
class GrangerLasso:
    """Regress every process on the past of all by the adaptive lasso; what helps is a cause.

    It claims no link within a step: what is contemporaneous is missed, or
    shows as lagged.

    Parameters
    ----------
    max_lag : int
        How far the past reaches.
    path_end : float
        Where each lasso path ends; see `VarSortnRegress`.

    References
    ----------
    Granger (1969), https://doi.org/10.2307/1912791; Arnold, Liu, Abe (2007),
    https://doi.org/10.1145/1281192.1281203, for the lasso.

    Examples
    --------
    >>> from causalassay.graphs import LaggedGraph
    >>> from causalassay.models import draw
    >>> links = np.zeros((2, 2, 2), dtype=bool)
    >>> links[1, 0, 1] = True
    >>> rng = np.random.default_rng(0)
    >>> values = draw("scm", LaggedGraph(links), rng, mechanism="var").sample(300, rng)
    >>> data = Dataset.from_values(values, rows="series")
    >>> GrangerLasso().discover(data, rng).graph.astype(int)
    array([[0, 1],
           [0, 0]])
    """

    max_lag: int = 2
    path_end: float = PATH_END

    version: ClassVar[int] = 1
    rows: ClassVar[str] = "series"
    output: ClassVar[Kind] = "summary"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = "linear, stationary; nothing acts within a step"
    reference: ClassVar[str] = "Granger (1969), https://doi.org/10.2307/1912791"

    def __post_init__(self) -> None:
        _check(self.max_lag, self.path_end)

    def discover(self, data: Dataset, rng: Generator) -> Estimate:  # noqa: ARG002
        """Estimate the links from past to present."""
        design = lagged_design(data, self.max_lag)
        return _regress(design, self.max_lag, self.path_end)


@dataclass(frozen=True)
class SeriesVarSortnRegress:
    """Sort the processes by variance, regress each on the past of all and on those before it.

    A baseline, not a method: within a step it wins where variances grow along
    the causal order.

    Parameters
    ----------
    max_lag, path_end
        See `GrangerLasso`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> data = Dataset.from_values(rng.normal(size=(300, 3)).cumsum(axis=1), rows="series")
    >>> SeriesVarSortnRegress().discover(data, rng).graph.astype(int)
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 0, 0]])
    """

    max_lag: int = 2
    path_end: float = PATH_END

    version: ClassVar[int] = 1
    rows: ClassVar[str] = "series"
    output: ClassVar[Kind] = "summary"
    scale_sensitive: ClassVar[bool] = True
    assumptions: ClassVar[str] = "linear, stationary; variance grows along the causal order"
    reference: ClassVar[str] = _REFERENCE

    def __post_init__(self) -> None:
        _check(self.max_lag, self.path_end)

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Estimate the links, those within a step along increasing variance."""
        design = lagged_design(data, self.max_lag)
        order = random_ties_order(variances(data.observational_values), rng)
        return _regress(design, self.max_lag, self.path_end, order)


@dataclass(frozen=True)
class SeriesR2SortnRegress:
    """Sort the processes by R² on all else, regress each on the past and on those before it.

    A baseline, not a method; R² is `diagnostics.series_r2` with the own past.

    Parameters
    ----------
    max_lag, path_end
        See `GrangerLasso`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal(size=(300, 3))
    >>> values[:, 2] += values[:, 0] + values[:, 1]
    >>> data = Dataset.from_values(values, rows="series")
    >>> SeriesR2SortnRegress().discover(data, rng).order[-1]
    2
    """

    max_lag: int = 2
    path_end: float = PATH_END

    version: ClassVar[int] = 1
    rows: ClassVar[str] = "series"
    output: ClassVar[Kind] = "summary"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = "linear, stationary; R² grows along the causal order"
    reference: ClassVar[str] = _REFERENCE

    def __post_init__(self) -> None:
        _check(self.max_lag, self.path_end)

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Estimate the links, those within a step along increasing R²."""
        design = lagged_design(data, self.max_lag)
        order = random_ties_order(determination(design).r2[: data.n_nodes], rng)
        return _regress(design, self.max_lag, self.path_end, order)


@dataclass(frozen=True)
class SeriesRandomSortnRegress:
    """Sort the processes at random, regress each on the past of all and on those before it.

    The yardstick for the other two: what the regression alone achieves.

    Parameters
    ----------
    max_lag, path_end
        See `GrangerLasso`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> data = Dataset.from_values(rng.normal(size=(300, 3)), rows="series")
    >>> sorted(SeriesRandomSortnRegress().discover(data, rng).order)
    [0, 1, 2]
    """

    max_lag: int = 2
    path_end: float = PATH_END

    version: ClassVar[int] = 1
    rows: ClassVar[str] = "series"
    output: ClassVar[Kind] = "summary"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = "linear, stationary; the order is right by luck"
    equivariant: ClassVar[bool] = False
    reference: ClassVar[str] = _REFERENCE

    def __post_init__(self) -> None:
        _check(self.max_lag, self.path_end)

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Estimate the links, those within a step along a random order."""
        design = lagged_design(data, self.max_lag)
        return _regress(design, self.max_lag, self.path_end, rng.permutation(data.n_nodes))


def _check(max_lag: int, path_end: float) -> None:
    if isinstance(max_lag, bool) or max_lag != int(max_lag) or max_lag < 1:
        raise ValueError(f"max_lag: expected a whole number >= 1, got {max_lag}")
    if not 0 <= path_end < np.inf:
        raise ValueError(f"path_end: expected a finite number >= 0, got {path_end}")


def _regress(
    design: Values, max_lag: int, path_end: float, order: Indices | None = None
) -> Estimate:
    """Estimate the links over time and, along an order, within a step."""
    d = design.shape[1] // (max_lag + 1)
    allowed: NDArray[np.bool_] = np.ones((max_lag + 1, d, d), dtype=bool)
    allowed[0] = False
    nodes = None
    if order is not None:
        place = np.argsort(order)
        allowed[0] = place[:, None] < place
        nodes = tuple(int(node) for node in order)
    lagged = LaggedGraph(lagged_lasso(design, allowed, path_end) != 0)
    return Estimate(lagged.summary, "summary", order=nodes, lagged=lagged)
