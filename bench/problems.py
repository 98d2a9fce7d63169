"""The data of each row: made once from a seed, the same for everybody."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.worker import Arrays
from causalassay import graphs, models
from causalassay.common.seeding import stream
from causalassay.models import LinearSCM

N_SAMPLES = 1000
N_CURVED = 500
"""Rows of nonlinear models: a kernel test of n rows takes n² memory and n² to n³ time."""
PENALTY = 2.0
"""FLOP's usual penalty, beside which our searches have the same."""
WEIGHTS = (0.5, 2.0)
RANGES = ((0.3, 0.8), (0.5, 2.0), (1.3, 3.0))
"""Of the weights, in figure 4 of Ormaniec et al. (2024)."""
SIZES = (20, 60, 100, 140, 180, 220)


def _model(n_nodes: int, rng: np.random.Generator, noise: str = "gaussian") -> LinearSCM:
    graph = graphs.erdos_renyi(n_nodes, 2, rng)
    return models.draw("scm", graph, rng, weights=WEIGHTS, noise=noise)


def linear(n_nodes: int, seed: int, noise: str = "gaussian") -> Arrays:
    """Return 1000 rows of a linear model on an ER-2 graph, unit noise variances, and its truth."""
    rng = stream(seed, "bench", "linear", n_nodes, noise)
    model = _model(n_nodes, rng, noise)
    values = model.sample(N_SAMPLES, rng)
    return {"values": values, "graph": model.graph, "weights": model.weights}


def non_gaussian(n_nodes: int, seed: int) -> Arrays:
    """Return the same with exponential noise, for DirectLiNGAM."""
    return linear(n_nodes, seed, "exponential")


def nonlinear(n_nodes: int, seed: int) -> Arrays:
    """Return 500 standardised rows of sums of smooth functions of the parents, ER-1 graphs."""
    rng = stream(seed, "bench", "nonlinear", n_nodes)
    graph = graphs.erdos_renyi(n_nodes, 1, rng)
    model = models.draw("standardized", graph, rng, mechanism="gp-additive")
    return {"values": model.sample(N_CURVED, rng), "graph": graph}


def nonlinear_raw(n_nodes: int, seed: int) -> Arrays:
    """Return 1000 raw rows of draws of a Gaussian process over all parents, ER-2 graphs."""
    rng = stream(seed, "bench", "nonlinear raw", n_nodes)
    graph = graphs.erdos_renyi(n_nodes, 2, rng)
    model = models.draw("scm", graph, rng, mechanism="gp")
    return {"values": model.sample(N_SAMPLES, rng), "graph": graph}


def penalised(n_nodes: int, seed: int) -> Arrays:
    """Return the linear data with the penalty discount that all programs have."""
    return dict(linear(n_nodes, seed)) | {"penalty": np.array(PENALTY)}


def extended(n_nodes: int, seed: int) -> Arrays:
    """Return the linear data with the penalty discount that extended BIC amounts to."""
    discount = 1 + 2 * np.log(n_nodes) / np.log(N_SAMPLES)
    return dict(linear(n_nodes, seed)) | {"penalty": np.array(discount)}


def penalised_dense(n_nodes: int, seed: int) -> Arrays:
    """Return 1000 rows of an iSCM on an ER-4 graph, with the same penalty discount."""
    rng = stream(seed, "bench", "dense", n_nodes)
    graph = graphs.erdos_renyi(n_nodes, 4, rng)
    values = models.draw("iscm", graph, rng, weights=WEIGHTS).sample(N_SAMPLES, rng)
    return {"values": values, "graph": graph, "penalty": np.array(PENALTY)}


def two_graphs(n_nodes: int, seed: int) -> Arrays:
    """Return two ER-2 graphs: a truth and a guess."""
    rng = stream(seed, "bench", "graphs", n_nodes)
    truth, guess = (graphs.erdos_renyi(n_nodes, 2, rng) for _ in range(2))
    return {"graph": truth, "guess": guess}


def two_models(n_nodes: int, seed: int) -> Arrays:
    """Return two linear models on different graphs."""
    rng = stream(seed, "bench", "models", n_nodes)
    truth, guess = _model(n_nodes, rng), _model(n_nodes, rng)
    return {"weights": truth.weights, "guess": guess.weights}


def experiments(n_nodes: int, seed: int) -> Arrays:
    """Return 1000 observational rows and 100 under do(x = 2) for each of ten nodes.

    Each condition is centred: gies has an intercept for each, ours one for all, and so they
    have the same problem.
    """
    rng = stream(seed, "bench", "experiments", n_nodes)
    model = _model(n_nodes, rng)
    targets = rng.choice(n_nodes, 10, replace=False)
    regimes = [model.sample(N_SAMPLES, rng)]
    for node in targets.tolist():
        set_to_2 = model.sample(100, rng, (models.Do(node, 2.0),))
        set_to_2[:, node] += rng.normal(size=100)
        regimes.append(set_to_2)
    centred: dict[str, Any] = {
        f"regime_{k}": values - values.mean(axis=0) for k, values in enumerate(regimes)
    }
    return centred | {"graph": model.graph, "targets": targets}


def three_levels(n_nodes: int, seed: int) -> Arrays:
    """Return the linear data with each column also cut into thirds, for discrete peers."""
    arrays = linear(n_nodes, seed)
    edges = np.quantile(arrays["values"], [1 / 3, 2 / 3], axis=0)
    return dict(arrays) | {"levels": (arrays["values"][:, None] > edges).sum(axis=1)}


def seed_only(n_nodes: int, seed: int) -> Arrays:
    """Return a size and a seed, for jobs that make their own data."""
    return {"n_nodes": np.array(n_nodes), "seed": np.array(seed)}


def sweep_sample(n_nodes: int, seed: int) -> Arrays:  # noqa: ARG001 (all sizes)
    """Return one of the 300 parts of the sweep: a data set for each size and model."""
    arrays: dict[str, Any] = {"seed": np.array(seed)}
    for d in SIZES:
        for kind in ("standardized", "iscm"):
            values, graph = sweep_system(d, RANGES[1], kind, seed)
            arrays[f"values_{d}_{kind}"], arrays[f"graph_{d}_{kind}"] = values, graph
    return arrays


def sweep_system(
    n_nodes: int, weights: tuple[float, float], kind: str, seed: int
) -> tuple[Any, Any]:
    """Return the values and the graph of one system of the sweep."""
    rng = stream(seed, "bench", "sweep", n_nodes, kind, str(weights))
    graph = graphs.erdos_renyi(n_nodes, 2, rng)
    model = models.draw(kind, graph, rng, weights=weights)
    return model.sample(N_SAMPLES, rng), graph
