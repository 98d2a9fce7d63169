"""What holds for NOTEARS, GOLEM and the constraint that they share, whatever the data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causalassay.data import Dataset
from causalassay.discovery import acyclicity, discover
from causalassay.discovery.golem import golem_loss
from causalassay.graphs import is_dag, threshold
from strategies import dags, linear_models, pdags, permutations_of, relabel, rngs

RUNS = [
    ("notears", {}),
    ("notears", {"solver": "fast"}),
    ("notears", {"lambda1": 0.1}),
    ("golem-ev", {"steps": 500}),
    ("golem-nv", {"steps": 500}),
    ("golem-nv", {"steps": 500, "start": "ev"}),
]


@st.composite
def weighted(draw, graphs):
    graph = draw(graphs)
    rng = draw(rngs())
    return graph * rng.uniform(0.1, 1.5, graph.shape) * rng.choice([-1, 1], graph.shape)


@given(weighted(dags()))
def test_acyclicity_of_a_dag_is_exactly_zero(weights):
    assert acyclicity(weights)[0] == 0.0


@given(weighted(pdags()))
def test_acyclicity_is_positive_just_where_there_is_a_cycle(weights):
    assert (acyclicity(weights)[0] > 0) == (not is_dag(weights != 0))


@given(weighted(pdags()), st.data())
def test_acyclicity_ignores_signs_and_labels(weights, data):
    label = data.draw(permutations_of(len(weights)))
    expected = acyclicity(weights)[0]
    assert expected == pytest.approx(acyclicity(relabel(-weights, label))[0], rel=1e-10)


@given(linear_models(min_nodes=2), st.data())
def test_golem_loss_of_relabelled_weights_is_the_same(model, data):
    label = data.draw(permutations_of(len(model.weights)))
    for variant in ("ev", "nv"):
        straight = golem_loss(model.weights, model.covariance(), 100, variant, 0.1, 1.0)
        turned = golem_loss(
            relabel(model.weights, label),
            relabel(model.covariance(), label),
            100,
            variant,
            0.1,
            1.0,
        )
        assert straight[0] == pytest.approx(turned[0], rel=1e-9)
        np.testing.assert_allclose(relabel(straight[1], label), turned[1], atol=1e-6)


@given(linear_models(min_nodes=2))
def test_true_weights_and_variances_are_stationary_for_any_variances(model):
    # With the true weights the likelihood of unequal variances has gradient 0 along the edges.
    _, gradient = golem_loss(model.weights, model.covariance(), 100, "nv")
    np.testing.assert_allclose(gradient[model.graph], 0, atol=1e-6)


@pytest.mark.parametrize(("name", "hyperparameters"), RUNS)
@settings(max_examples=8)
@given(model=linear_models(min_nodes=1, max_nodes=5), rng=rngs(), data=st.data())
def test_relabelling_columns_relabels_weights_and_graph(name, hyperparameters, model, rng, data):
    dataset = Dataset.from_values(model.sample(60, rng))
    label = data.draw(permutations_of(len(dataset.columns)))
    before = dataset.pooled.copy()
    straight = discover(name, dataset, np.random.default_rng(0), **hyperparameters)
    turned = discover(
        name, dataset.permute_columns(label), np.random.default_rng(0), **hyperparameters
    )
    np.testing.assert_array_equal(straight.weights[np.ix_(label, label)], turned.weights)
    np.testing.assert_array_equal(straight.graph[np.ix_(label, label)], turned.graph)
    np.testing.assert_array_equal(before, dataset.pooled)


@pytest.mark.parametrize(("name", "hyperparameters"), RUNS)
@settings(max_examples=8)
@given(model=linear_models(min_nodes=1, max_nodes=5), rng=rngs())
def test_graph_is_a_dag_of_the_weights_past_the_threshold(name, hyperparameters, model, rng):
    values = model.sample(60, rng)
    estimate = discover(name, values, np.random.default_rng(0), **hyperparameters)
    assert is_dag(estimate.graph)
    assert estimate.info["threshold"] >= 0.3
    np.testing.assert_array_equal(
        threshold(estimate.weights, estimate.info["threshold"]), estimate.graph
    )
