"""Rescaling a linear model node by node, along the causal order.

A scheme is a rule: from the variance of a node's parent signal Σ w_i X_i and
of the node itself, both after its parents were rescaled, it says by what to
multiply the incoming weights and the noise variance. The variances are those
of the law (`rescale`) or of one sample, frozen with it (`rescale_by_sample`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from causalassay.common.arrays import Values, Vector, Weights
from causalassay.common.kernels import kernel
from causalassay.graphs.orders import Indices, topological_order
from causalassay.models.linear.scm import LinearSCM


class Spread(NamedTuple):
    """What a rule looks at: a node before it is rescaled; a root has no signal variance."""

    node: int
    signal_variance: float
    variance: float


class Factors(NamedTuple):
    """What a rule answers: multipliers of the incoming weights and of the noise variance.

    `latent_sd` is given where the node is a standardised version of a latent
    variable: its mean is then removed too.
    """

    weights: float
    noise_variance: float
    latent_sd: float | None = None


Rule = Callable[[Spread], Factors]
UNCHANGED = Factors(1.0, 1.0)


def standardize(spread: Spread) -> Factors:
    """Divide the variable by its standard deviation (Ormaniec 2024, algorithm 2)."""
    if spread.variance == 0:
        raise ValueError(f"node {spread.node} is constant: it cannot be standardised")
    sd = math.sqrt(spread.variance)
    return Factors(1 / sd, 1 / spread.variance, latent_sd=sd)


def signal_to_noise(ratio: float) -> Rule:
    """Give a node with unit noise the variance 1 and signal variance / noise variance `ratio`."""
    noise_share = 1 / (ratio + 1)

    def rule(spread: Spread) -> Factors:
        if spread.signal_variance == 0:
            return UNCHANGED
        return Factors(math.sqrt((1 - noise_share) / spread.signal_variance), noise_share)

    return rule


def reach_variance(target: Vector) -> Rule:
    """Keep the noise and scale the signal so that the variances become `target`.

    References
    ----------
    Ormaniec et al. 2024, appendix E.5.
    """

    def rule(spread: Spread) -> Factors:
        if spread.signal_variance == 0:
            return UNCHANGED
        noise_variance = spread.variance - spread.signal_variance
        missing = max(float(target[spread.node]) - noise_variance, 0.0)
        return Factors(math.sqrt(missing / spread.signal_variance), 1.0)

    return rule


def rescale(model: LinearSCM, rule: Rule) -> LinearSCM:
    """Apply a rule with the variances of the law, exactly.

    The covariance matrix grows by a column per node, as in algorithm 2 of
    Ormaniec 2024: d operations per edge, and nothing is inverted.
    """
    start, parent, weight = model._parent_lists
    weight, variance = weight.copy(), model.noise_variance.copy()
    covariance = np.zeros(model.weights.shape)
    latent_sd = np.ones(model.n_nodes)
    for i in model._order.tolist():
        incoming = slice(start[i], start[i + 1])
        parents, signal = parent[incoming], weight[incoming]
        signal_variance = _signal_variance(covariance, parents, signal)
        factors = rule(Spread(i, signal_variance, signal_variance + float(variance[i])))
        signal *= factors.weights
        variance[i] *= factors.noise_variance
        latent_sd[i] = factors.latent_sd or 1.0
        total = factors.weights**2 * signal_variance + variance[i]
        _append(covariance, i, parents, signal, total)
    weights = np.zeros(model.weights.shape)
    weights[parent, np.repeat(np.arange(model.n_nodes), np.diff(start))] = weight
    return LinearSCM(weights, variance, 0.0, model.noise, latent_sd=latent_sd)


@kernel
def _signal_variance(covariance: Weights, parents: Indices, signal: Vector) -> float:
    """Return wᵀ Σ w over the parents."""
    total = 0.0
    for a in range(len(parents)):
        row = 0.0
        for b in range(len(parents)):
            row += covariance[parents[a], parents[b]] * signal[b]
        total += signal[a] * row
    return total


@kernel
def _append(
    covariance: Weights, node: int, parents: Indices, signal: Vector, variance: float
) -> None:
    """Write the covariances of a node with those before it, and its variance."""
    column = np.zeros(len(covariance))
    for a in range(len(parents)):
        for j in range(len(covariance)):
            column[j] += signal[a] * covariance[parents[a], j]
    for j in range(len(covariance)):
        covariance[node, j] = covariance[j, node] = column[j]
    covariance[node, node] = variance


def rescale_by_sample(
    model: LinearSCM, rule: Rule, n_samples: int, ddof: int, rng: Generator
) -> tuple[LinearSCM, Values]:
    """Apply a rule with the variances of one sample; return the frozen model and that sample."""
    weights, variance = model.weights.copy(), model.noise_variance.copy()
    latent_mean, latent_sd = np.zeros(model.n_nodes), np.ones(model.n_nodes)
    intercept = np.zeros(model.n_nodes)
    noise = model.noise.draw(rng, (n_samples, model.n_nodes)) * np.sqrt(variance)
    values = np.asfortranarray(noise)
    for i, parents in _nodes_with_parents(model.weights):
        signal = values[:, parents] @ weights[parents, i]
        total = float((signal + values[:, i]).var(ddof=ddof))
        factors = rule(Spread(i, float(signal.var(ddof=ddof)), total))
        weights[parents, i] *= factors.weights
        variance[i] *= factors.noise_variance
        values[:, i] *= math.sqrt(factors.noise_variance)
        values[:, i] += factors.weights * signal
        if factors.latent_sd is not None:
            intercept[i] = -values[:, i].mean()
            values[:, i] += intercept[i]
            latent_mean[i], latent_sd[i] = -intercept[i] * factors.latent_sd, factors.latent_sd
    frozen = LinearSCM(
        weights, variance, intercept, model.noise, latent_mean=latent_mean, latent_sd=latent_sd
    )
    return frozen, np.ascontiguousarray(values)


def variances(model: LinearSCM) -> Vector:
    """Return the variances of the law: what `rescale` meets when it changes nothing."""
    met = np.empty(model.n_nodes)

    def record(spread: Spread) -> Factors:
        met[spread.node] = spread.variance
        return UNCHANGED

    rescale(model, record)
    return met


def _nodes_with_parents(weights: Weights) -> Iterator[tuple[int, Indices]]:
    incoming = np.ascontiguousarray(weights.T) != 0
    for node in topological_order(weights != 0, "weights").tolist():
        yield node, np.flatnonzero(incoming[node])


def iscm_implied(weights: ArrayLike, noise_variance: ArrayLike) -> LinearSCM:
    """Return the SCM that generates the data of a linear internally-standardised SCM.

    Parameters
    ----------
    weights : array_like, shape (d, d)
        ``weights[i, j]`` of i→j.
    noise_variance : array_like, shape (d,) or scalar
        Both of the iSCM, before any standardisation.

    References
    ----------
    Ormaniec et al. 2024, algorithm 2.

    Examples
    --------
    >>> implied = iscm_implied([[0, 2], [0, 0]], 1.0)
    >>> implied.covariance().round(4)
    array([[1.    , 0.8944],
           [0.8944, 1.    ]])
    """
    return rescale(LinearSCM(weights, noise_variance), standardize)


def standardized_implied(model: LinearSCM, mean: ArrayLike, sd: ArrayLike) -> LinearSCM:
    """Return the SCM of (X - mean) / sd, X being drawn from `model`.

    References
    ----------
    Ormaniec et al. 2024, appendix A.1.

    Examples
    --------
    >>> import numpy as np
    >>> raw = LinearSCM([[0, 2], [0, 0]], 1.0)
    >>> sd = np.sqrt(np.diag(raw.covariance()))
    >>> standardized_implied(raw, raw.mean(), sd).covariance().round(4)
    array([[1.    , 0.8944],
           [0.8944, 1.    ]])
    """
    mean, sd = (
        np.broadcast_to(np.asarray(numbers, float), model.n_nodes) for numbers in (mean, sd)
    )
    return replace(
        model,
        weights=model.weights * sd[:, None] / sd,
        noise_variance=model.noise_variance / sd**2,
        intercept=(model.intercept + mean @ model.weights - mean) / sd,
        latent_mean=mean,
        latent_sd=sd,
    )


def transfer_noise(variances_of: LinearSCM, noise_of: LinearSCM) -> LinearSCM:
    """Return a model with the variances of one model and the noise variances of another.

    So the sortability by variance of the first meets the noise scales of the
    second. The weights are those of the first, the signal of each node scaled;
    a node whose noise alone exceeds the variance asked for loses its parents,
    and a root has the variance of its noise.

    References
    ----------
    Ormaniec et al. 2024, appendix E.5.

    Examples
    --------
    >>> raw = LinearSCM([[0, 2], [0, 0]], 1.0)
    >>> both = transfer_noise(raw, iscm_implied(raw.weights, 1.0))
    >>> both.covariance().diagonal(), both.noise_variance
    (array([1., 5.]), array([1. , 0.2]))
    """
    if not np.array_equal(variances_of.graph, noise_of.graph):
        raise ValueError("transfer_noise: both models must have the same graph")
    with_noise = replace(variances_of, noise_variance=noise_of.noise_variance)
    return rescale(with_noise, reach_variance(variances(variances_of)))
