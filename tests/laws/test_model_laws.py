"""Laws of linear models. Every statistical test fixes its seed and states its error rate."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalassay.graphs import erdos_renyi, reachability
from causalassay.models import (
    ISCM,
    SCM,
    SNR,
    UUMC,
    DaO,
    Do,
    HalfExplained,
    Harmonized,
    Noise,
    Randomize,
    Shift,
    Standardized,
)
from causalassay.models.noise import FAMILIES
from strategies import dags, linear_models, rngs

SCHEMES = {
    "scm": SCM(),
    "scm-unequal": SCM(noise_sd=(0.5, 2.0)),
    "standardized": Standardized(),
    "standardized-sample": Standardized(sample_size=100),
    "iscm": ISCM(),
    "iscm-sample": ISCM(sample_size=100),
    "uumc": UUMC(),
    "uumc-sample": UUMC(sample_size=100),
    "harmonized": Harmonized(),
    "harmonized-noise": Harmonized(scale_noise=True),
    "half-explained": HalfExplained(),
    "half-explained-sample": HalfExplained(sample_size=100),
    "snr": SNR(),
    "snr-sample": SNR(sample_size=100),
    "dao": DaO(),
}
INTERVENTIONS = {
    "observation": (),
    "do": (Do(1, 2.0),),
    "shift": (Shift(1, -1.5),),
    "randomize": (Randomize(1, mean=1.0, variance=4.0),),
    "latent": (Do(0, 1.0, "latent"), Shift(2, 1.0, "latent"), Randomize(1, 1.0, 2.0, "latent")),
    "several": (Do(0, -1.0), Shift(2, 3.0), Randomize(3, mean=0.0, variance=0.5)),
}


@pytest.mark.parametrize("intervention", INTERVENTIONS.values(), ids=INTERVENTIONS.keys())
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES.keys())
def test_samples_have_the_exact_moments(scheme, family, intervention):
    """15 schemes x 8 noises x 6 interventions.

    Each of the 720 cases compares 4 means and 10 covariances with 6 of their
    own standard errors: for Gaussian statistics all together fail with
    probability 2e-5.
    """
    import dataclasses

    rng = np.random.default_rng(20)
    model = dataclasses.replace(scheme, noise=family).draw(erdos_renyi(4, 1.25, rng), rng)
    n = 20_000
    values = model.sample(n, rng, intervention)
    mean, covariance = model.mean(intervention), model.covariance(intervention)
    mean_error = values.std(axis=0) / np.sqrt(n)
    assert (np.abs(values.mean(axis=0) - mean) <= 6 * mean_error + 1e-9).all()
    centred = values - mean
    products = centred[:, :, None] * centred[:, None, :]
    covariance_error = products.std(axis=0) / np.sqrt(n)
    assert (np.abs(products.mean(axis=0) - covariance) <= 6 * covariance_error + 1e-9).all()


@pytest.mark.parametrize("family", FAMILIES)
def test_noise_is_centred_with_unit_variance(family):
    """Six standard errors for each of two moments: 4e-9 for a Gaussian statistic."""
    rng = np.random.default_rng(1)
    values = Noise(family).for_nodes(1, rng).draw(rng, (400_000, 1))
    assert abs(values.mean()) < 6 * values.std() / np.sqrt(len(values))
    assert abs(values.var() - 1) < 6 * (values**2).std() / np.sqrt(len(values))


def unblocked_paths(dag, source, target):
    """All simple paths of the skeleton without a collider: the slow, obvious way."""
    between = [k for k in range(len(dag)) if k not in (source, target)]
    for length in range(len(between) + 1):
        for inner in permutations(between, length):
            path = (source, *inner, target)
            steps = list(zip(path, path[1:], strict=False))
            if not all(dag[a, b] or dag[b, a] for a, b in steps):
                continue
            if any(
                dag[a, b] and dag[c, b] for a, b, c in zip(path, path[1:], path[2:], strict=False)
            ):
                continue
            yield [(a, b) if dag[a, b] else (b, a) for a, b in steps]


@pytest.mark.parametrize("scheme", [Standardized(), ISCM(), UUMC(), HalfExplained(), SNR(), DaO()])
@given(data=st.data())
def test_covariance_of_unit_variance_models_sums_over_unblocked_paths(scheme, data):
    """Ormaniec 2024, lemma 1."""
    dag = data.draw(dags(max_nodes=5))
    model = scheme.draw(dag, data.draw(rngs()))
    expected = np.eye(len(dag))
    for i in range(len(dag)):
        for j in range(len(dag)):
            if i != j:
                expected[i, j] = sum(
                    np.prod([model.weights[edge] for edge in path])
                    for path in unblocked_paths(dag, i, j)
                )
    np.testing.assert_allclose(expected, model.covariance(), atol=1e-10)


@given(linear_models(max_nodes=6))
def test_covariance_solves_the_structural_equations(model):
    inverse = np.linalg.inv(np.eye(model.n_nodes) - model.weights)
    expected = inverse.T @ np.diag(model.noise_variance) @ inverse
    np.testing.assert_allclose(expected, model.covariance(), rtol=1e-9, atol=1e-9)


@given(linear_models(min_nodes=2))
def test_r2_is_at_least_the_cause_explained_variance(model):
    assert (model.r2() >= model.cause_explained_variance() - 1e-12).all()


@given(linear_models(min_nodes=2), st.data())
def test_do_leaves_non_descendants_alone(model, data):
    node = data.draw(st.integers(0, model.n_nodes - 1))
    untouched = ~reachability(model.graph)[node]
    untouched[node] = False
    before = model.sample(20, np.random.default_rng(0))
    after = model.sample(20, np.random.default_rng(0), (Do(node, 3.0),))
    np.testing.assert_array_equal(before[:, untouched], after[:, untouched])
    np.testing.assert_array_equal(3.0, after[:, node])
    np.testing.assert_allclose(
        model.covariance()[np.ix_(untouched, untouched)],
        model.covariance((Do(node, 3.0),))[np.ix_(untouched, untouched)],
        atol=1e-9,
    )


@given(linear_models())
def test_sampling_equals_the_slow_recursion(model):
    """Node by node with plain numpy, from the same noise."""
    from causalassay.graphs import topological_order

    values = model.sample(5, np.random.default_rng(3))
    noise = np.random.default_rng(3).standard_normal((5, model.n_nodes))
    expected = np.zeros_like(noise)
    for node in topological_order(model.graph):
        own = model.intercept[node] + np.sqrt(model.noise_variance[node]) * noise[:, node]
        expected[:, node] = own + expected @ model.weights[:, node]
    np.testing.assert_allclose(expected, values, rtol=1e-12, atol=1e-12)


@given(dags(min_nodes=2), rngs())
def test_an_intervention_on_an_iscm_equals_one_on_its_implied_model(dag, rng):
    """Ormaniec 2024, appendix B: the latent assignment x_i := v gives (v - mu_i) / s_i."""
    model = ISCM(sample_size=30).draw(dag, rng)
    latent = model.mean((Do(0, 2.0, scale="latent"),))
    observed = model.mean((Do(0, (2.0 - model.latent_mean[0]) / model.latent_sd[0]),))
    np.testing.assert_allclose(latent, observed)
