"""Mistakes in a study file: collected one by one, told all at once, each with its place."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

Keys = tuple[str, ...]

_LONGEST = 60
_MOST_TOLD = 100


class StudyMistakes(ValueError):
    """A study file cannot be read; `mistakes` has a line for each reason.

    Examples
    --------
    >>> print(StudyMistakes("s.toml", ["seed: missing; expected an integer from 0 to 2^63 - 1"]))
    s.toml: 1 mistake
      seed: missing; expected an integer from 0 to 2^63 - 1
    """

    def __init__(self, source: str, mistakes: Sequence[str]) -> None:
        super().__init__(source, tuple(mistakes))
        self.source = source
        self.mistakes = tuple(mistakes)

    def __str__(self) -> str:
        count = len(self.mistakes)
        told = list(self.mistakes[:_MOST_TOLD])
        if count > _MOST_TOLD:
            told.append(f"and {count - _MOST_TOLD} more")
        counted = (
            "; tables count from 0" if any(re.search(r"\w\[\d", line) for line in told) else ""
        )
        head = f"{self.source}: {count} mistake{'' if count == 1 else 's'}{counted}"
        return "\n  ".join([head, *told])


@dataclass(frozen=True)
class Origin:
    """Where in the file a value stands that a grid or a draw put elsewhere."""

    path: str
    inside: str = ""
    """What follows the path for the one element the value came from: ``[1].noise``."""


@dataclass(frozen=True)
class Place:
    """A place in a study file.

    Parameters
    ----------
    table : str
        ``problems[1]``, or empty at the top.
    keys : tuple of str
        The way from there.
    origins : mapping
        From keys to where in `table` their value truly stands.
    name : str
        What the user calls the table.
    drawn : bool
        Its values are drawn: one mistake at a place is enough, the others are like it.

    Examples
    --------
    >>> print(Place("problems[1]", name="er2").at("graph", "n_nodes"))
    problems[1].graph.n_nodes (er2)
    """

    table: str
    keys: Keys = ()
    origins: Mapping[Keys, Origin] = field(default_factory=dict)
    name: str = ""
    drawn: bool = False

    def at(self, *keys: str) -> Place:
        """Return the place that lies so many keys deeper."""
        return replace(self, keys=self.keys + keys)

    def text(self, element: bool = True) -> str:
        """Return the path; without `element` that of the whole list the value is in."""
        path = ".".join(word for word in (self.table, self._way(element)) if word)
        return f"{path} ({self.name})" if self.name else path

    def __str__(self) -> str:
        return self.text()

    def _way(self, element: bool) -> str:
        for size in range(len(self.keys), 0, -1):
            origin = self.origins.get(self.keys[:size])
            if origin is not None:
                start = origin.path + (origin.inside if element else "")
                return ".".join((start, *self.keys[size:]))
        return ".".join(self.keys)


class Mistakes:
    """A list of mistakes without repetitions."""

    def __init__(self) -> None:
        self._lines: dict[str, None] = {}
        self._drawn: set[str] = set()
        self.noted = 0
        """How often a mistake was noted, repetitions too: whether a part has one shows here."""

    def add(self, place: Place | str, message: str, element: bool = True) -> None:
        """Add a line, unless it is there or one like it."""
        self.noted += 1
        where = place.text(element) if isinstance(place, Place) else place
        if isinstance(place, Place) and place.drawn:
            if where in self._drawn:
                return
            self._drawn.add(where)
        self._lines[f"{where}: {message}" if where else message] = None

    @property
    def lines(self) -> list[str]:
        """The mistakes, in the order in which they were found."""
        return list(self._lines)


def shown(value: Any) -> str:
    """Return a value as the file has it, cut if it is long.

    Examples
    --------
    >>> shown(True), shown([0.5, "x"])
    ('true', '[0.5, "x"]')
    """
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
