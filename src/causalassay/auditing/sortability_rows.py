"""How far statistics of the columns follow the causal order: values, intervals, p-values."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator

from causalassay.auditing.result import ColumnPlace, Limits, Sortability
from causalassay.common.arrays import Adjacency, Vector
from causalassay.contracts import NotApplicable
from causalassay.data import Dataset, Regime
from causalassay.diagnostics import (
    PairWeights,
    RankDeficientWarning,
    aligned_share,
    cause_explained_variance,
    determination,
    pair_weights,
    relatives,
    series_pair_weights,
)
from causalassay.judging.artefacts import artefacts_of
from causalassay.judging.data_set import ties_throughout
from causalassay.judging.order_tests import TIE, RandomAssignments
from causalassay.present.formatting import PValue

TIED = "all values of a statistic tie, so nothing sorts by it"
STANDARDISED = "the columns are standardised: all variances tie"
DEPENDENT = "rank {rank} of {d}: some columns are linear combinations of others and tie"
NO_INTERVAL = "no interval: rows of a series cannot be resampled one by one"

Statistics = dict[str, Vector]
Convention = Literal["paths", "pairs"]


@dataclass(frozen=True)
class _Question:
    """What is measured: data, graph, and how far links of a series reach back."""

    data: Dataset
    graph: Adjacency
    max_lag: int

    def statistics(self, data: Dataset) -> Statistics:
        """Return the statistics of the world's artefacts, and those that need the graph."""
        found = {}
        for artefact in artefacts_of(data.world):
            try:
                found[artefact.statistic] = artefact.measure(data, self.max_lag)
            except NotApplicable:
                continue  # the judge says what is missing
        if data.world == "continuous":
            values = data.observational_values
            found["SNR"] = cause_explained_variance(values, self.graph)
            found["relatives"] = relatives(values).astype(float)
        return found

    def weights(self) -> dict[Convention, PairWeights]:
        """Return the pairs that each convention counts."""
        if self.data.world == "series":
            return {"pairs": series_pair_weights(self.graph)}
        return {
            "paths": pair_weights(self.graph, "paths"),
            "pairs": pair_weights(self.graph, "pairs"),
        }


def sortability_rows(  # noqa: PLR0913, PLR0917  what each row is made of
    data: Dataset,
    graph: Adjacency,
    max_lag: int,
    level: float,
    n_bootstrap: int,
    rng: Generator,
    tick: Callable[[], None],
) -> tuple[Sortability, ...]:
    """Return each sortability with its interval and its chance level."""
    question = _Question(data, graph, max_lag)
    bootstrap_rng, chance_rng = rng.spawn(2)
    statistics = question.statistics(data)
    resamples = 0 if data.world == "series" else n_bootstrap
    resampled = list(_resampled(question, resamples, bootstrap_rng, tick))
    notes = _notes(data, statistics)
    rows = []
    for convention, weights in question.weights().items():
        for name, values in statistics.items():
            own = aligned_share(weights, values, TIE)
            tied = ties_throughout(values)
            # Resampling would break the ties of standardised columns and show noise instead.
            again = (one[name] for one in resampled if name in one)
            spread = [own] if tied else [aligned_share(weights, one, TIE) for one in again]
            rising, falling = _p_values(weights, values, own, level, chance_rng)
            rows.append(
                Sortability(
                    name,
                    convention,
                    own,
                    _central(spread),
                    rising.value,
                    falling.value,
                    notes.get(name, ""),
                    rising.is_bound,
                    falling.is_bound,
                )
            )
    return tuple(rows)


def _p_values(
    weights: PairWeights, values: Vector, own: float, level: float, rng: Generator
) -> tuple[PValue, PValue]:
    if not len(weights.weight):
        return PValue(float("nan")), PValue(float("nan"))
    assignments = RandomAssignments(weights, values, rng)
    rising, falling = (assignments.test(own, sign, level).as_p_value for sign in (1, -1))
    return rising, falling


def _central(values: list[float]) -> Limits:
    """Return the central 95 %; nan of none."""
    if not values:
        return float("nan"), float("nan")
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def _resampled(
    question: _Question, n_bootstrap: int, rng: Generator, tick: Callable[[], None]
) -> Iterator[Statistics]:
    """Yield the statistics of bootstrap samples; one with a constant column is drawn again."""
    data = question.data
    values = data.observational_values
    n_samples = len(values)
    for _ in range(n_bootstrap):
        sample = values[rng.integers(n_samples, size=n_samples)]
        while (np.ptp(sample, axis=0) == 0).any():
            sample = values[rng.integers(n_samples, size=n_samples)]
        regime = Regime("resampled", sample)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankDeficientWarning)
            yield question.statistics(Dataset(data.columns, (regime,), "resampled", data.kinds))
        tick()


def _notes(data: Dataset, statistics: Statistics) -> dict[str, str]:
    series = data.world == "series"
    notes = {name: NO_INTERVAL for name in statistics if series}
    notes.update({name: TIED for name, values in statistics.items() if ties_throughout(values)})
    if "variance" in statistics and ties_throughout(statistics["variance"]):
        notes["variance"] = STANDARDISED
    if data.world == "continuous":
        regressions = determination(data.observational_values)
        if regressions.method == "rank-deficient":
            notes["R2"] = DEPENDENT.format(rank=regressions.rank, d=data.n_nodes)
    return notes


# Where columns stand in the true order, with the statistics they could be sorted by.


def column_places(data: Dataset, graph: Adjacency, max_lag: int) -> tuple[ColumnPlace, ...]:
    """Return the columns, causes before effects; of equal depth by name.

    Parameters
    ----------
    data : Dataset
    graph : Adjacency
        A DAG; of a series the summary graph, which may have cycles.
    max_lag : int
        Of a series: how far links reach back.
    """
    statistics = _statistics(data, max_lag)
    places = [
        ColumnPlace(name, depth, {key: float(values[j]) for key, values in statistics.items()})
        for j, (name, depth) in enumerate(zip(data.columns, depths(graph), strict=True))
    ]
    return tuple(sorted(places, key=lambda place: (place.depth, natural_key(place.name))))


def named_edges(columns: tuple[str, ...], graph: Adjacency) -> tuple[tuple[str, str], ...]:
    """Return cause and effect of each edge by name, in the order of the names.

    Examples
    --------
    >>> named_edges(("b", "a"), np.array([[False, True], [False, False]]))
    (('b', 'a'),)
    """
    edges = [(columns[i], columns[j]) for i, j in np.argwhere(graph).tolist()]
    return tuple(sorted(edges, key=lambda edge: [natural_key(name) for name in edge]))


def depths(graph: Adjacency) -> list[int]:
    """Return the edges on the longest path to each node; nodes of one cycle count as one.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> depths(chain(3)), depths(chain(2) | chain(2).T)
    ([0, 1, 2], [0, 0])
    """
    reaches = _reaches(graph)
    before = reaches & ~reaches.T
    depth = [0] * len(graph)
    for node in np.argsort(before.sum(axis=0), kind="stable").tolist():
        depth[node] = max((depth[one] + 1 for one in np.flatnonzero(before[:, node])), default=0)
    return depth


def _reaches(graph: Adjacency) -> Adjacency:
    """Return which nodes have a path to which, in a graph that may have cycles."""
    reaches = graph.copy()
    for _ in range(len(graph).bit_length()):  # paths of twice the length each time
        single = reaches.astype(np.float32)
        reaches |= single @ single > 0
    return reaches


def natural_key(name: str) -> list[tuple[int, str]]:
    """Return a key that sorts x2 before x10.

    Examples
    --------
    >>> sorted(["x10", "x2"], key=natural_key)
    ['x2', 'x10']
    """
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    return [(int(part), "") if part.isdecimal() else (0, part) for part in parts]


def _statistics(data: Dataset, max_lag: int) -> dict[str, Vector]:
    found = {}
    for artefact in artefacts_of(data.world):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RankDeficientWarning)
                found[artefact.statistic] = artefact.measure(data, max_lag)
        except NotApplicable:
            continue  # the judge says what is missing
    return found
