"""The share of a variable's variance that other variables explain."""

from __future__ import annotations

import warnings
from decimal import Decimal
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg.lapack import dposv, dpotrf, dpotri

from causalassay.common.arrays import Adjacency, Values, Vector, Weights, check_values
from causalassay.graphs.orders import Indices, check_dag

# Sample variances and correlations, with constant columns distinguished from rounding noise.

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


# Statistics that a file cannot tell apart, because its values are rounded to a few digits.

# A double printed in full has 15 to 17 significant digits, so fewer in all rows looked at
# means that the values were rounded.
_FULL_DIGITS = 15
# Rows whose decimal representations are read: a few reject full precision at once, then more
# find the number of digits. It is too small if all of these end in 0: a chance of 1e-64.
_FEW_ROWS = 4
_MOST_ROWS = 64
# Powers of ten that a double holds exactly, so that a product or quotient by one is rounded once.
_TENS = np.array([float(f"1e{power}") for power in range(23)])
_LEAST_EXPONENT, _MOST_EXPONENT = -300, 300
_ALL_TENS = np.array([float(f"1e{k}") for k in range(_LEAST_EXPONENT, _MOST_EXPONENT + 1)])


class DigitMargin(NamedTuple):
    """How far rounding to the digits of a file can have moved a statistic of each column."""

    variance: Vector
    mean: Vector


def digit_margin(values: Values) -> DigitMargin:
    """Return the largest error of each column's variance and mean that its printed digits allow.

    Parameters
    ----------
    values : Values, shape (n, d)
        Already checked.

    Returns
    -------
    DigitMargin
        ``variance`` (ddof 0) and ``mean``; 0 for columns in full precision
        (15 or more significant digits) and for columns of whole numbers, which
        are taken for counts or codes and so for exact.

    Notes
    -----
    A column has few digits if all its values have at most so many decimals
    (``%.6f``) or at most so many significant digits (``%.6g``). Each value x_i
    then stands for numbers within q_i/2 of it, with q_i the place of its last
    digit; where both hold, q_i is the larger. With m the mean of the column,
    the variance is off by at most ``mean(|x_i - m| q_i) + mean(q_i²) / 4``, and
    the mean by at most ``mean(q_i) / 2``.

    The numbers of digits come from up to 64 rows and are then verified on all
    rows, so a column with a value of more digits in any row has margin 0.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.array([[-1.25, 0.1 + 0.2, 1.0], [0.5, 1 / 3, 2.0], [0.75, 1.5, 7.0]])
    >>> digit_margin(values).mean
    array([0.005, 0.   , 0.   ])
    """
    margin = DigitMargin(np.zeros(values.shape[1]), np.zeros(values.shape[1]))
    significant, _ = _most_digits(values, _FEW_ROWS)
    columns = np.flatnonzero(significant < _FULL_DIGITS)
    significant, decimals = _most_digits(values[:, columns], _MOST_ROWS)
    few = (significant < _FULL_DIGITS) & (decimals > 0)
    columns, significant, decimals = columns[few], significant[few], decimals[few]
    if len(columns) == 0:
        return margin
    printed = values[:, columns]
    quantum = _last_places(printed, significant, decimals)
    deviation = np.abs(printed - printed.mean(axis=0))
    margin.variance[columns] = (deviation * quantum).mean(axis=0)
    margin.variance[columns] += np.square(quantum).mean(axis=0) / 4
    margin.mean[columns] = quantum.mean(axis=0) / 2
    return margin


def _most_digits(values: Values, n_rows: int) -> NDArray[np.int64]:
    """Return the most significant digits and the most decimals of each column, over some rows."""
    n_samples, n_nodes = values.shape
    most = np.zeros((2, n_nodes), dtype=np.int64)
    for row in np.unique(np.linspace(0, n_samples - 1, n_rows).astype(np.int64)):
        for column, value in enumerate(values[row].tolist()):
            digits, exponent = Decimal(repr(value)).normalize().as_tuple()[1:]
            most[0, column] = max(most[0, column], len(digits))
            most[1, column] = max(most[1, column], -int(exponent))
    return most


def _last_places(
    values: Values, significant: NDArray[np.int64], decimals: NDArray[np.int64]
) -> Values:
    """Return the place of each value's last digit; 0 in columns where a value has more digits."""
    size = np.abs(values)
    exponent = np.searchsorted(_ALL_TENS, size, side="right") - 1 + _LEAST_EXPONENT
    places = significant - 1 - exponent  # decimals of a value with so many significant digits
    by_decimals = np.where(
        _have_decimals(values, np.broadcast_to(decimals, values.shape)).all(axis=0),
        10.0**-decimals,
        0.0,
    )
    by_significant = np.where(
        _have_decimals(values, places).all(axis=0) & (size > 0), 10.0**-places, 0.0
    )
    return np.maximum(by_decimals, by_significant)


def _have_decimals(values: Values, decimals: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell of each value whether it is the double nearest to a number with so many decimals.

    True where the power of ten is no double, which is far from the sizes of data.
    """
    power = _TENS[np.minimum(np.abs(decimals), len(_TENS) - 1)]
    fraction = decimals >= 0
    with np.errstate(over="ignore", invalid="ignore"):
        whole = np.rint(np.where(fraction, values * power, values / power))
        same = np.where(fraction, whole / power, whole * power) == values
    return same | (np.abs(decimals) >= len(_TENS))


def merge_ties(statistic: Vector, margin: Vector, tolerance: float = 1e-9) -> Vector:
    """Return the statistic with one common value for all nodes that cannot be told apart.

    Parameters
    ----------
    statistic : ndarray, shape (d,)
        Such as `variances`.
    margin : ndarray, shape (d,)
        How far each may be off; see `digit_margin`.
    tolerance : float
        Neighbours in the sorted values also tie if they differ by at most this
        share of the larger magnitude.

    Returns
    -------
    ndarray, shape (d,)
        Nodes whose intervals ``statistic ± margin`` overlap, directly or
        through others, all get the smallest value among them. The rest is as it was.

    Examples
    --------
    >>> import numpy as np
    >>> merge_ties(np.array([1.0, 3.0, 1.1, 1.2]), np.array([0.06, 0.06, 0.06, 0.06]))
    array([1., 3., 1., 1.])
    """
    order = np.argsort(statistic, kind="stable")
    ascending, width = statistic[order], margin[order]
    size = np.abs(ascending)
    highest_before = np.maximum.accumulate(ascending + width)[:-1]
    lowest_after = np.minimum.accumulate((ascending - width)[::-1])[::-1][1:]
    apart = (lowest_after > highest_before) & (
        np.diff(ascending) > tolerance * np.maximum(size[1:], size[:-1])
    )
    first = np.concatenate([[0], np.flatnonzero(apart) + 1])
    merged = np.empty_like(ascending)
    merged[order] = np.repeat(ascending[first], np.diff(first, append=len(ascending)))
    return merged


# Least share left unexplained at which a factor of the correlation matrix is trusted: its
# rounding errors are divided by about this much.
_TRUSTED = 1e-7


class RankDeficientWarning(UserWarning):
    """Some variables are linear combinations of others, so their R² is 1 and they tie."""


class Determination(NamedTuple):
    """R² of each variable on all others, and how it was computed."""

    r2: Vector
    method: Literal["cholesky", "svd", "rank-deficient"]
    rank: int
    """The rank of the correlation matrix, as far as rounding lets it be known."""


def determination(values: ArrayLike) -> Determination:
    """Return R² of each variable regressed on all others with an intercept, and the method.

    Parameters
    ----------
    values : array_like, shape (n, d)
        A constant column is an error.

    Returns
    -------
    Determination
        ``r2``, ``method`` and ``rank``.

    Notes
    -----
    One factorisation serves all variables: R²_i is 1 - 1/(C⁻¹)_ii, with C the
    correlation matrix. "cholesky": C⁻¹ from its Cholesky factor, trusted if
    every 1 - R²_i comes out above 1e-7, which leaves an error of about 1e-9 at
    worst. Otherwise, and when n <= d, C⁻¹ comes from the singular values and
    vectors of the standardised data, whose condition is the root of C's:
    "svd" if all of them are above rounding, 10·d·eps·(1 + the largest
    |mean|/sd), else "rank-deficient". Then the least-squares limit is taken:
    variables with a component in the null space of C are linear combinations of
    others and get exactly 1, the rest 1 - 1/(C⁺)_ii. A component counts when
    it is larger than the error of the null vectors, which is the rounding
    divided by the smallest other singular value.

    References
    ----------
    Reisach et al. (2023), arXiv 2303.18211.

    Examples
    --------
    The third column is the sum of the first two.

    >>> import numpy as np
    >>> determination(np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 2]]))
    Determination(r2=array([1., 1., 1.]), method='rank-deficient', rank=2)
    """
    return _determination(check_values(values))


def _determination(values: Values) -> Determination:
    n_samples, n_nodes = values.shape
    correlation = correlations(values)
    if n_samples > n_nodes:
        unexplained = _unexplained(correlation)
        if unexplained is not None and unexplained.min() > _TRUSTED:
            return Determination(np.maximum(1.0 - unexplained, 0.0), "cholesky", n_nodes)
    return _from_singular_values(values)


def _unexplained(correlation: Weights) -> Vector | None:
    """Return 1/(C⁻¹)_ii, or None where C is not numerically positive definite."""
    factor, breakdown = dpotrf(correlation, clean=0)
    if breakdown:
        return None
    inverse, breakdown = dpotri(factor, overwrite_c=1)
    return None if breakdown else 1.0 / inverse.diagonal()


def _from_singular_values(values: Values) -> Determination:
    n_samples, n_nodes = values.shape
    mean = values.mean(axis=0)
    centred = values - mean
    length = np.sqrt(np.einsum("ij,ij->j", centred, centred))
    offset = float((np.abs(mean) / length).max()) * np.sqrt(n_samples)
    rounding = 10 * n_nodes * np.finfo(float).eps * (1 + offset)
    _, singular, vector = np.linalg.svd(np.linalg.qr(centred / length, mode="r"))
    # Centred rows span n - 1 dimensions at most.
    rank = min(int((singular > rounding).sum()), n_samples - 1)
    with np.errstate(divide="ignore"):
        r2 = 1.0 - 1.0 / np.square(vector[:rank] / singular[:rank, None]).sum(axis=0)
    component = np.sqrt(np.square(vector[rank:]).sum(axis=0))
    r2[component > rounding / singular[rank - 1]] = 1.0
    method: Literal["svd", "rank-deficient"] = "svd" if rank == n_nodes else "rank-deficient"
    return Determination(np.clip(r2, 0.0, 1.0), method, rank)


def r2(values: ArrayLike) -> Vector:
    """Return R² of each variable regressed on all others, with an intercept.

    Parameters
    ----------
    values : array_like, shape (n, d)
        A constant column is an error.

    Returns
    -------
    ndarray, shape (d,)
        Exactly 1 for a variable that is a linear combination of others; a
        `RankDeficientWarning` says so.

    References
    ----------
    Reisach et al. (2023), arXiv 2303.18211.

    Examples
    --------
    >>> import numpy as np
    >>> r2(np.array([[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]])).round(4)
    array([0.0278, 0.0278])
    """
    return r2_or_warn(check_values(values))


def r2_or_warn(values: Values) -> Vector:
    """Return what `r2` does, from checked values; the warning names the caller's caller."""
    result = _determination(values)
    if result.method == "rank-deficient":
        warnings.warn(
            f"the correlation matrix of {len(result.r2)} variables and {len(values)} rows has rank "
            f"{result.rank}: {int((result.r2 == 1).sum())} variables are linear combinations of "
            "others, get R² = 1 and tie",
            RankDeficientWarning,
            stacklevel=3,
        )
    return result.r2


def cause_explained_variance(values: ArrayLike, graph: Adjacency) -> Vector:
    """Return the share of each variable's variance that its true parents explain.

    Parameters
    ----------
    values : array_like, shape (n, d)
        A constant column is an error.
    graph : Adjacency
        The true DAG.

    Returns
    -------
    ndarray, shape (d,)
        R² of least squares on the parents, with an intercept; 0 for roots.

    References
    ----------
    Reisach et al. (2023), arXiv 2303.18211; Ormaniec et al. (2024), equation 4.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> values = np.array([[0, 0], [0, 1], [1, 2], [1, 3]])
    >>> cause_explained_variance(values, chain(2))
    array([0. , 0.8])
    """
    check_dag(graph)
    array = check_values(values, len(graph))
    correlation = correlations(array)
    explained = np.zeros(len(graph))
    for node in np.flatnonzero(graph.any(axis=0)).tolist():
        parents = np.flatnonzero(graph[:, node])
        explained[node] = _explained_by(parents, node, correlation, array)
    return explained


def _explained_by(parents: Indices, node: int, correlation: Weights, values: Values) -> float:
    """Return r' C⁻¹ r of the parents, by least squares on the values where C is near singular."""
    with_node = correlation[parents, node]
    factor, solution, breakdown = dposv(correlation[np.ix_(parents, parents)], with_node)
    smallest = 0.0 if breakdown else float(np.square(factor.diagonal()).min())
    if smallest > _TRUSTED:
        return float(np.clip(with_node @ solution, 0.0, 1.0))
    centred = values - values.mean(axis=0)
    regressors = centred[:, parents] / np.linalg.norm(centred[:, parents], axis=0)
    target = centred[:, node] / np.linalg.norm(centred[:, node])
    residual = target - regressors @ np.linalg.lstsq(regressors, target)[0]
    return float(np.clip(1.0 - residual @ residual, 0.0, 1.0))
