"""Reisach, Seiler, Weichwald (2021), appendix F: tables 3 and 4, from exact covariances.

The tolerance of each number combines the printed Monte-Carlo error with ours at
99.9 %. Table 4 was printed from samples of 1000 rows (1000 for each of four noise
laws); here it comes from exact covariances, which do not depend on the law.
"""

import numpy as np
import pytest

from causalassay.diagnostics import chain_leaning, orient_chain
from causalassay.lab.papers.computations.reisach2021 import chain_covariances

TWO_SIDED = 3.2905  # normal quantile at 99.95 %


def tolerance(percentage, n_theirs, n_ours):
    share = percentage / 100
    return 100 * TWO_SIDED * np.sqrt(share * (1 - share) * (1 / n_theirs + 1 / n_ours)) + 0.001


TABLE_3 = {  # weights: for each scale P[right], P[wrong], P[correct with a coin]
    (0.5, 2.0): ((29.376, 5.486, 61.945), (73.181, 26.819, 73.181), (31.631, 17.318, 57.1565)),
    (0.5, 0.9): ((31.033, 18.124, 56.454), (62.231, 37.769, 62.231), (30.025, 20.607, 54.709)),
    (0.1, 0.9): ((32.480, 24.012, 54.234), (55.790, 44.210, 55.790), (31.867, 25.136, 53.3655)),
}


@pytest.mark.parametrize("weights", TABLE_3)
def test_table_3(weights):
    n = 100_000
    covariances = chain_covariances(3, weights, n, np.random.default_rng(3))
    for (scale, covariance), printed in zip(covariances.items(), TABLE_3[weights], strict=True):
        leaning = chain_leaning(covariance)
        right, wrong = 100 * (leaning > 0).mean(), 100 * (leaning < 0).mean()
        for theirs, ours in zip(printed, (right, wrong, 50 + (right - wrong) / 2), strict=True):
            assert theirs == pytest.approx(ours, abs=tolerance(theirs, n, n)), (weights, scale)


TABLE_4 = {  # d, weights: variance rule raw, standardised, harmonised; coefficient rule likewise
    (3, (0.5, 2.0)): ((97.50, 50.05, 84.70), (62.58, 73.03, 57.30)),
    (3, (0.5, 0.9)): ((80.38, 50.05, 69.62), (57.15, 62.38, 55.65)),
    (3, (0.1, 0.9)): ((65.65, 50.30, 60.08), (54.17, 55.88, 53.45)),
    (5, (0.5, 2.0)): ((98.67, 50.15, 82.17), (78.60, 86.58, 64.20)),
    (5, (0.5, 0.9)): ((77.65, 49.27, 66.30), (61.83, 68.65, 57.50)),
    (5, (0.1, 0.9)): ((63.08, 50.38, 57.65), (58.17, 57.33, 56.35)),
    (10, (0.5, 2.0)): ((99.38, 50.02, 79.30), (93.72, 96.97, 69.08)),
    (10, (0.5, 0.9)): ((73.75, 50.25, 62.00), (64.97, 70.70, 58.50)),
    (10, (0.1, 0.9)): ((62.55, 51.23, 58.25), (55.85, 56.05, 54.40)),
}


@pytest.mark.parametrize(("d", "weights"), TABLE_4)
def test_table_4(d, weights):
    n = 20_000
    covariances = chain_covariances(d, weights, n, np.random.default_rng(d))
    for rule, printed in zip(("variances", "coefficients"), TABLE_4[d, weights], strict=True):
        for (scale, covariance), theirs in zip(covariances.items(), printed, strict=True):
            ours = 50 + 50 * chain_leaning(covariance, rule).mean()
            allowed = tolerance(theirs, 4000, n)
            assert theirs == pytest.approx(ours, abs=allowed), (rule, scale)


def test_samples_are_oriented_as_their_population():
    rng = np.random.default_rng(0)
    covariances = chain_covariances(10, (0.5, 2.0), 100, rng)["raw"]
    expected = chain_leaning(covariances)
    drawn = [rng.multivariate_normal(np.zeros(10), c, size=5000) for c in covariances]
    names = {"left-to-right": 1, "right-to-left": -1, "undecided": 0}
    assert 0.9 <= np.mean([names[orient_chain(values)] for values in drawn] == expected)
