"""From one table to many, by a grid or by settings drawn at random, and what each is called."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from numpy.random import Generator

from causalassay.common.definitions import names_file
from causalassay.common.registry import parameters
from causalassay.common.seeding import stream
from causalassay.common.spelling import cut, visible
from causalassay.graphs.sources import GRAPHS
from causalassay.study.keys import digest
from causalassay.study.language.mistakes import Keys, Location, Mistakes, Origin, toml_text
from causalassay.study.language.tables import (
    LARGEST_INTEGER,
    MOST_CHOICES,
    MOST_MEMBERS,
    RangeSchema,
    validated,
)

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
    tables = [element for element in values if isinstance(element, Mapping)]
    if value is not values or not values or (together and len(tables) < len(values)):
        mistakes.add(location, f"got {toml_text(value)}, expected {expected}")
        values = tables if together else values
    distinct: dict[str, Any] = {}
    for element in values:
        text = repr(alike(element))
        if text in distinct:
            mistakes.add(location, f"{toml_text(element)} is listed twice")
        distinct.setdefault(text, element)
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


# From one table to many: the product of a grid, or settings drawn at random.

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
    for number, (axis, _, _) in enumerate(first[0].chosen if first else ()):
        known = {member.chosen[number][2] for member in drawn}
        for value, step in _possible(axis.values):
            if step is None or step not in known:
                yield [
                    _member(base, _replaced(member.chosen, number, value, step)) for member in first
                ]


def _replaced(chosen: Setting, number: int, value: Any, step: int | None) -> Setting:
    changed = list(chosen)
    changed[number] = (chosen[number][0], value, step)
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
        for key, inner in value.items():
            whole[key] = _merged(whole.get(key), (), inner)
        return whole
    return value


def _leaves(value: Any, keys: Keys = ()) -> Iterator[tuple[Keys, Any]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, (*keys, key))
    else:
        yield keys, value


# The names of problems and algorithms, and the labels that rows are grouped by.

Label = str | float | int | bool


def value_text(value: Any) -> str:
    """Return a value as names have it: short, and different for different values.

    Examples
    --------
    >>> value_text(0.1), value_text(2.0), value_text([0.5, 2]), value_text({"df": 4})
    ('0.1', '2', '0.5–2', 'df=4')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        short = f"{value:g}"
        return short if float(short) == value else repr(value)
    if isinstance(value, Mapping) and "family" in value:
        rest = {key: inner for key, inner in value.items() if key != "family"}
        return f"{value['family']} {value_text(rest)}".strip()
    if isinstance(value, Mapping):
        return " ".join(f"{key}={value_text(inner)}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        numbers = len(value) == 2 and all(isinstance(element, int | float) for element in value)
        return ("–" if numbers else "+").join(value_text(element) for element in value)
    return cut(visible(str(value)))


def suffix(varied: Mapping[Keys, Any], known: Collection[Keys] = ()) -> str:
    """Return what varies as words, without the keys that the name has already.

    Examples
    --------
    >>> suffix({("graph", "n_nodes"): 10, ("model", "kind"): "iscm"})
    'n_nodes=10 iscm'
    """
    named = {keys: value for keys, value in varied.items() if keys not in known and keys}
    last = [keys[-1] for keys in named]
    words = []
    for keys, value in named.items():
        key = ".".join(keys) if last.count(keys[-1]) > 1 else keys[-1]
        text = value_text(value) or "none"
        words.append(text if keys[-1] == "kind" else f"{key}={text}")
    return " ".join(words)


def problem_name(table: Mapping[str, Any], varied: Mapping[Keys, Any]) -> str:
    """Return the default name: the family, its size, the model, and what else varies.

    Examples
    --------
    >>> graph = {"kind": "erdos-renyi", "n_nodes": 20, "edges_per_node": 2}
    >>> varied = {("model", "kind"): "iscm", ("samples",): 100}
    >>> problem_name({"graph": graph, "model": {"kind": "iscm"}}, varied)
    'erdos-renyi-20-2 iscm samples=100'
    >>> problem_name({"graph": graph, "model": {"kind": "iscm", "mechanism": "gp"}}, {})
    'erdos-renyi-20-2 gp iscm'
    """
    if isinstance(network := table.get("network"), str):
        return f"{visible(PurePath(network).stem)} {suffix(varied, {('network',)})}".strip()
    if isinstance(data := table.get("data"), Mapping):
        stem = visible(PurePath(str(data.get("file", "data"))).stem)
        if isinstance(files := data.get("files"), str):
            stem = folder_name(files) or "data"
        words = [stem, suffix(varied, {("data", "file"), ("data", "files")})]
        return " ".join(word for word in words if word)
    graph, model = (
        part if isinstance(part := table.get(key), Mapping) else {} for key in ("graph", "model")
    )
    family = _kind_name(graph.get("kind", "graph"))
    sizes = _sizes(str(graph.get("kind")))
    size = [value_text(graph[key]) for key in sizes if key in graph]
    known = {("graph", key) for key in ("kind", *sizes)} | {("model", "kind")}
    mechanism = str(model.get("mechanism", "linear"))
    if mechanism != "linear":
        known.add(("model", "mechanism"))
    words = [
        "-".join([family, *size]),
        "" if mechanism == "linear" else mechanism,
        _kind_name(model.get("kind", "model")),
        suffix(varied, known),
    ]
    return " ".join(word for word in words if word)


def _kind_name(kind: Any) -> str:
    """Return what a kind is called: of one in a Python file the class."""
    return kind.rpartition(":")[2] if names_file(kind) else str(kind)


def folder_name(stated: str) -> str:
    """Return what a folder, or that of a pattern, is called; empty if it is the study's own.

    Examples
    --------
    >>> folder_name("../benchmarks/alarm/"), folder_name("alarm/*.csv"), folder_name("*.csv")
    ('alarm', 'alarm', '')
    """
    path = PurePath(stated)
    name = path.parent.name if is_pattern(path.name) else path.name
    return "" if name == ".." else visible(name)


def is_pattern(name: str) -> bool:
    """Return whether a file's name stands for many."""
    return any(letter in name for letter in "*?[")


def problem_labels(table: Mapping[str, Any]) -> dict[str, Label]:
    """Return everything the table states, flat and plain.

    Examples
    --------
    >>> problem_labels({"samples": 9, "model": {"kind": "scm", "noise_sd": [0.5, 2.0]}})
    {'samples': 9, 'model.kind': 'scm', 'model.noise_sd': '0.5–2'}
    """
    labels: dict[str, Label] = {}
    for key, value in table.items():
        if not isinstance(value, Mapping):
            labels[key] = _label(value)
            continue
        for name, inner in value.items():
            labels[f"{key}.{name}"] = _label(inner)
    for key in ("data.file", "data.graph", "network"):
        if key in labels:
            labels[key] = PurePath(str(labels[key])).name
    for key in ("data.files", "data.graphs"):
        if key in labels:
            labels[key] = folder_name(str(labels[key]))
    return labels


def _label(value: Any) -> Label:
    return value if isinstance(value, bool | int | float) else value_text(value)


def _sizes(family: str) -> list[str]:
    """Return the fields of a family that have no default."""
    if names_file(family):
        return ["n_nodes"]
    if family not in GRAPHS:
        return []
    return [name for name, default in parameters(GRAPHS[family]).items() if default == "required"]
