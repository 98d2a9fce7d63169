"""Mistakes in a study file: noted one by one, reported together, each with its location."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from causalassay.common.spelling import cut, visible

Keys = tuple[str, ...]

_LONGEST_VALUE = 60
_LONGEST_LINE = 1000

MOST_PRINTED = 100
"""Mistakes that are told one by one."""


class StudyMistakes(ValueError):
    """A study file cannot be read; `mistakes` has a line for each reason.

    Examples
    --------
    >>> print(StudyMistakes("s.toml", ["seed: missing; expected an integer from 0 to 2^63 - 1"]))
    s.toml: 1 mistake
      seed: missing; expected an integer from 0 to 2^63 - 1
    """

    def __init__(self, source: str, mistakes: Sequence[str]) -> None:
        lines = tuple(cut(visible(line), _LONGEST_LINE) for line in mistakes)
        super().__init__(source, lines)
        self.source = source
        self.mistakes = lines

    def __str__(self) -> str:
        count = len(self.mistakes)
        lines = list(self.mistakes[:MOST_PRINTED])
        if count > MOST_PRINTED:
            lines.append(f"and {count - MOST_PRINTED} more")
        numbered = any(re.search(r"\w\[\d", line) for line in lines)
        head = f"{self.source}: {count} mistake{'' if count == 1 else 's'}"
        return "\n  ".join([head + ("; tables count from 0" if numbered else ""), *lines])


@dataclass(frozen=True)
class Origin:
    """Where the file states a value that a grid or a draw put elsewhere."""

    path: str
    element: str = ""
    """What follows the path for the one element that the value came from: ``[1].noise``."""


@dataclass(frozen=True)
class Location:
    """Where a value is in a study file.

    Parameters
    ----------
    table : str
        ``problems[1]``, or empty at the top.
    keys : tuple of str
        The path from there.
    origins : mapping
        From keys to where in `table` the file states their value.
    name : str
        What the user calls the table.
    drawn : bool
        Its values are drawn at random: one mistake at a location is enough.
    elsewhere : mapping of str to str
        Keys of the table that an option states, such as ``--set alpha``: what messages call them.

    Examples
    --------
    >>> print(Location("problems[1]", name="er2").at("graph", "n_nodes"))
    problems[1].graph.n_nodes (er2)
    """

    table: str
    keys: Keys = ()
    origins: Mapping[Keys, Origin] = field(default_factory=dict)
    name: str = ""
    drawn: bool = False
    elsewhere: Mapping[str, str] = field(default_factory=dict)

    def at(self, *keys: str) -> Location:
        """Return the location that lies so many keys deeper."""
        return replace(self, keys=self.keys + keys)

    def text(self, element: bool = True) -> str:
        """Return the path; without `element`, that of the whole list the value is in."""
        inside = self._path(element)
        path = ".".join(word for word in (self.table, inside) if word)
        for key, option in self.elsewhere.items():
            if inside == key or inside.startswith((f"{key}.", f"{key}[")):
                path = option + inside[len(key) :]
        return f"{path} ({self.name})" if self.name else path

    def __str__(self) -> str:
        return self.text()

    def _path(self, element: bool) -> str:
        for size in range(len(self.keys), 0, -1):
            origin = self.origins.get(self.keys[:size])
            if origin is not None:
                start = origin.path + (origin.element if element else "")
                return ".".join((start, *self.keys[size:]))
        return ".".join(self.keys)


class Mistakes:
    """A list of mistakes without repetitions."""

    def __init__(self) -> None:
        self._lines: dict[str, None] = {}
        self._drawn: set[str] = set()
        self.noted = 0
        """How often a mistake was noted, repetitions included: it grows if a part has one."""

    def add(self, location: Location | str, message: str, element: bool = True) -> None:
        """Add a line, unless it is there already."""
        self.noted += 1
        path = location.text(element) if isinstance(location, Location) else location
        if isinstance(location, Location) and location.drawn:
            if path in self._drawn:
                return
            self._drawn.add(path)
        self._lines[f"{path}: {message}" if path else message] = None

    @contextmanager
    def trial(self) -> Iterator[None]:
        """Forget afterwards what was added inside."""
        before = dict(self._lines), set(self._drawn), self.noted
        try:
            yield
        finally:
            self._lines, self._drawn, self.noted = before

    @property
    def lines(self) -> list[str]:
        """The mistakes, in the order in which they were noted."""
        return list(self._lines)


def toml_text(value: Any) -> str:
    """Return a value as the file has it, cut if it is long.

    Examples
    --------
    >>> toml_text(True), toml_text([0.5, "x"])
    ('true', '[0.5, "x"]')
    """
    return cut(json.dumps(value, ensure_ascii=False, default=str), _LONGEST_VALUE)
