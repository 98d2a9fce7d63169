"""An algorithm on rows that are drawn again and again from those of a data set."""

from __future__ import annotations

import os
import pickle
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from causalassay.common.arrays import Adjacency
from causalassay.common.seeding import as_generator, seed_of, stream
from causalassay.common.spelling import cut, visible
from causalassay.contracts import Algorithm, Estimate, NotApplicable, check_rows
from causalassay.data.dataset import Dataset
from causalassay.data.files import as_dataset
from causalassay.discovery.environment_algorithms import NotInstalled
from causalassay.discovery.loading import data_for, load_code
from causalassay.discovery.python_files import place_of_mistake
from causalassay.discovery.registry import make_algorithm
from causalassay.processes.limits import Loss
from causalassay.processes.stages import loaded_seconds, watch_imports
from causalassay.processes.supervisor import Supervisor
from causalassay.resampling.result import EdgeFrequencies

MOST_RESAMPLES = 100_000
"""More is taken for a mistake."""

LONGEST_REASON = 200

WORTH_A_PROCESS = 10.0
"""Seconds that all bootstraps take together, from which on a second process is started."""

MOST_PROCESSES = 2
"""Processes where their number is not stated."""


MOST_LOST = 3
"""Bootstraps in a row that may end their process before all are given up."""


class AlgorithmFailed(ValueError):
    """An algorithm gave no graph on all rows: it raised an error, or ended its process."""


@dataclass(frozen=True)
class _Work:
    """What a process needs to know to run an algorithm on all rows and on any bootstrap.

    Parameters
    ----------
    algorithm : Algorithm
    data : Dataset
    seed : int
        Of all bootstraps together; each has a stream of its own.
    permuted : bool
        Whether the columns stand in another order in each bootstrap.
    """

    algorithm: Algorithm
    data: Dataset
    seed: int
    permuted: bool


def edge_frequencies(  # noqa: PLR0913  four of them have defaults
    algorithm: Algorithm | str,
    dataset: ArrayLike | Dataset,
    rng: Generator | int = 0,
    n_bootstrap: int = 100,
    *,
    processes: int | None = 1,
    isolated: bool = False,
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
    algorithm : Algorithm or str
        An algorithm, or its name; `causalassay.discovery.make_algorithm` gives one with other
        settings.
    dataset : Dataset, or array_like of shape (n, d)
        An array is taken as observational values. A series is refused unless `n_bootstrap` is
        0: its rows cannot be drawn one by one.
    rng : Generator or int
        An int is a seed, which the result then has.
    n_bootstrap : int
        Number of bootstraps; 0 for the graph alone.
    processes : int, or None
        In how many processes bootstraps run; the result does not depend on it. None: 2 where they
        would take long. With more than 1, a script needs ``if __name__ == "__main__":`` around
        what it runs.
    isolated : bool
        Whether the algorithm never runs in this process, not even on all rows: one that ends its
        process is then an `AlgorithmFailed`. With more than 1 process, bootstraps never do.
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
    ChildProcessError
        If no process can be started, or several bootstraps in a row end theirs.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(size=(200, 3)).cumsum(axis=1)
    >>> edge_frequencies("var-sortnregress", values, rng=1, n_bootstrap=20)
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
    if isinstance(algorithm, str):
        algorithm = make_algorithm(algorithm)
    work = _Work(algorithm, data, int(as_generator(rng).integers(2**63)), permute_columns)
    counts = np.zeros((2, data.n_nodes, data.n_nodes), dtype=np.int64)
    failures: Counter[str] = Counter()
    with ExitStack() as stack:  # left at once after Ctrl-C: what is under way ends with it
        workers = None
        if isolated:
            workers = stack.enter_context(_workers(work, processes or MOST_PROCESSES))
        estimate, seconds = _on_all_rows(work) if workers is None else _in_a_process(workers)
        if processes is None:
            expected = n_bootstrap * seconds
            several = expected > WORTH_A_PROCESS and len(os.sched_getaffinity(0)) > 1
            processes = MOST_PROCESSES if several else 1
        if workers is None and processes > 1 and n_bootstrap:
            workers = stack.enter_context(_workers(work, processes))
        outcomes = (
            map(partial(_resample, work), range(n_bootstrap))
            if workers is None
            else _each_in_processes(workers, n_bootstrap, processes)
        )
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
        seed=seed_of(rng),
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


def _on_all_rows(work: _Work) -> tuple[Estimate, float]:
    """Return the estimate, and the seconds that it took without loading code."""
    watch_imports()
    before, began = loaded_seconds(), time.perf_counter()
    try:
        load_code(work.algorithm)
        estimate = _discovered(work.algorithm, work.data, stream(work.seed, "estimate"))
        return estimate, time.perf_counter() - began - (loaded_seconds() - before)
    except NotApplicable:
        raise
    except (Exception, SystemExit) as error:  # an algorithm may raise anything
        raise AlgorithmFailed(f"the algorithm failed on all rows: {_reason(error)}") from error


# In other processes.


def _workers(work: _Work, processes: int) -> Supervisor:
    return Supervisor(processes, _hold, (work,), eager=False, runs_algorithms=True)


def _in_a_process(workers: Supervisor) -> tuple[Estimate, float]:
    """Return the estimate on all rows, and the seconds that it took there."""
    outcome = workers.submit(_try_all_rows, None).result()
    if isinstance(outcome, Loss):
        if outcome.cause == "pool":
            raise ChildProcessError(outcome.reason)
        raise AlgorithmFailed(f"the algorithm ended its process on all rows ({outcome.reason})")
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def _each_in_processes(
    workers: Supervisor, n_bootstrap: int, processes: int
) -> Iterator[Adjacency | str]:
    lost_in_a_row = 0
    for _, outcome in workers.each(_resample_held, range(n_bootstrap), at_once=processes):
        if not isinstance(outcome, Loss):
            lost_in_a_row = 0
            yield outcome
            continue
        lost_in_a_row += 1
        if outcome.cause == "pool":
            raise ChildProcessError(outcome.reason)
        if lost_in_a_row >= MOST_LOST:
            raise ChildProcessError(
                f"bootstraps end their process, {MOST_LOST} times in a row ({outcome.reason})"
            )
        yield f"it ended its process ({outcome.reason})"


_held: list[_Work] = []
"""What this process works on, if it is a worker."""


def _hold(work: _Work) -> None:
    _held[:] = [work]


def _try_all_rows(_: None) -> tuple[Estimate, float] | Exception:
    try:
        estimate, seconds = _on_all_rows(_held[0])
        info = {name: _sendable(estimate.info[name]) for name in estimate.info}
        return replace(estimate, info=info), seconds
    except NotInstalled as reason:
        return NotInstalled(*reason.args)
    except NotApplicable as reason:  # of a class that may not be known to who asks
        return NotApplicable(str(reason), lacks=reason.lacks)
    except AlgorithmFailed as error:
        return error


def _sendable(remark: Any) -> Any:
    """Return a remark of an algorithm, or its text if it cannot be sent."""
    try:
        pickle.dumps(remark)
    except Exception:
        return str(remark)
    return remark


def _resample_held(step: int) -> Adjacency | str:
    return _resample(_held[0], step)


# One bootstrap.


def _resample(work: _Work, step: int) -> Adjacency | str:
    """Return the graph of one bootstrap, its columns as in the data, or why there is none."""
    rng = stream(work.seed, "bootstrap", step)
    d = work.data.n_nodes
    order = rng.permutation(d) if work.permuted else np.arange(d)
    try:
        drawn = draw_rows(work.data, rng).permute_columns(order)
        shown = _discovered(work.algorithm, drawn, rng).graph
    except (Exception, SystemExit) as error:  # an algorithm may raise anything
        return _reason(error)
    graph = np.empty_like(shown)
    graph[np.ix_(order, order)] = shown
    return graph


def _reason(error: BaseException) -> str:
    """Return what an algorithm raised, and where if it is the user's own."""
    if isinstance(error, NotApplicable):
        return cut(visible(str(error)), LONGEST_REASON)
    line = place_of_mistake(error)
    text = cut(visible(f"{type(error).__name__}: {error}"), LONGEST_REASON)
    return f"{text} ({visible(line)})" if line else text


def _discovered(algorithm: Algorithm, data: Dataset, rng: Generator) -> Estimate:
    check_rows(data, getattr(algorithm, "rows", "independent"))
    estimate = algorithm.discover(data_for(algorithm, data), rng)
    if not isinstance(estimate, Estimate):
        raise TypeError(f"`discover` returned {type(estimate).__name__}, expected an Estimate")
    shape = np.shape(estimate.graph)
    if shape != (data.n_nodes, data.n_nodes):
        raise ValueError(f"`discover` returned a graph of shape {shape} for {data.n_nodes} columns")
    return estimate
