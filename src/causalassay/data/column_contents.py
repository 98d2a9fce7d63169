"""What a column of a table most likely holds: amounts, levels, text, dates, an id, or nothing new.

A guess from the name and the values. It decides what `causalassay check` says and what commands
leave out, never what a value is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from causalassay.data.checks import INDEX_NAMES, LEAST_ROWS_OF_AN_INDEX, has_few_levels, is_index

Content = Literal[
    "amount", "levels", "ordered levels", "text", "date", "id", "constant", "empty", "duplicate"
]
"""What a column is read as."""

IdSign = Literal["", "name", "counts the rows", "all different"]
"""What an id is recognised by."""

MOST_TEXT_LEVELS = 20
"""Different texts of a column of levels; one with more is text."""

LEAST_SHARE_OF_NUMBERS = 0.5
"""A column of text of which so many entries are numbers is one of amounts with mistakes."""

SCALES = (
    ("very low", "low", "medium", "high", "very high"),
    ("very low", "low", "moderate", "high", "very high"),
    ("very low", "low", "normal", "high", "very high"),
    ("none", "mild", "moderate", "severe", "very severe"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("very poor", "poor", "fair", "good", "very good", "excellent"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("xs", "s", "m", "l", "xl", "xxl"),
    ("small", "medium", "large"),
    ("i", "ii", "iii", "iv", "v"),
)
"""Words that have an order, from least to most; a column may have some of them."""


@dataclass(frozen=True)
class ColumnContent:
    """What one column holds.

    Parameters
    ----------
    name : str
    content : Content
        What it is read as.
    n_missing : int
        Entries that are missing.
    first_missing : int, optional
        The row of the first of them; rows count from 0.
    n_infinite : int
    is_text : bool
        Whether its entries are text, not numbers.
    n_odd : int
        Of amounts: entries that are no number.
    odd : str
        The first of them.
    odd_row : int
        Its row.
    n_distinct : int
        Different entries, without missing ones.
    levels : tuple
        Of levels: all, in their order; of other text, the first entry; else empty.
    smallest, largest : float
        Of numbers; nan where there is none.
    is_sorted : bool
        Of dates: whether no row is earlier than the one before it.
    id_sign : IdSign
        Of an id: what it is recognised by.
    copy_of : str
        Of a duplicate: the column before it that has the same entries.

    Examples
    --------
    >>> import numpy as np
    >>> sexes = np.array(["f", "m"] * 5, dtype=object)
    >>> describe_column("sex", sexes).content, describe_column("patient_id", sexes).content
    ('levels', 'id')
    """

    name: str
    content: Content
    n_missing: int = 0
    first_missing: int | None = None
    n_infinite: int = 0
    is_text: bool = False
    n_odd: int = 0
    odd: str = ""
    odd_row: int = 0
    n_distinct: int = 0
    levels: tuple[str | float, ...] = ()
    smallest: float = float("nan")
    largest: float = float("nan")
    is_sorted: bool = False
    id_sign: IdSign = ""
    copy_of: str = ""


def describe_column(name: str, column: NDArray[Any]) -> ColumnContent:
    """Return what a column holds.

    Parameters
    ----------
    name : str
    column : ndarray, shape (n,)
        Floats with nan where a value is missing, or text with None, as tables are loaded.
    """
    describe = _describe_text if column.dtype == object else _describe_numbers
    return describe(name, column)


def copies(columns: Mapping[str, NDArray[Any]]) -> dict[str, str]:
    """Return the columns that equal one before them, with its name; missing equals missing.

    Examples
    --------
    >>> copies({"a": np.array([1.0, 2.0]), "b": np.array([1.0, 2.0]), "c": np.zeros(2)})
    {'b': 'a'}
    """
    first: dict[object, str] = {}
    equal = {}
    for name, column in columns.items():
        is_text = column.dtype == object
        # + 0.0: minus zero equals zero.
        key = tuple(column.tolist()) if is_text else (column + 0.0).tobytes()
        if key in first:
            equal[name] = first[key]
        first.setdefault(key, name)
    return equal


# Columns of numbers.


def _describe_numbers(name: str, column: NDArray[Any]) -> ColumnContent:
    missing = np.isnan(column)
    values = column[~missing]
    facts: dict[str, Any] = _missing_facts(missing)
    if values.size == 0:
        return ColumnContent(name, "empty", **facts)
    distinct = np.unique(values)
    facts |= {
        "n_infinite": int(np.isinf(values).sum()),
        "n_distinct": len(distinct),
        "smallest": float(distinct[0]),
        "largest": float(distinct[-1]),
    }
    if len(distinct) == 1:
        return ColumnContent(name, "constant", **facts)
    if sign := _numeric_id_sign(name, column, distinct):
        return ColumnContent(name, "id", **facts, id_sign=sign)
    if has_few_levels(values):
        return ColumnContent(name, "levels", **facts, levels=tuple(distinct.tolist()))
    return ColumnContent(name, "amount", **facts)


def _numeric_id_sign(name: str, column: NDArray[Any], distinct: NDArray[Any]) -> IdSign:
    if not bool((distinct == np.floor(distinct)).all()):
        return ""
    if name.strip().casefold() in INDEX_NAMES or is_id_name(name):
        return "name"
    return "counts the rows" if is_index("", column) else ""


# Columns of text.


def _describe_text(name: str, column: NDArray[Any]) -> ColumnContent:
    entries = [None if entry is None else entry.strip() or None for entry in column.tolist()]
    missing = np.array([entry is None for entry in entries])
    facts: dict[str, Any] = _missing_facts(missing)
    counts = Counter(entry for entry in entries if entry is not None)
    n = counts.total()
    if n == 0:
        return ColumnContent(name, "empty", **facts)
    facts |= {"is_text": True, "n_distinct": len(counts), "levels": tuple(counts)[:1]}
    if len(counts) == 1:
        return ColumnContent(name, "constant", **facts)
    are_dates, in_order = _date_order(counts, [entry for entry in entries if entry is not None])
    if are_dates:
        return ColumnContent(name, "date", **facts, is_sorted=in_order)
    if sign := _text_id_sign(name, counts):
        return ColumnContent(name, "id", **facts, id_sign=sign)
    return ColumnContent(name, **facts | _words(entries, counts))


def _words(entries: list[str | None], counts: Counter[str]) -> dict[str, Any]:
    """Return what a column of text holds that is neither dates nor an id, and its levels."""
    odd = [text for text in counts if not _is_number(text)]
    n_odd = sum(counts[text] for text in odd)
    if n_odd < counts.total() * LEAST_SHARE_OF_NUMBERS:
        first = {"odd": odd[0], "odd_row": entries.index(odd[0])} if odd else {}
        return {"content": "amount", "n_odd": n_odd, "levels": (), **first}
    if len(counts) > MOST_TEXT_LEVELS or 2 * len(counts) > counts.total():
        return {"content": "text"}
    if ordered := _in_order(counts):
        return {"content": "ordered levels", "levels": ordered}
    return {"content": "levels", "levels": tuple(sorted(counts))}


def _missing_facts(missing: NDArray[np.bool_]) -> dict[str, Any]:
    n_missing = int(missing.sum())
    return {
        "n_missing": n_missing,
        "first_missing": int(missing.argmax()) if n_missing else None,
    }


_DECIMAL_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?", re.ASCII)


def _is_number(text: str) -> bool:
    return _DECIMAL_NUMBER.fullmatch(text) is not None


# Ids.

_ID_WORDS = {"id", "uuid", "guid", "identifier"}
_ID_NAMES = {
    "subject", "patient", "participant", "respondent", "proband", "barcode", "record",
    "rowname", "rownames", "sample name", "subject no", "patient no",
}  # fmt: skip
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_CODE = re.compile(r"[A-Za-z]*[-_.:/]?\d[A-Za-z0-9_.:/-]*", re.ASCII)


def is_id_name(name: str) -> bool:
    """Tell whether a column is called as those are that name what a row belongs to.

    Examples
    --------
    >>> [is_id_name(name) for name in ("patient_id", "sampleID", "subject", "acid", "ID1")]
    [True, True, True, False, False]
    """
    words = re.sub(r"([a-z])(?=I[Dd]$)", r"\1 ", name.strip())
    words = " ".join(re.split(r"[\s_.-]+", words)).casefold()
    parts = words.split(" ")
    return words in _ID_NAMES or parts[0] in _ID_WORDS or parts[-1] in _ID_WORDS


def _text_id_sign(name: str, counts: Counter[str]) -> IdSign:
    if is_id_name(name) or name.strip().casefold() in INDEX_NAMES:
        return "name"
    all_different = len(counts) == counts.total() >= LEAST_ROWS_OF_AN_INDEX
    codes = all(_UUID.fullmatch(text) or _CODE.fullmatch(text) for text in counts)
    numbers = all(map(_is_number, counts))
    return "all different" if all_different and codes and not numbers else ""


# Dates.

_TIME = r"(?:[T ]+(?P<time>\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s*(?:Z|UTC|[+-]\d{2}:?\d{2})?)?"
_DATE_FORMS = (
    re.compile(r"(?P<year>\d{4})([-/.])(?P<month>\d{1,2})\2(?P<day>\d{1,2})" + _TIME, re.ASCII),
    re.compile(r"(?P<day>\d{1,2})([-/.])(?P<month>\d{1,2})\2(?P<year>\d{4})" + _TIME, re.ASCII),
    re.compile(r"(?P<month>\d{1,2})([-/.])(?P<day>\d{1,2})\2(?P<year>\d{4})" + _TIME, re.ASCII),
    re.compile(r"(?P<year>\d{4})-(?P<month>\d{2})", re.ASCII),
)


def _date_order(texts: Counter[str], entries: list[str]) -> tuple[bool, bool]:
    """Tell whether texts are dates, all in one form, and whether the entries are in their order.

    What 1/2/2024 means is not known; it is in order if one of its meanings is.
    """
    moments = [form for form in map(partial(_moments, texts), _DATE_FORMS) if form]
    in_order = (
        all(order[one] <= order[next_one] for one, next_one in pairwise(entries))
        for order in moments
    )
    return bool(moments), any(in_order)


def _moments(texts: Iterable[str], form: re.Pattern[str]) -> dict[str, tuple[date, list[float]]]:
    """Return the day and time that each text is; empty if one is not of this form."""
    moments = {}
    for text in texts:
        match = form.fullmatch(text)
        if match is None:
            return {}
        parts = match.groupdict(default="0")
        try:
            day = date(int(parts["year"]), int(parts["month"]), int(parts.get("day", 1)))
        except ValueError:
            return {}
        moments[text] = day, [float(part) for part in parts.get("time", "0").split(":")]
    return moments


# Levels with an order.

_RANGE = re.compile(
    r"(?:under |<=? ?|up to )?(\d+)(?: ?[-–] ?\d+|\+| and over| or more)?", re.ASCII
)


def _in_order(texts: Counter[str]) -> tuple[str, ...]:
    """Return levels in the order that their words have; empty if they have none."""
    if len(texts) < 3:  # two have no order that changes anything
        return ()
    by_word = {text.casefold().replace("_", " "): text for text in texts}
    for scale in SCALES:
        if by_word.keys() <= set(scale):
            return tuple(by_word[word] for word in scale if word in by_word)
    starts = {text: _RANGE.fullmatch(text) for text in texts}
    if all(starts.values()):
        return tuple(sorted(texts, key=_start))
    return ()


def _start(text: str) -> tuple[int, bool]:
    """Return where a range of numbers starts; "<18" comes before "18-29"."""
    number = re.search(r"\d+", text)
    return int(number.group()) if number else 0, text[:1].isdigit()
