"""How numbers, intervals, p-values, counts and lists are written, wherever they are written."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from string import Formatter
from types import MappingProxyType
from typing import Any, Literal, cast

UNDEFINED = "–"
"""In place of a number that is undefined."""

SMALLEST_P = 0.001
"""Smaller p-values are written as below it."""

Format = Literal[
    "text",
    "count",
    "fixed1",
    "fixed",
    "fixed3",
    "digits",
    "signed",
    "p-value",
    "percent",
    "share",
    "size",
    "factor",
]
"""How a column writes its values: `FORMATS` has the functions."""


@dataclass(frozen=True)
class Interval:
    """A number and its limits.

    Parameters
    ----------
    value, low, high : float
        Limits that are nan are not known.
    decimals : int, optional
        With how many it is written, where that is not for its column to say.
    """

    value: float
    low: float
    high: float
    decimals: int | None = None

    @property
    def spread(self) -> float:
        """The half-width; of an interval that was cut at 0 or 1, the longer side."""
        return max(self.high - self.value, self.value - self.low)


@dataclass(frozen=True)
class Spread:
    """A mean and its standard deviation, which is nan where it is not known."""

    mean: float
    deviation: float


@dataclass(frozen=True)
class PValue:
    """A p-value.

    Parameters
    ----------
    value : float
        From 0 to 1.
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
    # As a plain float: numpy rounds its own in another way.
    text = f"{float(value):.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


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
    below, number = p_parts(PValue(value, is_bound))
    return f"below {number}" if below else number


def p_parts(p_value: PValue) -> tuple[bool, str]:
    """Tell whether a p-value is below a number, and which number is written.

    Examples
    --------
    >>> p_parts(PValue(0.0234)), p_parts(PValue(0.00004))
    ((False, '0.023'), (True, '0.001'))
    """
    value = p_value.value
    if p_value.is_bound and not math.isnan(value):
        return True, fixed(max(math.ceil(1000 * value) / 1000, SMALLEST_P), 3)
    return value < SMALLEST_P, fixed(max(value, SMALLEST_P), 3)


def percent(share: float, decimals: int = 0) -> str:
    """Return a share in percent.

    Examples
    --------
    >>> percent(0.05), percent(0.0833, 1)
    ('5 %', '8.3 %')
    """
    return UNDEFINED if math.isnan(share) else f"{100 * share:.{decimals}f} %"


def share(value: float) -> str:
    """Return a share in percent; 0 and 100 only where it is none and all of them.

    Examples
    --------
    >>> share(0.5), share(0.999), share(1.0), share(0.001)
    ('50 %', 'above 99 %', '100 %', 'below 1 %')
    """
    if 0 < value <= 0.005:
        return "below 1 %"
    return "above 99 %" if 0.995 <= value < 1 else percent(value)


def size(value: float, below: str = "below ") -> str:
    """Return the size of an effect with three decimals; 0 only where there is none.

    Examples
    --------
    >>> size(0.1234), size(0.0002), size(0.0002, "<"), size(0.0)
    ('0.123', 'below 0.001', '<0.001', '0.000')
    """
    return f"{below}0.001" if 0 < value < 0.0005 else fixed(value, 3)


def interval(value: Interval, show: Callable[[float], str] = fixed) -> str:
    """Return a number and, if they are known, its limits.

    Examples
    --------
    >>> interval(Interval(0.5, 0.25, 0.75)), interval(Interval(0.5, float("nan"), float("nan")))
    ('0.50 [0.25, 0.75]', '0.50')
    """
    return " ".join(interval_parts(value, show))


def interval_parts(value: Interval, show: Callable[[float], str] = fixed) -> list[str]:
    """Return a number and, if they are known, its limits as a text of their own."""
    if value.decimals is not None:
        show = partial(fixed, decimals=value.decimals)
    if any(map(math.isnan, (value.value, value.low, value.high))):
        return [show(value.value)]
    plain = digits if show is signed else show
    return [show(value.value), f"[{plain(value.low)}, {plain(value.high)}]"]


def _factor(value: float) -> str:
    return UNDEFINED if math.isnan(value) else f"{value:.4g}"


def _text(value: object) -> str:
    return UNDEFINED if isinstance(value, float) and math.isnan(value) else str(value)


FORMATS: Mapping[Format, Callable[[Any], str]] = MappingProxyType(
    {
        "text": _text,
        "count": lambda value: fixed(value, 0),
        "fixed1": lambda value: fixed(value, 1),
        "fixed": fixed,
        "fixed3": lambda value: fixed(value, 3),
        "digits": digits,
        "signed": signed,
        "p-value": p_value,
        "percent": percent,
        "share": share,
        "size": size,
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
    >>> formatted(Spread(0.5, 0.125), "fixed"), formatted(Spread(0.5, float("nan")), "fixed")
    ('0.50 ± 0.12', '0.50')
    """
    match value:
        case None:
            text = ""
        case bool():
            text = "yes" if value else "no"
        case str() | PValue():
            text = str(value)
        case Interval():
            text = interval(value, FORMATS[how])
        case Spread():
            known = not math.isnan(value.mean) and not math.isnan(value.deviation)
            parts = (value.mean, value.deviation) if known else (value.mean,)
            text = " ± ".join(FORMATS[how](part) for part in parts)
        case tuple():
            text = " / ".join(formatted(part, how) for part in value)
        case _:
            text = FORMATS[how](value)
    return text


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return so many things.

    Examples
    --------
    >>> counted(1, "file"), counted(2, "file"), counted(0, "class", "classes")
    ('1 file', '2 files', '0 classes')
    """
    return f"{count} {noun if count == 1 else plural or f'{noun}s'}"


def byte_size(size: int) -> str:
    """Return a number of bytes in the unit that fits.

    Examples
    --------
    >>> byte_size(812), byte_size(65536), byte_size(3_200_000)
    ('812 B', '64 kB', '3.1 MB')
    """
    if size < 1024:
        return f"{size} B"
    return f"{size / 1024:.0f} kB" if size < 1024**2 else f"{size / 1024**2:.1f} MB"


def all_of(count: int, noun: str, plural: str = "") -> str:
    """Return that it is all of so many things.

    Examples
    --------
    >>> all_of(3, "file"), all_of(2, "class", "classes"), all_of(1, "file")
    ('all 3 files', 'both classes', 'the one file')
    """
    some = {1: "the one", 2: "both"}.get(count, f"all {count}")
    return f"{some} {noun if count == 1 else plural or f'{noun}s'}"


class _Sentence(Formatter):
    """Fills braces, with the formats of this module beside those of Python."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec in FORMATS:
            return formatted(value, cast(Format, format_spec))
        some, _, noun = format_spec.partition(" ")
        if some in ("all", "All"):
            text = all_of(value, noun)
            return text if some == "all" else f"{text[0].upper()}{text[1:]}"
        if len(format_spec) > 1 and format_spec[0].isalpha():
            return counted(value, format_spec)
        return format(value, format_spec)


def filled(template: str, values: Mapping[str, Any]) -> str:
    """Return a sentence with the values in place of the names in braces.

    After a colon stands a format: one of `FORMATS`, a noun for so many of them, "all" and a noun
    for all of them, or one of Python's.

    Examples
    --------
    >>> filled("{n:file}, {p:p-value}, {part:share}, {x:.1f}", {"n": 1, "p": 1, "part": 1, "x": 1})
    '1 file, 1.000, 100 %, 1.0'
    >>> filled("{n:All file} of {name}", {"n": 2, "name": "a"})
    'Both files of a'
    """
    return _Sentence().vformat(template, (), values)


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
