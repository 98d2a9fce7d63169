"""Algorithms that do what algorithms should not, or simple work slowly."""

import time
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from causalassay.contracts import Estimate
from hostile import functions


def _empty(data):
    return Estimate(np.zeros((data.n_nodes,) * 2, dtype=bool), "dag")


@dataclass(frozen=True)
class Hostile:
    """Call one of the hostile functions, then return an empty graph."""

    function: str = "same"
    argument: Any = None
    version: ClassVar[int] = 1

    def discover(self, data, rng):
        """Call the function, then return the empty graph."""
        getattr(functions, self.function)(self.argument)
        return _empty(data)


def _cycle(data):
    graph = np.zeros((data.n_nodes,) * 2, dtype=bool)
    graph[[0, 1], [1, 0]] = True
    return Estimate(graph, "dag")


def _nan(data):
    return Estimate(_empty(data).graph, "dag", np.full((data.n_nodes,) * 2, np.nan))


def _shape(data):
    return Estimate(np.zeros((1, 1), dtype=bool), "dag")


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
