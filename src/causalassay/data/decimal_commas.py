"""Numbers with a decimal comma, in files whose fields are not separated by commas."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from causalassay.spelling import shown

_WITH_COMMA = re.compile(r"[+-]?\d+(,\d+)?([eE][+-]?\d+)?", re.ASCII)
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)


def columns_with_commas(columns: Mapping[str, Sequence[str | None]], where: str) -> list[str]:
    """Return the columns whose numbers have a decimal comma, or raise if it may mean thousands.

    Parameters
    ----------
    columns : mapping of str to sequence of str
        The entries of the columns that are no numbers with a point; None is missing.
    where : str

    Examples
    --------
    >>> columns_with_commas({"a": ["1,5", "2"], "b": ["x", "1,5"]}, "t.csv")
    ['a']
    >>> columns_with_commas({"a": ["1,500", "2,250"]}, "t.csv")
    Traceback (most recent call last):
    ValueError: t.csv: column 'a' holds '1,500', where the comma may be a decimal one or ...
    """
    found = {
        name: [text for text in entries if text is not None]
        for name, entries in columns.items()
        if all(text is None or _WITH_COMMA.fullmatch(text) for text in entries)
    }
    with_comma = {name: [one for one in texts if "," in one] for name, texts in found.items()}
    with_comma = {name: texts for name, texts in with_comma.items() if texts}
    every = [text for texts in with_comma.values() for text in texts]
    if every and all(map(_THOUSANDS.fullmatch, every)):
        name, texts = next(iter(with_comma.items()))
        raise ValueError(
            f"{where}: column {name!r} holds {shown(texts[0])}, where the comma may be a decimal "
            "one or divide thousands; write the numbers with a point"
        )
    return list(with_comma)
