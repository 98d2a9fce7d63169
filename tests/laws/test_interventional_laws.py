"""Laws of fitted models, of total variation and of its sum over interventions."""

import gadjid
import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from causalassay.graphs import erdos_renyi, topological_order
from causalassay.metrics import (
    Categorical,
    Quantile,
    normal_total_variation,
    shd,
    total_variation,
    tv_dag,
    tv_matrix,
)
from causalassay.models import SCM, Do, LinearSCM, fit, fit_covariance
from strategies import dags, linear_models, permutations_of, relabel, rngs

normals = st.tuples(
    st.floats(-100, 100), st.floats(-6, 6).map(lambda exponent: 10.0**exponent) | st.just(0.0)
)
spread_normals = st.tuples(st.floats(-50, 50), st.floats(1e-3, 1e3))


@st.composite
def model_pairs(draw, max_nodes=6):
    """Two models on the same nodes, with intercepts."""
    first = draw(linear_models(min_nodes=2, max_nodes=max_nodes))
    second = draw(linear_models(min_nodes=first.n_nodes, max_nodes=first.n_nodes))
    rng = draw(rngs())
    return tuple(
        LinearSCM(model.weights, model.noise_variance, rng.normal(size=model.n_nodes))
        for model in (first, second)
    )


@st.composite
def faithful_pairs(draw, max_nodes=5):
    """A true model with random weights, and another DAG on its nodes."""
    truth = draw(linear_models(min_nodes=2, max_nodes=max_nodes))
    guess = draw(dags(min_nodes=truth.n_nodes, max_nodes=truth.n_nodes))
    if draw(st.booleans()):
        # Random pairs rarely have distance 0: take a super-graph of the truth, in its order.
        order = topological_order(truth.graph)
        position = np.empty_like(order)
        position[order] = np.arange(len(order))
        guess = (truth.graph | guess) & (position[:, None] < position)
    return truth, guess


def sid(truth, guess):
    return gadjid.sid(
        truth.astype(np.int8), guess.astype(np.int8), edge_direction="from row to column"
    )[1]


@given(normals, normals)
def test_total_variation_is_symmetric_and_between_zero_and_one(p, q):
    distance = total_variation(p, q)
    assert 0 <= distance <= 1
    assert distance == total_variation(q, p)
    assert 0 == total_variation(p, p)


@given(normals, normals, normals)
def test_total_variation_of_normal_laws_satisfies_the_triangle_inequality(p, q, r):
    assert total_variation(p, r) <= total_variation(p, q) + total_variation(q, r) + 1e-14


@given(spread_normals, spread_normals, st.floats(0.01, 100), st.booleans(), st.floats(-100, 100))
def test_total_variation_does_not_depend_on_unit_sign_and_origin(p, q, unit, flip, origin):
    factor = -unit if flip else unit
    moved = [(factor * mean + origin, factor**2 * variance) for mean, variance in (p, q)]
    assert total_variation(p, q) == pytest.approx(total_variation(*moved), abs=1e-9)


@given(spread_normals, st.floats(0, 5), st.floats(0, 5))
def test_total_variation_grows_with_the_distance_of_the_means(p, near, more):
    distances = normal_total_variation(*p, p[0] + np.array([near, near + more]), 2 * p[1])
    assert distances[0] <= distances[1] + 1e-14


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=6))
def test_discrete_total_variation_is_the_largest_difference_over_sets(counts):
    p, q = np.array(counts, dtype=float).T
    assume(p.sum() > 0)
    assume(q.sum() > 0)
    p, q = p / p.sum(), q / q.sum()
    subsets = np.array(np.meshgrid(*[[0, 1]] * len(p))).reshape(len(p), -1)
    assert ((p - q) @ subsets).max() == pytest.approx(
        total_variation(Categorical(p), Categorical(q))
    )


@given(dags(), rngs(), st.integers(0, 20))
def test_fit_equals_least_squares_node_by_node(graph, rng, more):
    d = len(graph)
    values = rng.normal(size=(d + 2 + more, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d)
    model = fit(graph, values)
    for node in range(d):
        parents = np.flatnonzero(graph[:, node])
        design = np.column_stack([np.ones(len(values)), values[:, parents]])
        assume(np.linalg.cond(design) < 1e4)
        solution = np.linalg.lstsq(design, values[:, node])[0]
        result = [model.intercept[node], *model.weights[parents, node]]
        np.testing.assert_allclose(solution, result, rtol=1e-6, atol=1e-8)
        residual = values[:, node] - design @ solution
        np.testing.assert_allclose(np.mean(residual**2), model.noise_variance[node], atol=1e-8)
        assert not model.weights[~graph[:, node], node].any()


@given(dags(), rngs())
def test_fit_is_equivariant_under_changes_of_unit_and_origin(graph, rng):
    d = len(graph)
    values = rng.normal(size=(3 * d + 5, d))
    unit = 10 ** rng.uniform(-3, 3, d) * rng.choice([-1, 1], d)
    before, after = fit(graph, values), fit(graph, values * unit + unit)
    np.testing.assert_allclose(before.weights / unit[:, None] * unit, after.weights, rtol=1e-8)
    np.testing.assert_allclose(before.noise_variance * unit**2, after.noise_variance, rtol=1e-8)
    np.testing.assert_allclose(before.mean() * unit + unit, after.mean(), atol=1e-8 * 1e3)


@given(linear_models(), rngs())
def test_a_fitted_model_has_the_moments_of_nodes_and_their_parents(model, rng):
    """The likelihood equations: sample means, variances and covariances along edges."""
    values = model.sample(model.n_nodes + 30, rng)
    fitted = fit(model.graph, values)
    np.testing.assert_allclose(values.mean(axis=0), fitted.mean(), atol=1e-8)
    centred = values - values.mean(axis=0)
    for node in range(model.n_nodes):
        parents = np.flatnonzero(model.graph[:, node])
        residual = centred[:, node] - centred[:, parents] @ fitted.weights[parents, node]
        np.testing.assert_allclose(0, centred[:, parents].T @ residual, atol=1e-6)


@given(linear_models())
def test_a_population_fit_of_a_super_graph_is_the_true_model(model):
    order = topological_order(model.graph)
    full = np.zeros_like(model.graph)
    full[np.ix_(order, order)] = np.triu(np.ones_like(full), 1)
    fitted = fit_covariance(full, model.covariance(), model.mean())
    np.testing.assert_allclose(model.weights, fitted.weights, atol=1e-7)
    np.testing.assert_allclose(model.noise_variance, fitted.noise_variance, rtol=1e-6)


def test_a_fit_to_a_large_sample_approaches_the_truth():
    """Twenty models of ten nodes at n = 50 000: six standard errors of each coefficient.

    A coefficient's standard error is √(noise variance / (n · variance of the
    parent given the other parents)), a variance's √(2/n) of itself; with 600
    of them one fails with probability 1e-6.
    """
    rng = np.random.default_rng(0)
    n = 50_000
    for _ in range(20):
        truth = SCM(noise_sd=(0.5, 2.0)).draw(erdos_renyi(10, 2, rng), rng)
        fitted = fit(truth.graph, truth.sample(n, rng))
        relative = np.abs(fitted.noise_variance / truth.noise_variance - 1)
        assert (relative < 6 * np.sqrt(2 / n)).all()
        for node in range(10):
            parents = np.flatnonzero(truth.graph[:, node])
            among = truth.covariance()[np.ix_(parents, parents)]
            error = np.sqrt(truth.noise_variance[node] * np.diag(np.linalg.inv(among)) / n)
            off = np.abs(fitted.weights[parents, node] - truth.weights[parents, node])
            assert (off < 6 * error).all()


@given(model_pairs(), st.floats(-3, 3))
def test_all_pairs_equal_one_intervention_at_a_time(models, value):
    """The slow twin: the model under Do, and its own moments."""
    result = tv_matrix(*models, at=value)
    for i in range(models[0].n_nodes):
        do = (Do(i, value),)
        moments = [m(do) for model in models for m in (model.mean, model.covariance)]
        expected = normal_total_variation(
            moments[0], np.diag(moments[1]), moments[2], np.diag(moments[3])
        )
        np.testing.assert_allclose(expected, result[i], atol=1e-8)


@given(model_pairs(), st.sampled_from([None, 0.0, 1.5]))
def test_tv_dag_is_zero_for_equal_models_and_symmetric_at_given_values(models, held):
    first, second = models
    assert 0 == tv_dag(first, first, Quantile(0.2, 0.9), held=held)
    there, back = tv_dag(first, second, 2.0, held=held), tv_dag(second, first, 2.0, held=held)
    assert there == pytest.approx(back)
    assert 0 <= there <= first.n_nodes * (first.n_nodes - 1)


@given(model_pairs(), st.sampled_from([None, 0.5]), st.data())
def test_relabelling_nodes_leaves_tv_dag_unchanged(models, held, data):
    label = data.draw(permutations_of(models[0].n_nodes))
    position = np.argsort(label)
    renamed = [
        LinearSCM(relabel(m.weights, label), m.noise_variance[position], m.intercept[position])
        for m in models
    ]
    expected = tv_dag(*models, held=held)
    assert expected == pytest.approx(tv_dag(*renamed, held=held), abs=1e-8)


@given(model_pairs(), st.data())
def test_units_of_the_nodes_leave_tv_dag_unchanged(models, data):
    unit = 10 ** data.draw(rngs()).uniform(-2, 2, models[0].n_nodes)
    rescaled = [
        LinearSCM(m.weights / unit[:, None] * unit, m.noise_variance * unit**2, m.intercept * unit)
        for m in models
    ]
    assert tv_dag(*models) == pytest.approx(tv_dag(*rescaled), abs=1e-7)


@given(faithful_pairs())
@example((LinearSCM([[0, 2], [0, 0]], 1.0), np.array([[False, False], [True, False]])))
def test_population_fits_have_no_distance_just_where_sid_is_zero(pair):
    """Garant and Jensen 2016, section 4: TV_DAG = 0 implies SID = 0.

    For models whose weights do not cancel, and fits without sampling error,
    the converse holds too.
    """
    truth, guess = pair
    fitted = fit_covariance(guess, truth.covariance(), truth.mean())
    assert (tv_dag(truth, fitted) < 1e-8) == (sid(truth.graph, guess) == 0)


def test_a_super_graphs_distance_vanishes_with_n_and_its_shd_does_not():
    """Means over 20 models of 8 nodes with six superfluous edges.

    The distance falls as 1/√n: by 3.2 a step, of which 2 is asked; the standard
    error of a mean is about 5 %.
    """
    rng = np.random.default_rng(1)
    means, hamming = [], []
    for n in (100, 1000, 10_000, 100_000):
        distances = []
        for _ in range(20):
            truth = SCM().draw(erdos_renyi(8, 1, rng), rng)
            order = topological_order(truth.graph)
            later = np.triu(np.ones((8, 8), dtype=bool), 1)
            absent = np.argwhere(later & ~truth.graph[np.ix_(order, order)])
            graph = truth.graph.copy()
            for a, b in rng.permutation(absent)[:6]:
                graph[order[a], order[b]] = True
            hamming.append(shd(truth.graph, graph))
            distances.append(tv_dag(truth, fit(graph, truth.sample(n, rng))))
        means.append(np.mean(distances))
    assert {6} == set(hamming)
    for few, many in zip(means, means[1:], strict=False):
        assert many < few / 2
