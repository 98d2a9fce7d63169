"""Sort and regress for series: over time by regression, within a step by an order.

Time orders lagged links. Within a step the order must come from elsewhere: the
baselines here take it from a statistic, or draw it at random.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.random import Generator

from causalassay.contracts import Estimate, Kind, Reads
from causalassay.data.dataset import Dataset
from causalassay.diagnostics.explained_variance import determination
from causalassay.diagnostics.moments import variances
from causalassay.discovery.regression.lagged_lasso import (
    check_lagged_settings,
    lagged_design,
    lagged_estimate,
)
from causalassay.discovery.regression.lasso_along_order import PATH_END
from causalassay.discovery.statistics.tied_orders import random_ties_order

_REFERENCE = "the series analogue of Reisach, Seiler, Weichwald (2021), arXiv 2102.13647"


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
    >>> import numpy as np
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
    reads: ClassVar[Reads] = "observational rows"
    rows: ClassVar[str] = "series"
    output: ClassVar[Kind] = "summary"
    scale_sensitive: ClassVar[bool] = True
    assumptions: ClassVar[str] = "linear, stationary; variance grows along the causal order"
    reference: ClassVar[str] = _REFERENCE

    def __post_init__(self) -> None:
        check_lagged_settings(self.max_lag, self.path_end)

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Estimate the links, those within a step along increasing variance."""
        design = lagged_design(data, self.max_lag)
        order = random_ties_order(variances(data.observational_values), rng)
        return lagged_estimate(design, self.max_lag, self.path_end, order)


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
    >>> import numpy as np
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
    reads: ClassVar[Reads] = "observational rows"
    rows: ClassVar[str] = "series"
    output: ClassVar[Kind] = "summary"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = "linear, stationary; R² grows along the causal order"
    reference: ClassVar[str] = _REFERENCE

    def __post_init__(self) -> None:
        check_lagged_settings(self.max_lag, self.path_end)

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Estimate the links, those within a step along increasing R²."""
        design = lagged_design(data, self.max_lag)
        order = random_ties_order(determination(design).r2[: data.n_nodes], rng)
        return lagged_estimate(design, self.max_lag, self.path_end, order)


@dataclass(frozen=True)
class SeriesRandomSortnRegress:
    """Sort the processes at random, regress each on the past of all and on those before it.

    The reference for the other two: what the regression alone achieves.

    Parameters
    ----------
    max_lag, path_end
        See `GrangerLasso`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> data = Dataset.from_values(rng.normal(size=(300, 3)), rows="series")
    >>> sorted(SeriesRandomSortnRegress().discover(data, rng).order)
    [0, 1, 2]
    """

    max_lag: int = 2
    path_end: float = PATH_END

    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "observational rows"
    rows: ClassVar[str] = "series"
    output: ClassVar[Kind] = "summary"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = "linear, stationary; the order is right by chance"
    equivariant: ClassVar[bool] = False
    reference: ClassVar[str] = _REFERENCE

    def __post_init__(self) -> None:
        check_lagged_settings(self.max_lag, self.path_end)

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Estimate the links, those within a step along a random order."""
        design = lagged_design(data, self.max_lag)
        return lagged_estimate(design, self.max_lag, self.path_end, rng.permutation(data.n_nodes))
