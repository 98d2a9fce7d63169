from dataclasses import replace
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causalassay.data import Dataset, Discrete, Regime, read, write
from strategies import datasets, permutations_of


def assert_same(expected, actual):
    assert expected.columns == actual.columns
    assert expected.kinds == actual.kinds
    assert expected.observational == actual.observational
    assert expected.conditions == actual.conditions
    for one, other in zip(expected.regimes, actual.regimes, strict=True):
        assert (one.targets, one.intervention) == (other.targets, other.intervention)
        np.testing.assert_array_equal(one.values, other.values, strict=True)


def read_again(data, path):
    levels = {
        name: kind.levels
        for name, kind in zip(data.columns, data.kinds, strict=True)
        if isinstance(kind, Discrete)
    }
    labelled = data.conditions != ("observational",) or data.observational is None
    names = {"condition": "condition", "target": "target"} if labelled else {}
    return read(path, observational=data.observational, discrete=levels, **names)


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".tsv", ".parquet"])
@given(data=datasets())
def test_what_is_written_reads_back_the_same(suffix, data):
    with TemporaryDirectory() as folder:
        write(data, f"{folder}/data{suffix}")
        assert_same(data, read_again(data, f"{folder}/data{suffix}"))


@given(
    column=st.lists(
        st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=20, unique=True
    ),
    suffix=st.sampled_from([".csv", ".parquet"]),
)
def test_floats_are_kept_to_the_last_bit(column, suffix):
    with TemporaryDirectory() as folder:
        write(Dataset.from_values(np.array(column)[:, None]), f"{folder}/data{suffix}")
        again = read(f"{folder}/data{suffix}").pooled[:, 0]
    assert np.array(column).tobytes() == again.tobytes()


@given(st.data())
def test_a_permutation_and_its_inverse_change_nothing(source):
    data = source.draw(datasets())
    permutation = source.draw(permutations_of(data.n_nodes))
    moved = data.permute_columns(permutation)
    assert_same(data, moved.permute_columns(np.argsort(permutation)))


@given(st.data())
def test_a_permutation_moves_each_name_with_its_values_and_targets(source):
    data = source.draw(datasets())
    moved = data.permute_columns(source.draw(permutations_of(data.n_nodes)))
    for name in data.columns:
        i, j = data.index(name), moved.index(name)
        assert data.kinds[i] == moved.kinds[j]
        np.testing.assert_array_equal(data.pooled[:, i], moved.pooled[:, j])
        for old, new in zip(data.regimes, moved.regimes, strict=True):
            assert (i in (old.targets or ())) == (j in (new.targets or ()))


@given(st.data())
def test_dropping_columns_commutes_with_permuting(source):
    data = source.draw(datasets(min_nodes=2))
    order = source.draw(permutations_of(data.n_nodes))
    dropped = source.draw(
        st.lists(st.sampled_from(data.columns), unique=True, max_size=data.n_nodes - 1)
    )
    smaller = data.drop_columns(dropped)
    kept = [data.columns[j] for j in order if data.columns[j] not in dropped]
    assert_same(
        smaller.permute_columns([smaller.index(name) for name in kept]),
        data.permute_columns(order).drop_columns(dropped),
    )


@given(st.data())
def test_new_names_and_back_change_nothing(source):
    data = source.draw(datasets())
    columns = {name: f"new {name}" for name in data.columns}
    conditions = {name: f"new {name}" for name in data.conditions}
    renamed = data.rename_columns(columns).rename_conditions(conditions)
    assert tuple(columns.values()) == renamed.columns
    assert tuple(conditions.values()) == renamed.conditions
    back = renamed.rename_columns({new: old for old, new in columns.items()})
    assert_same(data, back.rename_conditions({new: old for old, new in conditions.items()}))


@given(datasets(discrete=False))
def test_the_caller_s_array_and_the_data_set_are_independent(source):
    mine = source.pooled.copy()
    before = mine.copy()
    data = Dataset.from_values(mine)
    data.permute_columns(range(data.n_nodes)[::-1])
    with TemporaryDirectory() as folder:
        write(data, f"{folder}/data.csv")
    np.testing.assert_array_equal(before, mine)
    assert mine.flags.writeable
    mine[:] = 0.0
    np.testing.assert_array_equal(before, data.pooled)


def is_varied(rows):
    distinct = len(np.unique(rows, axis=1).T) == rows.shape[1]
    return len(rows) >= 2 and distinct and (rows != rows[0]).any(axis=0).all()


@given(datasets())
def test_levels_survive_a_fold_that_misses_one(data):
    for j, kind in enumerate(data.kinds):
        for code in range(len(kind.levels)) if isinstance(kind, Discrete) else ():
            rows = data.pooled[data.pooled[:, j] != code]
            if is_varied(rows):
                fold = replace(data, regimes=(Regime("fold", rows),), observational="fold")
                assert data.kinds == fold.kinds
                np.testing.assert_array_equal(rows, fold.pooled)


@settings(max_examples=30)
@given(datasets())
def test_pooled_rows_are_those_of_the_regimes(data):
    assert (data.n_samples, data.n_nodes) == data.pooled.shape
    parts = np.split(data.pooled, np.cumsum([len(regime.values) for regime in data.regimes])[:-1])
    for part, condition in zip(parts, data.conditions, strict=True):
        np.testing.assert_array_equal(data.regime(condition).values, part)
