"""An algorithm on rows that are drawn again and again from those of a data set."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable
from collections.abc import Generator as Generates
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from causalassay.common.arrays import Adjacency
from causalassay.common.seeding import as_generator, stream
from causalassay.common.spelling import cut, visible
from causalassay.contracts import Algorithm, Estimate, NotApplicable, check_rows
from causalassay.data.dataset import Dataset
from causalassay.data.files import as_dataset
from causalassay.discovery.python_files import place_of_mistake
from causalassay.resampling.processes import Lost, each_in_processes
from causalassay.resampling.result import EdgeFrequencies

MOST_RESAMPLES = 100_000
"""More is taken for a mistake."""

LONGEST_REASON = 200

WORTH_A_PROCESS = 10.0
"""Seconds that all bootstraps take together, from which on a second process is started."""


class AlgorithmFailed(ValueError):
    """An algorithm raised an error, or returned no graph, on the data as they are."""


_Outcomes = Generates[Adjacency | str, None, None]
"""A graph, or why there is none, of each bootstrap."""


@dataclass(frozen=True)
class _Resampling:
    """What a process needs to know to run any of the resamples.

    Parameters
    ----------
    algorithm : Algorithm
    data : Dataset
    seed : int
        Of all resamples together; each has a stream of its own.
    permuted : bool
        Whether the columns stand in another order in each resample.
    """

    algorithm: Algorithm
    data: Dataset
    seed: int
    permuted: bool


def edge_frequencies(  # noqa: PLR0913  four of them have defaults
    algorithm: Algorithm,
    dataset: ArrayLike | Dataset,
    rng: Generator | int,
    n_bootstrap: int = 100,
    *,
    processes: int | None = 1,
    permute_columns: bool = True,
    on_progress: Callable[[int, int], None] | None = None,
) -> EdgeFrequencies:
    """Return an algorithm's graph, and how often bootstraps of the rows have each edge.

    A bootstrap draws as many rows as there are, with replacement, within each condition. Its
    columns are put in a random order before discovery and back after it: a direction that only
    the order of the columns decides then comes out both ways. The graph itself is
    found on all rows, with the columns in their own order.

    A frequency is no probability that an edge is true: it says how much the result depends on
    which rows were measured. An algorithm that errs in the same way on each draw is certain.

    Parameters
    ----------
    algorithm : Algorithm
        `causalassay.discovery.make_algorithm` gives one by name.
    dataset : Dataset, or array_like of shape (n, d)
        An array is taken as observational values. A series is refused unless `n_bootstrap` is
        0: its rows cannot be drawn one by one.
    rng : Generator or int
    n_bootstrap : int
        Number of bootstraps; 0 for the graph alone.
    processes : int, or None
        In how many processes bootstraps run; the result does not depend on it. None: 2 where they
        would take long. With more than 1, a script needs ``if __name__ == "__main__":`` around
        what it runs.
    permute_columns : bool
        Whether each bootstrap has its columns in a random order.
    on_progress : callable, optional
        Called with the number of finished bootstraps and of all.

    Returns
    -------
    EdgeFrequencies
        Bootstraps that failed are counted there with their reasons.

    Raises
    ------
    NotApplicable
        If the data lack what the algorithm needs.
    AlgorithmFailed
        If it finds no graph on all rows.

    Examples
    --------
    >>> from causalassay.discovery import make_algorithm
    >>> values = np.random.default_rng(0).normal(size=(200, 3)).cumsum(axis=1)
    >>> found = edge_frequencies(make_algorithm("var-sortnregress"), values, rng=1, n_bootstrap=20)
    >>> found
    x0 → x1  100 %
    x1 → x2  100 %
    20 bootstraps of the rows, 0 failed
    """
    data = as_dataset(dataset)
    _check_numbers(n_bootstrap, processes)
    if n_bootstrap and data.rows == "series":
        raise ValueError(
            "the rows are a series: they cannot be drawn one by one; pass n_bootstrap=0 "
            "(--bootstrap 0) for the graph alone"
        )
    seed = int(as_generator(rng).integers(2**63))
    began = time.perf_counter()
    estimate = _on_all_rows(algorithm, data, stream(seed, "estimate"))
    if processes is None:
        expected = n_bootstrap * (time.perf_counter() - began)
        processes = 2 if expected > WORTH_A_PROCESS and len(os.sched_getaffinity(0)) > 1 else 1
    job = _Resampling(algorithm, data, seed, permute_columns)
    counts = np.zeros((2, data.n_nodes, data.n_nodes), dtype=np.int64)
    failures: Counter[str] = Counter()
    # Closed at once after Ctrl-C: what is under way ends with it.
    with closing(_outcomes(job, n_bootstrap, processes)) as outcomes:
        for done, outcome in enumerate(outcomes, 1):
            if isinstance(outcome, str):
                failures[outcome] += 1
            else:
                counts += np.stack([outcome & ~outcome.T, outcome & outcome.T])
            if on_progress is not None:
                on_progress(done, n_bootstrap)
    return EdgeFrequencies(
        columns=data.columns,
        estimate=estimate,
        n_directed=counts[0],
        n_undirected=counts[1],
        n_bootstrap=n_bootstrap,
        failures=dict(sorted(failures.items())),
    )


def draw_rows(data: Dataset, rng: Generator) -> Dataset:
    """Return as many rows as there are, drawn with replacement within each condition.

    Examples
    --------
    >>> data = Dataset.from_values([[0.0, 1.0], [2.0, 4.5], [1.0, 2.5]])
    >>> draw_rows(data, np.random.default_rng(1)).pooled.tolist()
    [[2.0, 4.5], [2.0, 4.5], [1.0, 2.5]]
    """
    regimes = []
    for regime in data.regimes:
        n = len(regime.values)
        regimes.append(replace(regime, values=regime.values[rng.integers(n, size=n)]))
    return replace(data, regimes=tuple(regimes))


def _check_numbers(n_bootstrap: int, processes: int | None) -> None:
    if not 0 <= n_bootstrap <= MOST_RESAMPLES:
        raise ValueError(
            f"n_bootstrap: expected a number from 0 to {MOST_RESAMPLES}, got {n_bootstrap}"
        )
    if processes is not None and processes < 1:
        raise ValueError(f"processes: expected at least 1, got {processes}")


def _on_all_rows(algorithm: Algorithm, data: Dataset, rng: Generator) -> Estimate:
    try:
        return _discovered(algorithm, data, rng)
    except NotApplicable:
        raise
    except (Exception, SystemExit) as error:  # an algorithm may raise anything
        raise AlgorithmFailed(f"the algorithm failed on all rows: {_reason(error)}") from error


def _outcomes(job: _Resampling, n_bootstrap: int, processes: int) -> _Outcomes:
    """Yield the graph of each bootstrap, or why there is none, in any order."""
    work = partial(_resample, job)
    if processes == 1 or n_bootstrap == 0:
        yield from map(work, range(n_bootstrap))
        return
    with closing(each_in_processes(work, n_bootstrap, processes)) as outcomes:
        for outcome in outcomes:
            yield outcome.reason if isinstance(outcome, Lost) else outcome


def _resample(job: _Resampling, step: int) -> Adjacency | str:
    """Return the graph of one bootstrap, its columns as in the data, or why there is none."""
    rng = stream(job.seed, "bootstrap", step)
    d = job.data.n_nodes
    order = rng.permutation(d) if job.permuted else np.arange(d)
    try:
        drawn = draw_rows(job.data, rng).permute_columns(order)
        shown = _discovered(job.algorithm, drawn, rng).graph
    except (Exception, SystemExit) as error:  # an algorithm may raise anything
        return _reason(error)
    graph = np.empty_like(shown)
    graph[np.ix_(order, order)] = shown
    return graph


def _reason(error: BaseException) -> str:
    """Return what an algorithm raised, and where if it is the user's own."""
    if isinstance(error, NotApplicable):
        return cut(visible(str(error)), LONGEST_REASON)
    place = place_of_mistake(error)
    said = cut(visible(f"{type(error).__name__}: {error}"), LONGEST_REASON)
    return f"{said} ({visible(place)})" if place else said


def _discovered(algorithm: Algorithm, data: Dataset, rng: Generator) -> Estimate:
    check_rows(data, getattr(algorithm, "rows", "independent"))
    estimate = algorithm.discover(data, rng)
    if not isinstance(estimate, Estimate):
        raise TypeError(f"`discover` returned {type(estimate).__name__}, expected an Estimate")
    shape = np.shape(estimate.graph)
    if shape != (data.n_nodes, data.n_nodes):
        raise ValueError(f"`discover` returned a graph of shape {shape} for {data.n_nodes} columns")
    return estimate
