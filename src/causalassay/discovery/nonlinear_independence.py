"""Tests of conditional independence that see curves: KCI, a fast KCI, and GCM."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil, isqrt
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from causalassay.common.arrays import Values, Vector, Weights
from causalassay.contracts import NotApplicable
from causalassay.data.dataset import Dataset
from causalassay.discovery.independence import check_defined, chi2_minus_log_p
from causalassay.discovery.statistics import PIVOT, check_varied_columns, observational_values

T = TypeVar("T")

NonlinearTest = Literal["kci", "fast-kci", "gcm"]
Pairs = Sequence[tuple[int, int]]

LEAST_ROWS = 30
"""Below so many rows, neither the gamma law nor the normal law of a statistic is near."""
ROWS_PER_COLUMN = 10
"""A conditioning set may have a column for so many rows."""
MOST_BYTES = 2**31
"""The most memory that a test takes: it is refused beyond."""
MOST_CACHED = 2**29
"""The most bytes of regressions and residuals that are kept for tests to come."""
MATRICES = 8
"""How many n × n matrices a KCI test holds at a time, those in the cache apart."""

SET_RANK = 100
"""Features of a conditioning set in the fast tests."""
COLUMN_RANK = 5
"""Features of a tested column in the fast KCI test."""
COLUMN_WIDTH = 1.5
"""The width of their kernel, in standard deviations of the column."""
RIDGES = np.logspace(-5, 1, 13)
"""Penalties among which generalised cross-validation chooses, times the number of rows."""
LEAST_SHARE = 0.1
"""Eigenvectors of a kernel whose eigenvalue is below this share of the least penalty are left
out: no penalty would fit more than a tenth of them."""
LARGEST_FIT = 0.5
"""No regression has more effective parameters than this share of the rows."""


def gaussian_kernel(columns: Values, width: float) -> Weights:
    """Return exp(-|a - b|² / (2 width²)) of all pairs of rows.

    Examples
    --------
    >>> gaussian_kernel(np.array([[0.0], [1.0]]), 1.0).round(3)
    array([[1.   , 0.607],
           [0.607, 1.   ]])
    """
    exponent = np.zeros((len(columns), len(columns)))
    for column in columns.T * (np.sqrt(0.5) / width):
        difference = np.subtract.outer(column, column)
        difference *= difference
        exponent -= difference
    return np.exp(exponent, out=exponent)


def kernel_features(columns: Values, width: float, rank: int, tolerance: float = 1e-5) -> Weights:
    """Return F with F Fᵀ near the Gaussian kernel matrix: its pivoted Cholesky factor.

    Parameters
    ----------
    columns : ndarray, shape (n, k)
    width : float
    rank : int
        The most features.
    tolerance : float
        Where no diagonal element is off by more, it ends.

    Examples
    --------
    >>> columns = np.linspace(0, 1, 50)[:, None]
    >>> features = kernel_features(columns, 1.0, 20)
    >>> features.shape
    (50, 5)
    >>> bool(np.allclose(features @ features.T, gaussian_kernel(columns, 1.0), atol=1e-5))
    True
    """
    n = len(columns)
    factor = np.zeros((min(rank, n), n))
    left = np.ones(n)
    for k in range(len(factor)):
        pivot = int(left.argmax())
        if left[pivot] <= tolerance:
            return factor[:k].T
        distance = ((columns - columns[pivot]) ** 2).sum(axis=1)
        row = np.exp(distance * (-0.5 / width**2)) - factor[:k, pivot] @ factor[:k]
        factor[k] = row / np.sqrt(left[pivot])
        left = np.maximum(left - factor[k] ** 2, 0.0)
    return factor.T


@dataclass(frozen=True, eq=False)
class Regression:
    """Kernel ridge regression on the columns of a conditioning set.

    The intercept and the linear part are not penalised; the rest is penalised by a ridge
    that generalised cross-validation chooses for each target.

    Parameters
    ----------
    basis : ndarray, shape (n, m)
        Orthonormal: first the intercept and the linear part, then the kernel's.
    eigenvalues : ndarray
        Of the kernel, for the columns of the basis after the linear part.
    ridges : ndarray
        The penalties to choose from.
    """

    basis: Values
    eigenvalues: Vector
    ridges: Vector

    @property
    def n_linear(self) -> int:
        """The number of columns that are not penalised."""
        return self.basis.shape[1] - len(self.eigenvalues)

    @property
    def nbytes(self) -> int:
        """What it takes in the cache."""
        return self.basis.nbytes

    @cached_property
    def _fits(self) -> Values:
        """For each ridge the share of each basis column that is fitted."""
        fits = self.eigenvalues / (self.eigenvalues + self.ridges[:, None])
        allowed = self.n_linear + fits.sum(axis=1) <= LARGEST_FIT * len(self.basis)
        allowed[-1] = True
        linear = np.ones((int(allowed.sum()), self.n_linear))
        return np.hstack([linear, fits[allowed]])

    def _fit(self, total: float, projected: Vector) -> Vector:
        """Return the share of each basis column that is fitted, by least GCV.

        `projected` holds the target's squared length along each column, `total` all of it.
        """
        fits = self._fits
        left = total - (2.0 * fits - fits**2) @ projected
        criterion = left / (1.0 - fits.sum(axis=1) / len(self.basis)) ** 2
        return fits[criterion.argmin()]

    def residuals(self, targets: Values) -> Values:
        """Return what is left of some columns that share a ridge."""
        along = self.basis.T @ targets
        fit = self._fit(float(np.vdot(targets, targets)), (along**2).sum(axis=1))
        return targets - self.basis @ (fit[:, None] * along)

    def residual_kernel(self, kernel: Weights) -> Weights:
        """Return R K R, where R takes residuals: the kernel of what is left of its features."""
        along = self.basis.T @ kernel
        inner = along @ self.basis
        fit = self._fit(float(np.trace(kernel)), inner.diagonal())
        half = fit[:, None] * (along - 0.5 * (inner * fit) @ self.basis.T)
        step = self.basis @ half
        left = kernel - step
        left -= step.T
        return left


def regression(
    columns: Values, width: float, rank: int, *, linear: bool = True, ridges: Vector | None = None
) -> Regression:
    """Return the kernel ridge regression on some columns that are linearly independent.

    Parameters
    ----------
    columns : ndarray, shape (n, k)
        Standardised; with k = 0 only means are removed.
    width : float
        Of the Gaussian kernel.
    rank : int
        The most features of the kernel.
    linear : bool
        Whether linear functions are free of penalty.
    ridges : ndarray, optional
        The penalties to choose from; by default `RIDGES` times the number of rows.

    Examples
    --------
    A parabola is fitted, a constant and a line leave nothing:

    >>> x = np.linspace(-1, 1, 50)[:, None]
    >>> left = regression(x, 1.0, 20).residuals
    >>> bool(abs(left(1 + x)).max() < 1e-8), bool(abs(left(x**2)).max() < 1e-2)
    (True, True)
    """
    n = len(columns)
    free = np.column_stack([np.ones(n), columns]) if linear else np.ones((n, 1))
    fixed = np.linalg.qr(free).Q
    ridges = RIDGES * n if ridges is None else ridges
    if not columns.shape[1]:
        return Regression(fixed, np.empty(0), ridges)
    features = kernel_features(columns, width, rank, float(ridges.min()) / n)
    features = features - fixed @ (fixed.T @ features)
    eigenvalues, rotation = np.linalg.eigh(features.T @ features)
    large = eigenvalues > LEAST_SHARE * ridges.min()
    eigenvalues = eigenvalues[large]
    basis = features @ (rotation[:, large] / np.sqrt(eigenvalues))
    return Regression(np.hstack([fixed, basis]), eigenvalues, ridges)


def are_dependent(columns: Values) -> bool:
    """Tell whether standardised columns are linearly dependent, but for rounding.

    Examples
    --------
    >>> x = np.linspace(-1, 1, 9)
    >>> are_dependent(np.column_stack([x, x**2])), are_dependent(np.column_stack([x, 2 - x]))
    (False, True)
    """
    n = len(columns)
    triangle = np.linalg.qr(np.column_stack([np.ones(n), columns])).R
    return bool(np.min(np.abs(triangle.diagonal())) <= np.sqrt(PIVOT * n))


def gamma_minus_log_p(statistic: float, mean: float, variance: float) -> float:
    """Return -log of the upper tail of the gamma law of that mean and variance.

    Examples
    --------
    An exponential law:

    >>> round(gamma_minus_log_p(3.0, 1.0, 1.0), 6)
    3.0
    """
    if not (mean > 0 and variance > 0):
        return 0.0
    twice_shape = np.array([2.0 * mean**2 / variance])
    return float(chi2_minus_log_p(np.array([2.0 * statistic * mean / variance]), twice_shape)[0])


class BoundedCache:
    """Values by key; the ones that were not asked for longest go first.

    Examples
    --------
    >>> cache = BoundedCache(20)
    >>> for key in "aba":
    ...     _ = cache.get(key, lambda: np.zeros(2))
    >>> cache.get("b", lambda: np.ones(2)), cache.get("a", lambda: np.ones(2))
    (array([1., 1.]), array([1., 1.]))
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._size = 0
        self._values: OrderedDict[Any, Any] = OrderedDict()

    def get(self, key: Any, make: Callable[[], T]) -> T:
        """Return the value of that key, made if it is not here."""
        if key in self._values:
            self._values.move_to_end(key)
            return self._values[key]
        value: Any = make()
        self._values[key] = value
        self._size += value.nbytes
        while self._size > self.limit and len(self._values) > 1:
            self._size -= self._values.popitem(last=False)[1].nbytes
        return value


@dataclass(frozen=True, eq=False)
class NonlinearIndependence:
    """The test of pairs of columns given a set.

    Parameters
    ----------
    values : ndarray, shape (n, d)
        Standardised columns.
    kind : {"kci", "fast-kci", "gcm"}
    data : Dataset
        For names in messages.

    Notes
    -----
    All three regress on the conditioning set by kernel ridge regression, `Regression`, and
    ask whether residuals go together:

    - ``gcm``: the products of the residuals of x and y, whose mean over its standard error
      is compared with the normal law.
    - ``kci``: the residuals of all functions of (x, z/2) and of y that the Gaussian kernel
      knows. T = Σ (R K_xz R) ∘ (R K_y R) plus the same with x and y exchanged, so that
      the order of a pair does not matter. Under independence, T is a sum of weighted χ²
      of which the weights are the eigenvalues of the matrix summed; a gamma law has their
      mean and variance. Without a set it is HSIC. Widths are those of the authors' code.
    - ``fast-kci``: the residuals of a few features of x and of y each, T is the sum of
      their squared covariances. (x, z) is not used, as in RCoT.

    The columns of a set are taken in an order that depends on their values only, so that
    relabelling the columns changes nothing.

    Departs from the papers: the ridge is chosen by generalised cross-validation for each
    target, and linear functions of the set are free of penalty (the KCI paper fits hyper-
    parameters by Gaussian processes, its code has 10⁻³); the sum over both directions;
    features by pivoted Cholesky factors instead of random frequencies, so that nothing is
    random.

    References
    ----------
    Zhang, Peters, Janzing, Schölkopf (2011), Kernel-based conditional independence test,
    UAI, propositions 3 to 5. Strobl, Zhang, Visweswaran (2019), Journal of Causal Inference
    7. Shah, Peters (2020), The hardness of conditional independence testing, Annals of
    Statistics 48, section 3.

    Examples
    --------
    A fork with a parabola; linear correlations see neither edge:

    >>> rng = np.random.default_rng(0)
    >>> z = rng.normal(size=300)
    >>> noise = 0.5 * rng.normal(size=(2, 300))
    >>> data = Dataset.from_values(np.column_stack([z, z**2 + noise[0], z**2 + noise[1]]))
    >>> test = nonlinear_independence("fast-kci", data)
    >>> test.minus_log_p([(0, 1), (1, 2)], ()).round()
    array([29., 30.])
    >>> bool(test.minus_log_p([(1, 2)], (0,))[0] < 3)
    True
    """

    values: Values
    kind: NonlinearTest
    data: Dataset
    _cache: BoundedCache = field(default_factory=lambda: BoundedCache(MOST_CACHED), repr=False)

    @property
    def largest_set(self) -> int:
        """The most columns to condition on."""
        return len(self.values) // ROWS_PER_COLUMN

    def minus_log_p(self, pairs: Pairs, given: tuple[int, ...]) -> Vector:
        """Return -log of the p-values of pairs of columns, given a set."""
        if self.kind == "gcm":
            return self._of_covariances(pairs, given)
        if self.kind == "fast-kci":
            return np.array([self._of_features(i, j, given) for i, j in pairs])
        if given:
            return np.array([self._of_kernels(i, j, given) for i, j in pairs])
        return self._of_centred_kernels(pairs)

    def _of_covariances(self, pairs: Pairs, given: tuple[int, ...]) -> Vector:
        left = {j: self._residuals(j, given) for j in sorted({j for pair in pairs for j in pair})}
        minus_log = np.empty(len(pairs))
        for index, (i, j) in enumerate(pairs):
            product = left[i][:, 0] * left[j][:, 0]
            sd = product.std()
            z = np.sqrt(len(product)) * product.mean() / sd if sd > 0 else 0.0
            minus_log[index] = max(0.0, -np.log(2.0) - log_ndtr(-abs(z)))
        return minus_log

    def _of_features(self, i: int, j: int, given: tuple[int, ...]) -> float:
        one, other = self._residuals(i, given), self._residuals(j, given)
        products = (one[:, :, None] * other[:, None, :]).reshape(len(one), -1)
        total = products.sum(axis=0)
        inner = products.T @ products
        return gamma_minus_log_p(
            float(total @ total), float(np.trace(inner)), 2.0 * float(np.vdot(inner, inner))
        )

    def _of_centred_kernels(self, pairs: Pairs) -> Vector:
        """Return -log p by HSIC, whose moments under independence are products."""
        n = len(self.values)
        trace, square = {}, {}
        for j in {j for pair in pairs for j in pair}:
            centred = self._kernels(j, ())[0]
            trace[j], square[j] = float(np.trace(centred)), float(np.vdot(centred, centred))
        minus_log = np.empty(len(pairs))
        for index, (i, j) in enumerate(pairs):
            statistic = float(np.vdot(self._kernels(i, ())[0], self._kernels(j, ())[0]))
            mean, variance = trace[i] * trace[j] / n, 2.0 * square[i] * square[j] / n**2
            minus_log[index] = gamma_minus_log_p(statistic, mean, variance)
        return minus_log

    def _of_kernels(self, i: int, j: int, given: tuple[int, ...]) -> float:
        (plain_i, joint_i), (plain_j, joint_j) = self._kernels(i, given), self._kernels(j, given)
        weights = joint_i * plain_j
        weights += plain_i * joint_j
        return gamma_minus_log_p(
            float(weights.sum()), float(np.trace(weights)), 2.0 * float(np.vdot(weights, weights))
        )

    def _residuals(self, node: int, given: tuple[int, ...]) -> Values:
        """Return the residuals of the column, or of its features, shape (n, k)."""

        def make() -> Values:
            targets = self.values[:, [node]]
            of_set = self._regression(given)
            self._check_determined(of_set, node, given)
            if self.kind == "fast-kci":
                targets = kernel_features(targets, COLUMN_WIDTH, COLUMN_RANK)
            return of_set.residuals(targets)

        return self._cache.get((node, given), make)

    def _kernels(self, node: int, given: tuple[int, ...]) -> NDArray[np.float64]:
        """Return the residual kernels of the column, and of it with half the set."""

        def make() -> NDArray[np.float64]:
            of_set = self._regression(given)
            self._check_determined(of_set, node, given)
            column, width, n = self.values[:, [node]], self._width(given), len(self.values)
            features = self._cache.get(
                ("features", node, width), lambda: kernel_features(column, width, n)
            )
            left = of_set.residuals(features)
            if not given:
                return (left @ left.T)[None]
            half = self._cache.get(
                ("half", given), lambda: gaussian_kernel(0.5 * self._set(given), width)
            )
            kernels = np.empty((2, n, n))
            np.matmul(left, left.T, out=kernels[0])
            np.matmul(features, features.T, out=kernels[1])
            kernels[1] *= half
            kernels[1] = of_set.residual_kernel(kernels[1])
            return kernels

        return self._cache.get((node, given), make)

    def _regression(self, given: tuple[int, ...]) -> Regression:
        columns = self._set(given)
        if self.kind == "kci":
            width, rank = self._width(given), len(columns)
        else:
            width, rank = np.sqrt(len(given)), SET_RANK

        def make() -> Regression:
            if are_dependent(columns):
                check_defined(np.array(given), self.data)
            return regression(columns, width, rank)

        return self._cache.get(given, make)

    def _width(self, given: tuple[int, ...]) -> float:
        """Return the width of the KCI test's kernels, as the authors' code has it."""
        n = len(self.values)
        if given:
            return (1.2 if n < 200 else 0.7 if n < 1200 else 0.4) * float(np.sqrt(len(given)))
        return 0.8 if n < 200 else 0.5 if n < 1200 else 0.3

    def _set(self, given: tuple[int, ...]) -> Values:
        columns = self.values[:, list(given)]
        return columns[:, np.lexsort(columns[:2])]

    def _check_determined(self, of_set: Regression, node: int, given: tuple[int, ...]) -> None:
        column = self.values[:, node]
        along = of_set.basis[:, : of_set.n_linear].T @ column
        if column @ column - along @ along <= PIVOT * len(column):
            check_defined(np.array([*given, node]), self.data)


def nonlinear_independence(kind: NonlinearTest, data: Dataset) -> NonlinearIndependence:
    """Return the test of the observational rows.

    Raises
    ------
    NotApplicable
        If no condition is known to be observational, a column is discrete or constant, or
        the rows are too few, or too many for the memory.

    Examples
    --------
    >>> nonlinear_independence("kci", Dataset.from_values(np.random.rand(9000, 2)))
    Traceback (most recent call last):
    ...
    causalassay.contracts.NotApplicable: the test 'kci' of 9000 rows needs 5.2 GB for matrices...
    """
    values = observational_values(data)
    for name in data.discrete_columns:
        raise NotApplicable(
            f"column {name!r} is discrete, and the test {kind!r} is for continuous columns; "
            "leave `test` out: where all columns are discrete PC has the G test"
        )
    check_varied_columns(data, values)
    n = len(values)
    if n < LEAST_ROWS:
        raise NotApplicable(f"the test {kind!r} needs at least {LEAST_ROWS} rows, got {n}")
    _check_memory(kind, n)
    columns = [(column - column.mean()) / column.std(ddof=1) for column in values.T.copy()]
    return NonlinearIndependence(np.stack(columns, axis=1), kind, data)


def _check_memory(kind: NonlinearTest, n: int) -> None:
    row = 8 * 4 * SET_RANK
    needed = 8 * MATRICES * n**2 if kind == "kci" else row * n
    if needed <= MOST_BYTES:
        return
    most = isqrt(MOST_BYTES // (8 * MATRICES)) if kind == "kci" else MOST_BYTES // row
    way_out = (
        "take test = 'fast-kci' or 'gcm', whose memory grows with the rows only, or"
        if kind == "kci"
        else "take"
    )
    raise NotApplicable(
        f"the test {kind!r} of {n} rows needs {ceil(needed / 1e8) / 10} GB for matrices; "
        f"{way_out} at most {most} rows"
    )
