"""Markdown from plain values: nothing that comes from a file is more than text in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from causalassay.spelling import visible

_SIGNS = re.compile(r"([\\`*\[\]|])")


def escaped(text: str) -> str:
    r"""Return text that a Markdown page shows as it is, on one line.

    Examples
    --------
    >>> print(escaped("a|b <script> ![x](y) var_sortability"))
    a\|b &lt;script> !\[x\](y) var_sortability
    """
    return _SIGNS.sub(r"\\\1", visible(text).replace("&", "&amp;").replace("<", "&lt;"))


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    r"""Yield the lines of a table; every cell is text.

    Examples
    --------
    >>> print("\n".join(table(["a", "b"], [["1", "x|y"]])))
    | a | b |
    |---|---|
    | 1 | x\|y |
    """
    yield _line(heads)
    yield "|" + "---|" * len(heads)
    yield from map(_line, rows)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(escaped, cells))} |"
