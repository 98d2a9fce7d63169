"""The audit of discrete data: entropies instead of variances, BIC parents instead of regressions.

The variance of codes means nothing: another coding of the same levels gives another variance.
The entropy of a column does not depend on the coding. Along an order, each column's parents are
chosen by BIC among the columns before it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from causalassay.arrays import Adjacency, Values, Vector, Weights
from causalassay.auditing.baselines import summarise
from causalassay.auditing.graph_fit import fit_of
from causalassay.auditing.result import Audit, BaselineScore, Sortability, Verdict
from causalassay.auditing.statistics import TIE, sortability_rows
from causalassay.auditing.verdict import FIT_LEVEL, LEVEL, unjudged
from causalassay.data import Dataset
from causalassay.diagnostics.entropy import entropies
from causalassay.discovery.independence.g_test import GTest
from causalassay.discovery.search.any_score.parents_along_order import parents_along
from causalassay.discovery.search.discrete_scores import LevelScore
from causalassay.discovery.statistics.discrete import LevelStatistics, level_statistics
from causalassay.discovery.statistics.tied_orders import random_ties_order
from causalassay.metrics import f1, shd

SORTED = "entropy order"
RANDOM = "random order"

NO_VARIANCE = (
    "The columns are discrete: their codes have no variance and no R², so nothing is sorted by "
    "these."
)
RULE = (
    f"{NO_VARIANCE} Gameable by entropy: at most {LEVEL:.1%} of random assignments of the "
    "entropies to the nodes are as sortable (paths), and choosing parents by BIC along the order "
    f"of entropies gives an F1 that at most {LEVEL:.1%} of random orders reach. Leaning: only one "
    f"of the two. The graph fits: at most {FIT_LEVEL:.0%} of its relabellings join pairs that "
    "depend as strongly."
)


def audit_discrete(
    data: Dataset,
    graph: Adjacency | None,
    rng: Generator,
    n_bootstrap: int,
    n_orders: int,
    tick: Callable[[], None],
) -> Audit:
    """Return the audit of data whose columns are all discrete; see `audit`."""
    values = data.observational_values
    n, d = values.shape
    if graph is None:
        return Audit(n, d, None, None, (), (), None, _without_graph(values))
    bootstrap_rng, order_rng, fit_rng = rng.spawn(3)
    statistics = level_statistics(data)
    sortable = sortability_rows(values, graph, _column_statistics, n_bootstrap, bootstrap_rng, tick)
    scores = _baselines(statistics, values, graph, n_orders, order_rng, tick)
    fit = fit_of(_dependence(statistics), graph, fit_rng)
    rising = next(row for row in sortable if row.convention == "paths")
    verdict = unjudged(rising.value, fit, d, RULE, _scores(scores)) or _judge(rising, scores)
    return Audit(n, d, int(graph.sum()), None, sortable, scores, fit, verdict)


def _column_statistics(values: Values) -> dict[str, Vector]:
    return {"entropy": entropies(values)}


def _dependence(statistics: LevelStatistics) -> Weights:
    """Return how surprising the dependence of each pair is, whatever the other columns."""
    test, d = GTest(statistics), statistics.n_nodes
    dependence = np.zeros((d, d))
    for node in range(d):
        others = np.delete(np.arange(d), node)
        dependence[node, others] = test.minus_log_p(node, others, ())
    return dependence


def _baselines(  # noqa: PLR0913, PLR0917  as for continuous columns
    statistics: LevelStatistics,
    values: Values,
    graph: Adjacency,
    n_orders: int,
    rng: Generator,
    tick: Callable[[], None],
) -> tuple[BaselineScore, ...]:
    score = LevelScore(statistics)
    sorting, orders = rng.spawn(2)

    def compare(order: list[int]) -> tuple[float, float]:
        guess = parents_along(order, score)
        return float(shd(graph, guess)), f1(graph, guess)

    drawn = np.empty((n_orders, 2))
    for row in range(n_orders):
        drawn[row] = compare(orders.permutation(len(graph)).tolist())
        tick()
    distance, share = compare(random_ties_order(entropies(values), sorting, TIE).tolist())
    p_order = (1 + int((drawn[:, 1] >= share).sum())) / (1 + n_orders)
    nothing = np.zeros_like(graph)
    return (
        BaselineScore(SORTED, distance, share, p_order=p_order),
        summarise(RANDOM, drawn),
        BaselineScore("empty", float(shd(graph, nothing)), f1(graph, nothing)),
    )


def _judge(rising: Sortability, scores: tuple[BaselineScore, ...]) -> Verdict:
    own = scores[0]
    sortable = rising.p_rising <= LEVEL
    winning = (own.p_order or 1.0) <= LEVEL
    numbers = f"sortability {rising.value:.2f}, chance {rising.p_rising:.3f}; {_scores(scores)}"
    if sortable and winning:
        sentence = (
            "Gameable by entropy, whatever the coding: it grows along the causal order "
            f"({numbers})."
        )
        return Verdict("gameable", f"{sentence} {NO_VARIANCE}", RULE)
    if sortable or winning:
        what = (
            "entropy grows along the causal order but parents chosen along it do not beat random "
            "orders"
            if sortable
            else "parents chosen along the order of entropies beat random orders though its "
            "sortability is within chance"
        )
        return Verdict(
            "leaning", f"Leaning, not clearly gameable: {what} ({numbers}). {NO_VARIANCE}", RULE
        )
    falling = ""
    if rising.p_falling <= LEVEL:
        falling = "; entropy falls along the causal order, so sorting it downwards might work"
    sentence = (
        "Not gameable by entropy: it does not grow along the causal order more than chance has "
        f"it ({numbers}){falling}."
    )
    return Verdict("not gameable", f"{sentence} {NO_VARIANCE}", RULE)


def _scores(scores: tuple[BaselineScore, ...]) -> str:
    own, random, _ = scores
    return f"F1 {own.f1:.2f} by entropy, {random.f1:.2f} on average in random order"


def _without_graph(values: Values) -> Verdict:
    entropy = entropies(values)
    sentence = (
        f"No graph, so no verdict on the order: entropies run from {entropy.min():.2f} to "
        f"{entropy.max():.2f} nats. {NO_VARIANCE}"
    )
    return Verdict("no graph", sentence, RULE)
