"""Granger causality by the adaptive lasso: regress every process on the past of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.random import Generator

from causalassay.contracts import Estimate, Kind, Reads
from causalassay.data.dataset import Dataset
from causalassay.discovery.regression.lagged_lasso import (
    check_lagged_settings,
    lagged_design,
    lagged_estimate,
)
from causalassay.discovery.regression.lasso_along_order import PATH_END


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
    >>> import numpy as np
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
    reads: ClassVar[Reads] = "observational rows"
    rows: ClassVar[str] = "series"
    output: ClassVar[Kind] = "summary"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = "linear, stationary; nothing acts within a step"
    reference: ClassVar[str] = "Granger (1969), https://doi.org/10.2307/1912791"

    def __post_init__(self) -> None:
        check_lagged_settings(self.max_lag, self.path_end)

    def discover(self, data: Dataset, rng: Generator) -> Estimate:  # noqa: ARG002
        """Estimate the links from past to present."""
        design = lagged_design(data, self.max_lag)
        return lagged_estimate(design, self.max_lag, self.path_end)
