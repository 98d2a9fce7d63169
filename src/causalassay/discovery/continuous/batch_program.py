"""Solves a file of pending problems, on a machine that has torch and numpy and nothing else.

Like `batch_solver` and `batch_format`, this file imports torch, numpy and what comes with Python.
`causalassay batches` writes the pending file, packs the three into one program, and reads the
solved file.
"""

from __future__ import annotations

import argparse
import json
import socket
import sys
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from causalassay.discovery.continuous.batch_format import (
    FORMAT,
    GIVEN,
    VERSION,
    covariance_digest,
    read_about,
    write_arrays,
)
from causalassay.discovery.continuous.batch_solver import (
    Arrays,
    is_there,
    solve_golem,
    solve_notears,
)

INTERRUPTED = 130

TOGETHER = 1000
"""Problems of several calls that are solved as one, at most. More would be lost together."""

Show = Callable[[str], None]


class Solved(NamedTuple):
    """What came of one problem: numbers by name, or why there are none."""

    numbers: Mapping[str, Any]
    failure: str
    batch: int
    seconds: float


def solve_searches(
    searches: Sequence[Mapping[str, Any]],
    covariances: NDArray[np.float64],
    n_samples: Sequence[int],
    device: str,
    lambda1: Sequence[float] | None = None,
) -> Arrays:
    """Return what the last of some searches ends in; each starts where the one before ended.

    Parameters
    ----------
    searches : sequence of mapping
        "solver" is "golem" or "notears"; the others are settings of that function.
    covariances : ndarray, shape (n, d, d)
    n_samples : sequence of int
    device : str
        A device of torch.
    lambda1 : sequence of float, optional
        Of each problem of NOTEARS, in place of the search's.
    """
    solved: Arrays = {}
    for search in searches:
        settings: dict[str, Any] = {**search, "device": device}
        solver = settings.pop("solver")
        if solver == "golem":
            start = solved.get("weights")
            solved = solve_golem(covariances, n_samples, **settings, start=start)
        elif solver == "notears":
            settings |= {} if lambda1 is None else {"lambda1": lambda1}
            solved = solve_notears(covariances, **settings)
        else:
            raise ValueError(f"solver: expected 'golem' or 'notears', got {solver!r}")
    return solved


def solve_call(
    searches: Sequence[Mapping[str, Any]],
    covariances: NDArray[np.float64],
    n_samples: NDArray[np.int64],
    device: str,
    batch: int,
    lambda1: NDArray[np.float64] | None = None,
) -> list[Solved]:
    """Return what came of each problem of a call.

    A call that fails as a whole, such as for want of memory, is tried again in halves, down to
    single problems: one that cannot be solved costs only itself.

    Parameters
    ----------
    searches, covariances, n_samples, device, lambda1
        As `solve_searches` has them.
    batch : int
        Tasks of the call, those included that were not to be solved.
    """
    began = time.perf_counter()
    try:
        of_each = None if lambda1 is None else lambda1.tolist()
        solved = solve_searches(searches, covariances, n_samples.tolist(), device, of_each)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
    else:
        seconds = (time.perf_counter() - began) / batch
        rows = zip(*solved.values(), strict=True)
        return [Solved(dict(zip(solved, row, strict=True)), "", batch, seconds) for row in rows]
    # Not within the handler: the error holds the tensors that were too large.
    if torch.cuda.is_initialized():
        _check_card(device, reason)
        torch.cuda.empty_cache()
    if len(covariances) == 1:
        return [Solved({}, reason, 1, (time.perf_counter() - began))]
    middle = len(covariances) // 2
    halves = (slice(middle), slice(middle, None))
    solved_halves: list[Solved] = []
    for half in halves:
        pair = covariances[half], n_samples[half]
        of_half = None if lambda1 is None else lambda1[half]
        solved_halves += solve_call(searches, *pair, device, len(pair[0]), of_half)
    return solved_halves


def _check_card(device: str, reason: str) -> None:
    """Raise if a card computes nothing any more in this process: what it then fails is no row."""
    try:
        torch.ones(2, device=device).sum().item()
    except RuntimeError:
        raise OSError(f"{device} has failed; start the same again to go on ({reason})") from None


def solve_file(pending: Path, solved: Path, device: str = "", show: Show = print) -> None:
    """Solve a pending file; what is solved already, by an interrupted start, is not repeated.

    Parameters
    ----------
    pending, solved : Path
    device : str
        Of torch, such as "cuda:1": one of the kind that the file asks for, which is part of the
        keys of its rows. By default that kind.
    show : callable
        Takes lines that tell how far it is.
    """
    about = read_about(pending, "pending")
    if solved.exists():
        if not _is_of(solved, "solved", about["id"]):
            raise ValueError(
                f"{solved} is there already and is not what comes of {pending}; name another file"
            )
        show(f"{solved} is there already, and has all of {pending}")
        return
    devices = [_device(group["device"], device) for group in about["groups"]]
    parts = solved.with_name(f"{solved.name}.parts")
    parts.mkdir(parents=True, exist_ok=True)
    progress = _Progress(sum(group["count"] for group in about["groups"]), show)
    paths: list[list[Path]] = []
    with np.load(pending, allow_pickle=False) as arrays:
        missing: list[_Call] = []
        for number, group in enumerate(about["groups"]):
            given = _given(pending, arrays, number)
            paths.append([])
            for members in _calls(given["call"]):
                part = parts / f"{number}-{members.start}.npz"
                paths[-1].append(part)
                call = {name: array[members] for name, array in given.items()}
                if _is_of(part, "part", about["id"]):
                    progress.tell(group, len(call["keys"]), again=True)
                else:
                    problems = _problems(group["searches"], call)
                    missing.append(_Call(part, group, call, problems, devices[number]))
    for calls in _solved_together(missing):
        _solve_parts(calls, about["id"])
        progress.tell(calls[0].group, sum(len(call.given["keys"]) for call in calls), again=False)
    whole: dict[str, NDArray[Any]] = {}
    for number, of_group in enumerate(paths):
        joined = _joined([_read_part(path) for path in of_group])
        whole |= {f"{number}.{name}": array for name, array in joined.items()}
    ended = {**about, "kind": "solved", "host": socket.gethostname(), "torch": torch.__version__}
    write_arrays(solved, ended, whole)
    for path in (path for of_group in paths for path in of_group):
        path.unlink()
    if not any(parts.iterdir()):
        parts.rmdir()
    show(f"solved: {solved}")


def _is_of(path: Path, kind: str, whole: str) -> bool:
    """Return whether a file is there, is whole, and is of an export."""
    try:
        return bool(read_about(path, kind)["id"] == whole)
    except (FileNotFoundError, ValueError, KeyError):
        return False


def _given(path: Path, arrays: Mapping[str, NDArray[Any]], number: int) -> Arrays:
    """Return what a pending file has of a group."""
    try:
        return {name: arrays[f"{number}.{name}"] for name in GIVEN}
    except (KeyError, ValueError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} is damaged: {error}; export it again") from error


def _device(stated: str, wanted: str) -> str:
    """Return the device of torch for what a group asks for; refuse one of another kind."""
    kind = "cpu" if stated == "torch" else stated
    if wanted and wanted.partition(":")[0] != kind:
        raise ValueError(
            f"device: its rows are keyed as of device = {stated!r}, which is {kind!r} of torch, "
            f"got {wanted!r}; set the device in the study file and export again"
        )
    if not is_there(kind):
        raise ValueError(
            f"device: torch sees no {kind!r} here; solve it where there is one, or set "
            'device = "torch" in the study file and export again'
        )
    return wanted or kind


def _calls(numbers: NDArray[np.int64]) -> Iterator[slice]:
    """Yield the members of each call: those that follow each other and have one number."""
    bounds = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
    yield from (slice(start, stop) for start, stop in zip(bounds, bounds[1:], strict=False))


Problem = tuple[str, float]
"""What tells a problem from those that are solved with it: its digest and its penalty."""


class _Call(NamedTuple):
    """A call of the study: where its numbers go, and what is given."""

    part: Path
    group: Mapping[str, Any]
    given: Arrays
    problems: list[Problem]
    device: str

    @property
    def searches(self) -> list[dict[str, Any]]:
        """The settings that all problems solved with these have; each has a penalty of its own."""
        searches: list[dict[str, Any]] = self.group["searches"]
        return [{**searches[0], "lambda1": None}] if _has_penalties(searches) else searches


def _has_penalties(searches: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether problems with different penalties can be solved together."""
    return [search["solver"] for search in searches] == ["notears"]


def _problems(searches: Sequence[Mapping[str, Any]], given: Arrays) -> list[Problem]:
    penalty = float(searches[0]["lambda1"]) if _has_penalties(searches) else 0.0
    pairs = zip(given["covariances"], given["n_samples"], strict=True)
    return [(covariance_digest(*pair), penalty) for pair in pairs]


def _solved_together(calls: Sequence[_Call]) -> Iterator[list[_Call]]:
    """Yield the calls whose problems differ in data and penalties alone.

    A study has a call for each threshold and each penalty: solved one by one, a card would be
    half empty, and a problem would be solved once for each threshold.
    """
    waiting: dict[str, list[_Call]] = {}
    problems: dict[str, set[Problem]] = {}
    for call in calls:
        name = json.dumps([call.device, call.group["n_nodes"], call.searches])
        together = problems.get(name, set()) | set(call.problems)
        if name in waiting and len(together) > TOGETHER:
            yield waiting.pop(name)
            together = set(call.problems)
        waiting.setdefault(name, []).append(call)
        problems[name] = together
    yield from waiting.values()


def _solve_parts(calls: Sequence[_Call], whole: str) -> None:
    """Solve the problems of some calls, each problem once, and write what comes of each call."""
    first: dict[Problem, tuple[NDArray[Any], int]] = {}
    for call in calls:
        pairs = zip(call.given["covariances"], call.given["n_samples"], strict=True)
        for problem, pair in zip(call.problems, pairs, strict=True):
            first.setdefault(problem, pair)
    penalties = np.array([penalty for _, penalty in first])
    came = solve_call(
        calls[0].searches,
        np.array([covariance for covariance, _ in first.values()]),
        np.array([rows for _, rows in first.values()]),
        calls[0].device,
        batch=sum(int(call.given["batch"][0]) for call in calls),
        lambda1=penalties if _has_penalties(calls[0].searches) else None,
    )
    solved = dict(zip(first, came, strict=True))
    for call in calls:
        _write_part(call, [solved[problem] for problem in call.problems], whole)


def _write_part(call: _Call, came: Sequence[Solved], whole: str) -> None:
    names = dict.fromkeys(name for each in came for name in each.numbers)
    like = {name: next(e.numbers[name] for e in came if e.numbers) for name in names}
    numbers = {
        name: np.array([each.numbers.get(name, _nothing(like[name])) for each in came])
        for name in names
    }
    columns = {
        "keys": call.given["keys"],
        "digests": np.array([digest for digest, _ in call.problems]),
        "failure": np.array([each.failure for each in came]),
        "batch": np.array([each.batch for each in came]),
        "seconds": np.array([each.seconds for each in came]),
    }
    about = {"format": FORMAT, "version": VERSION, "kind": "part", "id": whole}
    write_arrays(
        call.part, about, {**columns, **{f"solved.{name}": numbers[name] for name in names}}
    )


def _read_part(path: Path) -> Arrays:
    with np.load(path, allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files if name != "about"}


def _joined(parts: Sequence[Arrays]) -> Arrays:
    """Return the parts of a group as one; numbers that a part lacks are nan or 0 there."""
    like = {name: part[name] for part in parts for name in part}
    joined: Arrays = {}
    for name, array in like.items():
        missing = _nothing(array[0])
        pieces = [
            part.get(name, np.array([missing] * len(part["keys"])).astype(array.dtype))
            for part in parts
        ]
        joined[name] = np.concatenate(pieces)
    return joined


def _nothing(like: Any) -> Any:
    """Return what stands for numbers that there are not."""
    kind = np.asarray(like)
    return np.full(kind.shape, np.nan if kind.dtype.kind == "f" else 0, dtype=kind.dtype)


class _Progress:
    """Tells how many problems are solved, and how long the others take."""

    def __init__(self, total: int, show: Show) -> None:
        self._total, self._show = total, show
        self._done = self._new = 0
        self._began = time.monotonic()

    def tell(self, group: Mapping[str, Any], count: int, *, again: bool) -> None:
        """Tell that so many more are there; `again` says whether they were solved just now."""
        self._done += count
        self._new += count * again
        passed = time.monotonic() - self._began
        left = passed / self._new * (self._total - self._done) if self._new else 0.0
        time_left = f", about {left:.0f} s left" if left and again else ""
        self._show(
            f"{self._done} of {self._total} solved ({group['name']}, {group['n_nodes']} nodes, "
            f"{passed:.0f} s{time_left})"
        )


def main(words: Sequence[str] | None = None) -> int:
    """Solve a file, as a program of its own."""
    parser = argparse.ArgumentParser(
        prog="solve",
        description="Solve a file of `causalassay batches export`. After an interruption, start "
        "the same again: it goes on.",
    )
    parser.add_argument("pending", type=Path, help="the file of `causalassay batches export`")
    parser.add_argument("solved", type=Path, help="the file to write, for `import`")
    parser.add_argument("--device", default="", help="of torch, such as cuda:1")
    given = parser.parse_args(words)
    try:
        solve_file(given.pending, given.solved, given.device)
    except KeyboardInterrupt:
        sys.stderr.write(
            f"interrupted: what is solved is in {given.solved}.parts; start the same again\n"
        )
        return INTERRUPTED
    except (OSError, ValueError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    return 0
