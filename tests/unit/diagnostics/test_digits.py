"""Ties by the digits of a file: margins of rounded columns, and statistics merged by them."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalassay.diagnostics import aligned_share, pair_weights, var_sortability
from causalassay.diagnostics.explained_variance import digit_margin, merge_ties, variances
from causalassay.graphs import erdos_renyi
from causalassay.models import SCM


def printed(values, template):
    return np.array([[float(template % value) for value in row] for row in values])


def raw_values(seed, n_nodes=10, n_samples=200):
    rng = np.random.default_rng(seed)
    graph = erdos_renyi(n_nodes, 2, rng)
    return SCM().draw(graph, rng).sample(n_samples, rng), graph


def slow_margins(values):
    """Return the margins of variance and mean, with every value as a decimal number."""
    margins = []
    for column in values.T.tolist():
        numbers = [Decimal(repr(value)).normalize() for value in column]
        significant = max(len(number.as_tuple().digits) for number in numbers)
        decimals = max(-number.as_tuple().exponent for number in numbers)
        if significant >= 15 or decimals <= 0:
            margins.append((0.0, 0.0))
            continue
        mean = Fraction(sum(map(Fraction, numbers)), len(numbers))
        places = []
        for number in numbers:
            by_digits = Decimal(0)
            if number:
                by_digits = Decimal(1).scaleb(number.adjusted() + 1 - significant)
            places.append(Fraction(max(by_digits, Decimal(1).scaleb(-decimals))))
        spread = sum(abs(Fraction(n) - mean) * q for n, q in zip(numbers, places, strict=True))
        squares = sum(q * q for q in places)
        n = len(numbers)
        margins.append((float(spread / n + squares / n / 4), float(sum(places) / n / 2)))
    return tuple(np.array(margins).T)


@pytest.mark.parametrize("template", ["%.6f", "%.6g", "%.3f", "%.3g", "%.2e", "%.10f", "%.17g"])
@pytest.mark.parametrize("scale", [1.0, 1e-2, 3e5])
def test_margins_equal_those_of_decimal_numbers(template, scale):
    values = printed(scale * raw_values(0)[0], template)
    for fast, slow in zip(digit_margin(values), slow_margins(values), strict=True):
        np.testing.assert_allclose(fast, slow, rtol=1e-9, atol=0)


@given(
    st.lists(st.decimals(-999, 999, places=2), min_size=5, max_size=40),
    st.sampled_from(["%.1f", "%.2f", "%.3g"]),
)
def test_margins_of_any_numbers_equal_those_of_decimal_numbers(numbers, template):
    values = printed([[float(number)] for number in numbers], template)
    for fast, slow in zip(digit_margin(values), slow_margins(values), strict=True):
        np.testing.assert_allclose(fast, slow, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("template", ["%.6f", "%.6g", "%.3f", "%.3g", "%.8e", "%.1f"])
@pytest.mark.parametrize("n_samples", [30, 1000])
def test_printed_standardised_data_tie_throughout(template, ddof, n_samples):
    for seed in range(3):
        values, _ = raw_values(seed, n_samples=n_samples)
        values = (values - values.mean(axis=0)) / values.std(axis=0, ddof=ddof)
        values = printed(values, template)
        margin = digit_margin(values)
        assert len(set(merge_ties(variances(values), margin.variance).tolist())) == 1
        assert len(set(merge_ties(values.mean(axis=0), margin.mean).tolist())) == 1
        if template != "%.8e":  # without margins rounding would decide
            assert np.ptp(variances(values)) > 1e-9


@pytest.mark.parametrize("template", ["%.6f", "%.3f", "%.3g", "%.2f"])
def test_margins_bound_what_rounding_did(template):
    for seed in range(5):
        values, _ = raw_values(seed, n_samples=50)
        rounded = printed(values, template)
        margin = digit_margin(rounded)
        assert (np.abs(variances(rounded) - variances(values)) <= margin.variance).all()
        assert (np.abs(rounded.mean(axis=0) - values.mean(axis=0)) <= margin.mean).all()


@pytest.mark.parametrize("template", ["%.3f", "%.6g"])
def test_printed_raw_data_keep_their_order(template):
    for seed in range(5):
        values, graph = raw_values(seed)
        exact = var_sortability(values, graph)
        values = printed(values, template)
        merged = merge_ties(variances(values), digit_margin(values).variance)
        assert len(set(merged.tolist())) == len(merged)
        assert aligned_share(pair_weights(graph), merged) == exact


def test_three_significant_digits_leave_most_raw_variances_apart():
    # A margin of about 0.4 % of each variance; 20 seeds of 10 columns.
    n_values = 0
    for seed in range(20):
        values = printed(raw_values(seed)[0], "%.3g")
        n_values += len(set(merge_ties(variances(values), digit_margin(values).variance).tolist()))
    assert n_values >= 180


def test_whole_numbers_and_full_precision_are_exact():
    rng = np.random.default_rng(0)
    values = np.column_stack(
        [rng.integers(0, 9, 100), 1000 * rng.integers(0, 9, 100), rng.normal(size=100)]
    )
    assert not np.concatenate(digit_margin(values)).any()
    assert not np.concatenate(digit_margin(values[:1])).any()


def test_one_value_in_full_precision_makes_its_column_exact():
    # It is in none of the rows whose digits are read first.
    values = np.round(np.random.default_rng(0).normal(size=(1000, 2)), 3)
    values[501, 0] = 1 / 3
    assert (digit_margin(values).variance > 0).tolist() == [False, True]


def test_a_value_far_below_the_others_does_not_matter():
    values = printed(np.random.default_rng(0).normal(size=(300, 1)), "%.6g")
    before = digit_margin(values)
    values[7] = 1.25e-40
    after = digit_margin(values)
    assert after.variance == pytest.approx(before.variance, rel=0.05)


def test_merging_with_no_margin_follows_the_relative_tolerance():
    statistic = np.array([1.0, 1.0 + 5e-10, 1.0 + 1.2e-9, 1.1, -2.0, 0.0, 0.0])
    merged = merge_ties(statistic, np.zeros(7))
    assert merged.tolist() == [1.0, 1.0, 1.0, 1.1, -2.0, 0.0, 0.0]


def slow_merge(statistic, margin):
    group = list(range(len(statistic)))
    for i in range(len(statistic)):
        for j in range(len(statistic)):
            if abs(statistic[i] - statistic[j]) <= margin[i] + margin[j]:
                group = [group[i] if g == group[j] else g for g in group]
    return [min(s for s, g in zip(statistic, group, strict=True) if g == mine) for mine in group]


@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(0, 6)), min_size=1, max_size=12))
def test_merging_equals_the_components_of_overlapping_intervals(pairs):
    statistic, margin = np.array(pairs, dtype=float).T
    assert merge_ties(statistic, margin).tolist() == slow_merge(statistic, margin)
