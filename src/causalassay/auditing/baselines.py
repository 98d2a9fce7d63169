"""The baselines of an audit, scored against the given graph beside random orders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.random import Generator

from causalassay.arrays import Adjacency, Values
from causalassay.auditing.result import BaselineScore
from causalassay.contracts import NotApplicable
from causalassay.data.dataset import Dataset, as_dataset
from causalassay.discovery import discover
from causalassay.discovery.sortnregress import along_random_orders
from causalassay.metrics import f1, shd

RANDOM_ORDER = "random-sortnregress"
SORTED_BY = {"variance": "var-sortnregress", "R2": "r2-sortnregress"}
"""The baseline that exploits a statistic."""


def score_baselines(
    values: Values,
    graph: Adjacency,
    n_orders: int,
    rng: Generator,
    tick: Callable[[], None],
) -> tuple[BaselineScore, ...]:
    """Return the scores of every baseline; one that cannot run says why."""
    sorting, random_orders, random_sorts, rest = rng.spawn(4)
    drawn = score_repeatedly(RANDOM_ORDER, values, graph, n_orders, random_orders, tick)
    scores = [score(name, values, graph, sorting, drawn) for name in SORTED_BY.values()]
    scores.append(summarise(RANDOM_ORDER, drawn))
    scores.append(score("variance-sorting", values, graph, rest, np.empty((0, 2))))
    sorts = score_repeatedly("random-sorting", values, graph, n_orders, random_sorts, None)
    scores.append(summarise("random-sorting", sorts))
    scores.append(score("empty", values, graph, rest, np.empty((0, 2))))
    return tuple(scores)


def score(  # noqa: PLR0913
    name: str,
    data: Values | Dataset,
    graph: Adjacency,
    rng: Generator,
    random_orders: Values,
    **hyperparameters: Any,
) -> BaselineScore:
    """Return the scores of one run, and how many of the random orders reach its F1."""
    try:
        guess = discover(name, data, rng, **hyperparameters).graph
    except NotApplicable as reason:
        return BaselineScore(name, np.nan, np.nan, note=str(reason))
    own_f1 = f1(graph, guess)
    p_order = None
    if len(random_orders):
        p_order = (1 + int((random_orders[:, 1] >= own_f1).sum())) / (1 + len(random_orders))
    return BaselineScore(name, float(shd(graph, guess)), own_f1, p_order=p_order)


def score_repeatedly(  # noqa: PLR0913, PLR0917
    name: str,
    data: Values | Dataset,
    graph: Adjacency,
    n_times: int,
    rng: Generator,
    tick: Callable[[], None] | None,
    **hyperparameters: Any,
) -> Values:
    """Return SHD and F1 of `n_times` runs, shape (n, 2); no row if the data do not allow any."""
    scores = []
    try:
        for guess in _repeated(name, data, n_times, rng, hyperparameters):
            scores.append((shd(graph, guess), f1(graph, guess)))
            if tick:
                tick()
    except NotApplicable:
        return np.empty((0, 2))
    return np.array(scores, dtype=float).reshape(-1, 2)


def _repeated(
    name: str, data: Values | Dataset, n_times: int, rng: Generator, hyperparameters: dict[str, Any]
) -> Iterator[Adjacency]:
    """Yield the graphs of so many runs; along random orders the rows are read once."""
    if name == RANDOM_ORDER:
        for estimate in along_random_orders(as_dataset(data), n_times, rng, **hyperparameters):
            yield estimate.graph
    else:
        for _ in range(n_times):
            yield discover(name, data, rng, **hyperparameters).graph


def summarise(name: str, scores: Values) -> BaselineScore:
    """Return the means of repeated runs, and their central 95 %."""
    if not len(scores):
        return BaselineScore(name, np.nan, np.nan, note="not applicable, as above")
    low, high = np.quantile(scores, [0.025, 0.975], axis=0)
    mean = scores.mean(axis=0)
    return BaselineScore(
        name,
        float(mean[0]),
        float(mean[1]),
        (float(low[0]), float(high[0])),
        (float(low[1]), float(high[1])),
    )
