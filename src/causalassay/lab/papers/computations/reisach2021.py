"""Reisach et al. 2021: printed examples, gradient steps, chains, and losses of three-node DAGs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import stats

from causalassay.common.arrays import Adjacency, Vector, Weights
from causalassay.common.seeding import stream
from causalassay.diagnostics import (
    alignment,
    chain_leaning,
    pairwise_varsortability_bound,
    var_sortability,
)
from causalassay.discovery import golem_loss
from causalassay.graphs import erdos_renyi, is_dag, topological_order
from causalassay.lab.papers.estimates import (
    LEVEL,
    Cases,
    Estimate,
    Several,
    computation,
    figure,
    mean,
    share,
)
from causalassay.metrics import shd, sid
from causalassay.models import SCM, LinearSCM

Edges = Sequence[Sequence[float]]
"""Cause, effect and weight of each edge."""

_TIE = 1e-9


def _weights(n_nodes: int, edges: Edges) -> Weights:
    weights = np.zeros((n_nodes, n_nodes))
    for cause, effect, weight in edges:
        weights[int(cause), int(effect)] = weight
    return weights


def _model(edges: Edges, noise_variances: Sequence[float]) -> LinearSCM:
    return LinearSCM(_weights(len(noise_variances), edges), list(noise_variances))


@computation
def stated_alignment(*, edges: Edges, variances: Sequence[float]) -> Estimate:
    """Return the var-sortability of stated variances.

    Examples
    --------
    >>> stated_alignment(edges=[[0, 1, 1], [1, 2, 1], [0, 2, 1]], variances=[2, 1, 3]).value
    0.75
    """
    graph = _weights(len(variances), edges) != 0
    return Estimate(alignment(graph, np.asarray(variances, dtype=float)))


@computation
def model_variance(*, edges: Edges, noise_variances: Sequence[float], node: int) -> Estimate:
    """Return the exact variance of a node."""
    return Estimate(float(_model(edges, noise_variances).covariance()[node, node]))


@computation
def model_alignment(*, edges: Edges, noise_variances: Sequence[float]) -> Estimate:
    """Return the var-sortability of a model's exact variances."""
    model = _model(edges, noise_variances)
    return Estimate(alignment(model.graph, np.diag(model.covariance())))


@computation
def pairwise_bound(*, root: bool) -> Estimate:
    """Return the lower bound of the probability that a pair is var-sortable."""
    return Estimate(pairwise_varsortability_bound(root=root))


@computation
def standardised_sortability(*, draws: int) -> Cases:
    """Count standardised data sets whose var-sortability is not one half."""
    wrong = 0
    for k in range(draws):
        rng = stream(1, "standardised", k)
        graph = erdos_renyi(10, 2, rng)
        values = SCM().draw(graph, rng).sample(100, rng)
        values = (values - values.mean(axis=0)) / values.std(axis=0)
        wrong += abs(var_sortability(values, graph) - 0.5) > _TIE
    return Cases(draws, wrong)


@computation
def two_node_mse(*, draws: int, increasing_noise: bool = False) -> Cases:
    """Count models A→B where the MSE picks another direction than the paper says.

    By default the three conditions must agree: the MSE of A→B is smaller, Var(A) < Var(B),
    and (1 - w²) Var(N_A) < Var(N_B). With `increasing_noise`, where Var(N_A) <= Var(N_B),
    the MSE of A→B must be smaller.
    """
    rng = stream(1, "two nodes", int(increasing_noise))
    wrong = 0
    for _ in range(draws):
        w, v_a, v_b = rng.uniform(0.05, 3), *rng.uniform(0.1, 5, size=2)
        if increasing_noise:
            v_a, v_b = sorted((v_a, v_b))
        covariance = _model([[0, 1, w]], [v_a, v_b]).covariance()
        forward = _mse(covariance, 0, 1) < _mse(covariance, 1, 0)
        if increasing_noise:
            wrong += not forward
        elif abs((1 - w**2) * v_a - v_b) > _TIE:
            conditions = {forward, covariance[0, 0] < covariance[1, 1], (1 - w**2) * v_a < v_b}
            wrong += len(conditions) > 1
    return Cases(draws, wrong)


def _mse(covariance: Weights, cause: int, effect: int) -> float:
    explained = covariance[cause, effect] ** 2 / covariance[cause, cause]
    return float(covariance[cause, cause] + covariance[effect, effect] - explained)


@computation
def pair_bound(*, draws: int) -> Cases:
    """Count models where Var(A) < W²Var(A) + S_B² and yet Var(A) >= Var(B), C being a parent of B.

    In every second model C is left out; then the two conditions must be equal.
    """
    rng = stream(1, "pair bound")
    wrong = 0
    for k in range(draws):
        w, other = rng.uniform(0.5, 2, size=2)
        noises = rng.uniform(0.5, 2, size=3) ** 2
        edges = [[0, 1, w], [2, 1, other]] if k % 2 else [[0, 1, w]]
        covariance = _model(edges, list(noises)).covariance()
        sortable = covariance[0, 0] < covariance[1, 1]
        bound = noises[0] < w**2 * noises[0] + noises[1]
        wrong += (bound and not sortable) if k % 2 else bool(bound != sortable)
    return Cases(draws, int(wrong))


@computation
def park_condition(
    *,
    edges: Edges,
    noise_variances: Sequence[float],
    condition: Literal["A", "B"],
    expected: bool,
) -> Cases:
    """Tell whether a condition of Park (2020, theorem 4) holds as the paper says."""
    covariance = _model(edges, noise_variances).covariance()
    holds = {"A": park_forward, "B": park_backward}[condition](covariance)
    return Cases(1, int(holds != expected))


def park_forward(covariance: Weights) -> bool:
    """Tell whether given its predecessors each node varies less than any later one."""
    d = len(covariance)
    return all(
        _conditional_variance(covariance, j, list(range(j)))
        < _conditional_variance(covariance, k, list(range(j)))
        for j in range(d)
        for k in range(j + 1, d)
    )


def park_backward(covariance: Weights) -> bool:
    """Tell whether given all the others up to a node, it varies most."""
    d = len(covariance)
    return all(
        _conditional_variance(covariance, j, list(range(j)))
        > _conditional_variance(covariance, k, [m for m in range(j + 1) if m != k])
        for j in range(1, d)
        for k in range(j)
    )


def _conditional_variance(covariance: Weights, node: int, given: list[int]) -> float:
    if not given:
        return float(covariance[node, node])
    row: Vector = covariance[node, given]
    block = covariance[np.ix_(given, given)]
    return float(covariance[node, node] - row @ np.linalg.solve(block, row))


# The first gradient step from zero weights (Reisach 2021, appendix E).

EXAMPLE: NDArray[np.float64] = np.array([[1.0, 1.0], [1.0, 2.0]])
"""Covariance of X→Y with weight and noise variances 1."""

Compared = Literal["residuals", "steps"]


def residual_variances(covariance: Weights, step: float, *, free_diagonal: bool) -> Vector:
    """Return the residual variances after one step against the gradient of the MSE.

    At zero that gradient is -2 times the covariance matrix; with a diagonal that is not free
    its diagonal is set to 0.

    Examples
    --------
    >>> residual_variances(EXAMPLE, 0.0, free_diagonal=True)
    array([1., 2.])
    """
    weights = 2 * step * covariance
    if not free_diagonal:
        weights = weights - np.diag(np.diag(weights))
    rest = np.eye(len(covariance)) - weights
    return np.diag(rest.T @ covariance @ rest).copy()


def least_steps(covariance: Weights, *, free_diagonal: bool) -> tuple[float, Vector]:
    """Return the step at which the MSE is least, and those of each residual variance.

    Each is a quadratic function of the step, so three points give it exactly.
    """
    steps = np.array([0.0, 0.5, 1.0])
    values = [residual_variances(covariance, step, free_diagonal=free_diagonal) for step in steps]
    curvature, slope, _ = np.polyfit(steps, np.array(values), 2)
    return float(-slope.sum() / (2 * curvature.sum())), -slope / (2 * curvature)


@computation
def first_step(*, free_diagonal: bool, compared: Compared) -> Estimate:
    """Return X less Y of the example: residual variances at the step that minimises the MSE.

    With ``compared="steps"``, the step that minimises the residual variance of X less the one
    that minimises the MSE.
    """
    best, each = least_steps(EXAMPLE, free_diagonal=free_diagonal)
    if compared == "steps":
        return Estimate(float(each[0]) - best)
    residual = residual_variances(EXAMPLE, best, free_diagonal=free_diagonal)
    return Estimate(float(residual[0] - residual[1]))


def _covariance(rng: Generator) -> Weights:
    return SCM(noise_sd=(0.5, 2.0)).draw(erdos_renyi(5, 1, rng), rng).covariance()


@computation
def mse_gradient(*, draws: int) -> Cases:
    """Count covariances where the gradient of the MSE at zero is not -2 times the covariance."""
    wrong = 0
    for k in range(draws):
        covariance = _covariance(stream(1, "gradient", k))
        d, h = len(covariance), 1e-3
        gradient = np.empty((d, d))
        for i, j in np.ndindex(d, d):
            shift = np.zeros((d, d))
            shift[i, j] = h
            # Central differences are exact for a quadratic function.
            ends = [np.eye(d) - sign * shift for sign in (1, -1)]
            above, below = (np.trace(end.T @ covariance @ end) for end in ends)
            gradient[i, j] = (above - below) / (2 * h)
        wrong += not np.allclose(gradient, -2 * covariance, rtol=1e-6, atol=1e-6)
    return Cases(draws, wrong)


@computation
def small_step_order(*, draws: int) -> Cases:
    """Count covariances where a small step changes the order of the variances."""
    wrong = 0
    for k in range(draws):
        covariance = _covariance(stream(1, "small steps", k))
        step = 1e-6 / np.trace(covariance)
        after = residual_variances(covariance, step, free_diagonal=True)
        wrong += bool((np.argsort(after) != np.argsort(np.diag(covariance))).any())
    return Cases(draws, wrong)


@computation
def golem_first_gradient(*, variant: Literal["ev", "nv"], draws: int) -> Cases:
    """Count covariances where GOLEM's first gradient is not as the paper says.

    For "ev" it is symmetric and equals -d S / tr(S) + I. For "nv" it is larger in magnitude
    towards the end of a pair with the lower variance.
    """
    wrong = 0
    for k in range(draws):
        covariance = _covariance(stream(1, "golem", k))
        d = len(covariance)
        _, gradient = golem_loss(np.zeros((d, d)), covariance, 1000, variant)
        if variant == "ev":
            expected = np.eye(d) - d * covariance / np.trace(covariance)
            wrong += not np.allclose(gradient, expected)
            continue
        variance, size = np.diag(covariance), np.abs(gradient)
        lower = variance[:, None] > variance[None, :]  # the end j varies less than i
        linked = np.abs(covariance) > 1e-9
        wrong += bool((size <= size.T)[lower & linked].any())
    return Cases(draws, wrong)


# In which direction random chains seem to point (Reisach 2021, appendix F).

Scale = Literal["raw", "standardised", "harmonised"]
Rule = Literal["coefficients", "variances"]
Counted = Literal["right", "wrong", "correct"]

NOISE_SD = (0.5, 2.0)


def chain_covariances(
    n_nodes: int, weights: tuple[float, float], n: int, rng: Generator
) -> dict[str, NDArray[Any]]:
    """Return the exact covariances of random chains on three scales, each (n, d, d).

    Weights are uniform in magnitude with random signs, noise standard deviations uniform on
    0.5 to 2. "harmonised" divides each weight by the root of its square plus 1.

    Examples
    --------
    >>> drawn = chain_covariances(3, (0.5, 2.0), 4, np.random.default_rng(0))
    >>> list(drawn), drawn["raw"].shape
    (['raw', 'standardised', 'harmonised'], (4, 3, 3))
    """
    signs = rng.choice([-1, 1], size=(n, n_nodes - 1))
    weight = rng.uniform(*weights, size=(n, n_nodes - 1)) * signs
    noise = rng.uniform(*NOISE_SD, size=(n, n_nodes)) ** 2
    raw = covariances_of_chains(weight, noise)
    sd = np.sqrt(np.diagonal(raw, axis1=1, axis2=2))
    return {
        "raw": raw,
        "standardised": raw / sd[:, :, None] / sd[:, None, :],
        "harmonised": covariances_of_chains(weight / np.sqrt(weight**2 + 1), noise),
    }


def covariances_of_chains(weight: NDArray[Any], noise: NDArray[Any]) -> NDArray[Any]:
    """Return the exact covariances of chains from their weights and noise variances."""
    n, d = noise.shape
    covariance = np.zeros((n, d, d))
    covariance[:, 0, 0] = noise[:, 0]
    for k in range(1, d):
        step = weight[:, k - 1, None] * covariance[:, k - 1, :k]
        covariance[:, k, :k] = covariance[:, :k, k] = step
        covariance[:, k, k] = weight[:, k - 1] * step[:, k - 1] + noise[:, k]
    return covariance


@lru_cache(maxsize=16)
def _leanings(
    n_nodes: int, weights: tuple[float, float], draws: int, samples: int
) -> dict[tuple[str, str], NDArray[np.int64]]:
    """Return the direction of every chain by scale and rule; `samples` 0 is the population."""
    rng = stream(1, "chains", n_nodes, samples, *(round(1000 * weight) for weight in weights))
    directions: dict[tuple[str, str], list[NDArray[np.int64]]] = {}
    for first in range(0, draws, 10_000):
        exact = chain_covariances(n_nodes, weights, min(10_000, draws - first), rng)
        for scale, covariance in exact.items():
            for rule in ("coefficients", "variances"):
                leaning = chain_leaning(_sampled(covariance, samples, scale, rng), rule)
                directions.setdefault((scale, rule), []).append(leaning)
    return {key: np.concatenate(parts) for key, parts in directions.items()}


def _sampled(covariance: NDArray[Any], samples: int, scale: str, rng: Generator) -> NDArray[Any]:
    """Return sample covariances of Gaussian data, on standardised data with variances 1."""
    if not samples:
        return covariance
    n, d, _ = covariance.shape
    root = np.linalg.cholesky(covariance)
    # Bartlett: the covariance of centred Gaussian rows without drawing the rows.
    lower = np.tril(rng.normal(size=(n, d, d)), -1)
    freedom = samples - 1 - np.arange(d)
    lower[:, range(d), range(d)] = np.sqrt(rng.chisquare(freedom, size=(n, d)))
    factor = root @ lower
    sample = factor @ factor.transpose(0, 2, 1) / samples
    if scale != "standardised":
        return sample
    sd = np.sqrt(np.diagonal(sample, axis1=1, axis2=2))
    return sample / sd[:, :, None] / sd[:, None, :]


@computation
def chain_orientation(  # noqa: PLR0913
    *,
    n_nodes: int,
    weights: Sequence[float],
    scale: Scale,
    rule: Rule,
    counted: Counted,
    draws: int,
    samples: int = 0,
) -> Estimate:
    """Return the percentage of chains that a rule orients right, wrong or, with a coin, correctly.

    Parameters
    ----------
    n_nodes : int
    weights : (float, float)
        Range of the magnitudes.
    scale, rule : str
    counted : {"right", "wrong", "correct"}
        "correct" counts an undecided chain as one half.
    draws : int
        Chains.
    samples : int
        Rows of a data set; 0 takes the exact covariance.
    """
    low, high = weights
    leaning = _leanings(n_nodes, (low, high), draws, samples)[scale, rule]
    if counted == "correct":
        if not leaning.any():
            return Estimate(50.0)
        return mean(50 + 50 * leaning.astype(float))
    sign = 1 if counted == "right" else -1
    return share(float((leaning == sign).sum()), draws, 100)


@computation
def chain_orientations(
    *, cells: Sequence[dict[str, Any]], above: float, draws: int, samples: int = 0
) -> Several:
    """Return how far the percentages of several cells lie above a limit."""
    percentages = [
        chain_orientation(**cell, counted="correct", draws=draws, samples=samples) for cell in cells
    ]
    return Several(
        tuple(
            Estimate(percentage.value - above, percentage.standard_error, percentage.draws)
            for percentage in percentages
        )
    )


@computation
def chance_limit(*, draws: int, law: Literal["normal", "binomial"], upper: bool) -> Estimate:
    """Return a limit of the 99 % interval of guessing, in per cent."""
    if law == "normal":
        low, high = stats.norm.interval(LEVEL, 0.5, 0.5 / np.sqrt(draws))
    else:
        low, high = (count / draws for count in stats.binom.interval(LEVEL, draws, 0.5))
    return Estimate(100 * float(high if upper else low))


# How variance grows along the causal order (Reisach 2021, figure 2).

N_ALONG_ORDER, EDGES_PER_NODE, NOISE_SD_ALONG_ORDER = 30, 2, (0.5, 2.0)


def depths(dag: Adjacency) -> NDArray[np.int64]:
    """Return the length of the longest directed path that ends in each node.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> depths(chain(3)).tolist()
    [0, 1, 2]
    """
    lengths = np.zeros(len(dag), dtype=np.int64)
    for node in topological_order(dag):
        parents = dag[:, node]
        lengths[node] = lengths[parents].max() + 1 if parents.any() else 0
    return lengths


@lru_cache(maxsize=8)
def variances_by_depth(weights: tuple[float, float], positions: int, draws: int) -> Vector:
    """Return the mean exact variance of the nodes of each depth, (draws, positions), or nan."""
    source = SCM(weights=weights, noise_sd=NOISE_SD_ALONG_ORDER)
    means = np.full((draws, positions), np.nan)
    for k in range(draws):
        rng = stream(1, "variance along order", k)
        graph = erdos_renyi(N_ALONG_ORDER, EDGES_PER_NODE, rng)
        variance = np.diag(source.draw(graph, rng).covariance())
        depth = depths(graph)
        for position in range(positions):
            if (depth == position).any():
                means[k, position] = variance[depth == position].mean()
    return means


@computation
def variance_increase(*, weights: Sequence[Sequence[float]], positions: int, draws: int) -> Several:
    """Return the rise of variance from each depth to the next, for each range of weights."""
    rises = []
    for low, high in weights:
        rise = np.diff(variances_by_depth((low, high), positions, draws), axis=1)
        rises += [
            mean(rises_here[~np.isnan(rises_here)], int(np.isnan(rises_here).sum()))
            for rises_here in rise.T
        ]
    return Several(tuple(rises))


# The loss of every DAG of three nodes on data of every DAG (Reisach 2021, figure 5).

Losses = NDArray[Any]

_TIE_OF_LOSSES = 1e-9
_ROUNDS = 200


@lru_cache(maxsize=1)
def three_node_dags() -> tuple[Adjacency, ...]:
    """Return all DAGs of three nodes.

    Examples
    --------
    >>> len(three_node_dags())
    25
    """
    dags = []
    for states in product(range(3), repeat=3):
        graph = np.zeros((3, 3), dtype=bool)
        for (i, j), state in zip(((0, 1), (0, 2), (1, 2)), states, strict=True):
            graph[i, j], graph[j, i] = state == 1, state == 2
        if is_dag(graph):
            dags.append(graph)
    return tuple(dags)


@computation
def three_node_dag_count() -> Estimate:
    """Return the number of DAGs of three nodes."""
    return Estimate(float(len(three_node_dags())))


@computation
def truth_is_optimal(*, lambda1: float, noise_sd: list[float], draws: int) -> Estimate:
    """Return how much more often the truth has the least loss on standardised than on raw data.

    For each true DAG `draws` models are drawn. The loss of a candidate is GOLEM-NV's at its
    best weights, the exact covariance being known. A tie goes to the truth.
    """
    low, high = noise_sd
    raw, standardised = (
        is_optimal(lambda1, (low, high), draws, standardised=scaled).ravel()
        for scaled in (False, True)
    )
    return mean(standardised.astype(float) - raw)


def is_optimal(
    lambda1: float, noise_sd: tuple[float, float], draws: int, *, standardised: bool
) -> NDArray[np.bool_]:
    """Return whether the true DAG has the least loss, by true DAG and draw."""
    losses = dag_losses(lambda1, noise_sd, draws, standardised=standardised)
    of_truth = losses[np.arange(25), :, np.arange(25)]
    return of_truth <= losses.min(axis=2) + _TIE_OF_LOSSES


@lru_cache(maxsize=4)
def dag_losses(
    lambda1: float, noise_sd: tuple[float, float], draws: int, *, standardised: bool
) -> Losses:
    """Return the loss by true DAG, draw and candidate, shape (25, draws, 25)."""
    low, high = noise_sd
    source = SCM(noise_sd=low if low == high else (low, high))
    covariances = np.array(
        [
            [source.draw(dag, stream(1, "three", k, n)).covariance() for n in range(draws)]
            for k, dag in enumerate(three_node_dags())
        ]
    )
    if standardised:
        sd = np.sqrt(np.diagonal(covariances, axis1=2, axis2=3))
        covariances = covariances / sd[..., :, None] / sd[..., None, :]
    local = {
        (node, parents): _local_loss(covariances, node, parents, lambda1)
        for node in range(3)
        for parents in _parent_sets(node)
    }
    candidates = [
        sum(local[node, tuple(np.flatnonzero(dag[:, node]).tolist())] for node in range(3))
        for dag in three_node_dags()
    ]
    return np.stack(candidates, axis=-1)


def _parent_sets(node: int) -> list[tuple[int, ...]]:
    first, second = (k for k in range(3) if k != node)
    return [(), (first,), (second,), (first, second)]


def _local_loss(covariances: Losses, node: int, parents: tuple[int, ...], lambda1: float) -> Losses:
    """Return ½ log of the residual variance plus the penalty, at the best weights found.

    Coordinate descent from zero and from least squares: each coordinate is solved exactly.
    """
    within = covariances[..., parents, :][..., :, parents]
    towards = covariances[..., parents, node]
    variance = covariances[..., node, node]

    def loss(weights: Losses) -> Losses:
        residual = variance - 2 * (weights * towards).sum(-1)
        residual = residual + np.einsum("...i,...ij,...j", weights, within, weights)
        return 0.5 * np.log(residual) + lambda1 * np.abs(weights).sum(-1)

    if not parents:
        return 0.5 * np.log(variance)
    least_squares = np.linalg.solve(within, towards[..., None])[..., 0]
    if not lambda1:
        return loss(least_squares)
    ends = []
    for start in (np.zeros_like(towards), least_squares):
        weights = start.copy()
        for _ in range(_ROUNDS if len(parents) > 1 else 1):
            for k in range(len(parents)):
                weights[..., k] = _best_weight(weights, k, (within, towards, variance), lambda1)
        ends.append(loss(weights))
    return np.minimum(*ends)


def _best_weight(weights: Losses, k: int, moments: tuple[Any, Any, Any], lambda1: float) -> Losses:
    """Return the weight of one parent that minimises the loss, the others being held."""
    within, towards, variance = moments
    others = weights.copy()
    others[..., k] = 0.0
    held = variance - 2 * (others * towards).sum(-1)
    held = held + np.einsum("...i,...ij,...j", others, within, others)
    cross = towards[..., k] - (within[..., k, :] * others).sum(-1)
    square = within[..., k, k]
    # Zero slope: own w - cross + λ s (held - 2 w cross + own w²) = 0 with s the sign of cross.
    sign = np.sign(cross)
    a, b, c = (
        lambda1 * sign * square,
        square - 2 * lambda1 * sign * cross,
        lambda1 * sign * held - cross,
    )
    root = np.sqrt(np.maximum(b**2 - 4 * a * c, 0.0))
    # Where cross is 0 so is the best weight; the divisor is then of no use.
    divisor = np.where(sign == 0, 1.0, 2 * a)
    slopes = np.stack([(-b + root) / divisor, (-b - root) / divisor])
    legal = (slopes * sign > 0) & (b**2 - 4 * a * c >= 0)
    tried = np.concatenate([np.zeros_like(cross)[None], np.where(legal, slopes, 0.0)])
    residual = held - 2 * tried * cross + tried**2 * square
    losses = 0.5 * np.log(residual) + lambda1 * np.abs(tried)
    return np.take_along_axis(tried, losses.argmin(0)[None], axis=0)[0]


@figure
def gradient_curves() -> pd.DataFrame:
    """Return residual variances and MSE against the step size, both panels of appendix E."""
    parts = []
    for free, longest in ((True, 0.4), (False, 0.8)):
        steps = np.linspace(0, longest, 81)
        after = [residual_variances(EXAMPLE, float(step), free_diagonal=free) for step in steps]
        curves = np.array(after)
        panel = "diagonal free" if free else "diagonal at 0"
        named = {"X": curves[:, 0], "Y": curves[:, 1], "MSE": curves.sum(axis=1)}
        parts += [
            pd.DataFrame({"x": steps, "y": y, "series": name, "panel": panel})
            for name, y in named.items()
        ]
    return pd.concat(parts, ignore_index=True)


@figure
def depth_curves(*, weights: Sequence[Sequence[float]], positions: int, draws: int) -> pd.DataFrame:
    """Return the mean variance by depth for each range of weights."""
    parts = []
    for low, high in weights:
        means = np.nanmean(variances_by_depth((low, high), positions, draws), axis=0)
        parts.append(
            pd.DataFrame({"x": range(positions), "y": means, "series": f"±({low}, {high})"})
        )
    return pd.concat(parts, ignore_index=True).assign(panel="")


@figure
def loss_landscape(*, lambda1: float, noise_sd: Sequence[float], draws: int) -> pd.DataFrame:
    """Return the loss of candidates, and where the least is, by SHD and SID to the true DAG.

    The loss is scaled to 0 and 1 among the 25 candidates of a draw. A tie with the true DAG
    goes to it, as in the paper; others are shared.
    """
    low, high = noise_sd
    dags = three_node_dags()
    parts = []
    for name, standardised in (("raw", False), ("standardised", True)):
        losses = dag_losses(lambda1, (low, high), draws, standardised=standardised)
        least = losses.min(axis=2, keepdims=True)
        span = losses.max(axis=2, keepdims=True) - least
        scaled = (losses - least) / np.where(span > 0, span, 1.0)  # no edge: all losses tie
        best = losses <= least + 1e-9
        of_truth = best & np.eye(len(dags), dtype=bool)[:, None]
        best = np.where(of_truth.any(axis=2, keepdims=True), of_truth, best)
        pairs = pd.DataFrame(
            {
                "x": [shd(truth, dag) for truth in dags for dag in dags],
                "y": [sid(truth, dag) for truth in dags for dag in dags],
                "loss": scaled.mean(axis=1).ravel(),
                "best": (best / best.sum(axis=2, keepdims=True)).mean(axis=1).ravel() / len(dags),
            }
        )
        cells = pairs.groupby(["x", "y"]).agg({"loss": "mean", "best": "sum"}).reset_index()
        for column, what in (("loss", "mean scaled loss"), ("best", "share of least losses")):
            part = cells[["x", "y"]].assign(value=cells[column], series="", panel=f"{what}, {name}")
            parts.append(part)
    return pd.concat(parts, ignore_index=True)
