"""What UUMC's draws obey exactly, and what an iSCM bounds (Herman et al. 2025)."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Literal

import numpy as np

from causalassay.common.arrays import Adjacency, Vector
from causalassay.common.seeding import stream
from causalassay.diagnostics import r2
from causalassay.graphs import erdos_renyi
from causalassay.lab.reproducing.estimates import Cases, Ours, Several, mean
from causalassay.models import ISCM, UUMC

Hub = Literal["collider", "confounder"]

_TIE = 1e-9


def hub(n_leaves: int, kind: Hub) -> Adjacency:
    """Return a DAG whose node 0 is joined to every leaf: their effect, or their cause.

    Examples
    --------
    >>> hub(2, "collider").astype(int).tolist()
    [[0, 0, 0], [1, 0, 0], [1, 0, 0]]
    """
    graph = np.zeros((n_leaves + 1, n_leaves + 1), dtype=bool)
    if kind == "collider":
        graph[1:, 0] = True
    else:
        graph[0, 1:] = True
    return graph


def collider_bound(*, draws: int) -> Cases:
    """Count colliders A→B←C whose R² is not the share of B's variance that is not its noise."""
    violated = 0
    for k in range(draws):
        model = UUMC().draw(hub(2, "collider"), stream(1, "collider", k))
        violated += bool(abs(model.r2()[0] - (1 - model.noise_variance[0])) > _TIE)
    return Cases(draws, violated)


def confounder_bound(*, draws: int) -> Cases:
    """Count confounders A←B→C whose R² is below one less the least noise of their children."""
    violated = 0
    for k in range(draws):
        model = UUMC().draw(hub(2, "confounder"), stream(1, "confounder", k))
        violated += bool(model.r2()[0] < 1 - model.noise_variance[1:].min() - _TIE)
    return Cases(draws, violated)


def collider_law(*, leaves: list[int], draws: int) -> Several:
    """Return how far the mean of R² to the power k/2 is from one half; it is uniform by the law.

    The mean square is compared with one third as well, for each number k of leaves.
    """
    found = []
    for n_leaves in leaves:
        uniform = population_r2(n_leaves, "collider", draws) ** (n_leaves / 2)
        found += [mean(uniform - 1 / 2), mean(uniform**2 - 1 / 3)]
    return Several(tuple(found))


def confounder_law(*, leaves: list[int], draws: int) -> Cases:
    """Count hubs whose R² is not 1 - 1/(1 + Σ u²/(1 - u²)), u being their weights."""
    violated = 0
    for n_leaves in leaves:
        for k in range(draws):
            model = UUMC().draw(hub(n_leaves, "confounder"), stream(1, "law", n_leaves, k))
            square = model.weights[0, 1:] ** 2
            expected = 1 - 1 / (1 + np.sum(square / (1 - square)))
            violated += bool(abs(model.r2()[0] - expected) > _TIE)
    return Cases(draws * len(leaves), violated)


@lru_cache(maxsize=32)
def population_r2(n_leaves: int, kind: Hub, draws: int) -> Vector:
    """Return the exact R² of the hub in random models."""
    graph = hub(n_leaves, kind)
    return np.array(
        [UUMC().draw(graph, stream(1, kind, n_leaves, k)).r2()[0] for k in range(draws)]
    )


@lru_cache(maxsize=32)
def sample_r2(n_leaves: int, kind: Hub, samples: int, draws: int) -> Vector:
    """Return the R² of the hub in samples of random models."""
    graph, found = hub(n_leaves, kind), np.empty(draws)
    for k in range(draws):
        rng = stream(1, "sampled hub", kind, n_leaves, k)
        found[k] = r2(UUMC().draw(graph, rng).sample(samples, rng))[0]
    return found


def best_leaf(*, leaves: list[int], draws: int) -> Cases:
    """Count confounder hubs that are known less well than from their best leaf alone."""
    violated = 0
    for n_leaves in leaves:
        for k in range(draws):
            model = UUMC().draw(hub(n_leaves, "confounder"), stream(1, "best leaf", n_leaves, k))
            best = (model.weights[0, 1:] ** 2).max()
            violated += bool(model.r2()[0] < best - _TIE)
    return Cases(draws * len(leaves), violated)


def hub_dominance(*, leaves: list[int], samples: int, draws: int) -> Several:
    """Return how much smaller the confounder's share below each decile of R² is.

    Deciles are those of both kinds together. One kind dominates the other if its share below
    is nowhere larger.
    """
    found = []
    for n_leaves in leaves:
        confounder = sample_r2(n_leaves, "confounder", samples, draws)
        collider = sample_r2(n_leaves, "collider", samples, draws)
        limits = np.quantile(np.concatenate([confounder, collider]), np.arange(1, 10) / 10)
        for limit in limits:
            below = (collider <= limit).astype(float) - (confounder <= limit)
            found.append(mean(below))
    return Several(tuple(found))


def unit_variances(*, draws: int) -> Cases:
    """Count random DAGs with a variance of UUMC that is not 1."""
    violated = 0
    for k in range(draws):
        rng = stream(1, "unit variances", k)
        model = UUMC().draw(erdos_renyi(10, 2, rng), rng)
        violated += bool(np.abs(np.diag(model.covariance()) - 1).max() > _TIE)
    return Cases(draws, violated)


def iscm_ratios(*, low: float, high: float, draws: int) -> Cases:
    """Count random DAGs with an iSCM weight outside a range of its node's noise deviations."""
    violated = 0
    for k in range(draws):
        rng = stream(1, "ratios", k)
        model = ISCM(weights=(0.5, 2.0)).draw(erdos_renyi(10, 2, rng), rng)
        ratio = np.abs(model.weights / np.sqrt(model.noise_variance))[model.graph]
        violated += bool(ratio.min() < low - _TIE or ratio.max() > high + _TIE)
    return Cases(draws, violated)


UUMC_LAWS: dict[str, Callable[..., Ours]] = {
    "collider-bound": collider_bound,
    "confounder-bound": confounder_bound,
    "collider-law": collider_law,
    "confounder-law": confounder_law,
    "best-leaf": best_leaf,
    "hub-dominance": hub_dominance,
    "unit-variances": unit_variances,
    "iscm-ratios": iscm_ratios,
}
