"""What a call reserves of a machine while it runs: cores, a graphics card or a part of one."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

VISIBLE = "CUDA_VISIBLE_DEVICES"
"""The variable that says which cards a process may use."""

_LIST_SECONDS = 20.0
_CARD = re.compile(r"^(\s*)(?:GPU|MIG).*\(UUID: ([^)]+)\)\s*$")
_NO_CARDS = frozenset({"", "-1", "none", "void", "nodevfiles"})


@dataclass(frozen=True)
class Needs:
    """What a call reserves.

    Parameters
    ----------
    threads : int
        Cores: as many threads as it computes with.
    gpus : float
        Part of a graphics card, at most 1; 0 for calls that use none.
    at_most : int, optional
        How many calls of the same owner run at once.
    owner : str
        Who shares `at_most`.
    """

    threads: int = 1
    gpus: float = 0.0
    at_most: int | None = None
    owner: str = ""

    @property
    def part(self) -> Fraction:
        """The part of a card, as it was written: ten tenths are a whole one.

        Examples
        --------
        >>> 10 * Needs(gpus=0.1).part
        Fraction(1, 1)
        """
        return Fraction(repr(float(self.gpus)))


NO_NEEDS = Needs()
"""Of a call that computes with one thread, as nearly all do."""


def cards() -> tuple[str, ...]:
    """Return the graphics cards that this process may use, as CUDA names them.

    They are those of ``CUDA_VISIBLE_DEVICES`` if that is set, as Slurm does for each job;
    otherwise all that ``nvidia-smi`` lists.
    """
    stated = os.environ.get(VISIBLE)
    return _listed_cards() if stated is None else _stated_cards(stated)


def _stated_cards(text: str) -> tuple[str, ...]:
    """Return the cards of ``CUDA_VISIBLE_DEVICES``; as in CUDA, none after one that is not there.

    Examples
    --------
    >>> _stated_cards("0,2"), _stated_cards(""), _stated_cards("1,-1,0")
    (('0', '2'), (), ('1',))
    """
    names: list[str] = []
    for part in text.split(","):
        name = part.strip()
        if name.lower() in _NO_CARDS or name in names:
            break
        names.append(name)
    return tuple(names)


def _listed_cards() -> tuple[str, ...]:
    """Return the cards that ``nvidia-smi`` lists; none where it is absent or fails."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        listed = subprocess.run(
            ["nvidia-smi", "-L"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_LIST_SECONDS,
            check=True,
        )
        return _cards_in(listed.stdout)
    return ()


def _cards_in(text: str) -> tuple[str, ...]:
    r"""Return the cards of a list: of one that is divided into instances (MIG) these instead.

    Examples
    --------
    >>> _cards_in("GPU 0: H200 (UUID: GPU-a)\nGPU 1: H200 (UUID: GPU-b)\n")
    ('GPU-a', 'GPU-b')
    >>> _cards_in("GPU 0: A100 (UUID: GPU-a)\n  MIG 1g.5gb Device 0: (UUID: MIG-c)\n")
    ('MIG-c',)
    """
    names: list[str] = []
    whole = ""
    for line in text.splitlines():
        if match := _CARD.match(line):
            indented, name = match.groups()
            if indented and whole in names:
                names.remove(whole)
            whole = whole if indented else name
            names.append(name)
    return tuple(names)


@dataclass(frozen=True)
class Grant:
    """What a call was given of what it reserves.

    Parameters
    ----------
    cores : int
    card : str
        Empty without one.
    part : Fraction
        Of the card.
    """

    cores: int
    card: str = ""
    part: Fraction = Fraction(0)


class Machine:
    """The cores and cards of this machine, and what of them is free.

    Parameters
    ----------
    cores : int
    cards : sequence of str

    Examples
    --------
    >>> machine = Machine(2, ["0"])
    >>> half = machine.reserve(Needs(gpus=0.5))
    >>> machine.reserve(Needs(gpus=0.75)), machine.reserve(Needs(threads=2))
    (None, None)
    >>> machine.release(half)
    >>> machine.reserve(Needs(threads=4))
    Grant(cores=2, card='', part=Fraction(0, 1))
    """

    def __init__(self, cores: int, cards: Sequence[str] = ()) -> None:
        self.cores = cores
        self.free_cores = cores
        self.free_parts = dict.fromkeys(cards, Fraction(1))

    def reserve(self, needs: Needs, preferred: str = "") -> Grant | None:
        """Reserve what a call needs; None if it is not free.

        A call with more threads than there are cores has all of them, and one that needs a card
        where there is none has none: it is to be told.

        Parameters
        ----------
        needs : Needs
        preferred : str
            The card to take if it has room.
        """
        cores = min(needs.threads, self.cores)
        if cores > self.free_cores:
            return None
        grant = Grant(cores)
        if needs.gpus and self.free_parts:
            card = self._card_with(needs.part, preferred)
            if card is None:
                return None
            grant = Grant(cores, card, needs.part)
            self.free_parts[card] -= needs.part
        self.free_cores -= cores
        return grant

    def has_room_on_a_card(self, needs: Needs) -> bool:
        """Return whether a card has the part free that a call needs, or there is no card."""
        without = not needs.gpus or not self.free_parts
        return without or self._card_with(needs.part, "") is not None

    def most_at_once(self, needs: Needs) -> int:
        """Return how many calls with the same needs can run at once here.

        Examples
        --------
        >>> Machine(8, ["0", "1"]).most_at_once(Needs(threads=2, gpus=0.7))
        2
        """
        most = max(1, self.cores // needs.threads)
        if needs.gpus and self.free_parts:
            most = min(most, len(self.free_parts) * int(1 / needs.part))
        return most if needs.at_most is None else min(most, needs.at_most)

    def _card_with(self, part: Fraction, preferred: str) -> str | None:
        """Return the fullest card that has so much room, so that whole cards stay free."""
        free = [card for card, room in self.free_parts.items() if room >= part]
        if preferred in free:
            return preferred
        return min(free, key=self.free_parts.__getitem__, default=None)

    def release(self, grant: Grant) -> None:
        """Let others have what was reserved."""
        self.free_cores += grant.cores
        if grant.card:
            self.free_parts[grant.card] += grant.part
