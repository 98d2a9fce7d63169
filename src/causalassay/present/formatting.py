"""How numbers, intervals, p-values, counts and lists are written, wherever they are written."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

UNDEFINED = "–"
"""In place of a number that is undefined."""

SMALLEST_P = 0.001
"""Smaller p-values are written as below it."""

Format = Literal[
    "text", "count", "fixed1", "fixed", "fixed3", "digits", "signed", "p-value", "percent", "factor"
]
"""How a column writes its values: `FORMATS` has the functions."""


@dataclass(frozen=True)
class Interval:
    """A number and its limits.

    Parameters
    ----------
    value, low, high : float
        Limits that are nan are not known.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class PValue:
    """A p-value.

    Parameters
    ----------
    value : float
    is_bound : bool
        Whether more random draws would make it smaller: it is then written as a bound.
    """

    value: float
    is_bound: bool = False

    def __str__(self) -> str:
        return p_value(self.value, is_bound=self.is_bound)

    def __format__(self, spec: str) -> str:
        return str(self)


def fixed(value: float, decimals: int = 2) -> str:
    """Return a number with so many decimals, never -0.00; a dash where it is undefined.

    Examples
    --------
    >>> fixed(0.125), fixed(-0.001), fixed(float("nan"))
    ('0.12', '0.00', '–')
    """
    if math.isnan(value):
        return UNDEFINED
    return f"{round(value, decimals) + 0.0 if math.isfinite(value) else value:.{decimals}f}"


def digits(value: float) -> str:
    """Return a number with three digits or so.

    Examples
    --------
    >>> digits(0.123), digits(12.34), digits(1234.5), digits(-0.001), digits(float("nan"))
    ('0.12', '12.3', '1234', '0.00', '–')
    """
    size = abs(value)
    return fixed(value, 0 if size >= 100 else 1 if size >= 10 else 2)


def signed(value: float) -> str:
    """Return a difference, with its sign.

    Examples
    --------
    >>> signed(0.123), signed(-2.0), signed(float("nan"))
    ('+0.12', '-2.00', '–')
    """
    return f"{'+' if value >= 0 else ''}{digits(value)}"


def p_value(value: float, *, is_bound: bool = False) -> str:
    """Return a p-value with three decimals; a small one, or a bound, as below some number.

    Examples
    --------
    >>> p_value(0.0234), p_value(0.00004), p_value(1 / 701, is_bound=True)
    ('0.023', 'below 0.001', 'below 0.002')
    """
    if is_bound:
        return f"below {math.ceil(1000 * value) / 1000:.3f}"
    return f"below {SMALLEST_P}" if value < SMALLEST_P else fixed(value, 3)


def percent(share: float, decimals: int = 0) -> str:
    """Return a share in percent.

    Examples
    --------
    >>> percent(0.05), percent(0.0833, 1)
    ('5 %', '8.3 %')
    """
    return UNDEFINED if math.isnan(share) else f"{100 * share:.{decimals}f} %"


def interval(value: Interval, show: Callable[[float], str] = fixed) -> str:
    """Return a number and, if they are known, its limits.

    Examples
    --------
    >>> interval(Interval(0.5, 0.25, 0.75)), interval(Interval(0.5, float("nan"), float("nan")))
    ('0.50 [0.25, 0.75]', '0.50')
    """
    if math.isnan(value.value) or math.isnan(value.low):
        return show(value.value)
    plain = digits if show is signed else show
    return f"{show(value.value)} [{plain(value.low)}, {plain(value.high)}]"


def _factor(value: float) -> str:
    return UNDEFINED if math.isnan(value) else f"{value:.4g}"


FORMATS: Mapping[Format, Callable[[Any], str]] = MappingProxyType(
    {
        "text": str,
        "count": lambda value: fixed(value, 0),
        "fixed1": lambda value: fixed(value, 1),
        "fixed": fixed,
        "fixed3": lambda value: fixed(value, 3),
        "digits": digits,
        "signed": signed,
        "p-value": p_value,
        "percent": percent,
        "factor": _factor,
    }
)
"""The function of each format."""


def formatted(value: object, how: Format = "text") -> str:
    """Return the value of a cell as text; None as nothing.

    Examples
    --------
    >>> formatted(0.5, "fixed"), formatted(None), formatted(Interval(1, 0, 2), "count")
    ('0.50', '', '1 [0, 2]')
    >>> formatted(PValue(0.0005)), formatted((0.25, 0.5), "fixed"), formatted(True)
    ('below 0.001', '0.25 / 0.50', 'yes')
    """
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case str() | PValue():
            return str(value)
        case Interval():
            return interval(value, FORMATS[how])
        case tuple():
            return " / ".join(formatted(part, how) for part in value)
        case _:
            return FORMATS[how](value)


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return so many things.

    Examples
    --------
    >>> counted(1, "file"), counted(2, "file"), counted(0, "class", "classes")
    ('1 file', '2 files', '0 classes')
    """
    return f"{count} {noun if count == 1 else plural or f'{noun}s'}"


def in_words(parts: Sequence[str], last: str = "and") -> str:
    """Return the parts as an enumeration.

    Examples
    --------
    >>> in_words(["a", "b", "c"]), in_words(["a", "b"], "or"), in_words(["a"]), in_words([])
    ('a, b and c', 'a or b', 'a', '')
    """
    return f" {last} ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def few(names: Sequence[str], most: int, more: str = "more") -> str:
    """Return at most so many names, and how many more there are.

    Examples
    --------
    >>> few(["a", "b"], 2), few(["a", "b", "c"], 2)
    ('a and b', 'a, b and 1 more')
    """
    left = len(names) - most
    return in_words(names if left <= 0 else [*names[:most], f"{left} {more}"])


def as_sentence(phrase: str) -> str:
    """Return a phrase with a capital and a full stop; nothing of nothing.

    Examples
    --------
    >>> as_sentence("other units cure it"), as_sentence("")
    ('Other units cure it.', '')
    """
    return f"{phrase[0].upper()}{phrase[1:]}." if phrase else ""


def shortened(text: str, most: int) -> str:
    """Return a text cut to so many letters.

    Examples
    --------
    >>> shortened("abcdef", 4), shortened("abc", 4)
    ('abc…', 'abc')
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"
