import numpy as np
import pytest

from causalassay.graphs import chain, erdos_renyi
from causalassay.models import SCM, LinearSCM, fit, fit_covariance


def collider(n_parents):
    graph = np.zeros((n_parents + 1, n_parents + 1), dtype=bool)
    graph[:-1, -1] = True
    return graph


def least_squares(graph, values):
    """Weights, noise variances and intercepts by np.linalg.lstsq, node by node."""
    d = len(graph)
    weights, variance, intercept = np.zeros((d, d)), np.zeros(d), np.zeros(d)
    for node in range(d):
        parents = np.flatnonzero(graph[:, node])
        design = np.column_stack([np.ones(len(values)), values[:, parents]])
        solution = np.linalg.lstsq(design, values[:, node])[0]
        intercept[node], weights[parents, node] = solution[0], solution[1:]
        variance[node] = np.mean((values[:, node] - design @ solution) ** 2)
    return weights, variance, intercept


def assert_fits(expected, model, rtol=1e-8, atol=1e-10):
    found = model.weights, model.noise_variance, model.intercept
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=atol)


def test_a_hand_computed_line():
    model = fit(chain(2), [[0, 1], [0, 2], [1, 4], [1, 5]])
    assert_fits(([[0, 3], [0, 0]], [0.25, 0.25], [0.5, 1.5]), model)
    assert "gaussian" == model.noise.family


def test_fit_equals_least_squares_in_any_units():
    """Units of 1e-6 to 1e6, in which np.linalg.lstsq itself would lose its digits."""
    rng = np.random.default_rng(0)
    graph = erdos_renyi(40, 3, rng)
    values = SCM().draw(graph, rng).sample(200, rng)
    unit = 10.0 ** rng.uniform(-6, 6, 40)
    model = fit(graph, values * unit)
    weights, variance, intercept = least_squares(graph, values)
    np.testing.assert_allclose(weights, model.weights * unit[:, None] / unit, rtol=1e-8)
    np.testing.assert_allclose(variance, model.noise_variance / unit**2, rtol=1e-8)
    np.testing.assert_allclose(intercept, model.intercept / unit, rtol=1e-8)


@pytest.mark.parametrize("gap", [1e-3, 1e-5, 1e-7])
def test_nearly_collinear_parents_are_fitted_from_the_values(gap):
    """Correlations alone would lose all digits where the gap squared is the rounding error."""
    rng = np.random.default_rng(1)
    first, other, noise = rng.normal(size=(3, 100))
    second = first + gap * other
    target = 2 * first - second + 0.1 * noise
    model = fit(collider(2), np.column_stack([first, second, target]))
    # In the basis (first, other) the regression is well conditioned.
    design = np.column_stack([np.ones(100), first, other])
    solution = np.linalg.lstsq(design, target)[0]
    np.testing.assert_allclose(solution[2] / gap, model.weights[1, 2], rtol=1e-7)
    np.testing.assert_allclose(
        np.mean((target - design @ solution) ** 2), model.noise_variance[2], rtol=1e-7
    )


def test_a_deterministic_child_has_no_noise():
    first, second = np.random.default_rng(2).normal(size=(2, 50))
    model = fit(collider(2), np.column_stack([first, second, 3 * first - second + 7]))
    np.testing.assert_allclose([3, -1], model.weights[:2, 2])
    assert 0 == model.noise_variance[2]
    assert 7 == pytest.approx(model.intercept[2])


def test_a_small_residual_keeps_its_digits():
    """A share of 1e-12 of the variance, of which correlations know four digits at best."""
    first, noise = np.random.default_rng(3).normal(size=(2, 500))
    noise -= noise.mean() + (first - first.mean()) * (first @ (noise - noise.mean())) / (
        first @ (first - first.mean())
    )
    model = fit(chain(2), np.column_stack([first, first + 1e-6 * noise]))
    assert np.mean(noise**2) * 1e-12 == pytest.approx(model.noise_variance[1], rel=1e-6)


def test_an_edge_without_effect_leaves_the_graph_of_the_model():
    balanced = np.array([[0, 1], [0, 2], [1, 1], [1, 2]])
    model = fit(chain(2), balanced)
    assert 0 == model.weights[0, 1]
    assert not model.graph.any()


def test_a_constant_root_and_a_constant_child_have_variance_zero():
    values = np.column_stack([np.full(5, 0.1), np.arange(5.0), np.full(5, 0.3)])
    graph = np.zeros((3, 3), dtype=bool)
    graph[1, 2] = True
    model = fit(graph, values)
    assert_fits((np.zeros((3, 3)), [0, 2, 0], [0.1, 2, 0.3]), model)
    assert 0 == model.noise_variance[0]


def test_collinear_parents_are_named():
    first, second = np.random.default_rng(4).normal(size=(2, 50))
    target = first + second
    values = np.column_stack([first, second, first - 2 * second + 1e3, target])
    with pytest.raises(
        ValueError,
        match=r"node 3 has the parents 0, 1, 2, but 2 .* combination of 0, 1,.*remove",
    ):
        fit(collider(3), values)
    covariance = np.cov(values, rowvar=False)
    with pytest.raises(ValueError, match=r"node 3 has the parents 0, 1, 2, but 2"):
        fit_covariance(collider(3), covariance)


def test_a_constant_parent_is_named():
    values = np.column_stack([np.full(5, 0.1), np.arange(5.0)])
    with pytest.raises(ValueError, match=r"node 1 has the parents 0, but 0 is constant,"):
        fit(chain(2), values)
    with pytest.raises(ValueError, match=r"but 0 is constant,"):
        fit_covariance(chain(2), [[0, 0], [0, 1]])


def test_too_few_rows_are_refused():
    values = np.random.default_rng(5).normal(size=(4, 4))
    with pytest.raises(ValueError, match=r"node 3 has the parents 0, 1, 2, .* 5 rows, got 4"):
        fit(collider(3), values)
    assert 4 == fit(collider(3), np.vstack([values, -values])).n_nodes


def test_a_population_fit_of_the_true_graph_is_the_model():
    rng = np.random.default_rng(6)
    drawn = SCM(noise_sd=(0.5, 2.0)).draw(erdos_renyi(12, 2, rng), rng)
    truth = LinearSCM(drawn.weights, drawn.noise_variance, rng.normal(size=12))
    found = fit_covariance(truth.graph, truth.covariance(), truth.mean())
    assert_fits((truth.weights, truth.noise_variance, truth.intercept), found, rtol=1e-7)


def test_a_population_fit_equals_the_fit_to_data_with_these_moments():
    rng = np.random.default_rng(7)
    values = rng.normal(size=(30, 5)) @ rng.normal(size=(5, 5)) + 3
    graph = np.triu(np.ones((5, 5), dtype=bool), 1)
    found = fit_covariance(graph, np.cov(values, rowvar=False, ddof=0), values.mean(axis=0))
    assert_fits(least_squares(graph, values), found, rtol=1e-7)


@pytest.mark.parametrize(
    ("covariance", "message"),
    [
        (np.eye(3), "the graph has 2 nodes but the covariance has 3"),
        ([[1, 0.5], [0.4, 1]], r"symmetric matrix, but \(0, 1\) is 0.5"),
        ([[1, 2], [2, 1]], "positive semi-definite"),
        ([[0, 1], [1, 1]], "positive semi-definite"),
        ([[-1, 0], [0, 1]], "negative variance"),
        ([[np.nan, 0], [0, 1]], "finite"),
    ],
)
def test_bad_covariances_are_refused(covariance, message):
    with pytest.raises(ValueError, match=message):
        fit_covariance(chain(2), covariance)


def test_bad_means_and_values_are_refused():
    with pytest.raises(ValueError, match="mean: expected a number or 2"):
        fit_covariance(chain(2), np.eye(2), [1, 2, 3])
    with pytest.raises(ValueError, match="cycle"):
        fit(chain(2) | chain(2).T, np.eye(2))
    with pytest.raises(ValueError, match="2 nodes but the values have 3"):
        fit(chain(2), np.eye(3))
    with pytest.raises(ValueError, match="column 1 leave the range"):
        fit(chain(2), np.random.default_rng(8).normal(size=(9, 2)) * [1, 1e200])
