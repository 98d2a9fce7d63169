"""Laws of nonlinear models, for every family of functions under every scheme."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalassay.graphs import reachability, topological_order
from causalassay.models import AdditiveNoiseSCM, Do, Randomize, Shift, draw
from causalassay.models.nonlinear.mechanisms import FAMILIES
from causalassay.models.registry import MODELS, kinds_by_mechanism
from strategies import dags, permutations_of, relabel, rngs

NONLINEAR = {kind: MODELS[f"gp.{kind}"] for kind in kinds_by_mechanism()["gp"]}
CASES = list(product(NONLINEAR, FAMILIES))


@st.composite
def nonlinear_models(strategy, min_nodes=1, max_nodes=6):
    """A model of any scheme and family, its statistics those of 30 rows."""
    kind, mechanism = strategy(st.sampled_from(CASES))
    size = {} if kind == "scm" else {"sample_size": 30}
    dag = strategy(dags(min_nodes=min_nodes, max_nodes=max_nodes))
    return draw(kind, dag, strategy(rngs()), mechanism=mechanism, **size)


@given(nonlinear_models(min_nodes=2), st.data())
def test_do_sets_the_value_and_leaves_non_descendants_alone(model, data):
    node = data.draw(st.integers(0, model.n_nodes - 1))
    untouched = ~reachability(model.graph)[node]
    untouched[node] = False
    before = model.sample(20, np.random.default_rng(0))
    after = model.sample(20, np.random.default_rng(0), (Do(node, 3.0),))
    np.testing.assert_array_equal(before[:, untouched], after[:, untouched])
    np.testing.assert_array_equal(3.0, after[:, node])


@given(nonlinear_models(), st.floats(-5, 5), st.data())
def test_a_shift_moves_its_node_by_exactly_that_and_no_other_but_descendants(model, by, data):
    node = data.draw(st.integers(0, model.n_nodes - 1))
    before = model.sample(20, np.random.default_rng(0))
    after = model.sample(20, np.random.default_rng(0), (Shift(node, by),))
    np.testing.assert_allclose(before[:, node] + by, after[:, node], rtol=1e-9, atol=1e-9)
    others = np.arange(model.n_nodes) != node
    untouched = ~reachability(model.graph)[node] & others
    np.testing.assert_array_equal(before[:, untouched], after[:, untouched])


@given(nonlinear_models(min_nodes=2), rngs(), st.data())
def test_randomize_cuts_a_node_off_its_causes(model, rng, data):
    """Whatever its causes are set to, the node is the same draw of the noise family."""
    node = data.draw(st.integers(0, model.n_nodes - 1))
    causes = [cause for cause in range(model.n_nodes) if reachability(model.graph)[cause, node]]
    elsewhere = tuple(Do(cause, float(rng.normal())) for cause in causes if cause != node)
    randomized = Randomize(node, mean=2.0, variance=9.0)
    expected = 2.0 + 3.0 * np.random.default_rng(0).standard_normal((20, model.n_nodes))[:, node]
    for intervention in ((randomized,), (randomized, *elsewhere)):
        result = model.sample(20, np.random.default_rng(0), intervention)[:, node]
        np.testing.assert_allclose(expected, result)


@given(nonlinear_models(), st.data())
def test_latent_and_observed_scales_meet(model, data):
    """Ormaniec 2024, appendix B: the latent assignment v is (v - mean) / sd of what is seen."""
    node = data.draw(st.integers(0, model.n_nodes - 1))
    mean, sd = model.latent_mean[node], model.latent_sd[node]
    latent = model.sample(9, np.random.default_rng(0), (Do(node, 2.0, "latent"),))
    observed = model.sample(9, np.random.default_rng(0), (Do(node, (2.0 - mean) / sd),))
    np.testing.assert_array_equal(observed, latent)


@given(nonlinear_models())
def test_sampling_equals_the_slow_recursion(model):
    """Row by row and node by node, from the same noise."""
    noise = np.random.default_rng(3).standard_normal((4, model.n_nodes))
    expected = np.zeros_like(noise)
    for row in range(4):
        for node in topological_order(model.graph):
            x = model.intercept[node] + np.sqrt(model.noise_variance[node]) * noise[row, node]
            parents = np.flatnonzero(model.graph[:, node])
            if len(parents):
                seen = [model.input_mean[p] + model.input_sd[p] * expected[row, p] for p in parents]
                x += model.signal_scale[node] * model.functions[node](np.array([seen]))[0]
            expected[row, node] = x
    result = model.sample(4, np.random.default_rng(3))
    np.testing.assert_allclose(expected, result, rtol=1e-8, atol=1e-8)


@given(nonlinear_models(), st.data())
def test_relabelling_nodes_relabels_responses(model, data):
    label = data.draw(permutations_of(model.n_nodes))
    position = np.argsort(label)
    functions = []
    for old in position:
        function, parents = model.functions[old], np.flatnonzero(model.graph[:, old])
        # Parents come by their new numbers; the function wants them by the old ones.
        back = np.argsort(np.argsort(label[parents])) if len(parents) else []
        functions.append(None if function is None else _reordered(function, back))
    renamed = AdditiveNoiseSCM(
        relabel(model.graph, label),
        functions,
        model.noise_variance[position],
        model.intercept[position],
        signal_scale=model.signal_scale[position],
        input_mean=model.input_mean[position],
        input_sd=model.input_sd[position],
    )
    noise = np.random.default_rng(0).standard_normal((6, model.n_nodes))
    np.testing.assert_allclose(
        model.respond(noise)[:, position], renamed.respond(noise[:, position]), rtol=1e-9, atol=1e-9
    )


def _reordered(function, order):
    return lambda parents: function(parents[:, order])


@pytest.mark.parametrize(("kind", "mechanism"), CASES)
def test_a_shift_of_a_sink_moves_its_mean_in_large_samples_too(kind, mechanism):
    """Of other noise: 6 standard errors of a difference for 24 cases, 5e-8 together."""
    rng = np.random.default_rng(0)
    graph = np.zeros((3, 3), dtype=bool)
    graph[:2, 2] = graph[0, 1] = True
    model = draw(kind, graph, rng, mechanism=mechanism)
    before, after = (model.sample(20_000, rng, action)[:, 2] for action in ((), (Shift(2, 1.5),)))
    error = np.hypot(before.std(), after.std()) / np.sqrt(20_000)
    assert abs(after.mean() - before.mean() - 1.5) <= 6 * error


@pytest.mark.parametrize(("kind", "mechanism"), CASES)
def test_noise_is_what_the_functions_leave(kind, mechanism):
    """The variance of what is left of 20 000 rows once the signal is taken away.

    Its standard error is 1 % for Gaussian noise; 6 of them for 24 cases x 3 nodes.
    """
    rng = np.random.default_rng(1)
    graph = np.zeros((3, 3), dtype=bool)
    graph[:2, 2] = graph[0, 1] = True
    model = draw(kind, graph, rng, mechanism=mechanism)
    columns = np.ascontiguousarray(model.sample(20_000, rng).T)
    for node in range(3):
        left = columns[node] - model.signal_scale[node] * model.signal(node, columns)
        assert abs(left.mean() - model.intercept[node]) <= 6 * left.std() / np.sqrt(20_000)
        np.testing.assert_allclose(model.noise_variance[node], left.var(), rtol=0.06)
