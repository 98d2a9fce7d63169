"""An algorithm can be stated as a name, a class, an instance, or a class in a file."""

import numpy as np
import pandas as pd
import pytest

import causalassay as ca
from causalassay.discovery import PC, as_algorithm

VALUES = np.random.default_rng(0).normal(size=(100, 3)).cumsum(axis=1)


class Nothing:
    """A class without fields, as a script has it."""

    def discover(self, data, rng):
        return ca.Estimate(np.zeros((data.n_nodes, data.n_nodes), dtype=bool), "dag")


@pytest.mark.parametrize("algorithm", ["pc", PC, PC(), PC(alpha=0.3)])
def test_all_ways_to_state_an_algorithm_give_the_same(algorithm):
    expected = ca.discover("pc", VALUES, 0, alpha=0.05)
    estimate = ca.discover(algorithm, VALUES, 0, alpha=0.05)
    np.testing.assert_array_equal(expected.graph, estimate.graph)
    assert PC(alpha=0.05) == as_algorithm(algorithm, alpha=0.05)


@pytest.mark.parametrize("data", [VALUES, VALUES.tolist(), pd.DataFrame(VALUES, columns=[*"abc"])])
def test_arrays_lists_and_frames_are_data(data):
    expected = ca.discover("var-sortnregress", VALUES)
    estimate = ca.discover("var-sortnregress", data)
    np.testing.assert_array_equal(expected.graph, estimate.graph)
    names = ("a", "b", "c") if isinstance(data, pd.DataFrame) else ("x0", "x1", "x2")
    assert names == estimate.columns


def test_the_seed_can_be_read_back():
    assert 0 == ca.discover("random-sorting", VALUES).info["seed"]
    assert 7 == ca.discover("random-sorting", VALUES, 7).info["seed"]
    assert "seed" not in ca.discover("random-sorting", VALUES, np.random.default_rng(7)).info


def test_any_class_with_discover_runs():
    assert 0 == ca.discover(Nothing(), VALUES, 0).graph.sum()
    assert 0 == ca.discover(Nothing, VALUES).graph.sum()
    with pytest.raises(TypeError, match="Nothing: it is no dataclass, so set alpha"):
        ca.discover(Nothing(), VALUES, alpha=1)


def test_mistakes_are_named():
    with pytest.raises(TypeError, match="algorithm: expected a name, a class"):
        ca.discover(3, VALUES)
    with pytest.raises(TypeError, match="PC: no hyperparameter 'alpa'; it takes alpha"):
        as_algorithm(PC(), alpa=0.1)


@pytest.mark.parametrize("suffix", ["json", "npz"])
@pytest.mark.parametrize("name", ["var-sortnregress", "pc", "granger-lasso"])
def test_a_saved_estimate_is_the_same(tmp_path, suffix, name):
    series = name == "granger-lasso"
    data = ca.Dataset.from_values(VALUES, rows="series" if series else "independent")
    estimate = ca.discover(name, data)
    estimate.save(tmp_path / f"estimate.{suffix}")
    assert estimate.to_dict() == ca.Estimate.load(tmp_path / f"estimate.{suffix}").to_dict()


@pytest.mark.parametrize("suffix", ["json", "npz"])
def test_probabilities_are_saved(tmp_path, suffix):
    p = np.array([[0.0, 1 / 3], [0.25, 0.0]])
    estimate = ca.Estimate.of_probabilities(p, info={"prior": "mine"})
    estimate.save(tmp_path / f"estimate.{suffix}")
    again = ca.Estimate.load(tmp_path / f"estimate.{suffix}")
    np.testing.assert_array_equal(p, again.probabilities)
    assert estimate.to_dict() == again.to_dict()
    assert again.document().title == "Estimate"
    with pytest.raises(ValueError, match="read-only"):
        again.probabilities[0, 1] = 0.5


def test_several_graphs_are_one_estimate():
    one, two = ca.graphs.chain(3), ca.graphs.chain(3).T
    found = ca.Estimate.of_graphs([one, two, one])
    np.testing.assert_allclose((2 * one + two) / 3, found.probabilities)
    np.testing.assert_array_equal(one, found.graph)
    assert (0, 1, 2) == found.order


def test_what_are_no_probabilities_makes_no_estimate():
    with pytest.raises(ValueError, match=r"probabilities: expected the shape \(3, 3\)"):
        ca.Estimate(ca.graphs.chain(3), "dag", probabilities=np.zeros((2, 2)))
    both = np.array([[0, 0.9], [0.9, 0]])
    with pytest.raises(ValueError, match="sum to 1.8"):
        ca.Estimate(ca.graphs.chain(2), "dag", probabilities=both)
    assert ca.Estimate(both > 0, "summary", probabilities=both).probabilities[1, 0] == 0.9


def test_an_estimate_is_saved_as_json_or_npz(tmp_path):
    with pytest.raises(ValueError, match="expected a file .json or .npz, got 'a.txt'"):
        ca.discover("empty", VALUES).save(tmp_path / "a.txt")
