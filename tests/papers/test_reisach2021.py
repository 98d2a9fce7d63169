"""Reisach et al. 2021 (S0): the examples of the text and the appendices, and table 5."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalassay.diagnostics import alignment, var_sortability
from causalassay.graphs import erdos_renyi, scale_free
from causalassay.lab.papers.computations.reisach2021 import park_backward, park_forward
from causalassay.models import SCM, LinearSCM
from published_values import published

PRINTED = published("reisach2021")
positive = st.floats(0.1, 5)


def edges(n_nodes, *pairs):
    weights = np.zeros((n_nodes, n_nodes))
    for i, j, weight in pairs:
        weights[i, j] = weight
    return weights


def test_section_31_example():
    graph = edges(3, (0, 1, 1), (1, 2, 1), (0, 2, 1)) != 0
    assert PRINTED["section-3.1/example"] == alignment(graph, [2.0, 1.0, 3.0])


@given(st.floats(0.1, 3), positive, positive)
def test_appendix_a_mse_prefers_the_lower_variance_as_the_cause(w, v_a, v_b):
    covariance = LinearSCM(edges(2, (0, 1, w)), [v_a, v_b]).covariance()

    def mse(cause, effect):
        residual = covariance[effect, effect] - covariance[0, 1] ** 2 / covariance[cause, cause]
        return covariance[cause, cause] + residual

    if abs((1 - w**2) * v_a - v_b) > 1e-6:
        assert (mse(0, 1) < mse(1, 0)) == (covariance[0, 0] < covariance[1, 1])
        assert (mse(0, 1) < mse(1, 0)) == ((1 - w**2) * v_a < v_b)


def variances(example):
    return [PRINTED[f"appendix-C/{example}/Var({node})"] for node in "ABC"]


def test_appendix_c1_parks_conditions_hold_without_varsortability():
    model = LinearSCM(edges(3, (0, 1, 1), (1, 2, np.sqrt(2 / 3))), [4, 2, 1])
    covariance = model.covariance()
    np.testing.assert_allclose(variances("C.1"), np.diag(covariance))
    assert park_forward(covariance)
    assert pytest.approx(2 / 3) == alignment(model.graph, np.diag(covariance))


def test_appendix_c2_varsortability_holds_without_parks_conditions():
    half = 1 / np.sqrt(2)
    model = LinearSCM(edges(3, (0, 1, 1), (0, 2, half), (1, 2, half)), [4, 3, 1])
    covariance = model.covariance()
    np.testing.assert_allclose(variances("C.2"), np.diag(covariance))
    assert not park_forward(covariance)
    assert not park_backward(covariance)
    assert 1 == alignment(model.graph, np.diag(covariance))


FAMILIES = {
    "ER-1": lambda rng: erdos_renyi(50, 1, rng),
    "ER-2": lambda rng: erdos_renyi(50, 2, rng),
    "ER-4": lambda rng: erdos_renyi(50, 4, rng),
    "SF-4": lambda rng: scale_free(50, 4, rng),
}


@pytest.mark.parametrize("noise", ["gaussian", "exponential", "gumbel"])
@pytest.mark.parametrize("family", FAMILIES)
def test_table_5_mean_varsortability_of_fifty_nodes(family, noise):
    """Printed to two decimals from ten graphs whose spread is about 0.015: 0.02 is allowed."""
    law = "Gauss-EV" if noise == "gaussian" else noise
    printed = PRINTED[f"table-5/{family}/{law}/mean"]
    rng = np.random.default_rng(0)
    source = SCM(noise=noise, noise_sd=1.0 if noise == "gaussian" else (0.5, 2.0))
    result = []
    for _ in range(10):
        graph = FAMILIES[family](rng)
        result.append(var_sortability(source.draw(graph, rng).sample(1000, rng), graph))
    assert abs(np.mean(result) - printed) < 0.02
