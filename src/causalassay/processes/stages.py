"""Which part of its time a process is at, so that another process can limit each part apart.

Whoever watches sees numbers in shared memory, a `Stage`. The first changes whenever the clock
is to begin anew; while it is even, no limit holds. The second says whether code is being loaded:
imports are no computing, and have a limit of their own. The others say what it works at.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib
import os
import struct
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from causalassay.processes.limits import Limits, Loss, Stopwatch
from causalassay.processes.scratch import NamelessFile

_NUMBERS = struct.Struct("<qq5id")
_WORK = struct.Struct("<5id")
_NUMBER = struct.Struct("<q")

_OF_FIXED_LENGTH = 0x0001 | 0x0002 | 0x0004
"""Linux' F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW."""


Place = tuple[int, int, int, int, int]
"""What a process works at, as numbers that whoever set them understands."""


class Work(NamedTuple):
    """What a process works at.

    Parameters
    ----------
    place : tuple of int
    since : float
        When it began: seconds since 1970.
    """

    place: Place
    since: float


class Stage:
    """Numbers that two processes see: the one that made them, and the one that it was sent to.

    Parameters
    ----------
    file : NamelessFile, optional
        Where they are; by default a new one.

    Examples
    --------
    >>> stage = Stage()
    >>> stage.number, stage.is_loading
    (0, False)
    """

    def __init__(self, file: NamelessFile | None = None) -> None:
        self.file = NamelessFile([bytes(_NUMBERS.size)]) if file is None else file
        if file is None and hasattr(os, "memfd_create"):
            # Whoever cut it off would end its watcher.
            fcntl.fcntl(self.file.handle, fcntl.F_ADD_SEALS, _OF_FIXED_LENGTH)
        self._memory = self.file.mapped()

    def __reduce__(self) -> tuple[type[Stage], tuple[NamelessFile]]:
        return Stage, (self.file,)

    @property
    def number(self) -> int:
        """The number of the stage now."""
        return int(_NUMBER.unpack_from(self._memory)[0])

    @number.setter
    def number(self, number: int) -> None:
        _NUMBER.pack_into(self._memory, 0, number)

    @property
    def is_loading(self) -> bool:
        """Whether code is being loaded now."""
        return bool(_NUMBER.unpack_from(self._memory, _NUMBER.size)[0])

    @is_loading.setter
    def is_loading(self, is_loading: bool) -> None:
        _NUMBER.pack_into(self._memory, _NUMBER.size, is_loading)

    @property
    def work(self) -> Work | None:
        """What is worked at; None for nothing that was told."""
        packed = self._packed_work()
        while (again := self._packed_work()) != packed:  # it was just being written
            packed = again
        *place, since = _WORK.unpack(packed)
        return Work((place[0], place[1], place[2], place[3], place[4]), since) if since else None

    @work.setter
    def work(self, work: Work | None) -> None:
        place, since = work or Work((0, 0, 0, 0, 0), 0.0)
        _WORK.pack_into(self._memory, 2 * _NUMBER.size, *place, since)

    def _packed_work(self) -> bytes:
        return self._memory[2 * _NUMBER.size : _NUMBERS.size]


class Clock:
    """How long the stage of a process lasts, as far as its watcher saw it pass.

    Parameters
    ----------
    stage : Stage
    believed : bool
        Whether the process is ours. Of another it is believed that it loads code, until that
        has taken too long, and never that no limit holds.
    """

    def __init__(self, stage: Stage, *, believed: bool = True) -> None:
        self._stage = stage
        self._believed = believed
        self._number = 0
        self._watch = Stopwatch()
        self._computing = self._loading = 0.0
        self._looks_beyond = 0

    def loss(self, limits: Limits) -> Loss | None:
        """Return the loss of a stage that is beyond its limits at two looks in a row, or None.

        An answer that came while the watcher was away is read before the second look.
        """
        number = self._stage.number if self._believed else 1
        before = self._watch.seconds
        passed = self._watch.look() - before
        if number != self._number or number % 2 == 0:
            self._number, self._computing, self._loading, passed = number, 0.0, 0.0, 0.0
        if self._stage.is_loading:
            self._loading += passed
        else:
            self._computing += passed
        loss = self._beyond(limits) if number % 2 else None
        self._looks_beyond = 0 if loss is None else self._looks_beyond + 1
        return loss if self._looks_beyond > 1 else None

    def _beyond(self, limits: Limits) -> Loss | None:
        if limits.seconds is not None and self._computing > limits.seconds:
            return Loss.late(limits.seconds)
        if limits.load_seconds is not None and self._loading > limits.load_seconds:
            return Loss.late_to_load(limits.load_seconds)
        return None


# What a process says of itself.


class _InThread(threading.local):
    """What a thread has loaded: how deep in imports it is, and the seconds so far."""

    depth = 0
    seconds = 0.0


_in_thread = _InThread()
_shown: dict[tuple[int, int], Stage] = {}
"""The stage that is watched, by the process and the thread that it is of: no child's."""


def show(stage: Stage) -> None:
    """Let a watcher see in a stage what this thread does."""
    _shown.clear()
    _shown[os.getpid(), threading.get_ident()] = stage


def _stage() -> Stage | None:
    return _shown.get((os.getpid(), threading.get_ident())) if _shown else None


@contextlib.contextmanager
def working_at(place: Place) -> Iterator[None]:
    """Tell a watcher what this thread works at within."""
    stage = _stage()
    if stage is None:
        yield
        return
    stage.work = Work(place, time.time())
    try:
        yield
    finally:
        stage.work = None


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Begin the clock anew; the limit holds within."""
    with _next_stage(limits_hold=True):
        yield


@contextlib.contextmanager
def not_limited() -> Iterator[None]:
    """Stop the clock within: somebody else watches. It begins anew afterwards."""
    with _next_stage(limits_hold=False):
        yield


@contextlib.contextmanager
def _next_stage(*, limits_hold: bool) -> Iterator[None]:
    stage = _stage()
    if stage is None:
        yield
        return
    before = stage.number
    stage.number = _after(before, limits_hold)
    try:
        yield
    finally:
        stage.number = _after(stage.number, before % 2 == 1)


def _after(number: int, limits_hold: bool) -> int:
    """Return the next number that says whether limits hold."""
    return number + (2 if (number % 2 == 1) == limits_hold else 1)


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """Count the time within as loading, unless it is counted already.

    Examples
    --------
    >>> before = loaded_seconds()
    >>> with loading():
    ...     import json
    >>> loaded_seconds() > before
    True
    """
    if _in_thread.depth:
        yield
        return
    stage, began = _stage(), time.perf_counter()
    _in_thread.depth = 1
    if stage is not None:
        stage.is_loading = True
    try:
        yield
    finally:
        if stage is not None:
            stage.is_loading = False
        _in_thread.depth = 0
        _in_thread.seconds += time.perf_counter() - began


def loaded_seconds() -> float:
    """Return the seconds that this thread has loaded code, in all its time."""
    return _in_thread.seconds


def watch_imports() -> None:
    """Count the import of each module that is new to this process as loading, wherever it occurs.

    Packages put some of their imports off until they are needed: the first optimizer of torch
    imports half as much again as torch itself. A module that is there costs nothing more.
    """
    # Both `import` and `importlib` go through this function, for new modules alone. Python
    # implementations without it count such imports as computing.
    bootstrap: Any = getattr(importlib, "_bootstrap", None)
    load: Callable[..., Any] | None = getattr(bootstrap, "_find_and_load", None)
    if load is None or getattr(load, "counts_as_loading", False):
        return

    def counted(name: str, import_: Any) -> Any:
        with loading():
            return load(name, import_)

    counted.counts_as_loading = True  # type: ignore[attr-defined]
    bootstrap._find_and_load = counted
