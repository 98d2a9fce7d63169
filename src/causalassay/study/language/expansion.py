"""From one table to many: the product of a grid, or settings drawn at random."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from causalassay.seeding import stream
from causalassay.study.keys import digest
from causalassay.study.language.mistakes import Keys, Mistakes, Origin, Place, shown
from causalassay.study.language.tables import MOST_MEMBERS, RangeTable, validated

TOGETHER = "together"
"""The key of a grid whose elements are tables for the whole, for what varies together."""


@dataclass(frozen=True)
class Member:
    """One of the tables that a table stands for.

    Parameters
    ----------
    table : dict
        Without the grid.
    varied : mapping
        What the grid or the draw put into it.
    origins : mapping
        Where in the file that stands.
    """

    table: dict[str, Any]
    varied: Mapping[Keys, Any]
    origins: Mapping[Keys, Origin]


@dataclass(frozen=True)
class Axis:
    """A key that varies: over a list, or, where it is drawn, also over a range."""

    keys: Keys
    path: str
    values: list[Any] | RangeTable


def expand(base: Mapping[str, Any], grid: Any, place: Place, mistakes: Mistakes) -> list[Member]:
    """Return the product of a grid's lists, each merged into the table.

    Parameters
    ----------
    base : mapping
        The table without its grid.
    grid : mapping
        As the file has it: lists under nested keys.
    place : Place
        Of the grid.
    mistakes : Mistakes

    Examples
    --------
    >>> grid = {"graph": {"n_nodes": [5, 10]}, "model": [{"kind": "scm"}, {"kind": "uumc"}]}
    >>> members = expand({"samples": 9}, grid, Place("problems[0]").at("grid"), Mistakes())
    >>> len(members), members[-1].table
    (4, {'samples': 9, 'graph': {'n_nodes': 10}, 'model': {'kind': 'uumc'}})
    """
    axes = [axis for axis in _axes(grid, place, mistakes, ranges=False) if axis is not None]
    size = math.prod(len(_listed(axis)) for axis in axes)
    if size > MOST_MEMBERS:
        mistakes.add(place, f"its product has {size} members, expected at most {MOST_MEMBERS}")
        return []
    choices = [[(axis, step) for step in range(len(_listed(axis)))] for axis in axes]
    return [
        _member(base, [(axis, _listed(axis)[step], step) for axis, step in choice])
        for choice in itertools.product(*choices)
    ]


def draw_settings(
    base: Mapping[str, Any], ranges: Any, count: int, seed: int, place: Place, mistakes: Mistakes
) -> list[Member]:
    """Return settings drawn at random; a later one changes no earlier one.

    Each key is drawn uniformly and independently of the others. The stream of
    a setting is named by the study's seed, the table and the setting's number.

    Examples
    --------
    >>> ranges = {"samples": {"low": 10, "high": 99, "integer": True}, "graph": {"n_nodes": [5, 9]}}
    >>> place = Place("problems[0]").at("random")
    >>> few = draw_settings({}, ranges, 3, 1, place, Mistakes())
    >>> many = draw_settings({}, ranges, 10, 1, place, Mistakes())
    >>> few == many[:3]
    True
    """
    before = mistakes.noted
    found = [axis for axis in _axes(ranges, place, mistakes, ranges=True) if axis is not None]
    if mistakes.noted > before:
        # One setting is enough to find what else is wrong in the table.
        count = 1
    # In the order of the keys: how the file is laid out shall not change what is drawn.
    axes = sorted(found, key=lambda axis: axis.keys)
    address = digest(_alike({**base, "random": ranges}))
    members = []
    for number in range(count):
        rng = stream(seed, "settings", address, number)
        members.append(_member(base, [(axis, *_draw(axis.values, rng)) for axis in axes]))
    return members


def _axes(
    table: Any, place: Place, mistakes: Mistakes, *, ranges: bool, keys: Keys = ()
) -> Iterator[Axis | None]:
    """Yield what varies; None for an axis with a mistake, which is noted."""
    for key, value in table.items():
        here = place.at(key)
        together = not keys and key == TOGETHER
        inner: Keys = () if together else (*keys, key)
        path = ".".join(here.keys)
        nested = isinstance(value, Mapping) and not together
        if ranges and nested and ("low" in value or "high" in value):
            drawn = _range(value, here, mistakes)
            yield Axis(inner, path, drawn or [value.get("low", value.get("high"))])
        elif nested:
            yield from _axes(value, here, mistakes, ranges=ranges, keys=inner)
        else:
            wanted = _wanted(together, ranges)
            values = _values(value, together, wanted, here, mistakes)
            yield Axis(inner, path, values) if values else None


def _wanted(together: bool, ranges: bool) -> str:
    if together:
        return "a list of at least one table"
    return "a list of at least one value" + (" or a table {low, high}" if ranges else "")


def _values(value: Any, together: bool, wanted: str, here: Place, mistakes: Mistakes) -> list[Any]:
    """Return the values to vary over; where that is no list, the nearest thing to one."""
    values = value if isinstance(value, list) else [value]
    tables = [one for one in values if isinstance(one, Mapping)]
    if value is not values or not values or (together and len(tables) < len(values)):
        mistakes.add(here, f"got {shown(value)}, expected {wanted}")
        values = tables if together else values
    unlike: dict[str, Any] = {}
    for one in values:
        text = repr(_alike(one))
        if text in unlike:
            mistakes.add(here, f"{shown(one)} stands there twice")
        unlike.setdefault(text, one)
    return list(unlike.values())


def _range(value: Mapping[str, Any], here: Place, mistakes: Mistakes) -> RangeTable | None:
    found = validated(RangeTable, value, here, mistakes)
    if found is None:
        return None
    if not found.low < found.high:
        mistakes.add(here, f"got {shown(value)}, expected low < high")
    elif found.log and not found.low > 0:
        mistakes.add(here, f"got {shown(value)}, expected low > 0 where log = true")
    elif found.integer and not (found.low.is_integer() and found.high.is_integer()):
        mistakes.add(here, f"got {shown(value)}, expected integers where integer = true")
    else:
        return found
    return None


def _draw(values: list[Any] | RangeTable, rng: Generator) -> tuple[Any, int | None]:
    """Return a value and, of a list, its place there."""
    if isinstance(values, list):
        step = int(rng.integers(len(values)))
        return values[step], step
    low, high = values.low, values.high
    if values.integer and not values.log:
        return int(rng.integers(int(low), int(high), endpoint=True)), None
    if values.integer:
        return min(int(_log_uniform(low, high + 1, rng)), int(high)), None
    drawn = _log_uniform(low, high, rng) if values.log else rng.uniform(low, high)
    # Six digits: the last bits of a logarithm differ between machines, and keys must not.
    return min(max(float(f"{drawn:.6g}"), low), high), None


def _log_uniform(low: float, high: float, rng: Generator) -> float:
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def _member(base: Mapping[str, Any], chosen: list[tuple[Axis, Any, int | None]]) -> Member:
    table = dict(base)
    varied: dict[Keys, Any] = {}
    origins: dict[Keys, Origin] = {}
    for axis, value, step in chosen:
        table = _merged(table, axis.keys, value)
        element = "" if step is None else f"[{step}]"
        for leaf, inner in _leaves(value):
            varied[axis.keys + leaf] = inner
            inside = element + "".join(f".{key}" for key in leaf)
            origins[axis.keys + leaf] = Origin(axis.path, inside)
    return Member(table, varied, origins)


def _merged(table: Any, keys: Keys, value: Any) -> Any:
    """Return the table with a value put in, tables merged key by key; the old one stays."""
    if keys:
        inner = dict(table) if isinstance(table, Mapping) else {}
        inner[keys[0]] = _merged(inner.get(keys[0]), keys[1:], value)
        return inner
    if isinstance(value, Mapping) and isinstance(table, Mapping):
        whole = dict(table)
        for key, one in value.items():
            whole[key] = _merged(whole.get(key), (), one)
        return whole
    return value


def _leaves(value: Any, keys: Keys = ()) -> Iterator[tuple[Keys, Any]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, (*keys, key))
    else:
        yield keys, value


def _listed(axis: Axis) -> list[Any]:
    return axis.values if isinstance(axis.values, list) else []


def _alike(value: Any) -> Any:
    """Return a value such that what TOML writes as 2 and as 2.0 is the same."""
    if isinstance(value, Mapping):
        return {key: _alike(inner) for key, inner in sorted(value.items())}
    if isinstance(value, list):
        return [_alike(inner) for inner in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, str | bool | int | float) else str(value)
