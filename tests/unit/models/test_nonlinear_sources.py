"""Schemes of nonlinear models: what they freeze, what they refuse, what names them."""

import dataclasses

import numpy as np
import pytest

from causalassay.graphs import chain, erdos_renyi, topological_order
from causalassay.models import (
    ISCM,
    MLP,
    SNR,
    AdditiveNoiseSCM,
    FourierFeatures,
    GaussianProcess,
    LinearSCM,
    NonlinearISCM,
    NonlinearSCM,
    NonlinearSNR,
    NonlinearStandardized,
    Sigmoid,
    Standardized,
    draw,
    source,
)
from causalassay.models.nonlinear.mechanisms import FAMILIES
from causalassay.models.registry import MODELS, kinds_by_mechanism
from causalassay.study.keys import canonical, digest

NONLINEAR = {kind: MODELS[f"gp.{kind}"] for kind in kinds_by_mechanism()["gp"]}

CALIBRATED = [NonlinearStandardized, NonlinearISCM, NonlinearSNR]


@pytest.fixture
def graph():
    return erdos_renyi(8, 2, np.random.default_rng(1))


def slow_iscm(source, graph, rng):
    """Algorithm 1 of Ormaniec 2024, node by node: draw, then standardise before the children."""
    functions = source.mechanism.draw(graph, rng)
    noise = rng.standard_normal((source.sample_size, len(graph)))
    values = np.zeros_like(noise)
    for node in topological_order(graph):
        latent = noise[:, node].copy()
        if functions[node] is not None:
            latent += functions[node](values[:, np.flatnonzero(graph[:, node])])
        values[:, node] = (latent - latent.mean()) / latent.std(ddof=source.ddof)
    return values


@pytest.mark.parametrize("name", FAMILIES)
def test_iscm_is_algorithm_1(name, graph):
    source = NonlinearISCM(FAMILIES[name](), sample_size=60)
    _, values = source.calibrate(graph, np.random.default_rng(3))
    expected = slow_iscm(source, graph, np.random.default_rng(3))
    np.testing.assert_allclose(expected, values, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("kind", [NonlinearStandardized, NonlinearISCM])
@pytest.mark.parametrize("ddof", [0, 1])
def test_the_calibration_sample_is_standardised_exactly(kind, ddof, name, graph):
    source = kind(FAMILIES[name](), sample_size=50, ddof=ddof)
    _, values = source.calibrate(graph, np.random.default_rng(0))
    np.testing.assert_allclose(0.0, values.mean(axis=0), atol=1e-11)
    np.testing.assert_allclose(1.0, values.std(axis=0, ddof=ddof), rtol=1e-11)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_signal_to_noise_ratio_is_exact_in_the_calibration_sample(name, graph):
    source = NonlinearSNR(FAMILIES[name](), snr=4.0, sample_size=50)
    model, values = source.calibrate(graph, np.random.default_rng(0))
    has_parents = graph.any(axis=0)
    np.testing.assert_allclose(np.where(has_parents, 0.2, 1.0), model.noise_variance)
    columns = np.ascontiguousarray(values.T)
    for node in np.flatnonzero(has_parents):
        signal = model.signal_scale[node] * model.signal(int(node), columns)
        np.testing.assert_allclose(0.8, signal.var(ddof=1), rtol=1e-10)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("kind", CALIBRATED)
def test_the_frozen_model_makes_its_sample_from_the_same_noise(kind, name, graph):
    source = kind(FAMILIES[name](), sample_size=40)
    model, values = source.calibrate(graph, np.random.default_rng(7))
    rng = np.random.default_rng(7)
    source.mechanism.draw(graph, rng)
    noise = rng.standard_normal((40, len(graph)))
    np.testing.assert_allclose(values, model.respond(noise), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", [NonlinearStandardized, NonlinearISCM])
def test_new_samples_have_nearly_unit_variance(kind, graph):
    """Ten thousand rows fix the standard deviations, as many check them.

    For values of kurtosis below 5 both err by at most 1 %; 6 % and 0.06 are allowed.
    """
    model = kind(FourierFeatures()).draw(graph, np.random.default_rng(0))
    values = model.sample(10_000, np.random.default_rng(1))
    np.testing.assert_allclose(0.0, values.mean(axis=0), atol=0.06)
    np.testing.assert_allclose(1.0, values.std(axis=0), rtol=0.06)


def test_schemes_share_their_functions_and_noise(graph):
    """From one stream: raw and standardised values have the same ranks."""
    raw = NonlinearSCM().draw(graph, np.random.default_rng(0))
    standardized = NonlinearStandardized().draw(graph, np.random.default_rng(0))
    one, two = (m.sample(20, np.random.default_rng(1)) for m in (raw, standardized))
    expected = (one - standardized.latent_mean) / standardized.latent_sd
    np.testing.assert_allclose(expected, two, rtol=1e-9, atol=1e-9)


def test_nodes_may_have_noise_of_their_own(graph):
    sd = np.sqrt(
        NonlinearSCM(noise_sd=(0.5, 2.0)).draw(graph, np.random.default_rng(0)).noise_variance
    )
    assert len(np.unique(sd)) == len(graph)
    assert ((sd >= 0.5) & (sd <= 2.0)).all()


def test_the_defaults_are_those_of_the_linear_schemes():
    assert (Standardized().ddof, ISCM().ddof) == (
        NonlinearStandardized().ddof,
        NonlinearISCM().ddof,
    )
    assert (SNR().ddof, SNR().snr) == (NonlinearSNR().ddof, NonlinearSNR().snr)
    assert (SNR().weights, SNR().signs) == (Sigmoid().weights, Sigmoid().signs)
    assert {10_000} == {kind().sample_size for kind in CALIBRATED}


@pytest.mark.parametrize("mechanism", FAMILIES)
@pytest.mark.parametrize("kind", NONLINEAR)
def test_draw_is_sugar_for_the_class(kind, mechanism, graph):
    sugar = draw(kind, graph, np.random.default_rng(0), mechanism=mechanism, noise="laplace")
    plain = NONLINEAR[kind](FAMILIES[mechanism](), noise="laplace")
    one, two = (
        model.sample(5, np.random.default_rng(1))
        for model in (sugar, plain.draw(graph, np.random.default_rng(0)))
    )
    assert isinstance(sugar, AdditiveNoiseSCM)
    np.testing.assert_array_equal(one, two)


def test_parameters_go_to_the_scheme_or_to_the_functions():
    found = source("snr", mechanism="mlp", n_hidden=10, weights=(1, 2), snr=3.0, sample_size=99)
    assert NonlinearSNR(MLP((1, 2), 10), snr=3.0, sample_size=99) == found
    assert hash(found) == hash(dataclasses.replace(found))


def test_without_a_mechanism_models_are_linear(graph):
    for kind in kinds_by_mechanism()["linear"]:
        assert isinstance(draw(kind, graph, np.random.default_rng(0)), LinearSCM)
        assert source(kind) == source(kind, mechanism="linear")


def test_keys_hold_the_functions_and_what_is_not_default():
    expected = {
        "is": "NonlinearISCM",
        "version": 1,
        "mechanism": {"is": "MLP", "version": 1, "n_hidden": 5},
        "noise": "laplace",
    }
    found = source("iscm", mechanism="mlp", n_hidden=5, noise="laplace")
    assert expected == canonical(found)
    keys = {
        digest(source(kind, mechanism=mechanism))
        for kind in NONLINEAR
        for mechanism in ("linear", *FAMILIES)
    }
    assert len(NONLINEAR) * (1 + len(FAMILIES)) == len(keys)


@pytest.mark.parametrize(
    ("kind", "mechanisms"),
    [
        ("uumc", "linear or var"),
        ("harmonized", "linear"),
        ("half-explained", "linear"),
        ("dao", "linear"),
    ],
)
def test_linear_schemes_say_that_they_are(kind, mechanisms):
    expected = (
        f"kind: '{kind}' is for {mechanisms} models; mechanism 'gp' has "
        "'scm', 'standardized', 'iscm', 'snr'"
    )
    with pytest.raises(ValueError, match="is for linear") as refusal:
        draw(kind, chain(3), np.random.default_rng(0), mechanism="gp")
    assert expected == str(refusal.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: source("scm", mechanism="mpl"), "there is no 'mpl'; did you mean 'mlp'"),
        (lambda: source("icsm", mechanism="gp"), "there is no model 'icsm'; did you mean 'iscm'"),
        (lambda: source("scm", mechanism="gp", weights=(1, 2)), "'weights' does not apply"),
        (lambda: source("scm", mechanism="gp", mecanism="gp"), "'mecanism' does not apply"),
        (lambda: NonlinearSCM("gp"), "mechanism: expected one of GaussianProcess"),
        (lambda: NonlinearSCM(GaussianProcess), "such as `GaussianProcess\\(\\)`"),
        (lambda: NonlinearSCM(noise_sd=0.0), "noise_sd"),
        (lambda: NonlinearSCM(noise="gausian"), "noise"),
        (lambda: NonlinearISCM(sample_size=1), "sample_size: expected at least 2, got 1"),
        (lambda: NonlinearISCM(sample_size=None), "sample_size: expected at least 2, got None"),
        (lambda: NonlinearISCM(ddof=2), "ddof"),
        (lambda: NonlinearSNR(snr=0.0), "snr"),
    ],
)
def test_bad_parameters_are_refused(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()
