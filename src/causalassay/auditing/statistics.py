"""The statistics an order can be read from, their bootstrap and their chance level."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.stats import spearmanr

from causalassay.arrays import Adjacency, Values, Vector
from causalassay.auditing.result import ColumnSpread, Sortability
from causalassay.diagnostics import (
    PairWeights,
    RankDeficientWarning,
    aligned_share,
    cause_explained_variance,
    determination,
    pair_weights,
    relatives,
)

TIE = 1e-9
N_ASSIGNMENTS = 999
STANDARDISED = "the columns are standardised: all variances tie"
DEPENDENT = "rank {rank} of {d}: some columns are linear combinations of others and tie"

Statistics = dict[str, Vector]


def column_statistics(values: Values, graph: Adjacency) -> Statistics:
    """Return every statistic whose order an audit compares with the causal order."""
    return {
        "variance": values.var(axis=0),
        "R2": determination(values).r2,
        "SNR": cause_explained_variance(values, graph),
        "relatives": relatives(values).astype(float),
    }


def ties_throughout(scores: Vector) -> bool:
    """Tell whether all scores are equal up to the tolerance of the sortabilities."""
    return bool(np.ptp(scores) <= TIE * np.abs(scores).max())


def column_spread(values: Values) -> ColumnSpread:
    """Summarise what variances and R² tell without a graph."""
    r2 = determination(values).r2  # first: it refuses values whose variance overflows
    variance = values.var(axis=0)
    agreement = p_agreement = float("nan")
    if not ties_throughout(variance) and not ties_throughout(r2):
        spearman = spearmanr(variance, r2)
        agreement, p_agreement = float(spearman.statistic), float(spearman.pvalue)
    return ColumnSpread(
        float(variance.max() / variance.min()),
        ties_throughout(variance),
        (float(r2.min()), float(r2.max())),
        int((r2 > 0.99).sum()),
        agreement,
        p_agreement,
    )


def sortabilities(
    values: Values,
    graph: Adjacency,
    n_bootstrap: int,
    rng: Generator,
    tick: Callable[[], None],
) -> tuple[Sortability, ...]:
    """Return each sortability, by paths and by pairs, with its interval and its chance level."""
    measure = partial(column_statistics, graph=graph)
    notes = _notes(values, measure(values))
    return sortability_rows(values, graph, measure, n_bootstrap, rng, tick, notes)


def sortability_rows(  # noqa: PLR0913, PLR0917  what each row is made of
    values: Values,
    graph: Adjacency,
    measure: Callable[[Values], Statistics],
    n_bootstrap: int,
    rng: Generator,
    tick: Callable[[], None],
    notes: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Sortability, ...]:
    """Return the same of any statistics of the columns."""
    bootstrap_rng, chance_rng = rng.spawn(2)
    statistics = measure(values)
    resampled = list(_resampled_statistics(values, measure, n_bootstrap, bootstrap_rng, tick))
    rows = []
    conventions: tuple[Literal["paths"], Literal["pairs"]] = ("paths", "pairs")
    for convention in conventions:
        weights = pair_weights(graph, convention)
        for name, scores in statistics.items():
            value = aligned_share(weights, scores, TIE)
            tied = ties_throughout(scores)
            # Resampling would break the ties of standardised columns and show noise instead.
            spread = [value] if tied else [aligned_share(weights, s[name], TIE) for s in resampled]
            low, high = np.quantile(spread, [0.025, 0.975]) if spread else (np.nan, np.nan)
            chance = chance_shares(weights, scores, chance_rng)
            rows.append(
                Sortability(
                    name,
                    convention,
                    value,
                    (float(low), float(high)),
                    p_value(chance >= value),
                    p_value(chance <= value),
                    notes.get(name, ""),
                )
            )
    return tuple(rows)


def _resampled_statistics(
    values: Values,
    measure: Callable[[Values], Statistics],
    n_bootstrap: int,
    rng: Generator,
    tick: Callable[[], None],
) -> Iterator[Statistics]:
    """Yield the statistics of bootstrap samples; one with a constant column is drawn again."""
    n_samples = len(values)
    for _ in range(n_bootstrap):
        sample = values[rng.integers(n_samples, size=n_samples)]
        while (np.ptp(sample, axis=0) == 0).any():
            sample = values[rng.integers(n_samples, size=n_samples)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankDeficientWarning)
            yield measure(sample)
        tick()


def _notes(values: Values, statistics: Statistics) -> dict[str, str]:
    notes = {}
    if ties_throughout(statistics["variance"]):
        notes["variance"] = STANDARDISED
    regressions = determination(values)
    if regressions.method == "rank-deficient":
        notes["R2"] = DEPENDENT.format(rank=regressions.rank, d=values.shape[1])
    return notes


def chance_shares(weights: PairWeights, scores: Vector, rng: Generator) -> NDArray[np.floating]:
    """Return the sortabilities of random assignments of the scores to the nodes."""
    shares = [aligned_share(weights, rng.permutation(scores), TIE) for _ in range(N_ASSIGNMENTS)]
    return np.array(shares)


def p_value(as_extreme: NDArray[np.bool_]) -> float:
    """Return the share of chance values that are as extreme, with the observed one counted in."""
    return (1 + int(as_extreme.sum())) / (1 + len(as_extreme))
