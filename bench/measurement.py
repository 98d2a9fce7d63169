"""Runs a row: ours and the peers in turn on the same data, until each has had its time."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from bench.quality import same, same_skeleton
from bench.rows.row import Contestant, Row
from bench.session import Absent, Failure, Overtime
from bench.timings import Effort, Result, Timing
from bench.worker import Arrays

BURST = 0.1
"""A turn of quick calls lasts so many seconds, so that caches are as warm as in a user's loop."""
MOST_CALLS = 20
"""In a turn."""
FEWEST = 3
"""Turns that ours has at least, on each seed."""
PATIENCE = 900.0
"""Seconds that a call of ours, or of a row that is run once, may take."""


class Runner(Protocol):
    """What `measure` needs of a `Session`; tests use a fake."""

    def turn(
        self, environment: str, job: str, data: Path, calls: int, burst: float, limit: float
    ) -> list[float]:
        """Return the times of some calls."""

    def answer(self, environment: str, path: Path) -> None:
        """Write the last result to a file."""


def measure(
    row: Row, runner: Runner, effort: Effort, folder: Path, tell: Callable[[str], None]
) -> list[Result]:
    """Return the results of a row, ours first."""
    entrants = [row.ours, *(peer for peer in row.peers if effort.long or not peer.long)]
    results = [
        Result(one.name, one.environment, one.target, one.share, one.package) for one in entrants
    ]
    for seed in effort.seeds[: 1 if row.once else None]:
        data = row.problem(row.size, seed)
        data_path = folder / f"{row.name}-{seed}.npz"
        np.savez(data_path, **data)
        entries = list(zip(entrants, results, strict=True))
        _measure_seed(entries, _Caller(row, runner, effort, data_path), seed)
        _judge(row, data, results, data_path, seed)
        data_path.unlink()
        tell(f"{row.name} seed {seed}: {summary(results, seed)}")
    return results


def _measure_seed(entries: Sequence[tuple[Contestant, Result]], call: _Caller, seed: int) -> None:
    """First a call of each, then turns: ours before each peer's; alone, it calls itself."""
    (us, ours), peers = entries[0], entries[1:]
    for one, result in entries:
        if one is us or not _is_out(result, call.effort):
            call.first(one, result, seed)
    for one, result in peers or [(us, ours)]:
        turns = 0
        while call.wants_more(result, seed) or (turns < FEWEST and call.wants_more(ours, seed)):
            call.again(us, ours, seed)
            if one is not us and call.wants_more(result, seed):
                call.again(one, result, seed)
            turns += 1


def _is_out(result: Result, effort: Effort) -> bool:
    """Whether the peer failed, or is too slow to be asked for another seed."""
    most = effort.slow if effort.once is None else effort.once
    slow = any((timing.first or 0.0) > most for timing in result.timings.values())
    return bool(result.trouble or result.beyond or slow)


@dataclass
class _Caller:
    """Makes calls on one data set and writes down what came of them."""

    row: Row
    runner: Runner
    effort: Effort
    data_path: Path

    def first(self, one: Contestant, result: Result, seed: int) -> None:
        """Make the first call and keep its answer."""
        with _Trouble(result, self._limit(one)):
            times = self.runner.turn(
                one.environment, one.job, self.data_path, 1, 0.0, self._limit(one)
            )
            self.runner.answer(one.environment, _answer_path(self.data_path, result))
            result.timings[seed] = Timing(first=times[0])

    def again(self, one: Contestant, result: Result, seed: int) -> None:
        """Have a turn of calls."""
        if result.trouble or seed not in result.timings:
            return
        with _Trouble(result, self._limit(one)):
            times = self.runner.turn(
                one.environment, one.job, self.data_path, MOST_CALLS, BURST, self._limit(one)
            )
            result.timings[seed].times.extend(times)

    def wants_more(self, result: Result, seed: int) -> bool:
        """Whether the contestant has time left, and is quick enough to be called again."""
        timing = result.timings.get(seed)
        if timing is None or timing.first is None or result.trouble or result.beyond:
            return False
        if self.row.once or timing.first > self.effort.slow:
            return False
        return sum(timing.times) < self.effort.seconds

    def _limit(self, one: Contestant) -> float:
        return PATIENCE if self.row.once or one is self.row.ours else self.effort.limit


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


def _answer_path(data_path: Path, result: Result) -> Path:
    who = re.sub(r"\W+", "-", result.name)
    return data_path.with_name(f"{data_path.stem}-{who}.npz")


def _judge(row: Row, data: Arrays, results: Sequence[Result], data_path: Path, seed: int) -> None:
    ours: dict[str, Any] | None = None
    for result in results:
        if seed not in result.timings:
            continue
        path = _answer_path(data_path, result)
        with np.load(path) as stored:
            answer = {name: stored[name] for name in stored.files}
        path.unlink()
        timing = result.timings[seed]
        timing.quality = {name: float(x) for name, x in row.judge(data, answer).items()}
        if ours is None:
            ours = answer
        else:
            timing.same = same(ours, answer)
            timing.same_skeleton = same_skeleton(ours, answer)


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
