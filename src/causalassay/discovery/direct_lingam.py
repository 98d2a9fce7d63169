"""DirectLiNGAM: a causal order from non-Gaussian noise, then sparse regressions along it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Values, Vector, Weights
from causalassay.common.kernels import kernel
from causalassay.common.spelling import RefusedValue, check_choice
from causalassay.contracts import Estimate, Kind, NotApplicable, Reads
from causalassay.data.dataset import Dataset
from causalassay.discovery.regression.cross_validated_lasso import N_FOLDS, sort_regress_held_out
from causalassay.discovery.regression.lasso_along_order import PATH_END, sort_regress
from causalassay.discovery.statistics import determined_values
from causalassay.graphs.orders import Indices

# The order in which variables are least explained by others: pairwise likelihood ratios.

_BLOCK = 512
_LOG2_E = 1.4426950408889634
# Adding 1.5·2^52 rounds to an integer, and leaves it in the low bits.
_ROUNDER = 6755399441055744.0
_LN2_HIGH, _LN2_LOW = 6.93145751953125e-1, 1.42860682030941723212e-6


@kernel
def exogenous_order(columns: Values) -> tuple[Indices, Vector, int]:
    """Return the order of DirectLiNGAM, what each choice costs, and how many pairs were compared.

    Again and again the variable that looks most exogenous among those left is
    put next in the order and its linear effect taken out of the others.

    Parameters
    ----------
    columns : ndarray, shape (d, n)
        One variable a row, of mean 0 and variance 1 (ddof 0), none a linear
        combination of others. They are overwritten by the residuals.

    Returns
    -------
    order : ndarray of int, shape (d,)
    penalty : ndarray, shape (d,)
        For each variable when it was chosen, the sum over the remaining ones of
        min(0, D)², with D the difference of log-likelihoods in favour of the
        chosen one as the cause; 0 if no comparison spoke against it.
    n_pairs : int
        How many of the d(d - 1)(d + 1)/6 possible comparisons were made.

    Notes
    -----
    Exact although few pairs are compared: a penalty only grows, so the search
    goes on with the variable whose penalty is least so far, and ends when that
    one has met all others.

    References
    ----------
    Shimizu et al. (2011), JMLR 12:1225-1248, algorithm 1; Hyvärinen, Smith
    (2013), JMLR 14:111-152, for the measure.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> cause = rng.exponential(size=500) - 1
    >>> columns = np.stack([cause + rng.exponential(size=500) - 1, cause])
    >>> columns -= columns.mean(axis=1, keepdims=True)
    >>> order, penalty, n_pairs = exogenous_order(columns / columns.std(axis=1, keepdims=True))
    >>> order, penalty, n_pairs
    (array([1, 0]), array([0., 0.]), 1)
    """
    d = len(columns)
    left, penalty, n_pairs = np.arange(d), np.zeros(d), 0
    for position in range(d):
        # The nodes chosen so far stand before `position`; in the end `left` is the order.
        winner, penalty[position], n_met = _most_exogenous(columns, left[position:])
        n_pairs += n_met
        chosen = left[position + winner]
        for k in range(position + winner, position, -1):
            left[k] = left[k - 1]
        left[position] = chosen
        for k in range(position + 1, d):
            _take_out(columns[left[k]], columns[chosen])
    return left, penalty, n_pairs


@kernel
def _most_exogenous(columns: Values, nodes: Indices) -> tuple[int, float, int]:
    """Return the position in `nodes` of the least penalty, that penalty, and the pairs compared."""
    m = len(nodes)
    penalty, n_pairs = np.zeros(m), 0
    met, n_met = np.zeros((m, m), np.bool_), np.zeros(m, np.int64)
    own = np.empty(m)
    for k in range(m):
        met[k, k] = True
        own[k] = _negentropy(columns[nodes[k]], columns[nodes[k]], 0.0, 1.0)
    while True:
        first = int(np.argmin(penalty))
        if n_met[first] == m - 1:
            return first, penalty[first], n_pairs
        second, least = -1, np.inf
        for k in range(m):
            if not met[first, k] and penalty[k] < least:
                second, least = k, penalty[k]
        a, b = columns[nodes[first]], columns[nodes[second]]
        favour = own[first] - own[second] + _residual_difference(a, b)
        penalty[first if favour < 0 else second] += favour**2
        met[first, second] = met[second, first] = True
        n_met[first] += 1
        n_met[second] += 1
        n_pairs += 1


# The kernels below may reorder sums, so their bits depend on how they are compiled. A process
# that compiles a kernel calls its callees as compiled alone; one that loads it from the cache,
# as compiled within it. Inlined by force, both run the same code.


@kernel(forceinline=True, fastmath={"reassoc", "contract"})
def _residual_difference(a: Vector, b: Vector) -> float:
    """Return the negentropy of b's residual on a, less that of a's residual on b."""
    apart, together = 0.0, 0.0
    for k in range(len(a)):
        apart += (a[k] - b[k]) ** 2
        together += (a[k] + b[k]) ** 2
    # Correlation r = (together - apart)/4n, and 1 - r² = apart·together/4n² without cancellation.
    slope = (together - apart) / (4 * len(a))
    scale = 2 * len(a) / math.sqrt(apart * together)
    return _negentropy(b, a, slope, scale) - _negentropy(a, b, slope, scale)


@kernel(forceinline=True, fastmath={"reassoc", "contract"})
def _negentropy(a: Vector, b: Vector, slope: float, scale: float) -> float:
    """Return the approximate negentropy of (a - slope·b)·scale, which has mean 0, variance 1.

    log cosh u = |u| + log(1 + exp(-2|u|)) - log 2, with one logarithm for the
    product over a block, which is at most 2^512.
    """
    size, logarithm, odd = 0.0, 0.0, 0.0
    for start in range(0, len(a), _BLOCK):
        x, y = a[start : start + _BLOCK], b[start : start + _BLOCK]
        product = 1.0
        for k in range(len(x)):
            u = (x[k] - slope * y[k]) * scale
            size += abs(u)
            product *= 1.0 + _exp(-2.0 * abs(u))
            odd += u * _exp(-0.5 * u * u)
        logarithm += math.log(product)
    even = (size + logarithm) / len(a) - math.log(2.0) - 0.37457
    return 79.047 * even**2 + 7.4129 * (odd / len(a)) ** 2


@kernel(forceinline=True, fastmath={"contract"})
def _exp(x: float) -> float:
    """Return exp(x) of x <= 0 to one unit in the last place, at least exp(-700).

    The library's does not vectorise: this makes the whole order 4.6 times faster (d = 100).
    x = k·log 2 + r, with exp(r) by its series to r^13, |r| <= 0.35.
    """
    x = max(x, -700.0)
    rounded = x * _LOG2_E + _ROUNDER
    k = rounded - _ROUNDER
    r = x - k * _LN2_HIGH - k * _LN2_LOW
    series = 1.0 / 6227020800.0
    series = series * r + 1.0 / 479001600.0
    series = series * r + 1.0 / 39916800.0
    series = series * r + 1.0 / 3628800.0
    series = series * r + 1.0 / 362880.0
    series = series * r + 1.0 / 40320.0
    series = series * r + 1.0 / 5040.0
    series = series * r + 1.0 / 720.0
    series = series * r + 1.0 / 120.0
    series = series * r + 1.0 / 24.0
    series = series * r + 1.0 / 6.0
    series = series * r + 0.5
    series = series * r + 1.0
    series = series * r + 1.0
    power = (np.float64(rounded).view(np.int64) + np.int64(1023)) << np.int64(52)
    return series * np.int64(power).view(np.float64)


@kernel(forceinline=True, fastmath={"reassoc", "contract"})
def _take_out(a: Vector, b: Vector) -> None:
    """Replace a by its residual on b, of mean 0 and variance 1."""
    slope = 0.0
    for k in range(len(a)):
        slope += a[k] * b[k]
    slope /= len(a)
    total = 0.0
    for k in range(len(a)):
        a[k] -= slope * b[k]
        total += a[k]
    mean, square = total / len(a), 0.0
    for k in range(len(a)):
        a[k] -= mean
        square += a[k] ** 2
    scale = math.sqrt(len(a) / square)
    for k in range(len(a)):
        a[k] *= scale


Pruning = Literal["bic", "cross-validated"]


@dataclass(frozen=True)
class DirectLiNGAM:
    """Order the variables by pairwise likelihood ratios, then regress each on those before it.

    Again and again the variable that looks most exogenous next to those left
    is put next in the order, and its linear effect taken out of the others.

    Parameters
    ----------
    pruning : {"bic", "cross-validated"}
        How the adaptive lasso along the order chooses its penalty: by BIC, or
        by the mean squared error on five held-out folds, which keeps more edges.
    path_end : float
        The penalty at which each lasso path ends, relative to the target's
        variance; the default is scikit-learn's.

    Notes
    -----
    The likelihood ratio of i→j against j→i is that of entropies approximated
    by the means of log cosh u and u·exp(-u²/2), as in lingam. `info` has the
    penalty of each variable in the order when it was chosen (0 if no
    comparison spoke against it) and the number of pairs compared, which an
    exact best-first search keeps to a fraction of all.

    Variables are standardised before the regressions, so that units do not
    matter, as lingam does since 1.8.2: the edges are the same. The weights are
    the lasso's own coefficients, as in lingam before 1.8.2, which Reisach et
    al. (2021) used; later versions return least squares on those edges.

    Departs from the paper of 2011, which measures independence by kernels: the
    pairwise measure of 2013 is lingam's default.

    References
    ----------
    Shimizu et al. (2011), JMLR 12:1225-1248, algorithm 1; Hyvärinen, Smith
    (2013), JMLR 14:111-152; Reisach, Seiler, Weichwald (2021),
    appendix D.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> values = rng.exponential(size=(2000, 3))
    >>> values[:, 0] += 2 * values[:, 2]
    >>> values[:, 1] -= values[:, 0]
    >>> estimate = DirectLiNGAM().discover(Dataset.from_values(values), rng)
    >>> estimate.order
    (2, 0, 1)
    >>> estimate.weights.round(1)
    array([[ 0., -1.,  0.],
           [ 0.,  0.,  0.],
           [ 2.,  0.,  0.]])
    """

    pruning: Pruning = "bic"
    path_end: float = PATH_END

    name: ClassVar[str] = "direct-lingam"
    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "observational rows"
    output: ClassVar[Kind] = "dag"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = "linear, at most one noise Gaussian, no hidden common cause"
    reference: ClassVar[str] = (
        "Shimizu et al. (2011), JMLR 12:1225-1248; Hyvärinen, Smith (2013), JMLR 14:111-152"
    )

    def __post_init__(self) -> None:
        check_choice("pruning", self.pruning, get_args(Pruning))
        if not 0 <= self.path_end < np.inf:
            raise RefusedValue("path_end", f"expected a finite number >= 0, got {self.path_end}")

    def discover(self, data: Dataset, rng: Generator) -> Estimate:  # noqa: ARG002
        """Estimate a DAG from the observational values."""
        values = determined_values(data)
        if self.pruning == "cross-validated":
            _check_folds(values)
        sd = values.std(axis=0)
        standardised = (values - values.mean(axis=0)) / sd
        order, penalty, n_pairs = exogenous_order(standardised.T.copy())
        weights = self._regress(standardised, order) * sd / sd[:, None]
        info = {"penalties": tuple(penalty.tolist()), "pairs_compared": n_pairs}
        return Estimate(weights != 0, "dag", weights, tuple(order.tolist()), info)

    def _regress(self, standardised: Values, order: Indices) -> Weights:
        if self.pruning == "bic":
            return sort_regress(standardised, order, self.path_end)
        return sort_regress_held_out(standardised, order, self.path_end)


def _check_folds(values: Values) -> None:
    n_samples, n_nodes = values.shape
    kept = n_samples - -(-n_samples // N_FOLDS)
    if kept <= n_nodes or n_samples < N_FOLDS:
        raise NotApplicable(
            f"of {n_samples} rows {N_FOLDS} folds leave {kept} for regressions with {n_nodes} "
            "columns; take more rows, or pruning='bic'"
        )
