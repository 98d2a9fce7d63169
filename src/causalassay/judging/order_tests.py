"""Whether an artefact gives the order away: two tests for each statistic and direction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency, Vector
from causalassay.data.dataset import Dataset
from causalassay.diagnostics import (
    PairWeights,
    aligned_share,
    pair_weights,
    series_pair_weights,
)
from causalassay.discovery.statistics import random_ties_order
from causalassay.graphs.orders import Indices, topological_order
from causalassay.judging.artefacts import Artefact
from causalassay.judging.chance import TIE, RandomAssignments, RandomOrders
from causalassay.judging.sequential import MonteCarlo

FAMILY_LEVEL = 0.05
"""How often data without artefacts may be called gameable by any statistic in any direction."""

_N_TIES = 20
_N_TRUE_ORDERS = 20


@dataclass(frozen=True)
class OrderTest:
    """What sorting by a statistic tells of the true order.

    Parameters
    ----------
    artefact : Artefact
    backwards : bool
        Whether the columns are sorted from the largest to the smallest.
    sortability : float
        Of the statistic, upwards; 1/2 is chance.
    f1, shd : float
        Of regressing along the order of the statistic.
    sortable, winning : MonteCarlo
        How many random assignments of the statistic to the nodes are as sortable, and how many
        random orders reach the F1.
    """

    artefact: Artefact
    backwards: bool
    sortability: float
    f1: float
    shd: float
    sortable: MonteCarlo
    winning: MonteCarlo


def corrected_level(n_artefacts: int) -> float:
    """Return the level of each test: both directions of all statistics are judged together."""
    return FAMILY_LEVEL / (2 * n_artefacts)


def order_pairs(data: Dataset, graph: Adjacency) -> PairWeights:
    """Return the pairs of cause and effect that the sortability of a test counts."""
    if data.world == "series":
        return series_pair_weights(graph)
    return pair_weights(graph, "paths")


def measure_order(  # noqa: PLR0913, PLR0917  what the tests are made of
    artefact: Artefact,
    statistic: Vector,
    backwards: bool,
    weights: PairWeights,
    assignments: RandomAssignments,
    orders: RandomOrders,
    level: float,
    rng: Generator,
) -> OrderTest:
    """Test one statistic in one direction."""
    sortability = aligned_share(weights, statistic, TIE)
    sign = -1 if backwards else 1
    own_f1, own_shd = score_along(orders, statistic, backwards, rng)
    return OrderTest(
        artefact,
        backwards,
        sortability,
        own_f1,
        own_shd,
        assignments.test(sortability, sign, level),
        orders.test(own_f1, level),
    )


def score_along(
    orders: RandomOrders, statistic: Vector, backwards: bool, rng: Generator
) -> tuple[float, float]:
    """Return F1 and SHD along the order of a statistic: means over the orders of its ties."""
    ordered = np.sort(statistic)
    tied = bool((np.diff(ordered) <= TIE * np.abs(ordered).max()).any())
    tries = []
    for _ in range(_N_TIES if tied else 1):
        order = random_ties_order(statistic, rng, TIE)
        tries.append(orders.score(order[::-1] if backwards else order))
    own_f1, own_shd = np.mean(tries, axis=0)
    return float(own_f1), float(own_shd)


def true_orders(weights: PairWeights, rng: Generator) -> list[np.ndarray]:
    """Return some orders in which each cause comes before its effects."""
    precedes = np.zeros((weights.n_nodes, weights.n_nodes), dtype=bool)
    precedes[weights.cause, weights.effect] = True
    orders = []
    for _ in range(_N_TRUE_ORDERS):
        label = rng.permutation(weights.n_nodes)
        orders.append(label[topological_order(precedes[np.ix_(label, label)])])
    return orders


def attainable(
    weights: PairWeights,
    orders: RandomOrders,
    true_orders: list[Indices],
    level: float,
    rng: Generator,
) -> tuple[MonteCarlo, MonteCarlo]:
    """Return the least p-values that any order could have: if these are large, no test can find.

    The share of random assignments with sortability 1, and of random orders that reach the mean
    F1 along true orders.
    """
    perfect = RandomAssignments(weights, np.arange(weights.n_nodes, dtype=float), rng)
    sortable = perfect.test(1.0, 1, level)
    best = float(np.mean([orders.score(order)[0] for order in true_orders]))
    return sortable, orders.test(best, level)
