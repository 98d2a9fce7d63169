"""Sample variances and correlations, with constant columns distinguished from rounding noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Values, Vector, Weights

# Centring leaves a constant column with entries of a few rounding errors of its mean;
# only columns this quiet, relative to their mean, are compared entry by entry.
_QUIET = 1e-10


def variances(values: Values) -> Vector:
    """Return the variance (ddof 0) of each column, exactly 0 for constant columns.

    Parameters
    ----------
    values : Values, shape (n, d)
        Already checked.

    Examples
    --------
    A column of 0.1s has a mean that is not 0.1, but no variance.

    >>> import numpy as np
    >>> variances(np.column_stack([np.full(3, 0.1), [1.0, 2.0, 3.0]]))
    array([0.        , 0.66666667])
    """
    mean = values.mean(axis=0)
    centred = values - mean
    variance = np.einsum("ij,ij->j", centred, centred) / len(values)
    variance[constant_columns(values, mean, variance)] = 0.0
    return variance


def correlations(values: Values) -> Weights:
    """Return the correlation matrix of the columns, its diagonal exactly 1.

    Parameters
    ----------
    values : Values, shape (n, d)
        Already checked; a constant column is an error.

    Examples
    --------
    >>> import numpy as np
    >>> correlations(np.array([[1.0, 5.0], [2.0, 3.0], [3.0, 1.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    mean = values.mean(axis=0)
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused below
        centred = values - mean
        products = centred.T @ centred
        squares = products.diagonal().copy()
        constant = constant_columns(values, mean, squares / len(values))
    if len(constant):
        column = int(constant[0])
        raise ValueError(
            f"values: column {column} is constant ({values[0, column]}), so its correlations are "
            "undefined; remove it from the values and from the graph"
        )
    representable = (squares >= np.finfo(float).tiny) & (squares <= np.finfo(float).max)
    if not representable.all():
        raise ValueError(
            f"values: the squares of column {int(representable.argmin())} leave the range of "
            "double precision; change its unit"
        )
    scale = 1.0 / np.sqrt(squares)
    products *= scale[:, None]
    products *= scale
    np.fill_diagonal(products, 1.0)
    return products


def constant_columns(values: Values, mean: Vector, variance: Vector) -> NDArray[np.int64]:
    """Return the columns whose entries are all the same number."""
    quiet = np.flatnonzero(variance <= np.square(_QUIET * mean))
    same = (values[:, quiet] == values[0, quiet]).all(axis=0)
    return quiet[same]
