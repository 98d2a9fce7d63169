"""The score of a density, the gradient of its logarithm, estimated at the rows of a sample."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil, isqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg.lapack import dpotrf, dpotrs

from causalassay.common.arrays import Adjacency, Values, Vector, Weights, check_values
from causalassay.contracts import NotApplicable
from causalassay.diagnostics.explained_variance import variances
from causalassay.diagnostics.sortability import Convention, alignment
from causalassay.graphs.orders import check_dag

RIDGE = 0.001
"""The ridge of the estimators of the score and of its derivatives, η of the papers."""

MOST_BYTES = 2**31
"""The most memory for matrices of rows by rows."""
MATRICES = 2
"""How many of them an estimate holds at a time."""
SAME_ROW = 1e-12
"""Rows at a squared distance below this share of the largest are equal but for rounding."""
WIDEST = 1e75
"""Fourth powers of larger values are no floating-point numbers, nor are those of one over it."""
FEW_NUMBERS = 20_000
"""Of so few numbers the median is found without narrowing the search first."""


@dataclass(frozen=True, eq=False)
class SteinEstimate:
    """Estimates of the score and of the diagonal of its Jacobian, by Stein's identities.

    Parameters
    ----------
    values : ndarray, shape (n, k)
        Rows of some columns, none constant, with median 0.
    width : float
        Of the Gaussian kernel: the median distance of two different rows.
    factor : ndarray, shape (n, n)
        The lower Cholesky factor of the kernel matrix plus the ridge on the diagonal. The
        kernel is exp(-|x - y|² / (2 width²)) / width.
    sums : ndarray, shape (n, 2k + 1)
        The kernel matrix times the columns 1, x and x².

    Notes
    -----
    For a density p with score s and smooth functions h, E[h s' + ∇h] = 0; the derivatives of s
    have a like identity of second order. With h the features of a kernel, both become a ridge
    regression on the rows. Its right-hand sides are sums of derivatives of the kernel, which
    are polynomials in x times the kernel: one product of matrices gives `sums`, from which all
    columns follow, and one factor solves all of them.

    References
    ----------
    Rolland et al. (2022), arXiv 2203.04413, section 4; Li, Turner (2018), Gradient estimators
    for implicit models, ICLR.

    Examples
    --------
    The score of a standard normal x is -x, its derivative -1; with 500 rows it is near that:

    >>> x = np.random.default_rng(0).normal(size=(500, 1))
    >>> estimate = stein_estimate(x, ridge=0.1)
    >>> float(np.corrcoef(estimate.score[:, 0], -x[:, 0])[0, 1].round(1))
    0.9
    >>> float(np.median(estimate.jacobian_diagonal).round(1))
    -1.2
    """

    values: Values
    width: float
    factor: Weights
    sums: Values

    @cached_property
    def score(self) -> Values:
        """The estimated score, shape (n, k): ∂ log p / ∂x at each row."""
        total, first, _ = self._sums
        return self._solve((first - self.values * total) / self.width**2)

    @cached_property
    def jacobian_diagonal(self) -> Values:
        """The estimated diagonal of the score's Jacobian, shape (n, k): ∂² log p / ∂x²."""
        total, first, second = self._sums
        x = self.values
        squares = (x**2 * total - 2.0 * x * first + second) / self.width**4
        return self._solve(squares - total / self.width**2) - self.score**2

    @property
    def _sums(self) -> tuple[Values, Values, Values]:
        k = self.values.shape[1]
        return self.sums[:, :1], self.sums[:, 1 : k + 1], self.sums[:, k + 1 :]

    def _solve(self, right: Values) -> Values:
        solution: Values = dpotrs(self.factor, right, lower=1)[0]
        return solution


def stein_estimate(values: Values, ridge: float = RIDGE) -> SteinEstimate:
    """Return what estimates the score at the rows.

    Parameters
    ----------
    values : ndarray, shape (n, k)
        Already checked; no column constant. The rows are within `check_memory`.
    ridge : float
        Absolute, as in the authors' code: with all columns times c, it weighs c times as much.
        Divide by `common_unit` beforehand where that should not matter.

    Raises
    ------
    NotApplicable
        If the values are so large or small that their fourth powers, or the ridge beside the
        kernel, are lost in rounding.

    Notes
    -----
    The distances cost one product of matrices, a tenth of the factor. So they are computed
    anew for every set of columns: subtracting the part of a column that leaves would be no
    faster, and would cancel where that column is the longest.

    Examples
    --------
    >>> round(stein_estimate(np.array([[0.0], [1.0], [3.0]])).width, 6)
    2.0
    """
    n = len(values)
    centred = values - np.median(values, axis=0)  # an outlier moves the mean: squares would cancel
    largest = float(np.abs(centred).max())
    if not 1.0 / WIDEST < largest < WIDEST:
        raise NotApplicable(
            f"values: the score of columns as large or small as these (up to {largest:.1e} from "
            "their medians) is beyond floating-point numbers; divide all columns by one number, or "
            "standardise them"
        )
    kernel = squared_distances(centred)
    width = median_distance(kernel)
    kernel /= -2.0 * width**2
    np.exp(kernel, out=kernel)
    kernel /= width
    sums = kernel @ np.hstack([np.ones((n, 1)), centred, centred**2])
    kernel.ravel()[:: n + 1] += ridge
    factor, breakdown = dpotrf(kernel.T, lower=1, clean=0, overwrite_a=1)
    if breakdown:
        raise NotApplicable(
            f"values: beside columns as small as these (median distance {width:.1e}) the ridge "
            f"{ridge} is lost in rounding; take a larger ridge or larger units, or standardise "
            "the columns"
        )
    return SteinEstimate(centred, width, factor, sums)


def common_unit(values: Values) -> float:
    """Return the geometric mean of the columns' standard deviations.

    Parameters
    ----------
    values : ndarray, shape (n, d)
        No column constant.

    Notes
    -----
    The ridge of the estimate is absolute, so a factor common to all columns changes the score
    by more than that factor. Of columns divided by this unit it does not; standardised columns
    are in it already. A geometric mean, because an outlier or a column in another unit moves
    it little: with the root of the mean variance, one outlier of 10⁵ changed the order that
    `score` finds among the other columns.

    Examples
    --------
    >>> values = np.array([[0.0, 0.0], [2.0, 18.0]])
    >>> round(common_unit(values), 9), round(common_unit(values * 1e200) / 1e200, 9)
    (3.0, 3.0)
    """
    centred = values - values.mean(axis=0)
    largest = np.abs(centred).max(axis=0)
    deviations = largest * np.sqrt(np.square(centred / largest).mean(axis=0))
    return float(np.exp(np.log(deviations).mean()))


def squared_distances(centred: Values) -> Weights:
    """Return the squared distances of all pairs of rows.

    Examples
    --------
    >>> squared_distances(np.array([[0.0, 1.0], [3.0, 5.0]]))
    array([[ 0., 25.],
           [25.,  0.]])
    """
    squares = np.einsum("ij,ij->i", centred, centred)
    distances: Weights = centred @ centred.T
    distances *= -2.0
    distances += squares
    distances += squares[:, None]
    np.maximum(distances, 0.0, out=distances)
    distances.ravel()[:: len(distances) + 1] = 0.0
    return distances


def median_distance(squared: Weights) -> float:
    """Return the median distance over the pairs of different rows.

    Parameters
    ----------
    squared : ndarray, shape (n, n)
        See `squared_distances`. Pairs of equal rows do not count.

    Examples
    --------
    >>> median_distance(squared_distances(np.array([[0.0], [0.0], [1.0], [3.0]])))
    2.0
    """
    pairs = squared[np.tri(len(squared), k=-1, dtype=bool)]
    least = SAME_ROW * pairs.max()
    if pairs.min() <= least:
        pairs = pairs[pairs > least]
    return float(np.sqrt(_middle(pairs)).mean())


def _middle(numbers: Vector) -> Vector:
    """Return the two middle ones of sorted numbers, the same twice where their count is odd.

    A sample brackets them, so that only the numbers between the brackets are sorted.
    """
    ranks = np.array([(len(numbers) - 1) // 2, len(numbers) // 2])
    if len(numbers) > FEW_NUMBERS:
        sample = np.sort(numbers[:: len(numbers) // 2000])
        low, high = sample[int(0.45 * len(sample))], sample[int(0.55 * len(sample))]
        n_below = np.count_nonzero(numbers < low)
        inside = numbers[(numbers >= low) & (numbers <= high)]
        if n_below <= ranks[0] and ranks[1] < n_below + len(inside):
            numbers, ranks = inside, ranks - n_below
    return np.partition(numbers, ranks)[ranks]


def check_memory(n_samples: int, matrices: int = MATRICES, per_row: int = 0) -> None:
    """Raise `NotApplicable` where so many matrices of rows by rows would not fit.

    Parameters
    ----------
    n_samples : int
    matrices : int
    per_row : int
        Numbers that each row has beside the matrices.

    Examples
    --------
    >>> check_memory(20_000)
    Traceback (most recent call last):
    ...
    causalassay.contracts.NotApplicable: values: estimating the score of 20000 rows needs 6.4 GB ...
    """
    needed = 8 * n_samples * (matrices * n_samples + per_row)
    if needed > MOST_BYTES:
        # matrices n² + per_row n = the most numbers
        root = isqrt(per_row**2 + 4 * matrices * (MOST_BYTES // 8))
        most = (root - per_row) // (2 * matrices)
        raise NotApplicable(
            f"values: estimating the score of {n_samples} rows needs {ceil(needed / 1e8) / 10} GB "
            f"for matrices of rows by rows; take at most {most} rows, drawn at random"
        )


# Whether the score's variances reveal the causal order.


def score_variances(values: ArrayLike, ridge: float = RIDGE) -> Vector:
    """Return the variance of each entry of the estimated score.

    Parameters
    ----------
    values : array_like, shape (n, d)
        No column constant.
    ridge : float
        Of the estimator, for columns divided by their `common_unit`.

    Notes
    -----
    The variance of entry j is in units of 1 / x_j². It is estimated in the columns' common unit,
    so that a factor of all columns changes nothing else. If all columns are jointly normal, it is
    the precision of j: one over the variance that all other columns leave of it.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=500)
    >>> y = np.sin(2 * x) + rng.normal(size=500)
    >>> of_cause, of_effect = score_variances(np.column_stack([x, y]))
    >>> bool(of_cause > of_effect)
    True
    """
    array = check_values(values)
    return _variances_in(array, ridge) / common_unit(array) ** 2


def _variances_in(array: Values, ridge: float) -> Vector:
    """Return `score_variances` in the common unit of the columns."""
    check_memory(len(array))
    constant = np.flatnonzero(variances(array) == 0)
    if len(constant):
        raise ValueError(
            f"values: column {constant[0]} is constant, so it has no density; remove it from the "
            "values and from the graph"
        )
    return stein_estimate(array / common_unit(array), ridge).score.var(axis=0)


def score_sortability(
    values: ArrayLike,
    graph: Adjacency,
    convention: Convention = "paths",
    tolerance: float = 1e-9,
    ridge: float = RIDGE,
) -> float:
    """Return how far the variances of the score's entries fall along the causal order.

    Parameters
    ----------
    values : array_like, shape (n, d)
        One row per sample and one column per node, none constant. Memory grows with n², time
        with n³; at most 11585 rows.
    graph : Adjacency
        The true DAG.
    convention : {"paths", "pairs", "edges"}
        Which ordered pairs count, and how often; see `pair_weights`.
    tolerance : float
        On the ratio of two variances; closer ones tie and count one half.
    ridge : float
        See `score_variances`.

    Returns
    -------
    float
        1: every effect has a smaller score variance than its causes; 1/2: the variances tell
        nothing; 0: they grow along the order; nan: the graph has no edge.

    Notes
    -----
    The score of all columns is estimated once, so this is about one sorting of all columns.
    The algorithm `score-sort` removes a leaf and estimates again.

    The unit of a column matters: a column times c has its score variance divided by c². A
    factor common to all columns does not.

    Departs from the paper, whose text we could not read: that the variance of the score falls
    from causes to leaves is from its abstract and the authors' code of the algorithm; which
    pairs are counted is the convention of var-sortability, as everywhere here.

    References
    ----------
    Montagna, Noceti, Rosasco, Locatello (2023), Shortcuts for causal discovery of nonlinear
    models by score matching, arXiv 2310.14246.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=500)
    >>> values = np.column_stack([x, np.sin(2 * x) + rng.normal(size=500)])
    >>> score_sortability(values, chain(2)), score_sortability(values * [1, 0.1], chain(2))
    (1.0, 0.0)
    """
    array = check_values(values, len(check_dag(graph)))
    return alignment(graph, -_variances_in(array, ridge), convention, tolerance)
