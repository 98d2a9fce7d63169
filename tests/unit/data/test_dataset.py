from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from causalassay.contracts import NotApplicable, check_world
from causalassay.data import Continuous, Dataset, Discrete, Problem, Regime, as_dataset
from causalassay.models import Do, Randomize, Shift

CONTROL = np.array([[0.0, 1.0, 5.0], [1.0, 3.0, 4.0], [2.0, 2.0, 9.0]])
TREATED = np.array([[7.0, 1.5, 5.0], [7.0, 3.5, 4.5]])


def two_regimes(**changes):
    given = {
        "columns": ("raf", "mek", "erk"),
        "regimes": (Regime("control", CONTROL), Regime("do raf", TREATED, targets=(0,))),
        "observational": "control",
    }
    return Dataset(**(given | changes))


def observed(values, **changes):
    return two_regimes(regimes=(Regime("control", values),), **changes)


def test_sizes_and_rows_of_two_regimes():
    data = two_regimes()
    assert (3, 5) == (data.n_nodes, data.n_samples)
    assert ("control", "do raf") == data.conditions
    np.testing.assert_array_equal(CONTROL, data.observational_values)
    np.testing.assert_array_equal(np.vstack([CONTROL, TREATED]), data.pooled)
    np.testing.assert_array_equal(TREATED, data.regime("do raf").values)
    assert (Continuous(),) * 3 == data.kinds


def test_all_arrays_are_read_only():
    data = two_regimes()
    for array in (data.pooled, data.observational_values, data.regimes[1].values):
        assert not array.flags.writeable
    assert not data.permute_columns([2, 0, 1]).pooled.flags.writeable
    assert not Dataset.from_values(CONTROL).pooled.flags.writeable


def test_a_representation_shows_no_values():
    assert "9.0" not in repr(two_regimes())


def test_from_values_names_columns_and_regime():
    data = Dataset.from_values(CONTROL.astype(int), condition="wild type")
    assert ("x0", "x1", "x2") == data.columns
    assert ("wild type", "wild type") == (data.observational, data.regimes[0].condition)
    assert data.pooled.dtype == np.float64


def test_from_values_keeps_the_names_of_a_data_frame():
    frame = pd.DataFrame(CONTROL, columns=["a", "b", "c"])
    assert ("a", "b", "c") == Dataset.from_values(frame).columns
    assert ("u", "v", "w") == Dataset.from_values(frame, columns=["u", "v", "w"]).columns


def test_a_data_frame_of_text_is_refused():
    with pytest.raises(TypeError, match=r"values are numbers.*read do it"):
        Dataset.from_values(pd.DataFrame({"a": ["x", "y"], "b": [1.0, 2.0]}))


def test_observation_is_never_guessed_from_empty_targets():
    data = two_regimes(observational=None)
    with pytest.raises(ValueError, match=r"name one as `observational`.*'control', 'do raf'"):
        _ = data.observational_values


def test_index_and_regime_name_the_nearest():
    data = two_regimes()
    assert data.index("mek") == 1
    with pytest.raises(ValueError, match=r"no 'mekk'; did you mean 'mek'\?"):
        data.index("mekk")
    with pytest.raises(ValueError, match="no 'zzz'; there are 'raf', 'mek', 'erk'"):
        data.index("zzz")
    with pytest.raises(ValueError, match=r"no 'contrl'; did you mean 'control'\?"):
        data.regime("contrl")


def test_permute_columns_moves_names_kinds_targets_values_and_interventions():
    actions = (Do(0, 7.0), Shift(2, by=1.0), Randomize(1, mean=0.0, variance=2.0))
    binary = Discrete((0, 1))
    data = two_regimes(
        regimes=(
            Regime("control", np.column_stack([CONTROL[:, :2], [0, 1, 1]])),
            Regime("all", np.column_stack([TREATED[:, :2], [0, 1]]), (0, 2, 1), actions),
            Regime("unknown", np.column_stack([TREATED[:, :2], [0, 1]]), None),
        ),
        kinds=(Continuous(), Continuous(), binary),
    )
    moved = data.permute_columns(np.array([2, 0, 1]))
    assert ("erk", "raf", "mek") == moved.columns
    assert (binary, Continuous(), Continuous()) == moved.kinds
    assert (1, 0, 2) == moved.regimes[1].targets
    expected = (Do(1, 7.0), Shift(0, by=1.0), Randomize(2, mean=0.0, variance=2.0))
    assert expected == moved.regimes[1].intervention
    assert moved.regimes[2].targets is None
    np.testing.assert_array_equal(CONTROL[:, 0], moved.observational_values[:, 1])


@pytest.mark.parametrize("wrong", [[0, 1], [0, 1, 1], [1, 2, 3], [0, 1, 2, 3]])
def test_permute_columns_refuses_what_is_no_permutation(wrong):
    with pytest.raises(ValueError, match="each of 0 to 2 once"):
        two_regimes().permute_columns(wrong)


def test_drop_columns_moves_targets_and_forgets_those_that_are_dropped():
    acted = Regime("both", TREATED + 0.5, (0, 2), (Do(0, 7.0), Shift(2, by=1.0)))
    data = two_regimes(
        regimes=(Regime("control", CONTROL), acted, Regime("do erk", TREATED, (2,))),
        kinds=(Continuous(), Continuous(), Continuous()),
    )
    without_mek = data.drop_columns(["mek"])
    assert ("raf", "erk") == without_mek.columns
    assert [(), (0, 1), (1,)] == [regime.targets for regime in without_mek.regimes]
    assert (Do(0, 7.0), Shift(1, by=1.0)) == without_mek.regimes[1].intervention
    without_raf = data.drop_columns(["raf"])
    assert [(), None, (1,)] == [regime.targets for regime in without_raf.regimes]
    assert without_raf.regimes[1].intervention is None
    assert "control" == without_raf.observational
    np.testing.assert_array_equal(CONTROL[:, 1:], without_raf.observational_values)


def test_rename_columns_changes_names_only():
    data = two_regimes().rename_columns({"raf": "mek", "mek": "raf"})
    assert ("mek", "raf", "erk") == data.columns
    assert (0,) == data.regimes[1].targets
    np.testing.assert_array_equal(CONTROL, data.observational_values)


def test_conditions_are_dropped_and_renamed_with_the_observational_one():
    treated = TREATED + [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0]]
    data = two_regimes(regimes=(Regime("control", CONTROL), Regime("do raf", treated, (0,))))
    renamed = data.rename_conditions({"control": "wild type"})
    assert ("wild type", "wild type") == (renamed.observational, renamed.conditions[0])
    assert data.drop_conditions(["control"]).observational is None
    assert "control" == data.drop_conditions(["do raf"]).observational


@pytest.mark.parametrize(
    ("method", "names", "error", "message"),
    [
        ("drop_columns", ["mekk"], ValueError, r"column: there is no 'mekk'; did you mean 'mek'"),
        ("drop_columns", "mek", TypeError, "expected a list of names, got 'mek'; put it in a list"),
        ("drop_columns", ["raf", "mek", "erk"], ValueError, "no column would be left"),
        ("rename_columns", {"mekk": "a"}, ValueError, "column: there is no 'mekk'"),
        ("rename_columns", {"mek": "raf"}, ValueError, "'raf' appears more than once"),
        ("rename_columns", {"mek": ""}, ValueError, "position 1 is empty"),
        ("drop_conditions", ["do"], ValueError, "condition: there is no 'do'"),
        ("drop_conditions", "do raf", TypeError, "expected a list of names"),
        ("drop_conditions", ["control", "do raf"], ValueError, "no condition would be left"),
        ("rename_conditions", {"contrl": "a"}, ValueError, "did you mean 'control'"),
        ("rename_conditions", {"do raf": "control"}, ValueError, "more than one is called"),
        ("rename_conditions", {"do raf": ""}, ValueError, "condition: expected a name"),
    ],
)
def test_wrong_names_to_drop_and_rename(method, names, error, message):
    with pytest.raises(error, match=message):
        getattr(two_regimes(), method)(names)


def test_what_is_left_after_dropping_a_condition_is_checked():
    with pytest.raises(ValueError, match="constant over all 2 rows: 'raf'"):
        two_regimes().drop_conditions(["control"])


def test_missing_values_are_counted_by_column():
    values = CONTROL.copy()
    values[[1, 2], 0] = values[2, 2] = np.nan
    expected = (
        r"condition 'control': missing values: 2 in column 'raf' \(first in row 1\), "
        r"1 in column 'erk' \(first in row 2\); remove those rows, impute"
    )
    with pytest.raises(ValueError, match=expected):
        observed(values)


def test_infinite_values_are_named():
    values = CONTROL.copy()
    values[1, 1] = -np.inf
    with pytest.raises(ValueError, match=r"infinite values: 1 in column 'mek' \(first in row 1\)"):
        observed(values)


def test_constant_columns_are_named():
    values = CONTROL.copy()
    values[:, 2] = 4.0
    with pytest.raises(ValueError, match=r"constant over all 3 rows: 'erk'; .*leave it out"):
        observed(values)


def test_a_column_may_be_constant_in_one_regime():
    assert len(set(two_regimes().regime("do raf").values[:, 0])) == 1


def test_identical_columns_are_named():
    values = CONTROL.copy()
    values[:, 2] = values[:, 0]
    values[0, 2] = -0.0
    with pytest.raises(ValueError, match="columns 'raf' and 'erk' are identical.*keep one"):
        observed(values)


def test_columns_that_differ_in_one_regime_only_are_kept():
    like = np.column_stack([CONTROL[:, 0], CONTROL[:, 0], CONTROL[:, 2]])
    data = two_regimes(regimes=(Regime("control", like), Regime("do raf", TREATED, (0,))))
    assert data.n_samples == 5


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (("a", "b", "a"), "'a' appears more than once; give each column its own name"),
        (("a", "", "c"), "position 1 is empty"),
        ((), "at least 1 column"),
        (("a", "b"), "expected 2 columns, 'a', 'b'; got values of shape"),
        (("a", "b", "c", "d"), "expected 4 columns"),
    ],
)
def test_wrong_columns(columns, message):
    with pytest.raises(ValueError, match=message):
        two_regimes(columns=columns)


def test_column_names_are_a_tuple_of_text():
    with pytest.raises(TypeError, match="a name is text, got 1 at position 1; write it as '1'"):
        two_regimes(columns=("a", 1, "c"))
    with pytest.raises(TypeError, match="expected a tuple of names, got the text 'abc'"):
        two_regimes(columns="abc")


def test_regimes_have_distinct_conditions():
    with pytest.raises(ValueError, match="more than one is called 'control'; rename"):
        two_regimes(regimes=(Regime("control", CONTROL), Regime("control", TREATED)))
    with pytest.raises(ValueError, match="regimes: at least 1"):
        two_regimes(regimes=())


def test_the_observational_condition_exists_and_has_no_targets():
    with pytest.raises(ValueError, match="no condition is called 'wild'.*'control', 'do"):
        two_regimes(observational="wild")
    with pytest.raises(ValueError, match=r"'do raf' has no targets.*they are \(0,\)"):
        two_regimes(observational="do raf")
    with pytest.raises(ValueError, match=r"they are unknown \(None\); pass targets=\(\)"):
        two_regimes(regimes=(Regime("control", CONTROL, targets=None),))


@pytest.mark.parametrize("target", [3, -1])
def test_an_unknown_target_is_refused(target):
    with pytest.raises(ValueError, match=rf"condition 'b': target {target} is not a col.*0 to 2"):
        two_regimes(regimes=(Regime("control", CONTROL), Regime("b", TREATED, (target,))))


@pytest.mark.parametrize("targets", ["raf", ("raf",)])
def test_targets_are_indices(targets):
    with pytest.raises(TypeError, match="targets are column indices.*Dataset.index"):
        Regime("a", CONTROL, targets=targets)


def test_a_target_is_stated_once():
    with pytest.raises(ValueError, match="expected each target once"):
        Regime("a", CONTROL, targets=(1, 1))


def test_the_targets_are_the_nodes_of_the_intervention():
    with pytest.raises(ValueError, match=r"acts on columns \(1,\) but the targets are \(\)"):
        Regime("a", CONTROL, intervention=(Do(1, 0.0),))
    with pytest.raises(ValueError, match=r"acts on columns \(1,\) but the targets are None"):
        Regime("a", CONTROL, None, intervention=(Do(1, 0.0),))
    assert Regime("a", CONTROL, intervention=()).targets == ()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (CONTROL[:1], "condition 'a': at least 2 rows are needed, got 1; leave the condition out"),
        (CONTROL[0], r"expected shape \(n, d\), rows are samples; got \(3,\)"),
    ],
)
def test_wrong_shapes(values, message):
    with pytest.raises(ValueError, match=message):
        Regime("a", values)


@pytest.mark.parametrize("values", [[["1", "2"], ["3", "4"]], [[1j, 0], [2, 1]]])
def test_values_are_real_numbers(values):
    with pytest.raises(TypeError, match="values are numbers, got an array of"):
        Regime("a", values)


def test_a_condition_has_a_name():
    with pytest.raises(ValueError, match="condition: expected a name, got ''"):
        Regime("", CONTROL)


def test_kinds_match_the_columns():
    with pytest.raises(ValueError, match="expected one per column, 3 in all, got 1"):
        two_regimes(kinds=(Continuous(),))
    with pytest.raises(TypeError, match="'mek' must be Continuous.*got 'discrete'"):
        two_regimes(kinds=(Continuous(), "discrete", Continuous()))


@pytest.mark.parametrize("code", [0.5, -1.0, 2.0])
def test_discrete_values_are_codes_of_levels(code):
    values = np.column_stack([CONTROL[:, :2], [0.0, 1.0, code]])
    kinds = (Continuous(), Continuous(), Discrete(("off", "on")))
    with pytest.raises(ValueError, match=rf"'erk' has 2 levels.*codes 0 to 1, but row 2 is {code}"):
        observed(values, kinds=kinds)


def test_levels_survive_a_fold_that_misses_one():
    kinds = (Continuous(), Continuous(), Discrete(("low", "mid", "high")))
    data = observed(np.column_stack([CONTROL[:, :2], [2.0, 0.0, 1.0]]), kinds=kinds)
    fold = replace(data, regimes=(Regime("control", data.pooled[[0, 2]]),))
    assert kinds == fold.kinds
    assert [2.0, 1.0] == fold.pooled[:, 2].tolist()


@pytest.mark.parametrize(
    ("levels", "error", "message"),
    [
        ((), ValueError, "at least 1 level"),
        (("a", "a"), ValueError, "expected each level once"),
        ((0, 0.0), ValueError, "expected each level once"),
        ((0.0, np.nan), ValueError, "finite"),
        (("a", 1), TypeError, "all text or all numbers"),
        ("ab", TypeError, "got the text 'ab'"),
    ],
)
def test_wrong_levels(levels, error, message):
    with pytest.raises(error, match=message):
        Discrete(levels)


def test_a_problem_checks_its_graph_against_the_columns():
    graph = np.zeros((2, 2), dtype=bool)
    with pytest.raises(ValueError, match="data have 3 columns but the graph has 2 nodes"):
        Problem(two_regimes(), graph)
    with pytest.raises(TypeError, match="bool array, got float64"):
        Problem(two_regimes(), np.full((3, 3), 0.5))


def test_a_problem_holds_a_copy_of_its_graph():
    graph = np.zeros((3, 3), dtype=bool)
    problem = Problem(two_regimes(), graph, name="cells")
    graph[0, 1] = True
    assert not problem.graph.any()
    assert not problem.graph.flags.writeable
    assert ("cells", None) == (problem.name, problem.model)


@pytest.mark.parametrize(
    ("kinds", "rows", "world"),
    [
        ((Continuous(), Continuous()), "independent", "continuous"),
        ((Discrete((0, 1)), Discrete((0, 1))), "independent", "discrete"),
        ((Continuous(), Discrete((0, 1))), "independent", "mixed"),
        ((Continuous(), Continuous()), "series", "series"),
        ((Discrete((0, 1)), Discrete((0, 1))), "series", "series"),
    ],
)
def test_the_world_says_which_methods_fit(kinds, rows, world):
    data = Dataset(("a", "b"), (Regime("o", [[0, 1], [1, 0], [1, 1]]),), "o", kinds, rows)
    assert world == data.world
    assert [k for k in kinds if isinstance(k, Discrete)] == list(data.discrete_columns.values())
    for own in ("continuous", "discrete", "mixed", "series"):
        if own == world:
            check_world(data, own)
        else:
            with pytest.raises(NotApplicable):
                check_world(data, own)


def test_an_array_or_a_data_frame_stands_for_observational_values():
    values = np.array([[0.0, 1.0], [2.0, 4.5]])
    frame = pd.DataFrame(values, columns=["dose", "response"])
    assert ("x0", "x1") == as_dataset(values).columns
    assert ("dose", "response") == as_dataset(frame).columns
    data = Dataset.from_values(values)
    assert as_dataset(data) is data
