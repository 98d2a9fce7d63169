"""Runs a row: ours and the peers in turn on the same data, until each has had its time."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from bench.quality import same
from bench.rows import Contestant, Row
from bench.session import Absent, Failure, Overtime
from bench.worker import Arrays

BURST = 0.1
"""A turn of quick calls lasts so many seconds, so that caches are as warm as in a user's loop."""
MOST_CALLS = 20
"""In a turn."""
FEWEST = 3
"""Calls that ours makes at least, on each seed."""


class Runner(Protocol):
    """What `measure` needs of a `Session`; tests put a fake in its place."""

    def turn(
        self, environment: str, job: str, data: Path, calls: int, burst: float, limit: float
    ) -> list[float]:
        """Return the times of some calls."""

    def answer(self, environment: str, path: Path) -> None:
        """Write the last result to a file."""


@dataclass(frozen=True)
class Effort:
    """How much time a run may take.

    Parameters
    ----------
    seeds : tuple of int
    seconds : float
        Each contestant calls again until its calls on a seed took so long.
    limit : float
        Of one call; a peer beyond it is not asked again.
    slow : float
        A peer whose call takes longer is run once, on the first seed only.
    long : bool
        Whether long peers run, too.
    """

    seeds: tuple[int, ...]
    seconds: float
    limit: float
    slow: float
    long: bool


QUICK = Effort((1, 2, 3), 1.0, 30.0, 5.0, False)
FULL = Effort((1, 2, 3, 4, 5), 5.0, 400.0, 60.0, True)


@dataclass
class Timing:
    """What came of a contestant on one seed.

    Parameters
    ----------
    first : float, optional
        The first call, with whatever it compiles or loads.
    times : list of float
        The calls after it; the first itself where it was too slow to be repeated.
    quality : dict
    same : bool, optional
        Whether the result is that of ours.
    """

    first: float | None = None
    times: list[float] = field(default_factory=list)
    quality: dict[str, float] = field(default_factory=dict)
    same: bool | None = None


@dataclass
class Result:
    """What came of a contestant in a row: a timing for each seed, or why there is none."""

    name: str
    environment: str
    target: float | None
    share: float
    timings: dict[int, Timing] = field(default_factory=dict)
    beyond: float | None = None
    """The limit that a call exceeded."""
    trouble: str = ""
    """Why it is absent, or how it failed."""


def measure(
    row: Row, runner: Runner, effort: Effort, folder: Path, tell: Callable[[str], None]
) -> list[Result]:
    """Return the results of a row, ours first."""
    entrants = [row.ours, *(peer for peer in row.peers if effort.long or not peer.long)]
    results = [Result(one.name, one.environment, one.target, one.share) for one in entrants]
    for seed in effort.seeds[: 1 if row.once else None]:
        data = row.problem(row.size, seed)
        place = folder / f"{row.name}-{seed}.npz"
        np.savez(place, **data)
        _measure_seed(row, list(zip(entrants, results, strict=True)), runner, effort, place, seed)
        _judge(row, data, results, place, seed)
        place.unlink()
        tell(f"{row.name} seed {seed}: {summary(results, seed)}")
    return results


def _measure_seed(
    row: Row,
    entries: Sequence[tuple[Contestant, Result]],
    runner: Runner,
    effort: Effort,
    place: Path,
    seed: int,
) -> None:
    for one, result in entries:
        if not _is_out(result, effort):
            _first(one, result, runner, effort.limit, place, seed)
    (us, ours), peers = entries[0], entries[1:]
    # Ours before each peer's turn; alone, it calls itself.
    for one, result in peers or [(us, ours)]:
        rounds = 0
        while _wants_more(row, result, effort, seed) or (
            rounds < FEWEST and _wants_more(row, ours, effort, seed)
        ):
            _turn(us, ours, runner, effort, place, seed)
            if one is not us and _wants_more(row, result, effort, seed):
                _turn(one, result, runner, effort, place, seed)
            rounds += 1


def _is_out(result: Result, effort: Effort) -> bool:
    """Whether the contestant failed, or is too slow to be asked for another seed."""
    slow = any((timing.first or 0.0) > effort.slow for timing in result.timings.values())
    return bool(result.trouble or result.beyond or slow)


def _wants_more(row: Row, result: Result, effort: Effort, seed: int) -> bool:
    timing = result.timings.get(seed)
    if timing is None or timing.first is None or result.trouble or result.beyond:
        return False
    if row.once or timing.first > effort.slow:
        return False
    return sum(timing.times) < effort.seconds


def _first(
    one: Contestant, result: Result, runner: Runner, limit: float, place: Path, seed: int
) -> None:
    """Make the first call and keep its answer."""
    with _Trouble(result, limit):
        timing = Timing(first=runner.turn(one.environment, one.job, place, 1, 0.0, limit)[0])
        runner.answer(one.environment, _answer_place(place, result))
        result.timings[seed] = timing


def _turn(
    one: Contestant, result: Result, runner: Runner, effort: Effort, place: Path, seed: int
) -> None:
    with _Trouble(result, effort.limit):
        timing = result.timings[seed]
        calls = runner.turn(one.environment, one.job, place, MOST_CALLS, BURST, effort.limit)
        timing.times.extend(calls)


class _Trouble:
    """Writes what went wrong into a result."""

    def __init__(self, result: Result, limit: float) -> None:
        self._result = result
        self._limit = limit

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, problem: BaseException | None, __: object) -> bool:
        match problem:
            case Absent():
                self._result.trouble = f"absent: {problem}"
            case Failure():
                self._result.trouble = f"failed: {problem}"
            case Overtime():
                self._result.beyond = self._limit
            case _:
                return False
        return True


def _answer_place(place: Path, result: Result) -> Path:
    who = re.sub(r"\W+", "-", result.name)
    return place.with_name(f"{place.stem}-{who}.npz")


def _judge(row: Row, data: Arrays, results: Sequence[Result], place: Path, seed: int) -> None:
    ours: dict[str, Any] | None = None
    for result in results:
        if seed not in result.timings:
            continue
        path = _answer_place(place, result)
        with np.load(path) as stored:
            answer = {name: stored[name] for name in stored.files}
        path.unlink()
        timing = result.timings[seed]
        timing.quality = {name: float(x) for name, x in row.judge(data, answer).items()}
        if ours is None:
            ours = answer
        else:
            timing.same = same(ours, answer)


def summary(results: Sequence[Result], seed: int) -> str:
    """Return a line for the terminal."""
    parts = []
    for result in results:
        timing = result.timings.get(seed)
        if timing is not None:
            parts.append(f"{result.name} {min(timing.times or [timing.first or 0.0]):.4g} s")
        elif result.beyond:
            parts.append(f"{result.name} > {result.beyond:g} s")
        elif result.trouble:
            parts.append(f"{result.name} {result.trouble}")
    return ", ".join(parts)
