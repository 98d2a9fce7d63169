import numpy as np
import pytest

from causalassay.contracts import NotApplicable
from causalassay.data import Dataset
from causalassay.discovery import discover
from causalassay.graphs import erdos_renyi, from_edges, to_cpdag
from causalassay.models import SCM

NAMES = ["causal-learn-pc", "causal-learn-ges", "causal-learn-boss", "causal-learn-grasp"]


@pytest.mark.parametrize("name", NAMES)
def test_an_asymmetric_collider_is_not_transposed(name):
    """0→1→2←3 with a large sample: a transposed matrix would fail."""
    truth = from_edges([(0, 1), (1, 2), (3, 2)], 4)
    rng = np.random.default_rng(0)
    values = SCM(weights=(1.0, 1.0)).draw(truth, rng).sample(5000, rng)
    estimate = discover(name, values, rng)
    np.testing.assert_array_equal(to_cpdag(truth), estimate.graph)
    assert "cpdag" == estimate.kind


@pytest.mark.parametrize("name", NAMES)
def test_nothing_global_is_touched_and_nothing_printed(name, capsys):
    rng = np.random.default_rng(1)
    values = SCM().draw(erdos_renyi(5, 1, rng), rng).sample(200, rng)
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    discover(name, values, rng)
    assert before == np.random.get_state()[1].tolist()  # noqa: NPY002
    assert ("", "") == tuple(capsys.readouterr())


@pytest.mark.parametrize("name", NAMES)
def test_data_it_cannot_treat_are_not_applicable(name):
    rng = np.random.default_rng(2)
    dependent = rng.normal(size=(50, 3))
    dependent[:, 2] = dependent[:, 0] - dependent[:, 1]
    with pytest.raises(NotApplicable, match="linear combinations"):
        discover(name, dependent, rng)
    with pytest.raises(NotApplicable, match="too few"):
        discover(name, Dataset.from_values(rng.normal(size=(5, 4))), rng)
