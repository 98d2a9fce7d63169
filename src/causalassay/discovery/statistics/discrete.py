"""Codes and numbers of levels: what tests and scores need of discrete data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from causalassay.contracts import check_world
from causalassay.data.dataset import Dataset
from causalassay.discovery.statistics.usable_rows import observational_values
from causalassay.graphs.orders import Indices
from causalassay.models.discrete.tables import Codes, as_codes


@dataclass(frozen=True, eq=False)
class LevelStatistics:
    """The rows of discrete data.

    Parameters
    ----------
    codes : ndarray of int, shape (d, n)
        A row a column of the data.
    n_levels : ndarray of int, shape (d,)
        As the data's kinds have them, whether or not they occur.
    """

    codes: Codes
    n_levels: Indices

    @property
    def n_nodes(self) -> int:
        """Number of columns."""
        return len(self.codes)

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.codes.shape[1]


def is_discrete(data: Dataset) -> bool:
    """Tell whether all columns are discrete; raise `NotApplicable` if only some are.

    Examples
    --------
    >>> is_discrete(Dataset.from_values([[0.0, 1.0], [2.0, 4.5]]))
    False
    """
    check_world(data, "continuous", "discrete")
    return data.world == "discrete"


def level_statistics(data: Dataset) -> LevelStatistics:
    """Return the observational rows of discrete data.

    Examples
    --------
    >>> from causalassay.data import Discrete, Regime
    >>> coin = Discrete(("heads", "tails"))
    >>> rows = Regime("observational", [[0, 1], [1, 1], [0, 0]])
    >>> data = Dataset(("a", "b"), (rows,), "observational", (coin, coin))
    >>> level_statistics(data).codes.tolist()
    [[0, 1, 0], [1, 1, 0]]
    """
    n_levels = [len(kind.levels) for kind in data.discrete_columns.values()]
    return LevelStatistics(as_codes(observational_values(data)), np.array(n_levels))
