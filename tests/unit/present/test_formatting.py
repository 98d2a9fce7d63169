"""Numbers, intervals, p-values and lists as texts: what holds for all of them."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalassay.present.formatting import (
    FORMATS,
    SMALLEST_P,
    UNDEFINED,
    Interval,
    PValue,
    Spread,
    all_of,
    as_sentence,
    counted,
    digits,
    few,
    filled,
    fixed,
    formatted,
    in_words,
    interval,
    interval_parts,
    p_parts,
    p_value,
    percent,
    share,
    shortened,
    signed,
    size,
)

numbers = st.floats(allow_nan=False, allow_infinity=False)
usual = st.floats(-1e6, 1e6)
shares = st.floats(0, 1)
NUMBER_FORMATS = sorted(set(FORMATS) - {"text"})


@given(numbers, st.integers(0, 6))
def test_a_number_is_written_as_python_does_but_never_minus_nothing(value, decimals):
    text = fixed(value, decimals)
    assert float(text) == float(f"{value:.{decimals}f}")
    assert not re.fullmatch(r"-0(\.0*)?", text)


@given(usual, st.integers(0, 3))
def test_numbers_of_numpy_are_written_as_those_of_python(value, decimals):
    assert fixed(value, decimals) == fixed(np.float64(value), decimals)


@given(usual)
def test_three_digits_or_so(value):
    text = digits(value)
    assert abs(float(text) - value) <= max(0.5, 0.005) if abs(value) >= 100 else 0.051
    assert len(text.lstrip("-").replace(".", "")) <= max(4, len(str(int(abs(value)) + 1)))


@given(usual)
def test_a_difference_has_its_sign(value):
    text = signed(value)
    assert text.startswith("+") == (value >= 0)
    assert "-0.00" != text


@given(shares, st.booleans())
def test_a_p_value_is_never_written_as_nothing(value, is_bound):
    text = p_value(value, is_bound=is_bound)
    assert "0.000" not in text
    number = float(text.removeprefix("below "))
    below, written = p_parts(PValue(value, is_bound))
    assert (below, float(written)) == (text.startswith("below "), number)
    if below:
        assert value <= number
        assert is_bound or value < SMALLEST_P
    else:
        assert number == pytest.approx(value, abs=0.00051)


@given(st.tuples(shares, shares, shares).map(sorted), st.sampled_from(NUMBER_FORMATS))
def test_an_interval_shows_its_number_and_both_limits(limits, how):
    low, value, high = limits
    show = FORMATS[how]
    number, brackets = interval_parts(Interval(value, low, high), show)
    plain = digits if how == "signed" else show
    assert show(value) == number
    assert f"[{plain(low)}, {plain(high)}]" == brackets
    assert f"{number} {brackets}" == interval(Interval(value, low, high), show)
    assert formatted(Interval(value, low, high), how) == f"{number} {brackets}"


@given(usual, st.sampled_from(["value", "low", "high"]))
def test_an_interval_that_is_not_known_is_left_out(value, unknown):
    parts = dict.fromkeys(("value", "low", "high"), value) | {unknown: math.nan}
    shown = formatted(Interval(**parts), "fixed")
    assert (UNDEFINED if unknown == "value" else fixed(value)) == shown


@given(numbers, st.integers(0, 4))
def test_an_interval_can_say_its_own_decimals(value, decimals):
    shown = formatted(Interval(value, value, value, decimals), "count")
    assert shown.startswith(f"{fixed(value, decimals)} [")


@pytest.mark.parametrize("how", sorted(FORMATS))
def test_what_is_undefined_is_a_dash_in_every_format(how):
    assert UNDEFINED == formatted(math.nan, how)
    assert UNDEFINED == formatted(np.float64("nan"), how)
    assert UNDEFINED == formatted(Interval(math.nan, 0, 1), how)
    assert UNDEFINED == formatted(PValue(math.nan, is_bound=True), how)
    assert UNDEFINED == formatted(Spread(math.nan, 1.0), how)
    assert "" == formatted(None, how)


@pytest.mark.parametrize("how", NUMBER_FORMATS)
@given(value=shares)
def test_every_format_gives_one_short_line(how, value):
    text = formatted(value, how)
    assert text.isprintable()
    assert 1 <= len(text) <= 12


@given(shares)
def test_a_share_is_all_or_nothing_only_if_it_is(value):
    assert ("100 %" == share(value)) == (value == 1)
    assert ("0 %" == share(value)) == (value == 0)
    assert percent(value) == f"{100 * value:.0f} %"


@given(st.lists(st.text("abc", min_size=1), max_size=9), st.integers(1, 9))
def test_a_list_names_so_many_and_counts_the_others(names, most):
    text = few(names, most)
    assert in_words(names[:most]) == text or text.endswith(f" and {len(names) - most} more")
    assert counted(len(names), "name").startswith(f"{len(names)} name")


@given(st.text(), st.integers(1, 50))
def test_a_cut_text_is_short_and_says_so(text, most):
    short = shortened(text, most)
    assert len(short) <= most
    assert short == text or short.endswith("…")


@given(st.integers(0, 50))
def test_all_of_some_things_agrees_with_how_many_there_are(count):
    text = all_of(count, "class", "classes")
    assert text.endswith(" class") == (count == 1)
    assert (count in (1, 2)) == (str(count) not in text)


@given(shares, st.integers(0, 9))
def test_sentences_are_filled_as_tables_are(value, count):
    template = "{p:p-value}; {part:share}; {n:run}; {n:All run}; {x}; {x:.2f}"
    values = {"p": value, "part": value, "n": count, "x": value}
    every = as_sentence(all_of(count, "run")).rstrip(".")
    assert filled(template, values) == (
        f"{p_value(value)}; {share(value)}; {counted(count, 'run')}; {every}; {value}; {value:.2f}"
    )


@given(shares)
def test_an_effect_is_nothing_only_if_it_is(value):
    assert ("0.000" == size(value)) == (value == 0)
