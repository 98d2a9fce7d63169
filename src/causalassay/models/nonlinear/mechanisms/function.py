"""What a function of a node's parents is, and where one comes from."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency, Values, Vector
from causalassay.graphs.orders import check_dag
from causalassay.models.linear.sources import Range


class Function(Protocol):
    """A fixed function of a node's parents: interventions meet the same one as observation."""

    def __call__(self, parents: Values, /) -> Vector:
        """Return the signal of each row; `parents` has shape (n, k), by increasing node number."""
        ...


Functions = tuple[Function | None, ...]
"""One for each node; None for a node without parents."""


@runtime_checkable
class Mechanism(Protocol):
    """A family of functions: a frozen dataclass whose fields are its parameters."""

    def draw(self, graph: Adjacency, rng: Generator) -> Functions:
        """Draw the functions of a graph, node by node."""
        ...


def draw_each(graph: Adjacency, draw: Callable[[int], Function]) -> Functions:
    """Return what `draw` makes of the number of parents of each node that has any."""
    return tuple(draw(k) if k else None for k in check_dag(graph).sum(axis=0).tolist())


def draw_signed(
    magnitude: Range, size: tuple[int, ...], rng: Generator
) -> NDArray[np.floating[Any]]:
    """Draw uniform magnitudes with random signs."""
    return rng.uniform(*magnitude, size) * rng.choice((-1.0, 1.0), size)


def check_scale(name: str, scale: float | Range) -> None:
    """Raise unless this is a positive number or a range of such."""
    if isinstance(scale, tuple):
        if not 0 < scale[0] <= scale[1] < math.inf:
            raise ValueError(f"{name}: expected (low, high) with 0 < low <= high, got {scale}")
    elif not 0 < scale < math.inf:
        raise ValueError(f"{name}: expected a positive number, got {scale}")


def check_count(name: str, count: int) -> None:
    """Raise unless there is at least one."""
    if count < 1:
        raise ValueError(f"{name}: expected at least 1, got {count}")
