"""From the text of a study file to its tables, whatever a stranger wrote there.

TOML allows what no study needs and what would harm: keys and lists nested thousands deep,
numbers of a million digits, dates, nan. They are refused here, once, for every key.
"""

from __future__ import annotations

import datetime
import math
import re
import tomllib
from collections.abc import Iterator
from typing import Any

from causalassay.study.language.mistakes import Keys, Mistakes, StudyMistakes

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
    return "not TOML: " + re.sub("at end of document", end, message)


def _refused(value: Any, location: Keys) -> Iterator[tuple[str, str]]:
    """Yield where a value is that no key takes, and why."""
    waiting: list[tuple[Keys, Any, int]] = [(location, value, len(location))]
    while waiting:
        keys, value, depth = waiting.pop()
        where = ".".join(keys)
        if depth > DEEPEST:
            yield where, _DEEP
        elif isinstance(value, dict):
            waiting += [((*keys, key), one, depth + 1) for key, one in value.items()]
        elif isinstance(value, list):
            elements = ((*keys[:-1], f"{keys[-1]}[{step}]") for step in range(len(value)))
            waiting += [(at, one, depth + 1) for at, one in zip(elements, value, strict=True)]
        elif isinstance(value, int) and abs(value) > _LARGEST:
            yield where, "got an integer beyond 2^63; no key of a study takes one so large"
        elif isinstance(value, float) and math.isnan(value):
            yield where, "got nan, expected a number"
        elif isinstance(value, datetime.date | datetime.time):
            yield where, f"got {value}, a date or time; no key of a study takes one"
