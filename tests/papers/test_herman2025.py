"""Herman et al. 2025 (S1): the laws of UUMC on an edge and on hubs, and its sortability."""

import numpy as np
from scipy import stats

from causalassay.diagnostics import r2_sortability, var_sortability
from causalassay.graphs import chain, erdos_renyi
from causalassay.models import SCM, UUMC
from published_values import published


def hub(n_leaves, direction):
    graph = np.zeros((n_leaves + 1, n_leaves + 1), dtype=bool)
    if direction == "collider":
        graph[1:, 0] = True
    else:
        graph[0, 1:] = True
    return graph


def test_on_a_single_edge_the_weight_is_the_correlation_and_uniform():
    """Kolmogorov-Smirnov at level 1e-4."""
    rng = np.random.default_rng(0)
    models = [UUMC().draw(chain(2), rng) for _ in range(2000)]
    weights = np.array([model.weights[0, 1] for model in models])
    correlations = [model.covariance()[0, 1] for model in models]
    np.testing.assert_allclose(weights, correlations)
    assert stats.kstest(weights, stats.uniform(-1, 2).cdf).pvalue > 1e-4


def test_a_collider_hub_has_r2_u_to_the_two_over_k():
    """Kolmogorov-Smirnov at level 1e-4 for three sizes: P(R² <= x) = x^(k/2)."""
    rng = np.random.default_rng(1)
    for n_leaves in (2, 5, 10):
        graph = hub(n_leaves, "collider")
        r2 = np.array([UUMC().draw(graph, rng).r2()[0] for _ in range(1000)])
        assert stats.kstest(r2 ** (n_leaves / 2), stats.uniform.cdf).pvalue > 1e-4


def test_a_confounder_hub_has_the_r2_of_its_uniform_weights():
    rng = np.random.default_rng(2)
    n_leaves = 6
    weights, r2 = [], []
    for _ in range(500):
        model = UUMC().draw(hub(n_leaves, "confounder"), rng)
        u = model.weights[0, 1:]
        weights.extend(np.abs(u))
        r2.append(model.r2()[0])
        np.testing.assert_allclose(1 - 1 / (1 + np.sum(u**2 / (1 - u**2))), r2[-1])
    assert stats.kstest(weights, stats.uniform.cdf).pvalue > 1e-4


def test_a_confounder_hub_dominates_a_collider_hub():
    """The mechanism of reverse R²-sortability.

    The hub is known at least as well as from its best leaf, R² >= max u², and
    max u² of k uniform u has the collider's law: Kolmogorov-Smirnov at level 1e-4.
    """
    rng = np.random.default_rng(3)
    best_leaf = []
    for _ in range(1000):
        model = UUMC().draw(hub(6, "confounder"), rng)
        best_leaf.append((model.weights[0, 1:] ** 2).max())
        assert model.r2()[0] >= best_leaf[-1] - 1e-12
    assert stats.kstest(np.array(best_leaf) ** (6 / 2), stats.uniform.cdf).pvalue > 1e-4


def test_sortability_anchors_of_twenty_nodes():
    """METHODS A.4, p = .5, n = 100, pairs: UUMC, and unit-variance noise (UVN).

    150 systems: standard errors are at most 0.012; 0.04 is allowed, for the
    anchors have two decimals.
    """
    rng = np.random.default_rng(4)
    printed = published("herman2025")
    for name, source in {"UUMC": UUMC(), "UVN": SCM()}.items():
        anchors = [printed[f"sortability-distributions/p=.5/{name}/{by}"] for by in ("var", "r2")]
        result = []
        for _ in range(150):
            graph = erdos_renyi(20, 0.5 * 19 / 2, rng, exact=False)
            values = source.draw(graph, rng).sample(100, rng)
            result.append(
                [
                    var_sortability(values, graph, convention="pairs"),
                    r2_sortability(values, graph, convention="pairs"),
                ]
            )
        np.testing.assert_allclose(np.mean(result, axis=0), anchors, atol=0.04)
