"""Garant and Jensen 2016 (S4): table 1, and what sections 3, 4 and 6 say of total variation."""

import gadjid
import numpy as np
import pytest
from scipy.stats import norm

from causalassay.graphs import erdos_renyi, topological_order
from causalassay.metrics import normal_total_variation, shd, tv_dag, tv_matrix
from causalassay.models import SCM, LinearSCM, fit, fit_covariance
from published_values import published

PRINTED = published("garant2016")


def figure_1(on_1, on_2):
    """V1 and V2 are causes of V3, all with unit noise."""
    return LinearSCM([[0, 0, on_1], [0, 0, on_2], [0, 0, 0]], 1.0)


G1, G2, G3 = figure_1(1, 0.1), figure_1(1, 0), figure_1(0, 0.1)


def sid(truth, guess):
    return gadjid.sid(
        truth.astype(np.int8), guess.astype(np.int8), edge_direction="from row to column"
    )[1]


@pytest.mark.parametrize(
    ("model", "laws", "digits"),
    [(G2, "P1,P2", [0.0, 0.0797]), (G3, "P1,P3", [0.6827, 0.0])],
)
def test_table_1_with_the_other_parent_held_at_zero(model, laws, digits):
    """do(V1 = 2) and do(V2 = 2), outcome V3; all other pairs are 0."""
    result = tv_matrix(G1, model, at=2, held=0)
    printed = [PRINTED[f"table-1/do({cause}=2)/TV({laws})"] for cause in ("V1", "V2")]
    np.testing.assert_allclose(printed, result[:2, 2], atol=0.005)
    np.testing.assert_allclose(digits, result[:2, 2], atol=5e-5)
    assert sum(digits) == pytest.approx(tv_dag(G1, model, at=2, held=0), abs=5e-5)


def test_table_1_with_the_other_parent_at_its_own_law():
    """METHODS F: .06 in place of .08, and the zeros are zero no more.

    Under do(V2 = 2) the variance of V1 is added to V3's noise in G1 and G2;
    G3 lacks it, and G2 lacks that of V2 under do(V1 = 2).
    """
    spread = np.sqrt(2)
    omitted_2 = tv_matrix(G1, G2, at=2)[:2, 2]
    expected = [normal_total_variation(2, 1.01, 2, 1), 2 * norm.cdf(0.1 / spread) - 1]
    np.testing.assert_allclose(expected, omitted_2, atol=1e-12)
    np.testing.assert_allclose([0.0024, 0.0564], omitted_2, atol=5e-5)
    omitted_1 = tv_matrix(G1, G3, at=2)[:2, 2]
    expected = [2 * norm.cdf(1 / np.sqrt(1.01)) - 1, normal_total_variation(0.2, 2, 0.2, 1)]
    np.testing.assert_allclose(expected, omitted_1, atol=1e-12)
    np.testing.assert_allclose([0.6803, 0.1661], omitted_1, atol=5e-5)


def test_section_1_structural_distances_cannot_tell_the_two_omissions_apart():
    for name, model in {"G2": G2, "G3": G3}.items():
        assert PRINTED[f"section-1/{name}/SHD"] == shd(G1.graph, model.graph)
        assert PRINTED[f"section-1/{name}/SID"] == sid(G1.graph, model.graph)
    assert tv_dag(G1, G3, at=2, held=0) > 8 * tv_dag(G1, G2, at=2, held=0)


def test_section_3_a_super_graph_estimates_all_laws_in_the_limit():
    """G3 is the truth and G1 the estimate: SHD 1, SID 0, and no distance in the population."""
    assert PRINTED["section-3/SHD"] == shd(G3.graph, G1.graph)
    assert 0 == sid(G3.graph, G1.graph)
    assert tv_dag(G3, fit_covariance(G1.graph, G3.covariance())) < 1e-8


def synthetic(rng, strength=1.0):
    """Section 5.2.1 and 6.1: 14 nodes, 2 neighbours expected, weights U[.1, 1], unit noise."""
    graph = erdos_renyi(14, 1, rng, exact=False)
    return SCM(weights=(0.1 * strength, strength), signs="positive").draw(graph, rng)


def with_one_edge_changed(graph, rng, present):
    """The graph without one of its edges, or with one more that keeps it acyclic."""
    position = np.argsort(topological_order(graph))
    candidates = graph if present else ~graph & (position[:, None] < position)
    changed = graph.copy()
    i, j = rng.choice(np.argwhere(candidates))
    changed[i, j] = not present
    return changed


def test_section_62_a_superfluous_edge_costs_less_than_a_missing_one():
    """At equal SHD of 1: "2-5 times less" on the real domains; twice is asked.

    Means of the excess over the fit of the true graph, 60 systems: about 0.014
    with a standard error of 0.004, and 0.5 with one of 0.05.
    """
    rng = np.random.default_rng(0)
    excess = {True: [], False: []}
    for _ in range(60):
        truth = synthetic(rng)
        values = truth.sample(473, rng)
        least = tv_dag(truth, fit(truth.graph, values))
        for present, result in excess.items():
            graph = with_one_edge_changed(truth.graph, rng, present)
            result.append(tv_dag(truth, fit(graph, values)) - least)
    assert 0 < 2 * np.mean(excess[False]) < np.mean(excess[True])


def test_section_63_a_missing_edge_costs_less_where_dependence_is_weak():
    """Ten times weaker weights, the same SHD of 1.

    Population fits of 30 systems: means of about 0.04 and 0.5, with standard
    errors of a tenth; a factor of 5 is asked.
    """
    rng = np.random.default_rng(1)
    means = []
    for strength in (0.1, 1.0):
        distances = []
        for _ in range(30):
            truth = synthetic(rng, strength)
            graph = with_one_edge_changed(truth.graph, rng, present=True)
            distances.append(tv_dag(truth, fit_covariance(graph, truth.covariance())))
        means.append(np.mean(distances))
    assert 5 * means[0] < means[1]
