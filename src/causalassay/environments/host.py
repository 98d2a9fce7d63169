"""The program that runs in an environment: it hands requests to an adapter, and answers.

Started as ``python host.py ADAPTER REQUESTS ANSWERS`` with the numbers of two open files. It
needs the standard library and numpy, and nothing of ours: here is another interpreter. What the
package prints goes where it goes, never between the answers.

A message is its length, a head as JSON, and arrays as NumPy writes them, one after the other;
the head has the name and the bytes of each. The first message says that the adapter was imported.

An adapter has the mappings ``ALGORITHMS`` and, where it simulates, ``GENERATORS``: name to a
function that takes a `Request` and returns a mapping. Of an algorithm it has "graph", "weights",
"probabilities" (of each edge) or "graphs" (several, such as draws from a posterior, with the share
of each as "graph_weights"), and where there are any "order", "links" (lag, cause, effect) and
"info"; of a generator "values" and "graph", of discrete columns "levels" too, of a series "links"
instead of "graph". With "not_applicable" alone it says why the data do not fit.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import io
import json
import os
import random
import signal
import struct
import sys
import threading
import time
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

LENGTH = struct.Struct("<Q")
LONGEST_HEAD = 2**22
LONGEST_REASON = 1000
Message = tuple[dict[str, Any], dict[str, Any]]
"""A head and its arrays."""

_ARRAYS = (
    *("graph", "weights", "probabilities", "graphs", "graph_weights", "order", "links"),
    *("values", "levels"),
)


class Broken(Exception):
    """What came is no message."""


class Request(SimpleNamespace):
    """What an adapter gets.

    Attributes
    ----------
    kind : {"algorithm", "generator"}
    name : str
        Of the algorithm or the generator.
    parameters : dict
        All of them, with their values.
    seed : int
        The generators of numpy and torch begin with it already, Python's with `python_seed`.
    arrays : dict of ndarray
        Of an algorithm "values", one row for each sample; it may be written to.
    columns : list of str
    levels : list of int, or None
        Of discrete columns: how many values each takes; they are 0, 1, ….
    rows : {"independent", "series"}
    scratch : str, or None
        In a study: the path of a folder that survives an interruption of the task, for
        checkpoints; to be made by whoever uses it. Also in CAUSALASSAY_SCRATCH.
    """

    @property
    def values(self) -> Any:
        """The values of the columns, shape (n, d)."""
        return self.arrays["values"]


def pack(head: Mapping[str, Any], arrays: Mapping[str, Any]) -> bytes:
    """Return a message.

    Examples
    --------
    >>> message = pack({"id": 1}, {"values": np.zeros((2, 3))})
    >>> unpack(message[LENGTH.size :])[1]["values"].shape
    (2, 3)
    """
    packed = {name: _npy(array) for name, array in arrays.items()}
    sizes = [[name, len(content)] for name, content in packed.items()]
    text = json.dumps({**head, "arrays": sizes}).encode()
    body = b"".join([LENGTH.pack(len(text)), text, *packed.values()])
    return LENGTH.pack(len(body)) + body


def unpack(body: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the head and the arrays of a message without its length.

    Raises
    ------
    Broken
        If it is none. Nothing in it is run as code.
    """
    try:
        (length,) = LENGTH.unpack_from(body)
        if length > LONGEST_HEAD:
            raise Broken("its head is too long")
        offset = LENGTH.size + length
        head = json.loads(bytes(body[LENGTH.size : offset]))
        arrays = {}
        for name, size in head.pop("arrays"):
            with io.BytesIO(body[offset : offset + size]) as file:
                arrays[name] = np.lib.format.read_array(file, allow_pickle=False)
            offset += size
    except Broken:
        raise
    except Exception as reason:
        raise Broken(f"what came is no message: {reason}") from None
    return head, arrays


def serve(adapter: Any, requests: int, answers: int) -> None:
    """Answer each request, until there are no more."""
    while (body := _read(requests)) is not None:
        head, arrays = unpack(body)
        answer, given = _answer(adapter, head, arrays)
        _give_back_memory_of_card()
        _write(answers, pack({**answer, "id": head["id"], "clean": _is_clean()}, given))


def _answer(adapter: Any, head: dict[str, Any], arrays: dict[str, Any]) -> Message:
    """Return the head and the arrays of an answer."""
    request = Request(arrays=arrays, **head)
    _seed(request.seed, request.python_seed)
    if request.scratch:
        os.environ["CAUSALASSAY_SCRATCH"] = request.scratch
    else:
        os.environ.pop("CAUSALASSAY_SCRATCH", None)
    table = "ALGORITHMS" if request.kind == "algorithm" else "GENERATORS"
    try:
        result = getattr(adapter, table, {})[request.name](request)
        if not isinstance(result, Mapping):
            raise TypeError(f"its answer is a {type(result).__name__}, expected a mapping")
        if "not_applicable" in result:
            why = str(result["not_applicable"] or "its adapter gives no reason")
            return {"status": "not-applicable", "reason": why}, {}
        given = {name: np.asarray(result[name]) for name in _ARRAYS if result.get(name) is not None}
        for name, array in given.items():
            if array.dtype == object:
                raise TypeError(f"its {name} is an array of objects, not of numbers")
        info = json.loads(json.dumps(result.get("info", {}), default=str))
    except BaseException as error:  # a package may raise anything, SystemExit too
        reason = f"{type(error).__name__}: {error}"[:LONGEST_REASON]
        return {"status": "raised", "reason": reason}, {}
    return {"status": "ok", "info": info}, given


def _seed(seed: int, python_seed: int) -> None:
    random.seed(python_seed)
    np.random.seed(seed)  # noqa: NPY002  packages draw from it
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(seed)


def _give_back_memory_of_card() -> None:
    """Let others have the memory of a graphics card that torch keeps for its next tensors."""
    with contextlib.suppress(Exception):  # it is no part of the answer
        if "torch" in sys.modules and sys.modules["torch"].cuda.is_initialized():
            sys.modules["torch"].cuda.empty_cache()


def _is_clean() -> bool:
    """Return whether a task left no threads of Python's and no processes behind."""
    return threading.active_count() <= _threads["after loading"] and not _has_children()


_threads = {"after loading": 1}


def _has_children() -> bool:
    folder = "/proc/self/task"
    if not os.path.isdir(folder):  # noqa: PTH112  another interpreter may be old
        return False
    for task in os.listdir(folder):  # noqa: PTH208
        try:
            with open(f"{folder}/{task}/children") as file:  # noqa: PTH123
                if file.read().strip():
                    return True
        except OSError:
            continue
    return False


def _npy(array: Any) -> bytes:
    with io.BytesIO() as file:
        np.lib.format.write_array(file, np.ascontiguousarray(array), allow_pickle=False)
        return file.getvalue()


def _read(handle: int) -> bytearray | None:
    """Return the next message without its length; None at the end."""
    header = _read_bytes(handle, LENGTH.size)
    return None if header is None else _read_bytes(handle, LENGTH.unpack(header)[0])


def _read_bytes(handle: int, length: int) -> bytearray | None:
    received = bytearray()
    while len(received) < length:
        piece = os.read(handle, min(length - len(received), 2**20))
        if not piece:
            return None
        received += piece
    return received


def _write(handle: int, message: bytes) -> None:
    rest = memoryview(message)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _end_with(parent: int) -> None:
    """Let this process be killed when its parent ends, also while C code runs."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)
    else:
        threading.Thread(target=_exit_after, args=(parent,), daemon=True).start()
    if os.getppid() != parent:
        os._exit(1)


def _exit_after(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def _load(path: str) -> Any:
    spec: Any = importlib.util.spec_from_file_location("causalassay_adapter", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Import the adapter, say so, and serve."""
    path = sys.argv[1]
    requests, answers, parent = map(int, sys.argv[2:5])
    _end_with(parent)
    for handle in (requests, answers):
        os.set_inheritable(handle, False)
    try:
        adapter = _load(path)
    except BaseException as error:  # an import may do anything
        reason = f"{type(error).__name__}: {error}"[:LONGEST_REASON]
        _write(answers, pack({"status": "unloadable", "reason": reason}, {}))
        return
    if "tqdm" in sys.modules:
        # A progress bar would start a thread, and a process with threads left is not kept.
        sys.modules["tqdm"].tqdm.monitor_interval = 0
    _threads["after loading"] = threading.active_count()
    _write(answers, pack({"status": "loaded"}, {}))
    serve(adapter, requests, answers)


if __name__ == "__main__":
    main()
