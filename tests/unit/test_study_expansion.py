"""Grids and random settings: which tables they make, and what changes no key."""

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalassay.study.language.grids import draw_settings, expand
from causalassay.study.language.mistakes import Location, Mistakes
from study_texts import HEAD, PROBLEM, mistakes_of, parsed

GRID = Location("problems[0]").at("grid")
RANDOM = Location("problems[0]").at("random")


def members(base, grid):
    mistakes = Mistakes()
    expanded = expand(base, grid, GRID, mistakes)
    assert [] == mistakes.lines
    return [member.table for member in expanded]


def settings(ranges, count, seed=1, base=None):
    mistakes = Mistakes()
    drawn = draw_settings(base or {}, ranges, count, seed, RANDOM, mistakes)
    assert [] == mistakes.lines
    return [member.table for member in drawn]


def test_a_grid_is_a_product_in_the_order_of_the_file():
    expected = [{"a": a, "b": b} for a in (1, 2) for b in ("x", "y")]
    assert expected == members({"a": 0}, {"a": [1, 2], "b": ["x", "y"]})


def test_lists_of_a_grid_may_hold_lists_which_are_values():
    expected = [{"sd": [0.5, 2.0]}, {"sd": 1.0}]
    assert expected == members({}, {"sd": [[0.5, 2.0], 1.0]})


def test_tables_are_merged_and_leave_the_rest():
    base = {"model": {"kind": "scm", "noise": "gaussian"}}
    grid = {"model": [{}, {"noise": "laplace"}]}
    expected = [
        {"model": {"kind": "scm", "noise": "gaussian"}},
        {"model": {"kind": "scm", "noise": "laplace"}},
    ]
    assert expected == members(base, grid)
    assert {"kind": "scm", "noise": "gaussian"} == base["model"]


def test_what_varies_together_is_one_axis():
    grid = {"together": [{"samples": 100}, {"samples": 1000, "model": {"noise": "laplace"}}]}
    expected = [
        {"model": {"kind": "scm"}, "samples": 100},
        {"model": {"kind": "scm", "noise": "laplace"}, "samples": 1000},
    ]
    assert expected == members({"model": {"kind": "scm"}}, grid)


@given(st.dictionaries(st.sampled_from("abcde"), st.integers(1, 4), max_size=4))
def test_the_size_of_a_grid_is_the_product_of_its_lists(sizes):
    grid = {key: list(range(size)) for key, size in sizes.items()}
    expected = 1
    for size in sizes.values():
        expected *= size
    texts = [json.dumps(table, sort_keys=True) for table in members({}, grid)]
    assert expected == len(texts) == len(set(texts))


@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        ({"a": 3}, "problems[0].grid.a: got 3, expected a list of at least one value"),
        ({"a": []}, "problems[0].grid.a: got [], expected a list of at least one value"),
        ({"a": [1, 2, 1.0]}, "problems[0].grid.a: 1.0 is listed twice"),
        (
            {"together": {"a": [1]}},
            'problems[0].grid.together: got {"a": [1]}, expected a list of at least one table',
        ),
        (
            {"together": [1]},
            "problems[0].grid.together: got [1], expected a list of at least one table",
        ),
        (
            {key: list(range(100)) for key in "abcd"},
            "problems[0].grid: its product has 100000000 members, expected at most 1000000",
        ),
    ],
)
def test_what_is_no_grid_is_a_mistake(grid, expected):
    mistakes = Mistakes()
    expand({}, grid, GRID, mistakes)
    assert [expected] == mistakes.lines


RANGES = {
    "graph": {"n_nodes": [25, 50, 100, 200]},
    "samples": {"low": 10, "high": 1000, "integer": True, "log": True},
    "model": {"snr": {"low": 1, "high": 5}},
    "together": [{"noise": "gaussian"}, {"noise": "lognormal"}],
}


@given(st.integers(0, 30), st.integers(0, 30))
def test_more_settings_change_no_earlier_one(few, more):
    assert settings(RANGES, few) == settings(RANGES, few + more)[:few]


def test_settings_depend_on_seed_and_table_but_not_on_the_order_of_keys():
    backwards = dict(reversed(RANGES.items()))
    assert settings(RANGES, 5) == settings(backwards, 5)
    assert settings(RANGES, 5) != settings(RANGES, 5, seed=2)
    different = [{**one, "x": 1} for one in settings(RANGES, 5)]
    assert different != settings(RANGES, 5, base={"x": 1})


def test_integers_written_as_floats_draw_the_same_settings():
    assert settings(RANGES, 5, base={"x": 2}) == [
        {**one, "x": 2} for one in settings(RANGES, 5, base={"x": 2.0})
    ]


def test_settings_stay_in_their_ranges_and_reach_the_ends():
    ranges = {"a": {"low": 1, "high": 3, "integer": True}, "b": {"low": 0.5, "high": 2.0}}
    tables = settings(ranges, 300)
    assert {1, 2, 3} == {one["a"] for one in tables}
    assert all(isinstance(one["a"], int) and 0.5 <= one["b"] <= 2 for one in tables)


def test_log_uniform_settings_have_their_median_at_the_geometric_mean():
    ranges = {"a": {"low": 1, "high": 10_000, "log": True}}
    values = sorted(one["a"] for one in settings(ranges, 2001))
    assert 70 < values[1000] < 140
    whole = {
        "a": {"low": 1, "high": 9999, "log": True, "integer": True},
        "b": RANGES["model"]["snr"],
    }
    values = sorted(one["a"] for one in settings(whole, 2001))
    assert 70 < values[1000] < 140
    assert values[0] >= 1
    assert values[-1] <= 9999


def test_settings_are_drawn_independently():
    tables = settings({"a": [1, 2]}, 400)
    # 200 on average, four standard deviations are 40.
    assert 160 <= sum(one["a"] == 1 for one in tables) <= 240


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        ({"low": 2, "high": 1}, "expected low < high"),
        ({"low": 0, "high": 1, "log": True}, "expected low > 0 where log = true"),
        ({"low": 0.5, "high": 2, "integer": True}, "expected integers where integer = true"),
        ({"low": 0}, "random.a.high: missing; expected a number"),
        ({"low": 0, "high": 1, "int": True}, "there is no such key; did you mean 'integer'?"),
        (3, "expected a list of at least one value or a table {low, high}"),
    ],
)
def test_what_is_no_range_is_a_mistake(ranges, expected):
    mistakes = Mistakes()
    draw_settings({}, {"a": ranges}, 3, 1, RANDOM, mistakes)
    assert 1 == len(mistakes.lines)
    assert mistakes.lines[0].endswith(expected)


TABLES = (
    'graph = {kind = "erdos-renyi", n_nodes = 10, edges_per_node = 2}\n'
    'model = {kind = "scm", noise_sd = [0.5, 2.0]}\nsamples = 100\n'
    'transform = ["rescale"]\n'
).splitlines()


@given(st.permutations(TABLES), st.permutations(["pc", "ges", "empty"]))
def test_the_order_of_tables_and_keys_changes_no_key(lines, names):
    other = '[[problems]]\nsamples = 50\ngraph = {kind = "chain", n_nodes = 3}\n' + (
        'model = {kind = "uumc"}\n'
    )
    first = parsed(
        HEAD + f"algorithms = {names}\n" + "[[problems]]\n" + "\n".join(lines) + "\n" + other
    )
    second = parsed(
        HEAD
        + 'algorithms = ["empty", "ges", "pc"]\n'
        + other
        + "[[problems]]\n"
        + "\n".join(TABLES)
    )
    assert {p.name: p.key for p in first.problems} == {p.name: p.key for p in second.problems}
    assert {a.name: a.key for a in first.algorithms} == {a.name: a.key for a in second.algorithms}


@given(
    st.lists(
        st.sampled_from(
            ['"pc"', '{use = "ges", iterate = true}', '{use = "notears", grid.lambda1 = [0, 0.1]}']
        ),
        unique=True,
    )
)
def test_adding_an_algorithm_leaves_all_other_keys(listed):
    small = parsed(HEAD + f"algorithms = [{', '.join(listed)}]" + PROBLEM)
    more = ['"mmhc"', *listed]
    large = parsed(HEAD + f"algorithms = [{', '.join(more)}]" + PROBLEM)
    assert [p.key for p in small.problems] == [p.key for p in large.problems]
    assert [a.key for a in small.algorithms] == [a.key for a in large.algorithms[1:]]


def calls_to_read(n_problems):
    """The number of calls of functions of Python while a grid of so many problems is read."""
    count = 0

    def counting(frame, event, argument):
        nonlocal count
        count += event == "call"

    grid = f"""
[problems.grid]
samples = [100, 200]
graph.n_nodes = {list(range(10, 10 + n_problems // 2))}
"""
    before = sys.getprofile()
    sys.setprofile(counting)
    try:
        study = parsed(HEAD + PROBLEM + grid)
    finally:
        sys.setprofile(before)
    assert n_problems == len(study.problems)
    return count


def test_the_work_of_reading_grows_with_the_number_of_problems_and_no_faster():
    """Ten thousand problems take about 1.5 s; calls are counted, since time is not repeatable."""
    calls_to_read(10)  # fills the caches
    few, many = calls_to_read(200), calls_to_read(800)
    assert many < 4.2 * few
    assert many < 800 * 400


def test_grid_and_random_may_not_stand_in_one_table():
    text = HEAD + PROBLEM + "grid.samples = [1, 2]\nsettings = 2\nrandom.samples = [100, 200]\n"
    assert ["problems[0]: one table cannot have both `grid` and `random`; make two"] == (
        mistakes_of(text)
    )
