"""Runs algorithms, each within its time, in processes that can be stopped."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TypeVar

from causalassay.contracts import Algorithm, NotApplicable
from causalassay.data import Dataset
from causalassay.discovery.loading import load_code
from causalassay.processes.limits import Limits, Loss
from causalassay.processes.stages import loaded_seconds, loading, watch_imports
from causalassay.processes.supervisor import Supervisor
from causalassay.risk.fits import Fit, fit_algorithm, why_not

T = TypeVar("T")

OnProgress = Callable[[str, int, int], None]
"""Called with the name of the algorithm that ended, how many have, and how many there are."""


@dataclass(frozen=True, eq=False)
class Work:
    """What every algorithm gets.

    Parameters
    ----------
    dataset : Dataset
    folds : tuple of tuple of int
        The nodes whose experiments are withheld together.
    seed : int
    """

    dataset: Dataset
    folds: tuple[tuple[int, ...], ...]
    seed: int


@dataclass(frozen=True, eq=False)
class Runs:
    """What came of it.

    Parameters
    ----------
    fits : mapping of str to Fit
    failed : mapping of str to str
        The algorithms that have none, and why.
    lacking : mapping of str to str
        What the data lack for some of these, as `NotApplicable.lacks`.
    seconds : mapping of str to float
        Wall time of each, refits included; loading code is not.
    """

    fits: dict[str, Fit]
    failed: dict[str, str]
    lacking: dict[str, str]
    seconds: dict[str, float]


@dataclass(frozen=True)
class NotFitted:
    """Why an algorithm has no graphs, and what the data lack for it."""

    why: str
    lacks: str = ""


def run_all(
    algorithms: Mapping[str, Algorithm],
    work: Work,
    seconds: float | None = None,
    on_progress: OnProgress | None = None,
) -> Runs:
    """Run each algorithm; one that fails or takes too long has a reason instead.

    Parameters
    ----------
    algorithms : mapping of str to Algorithm
    work : Work
    seconds : float, optional
        What each may take, its refits included; loading its code has a limit of its own. With
        a limit they run in other processes, which are killed when it is over; without one in
        turn, in this process.
    on_progress : callable, optional
    """
    runs = Runs({}, {}, {}, {})
    steps = _here(algorithms, work) if seconds is None else _elsewhere(algorithms, work, seconds)
    with closing(steps):
        for done, (name, outcome, took) in enumerate(steps, start=1):
            runs.seconds[name] = took
            if isinstance(outcome, NotFitted):
                runs.failed[name] = outcome.why
                if outcome.lacks:
                    runs.lacking[name] = outcome.lacks
            else:
                runs.fits[name] = outcome
            if on_progress:
                on_progress(name, done, len(algorithms))
    failed = _ordered(runs.failed, algorithms)
    return replace(runs, fits=_ordered(runs.fits, algorithms), failed=failed)


Step = tuple[str, Fit | NotFitted, float]
"""The name of an algorithm, its graphs or why there are none, and the seconds that it took."""


def _ordered(outcomes: dict[str, T], algorithms: Mapping[str, Algorithm]) -> dict[str, T]:
    return {name: outcomes[name] for name in algorithms if name in outcomes}


def _here(algorithms: Mapping[str, Algorithm], work: Work) -> Generator[Step]:
    for name, algorithm in algorithms.items():
        outcome, took = _timed(name, algorithm, work)
        yield name, outcome, took


def _timed(name: str, algorithm: Algorithm, work: Work) -> tuple[Fit | NotFitted, float]:
    """Return what came of an algorithm, and the seconds that it took without loading code."""
    watch_imports()
    before, began = loaded_seconds(), time.perf_counter()
    outcome = _fit(name, algorithm, work)
    return outcome, time.perf_counter() - began - (loaded_seconds() - before)


def _fit(name: str, algorithm: Algorithm, work: Work) -> Fit | NotFitted:
    try:
        load_code(algorithm)
        return fit_algorithm(name, algorithm, work.dataset, work.folds, work.seed)
    except Exception as error:  # of a stranger's code, which may raise anything
        lacks = error.lacks if isinstance(error, NotApplicable) else ""
        return NotFitted(why_not(error), lacks)
    except SystemExit as error:
        return NotFitted(f"it failed: it called sys.exit({error.code!r})")


MOST_PROCESSES = 2
"""At once; more would compete for the memory of one machine."""

_UNSENT = "it cannot be sent to another process"


def _elsewhere(algorithms: Mapping[str, Algorithm], work: Work, seconds: float) -> Generator[Step]:
    """Let some processes take one algorithm after the other; a killed one is replaced.

    Nothing that an algorithm does reaches another one's result: each gets its own copy of the
    data.
    """
    requests = {}
    for name, algorithm in algorithms.items():
        try:
            requests[pickle.dumps((name, algorithm))] = name
        except Exception as error:
            yield name, NotFitted(f"{_UNSENT}: {error}"), 0.0
    if not requests:
        return
    n_workers = min(MOST_PROCESSES, len(requests))
    with Supervisor(n_workers, _hold, (pickle.dumps(work),), runs_algorithms=True) as supervisor:
        for request, answer in supervisor.each(_fit_sent, requests, Limits(seconds, None)):
            if isinstance(answer, Loss):
                yield requests[request], NotFitted(_why_lost(answer, seconds)), float("nan")
            else:
                outcome, took = answer
                yield requests[request], outcome, took


def _why_lost(loss: Loss, seconds: float) -> str:
    if loss == Loss.late(seconds):
        return f"it took more than {seconds:g} seconds"
    return f"its process ended without an answer: {loss.reason}"


_held: list[bytes] = []
"""In a worker: the pickled work, of which each algorithm gets its own copy."""


def _hold(work: bytes) -> None:
    _held[:] = [work]


def _fit_sent(request: bytes) -> tuple[Fit | NotFitted, float]:
    """Return what came of an algorithm, and the seconds that it took."""
    work: Work = pickle.loads(_held[0])
    # Arrays that cannot be written to: pickling forgets that.
    regimes = tuple(replace(regime) for regime in work.dataset.regimes)
    work = replace(work, dataset=replace(work.dataset, regimes=regimes))
    try:
        with loading():
            name, algorithm = pickle.loads(request)
    except Exception as error:  # its class is not found here
        return NotFitted(f"{_UNSENT}: {error}"), 0.0
    return _timed(name, algorithm, work)
