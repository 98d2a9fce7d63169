"""The server that runs in each environment: it makes calls and times them, nothing else.

Started as ``python -m bench.worker``. Requests and replies are lines of JSON; data and answers
lie in .npz files. It needs numpy and the environment's own packages, not causalassay.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
from collections.abc import Callable, Mapping
from time import perf_counter, process_time
from typing import Any, TextIO

import numpy as np

Arrays = Mapping[str, Any]
Call = Callable[[], Any]
Read = Callable[[Any], Arrays]
Job = Callable[[Arrays], tuple[Call, Read]]
"""Prepares what is not timed; returns the call that is, and what turns its result into arrays."""


class Server:
    """Keeps the job that was prepared last, and its last result."""

    def __init__(self) -> None:
        self.call: Call | None = None
        self.read: Read | None = None
        self.result: Any = None

    def prepare(self, job: str, data: str) -> Arrays:
        """Import the job and hand it the data; none of this is timed."""
        self.call = self.read = self.result = None
        module, name = job.split(":")
        with np.load(data) as stored:
            arrays = {key: stored[key] for key in stored.files}
        self.call, self.read = getattr(importlib.import_module(module), name)(arrays)
        return {}

    def turn(self, calls: int, seconds: float) -> Arrays:
        """Make so many calls, or fewer once they took so many seconds; time each alone.

        By the clock on the wall, and by the time that the processor spent on this process.
        """
        if self.call is None:
            raise RuntimeError("no job is prepared")
        self.result = None
        gc.collect()
        wall: list[float] = []
        cpu: list[float] = []
        while len(wall) < calls and (not wall or sum(wall) < seconds):
            start, spent = perf_counter(), process_time()
            self.result = self.call()
            cpu.append(process_time() - spent)
            wall.append(perf_counter() - start)
        return {"wall": wall, "cpu": cpu}

    def answer(self, path: str) -> Arrays:
        """Write the arrays of the last result."""
        if self.read is None:
            raise RuntimeError("no job is prepared")
        np.savez(path, **self.read(self.result))
        return {}


def serve(requests: TextIO, replies: TextIO) -> None:
    """Answer each request until there are no more."""
    server = Server()
    for line in requests:
        request = json.loads(line)
        try:
            reply = getattr(server, request.pop("do"))(**request)
        except Exception as problem:  # noqa: BLE001 (a peer may raise anything; it is reported)
            reply = {"error": f"{type(problem).__name__}: {problem}"[:300]}
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


def main() -> None:
    """Serve on the first output that there was; what peers print goes elsewhere."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    serve(sys.stdin, replies)


if __name__ == "__main__":
    main()
