"""The order in which variables are least explained by others: pairwise likelihood ratios."""

from __future__ import annotations

import math

import numpy as np

from causalassay.common.arrays import Values, Vector
from causalassay.common.kernels import kernel
from causalassay.graphs.orders import Indices

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
        Of each variable when it was chosen: the sum over the others left of
        min(0, D)², with D the difference of log-likelihoods in favour of the
        chosen one as the cause; 0 if no comparison spoke against it.
    n_pairs : int
        Of the d(d - 1)(d + 1)/6 comparisons that there are, those it took.

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
