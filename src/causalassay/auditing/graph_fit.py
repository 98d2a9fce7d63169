"""Whether a graph belongs to the columns that it claims to describe."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from scipy.stats import rankdata

from causalassay.arrays import Adjacency, Values, Weights
from causalassay.auditing.result import GraphFit
from causalassay.graphs.orders import Indices

N_RELABELLINGS = 999


def graph_fit(values: Values, graph: Adjacency, rng: Generator) -> GraphFit:
    """Compare the dependence of joined pairs with that of pairs that are not joined.

    The dependence is the absolute partial correlation given all other columns,
    or the absolute correlation where that is not defined (n <= d, or linearly
    dependent columns). The p value comes from random relabellings of the graph.
    """
    return fit_of(np.abs(_partial_correlations(values)), graph, rng)


def fit_of(dependence: Weights, graph: Adjacency, rng: Generator) -> GraphFit:
    """Compare joined pairs with others by any symmetric measure of dependence."""
    pairs = np.triu_indices(len(graph), 1)
    joined = graph | graph.T
    n_joined = int(joined[pairs].sum())
    if n_joined in (0, len(pairs[0])):
        return GraphFit(float("nan"), float("nan"))
    ranks = np.zeros(graph.shape)
    ranks[pairs] = rankdata(dependence[pairs])
    ranks += ranks.T
    observed = _rank_sum(ranks, joined, pairs)
    reached = 1
    for _ in range(N_RELABELLINGS):
        label = rng.permutation(len(graph))
        reached += _rank_sum(ranks, joined[np.ix_(label, label)], pairs) >= observed
    smallest = n_joined * (n_joined + 1) / 2
    n_comparisons = n_joined * (len(pairs[0]) - n_joined)
    return GraphFit((observed - smallest) / n_comparisons, reached / (1 + N_RELABELLINGS))


def _rank_sum(ranks: Weights, joined: Adjacency, pairs: tuple[Indices, ...]) -> float:
    return float(ranks[pairs][joined[pairs]].sum())


def _partial_correlations(values: Values) -> Weights:
    correlation = np.atleast_2d(np.corrcoef(values, rowvar=False))
    if len(values) <= len(correlation) or np.linalg.cond(correlation) > 1e12:
        return correlation
    precision = np.linalg.inv(correlation)
    scale = np.sqrt(np.diag(precision))
    return -precision / np.outer(scale, scale)
