"""What baselines reach: sorting by each statistic, random orders, and a few algorithms."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
from numpy.random import Generator

from causalassay.arrays import Adjacency, Values
from causalassay.auditing.result import RANDOM_ORDERS, BaselineScore, Direction
from causalassay.contracts import NotApplicable
from causalassay.data import Dataset
from causalassay.discovery import discover
from causalassay.judging.data_set import Judged
from causalassay.judging.order_tests import OrderTest
from causalassay.metrics import f1, shd

N_RANDOM = 100

BESIDE = MappingProxyType(
    {
        "continuous": ("variance-sorting", "random-sorting", "empty"),
        "discrete": ("empty",),
        "series": ("granger-lasso", "empty"),
    }
)
"""Algorithms that stand beside the sorted regressions, by world."""


def baseline_rows(
    data: Dataset, graph: Adjacency, max_lag: int, judged: Judged, rng: Generator
) -> tuple[BaselineScore, ...]:
    """Return the scores of every baseline; one that cannot run says why."""
    rows = [_sorted(test) for test in judged.tests]
    if len(judged.random_orders):
        rows.append(_averaged(RANDOM_ORDERS, judged.random_orders))
    rows += [_algorithm(name, data, graph, max_lag, rng) for name in BESIDE[data.world]]
    return tuple(rows)


def _sorted(test: OrderTest) -> BaselineScore:
    direction: Direction = "falling" if test.backwards else "rising"
    return BaselineScore(
        f"sorted by {direction} {test.artefact.word}",
        test.shd,
        test.f1,
        p_order=test.winning.p_value,
        statistic=test.artefact.statistic,
        direction=direction,
        p_is_bound=test.winning.as_p_value.is_bound,
    )


def _algorithm(
    name: str, data: Dataset, graph: Adjacency, max_lag: int, rng: Generator
) -> BaselineScore:
    settings = {"max_lag": max_lag} if name == "granger-lasso" else {}
    times = N_RANDOM if name == "random-sorting" else 1
    scores = []
    try:
        for _ in range(times):
            guess = discover(name, data, rng, **settings).graph
            scores.append((f1(graph, guess), float(shd(graph, guess))))
    except NotApplicable as reason:
        return BaselineScore(name, np.nan, np.nan, note=str(reason))
    if times > 1:
        return _averaged(name, np.array(scores))
    return BaselineScore(name, scores[0][1], scores[0][0])


def _averaged(name: str, scores: Values) -> BaselineScore:
    """Return the means of F1 and SHD over many orders, and their central 95 %."""
    low, high = np.quantile(scores, [0.025, 0.975], axis=0).tolist()
    own_f1, own_shd = scores.mean(axis=0).tolist()
    return BaselineScore(name, own_shd, own_f1, (low[1], high[1]), (low[0], high[0]))
