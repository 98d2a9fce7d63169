import numpy as np
import pytest
from scipy.integrate import dblquad

from causalassay.diagnostics import iscm_cev_bound, pairwise_varsortability_bound


def test_bounds_of_section_3_3():
    # Reisach et al. 2021: "at least 2/3", and "p > 0.93 provided A is a root node".
    assert 2 / 3 == pytest.approx(pairwise_varsortability_bound(root=False), abs=1e-15)
    assert 0.93 < pairwise_varsortability_bound()
    assert 0.930478554443 == pytest.approx(pairwise_varsortability_bound(), abs=1e-12)


@pytest.mark.parametrize(
    ("weights", "noise_sd"),
    [((0.5, 2.0), (0.5, 2.0)), ((0.5, 0.9), (0.5, 2.0)), ((0.1, 0.9), (1.0, 1.5))],
)
def test_closed_form_equals_quadrature(weights, noise_sd):
    (low, high), (quiet, loud) = weights, noise_sd

    def sorted_given(cause_sd, weight):
        least = np.sqrt(max(0.0, 1 - weight**2)) * cause_sd
        return np.clip((loud - least) / (loud - quiet), 0, 1)

    area, error = dblquad(sorted_given, low, high, quiet, loud, epsabs=1e-7)
    expected = area / (high - low) / (loud - quiet)
    assert expected == pytest.approx(pairwise_varsortability_bound(weights, noise_sd), abs=1e-6)


def test_limits():
    assert 1.0 == pairwise_varsortability_bound((1.0, 2.0))
    assert 1.0 == pairwise_varsortability_bound((0.1, 0.2), (1.0, 1.0))
    assert 0.0 == pairwise_varsortability_bound((0.1, 0.2), root=False)
    assert 1.0 == pairwise_varsortability_bound((1.5, 1.5), root=False)
    near = pairwise_varsortability_bound((0.7 - 1e-7, 0.7 + 1e-7))
    assert near == pytest.approx(pairwise_varsortability_bound((0.7, 0.7)), abs=1e-7)
    assert 1.0 == pairwise_varsortability_bound((0.99, 0.99))


def test_iscm_bound_of_theorem_2():
    assert 16 / 17 == pytest.approx(iscm_cev_bound(2, 2.0), abs=1e-15)
    assert 0.5 == iscm_cev_bound(1, 1.0, noise_variance=1.0)
    assert 0.0 == iscm_cev_bound(0, 2.0)


def test_iscm_bound_is_reached_by_perfectly_correlated_parents():
    # m parents that all but coincide, each with weight w: Var = m²w² + σ².
    m, w, noise = 3, 1.5, 0.7
    assert m**2 * w**2 / (m**2 * w**2 + noise) == pytest.approx(iscm_cev_bound(m, w, noise))


@pytest.mark.parametrize(
    "call",
    [
        lambda: pairwise_varsortability_bound((0.0, 1.0)),
        lambda: pairwise_varsortability_bound((2.0, 1.0)),
        lambda: pairwise_varsortability_bound(noise_sd=(-1.0, 1.0)),
        lambda: iscm_cev_bound(-1, 1.0),
        lambda: iscm_cev_bound(1, 1.0, noise_variance=0.0),
    ],
)
def test_mistakes_are_refused(call):
    with pytest.raises(ValueError, match="expected"):
        call()
