"""From one table to many: the product of a grid, or settings drawn at random."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from causalassay.common.seeding import stream
from causalassay.study.keys import digest
from causalassay.study.language.grids import Axis, alike, read_axes
from causalassay.study.language.mistakes import Keys, Location, Mistakes, Origin
from causalassay.study.language.tables import MOST_MEMBERS, RangeSchema

Setting = Sequence[tuple[Axis, Any, int | None]]
"""A value for each axis, with its index in the axis's list."""

_TRIED = 5
"""Settings in which a value that was not drawn is tried."""


@dataclass(frozen=True)
class Member:
    """One of the tables that a grid, or settings drawn at random, make of a table.

    Parameters
    ----------
    table : dict
        Without the grid.
    varied : mapping
        What the grid or the draw put into it.
    origins : mapping
        Where the file states that.
    chosen : sequence
        The same, axis by axis.
    """

    table: dict[str, Any]
    varied: Mapping[Keys, Any]
    origins: Mapping[Keys, Origin]
    chosen: Setting = ()


def expand(
    base: Mapping[str, Any], grid: Any, location: Location, mistakes: Mistakes
) -> list[Member]:
    """Return the product of a grid's lists, each merged into the table.

    Parameters
    ----------
    base : mapping
        The table without its grid.
    grid : mapping
        As the file has it: lists under nested keys.
    location : Location
        Of the grid.
    mistakes : Mistakes

    Examples
    --------
    >>> grid = {"graph": {"n_nodes": [5, 10]}, "model": [{"kind": "scm"}, {"kind": "uumc"}]}
    >>> members = expand({"samples": 9}, grid, Location("problems[0]").at("grid"), Mistakes())
    >>> len(members), members[-1].table
    (4, {'samples': 9, 'graph': {'n_nodes': 10}, 'model': {'kind': 'uumc'}})
    """
    axes = list(read_axes(grid, location, mistakes, ranges=False))
    size = math.prod(len(axis.listed) for axis in axes)
    if size > MOST_MEMBERS:
        mistakes.add(location, f"its product has {size} members, expected at most {MOST_MEMBERS}")
        return []
    choices = [[(axis, value, step) for step, value in enumerate(axis.listed)] for axis in axes]
    return [_member(base, list(choice)) for choice in itertools.product(*choices)]


def draw_settings(
    base: Mapping[str, Any],
    ranges: Any,
    count: int,
    seed: int,
    location: Location,
    mistakes: Mistakes,
) -> list[Member]:
    """Return settings drawn at random; a later one changes no earlier one.

    Each key is drawn uniformly and independently of the others. The stream of
    a setting is named by the study's seed, the table and the setting's number.

    Examples
    --------
    >>> ranges = {"samples": {"low": 10, "high": 99, "integer": True}, "graph": {"n_nodes": [5, 9]}}
    >>> location = Location("problems[0]").at("random")
    >>> few = draw_settings({}, ranges, 3, 1, location, Mistakes())
    >>> many = draw_settings({}, ranges, 10, 1, location, Mistakes())
    >>> few == many[:3]
    True
    """
    before = mistakes.noted
    # In the order of the keys: the layout of the file must not change what is drawn.
    axes = sorted(read_axes(ranges, location, mistakes, ranges=True), key=lambda axis: axis.keys)
    if mistakes.noted > before:
        # One setting is enough to find what else is wrong in the table.
        count = 1
    address = digest(alike({**base, "random": ranges}))
    members = []
    for number in range(count):
        rng = stream(seed, "settings", address, number)
        members.append(_member(base, [(axis, *_draw(axis.values, rng)) for axis in axes]))
    return members


def could_be_drawn(base: Mapping[str, Any], drawn: Sequence[Member]) -> Iterator[list[Member]]:
    """Yield, for each value that could have been drawn and was not, some members that have it.

    Of a list these values are the elements, of a range its ends. The other keys are as in the
    first settings: a value that fits none of them is a mistake, one that fits some is not.
    """
    first = drawn[:_TRIED]
    for place, (axis, _, _) in enumerate(first[0].chosen if first else ()):
        known = {one.chosen[place][2] for one in drawn}
        for value, step in _possible(axis.values):
            if step is None or step not in known:
                yield [_member(base, _replaced(one.chosen, place, value, step)) for one in first]


def _replaced(chosen: Setting, place: int, value: Any, step: int | None) -> Setting:
    changed = list(chosen)
    changed[place] = (chosen[place][0], value, step)
    return changed


def _possible(values: list[Any] | RangeSchema) -> list[tuple[Any, int | None]]:
    if isinstance(values, list):
        return [(value, step) for step, value in enumerate(values)]
    if values.integer:
        return [(int(values.low), None), (int(values.high), None)]
    # The very ends have probability 0, and some parameters allow all but these.
    margin = (values.high - values.low) * 1e-6
    return [(values.low + margin, None), (values.high - margin, None)]


def _draw(values: list[Any] | RangeSchema, rng: Generator) -> tuple[Any, int | None]:
    """Return a value and, for a list, its index there."""
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


def _member(base: Mapping[str, Any], chosen: Setting) -> Member:
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
    return Member(table, varied, origins, chosen)


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
