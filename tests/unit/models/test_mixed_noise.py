"""Noise whose law each node draws: stored in the model, without an order in its shape."""

import dataclasses

import numpy as np
import pytest

from causalassay.data import Dataset
from causalassay.diagnostics import aligned_share, pair_weights
from causalassay.discovery import DirectLiNGAM, RandomSortnRegress
from causalassay.graphs import chain, erdos_renyi
from causalassay.models import (
    ISCM,
    SCM,
    UUMC,
    DaO,
    Do,
    HalfExplained,
    Harmonized,
    LinearSCM,
    MixedNoise,
    Noise,
    NonlinearISCM,
    NonlinearSCM,
    Randomize,
    RawWithISCMNoise,
    RawWithStandardizedNoise,
    Standardized,
)
from causalassay.models.noise import MIXTURE

SOURCES = [
    SCM(),
    SCM(noise_sd=(0.5, 2.0)),
    Standardized(),
    ISCM(),
    UUMC(),
    Harmonized(),
    HalfExplained(),
    DaO(),
    RawWithISCMNoise(),
    RawWithStandardizedNoise(),
]
SAMPLED = [ISCM(sample_size=50), Standardized(sample_size=50), UUMC(sample_size=50)]


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: type(source).__name__)
def test_weights_and_variances_are_those_of_gaussian_noise(source):
    graph = erdos_renyi(8, 2, np.random.default_rng(0))
    mixed = dataclasses.replace(source, noise="mixed").draw(graph, np.random.default_rng(1))
    plain = source.draw(graph, np.random.default_rng(1))
    np.testing.assert_array_equal(plain.weights, mixed.weights)
    np.testing.assert_array_equal(plain.noise_variance, mixed.noise_variance)
    np.testing.assert_array_equal(plain.covariance(), mixed.covariance())
    assert len(mixed.noise.laws) == 8
    assert mixed.noise.family == "mixed"
    assert f"{mixed}" == "LinearSCM(8 nodes, 16 edges, mixed noise)"


def test_other_noises_draw_nothing_for_nodes():
    rng = np.random.default_rng(0)
    state = rng.bit_generator.state
    assert Noise("student-t", 4.0).for_nodes(5, rng) == Noise("student-t", 4.0)
    assert rng.bit_generator.state == state


@pytest.mark.parametrize("source", SAMPLED, ids=lambda source: type(source).__name__)
def test_laws_stay_where_statistics_come_from_a_sample(source):
    graph = erdos_renyi(8, 2, np.random.default_rng(0))
    source = dataclasses.replace(source, noise="mixed")
    model, values = source.calibrate(graph, np.random.default_rng(1))
    exact = dataclasses.replace(source, sample_size=None).draw(graph, np.random.default_rng(1))
    assert model.noise == exact.noise
    assert values.shape == (50, 8)


def test_laws_have_their_probabilities():
    """Six laws, each within 5 standard errors of its share: all pass with probability 1 - 3e-6."""
    assert sum(MIXTURE.values()) == pytest.approx(1.0)
    n = 20_000
    laws = Noise("mixed").for_nodes(n, np.random.default_rng(0)).laws
    for law, share in MIXTURE.items():
        error = np.sqrt(share * (1 - share) / n)
        assert abs(laws.count(law) / n - share) < 5 * error


def test_columns_follow_their_laws():
    noise = MixedNoise(("uniform", "exponential", "mirrored exponential", "gaussian"))
    values = noise.draw(np.random.default_rng(0), (20_000, 4))
    assert np.abs(values[:, 0]).max() < np.sqrt(3)
    assert values[:, 1].min() > -1
    assert values[:, 2].max() < 1
    skewness = (values**3).mean(axis=0) / values.var(axis=0) ** 1.5
    np.testing.assert_allclose([0, 2, -2, 0], skewness, atol=0.2)


def test_interventions_keep_the_laws_and_the_noise_of_the_others():
    model = SCM(noise="mixed").draw(chain(5), np.random.default_rng(0))
    action = (Do(2, 1.0), Randomize(4, 0.0, 1.0))
    assert model.under(action).noise == model.noise
    before = model.sample(20, np.random.default_rng(1))
    after = model.sample(20, np.random.default_rng(1), action)
    np.testing.assert_array_equal(before[:, :2], after[:, :2])


def test_a_nonlinear_model_has_laws_too():
    graph = chain(4)
    raw = NonlinearSCM(noise="mixed").draw(graph, np.random.default_rng(0))
    assert len(raw.noise.laws) == 4
    assert raw.sample(5, np.random.default_rng(0), (Do(1, 0.0),)).shape == (5, 4)
    scaled = NonlinearISCM(noise="mixed", sample_size=100).draw(graph, np.random.default_rng(0))
    assert scaled.noise == raw.noise


def test_a_document_shows_the_laws():
    model = LinearSCM([[0, 1.0], [0, 0]], 1.0, noise=MixedNoise(("uniform", "lognormal")))
    moments = model.document().blocks[1]
    assert [row["noise"] for row in moments.records()] == ["uniform", "lognormal"]


def test_a_model_itself_needs_the_laws():
    with pytest.raises(ValueError, match=r"SCM\(noise=.mixed.\)"):
        LinearSCM([[0, 1.0], [0, 0]], 1.0, noise="mixed")
    with pytest.raises(ValueError, match="expected 2 laws, got 1"):
        LinearSCM([[0, 1.0], [0, 0]], 1.0, noise=MixedNoise(("uniform",)))
    with pytest.raises(ValueError, match="did you mean 'uniform'"):
        MixedNoise(("unifrom",))
    with pytest.raises(ValueError, match="for_nodes"):
        Noise("mixed").draw(np.random.default_rng(0), (3, 2))


def shapes(values):
    """Return |excess kurtosis|, |skewness| and skewness of each column."""
    centred = values - values.mean(axis=0)
    variance = (centred**2).mean(axis=0)
    skewness = (centred**3).mean(axis=0) / variance**1.5
    kurtosis = (centred**4).mean(axis=0) / variance**2 - 3
    return np.abs(kurtosis), np.abs(skewness), skewness


def mean_shares(source, n_graphs):
    shares = []
    for seed in range(n_graphs):
        rng = np.random.default_rng([seed, 2])  # none of the graphs that the shares were tuned on
        graph = erdos_renyi(20, 2, rng)
        values = source.draw(graph, rng).sample(1000, rng)
        weights = pair_weights(graph, "paths")
        shares.append([aligned_share(weights, statistic, 1e-9) for statistic in shapes(values)])
    return np.mean(shares, axis=0)


@pytest.mark.parametrize("source", [ISCM(noise="mixed"), UUMC(noise="mixed")])
def test_no_shape_of_a_column_reveals_the_order(source):
    """The standard errors over 200 graphs are at most 0.014; the seeds are fixed."""
    assert (np.abs(mean_shares(source, 200) - 0.5) < 0.05).all()


@pytest.mark.parametrize("noise", ["laplace", "exponential"])
def test_with_one_law_the_kurtosis_falls_along_the_order(noise):
    """About 0.1, with a standard error of 0.02 over 30 graphs."""
    assert mean_shares(ISCM(noise=noise), 30)[0] < 0.2


@pytest.mark.parametrize("source", [ISCM(noise="mixed"), UUMC(noise="mixed")])
def test_direct_lingam_still_finds_much_of_the_order(source):
    """Over 40 other graphs: 0.82 of the pairs or more, and 0.5 with random orders.

    The difference of the means of 10 has a standard error of about 0.06.
    """
    found = {"lingam": [], "random": []}
    for seed in range(10):
        rng = np.random.default_rng([seed, 3])
        graph = erdos_renyi(20, 2, rng)
        data = Dataset.from_values(source.draw(graph, rng).sample(1000, rng))
        weights = pair_weights(graph, "pairs")
        for name, algorithm in (("lingam", DirectLiNGAM()), ("random", RandomSortnRegress())):
            position = np.empty(20)
            position[list(algorithm.discover(data, rng).order)] = np.arange(20)
            found[name].append(aligned_share(weights, position))
    assert np.mean(found["lingam"]) > np.mean(found["random"]) + 0.1
