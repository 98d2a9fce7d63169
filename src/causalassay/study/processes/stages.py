"""What part of a worker's time its limit is for: a number that the supervisor reads.

The number changes whenever the clock is to begin anew; while it is even, no limit holds.
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterator

from causalassay.study.processes.scratch import NamelessFile

_NUMBER = struct.Struct("<q")


class Stage:
    """A number that two processes see: the one that made it, and the one that got it at its start.

    Parameters
    ----------
    file : NamelessFile, optional
        Where it is; by default a new one.
    """

    def __init__(self, file: NamelessFile | None = None) -> None:
        self._file = NamelessFile([_NUMBER.pack(0)]) if file is None else file
        self._memory = self._file.mapped()

    def __reduce__(self) -> tuple[type[Stage], tuple[NamelessFile]]:
        return Stage, (self._file,)

    @property
    def number(self) -> int:
        """The number now."""
        return int(_NUMBER.unpack_from(self._memory)[0])

    @number.setter
    def number(self, number: int) -> None:
        _NUMBER.pack_into(self._memory, 0, number)


_own: list[Stage] = []


def watch_this_process(stage: Stage) -> None:
    """Let the supervisor see the stages of this process."""
    _own[:] = [stage]


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Begin the clock anew; the limit holds within."""
    with _next(limits_hold=True):
        yield


@contextlib.contextmanager
def not_limited() -> Iterator[None]:
    """Stop the clock within: somebody else watches. It begins anew afterwards."""
    with _next(limits_hold=False):
        yield


@contextlib.contextmanager
def _next(*, limits_hold: bool) -> Iterator[None]:
    if not _own:
        yield
        return
    (stage,) = _own
    before = stage.number
    stage.number = _after(before, limits_hold)
    try:
        yield
    finally:
        stage.number = _after(stage.number, before % 2 == 1)


def _after(number: int, limits_hold: bool) -> int:
    """Return the next number that says whether limits hold."""
    return number + (2 if (number % 2 == 1) == limits_hold else 1)
