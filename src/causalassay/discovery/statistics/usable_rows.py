"""The rows that an algorithm may use, or the reason why it cannot use them."""

from __future__ import annotations

import numpy as np

from causalassay.common.arrays import Values
from causalassay.common.spelling import listed
from causalassay.contracts import NotApplicable, check_rows
from causalassay.data.checks import drop_options
from causalassay.data.dataset import Dataset
from causalassay.diagnostics.explained_variance import determination

LEAST_EIGENVALUE = 1e-10
"""Of a correlation matrix; below it some columns are taken for combinations of others."""


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
