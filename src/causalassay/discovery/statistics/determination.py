"""Whether the rows determine every regression of one column on others."""

from __future__ import annotations

import numpy as np

from causalassay.arrays import Values
from causalassay.contracts import NotApplicable
from causalassay.data.dataset import Dataset
from causalassay.diagnostics.explained import determination
from causalassay.discovery.statistics.gaussian import check_continuous
from causalassay.discovery.statistics.observational import observational_values


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
