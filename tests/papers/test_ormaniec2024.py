"""Ormaniec et al. 2024 (S3): the examples and theorems that can be computed exactly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalassay.diagnostics import iscm_cev_bound, r2_sortability
from causalassay.graphs import (
    chain,
    enumerate_dags,
    erdos_renyi,
    forest,
    scale_free,
    to_cpdag,
)
from causalassay.models import ISCM, SCM, Standardized, iscm_implied
from published_values import published
from strategies import dags, rngs

CHAIN, FORK, REVERSED = ([(0, 1), (1, 2)], [(1, 0), (1, 2)], [(1, 0), (2, 1)])


def three_nodes(edges, alpha, beta):
    """The systems (13) to (18): alpha joins nodes 0 and 1, beta joins 1 and 2."""
    weights = np.zeros((3, 3))
    weights[edges[0]], weights[edges[1]] = alpha, beta
    return weights


@given(st.floats(0.1, 3), st.floats(0.1, 3), st.floats(0.5, 2))
def test_standardised_three_node_covariances_of_appendix_c41(alpha, beta, sigma):
    expected = {
        "chain": (
            alpha / np.sqrt(alpha**2 + 1),
            alpha * beta / np.sqrt(beta**2 * (alpha**2 + 1) + 1),
            beta * np.sqrt((alpha**2 + 1) / (beta**2 * (alpha**2 + 1) + 1)),
        ),
        "fork": (
            alpha / np.sqrt(alpha**2 + 1),
            alpha * beta / np.sqrt((alpha**2 + 1) * (beta**2 + 1)),
            beta / np.sqrt(beta**2 + 1),
        ),
        "reversed": (
            alpha * np.sqrt((beta**2 + 1) / (alpha**2 * (beta**2 + 1) + 1)),
            alpha * beta / np.sqrt(alpha**2 * (beta**2 + 1) + 1),
            beta / np.sqrt(beta**2 + 1),
        ),
    }
    for name, edges in zip(expected, (CHAIN, FORK, REVERSED), strict=True):
        weights = three_nodes(edges, alpha, beta)
        inverse = np.linalg.inv(np.eye(3) - weights)
        covariance = sigma**2 * inverse.T @ inverse
        sd = np.sqrt(np.diag(covariance))
        correlation = covariance / np.outer(sd, sd)
        np.testing.assert_allclose(
            expected[name], correlation[[0, 0, 1], [1, 2, 2]], rtol=1e-9, err_msg=name
        )


@given(st.floats(0.1, 3), st.floats(0.1, 3), st.floats(0.5, 2))
def test_iscm_three_node_covariances_do_not_depend_on_the_orientation(gamma, lam, sigma):
    """Equation 22."""
    expected = (
        gamma / np.sqrt(gamma**2 + sigma**2),
        gamma * lam / np.sqrt((lam**2 + sigma**2) * (gamma**2 + sigma**2)),
        lam / np.sqrt(lam**2 + sigma**2),
    )
    for edges in (CHAIN, FORK, REVERSED):
        covariance = iscm_implied(three_nodes(edges, gamma, lam), sigma**2).covariance()
        np.testing.assert_allclose(expected, covariance[[0, 0, 1], [1, 2, 2]], rtol=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_theorem_4_every_member_of_a_forests_class_has_the_same_law(seed):
    rng = np.random.default_rng(seed)
    tree = forest(7, rng, n_trees=1 + seed % 3, orientation="random")
    skeleton_weights = rng.uniform(0.5, 2.0, tree.shape)
    skeleton_weights = np.triu(skeleton_weights, 1) + np.triu(skeleton_weights, 1).T
    expected = iscm_implied(np.where(tree, skeleton_weights, 0.0), 1.0).covariance()
    for member in enumerate_dags(to_cpdag(tree)):
        covariance = iscm_implied(np.where(member, skeleton_weights, 0.0), 1.0).covariance()
        np.testing.assert_allclose(expected, covariance, atol=1e-12)


def test_theorem_4_fails_beyond_forests():
    """The remark after the proof: two triangles of one class, the same weights, two laws."""
    triangle = np.triu(np.ones((3, 3), dtype=bool), 1)
    other = triangle[np.ix_([2, 1, 0], [2, 1, 0])]
    weights = np.array([[0, 1.0, 2.0], [1.0, 0, 0.5], [2.0, 0.5, 0]])
    np.testing.assert_array_equal(to_cpdag(triangle), to_cpdag(other))
    one = iscm_implied(np.where(triangle, weights, 0.0), 1.0).covariance()
    two = iscm_implied(np.where(other, weights, 0.0), 1.0).covariance()
    assert np.abs(one - two).max() > 0.05


@given(dags(min_nodes=2), rngs())
def test_theorem_2_bounds_the_cause_explained_variance(dag, rng):
    source = ISCM(weights=(0.5, 2.0), noise_sd=0.8)
    model = source.draw(dag, rng)
    bound = iscm_cev_bound(int(dag.sum(axis=0).max()), 2.0, noise_variance=0.64)
    assert (model.cause_explained_variance() <= bound + 1e-12).all()


def test_figure_1_correlations_rise_along_a_standardised_chain_and_not_along_an_iscm():
    """2000 models: standard errors of the mean |correlation| are below 0.004."""
    rng = np.random.default_rng(0)
    along = {kind: np.zeros(9) for kind in (Standardized, ISCM)}
    for kind in along:
        for _ in range(2000):
            covariance = kind().draw(chain(10), rng).covariance()
            along[kind] += np.abs(np.diag(covariance, 1)) / 2000
    assert along[Standardized][-1] > 0.93
    assert (np.diff(along[Standardized][:5]) > 0).all()
    assert np.ptp(along[ISCM]) < 0.03


@pytest.mark.parametrize("graph", ["ER", "SF"])
def test_figure_4_an_iscm_is_not_r2_sortable_and_a_standardised_scm_is(graph):
    """20 systems of 60 nodes with weights ±(0.5, 2): the mean of iSCM is the figure's."""
    rng = np.random.default_rng(0)
    sortability = {SCM: [], ISCM: []}
    for _ in range(20):
        dag = (
            erdos_renyi(60, 2, rng, exact=False)
            if graph == "ER"
            else scale_free(60, 2, rng, hubs="any")
        )
        for kind, result in sortability.items():
            result.append(r2_sortability(kind().draw(dag, rng).sample(1000, rng), dag))
    expected = published("ormaniec2024")[f"figure-4/iSCM/{graph}/(0.5,2)"]
    assert abs(np.mean(sortability[ISCM]) - expected) < 0.06
    assert np.mean(sortability[SCM]) > 0.75
