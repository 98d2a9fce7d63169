"""Ormaniec et al. 2024: theorems in random cases, correlations along chains, implied noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency, Values, Vector, Weights
from causalassay.common.seeding import stream
from causalassay.diagnostics import (
    identified_edges,
    iscm_cev_bound,
    r2_sortability,
    var_sortability,
)
from causalassay.graphs import chain, enumerate_dags, erdos_renyi, forest, to_cpdag
from causalassay.lab.papers.computations.reisach2021 import covariances_of_chains
from causalassay.lab.papers.estimates import (
    Cases,
    Estimate,
    Several,
    computation,
    figure,
    mean,
)
from causalassay.models import (
    ISCM,
    SCM,
    HalfExplained,
    Harmonized,
    LinearSCM,
    Standardized,
    iscm_implied,
    standardized_implied,
    transfer_noise,
)

Shape = Literal["chain", "fork", "reversed"]

SHAPES: dict[Shape, tuple[tuple[int, int], tuple[int, int]]] = {
    "chain": ((0, 1), (1, 2)),
    "fork": ((1, 0), (1, 2)),
    "reversed": ((1, 0), (2, 1)),
}
"""The DAGs of one class: alpha joins nodes 0 and 1, beta joins 1 and 2."""

_TIE = 1e-9


def _cases(name: str, draws: int) -> Iterator[Generator]:
    return (stream(1, name, k) for k in range(draws))


def path_sums(weights: Weights) -> Weights:
    """Return the sum over unblocked paths of the product of weights, for each pair of nodes.

    An unblocked path goes up from i to a common ancestor and down to j without visiting a
    node twice.

    Examples
    --------
    >>> path_sums(np.array([[0, 0.5, 0.4], [0, 0, 0], [0, 0, 0]]))[1, 2]
    np.float64(0.2)
    """
    n_nodes = len(weights)
    sums = np.eye(n_nodes)
    for start in range(n_nodes):
        reached: list[tuple[int, bool, tuple[int, ...], float]] = [(start, True, (start,), 1.0)]
        while reached:
            node, up, visited, product = reached.pop()
            if node != start:
                sums[start, node] += product
            for other in range(n_nodes):
                if other in visited:
                    continue
                more = (*visited, other)
                if up and weights[other, node]:
                    reached.append((other, True, more, product * weights[other, node]))
                if weights[node, other]:
                    reached.append((other, False, more, product * weights[node, other]))
    return sums


@computation
def path_rule(*, draws: int) -> Cases:
    """Count random DAGs with unit variances whose covariances are not sums over paths."""
    violated = 0
    for rng in _cases("paths", draws):
        model = ISCM().draw(erdos_renyi(int(rng.integers(4, 8)), 1.5, rng, exact=False), rng)
        violated += bool(np.abs(path_sums(model.weights) - model.covariance()).max() > _TIE)
    return Cases(draws, violated)


@computation
def cev_bound(*, draws: int) -> Cases:
    """Count iSCMs on random DAGs with a share of explained variance above theorem 2's bound."""
    violated = 0
    for rng in _cases("explained", draws):
        dag = erdos_renyi(int(rng.integers(5, 30)), 2, rng, exact=False)
        noise_sd = float(rng.uniform(0.5, 2.0))
        model = ISCM(weights=(0.5, 2.0), noise_sd=noise_sd).draw(dag, rng)
        bound = iscm_cev_bound(int(dag.sum(axis=0).max()), 2.0, noise_variance=noise_sd**2)
        violated += bool(np.nanmax(model.cause_explained_variance()) > bound + _TIE)
    return Cases(draws, violated)


@computation
def cev_above_bound(*, n_nodes: int, draws: int) -> Estimate:
    """Return by how much the last node of a standardised chain exceeds an iSCM's bound."""
    bound = iscm_cev_bound(1, 2.0)
    last = [
        Standardized().draw(chain(n_nodes), rng).cause_explained_variance()[-1]
        for rng in _cases("deep", draws)
    ]
    return mean(np.array(last) - bound)


def _three_nodes(shape: Shape, alpha: float, beta: float) -> Weights:
    weights = np.zeros((3, 3))
    weights[SHAPES[shape][0]], weights[SHAPES[shape][1]] = alpha, beta
    return weights


def _correlations(model: LinearSCM) -> Vector:
    """Return those of nodes 0 and 1, 0 and 2, 1 and 2."""
    covariance = model.covariance()
    sd = np.sqrt(np.diag(covariance))
    return np.asarray((covariance / np.outer(sd, sd))[[0, 0, 1], [1, 2, 2]])


def _printed(shape: Shape, a: float, b: float) -> tuple[float, float, float]:
    """Return the covariances that appendix C.4.1 prints for a standardised SCM."""
    if shape == "chain":
        last = b**2 * (a**2 + 1) + 1
        printed = (
            a / np.sqrt(a**2 + 1),
            a * b / np.sqrt(last),
            b * np.sqrt((a**2 + 1) / last),
        )
    elif shape == "fork":
        printed = (
            a / np.sqrt(a**2 + 1),
            a * b / np.sqrt((a**2 + 1) * (b**2 + 1)),
            b / np.sqrt(b**2 + 1),
        )
    else:
        first = a**2 * (b**2 + 1) + 1
        printed = (
            a * np.sqrt((b**2 + 1) / first),
            a * b / np.sqrt(first),
            b / np.sqrt(b**2 + 1),
        )
    return printed


@computation
def standardised_three_nodes(*, draws: int) -> Cases:
    """Count standardised SCMs of three nodes without the printed covariances."""
    violated = 0
    for rng in _cases("three standardised", draws):
        (alpha, beta), variance = rng.uniform(0.1, 3, size=2), rng.uniform(0.25, 4)
        for shape in SHAPES:
            correlations = _correlations(LinearSCM(_three_nodes(shape, alpha, beta), variance))
            violated += bool(np.abs(correlations - _printed(shape, alpha, beta)).max() > _TIE)
    return Cases(draws * len(SHAPES), violated)


@computation
def rising_condition(*, draws: int) -> Cases:
    """Count chains whose covariance rises without α²/(α² + 1) < β², or the reverse."""
    violated = 0
    for rng in _cases("rising", draws):
        alpha, beta = rng.uniform(0.1, 3, size=2)
        first, _, second = _correlations(LinearSCM(_three_nodes("chain", alpha, beta), 1.0))
        violated += bool((first < second) != (alpha**2 / (alpha**2 + 1) < beta**2))
    return Cases(draws, violated)


@computation
def iscm_three_nodes(*, draws: int) -> Cases:
    """Count iSCMs of three nodes without the covariances of equation 22."""
    violated = 0
    for rng in _cases("three iscm", draws):
        (gamma, lam), variance = rng.uniform(0.1, 3, size=2), rng.uniform(0.25, 4)
        first, other = (w / np.sqrt(w**2 + variance) for w in (gamma, lam))
        for shape in SHAPES:
            model = iscm_implied(_three_nodes(shape, gamma, lam), variance)
            deviation = _correlations(model) - (first, first * other, other)
            violated += bool(np.abs(deviation).max() > _TIE)
    return Cases(draws * len(SHAPES), violated)


def _parts(undirected: Adjacency) -> list[set[int]]:
    """Return the connected parts of an undirected graph that have an edge."""
    left, parts = {int(node) for node in np.flatnonzero(undirected.any(axis=0))}, []
    while left:
        part, rest = set[int](), [left.pop()]
        while rest:
            node = rest.pop()
            part.add(node)
            rest += [
                int(neighbour)
                for neighbour in np.flatnonzero(undirected[node])
                if int(neighbour) not in part
            ]
        left -= part
        parts.append(part)
    return parts


@computation
def identified_forests(*, draws: int) -> Cases:
    """Count forests with a wrong edge, or more than one open in an undirected part.

    The SCMs are standardised, with weights of 1 to 3 and equal noise variances.
    """
    violated = 0
    for rng in _cases("identified", draws):
        tree = forest(8, rng, n_trees=int(rng.integers(1, 4)), orientation="random")
        cpdag = to_cpdag(tree)
        model = SCM(weights=(1.0, 3.0)).draw(tree, rng)
        identified = identified_edges(model.covariance(), cpdag, 1.0, scheme="standardized")
        wrong = bool((identified & ~identified.T & ~tree).any())
        open_edges = identified & identified.T
        most = max(
            (int(open_edges[np.ix_(list(part), list(part))].sum()) // 2)
            for part in [*_parts(cpdag & cpdag.T), {0}]
        )
        violated += wrong or most > 1
    return Cases(draws, violated)


@computation
def open_edge_is_least(*, draws: int) -> Cases:
    """Count chains whose open edge does not have the least |correlation| of all edges."""
    violated = 0
    for rng in _cases("open edge", draws):
        dag = chain(int(rng.integers(3, 9)))
        covariance = SCM(weights=(1.0, 3.0)).draw(dag, rng).covariance()
        sd = np.sqrt(np.diag(covariance))
        correlation = np.abs(np.diag(covariance / np.outer(sd, sd), 1))
        identified = identified_edges(covariance, to_cpdag(dag), 1.0, scheme="standardized")
        still_open = np.flatnonzero(np.diag(identified & identified.T, 1))
        violated += any(k != int(np.argmin(correlation)) for k in still_open)
    return Cases(draws, violated)


@computation
def one_law_of_a_class(*, draws: int) -> Cases:
    """Count forests with a DAG in their class whose iSCM with the same weights has another law."""
    violated = 0
    for rng in _cases("one law", draws):
        tree = forest(7, rng, n_trees=int(rng.integers(1, 4)), orientation="random")
        drawn = np.triu(rng.uniform(0.5, 2.0, tree.shape), 1)
        weights = drawn + drawn.T
        expected = iscm_implied(np.where(tree, weights, 0.0), 1.0).covariance()
        members = enumerate_dags(to_cpdag(tree))
        laws = [
            iscm_implied(np.where(member, weights, 0.0), 1.0).covariance() for member in members
        ]
        violated += any(np.abs(law - expected).max() > _TIE for law in laws)
    return Cases(draws, violated)


@computation
def triangles_differ(*, draws: int) -> Several:
    """Return how far the covariances of two triangles of one class with equal weights are apart.

    A number for each drawn set of weights.
    """
    triangle = np.triu(np.ones((3, 3), dtype=bool), 1)
    distances = []
    for rng in _cases("triangles", draws):
        drawn = np.triu(rng.uniform(0.5, 2.0, (3, 3)), 1)
        weights = drawn + drawn.T
        first, two = (
            iscm_implied(np.where(dag, weights, 0.0), 1.0).covariance()
            for dag in (triangle, triangle.T)
        )
        distances.append(Estimate(float(np.abs(first - two).max())))
    return Several(tuple(distances))


@computation
def harmonised_correlations(*, nodes: int, largest_weight: float, draws: int) -> Several:
    """Return the |correlation| of the last two nodes of chains under Mooij's scaling."""
    source = Harmonized(weights=(0.5, largest_weight))
    correlations = [
        Estimate(float(np.abs(_correlation(source.draw(chain(nodes), rng)))))
        for rng in _cases("harmonised", draws)
    ]
    return Several(tuple(correlations))


def _correlation(model: LinearSCM) -> float:
    covariance = model.covariance()
    cause, effect = len(covariance) - 2, len(covariance) - 1
    scale = np.sqrt(covariance[cause, cause] * covariance[effect, effect])
    return float(covariance[cause, effect] / scale)


@computation
def half_explained(*, draws: int) -> Several:
    """Return the least and the largest explained share under Squires' scaling."""
    shares = []
    for rng in _cases("half explained", draws):
        dag = erdos_renyi(10, 2, rng)
        model = HalfExplained().draw(dag, rng)
        shares.append(model.cause_explained_variance()[dag.any(axis=0)])
    every = np.concatenate(shares)
    return Several((Estimate(float(every.min())), Estimate(float(every.max()))))


# Correlations along chains (Ormaniec et al. 2024, figures 1 and 15).

N_NODES = 10
WEIGHTS = (0.5, 2.0)

MEAN_STEP = (np.sqrt(5) - np.sqrt(1.25)) / 1.5
"""Mean of w/√(w² + 1) for w uniform on 0.5 to 2: an iSCM's mean |correlation| of neighbours."""


@lru_cache(maxsize=4)
def _weights(n_nodes: int, draws: int) -> NDArray[Any]:
    rng = stream(1, "chain correlations", n_nodes)
    return rng.uniform(*WEIGHTS, size=(draws, n_nodes - 1))


@lru_cache(maxsize=4)
def standardised_correlations(n_nodes: int, draws: int) -> NDArray[Any]:
    """Return the exact |correlations| of standardised chains with unit noise, (draws, d, d)."""
    covariance = covariances_of_chains(_weights(n_nodes, draws), np.ones((draws, n_nodes)))
    sd = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
    return np.asarray(np.abs(covariance) / sd[:, :, None] / sd[:, None, :])


@lru_cache(maxsize=4)
def iscm_correlations(n_nodes: int, draws: int) -> NDArray[Any]:
    """Return the exact |correlations| of iSCM chains with unit noise, (draws, d, d)."""
    weight = _weights(n_nodes, draws)
    step = weight / np.sqrt(weight**2 + 1)
    correlations = np.ones((draws, n_nodes, n_nodes))
    for i in range(n_nodes):
        for j in range(i + 1, n_nodes):
            correlations[:, i, j] = correlations[:, j, i] = step[:, i:j].prod(axis=1)
    return correlations


@computation
def neighbour_rise(*, draws: int) -> Several:
    """Return the rise of |correlation| from each pair of neighbours to the next, standardised."""
    along = np.diagonal(standardised_correlations(N_NODES, draws), 1, 1, 2)
    return Several(tuple(mean(rise) for rise in np.diff(along, axis=1).T))


@computation
def deep_correlation(*, n_nodes: int, draws: int) -> Estimate:
    """Return the mean |correlation| of the last two nodes of a standardised chain."""
    return mean(standardised_correlations(n_nodes, draws)[:, -2, -1])


@computation
def spaced_rise(
    *, spacings: list[int], compared: Literal["rises", "neighbours"], draws: int
) -> Several:
    """Return the rise of |correlation| along the chain at each spacing, standardised.

    A rise is that from the first pair of this spacing to the last. With
    ``compared="neighbours"``, by how much the rise of neighbours exceeds it.
    """
    correlation = standardised_correlations(N_NODES, draws)

    def rise(spacing: int) -> Vector:
        along = np.diagonal(correlation, spacing, 1, 2)
        return np.asarray(along[:, -1] - along[:, 0])

    if compared == "rises":
        return Several(tuple(mean(rise(spacing)) for spacing in spacings))
    return Several(tuple(mean(rise(1) - rise(spacing)) for spacing in spacings))


@computation
def iscm_level(*, draws: int) -> Several:
    """Return how far each pair's mean |correlation| in an iSCM is from its spacing's law."""
    correlation = iscm_correlations(N_NODES, draws)
    return Several(
        tuple(
            mean(correlation[:, i, j] - MEAN_STEP ** (j - i))
            for i in range(N_NODES)
            for j in range(i + 1, N_NODES)
        )
    )


# Implied noise scales and their transfer (Ormaniec et al. 2024, figure 5b).

N_TRANSFERRED, EDGES_PER_NODE, SAMPLES = 100, 2, 1000

_TIE_OF_NOISE = 1e-9


@lru_cache(maxsize=256)
def _transferred_models(k: int) -> tuple[LinearSCM, LinearSCM, LinearSCM]:
    """Return a raw SCM, and what its standardised version and its iSCM imply."""
    rng = stream(1, "noise transfer", k)
    raw = SCM().draw(erdos_renyi(N_TRANSFERRED, EDGES_PER_NODE, rng, exact=False), rng)
    standardised = standardized_implied(raw, raw.mean(), np.sqrt(np.diag(raw.covariance())))
    return raw, standardised, iscm_implied(raw.weights, raw.noise_variance)


@lru_cache(maxsize=4)
def _sortabilities(draws: int) -> Values:
    sortabilities = np.empty((draws, 3))
    for k in range(draws):
        raw, standardised, iscm = _transferred_models(k)
        sources = raw, transfer_noise(raw, standardised), transfer_noise(raw, iscm)
        for column, model in enumerate(sources):
            values = model.sample(SAMPLES, stream(1, "transferred", k))
            sortabilities[k, column] = var_sortability(values, raw.graph)
    return sortabilities


@computation
def transfer_sortability(*, draws: int) -> Several:
    """Return the mean var-sortability of raw data and with either transferred noise."""
    return Several(tuple(mean(column) for column in _sortabilities(draws).T))


@lru_cache(maxsize=4)
def inverse_noise(draws: int) -> tuple[Values, Values]:
    """Return log10 of the implied 1/θ² of standardised SCMs and of iSCMs, each (draws, nodes)."""
    standardised, iscm = (
        -np.log10([_transferred_models(k)[scheme].noise_variance for k in range(draws)])
        for scheme in (1, 2)
    )
    return standardised, iscm


@computation
def noise_scale_ratio(*, draws: int) -> Estimate:
    """Return log10 of how much larger 1/θ² is in standardised SCMs, at its 90 % quantile."""
    upper = [np.quantile(noise, 0.9, axis=1) for noise in inverse_noise(draws)]
    return mean(upper[0] - upper[1])


@computation
def root_noise(*, draws: int) -> Cases:
    """Count iSCMs with a root whose implied noise variance is not 1, or another node's not less."""
    violated = 0
    for k in range(draws):
        iscm = _transferred_models(k)[2]
        roots = ~iscm.graph.any(axis=0)
        noise = iscm.noise_variance
        violated += bool(np.abs(noise[roots] - 1).max() > _TIE_OF_NOISE or noise[~roots].max() >= 1)
    return Cases(draws, violated)


@computation
def raw_as_standardised(*, draws: int) -> Cases:
    """Count raw samples whose R²-sortability changes when they are standardised."""
    violated = 0
    for k in range(draws):
        rng = stream(1, "raw as standardised", k)
        dag = erdos_renyi(20, 4, rng, exact=False)
        values = SCM().draw(dag, rng).sample(SAMPLES, rng)
        scaled = (values - values.mean(axis=0)) / values.std(axis=0)
        violated += bool(
            abs(r2_sortability(values, dag) - r2_sortability(scaled, dag)) > _TIE_OF_NOISE
        )
    return Cases(draws, violated)


@figure
def chain_correlations(*, spacings: Sequence[int], draws: int) -> pd.DataFrame:
    """Return the mean |correlation| along chains of pairs some steps apart."""
    parts = []
    for panel, correlations in (
        ("standardised", standardised_correlations),
        ("iSCM", iscm_correlations),
    ):
        means = correlations(N_NODES, draws).mean(axis=0)
        for spacing in spacings:
            along = np.diag(means, spacing)
            curve = {"x": range(len(along)), "y": along, "series": f"{spacing} apart"}
            parts.append(pd.DataFrame(curve).assign(panel=panel))
    return pd.concat(parts, ignore_index=True)


@figure
def noise_scales(*, draws: int) -> pd.DataFrame:
    """Return log10 of the inverse noise variances that standardised SCMs and iSCMs imply."""
    named = zip(("standardised", "iSCM"), inverse_noise(draws), strict=True)
    parts = [pd.DataFrame({"x": name, "y": noise.ravel()}) for name, noise in named]
    return pd.concat(parts, ignore_index=True).assign(series="nodes", panel="")
