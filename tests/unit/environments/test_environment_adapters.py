"""The adapters of the environments, where these are installed: no matrix is transposed."""

import subprocess
from importlib.metadata import distributions

import numpy as np
import pytest

from causalassay.contracts import NotApplicable
from causalassay.data import Dataset, Discrete, Regime
from causalassay.discovery.environment_algorithms import algorithm_class, brief_parameters
from causalassay.environments.catalogue import environment, environments
from causalassay.environments.installing import folder_of, state
from causalassay.graphs import erdos_renyi, from_edges, is_dag, to_cpdag
from causalassay.models import SCM
from causalassay.testing import check_algorithm

TRUTH = from_edges([(2, 0), (0, 3), (1, 3)], 4)
"""A chain 2→0→3, and 1→3: neither symmetric nor in the order of the columns."""

TRAINED = {
    "dagma-mlp": {"max_iter": 8000, "warm_iter": 8000},
    "gcastle-dag-gnn": {"epochs": 20},
    "gcastle-golem": {"steps": 2500},
    "gcastle-gran-dag": {"iterations": 4000},
}
"""Parameters with which they find a small graph."""

BENT = ("dagma-mlp", "gcastle-gran-dag")
"""Networks for nonlinear data."""

SCORED_CLASSES = ("pgmpy-hill-climb",)
"""DAGs that a score cannot tell from others of their class."""

SLOW = ("dagma-linear", "gcastle-notears-mlp")
"""Algorithms for which the contract takes long."""

PRETRAINED = ("avici",)
"""Algorithms that do nothing without weights of the user."""

EVERY = [one for home in environments().values() for one in home.algorithms]
KNOWN = [one for one in EVERY if one.name not in PRETRAINED]
AT_ONCE = [one for one in KNOWN if not brief_parameters(one)]
NOT_AT_ONCE = [one for one in KNOWN if brief_parameters(one) or one.name in SLOW]


def installed(algorithms):
    """Return parameters of tests, skipped where the environment is absent."""
    return [
        pytest.param(one, id=one.name, marks=pytest.mark.needs(f"environment:{one.environment}"))
        for one in algorithms
    ]


def made(definition):
    return algorithm_class(definition)(**brief_parameters(definition))


def found_by(definition, data):
    return made(definition).discover(data, np.random.default_rng(1))


def effects_of(network, values):
    """Return what causes add: networks for nonlinear data tell directions by bent effects."""
    return 2 * np.tanh(2 * values) if network in BENT else values


@pytest.mark.slow
@pytest.mark.parametrize("one", installed(k for k in KNOWN if k.name in TRAINED))
def test_a_network_that_was_trained_finds_an_asymmetric_graph(one):
    values = np.random.default_rng(1).normal(size=(1000, 4))
    for cause, effect in ((2, 0), (0, 3), (1, 3)):
        values[:, effect] += effects_of(one.name, values[:, cause])
    network = algorithm_class(one)(**TRAINED[one.name])
    estimate = network.discover(Dataset.from_values(values), np.random.default_rng(1))
    np.testing.assert_array_equal(TRUTH, estimate.graph)


@pytest.mark.parametrize("one", installed(k for k in AT_ONCE if "continuous" in k.data))
def test_an_asymmetric_graph_is_not_transposed(one):
    rng = np.random.default_rng(0)
    model = SCM(weights=(1.0, 1.0), noise="exponential").draw(TRUTH, rng)
    estimate = found_by(one, Dataset.from_values(model.sample(1000, rng)))
    if one.output == "cpdag":
        np.testing.assert_array_equal(to_cpdag(TRUTH), estimate.graph)
        assert "cpdag" == estimate.kind
    elif one.name in SCORED_CLASSES:
        np.testing.assert_array_equal(to_cpdag(TRUTH), to_cpdag(estimate.graph))
    else:
        np.testing.assert_array_equal(TRUTH, estimate.graph)
        assert is_dag(estimate.graph)


@pytest.mark.parametrize("one", installed(k for k in KNOWN if k.environment == "causal-learn"))
def test_the_environment_finds_what_the_extra_finds(one):
    from causalassay.discovery import causal_learn

    extra = getattr(causal_learn, one.class_name)()
    rng = np.random.default_rng(5)
    values = SCM().draw(erdos_renyi(7, 1.5, rng), rng).sample(300, rng)
    data = Dataset.from_values(values)
    expected = extra.discover(data, np.random.default_rng(1)).graph
    np.testing.assert_array_equal(expected, found_by(one, data).graph)


@pytest.mark.parametrize("one", installed(k for k in KNOWN if "discrete" in k.data))
def test_discrete_columns_are_not_transposed(one):
    rng = np.random.default_rng(0)
    levels = np.zeros((2000, 3))
    levels[:, :2] = rng.integers(0, 3, (2000, 2))
    flips = rng.random(2000) < 0.1
    levels[:, 2] = np.where(flips, rng.integers(0, 3, 2000), levels[:, :2].max(axis=1))
    kinds = (Discrete((0, 1, 2)),) * 3
    data = Dataset(("a", "b", "c"), (Regime("all", levels),), "all", kinds)
    data = data.permute_columns([2, 0, 1])
    expected = from_edges([(1, 0), (2, 0)], 3)
    np.testing.assert_array_equal(expected, found_by(one, data).graph)


@pytest.mark.parametrize("one", installed(k for k in KNOWN if "series" in k.data))
def test_a_chain_in_time_is_not_transposed(one):
    rng = np.random.default_rng(0)
    noise = rng.exponential(size=(1000, 3))
    values = np.zeros_like(noise)
    for t in range(1, len(values)):
        values[t] = noise[t]
        values[t, 0] += 0.8 * values[t - 1, 2]
        values[t, 1] += 0.8 * values[t - 1, 0]
    estimate = found_by(one, Dataset.from_values(values, rows="series"))
    np.testing.assert_array_equal(from_edges([(2, 0), (0, 1)], 3), estimate.graph)
    assert estimate.lagged.links[1].any()
    assert "summary" == estimate.kind


@pytest.mark.parametrize("one", installed(k for k in AT_ONCE if k.name not in SLOW))
def test_every_adapter_keeps_the_contract(one):
    check_algorithm(made(one))


@pytest.mark.slow
@pytest.mark.parametrize("one", installed(NOT_AT_ONCE))
def test_every_slow_adapter_keeps_the_contract(one):
    check_algorithm(made(one))


WORDS_OF_LICENCES = {
    "Apache-2.0": "apache",
    "BSD-3-Clause": "bsd",
    "GPL-3.0": "gnu general public",
    "MIT": "mit license",
    "MPL-2.0": "mpl-2.0",
    "none stated": "",
}

OF_THE_WRAPPER = {"tetrad": "MIT"}
"""What the package says that only wraps a program with another licence."""


def stated_licence(home):
    """Return what the metadata of the package of an environment say of its licence."""
    (site,) = folder_of(home).glob("lib/python*/site-packages")
    name = next(pin for pin in home.pins if "==" in pin).split("==")[0].lower()
    (package,) = (
        one.metadata
        for one in distributions(path=[str(site)])
        if one.metadata["Name"].lower() == name
    )
    classifiers = [one for one in package.get_all("Classifier", []) if one.startswith("License")]
    stated = [package.get("License-Expression"), package.get("License"), *classifiers]
    return " ".join(text for text in stated if text).lower()


HOMES = [
    pytest.param(home, id=home.name, marks=pytest.mark.needs(f"environment:{home.name}"))
    for home in environments().values()
    if home.pins
]


@pytest.mark.parametrize("home", HOMES)
def test_the_licence_is_what_the_package_says(home):
    stated = stated_licence(home)
    licence = OF_THE_WRAPPER.get(home.name, home.licence)
    assert WORDS_OF_LICENCES[licence] in stated
    assert bool(stated) is (licence != "none stated")


# A network with weights of the user

MAKES_WEIGHTS = """
import json, pickle, sys, types
from collections import namedtuple
from pathlib import Path
import jax, numpy as np, optax
from avici.model import BaseModel, InferenceModel

folder = Path(sys.argv[1])
sizes = {"layers": 1, "dim": 8, "key_size": 4, "num_heads": 2}
model = InferenceModel(model_class=BaseModel, model_kwargs=dict(sizes))
rows = np.loadtxt(folder / "rows.csv", delimiter=",")
standard = (rows - rows.mean(0)) / rows.std(0)
seen = np.stack([standard, 0 * standard], -1).astype(np.float32)
params = model.net.init(jax.random.PRNGKey(0), seen[None], False)
names = "step rng opt_state params dual dual_penalty_polyak ave_params"
State = namedtuple("ModelState", names, module="avici.backbone")
package = types.ModuleType("avici.backbone")  # the real one needs a package that nothing else does
package.ModelState = State
sys.modules["avici.backbone"] = package
state = State(0, jax.random.PRNGKey(1), optax.adam(1e-3).init(params), params, None, None, None)
(folder / "checkpoint_0.pkl").write_bytes(pickle.dumps(state))
kwargs = {"neural_net_kwargs": sizes, "inference_model_kwargs": {}}
(folder / "kwargs.json").write_text(json.dumps(kwargs))
np.savetxt(folder / "expected.csv", np.asarray(model.infer_edge_probs(params, seen)))
"""


@pytest.mark.parametrize("one", installed(k for k in EVERY if k.name == "avici"))
def test_avici_answers_with_the_weights_of_the_user(one, tmp_path):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(50, 4)).cumsum(axis=1)
    np.savetxt(tmp_path / "rows.csv", values, delimiter=",")
    python = state(environment(one.environment)).python
    subprocess.run([python, "-c", MAKES_WEIGHTS, tmp_path], check=True, capture_output=True)
    avici = algorithm_class(one)(weights=str(tmp_path), threshold=0.01)
    estimate = avici.discover(Dataset.from_values(values), rng)
    expected = np.loadtxt(tmp_path / "expected.csv")
    assert np.allclose(expected, estimate.probabilities, atol=1e-5)
    order = rng.permutation(4)
    other = avici.discover(Dataset.from_values(values[:, order]), rng)
    assert np.allclose(expected[np.ix_(order, order)], other.probabilities, atol=1e-5)


@pytest.mark.parametrize("one", installed(k for k in EVERY if k.name == "avici"))
def test_avici_without_weights_says_what_it_needs(one):
    values = np.random.default_rng(0).normal(size=(50, 3))
    with pytest.raises(NotApplicable, match=r"expected the folder of a checkpoint"):
        algorithm_class(one)().discover(Dataset.from_values(values), np.random.default_rng(0))
