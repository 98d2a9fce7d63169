"""KCI, fast KCI and GCM: slow twins by dense matrices, level, power, refusals."""

import numpy as np
import pytest
from scipy.stats import chi2, gamma, norm

from causalassay.contracts import NotApplicable
from causalassay.data import Continuous, Dataset, Discrete, Regime
from causalassay.discovery import nonlinear_independence as room
from causalassay.discovery.nonlinear_independence import nonlinear_independence

KINDS = ("kci", "fast-kci", "gcm")


def prepared(kind, values):
    return nonlinear_independence(kind, Dataset.from_values(values))


def p_value(kind, values):
    """Of the first two columns given the others."""
    minus_log_p = prepared(kind, values).minus_log_p([(0, 1)], tuple(range(2, values.shape[1])))
    return float(np.exp(-minus_log_p[0]))


def draw(rng, n, size, *, dependent, curved=True):
    """x and y, both functions of the other columns plus noise; y of x, too, if dependent."""
    given, noise = rng.normal(size=(n, size)), rng.normal(size=(n, 2))
    bend = np.sin if curved else np.asarray
    x = bend(1.5 * given).sum(axis=1) + noise[:, 0]
    y = bend(1.5 * given).sum(axis=1) + noise[:, 1]
    if dependent:
        y += np.cos(1.5 * x) * 1.5 if curved else 0.4 * x
    return np.column_stack([x, y, given])


# Slow twins: n × n matrices throughout, inverses, no features and no shared work.


def dense_kernel(columns, width):
    n = len(columns)
    kernel = np.empty((n, n))
    for a in range(n):
        for b in range(n):
            kernel[a, b] = np.exp(-np.sum((columns[a] - columns[b]) ** 2) / (2 * width**2))
    return kernel


def dense_smoothers(columns, kernel):
    """For each ridge I - R: intercept and slopes first, then the ridge regression on the kernel."""
    n = len(columns)
    design = np.column_stack([np.ones(n), columns])
    off_line = np.eye(n) - design @ np.linalg.pinv(design)
    inner = off_line @ kernel @ off_line
    return [
        np.eye(n) - off_line + inner @ np.linalg.inv(inner + ridge * np.eye(n))
        for ridge in room.RIDGES * n
    ]


def dense_choice(smoothers, of_targets):
    """The residual maker of least GCV for targets with these inner products."""
    n = len(of_targets)
    makers = [np.eye(n) - smoother for smoother in smoothers if np.trace(smoother) <= n / 2]
    scores = [np.trace(r @ of_targets @ r) / (np.trace(r) / n) ** 2 for r in makers]
    return makers[int(np.argmin(scores))]


def dense_kci(values):
    n, size = len(values), values.shape[1] - 2
    scaled = (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
    x, y, z = scaled[:, [0]], scaled[:, [1]], scaled[:, 2:]
    if not size:
        width = 0.8 if n < 200 else 0.5
        centre = np.eye(n) - 1 / n
        one, other = (centre @ dense_kernel(column, width) @ centre for column in (x, y))
        mean = np.trace(one) * np.trace(other) / n
        variance = 2 * np.trace(one @ one) * np.trace(other @ other) / n**2
        return gamma.sf(np.trace(one @ other), mean**2 / variance, scale=variance / mean)
    width = (1.2 if n < 200 else 0.7) * np.sqrt(size)
    smoothers = dense_smoothers(z, dense_kernel(z, width))

    def residual(columns):
        kernel = dense_kernel(columns, width)
        maker = dense_choice(smoothers, kernel)
        return maker @ kernel @ maker

    weights = residual(np.hstack([x, z / 2])) * residual(y)
    weights += residual(np.hstack([y, z / 2])) * residual(x)
    mean, variance = np.trace(weights), 2 * np.trace(weights @ weights)
    return gamma.sf(weights.sum(), mean**2 / variance, scale=variance / mean)


def dense_gcm(values):
    scaled = (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
    x, y, z = scaled[:, 0], scaled[:, 1], scaled[:, 2:]
    if z.shape[1]:
        smoothers = dense_smoothers(z, dense_kernel(z, np.sqrt(z.shape[1])))
        x, y = (dense_choice(smoothers, np.outer(t, t)) @ t for t in (x, y))
    product = x * y
    return 2 * norm.sf(abs(np.sqrt(len(x)) * product.mean() / product.std()))


def dense_fast_kci(values):
    """The weights as a matrix of rows, which is larger than that of products of features."""
    scaled = (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
    x, y, z = scaled[:, [0]], scaled[:, [1]], scaled[:, 2:]
    n, size = len(x), z.shape[1]
    one, other = (room.kernel_features(t, room.COLUMN_WIDTH, room.COLUMN_RANK) for t in (x, y))
    if size:
        smoothers = dense_smoothers(z, dense_kernel(z, np.sqrt(size)))
        one, other = (dense_choice(smoothers, t @ t.T) @ t for t in (one, other))
    else:
        one, other = one - one.mean(axis=0), other - other.mean(axis=0)
    weights = (one @ one.T) * (other @ other.T)
    mean, variance = np.trace(weights), 2 * np.trace(weights @ weights)
    assert weights.shape == (n, n)
    return gamma.sf(weights.sum(), mean**2 / variance, scale=variance / mean)


TWINS = {"kci": dense_kci, "fast-kci": dense_fast_kci, "gcm": dense_gcm}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [0, 1, 2])
@pytest.mark.parametrize("dependent", [False, True])
def test_p_value_is_that_of_the_slow_twin(kind, size, dependent):
    values = draw(np.random.default_rng([size, dependent]), 90, size, dependent=dependent)
    expected, got = TWINS[kind](values), p_value(kind, values)
    assert np.isclose(np.log(expected), np.log(got), rtol=0.02, atol=0.01)


# Level and power. Each test of a level errs with the probability that its docstring states.

N_SETS = 200


def rejections(kind, size, *, dependent, curved, n=150, n_sets=N_SETS):
    rngs = [np.random.default_rng([size, dependent, seed]) for seed in range(n_sets)]
    values = [draw(rng, n, size, dependent=dependent, curved=curved) for rng in rngs]
    return sum(p_value(kind, one) <= 0.05 for one in values)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("size", "curved"), [(0, True), (1, True), (1, False), (2, True)])
def test_level_is_near_5_percent(kind, size, curved):
    """At most 20 of 200 at 5 %: at that level more have probability 0.001; seeds are fixed."""
    assert rejections(kind, size, dependent=False, curved=curved) <= 20


@pytest.mark.parametrize(("kind", "least"), [("kci", 150), ("fast-kci", 150)])
@pytest.mark.parametrize("size", [0, 1])
def test_curves_are_seen(kind, least, size):
    """y depends on cos(x): with 150 rows, 3 of 4 data sets at least; seeds are fixed."""
    assert rejections(kind, size, dependent=True, curved=True) >= least


@pytest.mark.parametrize("kind", KINDS)
def test_lines_are_seen(kind):
    """y depends on 0.4 x: Fisher's z rejects on 99 % of such data."""
    assert rejections(kind, 1, dependent=True, curved=False) >= 150


def test_gcm_does_not_see_what_leaves_no_covariance():
    """x² of a symmetric x: the reason for the kernel tests, stated in docs/nonlinear.md."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    values = np.column_stack([x, x**2 + rng.normal(size=500)])
    assert p_value("gcm", values) > 0.01
    assert p_value("kci", values) < 1e-6
    assert p_value("fast-kci", values) < 1e-6


# What does not matter, and what is kept.


@pytest.mark.parametrize("kind", KINDS)
def test_order_of_columns_units_and_signs_do_not_matter(kind):
    values = draw(np.random.default_rng(0), 80, 3, dependent=True)
    expected = p_value(kind, values)
    for order in ([1, 0, 2, 3, 4], [0, 1, 4, 2, 3], [1, 0, 3, 4, 2]):
        assert np.isclose(expected, p_value(kind, values[:, order]), rtol=1e-6)
    assert np.isclose(expected, p_value(kind, -8 * values + 1), rtol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_several_pairs_are_tested_as_each_alone(kind):
    values = draw(np.random.default_rng(0), 60, 3, dependent=True)
    pairs = [(0, 1), (0, 2), (1, 3), (3, 2)]
    expected = [prepared(kind, values).minus_log_p([pair], (4,))[0] for pair in pairs]
    np.testing.assert_allclose(expected, prepared(kind, values).minus_log_p(pairs, (4,)))


@pytest.mark.parametrize("kind", KINDS)
def test_memory_of_what_is_kept_is_bounded_and_changes_nothing(kind, monkeypatch):
    values = draw(np.random.default_rng(0), 60, 3, dependent=True)
    pairs = [(i, j) for i in range(4) for j in range(i)]
    expected = prepared(kind, values).minus_log_p(pairs, (4,))
    monkeypatch.setattr(room, "MOST_CACHED", 3 * 2 * 60 * 60 * 8)
    test = prepared(kind, values)
    np.testing.assert_allclose(expected, test.minus_log_p(pairs, (4,)))
    test.minus_log_p(pairs, ())
    cache = test._cache
    assert cache._size == sum(value.nbytes for value in cache._values.values()) <= room.MOST_CACHED


def test_tiny_p_values_do_not_underflow():
    x = np.random.default_rng(0).normal(size=1000)
    values = np.column_stack([x, x + 1e-3 * np.random.default_rng(1).normal(size=1000)])
    for kind in KINDS:
        minus_log_p = prepared(kind, values).minus_log_p([(0, 1)], ())[0]
        assert 50 < minus_log_p < np.inf


def test_gamma_law_is_chi_square_where_it_is_one():
    got = room.gamma_minus_log_p(7.0, 3.0, 6.0)
    assert np.isclose(-np.log(chi2.sf(7.0, 3)), got)
    assert room.gamma_minus_log_p(0.0, 0.0, 0.0) == 0.0


# Refusals.


@pytest.mark.parametrize("kind", KINDS)
def test_discrete_and_constant_columns_are_refused(kind):
    rows = Regime("all", np.column_stack([np.arange(40.0) % 2, np.arange(40.0)]))
    two = Discrete((0, 1))
    mixed = Dataset(("a", "b"), (rows,), "all", (two, Continuous()))
    with pytest.raises(NotApplicable, match=f"column 'a' is discrete, and the test '{kind}'"):
        nonlinear_independence(kind, mixed)
    steps = np.arange(40.0)
    still = Regime("still", np.column_stack([steps, np.ones(40)]))
    moved = Regime("moved", np.column_stack([steps, steps]), (1,))
    constant = Dataset(("x0", "x1"), (still, moved), "still")
    with pytest.raises(NotApplicable, match="'x1' is constant"):
        nonlinear_independence(kind, constant)


@pytest.mark.parametrize("kind", KINDS)
def test_few_rows_are_refused(kind):
    with pytest.raises(NotApplicable, match="at least 30 rows, got 29"):
        prepared(kind, np.random.default_rng(0).normal(size=(29, 2)))


@pytest.mark.parametrize("kind", KINDS)
def test_memory_is_stated_where_it_is_too_much(kind, monkeypatch):
    monkeypatch.setattr(room, "MOST_BYTES", 5000)
    monkeypatch.setattr(room, "SET_RANK", 10)
    with pytest.raises(NotApplicable, match=r"needs 0.1 GB for matrices; .*at most \d+ rows") as no:
        prepared(kind, np.random.default_rng(0).normal(size=(40, 2)))
    assert ("take test = 'fast-kci' or 'gcm'" in str(no.value)) == (kind == "kci")


@pytest.mark.parametrize("kind", KINDS)
def test_dependent_columns_are_named(kind):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 50))
    test = prepared(kind, np.column_stack([a, 2 * a + 1, b]))
    with pytest.raises(NotApplicable, match="'x0', 'x1' are linearly dependent"):
        test.minus_log_p([(1, 2)], (0,))
    with pytest.raises(NotApplicable, match="'x0', 'x1' are linearly dependent"):
        prepared(kind, np.column_stack([a, 2 * a + 1, b, a + b])).minus_log_p([(2, 3)], (0, 1))
