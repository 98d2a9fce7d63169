"""Mistakes in a study file, each with its location; the TOML and the names they are found in."""

from __future__ import annotations

import datetime
import json
import math
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any, TypeVar

from causalassay.common.registry import Registry, reason_text
from causalassay.common.spelling import cut, did_you_mean, listed, visible

Keys = tuple[str, ...]

_LONGEST_VALUE = 60
_LONGEST_LINE = 1000

MOST_PRINTED = 100
"""Mistakes that are told one by one."""


class Mistake(str):
    """A line about a mistake, which also knows where it is.

    Parameters
    ----------
    path : str
        Where it is; empty for the file as a whole.
    message : str

    Examples
    --------
    >>> mistake = Mistake("problems[1].samples", "missing")
    >>> print(mistake, mistake.numbered)
    problems[1].samples: missing True
    """

    __slots__ = ("message", "path")

    path: str
    message: str

    def __new__(cls, path: str, message: str) -> Mistake:
        """Return the line, with its path and message beside."""
        line = super().__new__(cls, f"{path}: {message}" if path else message)
        line.path, line.message = path, message
        return line

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]  # of two, for pickle
        return self.path, self.message

    @property
    def numbered(self) -> bool:
        """Whether its path has the number of a table."""
        return "[" in self.path


class StudyMistakes(ValueError):
    """A study file cannot be read; `mistakes` has a line for each reason.

    Examples
    --------
    >>> print(StudyMistakes("s.toml", ["seed: missing; expected an integer from 0 to 2^63 - 1"]))
    s.toml: 1 mistake
      seed: missing; expected an integer from 0 to 2^63 - 1
    """

    def __init__(self, source: str, mistakes: Sequence[str]) -> None:
        super().__init__(source, mistakes)
        self.source = source
        self.mistakes = tuple(cut(visible(line), _LONGEST_LINE) for line in mistakes)
        printed = mistakes[:MOST_PRINTED]
        self._numbered = any(line.numbered for line in printed if isinstance(line, Mistake))

    def __str__(self) -> str:
        count = len(self.mistakes)
        lines = list(self.mistakes[:MOST_PRINTED])
        if count > MOST_PRINTED:
            lines.append(f"and {count - MOST_PRINTED} more")
        head = f"{self.source}: {count} mistake{'' if count == 1 else 's'}"
        return "\n  ".join([head + ("; tables count from 0" if self._numbered else ""), *lines])


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
        self._lines: dict[Mistake, None] = {}
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
        self._lines[Mistake(path, message)] = None

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
        """The mistakes, each a `Mistake`, in the order in which they were noted."""
        return list(self._lines)


def toml_text(value: Any) -> str:
    """Return a value as the file has it, cut if it is long.

    Examples
    --------
    >>> toml_text(True), toml_text([0.5, "x"])
    ('true', '[0.5, "x"]')
    """
    return cut(json.dumps(value, ensure_ascii=False, default=str), _LONGEST_VALUE)


# Names in a study file, checked against the names that exist.

T = TypeVar("T")


def registered(
    registry: Registry[T],
    name: Any,
    location: Location,
    mistakes: Mistakes,
    *,
    also: Collection[str] = (),
) -> T | None:
    """Return what a registry holds under a name; None, and a mistake, if there is nothing.

    Parameters
    ----------
    registry : Registry
    name : str
        As the file states it; another type is a mistake.
    location : Location
    mistakes : Mistakes
    also : collection of str
        Names that are legal there without being in the registry.
    """
    try:
        known = {*registry.addresses, *also}
    except ValueError as collision:
        mistakes.add("", str(collision))
        return None
    if isinstance(name, str) and name not in known:
        hint = registry.hint(name, also)
        mistakes.add(location, f"there is no {registry.noun} {name!r}; {hint}")
        return None
    if known_name(name, known, registry.noun, location, mistakes) is None:
        return None
    try:
        return registry[name]
    except Exception as error:
        # A plug-in's module may raise anything; the other tables are still read.
        what = "cannot run here" if isinstance(error, ImportError) else "cannot be loaded"
        package = f"package {registry.package(name)!r}"
        mistakes.add(location, f"{name!r} {what}: {reason_text(error)} ({package})")
    return None


def known_name(
    name: Any, known: Collection[str], noun: str, location: Location, mistakes: Mistakes
) -> str | None:
    """Return the name if it is known; else note the nearest one and return None.

    Examples
    --------
    >>> mistakes = Mistakes()
    >>> known_name("sidd", ["shd", "sid"], "metric", Location("metrics[0]"), mistakes)
    >>> mistakes.lines
    ["metrics[0]: there is no metric 'sidd'; did you mean 'sid'?"]
    """
    if isinstance(name, str) and name in known:
        return name
    names = sorted(known)
    if name is None:
        mistakes.add(location, f"missing; expected a {noun}: {did_you_mean('', names)}")
    elif isinstance(name, str):
        mistakes.add(location, f"there is no {noun} {name!r}; {did_you_mean(name, names)}")
    else:
        mistakes.add(location, f"got {toml_text(name)}, expected the name of a {noun}")
    return None


def unknown_parameter(
    key: str, owner: str, legal: Collection[str], also: Collection[str] = ()
) -> str:
    """Return that `owner` has no such parameter, what it takes, and what is nearest.

    Examples
    --------
    >>> unknown_parameter("lamda", "golem", ["lambda1"], also=["seconds"])
    "'golem' has no such parameter; it takes 'lambda1'; did you mean 'lambda1'?"
    """
    takes = listed(legal) if legal else "none"
    hints = [f"it takes {takes}", did_you_mean(key, [*legal, *also], otherwise="")]
    return "; ".join([f"{owner!r} has no such parameter", *filter(None, hints)])


# From the text of a study file to its tables, whatever a stranger wrote there.

DEEPEST = 20
"""Tables and lists inside each other; a study needs six."""

_LARGEST = 2**63 - 1
_PART = r"""(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')"""
_LONG_KEY = re.compile(rf"(?<![A-Za-z0-9_-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{DEEPEST},}}")
_DEEP = f"tables and lists lie more than {DEEPEST} deep inside each other; a study needs six"


def read_tables(text: str, source: str) -> dict[str, Any]:
    """Return the tables of a text, or raise `StudyMistakes`.

    Parameters
    ----------
    text : str
        TOML.
    source : str
        What messages call the text.

    Examples
    --------
    >>> read_tables("limits.seconds = 5", "s.toml")
    {'limits': {'seconds': 5}}
    >>> read_tables("seed = nan", "s.toml")
    Traceback (most recent call last):
    causalassay.study.language.mistakes.StudyMistakes: s.toml: 1 mistake
      seed: got nan, expected a number
    """
    mistakes = Mistakes()
    tables = _checked(text, (), mistakes)
    if mistakes.lines:
        raise StudyMistakes(source, mistakes.lines)
    return tables


def read_value(text: str, location: str, mistakes: Mistakes) -> Any:
    """Return the TOML value that one line of text is; None, and mistakes, if it is none.

    Examples
    --------
    >>> read_value("[0.5, 1]", "--set a", Mistakes()), read_value("high", "--set a", Mistakes())
    ([0.5, 1], None)
    """
    return _checked(f"_={text}", (location,), mistakes).get("_")


def toml_of(tables: Mapping[str, Any]) -> str:
    """Return tables as the text of a file, one line for each key.

    Examples
    --------
    >>> print(toml_of({"seed": 1, "limits": {"seconds": 5.0}, "metrics": ["shd"]}), end="")
    seed = 1
    limits = {seconds = 5.0}
    metrics = ["shd"]
    """
    return "".join(f"{_toml_key(key)} = {_toml_value(tables[key], key)}\n" for key in tables)


def _toml_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)


def _toml_value(value: Any, key: str) -> str:
    if hasattr(value, "tolist"):  # of NumPy
        value = value.tolist()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str | PurePath):
        return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        pairs = (
            f"{_toml_key(str(name))} = {_toml_value(inner, key)}" for name, inner in value.items()
        )
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_toml_value(inner, key) for inner in value)}]"
    kind = type(value).__name__
    raise TypeError(f"{key}: expected numbers, texts, lists and dictionaries, got a {kind}")


def _checked(text: str, location: Keys, mistakes: Mistakes) -> dict[str, Any]:
    """Return the tables of a text; what no study may hold is noted.

    Parameters
    ----------
    text : str
    location : tuple of str
        Where it stands; empty for a file, else it is what the only key stands for.
    mistakes : Mistakes
    """
    try:
        tables = _parsed(text)
    except tomllib.TOMLDecodeError as error:
        mistakes.add(".".join(location), _syntax(str(error), text))
    except RecursionError:
        mistakes.add(".".join(location), _DEEP)
    except ValueError as error:  # of a number with thousands of digits
        mistakes.add(".".join(location), f"not TOML: {error}")
    else:
        for value in tables.values() if location else (tables,):
            for where, reason in _refused(value, location):
                mistakes.add(where, reason)
        return tables
    return {}


def _parsed(text: str) -> dict[str, Any]:
    # The parser takes the square of the parts of a dotted key.
    if _LONG_KEY.search(text):
        raise RecursionError
    return tomllib.loads(text)


def _syntax(message: str, text: str) -> str:
    """Return why it is no TOML, with line and column also where it ends too early."""
    lines = text.split("\n")
    end = f"at line {len(lines)}, column {len(lines[-1]) + 1}"
    both = next((key for key in LISTS if _stated_in_both_forms(key, text)), "")
    hint = f"; the file has both `{both} = […]` and `[[{both}]]`: it can have one" if both else ""
    return "not TOML: " + re.sub("at end of document", end, message) + hint


LISTS = ("problems", "algorithms")
"""Keys that a study states as a list or as tables."""


def _stated_in_both_forms(key: str, text: str) -> bool:
    forms = (rf"^\s*{key}\s*=", rf"^\s*\[\[\s*{key}\s*\]\]")
    return all(re.search(form, text, re.MULTILINE) for form in forms)


def _refused(value: Any, location: Keys) -> Iterator[tuple[str, str]]:
    """Yield where a value is that no key takes, and why."""
    waiting: list[tuple[Keys, Any, int]] = [(location, value, len(location))]
    while waiting:
        keys, value, depth = waiting.pop()
        where = ".".join(keys)
        if depth > DEEPEST:
            yield where, _DEEP
        elif isinstance(value, dict):
            waiting += [((*keys, key), inner, depth + 1) for key, inner in value.items()]
        elif isinstance(value, list):
            elements = ((*keys[:-1], f"{keys[-1]}[{step}]") for step in range(len(value)))
            waiting += [(at, inner, depth + 1) for at, inner in zip(elements, value, strict=True)]
        elif isinstance(value, int) and abs(value) > _LARGEST:
            yield where, "got an integer beyond 2^63; no key of a study takes one so large"
        elif isinstance(value, float) and math.isnan(value):
            yield where, "got nan, expected a number"
        elif isinstance(value, datetime.date | datetime.time):
            yield where, f"got {value}, a date or time; no key of a study takes one"
