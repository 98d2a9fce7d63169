"""Runs algorithms for a worker, in processes that know nothing but the data."""

from __future__ import annotations

import contextlib
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from causalassay.data import Dataset
from causalassay.data.dataset import World
from causalassay.discovery.loading import load_code
from causalassay.processes.isolated import LONGEST_ANSWER, IsolatedProcess
from causalassay.processes.launcher import Launcher
from causalassay.processes.limits import Limits, Loss, NoWorkers
from causalassay.processes.messages import NO_OUTPUT, Output, PickledObject, SentObject
from causalassay.processes.scratch import begin_task
from causalassay.processes.stages import loaded_seconds, watch_imports
from causalassay.processes.worker import granted_card
from causalassay.study.kernel_marks import algorithm_job, compiling, has_kernels
from causalassay.study.plan import AlgorithmEntry, PickledAlgorithm, Status
from causalassay.study.reasons import readable
from causalassay.study.worker.algorithm_process import (
    CLEAN,
    Answer,
    Discover,
    DiscoverMany,
    Load,
    attempt,
    read_answer,
    read_members,
)

TRIES = 3
"""How many fresh processes a task may lose before it is to blame: others may have killed them."""

REST_SECONDS = 10.0
"""What a process has to tell whether the threads that a task left came to rest."""

MOST_PROCESSES = 8
"""Processes of algorithms that a worker keeps."""

NO_CARD = (
    "it needs a GPU, and finds none; where there is one, or without `gpus` in the study, run it "
    "with --retry skipped"
)
"""The reason of a task that has no graphics card."""

_OURS = "ours"


def until_mended(reason: str) -> NoWorkers:
    """Return what stops a run that the machine cannot go on with.

    Examples
    --------
    >>> str(until_mended("the disk is full"))
    'the disk is full; the rows so far are stored: mend this and run the study again'
    """
    return NoWorkers(f"{reason}; the rows so far are stored: mend this and run the study again")


@dataclass(eq=False)
class ShownData:
    """The data of a problem as algorithms see them.

    Parameters
    ----------
    permutation : ndarray
        Column ``permutation[k]`` of the problem is shown at position k.
    data : Dataset
        With permuted columns.
    """

    permutation: np.ndarray
    data: Dataset

    @cached_property
    def sent(self) -> SentObject:
        """The data, ready to be sent to processes."""
        return SentObject(self.data)


@dataclass(frozen=True)
class Discovered:
    """What came of running an algorithm.

    Parameters
    ----------
    status : {"ok", "skipped", "failed", "timeout"}
    reason : str
        Of a status that is not ok.
    packed : bytes
        The estimate (`estimate_encoding.pack`), in the order of the columns that were shown.
    seconds : float
        Wall time; nan where it did not end.
    cells : mapping
        What else is measured, by the column that stores it. Among these are ``load_seconds``, the
        wall time of loading its code, which is no part of `seconds`: to the millisecond, and 0
        where the process had it. Not there where it did not end.
    output : Output
        What it printed.
    """

    status: Status
    reason: str = ""
    packed: bytes = field(default=b"", repr=False)
    seconds: float = float("nan")
    cells: Mapping[str, Any] = field(default_factory=dict)
    output: Output = NO_OUTPUT


@dataclass(eq=False)
class ShownTogether:
    """The data of several problems as an algorithm sees them in one call.

    Parameters
    ----------
    members : tuple of ShownData
        Of as many columns each.
    """

    members: tuple[ShownData, ...]

    @cached_property
    def sent(self) -> SentObject:
        """The data, ready to be sent to processes."""
        return SentObject(tuple(member.data for member in self.members))


Discovery = Callable[[AlgorithmEntry, ShownData, int], Discovered]
"""Runs the algorithm of an entry on data, with a generator that begins with some entropy."""

TaskDiscovery = Callable[[AlgorithmEntry, ShownData, int, str], Discovered]
"""The same for a task that has a scratch folder; its path, empty for none, comes last."""


def discover_here(
    entry: AlgorithmEntry,
    shown: ShownData,
    entropy: int,
    scratch: str = "",
    *,
    raising: bool = False,
) -> Discovered:
    """Run an algorithm in this process, where a debugger can look at it; a `TaskDiscovery`.

    Parameters
    ----------
    entry, shown, entropy, scratch
    raising : bool
        Let an error of the algorithm through.
    """
    if isinstance(entry.algorithm, PickledAlgorithm):
        raise TypeError("a pickled algorithm runs in a process of its own")
    watch_imports()
    begin_task(scratch)
    before, began = loaded_seconds(), time.perf_counter()
    with contextlib.suppress(Exception):  # it is told below, where it is loaded again
        load_code(entry.algorithm)
    kind, text, packed = attempt(entry.algorithm, shown.data, entropy, raising=raising)
    passed, loaded = time.perf_counter() - began, loaded_seconds() - before
    return outcome_of(Answer(kind, text, packed), passed - loaded, loaded)


class BlindDiscovery:
    """Runs algorithms in processes that get the data and nothing else; a `TaskDiscovery`.

    Algorithms of ours share a process, and so do those of one environment. Each of the others
    has one of its own, so that nothing it does there can change what another finds. A process
    computes with one number of threads and sees one graphics card or none, for all its time.

    Parameters
    ----------
    launcher : Launcher
    memory : int
        Bytes that an algorithm may hold whose limits state none.
    main : mapping
        How to import the driver's script.
    folder : Path, optional
        Where it is noted that kernels are being compiled.
    """

    def __init__(
        self,
        launcher: Launcher,
        memory: int,
        main: Mapping[str, Any],
        folder: Path | None = None,
    ) -> None:
        self._launcher = launcher
        self._launchers = {1: launcher}
        self._memory = memory
        self._main = main
        self._folder = folder
        self._processes: OrderedDict[_Group, _Process] = OrderedDict()
        self._unloadable: dict[str, Discovered] = {}

    def __call__(
        self, entry: AlgorithmEntry, shown: ShownData, entropy: int, scratch: str = ""
    ) -> Discovered:
        """Run the algorithm of an entry."""
        return self._run(entry, _Request(ShownTogether((shown,)), (entropy,), scratch))

    def together(
        self, entry: AlgorithmEntry, shown: Sequence[ShownData], entropies: Sequence[int]
    ) -> list[Discovered]:
        """Run the algorithm of an entry on many data sets of one size, in one call.

        A call that is stopped, dies, or fails as a whole is tried again in halves, down to
        single tasks: one that is to blame costs only its own row.
        """
        if len(shown) == 1:
            return [self(entry, shown[0], entropies[0])]
        came = self._run(entry, _Request(ShownTogether(tuple(shown)), tuple(entropies)))
        if came.status == "skipped" or entry.key in self._unloadable:
            return [came] * len(shown)  # there is no card, or no torch: for none of them
        if came.status == "ok":
            with contextlib.suppress(ValueError):
                return _members(came, len(shown))
        middle = len(shown) // 2
        return [
            *self.together(entry, shown[:middle], entropies[:middle]),
            *self.together(entry, shown[middle:], entropies[middle:]),
        ]

    def _run(self, entry: AlgorithmEntry, request: _Request) -> Discovered:
        """Return what came of a request, in a process that is kept or new."""
        pickled = entry.algorithm
        if not isinstance(pickled, PickledAlgorithm):
            raise TypeError("expected a pickled algorithm where the truth is")
        # A call of many is blamed at once: it is tried again in halves.
        tries = TRIES if request.count == 1 else 1
        n_lost, card = 0, granted_card()
        if entry.needs.gpus and not card:
            return Discovered("skipped", NO_CARD)
        while entry.key not in self._unloadable:
            name = _OURS if pickled.ours else pickled.environment or entry.key
            group = _Group(name, entry.needs.threads, card)
            with _errors_of_the_machine():
                process = self._process(group)
            # An earlier task may be to blame for the end of a process that was used before.
            fresh = not process.used
            process.process.output()  # what an earlier task left printed meanwhile
            came = self._attempt(process, entry, request)
            output = process.process.output()
            if isinstance(came, Discovered):
                if came.status == "failed":
                    self._check_machine(process)
                # What made a call of many fail may have spoiled the card for this process.
                spoiled = request.count > 1 and came.status == "failed"
                if spoiled or not process.reusable:
                    self._drop(group)
                return replace(came, output=output)
            n_lost += fresh
            blamed = came.cause == "timeout" or (fresh and came.cause == "memory")
            blamed = blamed or n_lost >= tries
            if blamed:
                self._check_machine(process)
            self._drop(group)
            if blamed:
                if came.cause == "pool" and pickled.ours:  # ours write no files but kernels
                    raise until_mended(came.reason)
                status: Status = "timeout" if came.cause == "timeout" else "failed"
                return Discovered(status, came.reason, output=output)
        return self._unloadable[entry.key]

    def _check_machine(self, process: _Process) -> None:
        """Stop the run if no files can be written: then a failure is no algorithm's.

        Unless they can once a process is gone, and with it what it has written.
        """
        if self._launcher.trouble():
            process.reusable = False
            process.process.stop()
            if trouble := self._launcher.trouble():
                raise until_mended(trouble)

    def close(self) -> None:
        """End the processes."""
        for group in list(self._processes):
            self._drop(group)
        for threads, launcher in self._launchers.items():
            if threads > 1:
                launcher.close()

    def _process(self, group: _Group) -> _Process:
        """Return the process of a group of algorithms, kept or new."""
        if group not in self._processes:
            while len(self._processes) >= MOST_PROCESSES:
                self._drop(next(iter(self._processes)))
            if group.threads not in self._launchers:
                self._launchers[group.threads] = self._launcher.with_threads(group.threads)
            isolated = IsolatedProcess(self._launchers[group.threads])
            self._processes[group] = _Process(isolated, group.card)
        self._processes.move_to_end(group)
        return self._processes[group]

    def _drop(self, group: _Group) -> None:
        self._processes.pop(group).process.close()

    def _attempt(
        self, process: _Process, entry: AlgorithmEntry, request: _Request
    ) -> Discovered | Loss:
        """Return what came of an algorithm in a process, or the loss of the process."""
        pickled: Any = entry.algorithm
        world = request.first.data.world
        number = process.numbers.get((entry.key, world))
        load_seconds = 0.0
        if number is None:
            number = len(process.numbers)
            began = time.perf_counter()
            with self._compiling(entry, pickled, world):
                failure = self._load(process, number, entry, pickled, world)
            if failure is not None:
                return failure
            load_seconds = time.perf_counter() - began
            process.numbers[entry.key, world] = number
        limits = request.limits(entry.limits, self._memory)
        with _errors_of_the_machine():
            sent = request.sent
        began = time.perf_counter()
        new = not process.process.holds(sent)
        asked = request.asked(number, sent.pickled if new else None)
        answer = process.process.ask(asked, limits, sent if new else None, request.longest)
        seconds = time.perf_counter() - began
        process.used = True
        came = process.read(answer)
        if isinstance(came, Loss):
            return came
        if came.kind == "disturbed":
            return Loss("pool", readable(came.text))
        loaded = min(came.loaded, seconds)
        return outcome_of(came, seconds - loaded, load_seconds + loaded)

    def _compiling(
        self, entry: AlgorithmEntry, pickled: PickledAlgorithm, world: World
    ) -> contextlib.AbstractContextManager[None]:
        """Note that an algorithm of ours is compiled as it is loaded."""
        if not pickled.ours or not has_kernels(entry):
            return contextlib.nullcontext()
        return compiling(algorithm_job(entry.use, world), self._folder)

    def _load(
        self,
        process: _Process,
        number: int,
        entry: AlgorithmEntry,
        pickled: PickledAlgorithm,
        world: World,
    ) -> Discovered | Loss | None:
        """Let a process read an algorithm; return why it could not, or None.

        Code that cannot be read is not tried again: it would take as long each time.
        """
        main = self._main if b"_main__" in pickled.payload else None
        # A tiny problem takes torch as long as many large ones: nothing is compiled for it.
        kernels = pickled.ours and not pickled.computes_many
        load = Load(number, pickled.payload, world if kernels else "", main, process.card)
        seconds = None if pickled.ours else entry.limits.load_seconds
        limits = Limits(seconds, self._memory, seconds)
        came = process.read(process.process.ask(load, limits))
        if isinstance(came, Loss) and came.cause == "crashed":
            return Loss("crashed", f"crashed as its code was loaded: {came.reason}")
        if isinstance(came, Loss) and came.cause == "timeout":
            self._unloadable[pickled.key] = Discovered("timeout", came.reason)
            return self._unloadable[pickled.key]
        if not isinstance(came, Loss) and came.kind == "loaded":
            return None
        why = came.reason if isinstance(came, Loss) else came.text
        text = readable(f"its code could not be loaded: {why}")
        if not isinstance(came, Loss) and came.kind == "disturbed":
            return Loss("pool", text)
        self._unloadable[pickled.key] = Discovered("failed", text)
        return self._unloadable[pickled.key]


@dataclass(eq=False)
class _Request:
    """What a process is asked to discover: one data set, or many in one call.

    Parameters
    ----------
    shown : ShownTogether
    entropies : tuple of int
        What begins the stream of the generator of each.
    scratch : str
        The path of the scratch folder of a single task; empty for none.
    """

    shown: ShownTogether
    entropies: tuple[int, ...]
    scratch: str = ""

    @property
    def count(self) -> int:
        """How many data sets."""
        return len(self.entropies)

    @property
    def first(self) -> ShownData:
        """The first data set, or the only one."""
        return self.shown.members[0]

    @property
    def sent(self) -> SentObject:
        """The data, ready to be sent: of a single task the same that other algorithms have."""
        return self.first.sent if self.count == 1 else self.shown.sent

    @property
    def longest(self) -> int:
        """Bytes of an answer."""
        return LONGEST_ANSWER + self.count * (64 * self.first.data.n_nodes**2 + 2**13)

    def limits(self, stated: Limits, memory: int) -> Limits:
        """Return the limits of the call: as much time as its tasks would have one by one."""
        seconds = None if stated.seconds is None else stated.seconds * self.count
        return replace(stated, seconds=seconds, memory=stated.memory or memory)

    def asked(self, number: int, data: PickledObject | None) -> Discover | DiscoverMany:
        """Return the message to a process that has the algorithm under a number."""
        if self.count == 1:
            return Discover(number, self.entropies[0], data, self.scratch)
        return DiscoverMany(number, self.entropies, data)


class _Group(NamedTuple):
    """The algorithms that share a process: their name, their number of threads, their card."""

    name: str
    threads: int
    card: str


@dataclass(eq=False)
class _Process:
    """A process, and the algorithms it has read.

    Parameters
    ----------
    process : IsolatedProcess
    card : str
        The graphics card that it sees; empty for none.
    numbers : dict
        The number of each algorithm that it has read, by key and world.
    used : bool
        Whether it has run one.
    reusable : bool
        Whether the last task left nothing behind that could disturb the next.
    """

    process: IsolatedProcess
    card: str = ""
    numbers: dict[tuple[str, World], int] = field(default_factory=dict)
    used: bool = False
    reusable: bool = True

    def read(self, message: bytes | Loss) -> Answer | Loss:
        """Return what an answer says, and note whether the process can be used again."""
        self.reusable = False
        if isinstance(message, Loss):
            return message
        try:
            answer = read_answer(message)
        except ValueError as error:
            return Answer("invalid", str(error))
        self.reusable = answer.clean is True
        if answer.clean is None:
            self.reusable = self.process.hear(Limits(REST_SECONDS)) == CLEAN
        return answer


@contextlib.contextmanager
def _errors_of_the_machine() -> Iterator[None]:
    """Let what the machine cannot do stop the run: it says nothing about an algorithm."""
    try:
        yield
    except NoWorkers:
        raise
    except OSError as error:
        raise until_mended(f"no process for algorithms can be had: {error}") from error


def _members(came: Discovered, count: int) -> list[Discovered]:
    """Return what came of each task of a call: each has its part of the time.

    Raises
    ------
    ValueError
        If what was sent is not so many answers.
    """
    seconds, load_seconds = came.seconds / count, came.cells["load_seconds"] / count
    answers = read_members(came.packed, count)
    members = [outcome_of(answer, seconds, load_seconds) for answer in answers]
    members = [replace(each, cells={**each.cells, "batch": count}) for each in members]
    # What the call printed is kept for those who may ask why, and else once.
    first, *others = (replace(each, output=came.output) for each in members)
    return [first, *(replace(e, output=NO_OUTPUT) if e.status == "ok" else e for e in others)]


def outcome_of(came: Answer, seconds: float, load_seconds: float) -> Discovered:
    """Return what came of an algorithm, by what a process said of it."""
    kind, text, cells = came.kind, came.text, {"load_seconds": round(load_seconds, 3)}
    if kind == "ok":
        return Discovered("ok", "", came.packed, seconds, cells)
    if kind in ("loaded", "unloadable"):
        kind, text = "invalid", "what came is no answer to a task"
    text = readable(text) or "it gave no reason"
    reason = f"invalid: {text}" if kind == "invalid" else text
    status: Status = "skipped" if kind == "not-applicable" else "failed"
    return Discovered(status, reason, b"", seconds, cells)
