"""The sizes of a study's problems: tables and findings are of one size, never of several together.

A mean over 10 and 100 nodes is of neither, and depends on how many problems have which. So each
size is summarised and judged as if the study had no other. What was drawn at random, setting by
setting, is one distribution of problems: its sizes stay together, and that is said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from causalassay.analysis.runs import DENSITY, NODES, SAMPLES, Codes
from causalassay.common.spelling import did_you_mean
from causalassay.present.formatting import in_words

SETTING = "setting"
"""The column with the number of a setting that was drawn at random; empty for other problems."""
DRAWN = "drawn"
"""The value of a dimension that settings were drawn with."""
UNSTATED = "none"
"""How an option names the value that a problem does not state."""

Value = float | str | None
"""A number, `DRAWN`, or None where the problem does not state it."""


@dataclass(frozen=True)
class Dimension:
    """What makes a problem large.

    Parameters
    ----------
    letter : str
        Its name in options.
    one, many : str
        Its noun, of one and of several.
    """

    letter: str
    one: str
    many: str


DIMENSIONS: Mapping[str, Dimension] = MappingProxyType(
    {
        NODES: Dimension("d", "node", "nodes"),
        SAMPLES: Dimension("n", "sample", "samples"),
        DENSITY: Dimension("k", "edge per node", "edges per node"),
        "interventions.samples": Dimension(
            "m", "sample per intervention", "samples per intervention"
        ),
        "data.bootstrap": Dimension("b", "row drawn from the file", "rows drawn from the file"),
    }
)
"""By column of the problem, the one that matters most first."""


@dataclass(frozen=True)
class Size:
    """The size of some problems, in the dimensions in which the study's problems differ.

    Parameters
    ----------
    values : tuple of (str, number, str or None)
        Column and value; empty where all problems have one size.
    """

    values: tuple[tuple[str, Value], ...] = ()

    @property
    def name(self) -> str:
        """What tables and sentences call it; empty where all problems have one size.

        Examples
        --------
        >>> Size((("graph.n_nodes", 20), ("graph.edges_per_node", 1))).name
        '20 nodes, 1 edge per node'
        >>> Size((("graph.n_nodes", "drawn"), ("samples", "drawn"))).name
        'nodes and samples drawn at random'
        """
        words = []
        for label, value in self.values:
            if not (value is None or isinstance(value, str)):
                dimension = DIMENSIONS[label]
                noun = dimension.one if value == 1 else dimension.many
                words.append(f"{number_text(value)} {noun}")
        for special, what in ((DRAWN, "drawn at random"), (None, "not stated")):
            if nouns := [
                DIMENSIONS[label].many for label, value in self.values if value == special
            ]:
                words.append(f"{in_words(nouns)} {what}")
        return ", ".join(words)

    @property
    def option(self) -> str:
        """How `--size` names it.

        Examples
        --------
        >>> Size((("graph.n_nodes", 20), ("samples", None))).option
        'd=20,n=none'
        """
        return ",".join(
            f"{DIMENSIONS[label].letter}={_option_text(value)}" for label, value in self.values
        )

    @property
    def slug(self) -> str:
        """Its name in letters, digits and hyphens, for files and anchors."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")

    def without(self, label: str) -> Size:
        """Return the size in all dimensions but one."""
        return Size(tuple(pair for pair in self.values if pair[0] != label))

    def to_dict(self) -> dict[str, Value]:
        """Return the values by column, for JSON."""
        return dict(self.values)

    @property
    def order(self) -> tuple[tuple[float, float], ...]:
        """What sizes are sorted by: by the first dimension first, what is no number last."""
        return tuple(
            (2.0, 0.0) if value is None else (1.0, 0.0) if isinstance(value, str) else (0.0, value)
            for _, value in self.values
        )


def number_text(value: float) -> str:
    """Return a number of nodes, samples or edges as sentences have it.

    Examples
    --------
    >>> number_text(100000.0), number_text(1.5)
    ('100000', '1.5')
    """
    return f"{value:.10g}"


def sizes_of(problems: pd.DataFrame) -> tuple[tuple[Size, ...], Codes]:
    """Return the sizes of problems from small to large, and the index of each row's size.

    Dimensions in which all problems are equal are no part of a size.

    Parameters
    ----------
    problems : DataFrame
        Rows of tasks, of cells or of problems, with those columns of the problem that are known.

    Examples
    --------
    >>> sizes, of_row = sizes_of(pd.DataFrame({"samples": [100, 50, 100], "graph.n_nodes": 20}))
    >>> [size.name for size in sizes], of_row.tolist()
    (['50 samples', '100 samples'], [1, 0, 1])
    """
    drawn = np.zeros(len(problems), dtype=bool)
    if SETTING in problems:
        drawn = problems[SETTING].notna().to_numpy()
    joint, values_of = np.zeros(len(problems), dtype=np.int64), []
    for label in DIMENSIONS:
        if label in problems and is_number(problems[label]):
            codes, values = _encoded(problems[label], drawn)
            if DRAWN in values or len([value for value in values if value is not None]) > 1:
                joint = joint * len(values) + codes
                values_of.append((label, codes, values))
    _, firsts, dense = np.unique(joint, return_index=True, return_inverse=True)
    sizes = [
        Size(tuple((label, values[codes[row]]) for label, codes, values in values_of))
        for row in firsts
    ]
    order = sorted(range(len(sizes)), key=lambda index: sizes[index].order)
    places = np.argsort(order) if order else np.empty(0, dtype=np.int64)
    return tuple(sizes[index] for index in order), places[dense] if len(dense) else dense


def is_number(column: pd.Series[Any]) -> bool:
    """Return whether a column has numbers, and what is not a number is missing."""
    known = column.dropna().infer_objects()
    return len(known) > 0 and is_numeric_dtype(known) and not is_bool_dtype(known)


def _encoded(column: pd.Series[Any], drawn: np.ndarray) -> tuple[Codes, list[Value]]:
    """Return the code of each row's value in one dimension, and the values by code."""
    numbers = column.to_numpy(dtype=float, na_value=np.nan)
    codes, kinds = pd.factorize(numbers, use_na_sentinel=False)
    values: list[Value] = [None if np.isnan(kind) else float(kind) for kind in kinds]
    if len(np.unique(codes[drawn])) > 1:
        codes = np.where(drawn, len(values), codes)
        values.append(DRAWN)
    present = np.unique(codes)
    return np.searchsorted(present, codes), [values[code] for code in present]


def shown_first(sizes: Sequence[Size], of_row: Codes) -> tuple[Size, ...]:
    """Return the sizes in the order of a report: first that with most rows, of these the largest.

    So the first screen is about the most complete size; the others follow from small to large.

    Examples
    --------
    >>> small, large = Size((("samples", 10),)), Size((("samples", 90),))
    >>> [size.name for size in shown_first([small, large], np.array([0, 0, 1, 1]))]
    ['90 samples', '10 samples']
    """
    if not sizes:
        return (Size(),)
    counts = np.bincount(of_row, minlength=len(sizes))

    def rank(index: int) -> tuple[Any, ...]:
        numbers = [
            -1.0 if value is None or isinstance(value, str) else value
            for _, value in sizes[index].values
        ]
        return counts[index], *numbers

    first = max(range(len(sizes)), key=rank)
    return (sizes[first], *(size for index, size in enumerate(sizes) if index != first))


def matching(sizes: Sequence[Size], option: str) -> tuple[Size, ...]:
    """Return those sizes that an option such as ``d=20,n=1000`` names, in their order.

    Examples
    --------
    >>> sizes = [Size((("graph.n_nodes", d), ("samples", n))) for d in (5, 9) for n in (10, 20)]
    >>> [size.name for size in matching(sizes, "nodes=9")]
    ['9 nodes, 10 samples', '9 nodes, 20 samples']
    >>> matching(sizes, "d=7")
    Traceback (most recent call last):
    ValueError: --size d=7: no problems have this size; expected one of d=5,n=10; d=5,n=20; ...
    """
    if not any(size.values for size in sizes):
        raise ValueError(f"--size {option}: all problems have one size; leave the option out")
    wanted = [_read_pair(part, sizes[0], option) for part in option.split(",")]
    of_values = tuple(
        size for size in sizes if all(dict(size.values)[label] == value for label, value in wanted)
    )
    if not of_values:
        known = "; ".join(size.option for size in sizes)
        raise ValueError(f"--size {option}: no problems have this size; expected one of {known}")
    return of_values


def _read_pair(part: str, example: Size, option: str) -> tuple[str, Value]:
    """Return the column and the value that a part of the option names."""
    name, equals, text = (word.strip() for word in part.partition("="))
    labels = {
        word: label
        for label, _ in example.values
        for word in (DIMENSIONS[label].letter, DIMENSIONS[label].many, label)
    }
    if not equals or name not in labels:
        hint = did_you_mean(name, [*labels])
        raise ValueError(f"--size {option}: expected such as {example.option}; {hint}")
    if text in (UNSTATED, DRAWN):
        return labels[name], None if text == UNSTATED else DRAWN
    try:
        return labels[name], float(text)
    except ValueError as error:
        raise ValueError(
            f"--size {option}: expected a number, {UNSTATED} or {DRAWN} after {name}=, got {text!r}"
        ) from error


def _option_text(value: Value) -> str:
    match value:
        case None:
            return UNSTATED
        case str():
            return value
        case _:
            return number_text(value)
