"""What the algorithms read from the data before they search: rows, correlations, levels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.common.arrays import Values, Vector, Weights
from causalassay.common.kernels import kernel
from causalassay.common.spelling import listed
from causalassay.contracts import NotApplicable, check_rows, check_world
from causalassay.data.checks import drop_options
from causalassay.data.dataset import Dataset
from causalassay.diagnostics.explained_variance import correlations, determination
from causalassay.graphs.orders import Indices
from causalassay.models.discrete.tables import Codes, as_codes

# The rows that an algorithm may use, or the reason why it cannot use them.

LEAST_EIGENVALUE = 1e-10
"""The least of a correlation matrix; below it some columns are taken for combinations of others."""


def observational_values(data: Dataset) -> Values:
    """Return the observational rows, independent ones, or raise `NotApplicable`."""
    check_rows(data, "independent")
    check_observational(data)
    return data.observational_values


def check_observational(data: Dataset) -> None:
    """Raise `NotApplicable` if no condition is known to be observational."""
    if data.observational is None:
        raise NotApplicable(
            "no condition is known to be observational; name one as `observational` of the data "
            f"(--observational): there are {listed(data.conditions)}"
        )


def check_continuous(data: Dataset, values: Values) -> None:
    """Raise `NotApplicable` if a column is discrete, or constant in `values`."""
    for name in data.discrete_columns:
        raise NotApplicable(f"column {name!r} is discrete; this algorithm is for continuous data")
    check_varied_columns(data, values)


def check_varied_columns(data: Dataset, values: Values) -> None:
    """Raise `NotApplicable` if a column is constant in `values`."""
    for name, width in zip(data.columns, np.ptp(values, axis=0), strict=True):
        if width == 0:
            raise NotApplicable(
                f"column {name!r} is constant in the rows used; leave it out "
                f"({drop_options([name])})"
            )


def check_regular(data: Dataset, values: Values) -> None:
    """Raise `NotApplicable` where packages of others would fail on `values`.

    They need two columns, none constant or a linear combination of others, and more rows than
    columns; series and discrete columns may depend on each other.
    """
    check_varied_columns(data, values)
    n_samples, n_nodes = values.shape
    if n_nodes == 1:
        raise NotApplicable("the package needs at least 2 columns")
    if n_samples <= n_nodes + 3:
        raise NotApplicable(f"{n_samples} rows are too few for {n_nodes} columns")
    dependent = np.linalg.eigvalsh(np.corrcoef(values, rowvar=False))[0] <= LEAST_EIGENVALUE
    if data.world == "continuous" and dependent:
        raise NotApplicable("some columns are linear combinations of others; leave one out")


def determined_values(data: Dataset) -> Values:
    """Return the observational rows if they determine all regressions of a column on others.

    Raises
    ------
    NotApplicable
        If no condition is known to be observational, a column is discrete or
        constant, there are no more rows than columns, or the other columns
        leave at most 10·d·eps of a column's variance unexplained.

    Examples
    --------
    >>> data = Dataset.from_values([[0.0, 1.0], [1.0, 3.0], [2.0, 2.0]])
    >>> determined_values(data).shape
    (3, 2)
    """
    values = observational_values(data)
    check_continuous(data, values)
    n_samples, n_nodes = values.shape
    if n_samples <= n_nodes:
        raise NotApplicable(
            f"regressions of one of {n_nodes} columns on the others need at least "
            f"{n_nodes + 1} rows, got {n_samples}; take more rows or fewer columns"
        )
    if n_nodes > 1:
        unexplained = 1.0 - determination(values).r2
        if unexplained.min() <= 10 * n_nodes * np.finfo(float).eps:
            name = data.columns[int(unexplained.argmin())]
            raise NotApplicable(
                f"column {name!r} is a linear combination of others, so that regressions are "
                "not determined; remove it"
            )
    return values


# Gaussian sufficient statistics: what tests and scores need of continuous data.

PIVOT = 1e-10
"""The least share of a variance that a regression may leave: below it columns count as
linearly dependent, for rounding errors of a correlation matrix are divided by about this much."""


@dataclass(frozen=True, eq=False)
class GaussianStatistics:
    """Correlations, scales and the number of rows; scaled so that factors are well conditioned.

    Parameters
    ----------
    correlation : ndarray, shape (d, d)
    sd : ndarray, shape (d,)
        ddof 0.
    n_samples : int
    """

    correlation: Weights
    sd: Vector
    n_samples: int


def gaussian_statistics(data: Dataset) -> GaussianStatistics:
    """Return the statistics of the observational rows.

    Raises
    ------
    NotApplicable
        If no condition is known to be observational, or a column is discrete
        or constant in it.

    Examples
    --------
    >>> data = Dataset.from_values([[0.0, 1.0], [1.0, 3.0], [2.0, 2.0]])
    >>> gaussian_statistics(data).correlation.round(12)
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    values = observational_values(data)
    check_continuous(data, values)
    return GaussianStatistics(
        np.ascontiguousarray(correlations(values)), values.std(axis=0), len(values)
    )


@kernel
def unexplained_share(correlation: Weights, node: int, given: NDArray[np.int64]) -> float:
    """Return 1 - R² of `node` on the nodes `given`; at most `PIVOT` where they are dependent.

    One Cholesky factorisation of the correlations of `given` and then `node`,
    whose last pivot is the answer.
    """
    size = len(given)
    factor = np.empty((size + 1, size + 1))
    for row in range(size + 1):
        a = given[row] if row < size else node
        pivot = correlation[a, a]
        for column in range(row):
            total = correlation[a, given[column]]
            for k in range(column):
                total -= factor[row, k] * factor[column, k]
            factor[row, column] = total / factor[column, column]
            pivot -= factor[row, column] ** 2
        if pivot <= PIVOT:
            return 0.0
        factor[row, row] = np.sqrt(pivot)
    return factor[size, size] ** 2


# Codes and numbers of levels: what tests and scores need of discrete data.


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


# Orders by a score, in which no index decides a tie.


def random_ties_order(scores: Vector, rng: Generator, tolerance: float = 1e-9) -> Indices:
    """Return the nodes by ascending score, those that tie in random order.

    Parameters
    ----------
    scores : ndarray, shape (d,)
    rng : Generator
    tolerance : float
        Neighbours in the sorted scores tie if they differ by at most this
        share of the larger magnitude: the sortabilities' rule, so that
        rounding errors of standardised data decide nothing.

    Examples
    --------
    >>> import numpy as np
    >>> random_ties_order(np.array([3.0, 1.0, 2.0]), np.random.default_rng(0)).tolist()
    [1, 2, 0]
    """
    order = np.argsort(scores)
    ascending = scores[order]
    size = np.abs(ascending)
    apart = np.diff(ascending) > tolerance * np.maximum(size[1:], size[:-1])
    group = np.concatenate([[0], np.cumsum(apart)])
    return order[np.lexsort((rng.random(len(order)), group))]
