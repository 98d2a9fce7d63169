"""Algorithms that do what algorithms should not, or simple work slowly."""

import ctypes
import gc
import importlib
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causalassay.contracts import Estimate, NotApplicable
from hostile import functions


def _empty(data):
    return Estimate(np.zeros((data.n_nodes,) * 2, dtype=bool), "dag")


@dataclass(frozen=True)
class Hostile:
    """Call one of the hostile functions, then return an empty graph."""

    function: str = "same"
    argument: str | int | tuple[int, int] | None = None
    version: ClassVar[int] = 1

    def discover(self, data, rng):
        """Call the function, then return the empty graph with what it said."""
        said = getattr(functions, self.function)(self.argument)
        return Estimate(_empty(data).graph, "dag", info={"said": said, "pid": os.getpid()})


@dataclass(frozen=True)
class Spy:
    """Look for the truth and for the seed wherever a process keeps things; report what is found."""

    seed: str = "0"  # as text: as a number it would find itself
    version: ClassVar[int] = 1

    def discover(self, data, rng):
        """Search the objects of the process, the frames of the callers and the generator."""
        seen = {type(thing).__name__ for thing in gc.get_objects()} & functions.SECRETS
        frame = sys._getframe()
        while frame is not None:
            seen |= {type(thing).__name__ for thing in frame.f_locals.values()} & functions.SECRETS
            frame = frame.f_back
        if functions.holds(
            int(self.seed), [vars(module) for module in sys.modules.copy().values()]
        ):
            seen.add("the seed in a module")
        if functions.holds(int(self.seed), [vars(thing) for thing in functions.instances()]):
            seen.add("the seed in an object")
        if int(self.seed) == rng.bit_generator.seed_seq.entropy:
            seen.add("the seed in the generator")
        return Estimate(_empty(data).graph, "dag", info={"seen": sorted(seen)})


@dataclass(frozen=True)
class Vandal:
    """Patch what runs algorithms, encodes estimates and scores them; then find the empty graph."""

    version: ClassVar[int] = 1

    def discover(self, data, rng):
        """Replace functions of causalassay in this process."""
        for name in ("pc:PC", "ges:GES", "baselines:RandomSorting"):
            module, kind = name.split(":")
            found = importlib.import_module(f"causalassay.discovery.{module}")
            getattr(found, kind).discover = lambda self, data, rng: _empty(data)
        hamming = importlib.import_module("causalassay.metrics.edges")
        hamming.shd = lambda truth, guess: 0
        runner = importlib.import_module("causalassay.study.worker.task_runner")
        runner._scored = lambda *_: None
        np.random.default_rng = lambda *_: None
        return _empty(data)


@dataclass(frozen=True)
class Odd:
    """Return what only looks like an estimate."""

    weights: str | None = None
    order: str | None = None
    kind: str = "dag"
    remarks: str | None = None
    version: ClassVar[int] = 1

    def discover(self, data, rng):
        """Return it."""
        graph = _empty(data).graph
        kinds = {"text": "U3", "complex": complex, "objects": object}
        weights = None if self.weights is None else np.zeros(graph.shape, dtype=kinds[self.weights])
        order = None if self.order is None else tuple(node + 0.7 for node in range(data.n_nodes))
        info = {}
        if self.remarks == "long":
            info = {"long": "x" * 10**6}
        if self.remarks == "deep":
            for _ in range(500):
                info = {"in": info}
        return Estimate(graph, self.kind, weights, order, info)


@dataclass(frozen=True)
class Echo:
    """Report what an algorithm gets of the data, and whether it could change them."""

    version: ClassVar[int] = 1

    def discover(self, data, rng):
        """Sum the values and try to write."""
        values = data.observational_values
        total = float(values.sum())
        written = values.flags.writeable or functions.overwrite_shared_memory()
        said = {"total": total, "written": written, "columns": data.columns}
        return Estimate(_empty(data).graph, "dag", info=said | {"draw": float(rng.random())})


def _cycle(data):
    graph = np.zeros((data.n_nodes,) * 2, dtype=bool)
    graph[[0, 1], [1, 0]] = True
    return Estimate(graph, "dag")


def _nan(data):
    return Estimate(_empty(data).graph, "dag", np.full((data.n_nodes,) * 2, np.nan))


def _shape(data):
    return Estimate(np.zeros((1, 1), dtype=bool), "dag")


@dataclass(frozen=True)
class Reserving:
    """Report what was reserved for it, and when it ran."""

    seconds: float = 0.05
    name: str = ""
    version: ClassVar[int] = 1

    def discover(self, data, rng):
        """Wait as if it computed."""
        began = time.monotonic()
        time.sleep(self.seconds)
        threads = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OMP_WAIT_POLICY")
        names = ("CUDA_VISIBLE_DEVICES", *threads)
        said = {name: os.environ.get(name) for name in names}
        said |= {"began": began, "ended": time.monotonic(), "pid": os.getpid()}
        return Estimate(_empty(data).graph, "dag", info=said)


NONSENSE = {"empty": _empty, "cycle": _cycle, "nan": _nan, "shape": _shape}
"""What can be returned instead of a graph, and the graph without edges."""

DEEDS = {
    "raise": ("raise_error", "as announced"),
    "loop": ("loop_forever", None),
    "gil": ("hang_in_c", None),
    "eat": ("allocate", 1_500),
    "segfault": ("segfault", None),
    "abort": ("abort", None),
    "exit": ("exit_with", 7),
    "kill": ("kill_itself", None),
    "talk": ("print_loudly", None),
}
"""What can be done instead of returning: a hostile function and its argument."""


@dataclass(frozen=True)
class Rogue:
    """Do a deed; of several, one drawn from the stream."""

    deed: str | tuple[str, ...] = "raise"
    version: ClassVar[int] = 1

    def discover(self, data, rng):
        """Do it."""
        deeds = (self.deed,) if isinstance(self.deed, str) else self.deed
        deed = deeds[int(rng.integers(len(deeds)))]
        if deed in NONSENSE:
            return NONSENSE[deed](data)
        return Hostile(*DEEDS[deed]).discover(data, rng)


@dataclass(frozen=True)
class Sleeper:
    """Wait, then return a random graph: work that takes time and depends on the stream."""

    seconds: float = 0.05
    version: ClassVar[int] = 1

    def discover(self, data, rng):
        """Wait and draw."""
        time.sleep(self.seconds)
        graph = np.triu(rng.random((data.n_nodes,) * 2) < 0.5, 1)
        return Estimate(graph, "dag", graph * rng.normal(size=graph.shape))


@dataclass(frozen=True)
class Together:
    """Draw a random graph for each of many data sets in one call; on some do a deed instead.

    Those for which the stream's first number is below `share` are the bad ones: what is done
    there does not depend on which others are in the call.
    """

    deed: str = ""
    share: float = 0.0
    seconds: float = 0.0
    batched: ClassVar[bool] = True
    version: ClassVar[int] = 1

    def discover(self, data, rng):
        """Draw for one."""
        (outcome,) = self.discover_many([data], [rng])
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def discover_many(self, datasets, rngs):
        """Draw for each."""
        assert 1 == len({data.n_nodes for data in datasets})
        print("a call of", len(datasets))  # noqa: T201
        outcomes = [self._outcome(*pair) for pair in zip(datasets, rngs, strict=True)]
        time.sleep(self.seconds)
        return outcomes[:-1] if self.deed == "lose" and len(outcomes) > 1 else outcomes

    def _outcome(self, data, rng):
        bad = rng.random() < self.share
        if bad and self.deed == "refuse":
            return NotApplicable("this one has no room for it")
        if bad and self.deed == "fail":
            return ArithmeticError("this one diverged")
        if bad and self.deed == "no card":
            raise NotApplicable("no card for any of them")
        if bad and self.deed in NONSENSE:
            return NONSENSE[self.deed](data)
        if bad and self.deed in DEEDS:
            function, argument = DEEDS[self.deed]
            getattr(functions, function)(argument)
        graph = np.triu(rng.random((data.n_nodes,) * 2) < 0.5, 1)
        order = np.argsort(data.pooled[0])  # of the columns' own: relabelling changes nothing
        placed = np.zeros_like(graph)
        placed[np.ix_(order, order)] = graph
        return Estimate(placed, "dag", placed * rng.normal())


@dataclass(frozen=True)
class SpyTogether(Spy):
    """Look for the truth and the seed in a call of many."""

    def discover_many(self, datasets, rngs):
        """Search once for each."""
        return [self.discover(*pair) for pair in zip(datasets, rngs, strict=True)]


@dataclass(frozen=True)
class Printer:
    """Print in every way that there is, then do one of the hostile functions."""

    function: str = "same"
    argument: str | int | None = None
    version: ClassVar[int] = 1

    def discover(self, data, rng):
        """Print from Python, from C and from a program."""
        print("from Python")  # noqa: T201
        sys.stderr.write("from stderr\n")
        ctypes.CDLL(None).puts(b"from C")
        subprocess.run(["sh", "-c", "echo from a program"], check=True)
        getattr(functions, self.function)(self.argument)
        return _empty(data)


@dataclass(frozen=True)
class Resuming:
    """Go on from the checkpoint in its scratch folder; on the first time, leave one and end."""

    function: str = "same"
    argument: str | int | None = None
    version: ClassVar[int] = 1

    def discover(self, data, rng):
        """Return the empty graph, with what was found there."""
        checkpoint = data.scratch / "checkpoint"
        before = checkpoint.read_text() if checkpoint.exists() else ""
        if not before:
            checkpoint.write_text("half")
            data.progress(0.5, "half of it")
            getattr(functions, self.function)(self.argument)
        return Estimate(_empty(data).graph, "dag", info={"before": before, "in": str(data.scratch)})
