"""Implied noise scales and their transfer (Ormaniec et al. 2024, figure 5b)."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from causalassay.common.arrays import Values
from causalassay.common.seeding import stream
from causalassay.diagnostics import r2_sortability, var_sortability
from causalassay.graphs import erdos_renyi
from causalassay.lab.reproducing.estimates import Cases, Estimate, Ours, Several, mean
from causalassay.models import (
    SCM,
    LinearSCM,
    iscm_implied,
    standardized_implied,
    transfer_noise,
)

N_NODES, EDGES_PER_NODE, SAMPLES = 100, 2, 1000

_TIE = 1e-9


@lru_cache(maxsize=256)
def _models(k: int) -> tuple[LinearSCM, LinearSCM, LinearSCM]:
    """Return a raw SCM, and what its standardised version and its iSCM imply."""
    rng = stream(1, "noise transfer", k)
    raw = SCM().draw(erdos_renyi(N_NODES, EDGES_PER_NODE, rng, exact=False), rng)
    standardised = standardized_implied(raw, raw.mean(), np.sqrt(np.diag(raw.covariance())))
    return raw, standardised, iscm_implied(raw.weights, raw.noise_variance)


@lru_cache(maxsize=4)
def _sortabilities(draws: int) -> Values:
    found = np.empty((draws, 3))
    for k in range(draws):
        raw, standardised, iscm = _models(k)
        sources = raw, transfer_noise(raw, standardised), transfer_noise(raw, iscm)
        for column, model in enumerate(sources):
            values = model.sample(SAMPLES, stream(1, "transferred", k))
            found[k, column] = var_sortability(values, raw.graph)
    return found


def transfer_sortability(*, draws: int) -> Several:
    """Return the mean var-sortability of raw data and with either transferred noise."""
    return Several(tuple(mean(one) for one in _sortabilities(draws).T))


@lru_cache(maxsize=4)
def inverse_noise(draws: int) -> tuple[Values, Values]:
    """Return log10 of the implied 1/θ² of standardised SCMs and of iSCMs, each (draws, nodes)."""
    standardised, iscm = (
        -np.log10([_models(k)[scheme].noise_variance for k in range(draws)]) for scheme in (1, 2)
    )
    return standardised, iscm


def noise_scale_ratio(*, draws: int) -> Estimate:
    """Return log10 of how much larger 1/θ² is in standardised SCMs, at its 90 % quantile."""
    upper = [np.quantile(one, 0.9, axis=1) for one in inverse_noise(draws)]
    return mean(upper[0] - upper[1])


def root_noise(*, draws: int) -> Cases:
    """Count iSCMs with a root whose implied noise variance is not 1, or another node's not less."""
    violated = 0
    for k in range(draws):
        iscm = _models(k)[2]
        roots = ~iscm.graph.any(axis=0)
        noise = iscm.noise_variance
        violated += bool(np.abs(noise[roots] - 1).max() > _TIE or noise[~roots].max() >= 1)
    return Cases(draws, violated)


def raw_as_standardised(*, draws: int) -> Cases:
    """Count raw samples whose R²-sortability changes when they are standardised."""
    violated = 0
    for k in range(draws):
        rng = stream(1, "raw as standardised", k)
        dag = erdos_renyi(20, 4, rng, exact=False)
        values = SCM().draw(dag, rng).sample(SAMPLES, rng)
        scaled = (values - values.mean(axis=0)) / values.std(axis=0)
        violated += bool(abs(r2_sortability(values, dag) - r2_sortability(scaled, dag)) > _TIE)
    return Cases(draws, violated)


NOISE_TRANSFER: dict[str, Callable[..., Ours]] = {
    "transfer-sortability": transfer_sortability,
    "noise-scale-ratio": noise_scale_ratio,
    "root-noise": root_noise,
    "raw-as-standardised": raw_as_standardised,
}
