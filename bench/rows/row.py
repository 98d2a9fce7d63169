"""What a row is: one job at one size, ours and the peers, and what is expected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from bench.quality import Judge, nothing
from bench.worker import Arrays


@dataclass(frozen=True)
class Contestant:
    """Who does the job.

    Parameters
    ----------
    name : str
    environment : str
        "ours", "plain" or a key of `peer_environments.ENVIRONMENTS`.
    job : str
        ``module:function`` in that environment.
    target : float, optional
        Ours is to be at least so many times as fast.
    long : bool
        Whether it runs in ``full`` only.
    share : float
        The share of the work that it does; the rest is extrapolated, and labelled so.
    package : str
        Whose version the table names.
    """

    name: str
    environment: str
    job: str
    target: float | None = None
    long: bool = False
    share: float = 1.0
    package: str = ""


@dataclass(frozen=True)
class Recorded:
    """A time that was taken once and is not taken here.

    Parameters
    ----------
    name : str
    seconds : float
    target : float
    why : str
        Why it is not measured.
    """

    name: str
    seconds: float
    target: float
    why: str


@dataclass(frozen=True)
class Row:
    """A job at a size.

    Parameters
    ----------
    job : str
        The word for ``--only``.
    title : str
    size : int
        Number of nodes.
    problem : callable
        Makes the data from the size and a seed.
    ours : Contestant
    peers : tuple of Contestant
    recorded : tuple of Recorded
    judge : callable
        What a result is worth.
    score : str
        The figure in which ours may not be worse than a peer: higher is better, or lower
        where a minus stands before it.
    counted : str
        The figure of which is told on how many seeds ours is above and below a peer; such rows
        belong to the command searches.
    units : int
        The call does so many units, and times are for one of them.
    unit : str
        What a unit is called.
    ceiling : float, optional
        The most seconds that a unit of ours may take.
    once : bool
        Whether one call on one seed is enough.
    """

    job: str
    title: str
    size: int
    problem: Callable[[int, int], Arrays]
    ours: Contestant
    peers: tuple[Contestant, ...] = ()
    recorded: tuple[Recorded, ...] = ()
    judge: Judge = field(default=nothing)
    score: str = ""
    counted: str = ""
    units: int = 1
    unit: str = ""
    ceiling: float | None = None
    once: bool = False

    @property
    def name(self) -> str:
        """The job and its size, as in files."""
        return f"{self.job}-{self.size}"

    @property
    def long(self) -> bool:
        """Whether the row runs in ``full`` only: all its peers do, and nothing else is asked."""
        return bool(self.peers) and all(peer.long for peer in self.peers) and not self.ceiling
