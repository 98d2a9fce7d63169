"""The searches for any test or score, given Gaussian ones, are the fast Gaussian searches.

These have slow twins of their own; what is left for discrete data are the tests and scores.
"""

import numpy as np
import pytest
from scipy.stats import norm

from causalassay.data import Dataset
from causalassay.discovery.ges import GES
from causalassay.discovery.independence import largest_independent, z_scales
from causalassay.discovery.mmhc import candidates_by_any_test, candidates_by_fisher_z
from causalassay.discovery.pc import skeleton_by_any_test, skeleton_by_fisher_z
from causalassay.discovery.search.any_score_search import ScoreOperators, climb_score
from causalassay.discovery.search.dag_climbing import TIE, climb
from causalassay.discovery.search.equivalence_classes import search_with_operators
from causalassay.discovery.search.scores import PHASES
from causalassay.discovery.statistics import gaussian_statistics, unexplained_share
from causalassay.graphs import erdos_renyi
from causalassay.models import draw
from constraint_twins import standard_z

SEEDS = range(12)


def problem(seed, n_nodes=7, n_samples=200):
    rng = np.random.default_rng([7, seed])
    model = draw("iscm", erdos_renyi(n_nodes, 1.5, rng), rng)
    return Dataset.from_values(model.sample(n_samples, rng))


def gaussian_score(statistics):
    def score(node, parents):
        share = unexplained_share(statistics.correlation, node, np.array(sorted(parents), int))
        n = statistics.n_samples
        return -0.5 * n * np.log(share) - 0.5 * np.log(n) * len(parents)

    return score


def gaussian_minus_log_p(statistics):
    def minus_log_p(target, others, given):
        z = [
            standard_z(statistics.correlation, statistics.n_samples, target, other, given)
            for other in others
        ]
        return -(np.log(2) + norm.logsf(z))

    return minus_log_p


@pytest.mark.parametrize("seed", SEEDS)
def test_the_class_search_is_ges(seed):
    data = problem(seed)
    settings = GES(penalty_discount=1.0, phases=PHASES, iterate=True, max_parents=4)
    operators = ScoreOperators(gaussian_score(gaussian_statistics(data)), 200)
    estimate = search_with_operators(
        operators, np.zeros((7, 7), dtype=bool), settings, data.columns
    )
    expected = settings.discover(data, None)
    np.testing.assert_array_equal(expected.graph, estimate.graph)
    assert expected.info["steps"] == estimate.steps


@pytest.mark.parametrize("seed", SEEDS)
def test_the_climb_is_the_gaussian_climb(seed):
    statistics = gaussian_statistics(problem(seed))
    everything = ~np.eye(7, dtype=bool)
    expected = climb(statistics, everything, np.random.default_rng(seed))
    score, rng = gaussian_score(statistics), np.random.default_rng(seed)
    estimate = climb_score(score, everything, rng, TIE * statistics.n_samples)
    np.testing.assert_array_equal(expected.graph, estimate.graph)
    assert expected.score == pytest.approx(estimate.score)
    assert expected.n_changes == estimate.n_changes


@pytest.mark.parametrize("seed", SEEDS)
def test_the_skeleton_is_that_of_pc(seed):
    data = problem(seed)
    statistics = gaussian_statistics(data)
    limits = largest_independent(0.05, z_scales(200, 5))
    expected = skeleton_by_fisher_z(statistics.correlation, limits, data)
    graph = skeleton_by_any_test(7, gaussian_minus_log_p(statistics), 0.05, 5)
    for one, other in zip(expected, graph, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_candidates_are_those_of_mmpc(seed):
    data = problem(seed)
    statistics = gaussian_statistics(data)
    expected = candidates_by_fisher_z(statistics.correlation, 0.05, z_scales(200, 5), data)
    result = candidates_by_any_test(gaussian_minus_log_p(statistics), 0.05, 5, data)
    np.testing.assert_array_equal(expected, result)
