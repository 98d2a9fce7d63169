"""What a process does that runs algorithms: it is given data, and never the truth or the seed.

Requests come from a worker, which is trusted, as pickles. Answers are not believed: they
are JSON and an estimate's bytes, so that reading one runs no code of an algorithm.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import pickle
import random
import signal
import struct
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing import spawn
from multiprocessing.connection import Connection
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import psutil

from causalassay.contracts import Algorithm, Estimate, NotApplicable, check_rows
from causalassay.data import Dataset
from causalassay.data.dataset import World
from causalassay.discovery.environment_algorithms import NotInstalled
from causalassay.discovery.loading import is_own_code, load_code
from causalassay.environments.process import (
    EnvironmentFailed,
    answered_within,
    forward_printed,
    kept_pids,
    n_ended,
)
from causalassay.processes.left_threads import LeftThreads
from causalassay.processes.messages import TOKEN, PickledObject
from causalassay.processes.process_tree import children_of, flush_printed
from causalassay.processes.resources import VISIBLE
from causalassay.processes.scratch import begin_task
from causalassay.processes.stages import loaded_seconds, loading, watch_imports
from causalassay.study.estimate_encoding import pack
from causalassay.study.kernel_marks import tiny_problem
from causalassay.study.reasons import is_about_room, message_text, reason_text
from causalassay.testing import estimate_flaws

SERVER = f"{__name__}:serve"
"""What a launcher is to run in the processes of algorithms."""

CLEAN = b"clean"
"""What follows an answer that left open whether the process can be used again, if it can."""

_LENGTH = struct.Struct("<I")

AnswerKind = Literal[
    "loaded", "unloadable", "ok", "not-applicable", "raised", "invalid", "disturbed"
]
"""Of an algorithm that failed where something other than it may be to blame: "disturbed"."""


@dataclass(frozen=True)
class Load:
    """Ask a process to read an algorithm and keep it under a number.

    Parameters
    ----------
    number : int
    payload : bytes
        The pickled algorithm.
    kernels : str
        The world whose kernels are compiled, or loaded, by a run on tiny data; empty for code
        that is not ours, which might hang.
    main : mapping, optional
        How to import the driver's script, where the algorithm is defined there.
    card : str
        The one graphics card that the process may use; empty for none. It is the same in all
        requests to one process.
    """

    number: int
    payload: bytes
    kernels: World | Literal[""] = ""
    main: Mapping[str, Any] | None = None
    card: str = ""


@dataclass(frozen=True)
class Discover:
    """Ask a process to run an algorithm.

    Parameters
    ----------
    number : int
        Of the algorithm.
    entropy : int
        What begins the stream of the generator.
    data : PickledObject, optional
        What to run it on; None is for the data of the last request.
    scratch : str
        The path of the task's scratch folder; empty for none.
    """

    number: int
    entropy: int
    data: PickledObject | None
    scratch: str = ""


@dataclass(frozen=True)
class DiscoverMany:
    """Ask a process to run an algorithm on many data sets of one size, in one call.

    Parameters
    ----------
    number : int
        Of the algorithm.
    entropies : tuple of int
        What begins the stream of the generator of each.
    data : PickledObject, optional
        The data sets; None is for those of the last request.
    """

    number: int
    entropies: tuple[int, ...]
    data: PickledObject | None


def serve(connection: Connection) -> None:
    """Answer requests until the worker hangs up."""
    warnings.simplefilter("ignore")  # until it is known whose code runs: `_warnings_of`
    watch_imports()
    forward_printed()
    folder = os.environ["TMPDIR"]
    algorithms: dict[int, Algorithm] = {}
    data: Any = None
    with contextlib.suppress(EOFError):
        while True:
            message = connection.recv_bytes()
            if not os.path.isdir(folder):  # noqa: PTH112  somebody may have removed it
                with contextlib.suppress(OSError):
                    os.mkdir(folder, 0o700)  # noqa: PTH102
            match pickle.loads(memoryview(message)[TOKEN:]):
                case Load() as load:
                    with loading():
                        answer = _load(load, algorithms, folder)
                case Discover() as request:
                    if request.data is not None:
                        data = request.data.receive(connection)
                    begin_task(request.scratch)
                    algorithm = algorithms[request.number]
                    attempted = partial(attempt, algorithm, data, request.entropy)
                    answer = _discover(algorithm, attempted, folder)
                case DiscoverMany() as request:
                    if request.data is not None:
                        data = request.data.receive(connection)
                    begin_task("")
                    algorithm = algorithms[request.number]
                    attempted = partial(attempt_many, algorithm, data, request.entropies)
                    answer = _discover(algorithm, attempted, folder)
            flush_printed()
            answer = answer._replace(clean=_is_clean())
            connection.send_bytes(message[:TOKEN] + _message(answer))
            if answer.clean is None:
                rest = CLEAN if _threads.come_to_rest() else b""
                connection.send_bytes(message[:TOKEN] + rest)


def _discover(
    algorithm: Algorithm, attempted: Callable[[], tuple[AnswerKind, str, bytes]], folder: str
) -> Answer:
    if _threads.woke_up():
        return Answer("disturbed", "a thread that an earlier task left went on computing")
    before = loaded_seconds()
    with _warnings_of(algorithm):
        kind, text, packed = attempted()
    _give_back_memory_of_card()
    if kind == "raised" and is_disturbed(text, folder):
        kind = "disturbed"
    return Answer(kind, text, packed, loaded_seconds() - before)


@contextlib.contextmanager
def _warnings_of(algorithm: Algorithm) -> Iterator[None]:
    """Let Python print the warnings of code that is not ours, which `causalassay log` shows.

    For ours a record says all there is to say.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if is_own_code(algorithm) else "default")
        yield


def _give_back_memory_of_card() -> None:
    """Let others have the memory of a card that torch keeps for its next tensors.

    This process is kept, and the next task on the card may be one of another process.
    """
    with contextlib.suppress(Exception):  # what bears that name may be anything
        torch = sys.modules.get("torch") if os.environ[VISIBLE] else None
        if torch is not None and torch.cuda.is_initialized():
            torch.cuda.empty_cache()


def attempt(
    algorithm: Algorithm, data: Dataset, entropy: int, *, raising: bool = False
) -> tuple[AnswerKind, str, bytes]:
    """Run an algorithm; return what came of it, why, and the packed estimate if there is one.

    Algorithms are to draw from their generator alone. Those that draw from the generators of the
    whole process can be repeated, too: these begin with the same entropy.
    """
    _seed_all(entropy)
    rng = np.random.default_rng(entropy)
    try:
        check_rows(data, getattr(algorithm, "rows", "independent"))
        return _checked(algorithm.discover(data, rng), data.n_nodes)
    except NotApplicable as reason:
        return _failure(reason)
    except BaseException as error:  # an algorithm may raise anything, SystemExit too
        if raising:
            raise
        return _failure(error)


def attempt_many(
    algorithm: Any, datasets: Sequence[Dataset], entropies: Sequence[int]
) -> tuple[AnswerKind, str, bytes]:
    """Run an algorithm on many data sets in one call; see `attempt`.

    What is packed has what came of each, which `read_members` reads. A call that raises, or does
    not return as much as it was given, is a failure of all.
    """
    _seed_all(entropies[0])
    came: list[Any] = []
    for data in datasets:
        try:
            check_rows(data, getattr(algorithm, "rows", "independent"))
            came.append(None)
        except NotApplicable as reason:
            came.append(reason)
    fit = [index for index, reason in enumerate(came) if reason is None]
    rngs = [np.random.default_rng(entropies[index]) for index in fit]
    try:
        found = algorithm.discover_many([datasets[index] for index in fit], rngs) if fit else []
    except BaseException as error:
        return _failure(error)
    if not isinstance(found, list) or len(found) != len(fit):
        return "invalid", f"discover_many did not return a list of {len(fit)} estimates", b""
    for index, each in zip(fit, found, strict=True):
        came[index] = each
    return "ok", "", b"".join(map(_member, came, datasets))


def _member(came: Any, data: Dataset) -> bytes:
    """Return what came of one data set of a call, as a message with its length."""
    message = _message(answer_of(came, data.n_nodes))
    return _LENGTH.pack(len(message)) + message


def answer_of(came: Any, n_nodes: int) -> Answer:
    """Return what is said of an estimate, or of the exception that came instead."""
    raised = isinstance(came, BaseException)
    return Answer(*(_failure(came) if raised else _checked(came, n_nodes)))


def read_members(packed: bytes, count: int) -> list[Answer]:
    """Return what came of each data set of a call.

    Raises
    ------
    ValueError
        If these are not so many answers: whoever sent them cannot be trusted.
    """
    members: list[Answer] = []
    offset = 0
    while offset < len(packed) and len(members) < count:
        length = _LENGTH.unpack_from(packed[offset : offset + _LENGTH.size].ljust(_LENGTH.size))[0]
        offset += _LENGTH.size + length
        members.append(read_answer(packed[offset - length : offset]))
    if len(members) != count or offset != len(packed):
        raise ValueError(f"what came are not the answers of {count} tasks")
    return members


def _seed_all(entropy: int) -> None:
    """Seed the generators of the whole process."""
    random.seed(entropy)
    np.random.seed(entropy % 2**32)  # noqa: NPY002  what we guard against
    with contextlib.suppress(Exception):  # what bears that name may be anything
        if torch := sys.modules.get("torch"):
            torch.manual_seed(entropy % 2**63)


def _failure(error: BaseException) -> tuple[AnswerKind, str, bytes]:
    """Return what is said of an algorithm that raised an error."""
    match error:
        case NotInstalled():
            again = "then run the study with --retry skipped"
            return "not-applicable", f"{message_text(error)}, {again}", b""
        case NotApplicable():
            return "not-applicable", message_text(error), b""
        case EnvironmentFailed():
            return "raised", message_text(error), b""
        case _:
            return "raised", reason_text(error), b""


class Answer(NamedTuple):
    """What a process says came of a request.

    Parameters
    ----------
    kind : str
    text : str
        Why, where there is no estimate.
    packed : bytes
        The estimate.
    loaded : float
        Seconds of loading code, which are no run time.
    clean : bool, optional
        Whether the process can be used again; None: it says so in a message of its own.
    """

    kind: AnswerKind
    text: str
    packed: bytes = b""
    loaded: float = 0.0
    clean: bool | None = True


def read_answer(message: bytes) -> Answer:
    """Return what an answer says.

    Raises
    ------
    ValueError
        If it is none: whoever sent it cannot be trusted.
    """
    try:
        (length,) = _LENGTH.unpack_from(message)
        kind, text, loaded, clean = json.loads(message[_LENGTH.size : _LENGTH.size + length])
    except (struct.error, ValueError, TypeError, RecursionError):
        raise ValueError("what came is no answer") from None
    is_known = kind in get_args(AnswerKind) and isinstance(text, str)
    if not is_known or not isinstance(loaded, float) or not 0.0 <= loaded < math.inf:
        raise ValueError("what came is no answer")
    clean = clean if clean is None else clean is True
    return Answer(kind, text, message[_LENGTH.size + length :], loaded, clean)


def _checked(estimate: Estimate, n_nodes: int) -> tuple[AnswerKind, str, bytes]:
    """Return the answer for an estimate; the worker looks closer at one that is well formed."""
    if not isinstance(estimate, Estimate):
        came = type(estimate).__name__
        hint = 'return Estimate(graph, kind="dag") from causalassay.contracts'
        return "invalid", f"it returned {came}, not an Estimate; {hint}", b""
    if _well_formed(estimate, n_nodes):
        return "ok", "", pack(estimate)
    flaws = "; ".join(estimate_flaws(estimate, n_nodes))
    return "invalid", flaws or "its weights, its probabilities or its order are no numbers", b""


def _well_formed(estimate: Estimate, n_nodes: int) -> bool:
    shape = (n_nodes, n_nodes)
    graph, order = estimate.graph, estimate.order
    return (
        isinstance(graph, np.ndarray)
        and graph.dtype == np.bool_
        and graph.shape == shape
        and all(
            numbers is None or (_are_numbers(numbers) and numbers.shape == shape)
            for numbers in (estimate.weights, estimate.probabilities)
        )
        and (order is None or all(isinstance(node, int | np.integer) for node in order))
    )


def _are_numbers(array: Any) -> bool:
    return isinstance(array, np.ndarray) and array.dtype.kind in "biuf"


def is_disturbed(reason: str, folder: str) -> bool:
    """Return whether an algorithm may have failed because of what others did.

    Its folder for temporary files is gone, or there is no room for one.
    """
    return is_about_room(reason) or not os.path.isdir(folder)  # noqa: PTH112  after each failure


def _load(load: Load, algorithms: dict[int, Algorithm], folder: str) -> Answer:
    os.environ[VISIBLE] = load.card  # CUDA reads it once, when it is first used
    try:
        if load.main is not None:
            spawn.prepare(dict(load.main))
        algorithm = pickle.loads(load.payload)
        with answered_within(math.inf), _warnings_of(algorithm):  # the worker has the limit
            load_code(algorithm)
        algorithms[load.number] = algorithm
        if load.kernels:
            _warm(algorithm, load.kernels)
    except BaseException as error:  # code that is imported may do anything
        reason = reason_text(error)
        return Answer("disturbed" if is_disturbed(reason, folder) else "unloadable", reason)
    _threads.allow_all()
    return Answer("loaded", "")


def _warm(algorithm: Algorithm, world: World) -> None:
    problem = tiny_problem(world)
    if problem is not None:
        with contextlib.suppress(Exception), _warnings_of(algorithm):
            algorithm.discover(problem.data, np.random.default_rng(0))


def _message(answer: Answer) -> bytes:
    head = json.dumps([answer.kind, answer.text, answer.loaded, answer.clean]).encode()
    return b"".join((_LENGTH.pack(len(head)), head, answer.packed))


_threads = LeftThreads()


def _is_clean() -> bool | None:
    """Return whether a task left no threads, timers or children behind; None: it must be seen.

    It left native threads, which may be a library's pool: see `LeftThreads`.
    """
    timers = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
    clean = (
        not _threads.of_python()
        and all(signal.getitimer(timer)[0] == 0 for timer in timers)
        and not _has_children()
        and n_ended() == 0  # the next process starts its package before the time counts
    )
    return None if clean and _threads.native() else clean


def _has_children() -> bool:
    """Return whether there is a child, alive or not: this process adopts its orphans.

    The process of an environment is to stay.
    """
    if kept := kept_pids():
        return any(child.pid not in kept for child in children_of(psutil.Process()))
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return False
    return True
