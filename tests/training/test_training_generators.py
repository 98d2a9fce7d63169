"""Systems drawn by torch have the laws of the package's own.

Each comparison is a two-sample Kolmogorov-Smirnov test between independent systems with fixed
seeds; it refuses equal laws in one of ten thousand seeds (`LEVEL`; with ties in fewer).
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chisquare, ks_2samp

import causalassay.models as m
from causalassay import graphs as families
from causalassay.diagnostics import r2_sortability, snr_sortability, var_sortability
from causalassay.models import noise as package_noise
from causalassay.models.linear.scaling import rescale, signal_to_noise, standardize
from causalassay.models.linear.scm import LinearSCM
from causalassay.models.nonlinear.mechanisms import MLP, FourierFeatures, MultiIndex, Sigmoid
from causalassay.models.nonlinear.sources import NonlinearISCM, NonlinearSNR
from training_twins import generator, torch

if torch:
    from training.noise import LAWS, MIXTURE, draw_laws, draw_noise
    from training.priors import ONE_LAW, PRIORS

    from training import generators, graphs, linear, nonlinear

pytestmark = pytest.mark.needs("package:torch")

LEVEL = 1e-4


def assert_same_law(ours, theirs):
    ours, theirs = (np.ravel(values).astype(float).round(5) for values in (ours, theirs))
    assert ks_2samp(ours, theirs).pvalue > LEVEL


def repeated(graph, n_systems):
    return torch.from_numpy(graph).expand(n_systems, *graph.shape)


def fixed_graph(n_nodes=8, edges_per_node=2, seed=5):
    rng = np.random.default_rng(seed)
    upper = np.argwhere(np.triu(np.ones((n_nodes, n_nodes)), 1))
    graph = np.zeros((n_nodes, n_nodes), dtype=bool)
    chosen = rng.choice(len(upper), edges_per_node * n_nodes, replace=False)
    graph[tuple(upper[chosen].T)] = True
    return graph


# Noise


@pytest.mark.parametrize("number", range(8))
def test_each_law_of_noise_is_that_of_the_package(number):
    law = LAWS[number]
    laws = torch.full((1, 2), number)
    ours = draw_noise(laws, 4000, generator(number)).numpy()
    theirs = package_noise.MixedNoise((law, law)).draw(np.random.default_rng(number), (4000, 2))
    assert_same_law(ours, theirs)


def test_all_laws_have_mean_0_and_variance_1_and_nodes_are_independent():
    laws = torch.arange(len(LAWS)).repeat(40, 1)
    drawn = draw_noise(laws, 5000, generator(0)).double()
    mean, variance = drawn.mean((0, 2)).numpy(), drawn.var((0, 2)).numpy()
    n = 40 * 5000
    assert np.abs(mean).max() < 5 / math.sqrt(n)
    # The fourth moment of a lognormal is 114: its variance has a standard error of √(113/n).
    assert np.abs(variance - 1).max() < 5 * math.sqrt(113 / n)
    correlation = np.corrcoef(drawn.permute(1, 0, 2).reshape(len(LAWS), -1).numpy())
    assert np.abs(correlation - np.eye(len(LAWS))).max() < 5 / math.sqrt(n)


def test_laws_have_their_shares():
    assert MIXTURE == package_noise.MIXTURE
    each = torch.arange(4000) < 2000
    laws = draw_laws(ONE_LAW, (4000, 5), each, generator(1)).numpy()
    own, one = laws[:2000].ravel(), laws[2000:]
    assert (one == one[:, :1]).all()
    for drawn, shares in ((own, MIXTURE), (one[:, 0], ONE_LAW)):
        counts = np.bincount(drawn, minlength=len(LAWS))
        expected = np.array([shares.get(law, 0.0) for law in LAWS])
        assert counts[expected == 0].sum() == 0
        some = expected > 0
        assert chisquare(counts[some], expected[some] * len(drawn)).pvalue > LEVEL


# Graphs


def described_graphs(drawn):
    drawn = np.asarray(drawn)
    return {
        "edges": drawn.sum((1, 2)),
        "most parents": drawn.sum(1).max(1),
        "most children": drawn.sum(2).max(1),
        "sources": (drawn.sum(1) == 0).sum(1),
        "colliders": (drawn.sum(1) * (drawn.sum(1) - 1)).sum(1),
        "paths of two": np.einsum("sij,sjk->s", drawn.astype(int), drawn.astype(int)),
    }


@pytest.mark.parametrize("family", ["er", "in", "any"])
def test_graphs_have_the_laws_of_the_families(family):
    n_systems, n_nodes = 500, 9
    many = torch.full((n_systems,), 2)
    hubs_in = torch.full((n_systems,), family == "in")
    if family == "er":
        ours = graphs.erdos_renyi(n_nodes, 9 * many, generator(2))
        one = lambda seed: families.erdos_renyi(n_nodes, 2, seed)  # noqa: E731
    else:
        ours = graphs.scale_free(n_nodes, many, hubs_in, generator(3))
        one = lambda seed: families.scale_free(n_nodes, 2, seed, hubs=family)  # noqa: E731
    theirs = described_graphs([one(seed) for seed in range(n_systems)])
    for name, values in described_graphs(ours).items():
        assert_same_law(values, theirs[name])


def test_every_prior_draws_acyclic_graphs_in_a_causal_order():
    for prior in PRIORS.values():
        for n_nodes in (3, 10):
            drawn = generators.draw_graphs(prior, n_nodes, 60, generator(4))
            assert drawn.shape == (60, n_nodes, n_nodes)
            assert not drawn.tril().any()
            assert drawn.any()


def test_renamed_nodes_keep_their_columns():
    part = generators.draw(PRIORS["raw"], 10, 4, 50, generator(5))[0]
    other = generators.shuffled(part, generator(6))
    for columns, graph, moved, renamed in zip(*part, *other, strict=True):
        place = [int((moved == column).all(1).nonzero()) for column in columns]
        assert place != list(range(10))
        assert torch.equal(renamed[place][:, place], graph)


# Linear models


def package_models(source, graph, n_systems):
    return [source.draw(graph, np.random.default_rng(seed)) for seed in range(n_systems)]


def drawn_models(scheme, graph, rng):
    """Return the torch twin of the package's default models: weights and noise variances."""
    n_systems, n_nodes, _ = graph.shape
    ones, zeros = torch.ones((n_systems, n_nodes)), torch.zeros(n_systems, dtype=torch.long)
    if scheme == "dao":
        return linear.dao_weights(graph, linear.onion_shares(graph, rng), rng)
    if scheme == "uumc":
        model, rule = linear.uumc_weights(graph, rng), linear.STANDARDIZED
    else:
        ranges = {"harmonized": (0.5, 1.5), "snr": (1.0, 3.0)}
        low, high = (torch.full((n_systems,), x) for x in ranges.get(scheme, (0.5, 2.0)))
        signs = zeros + 2 if scheme == "snr" else zeros
        model = linear.raw_weights(graph, low, high, signs, rng), ones
        if scheme == "harmonized":
            return linear.harmonized(*model, zeros > 0)
        rules = {"scm": linear.UNCHANGED, "iscm": linear.STANDARDIZED, "snr": linear.EXPLAINED}
        rule = rules[scheme]
    return linear.rescaled(*model, zeros + rule, ones * 5 / 6)


SOURCES = {
    "scm": m.SCM(),
    "iscm": m.ISCM(),
    "uumc": m.UUMC(),
    "harmonized": m.Harmonized(),
    "snr": m.SNR(),
    "dao": m.DaO(),
}


@pytest.mark.parametrize("scheme", SOURCES)
def test_parameters_of_models_have_the_laws_of_the_package(scheme):
    n_systems = 400
    graph = families.chain(6) if scheme == "dao" else fixed_graph()
    if scheme == "dao":  # DaO's positions are those of the order only where that is unique
        graph = np.triu(np.ones((6, 6), dtype=bool), 1)
    weights, variance = drawn_models(scheme, repeated(graph, n_systems), generator(7))
    theirs = package_models(SOURCES[scheme], graph, n_systems)
    for edge in np.argwhere(graph)[::3]:
        place = (slice(None), *edge)
        assert_same_law(weights[place], [model.weights[tuple(edge)] for model in theirs])
    for node in (0, 3, 5):
        assert_same_law(variance[:, node], [model.noise_variance[node] for model in theirs])
    assert not weights[:, ~torch.from_numpy(graph)].any()


@pytest.mark.parametrize("scheme", ["scm", "iscm", "uumc", "snr", "dao"])
def test_data_are_as_sortable_as_those_of_the_package(scheme):
    n_systems, n_rows = 250, 200
    graph = np.triu(np.ones((6, 6), dtype=bool), 1) if scheme == "dao" else fixed_graph()
    weights, variance = drawn_models(scheme, repeated(graph, n_systems), generator(8))
    laws = torch.zeros(variance.shape, dtype=torch.long)
    ours = linear.sampled(weights, variance, laws, n_rows, generator(9)).mT.numpy()
    rng = np.random.default_rng(10)
    models = package_models(SOURCES[scheme], graph, n_systems)
    theirs = [model.sample(n_rows, rng) for model in models]
    for sortability in (var_sortability, r2_sortability, snr_sortability):
        assert_same_law(
            [sortability(values, graph) for values in ours],
            [sortability(values, graph) for values in theirs],
        )


@pytest.mark.parametrize("rule", ["standardize", "signal_to_noise"])
def test_rescaled_models_are_exactly_those_of_the_package(rule):
    graph = fixed_graph()
    rng = np.random.default_rng(11)
    weights = np.where(graph, rng.uniform(-2, 2, graph.shape), 0.0)
    variance = rng.uniform(0.5, 2, len(graph)) if rule == "standardize" else np.ones(len(graph))
    own = standardize if rule == "standardize" else signal_to_noise(4.0)
    theirs = rescale(LinearSCM(weights, variance), own)
    number = linear.STANDARDIZED if rule == "standardize" else linear.EXPLAINED
    ours = linear.rescaled(
        torch.from_numpy(weights)[None].float(),
        torch.from_numpy(variance)[None].float(),
        torch.tensor([number]),
        torch.full((1, len(graph)), 0.8),
    )
    np.testing.assert_allclose(ours[0][0], theirs.weights, atol=1e-5)
    np.testing.assert_allclose(ours[1][0], theirs.noise_variance, atol=1e-5)


def test_covariances_of_samples_are_those_of_the_model():
    weights, variance = drawn_models("scm", repeated(fixed_graph(), 1), generator(12))
    laws = torch.tensor([[0, 1, 2, 3, 4, 5, 0, 1]])
    n_rows = 200_000
    columns = linear.sampled(weights, variance, laws, n_rows, generator(13))[0].double().numpy()
    model = LinearSCM(weights[0].double().numpy(), variance[0].double().numpy())
    exact = model.covariance()
    sd = np.sqrt(np.diag(exact))
    # Products of columns have standard deviations of at most √8 here: kurtosis is below 9.
    error = np.abs(np.cov(columns) - exact) / np.outer(sd, sd)
    assert error.max() < 5 * math.sqrt(8 / n_rows)


def test_onions_have_uniform_correlation_matrices():
    n_nodes = 5
    graph = repeated(np.triu(np.ones((n_nodes, n_nodes), dtype=bool), 1), 600)
    weights, variance = drawn_models("dao", graph, generator(14))
    total = torch.linalg.inv(torch.eye(n_nodes) - weights)
    covariance = total.mT @ torch.diag_embed(variance) @ total
    np.testing.assert_allclose(covariance.diagonal(dim1=1, dim2=2), 1, atol=1e-3)
    beta = np.random.default_rng(15).beta(n_nodes / 2, n_nodes / 2, 600)
    for i, j in ((0, 1), (1, 3), (0, 4)):
        assert_same_law(covariance[:, i, j], 2 * beta - 1)


def test_shares_of_parents_grow_with_their_number_and_vary_in_half_of_the_systems():
    graph = repeated(fixed_graph(), 2000)
    shares = generators.draw_shares(graph, generator(16)).double()
    assert shares.min() > 0
    assert shares.max() <= 0.9995 + 1e-6
    unlimited = shares[(shares < 0.999).all(1)]
    level = torch.logit(unlimited) - graph[0].sum(0).clamp(min=1).log()
    equal = level.std(1) < 1e-3
    assert 0.4 < equal.double().mean() < 0.6


# Nonlinear models

TWO = np.triu(np.ones((2, 2), dtype=bool), 1)
THREE = np.triu(np.ones((3, 3), dtype=bool), 1)


def mechanism(family, rng):
    if family.startswith("gp"):
        length = 0.7 * 10 ** rng.random()
        return FourierFeatures(length_scale=length, output_scale=1.0, n_features=nonlinear.N_UNITS)
    return {
        "mlp": MLP(n_hidden=nonlinear.N_UNITS),
        "multi-index": MultiIndex(),
        "sigmoid": Sigmoid(),
    }[family]


@pytest.mark.parametrize(
    ("family", "graph", "share"),
    [
        ("gp", THREE, -1.0),
        ("gp-additive", TWO, -1.0),
        ("mlp", THREE, -1.0),
        ("multi-index", THREE, -1.0),
        ("sigmoid", THREE, -1.0),
        # `NonlinearSNR` does not centre the parents, so its law is the same for one effect only.
        ("gp", TWO, 0.8),
        ("mlp", TWO, 0.8),
        ("multi-index", TWO, 0.8),
        ("sigmoid", TWO, 0.8),
    ],
)
def test_nonlinear_data_have_the_moments_of_the_package(family, graph, share):
    n_systems, n_rows, n_nodes = 250, 200, len(graph)
    rng = generator(18)
    many = repeated(graph, n_systems)
    functions = nonlinear.draw_functions(
        many, torch.full((n_systems,), nonlinear.FAMILIES.index(family)), rng
    )
    laws = torch.zeros((n_systems, n_nodes), dtype=torch.long)
    noise = draw_noise(laws, n_rows, rng)
    ours = nonlinear.sampled(many, functions, noise, torch.full((n_systems, n_nodes), share))
    theirs = []
    for seed in range(n_systems):
        own = np.random.default_rng(seed)
        drawn = mechanism(family, own)
        if share < 0:
            source = NonlinearISCM(drawn, sample_size=n_rows, ddof=0)
        else:
            source = NonlinearSNR(drawn, snr=share / (1 - share), sample_size=n_rows, ddof=0)
        theirs.append(source.calibrate(graph, own)[1])
    for statistic in (_squared_correlation, _skewness, _squares):
        assert_same_law(
            [statistic(values.numpy()) for values in ours.mT.double()],
            [statistic(_standard(values)) for values in theirs],
        )


def _standard(values):
    return (values - values.mean(0)) / values.std(0)


def _squared_correlation(z):
    return (z[:, 0] * z[:, -1]).mean() ** 2


def _skewness(z):
    return (z[:, -1] ** 3).mean()


def _squares(z):
    return (z[:, -2] ** 2 * z[:, -1] ** 2).mean()


# Priors


def test_a_prior_draws_its_kinds_of_systems():
    broad = PRIORS["broad"]
    lines, bent = generators.draw_systems(broad, 10, 40, generator(19))
    assert len(lines.graph) == len(bent.graph) == 20
    (only,) = generators.draw_systems(replace(broad, nonlinear=1.0), 10, 6, generator(20))
    assert isinstance(only, generators.NonlinearSystems)
    for prior in PRIORS.values():
        for part in generators.draw(prior, 10, 40, 60, generator(21)):
            assert part.columns.shape == (len(part.graph), 10, 60)
            assert part.columns.isfinite().all()


def test_rows_are_between_their_bounds_with_a_uniform_logarithm():
    rng = np.random.default_rng(22)
    rows = [generators.draw_rows(PRIORS["broad"], rng) for _ in range(2000)]
    assert (min(rows) >= 50) & (max(rows) <= 10_000)
    uniform = np.random.default_rng(23).uniform(math.log(50), math.log(10_000), 2000)
    assert_same_law(np.log(rows), uniform)
