"""What a run may take, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Clock = Literal["wall", "cpu"]


@dataclass(frozen=True)
class Effort:
    """How much time a run may take.

    Parameters
    ----------
    seeds : tuple of int
    seconds : float
        Each contestant calls again until its calls on a seed took so long.
    limit : float
        Of one call; a peer beyond it is not asked again.
    slow : float
        A peer whose call takes longer is not called again on the same seed.
    long : bool
        Whether long peers run, too.
    clock : {"wall", "cpu"}
        What is timed: the time that passes, or the time of the processor.
    once : float, optional
        A peer whose call takes longer is not called on further seeds; by default `slow`.
    """

    seeds: tuple[int, ...]
    seconds: float
    limit: float
    slow: float
    long: bool
    clock: Clock = "wall"
    once: float | None = None


QUICK = Effort((1, 2, 3), 1.0, 45.0, 5.0, False)
FULL = Effort((1, 2, 3, 4, 5), 2.0, 240.0, 20.0, True)
SEARCHES = Effort((1, 2, 3, 4, 5), 0.5, 240.0, 2.0, True, "cpu", once=240.0)
"""Results are compared seed by seed, and peers take minutes: on a machine that others use, too,
only the processor's time tells programs of such different length apart."""


@dataclass
class Timing:
    """What came of a contestant on one seed.

    Parameters
    ----------
    first : float, optional
        The first call, with whatever it compiles or loads.
    times : list of float
        The calls after it; the first itself where it was too slow to be repeated.
    quality : dict
    same : bool, optional
        Whether the result is that of ours.
    same_skeleton : bool, optional
        Whether the graph has the adjacent pairs of ours.
    """

    first: float | None = None
    times: list[float] = field(default_factory=list)
    quality: dict[str, float] = field(default_factory=dict)
    same: bool | None = None
    same_skeleton: bool | None = None


@dataclass
class Result:
    """What came of a contestant in a row: a timing for each seed, or why there is none."""

    name: str
    environment: str
    target: float | None
    share: float
    package: str = ""
    timings: dict[int, Timing] = field(default_factory=dict)
    beyond: float | None = None
    """The limit that a call exceeded."""
    trouble: str = ""
    """Why it is absent, or how it failed."""
