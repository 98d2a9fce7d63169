import dataclasses

import numpy as np
import pytest

from causalassay.data import Dataset
from causalassay.discovery import algorithms, discover, make_algorithm
from causalassay.discovery.registry import ALGORITHMS

VALUES = np.random.default_rng(0).normal(size=(30, 4)) * [3, 1, 4, 2]


def test_empty_claims_nothing():
    estimate = discover("empty", VALUES, np.random.default_rng(0))
    assert ("dag", 0, (4, 4)) == (estimate.kind, estimate.graph.sum(), estimate.graph.shape)


def test_variance_sorting_joins_all_along_the_variances():
    estimate = discover("variance-sorting", VALUES, np.random.default_rng(0))
    assert (1, 3, 0, 2) == estimate.order
    expected = np.zeros((4, 4), dtype=bool)
    expected[1, [3, 0, 2]] = expected[3, [0, 2]] = expected[0, 2] = True
    np.testing.assert_array_equal(expected, estimate.graph)


def test_sorting_of_ties_and_random_sorting_reach_every_order():
    tied = VALUES[:, :3] / VALUES[:, :3].std(axis=0)
    for name in ("variance-sorting", "random-sorting"):
        orders = {discover(name, tied, np.random.default_rng(seed)).order for seed in range(80)}
        assert 6 == len(orders)


def test_every_built_in_is_a_frozen_value():
    required = {"acor": {"n_edges": 1}, "command": {"program": "true"}}
    for name in ALGORITHMS.built_in:
        algorithm = make_algorithm(name, **required.get(name, {}))
        assert algorithm == make_algorithm(name, **required.get(name, {}))
        assert algorithm.version >= 1  # test_frozen_defaults holds each version
        with pytest.raises(dataclasses.FrozenInstanceError):
            algorithm.penalty = 2


def test_records_say_what_there_is_to_know():
    records = {record.name: record for record in algorithms()}
    assert set(ALGORITHMS.built_in) <= set(records)
    for name in ALGORITHMS.built_in:
        record = records[name]
        assert name == "command" or record.output in ("dag", "cpdag", "pdag", "summary")
        assert record.description.endswith(".")
        assert record.reference
    sensitive = {name for name in ALGORITHMS.built_in if records[name].scale_sensitive}
    assert {"var-sortnregress", "variance-sorting", "mse-gds"} <= sensitive
    assert not {"r2-sortnregress", "pc", "direct-lingam"} & sensitive


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(ValueError, match="did you mean 'var-sortnregress'"):
        discover("varsortnregress", VALUES, np.random.default_rng(0))


def test_an_unknown_hyperparameter_is_answered_with_the_legal_ones():
    with pytest.raises(TypeError, match="'alpha'; it takes path_end"):
        discover("var-sortnregress", VALUES, np.random.default_rng(0), alpha=0.1)
    with pytest.raises(TypeError, match="takes none"):
        discover("empty", VALUES, np.random.default_rng(0), alpha=0.1)


def test_a_seed_names_its_generator_and_none_is_an_error():
    by_seed = discover("random-sorting", VALUES, 7)
    by_generator = discover("random-sorting", VALUES, np.random.default_rng(7))
    assert by_generator.order == by_seed.order
    with pytest.raises(TypeError, match="default_rng"):
        discover("empty", VALUES, None)


def test_the_list_of_algorithms_prints_as_a_table_with_parameters():
    text = repr(algorithms())
    assert "acor                        pdag     n_edges" in text
    assert "alpha=0.01, max_condition=None" in text
    assert "<table" in algorithms()._repr_html_()
    assert {"n_edges": "required"} == next(iter(algorithms())).parameters


def test_data_sets_and_arrays_are_the_same_to_it():
    from_array = discover("var-sortnregress", VALUES, np.random.default_rng(0))
    from_data = discover("var-sortnregress", Dataset.from_values(VALUES), np.random.default_rng(0))
    np.testing.assert_array_equal(from_array.weights, from_data.weights)


def test_other_packages_join_by_entry_point(announce):
    announce("algorithms", {"nothing": "causalassay.discovery.baselines:Empty"})
    assert 0 == discover("nothing", VALUES, np.random.default_rng(0)).graph.sum()
    assert "nothing" in {record.name for record in algorithms()}


def test_a_name_used_twice_is_an_error(announce):
    announce("algorithms", {"empty": "elsewhere:Empty"})
    with pytest.raises(
        ValueError, match="registered twice: causalassay.*Empty and elsewhere:Empty"
    ):
        discover("empty", VALUES, np.random.default_rng(0))


def test_what_cannot_be_imported_is_listed_with_the_reason(announce):
    announce("algorithms", {"absent": "no_such_package:Absent"})
    assert "cannot run here: No module" in repr(algorithms())
    record = next(record for record in algorithms() if record.name == "absent")
    assert "no_such_package" in record.missing
    with pytest.raises(ImportError, match="no_such_package"):
        discover("absent", VALUES, np.random.default_rng(0))
