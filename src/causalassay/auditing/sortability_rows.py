"""How far statistics of the columns follow the causal order, and where each column stands in it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.random import Generator

from causalassay.auditing.result import ColumnPlace, Convention, Limits, Sortability
from causalassay.common.arrays import Adjacency, Vector
from causalassay.common.spelling import natural_key
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
from causalassay.judging.artefacts import artefacts_of, by_name, measure_all
from causalassay.judging.data_set import Judged
from causalassay.judging.order_tests import TIE, RandomAssignments, ties_throughout
from causalassay.present.formatting import PValue

TIED = "all values of a statistic tie, so nothing sorts by it"
STANDARDISED = "the columns are standardised: all variances tie"
DEPENDENT = "rank {rank} of {d}: some columns are linear combinations of others and tie"
NO_INTERVAL = "no interval: rows of a series cannot be resampled one by one"

Statistics = Mapping[str, Vector]


def sortability_rows(  # noqa: PLR0913, PLR0917  what each row is made of
    data: Dataset,
    graph: Adjacency,
    max_lag: int,
    judged: Judged,
    n_bootstrap: int,
    rng: Generator,
    tick: Callable[[], None],
) -> tuple[Sortability, ...]:
    """Return each sortability with its interval and its p-values.

    Where the judge tested the same, the p-values are those of its tests.
    """
    bootstrap_rng, chance_rng = rng.spawn(2)
    statistics = {**judged.statistics, **_along_graph(data, graph)}
    n_resamples = 0 if data.world == "series" else n_bootstrap
    # The place of a column in the file is known only from the file, and no resampling moves it.
    of_values = [artefact for artefact in artefacts_of(data.world) if not artefact.of_file]
    of_file = {artefact.statistic for artefact in artefacts_of(data.world) if artefact.of_file}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankDeficientWarning)
        resampled = [
            {**by_name(measure_all(sample, max_lag, of_values)), **_along_graph(sample, graph)}
            for sample in _resampled(data, n_resamples, bootstrap_rng, tick)
        ]
    notes = _notes(data, statistics)
    tested = judged.sortable_p_values
    rows = []
    for convention, weights in _pairs(data, graph).items():
        for name, values in statistics.items():
            share = aligned_share(weights, values, TIE)
            # Resampling would break the ties of standardised columns and show noise instead.
            again = [sample[name] for sample in resampled if name in sample]
            spread = [aligned_share(weights, sample, TIE) for sample in again]
            fixed = ties_throughout(values) or (n_resamples > 0 and name in of_file)
            interval = _central([share] if fixed else spread)
            p_values = _p_values(weights, values, share, judged.level, chance_rng)
            rising, falling = tested.pop(name, p_values)
            rows.append(
                Sortability(
                    name,
                    convention,
                    share,
                    interval,
                    rising.value,
                    falling.value,
                    notes.get(name, ""),
                    rising.is_bound,
                    falling.is_bound,
                )
            )
    return tuple(rows)


def _along_graph(data: Dataset, graph: Adjacency) -> Statistics:
    """Return the statistics that need the graph, or that no baseline sorts by."""
    if data.world != "continuous":
        return {}
    values = data.observational_values
    snr = cause_explained_variance(values, graph)
    return {"SNR": snr, "relatives": relatives(values).astype(float)}


def _pairs(data: Dataset, graph: Adjacency) -> dict[Convention, PairWeights]:
    """Return the pairs that each convention counts; the first is that of the judge."""
    if data.world == "series":
        return {"pairs": series_pair_weights(graph)}
    return {"paths": pair_weights(graph, "paths"), "pairs": pair_weights(graph, "pairs")}


def _p_values(
    weights: PairWeights, values: Vector, share: float, level: float, rng: Generator
) -> tuple[PValue, PValue]:
    if not len(weights.weight):
        return PValue(float("nan")), PValue(float("nan"))
    assignments = RandomAssignments(weights, values, rng)
    rising, falling = (assignments.test(share, sign, level).as_p_value for sign in (1, -1))
    return rising, falling


def _central(values: list[float]) -> Limits:
    """Return the central 95 %; nan of none."""
    if not values:
        return float("nan"), float("nan")
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def _resampled(
    data: Dataset, n_resamples: int, rng: Generator, tick: Callable[[], None]
) -> Iterator[Dataset]:
    """Yield bootstrap samples of the rows; one with a constant column is drawn again."""
    values = data.observational_values
    n_samples = len(values)
    for _ in range(n_resamples):
        sample = values[rng.integers(n_samples, size=n_samples)]
        while (np.ptp(sample, axis=0) == 0).any():
            sample = values[rng.integers(n_samples, size=n_samples)]
        yield Dataset(data.columns, (Regime("resampled", sample),), "resampled", data.kinds)
        tick()


def _notes(data: Dataset, statistics: Statistics) -> dict[str, str]:
    notes = dict.fromkeys(statistics, NO_INTERVAL) if data.world == "series" else {}
    for name, values in statistics.items():
        if ties_throughout(values):
            notes[name] = STANDARDISED if name == "variance" else TIED
    if data.world == "continuous":
        regressions = determination(data.observational_values)
        if regressions.method == "rank-deficient":
            notes["R2"] = DEPENDENT.format(rank=regressions.rank, d=data.n_nodes)
    return notes


# Where columns stand in the true order, with the statistics they could be sorted by.


def column_places(
    columns: tuple[str, ...], graph: Adjacency, statistics: Statistics
) -> tuple[ColumnPlace, ...]:
    """Return the columns, causes before effects; of equal depth by name.

    Parameters
    ----------
    columns : tuple of str
    graph : Adjacency
        A DAG; of a series the summary graph, which may have cycles.
    statistics : mapping of str to Vector
        What the columns could be sorted by.
    """
    places = [
        ColumnPlace(name, depth, {key: float(values[j]) for key, values in statistics.items()})
        for j, (name, depth) in enumerate(zip(columns, depths(graph), strict=True))
    ]
    return tuple(sorted(places, key=lambda column: (column.depth, natural_key(column.name))))


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
        depth[node] = max(
            (depth[cause] + 1 for cause in np.flatnonzero(before[:, node])), default=0
        )
    return depth


def _reaches(graph: Adjacency) -> Adjacency:
    """Return which nodes have a path to which, in a graph that may have cycles."""
    reaches = graph.copy()
    for _ in range(len(graph).bit_length()):  # paths of twice the length each time
        single = reaches.astype(np.float32)
        reaches |= single @ single > 0
    return reaches
