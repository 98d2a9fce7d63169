"""The axes of a table `grid` or `random`: which keys vary, and over what."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from causalassay.study.language.mistakes import Keys, Location, Mistakes, toml_text
from causalassay.study.language.tables import LARGEST_INTEGER, MOST_CHOICES, RangeSchema, validated

TOGETHER = "together"
"""The key whose elements are tables for the whole problem, for what varies together."""


@dataclass(frozen=True)
class Axis:
    """A key that varies: over a list, or, where it is drawn, also over a range."""

    keys: Keys
    path: str
    values: list[Any] | RangeSchema

    @property
    def listed(self) -> list[Any]:
        """The values of an axis that is a list."""
        return self.values if isinstance(self.values, list) else []


def read_axes(
    table: Mapping[str, Any],
    location: Location,
    mistakes: Mistakes,
    *,
    ranges: bool,
    keys: Keys = (),
) -> Iterator[Axis]:
    """Yield the axes of a table; of one with a mistake what can be used of it.

    Parameters
    ----------
    table : mapping
        As the file has it: lists, or ranges, under nested keys.
    location : Location
        Of the table.
    mistakes : Mistakes
    ranges : bool
        Whether a table {low, high} is a range.
    keys : tuple of str
        The keys above the table.
    """
    for key, value in table.items():
        here = location.at(key)
        together = not keys and key == TOGETHER
        inner: Keys = () if together else (*keys, key)
        path = ".".join(here.keys)
        nested = isinstance(value, Mapping) and not together
        if ranges and nested and ("low" in value or "high" in value):
            drawn = _range(value, here, mistakes)
            yield Axis(inner, path, drawn or [value.get("low", value.get("high"))])
        elif nested:
            yield from read_axes(value, here, mistakes, ranges=ranges, keys=inner)
        elif values := _values(value, together, _expected(together, ranges), here, mistakes):
            if ranges and len(values) > MOST_CHOICES:
                message = f"got {len(values)} values, expected at most {MOST_CHOICES}"
                mistakes.add(here, message)
            yield Axis(inner, path, values[:MOST_CHOICES] if ranges else values)


def alike(value: Any) -> Any:
    """Return a value such that what TOML writes as 2 and as 2.0 is the same."""
    if isinstance(value, Mapping):
        return {key: alike(inner) for key, inner in sorted(value.items())}
    if isinstance(value, list):
        return [alike(inner) for inner in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, str | bool | int | float) else str(value)


def _expected(together: bool, ranges: bool) -> str:
    if together:
        return "a list of at least one table"
    return "a list of at least one value" + (" or a table {low, high}" if ranges else "")


def _values(
    value: Any, together: bool, expected: str, location: Location, mistakes: Mistakes
) -> list[Any]:
    """Return the values to vary over, each once; a value that is no list stands for one."""
    values = value if isinstance(value, list) else [value]
    tables = [one for one in values if isinstance(one, Mapping)]
    if value is not values or not values or (together and len(tables) < len(values)):
        mistakes.add(location, f"got {toml_text(value)}, expected {expected}")
        values = tables if together else values
    distinct: dict[str, Any] = {}
    for one in values:
        text = repr(alike(one))
        if text in distinct:
            mistakes.add(location, f"{toml_text(one)} is listed twice")
        distinct.setdefault(text, one)
    return list(distinct.values())


def _range(value: Mapping[str, Any], location: Location, mistakes: Mistakes) -> RangeSchema | None:
    limits = validated(RangeSchema, value, location, mistakes)
    if limits is None:
        return None
    if not limits.low < limits.high:
        expected = "low < high"
    elif limits.log and not limits.low > 0:
        expected = "low > 0 where log = true"
    elif limits.integer and not (limits.low.is_integer() and limits.high.is_integer()):
        expected = "integers where integer = true"
    elif limits.integer and max(-limits.low, limits.high) > LARGEST_INTEGER:
        expected = f"integers of at most {LARGEST_INTEGER}"
    elif not math.isfinite(limits.high - limits.low):
        expected = "a range that is not wider than any number"
    else:
        return limits
    mistakes.add(location, f"got {toml_text(value)}, expected {expected}")
    return None
