"""The audit of a series: sortabilities on its summary graph, and baselines that know time."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from causalassay.arrays import Adjacency, Values
from causalassay.auditing.baselines import score, score_repeatedly, summarise
from causalassay.auditing.result import Audit, BaselineScore, ColumnSpread, Sortability, Verdict
from causalassay.auditing.statistics import (
    STANDARDISED,
    TIE,
    chance_shares,
    column_spread,
    p_value,
    ties_throughout,
)
from causalassay.auditing.verdict import ENOUGH_NODES, LEVEL, WORDS
from causalassay.data import Dataset
from causalassay.diagnostics import aligned_share, series_pair_weights, series_r2

RANDOM_ORDER = "series-random-sortnregress"
SORTED_BY = {"variance": "series-var-sortnregress", "R2": "series-r2-sortnregress"}
NO_INTERVAL = "no interval: rows of a series cannot be resampled one by one"

RULE = (
    f"Gameable by a statistic: at most {LEVEL:.1%} of random assignments of the statistic to the "
    "processes are as sortable (pairs of the summary graph, of which the effect does not act "
    "back), and regressing within a step along it, with the past of all, gives an F1 of the "
    f"summary graph that at most {LEVEL:.1%} of random orders reach. Leaning: only one of the two."
)
NO_GRAPH_RULE = "Without a graph no order can be called right or wrong."


def audit_series(
    data: Dataset,
    graph: Adjacency | None,
    max_lag: int,
    rng: Generator,
    n_orders: int,
    tick: Callable[[], None],
) -> Audit:
    """Return the audit of a checked series; `graph` is the summary."""
    values = data.observational_values
    n, d = values.shape
    spread = column_spread(values)
    if graph is None:
        return Audit(n, d, None, spread, (), (), None, _no_graph(spread))
    chance_rng, order_rng = rng.spawn(2)
    sortable = _sortabilities(values, graph, max_lag, chance_rng)
    scores = _baselines(data, graph, max_lag, n_orders, order_rng, tick)
    verdict = _judge(sortable, scores, d)
    return Audit(n, d, int(graph.sum()), spread, sortable, scores, None, verdict)


def _sortabilities(
    values: Values, graph: Adjacency, max_lag: int, rng: Generator
) -> tuple[Sortability, ...]:
    pairs = series_pair_weights(graph)
    statistics = {
        "variance": values.var(axis=0),
        "R2": series_r2(values, max_lag),
        "R2 without own past": series_r2(values, max_lag, own_past=False),
    }
    rows = []
    for name, scores in statistics.items():
        value = aligned_share(pairs, scores, TIE)
        chance = chance_shares(pairs, scores, rng)
        tied = name == "variance" and ties_throughout(scores)
        rows.append(
            Sortability(
                name,
                "pairs",
                value,
                (math.nan, math.nan),
                p_value(chance >= value),
                p_value(chance <= value),
                STANDARDISED if tied else NO_INTERVAL,
            )
        )
    return tuple(rows)


def _baselines(  # noqa: PLR0913, PLR0917
    data: Dataset,
    graph: Adjacency,
    max_lag: int,
    n_orders: int,
    rng: Generator,
    tick: Callable[[], None],
) -> tuple[BaselineScore, ...]:
    sorting, random_orders, rest = rng.spawn(3)
    lags = {"max_lag": max_lag}
    drawn = score_repeatedly(RANDOM_ORDER, data, graph, n_orders, random_orders, tick, **lags)
    none = np.empty((0, 2))
    return (
        *(score(name, data, graph, sorting, drawn, **lags) for name in SORTED_BY.values()),
        summarise(RANDOM_ORDER, drawn),
        score("granger-lasso", data, graph, rest, none, **lags),
        score("empty", data, graph, rest, none),
    )


def _judge(
    sortabilities: tuple[Sortability, ...], baselines: tuple[BaselineScore, ...], n_nodes: int
) -> Verdict:
    rising = {one.statistic: one for one in sortabilities}
    reached = {one.algorithm: one for one in baselines}
    if math.isnan(rising["variance"].value):
        sentence = "No process acts on another without being acted upon: there is no order to find."
        return Verdict("too small", sentence, RULE)
    if n_nodes < ENOUGH_NODES:
        sentence = (
            f"With {n_nodes} processes no order is surprising: one of "
            f"{math.factorial(n_nodes)} is right by luck alone."
        )
        return Verdict("too small", sentence, RULE)
    sortable = {s for s in SORTED_BY if rising[s].p_rising <= LEVEL}
    winning = {s for s, name in SORTED_BY.items() if (reached[name].p_order or 1.0) <= LEVEL}
    by_statistic = "; ".join(_reached_text(s, rising[s], reached[SORTED_BY[s]]) for s in SORTED_BY)
    beside = f"{by_statistic}; {_random_text(reached[RANDOM_ORDER])}"
    if by := [s for s in SORTED_BY if s in sortable & winning]:
        named = " and by ".join(WORDS[s] for s in by)
        return Verdict("gameable", f"Gameable by {named}: {beside}.", RULE)
    if sortable | winning:
        named = " and ".join(WORDS[s] for s in SORTED_BY if s in sortable | winning)
        sentence = f"Leaning towards {named}, not clearly gameable: {beside}."
        return Verdict("leaning", sentence, RULE)
    return Verdict("not gameable", f"Not gameable by variance or R²: {beside}.", RULE)


def _reached_text(statistic: str, sortability: Sortability, reached: BaselineScore) -> str:
    word = f"sorting by {WORDS[statistic]} (sortability {sortability.value:.2f})"
    if math.isnan(reached.f1):
        return f"{word} cannot be run: {reached.note}"
    return f"{word} reaches F1 {reached.f1:.2f} and SHD {reached.shd:.0f}"


def _random_text(reached: BaselineScore) -> str:
    if math.isnan(reached.f1):
        return "and neither can random orders"
    return f"random orders reach {reached.f1:.2f} and {reached.shd:.0f} on average"


def _no_graph(spread: ColumnSpread) -> Verdict:
    scale = (
        "the columns are standardised, so variance tells nothing"
        if spread.equal_variances
        else f"the variances span a factor of {spread.variance_ratio:.3g}"
    )
    sentence = (
        f"No graph, so no verdict on the order: {scale}. Judge algorithms for series on these data "
        "beside series-var-sortnregress and series-r2-sortnregress."
    )
    return Verdict("no graph", sentence, NO_GRAPH_RULE)
