"""What separates the fields of a text table, found in its first lines."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", " ": "blanks"}
"""What may separate fields, and what messages call it; blanks also in runs."""

_BLANKS = re.compile(r'("(?:[^"]|"")*")|[ \t]+')


def find_separator(lines: Sequence[str], usual: str) -> str:
    r"""Return what separates the fields of some lines, the first of which may be a header.

    The usual one, if it divides the first line; else the one that divides all lines into
    equally many fields; the usual one again if there is none: the table has one column. Blanks
    count only where nothing else does, for they often follow a separator.

    Raises
    ------
    ValueError
        If two could be meant.

    Examples
    --------
    >>> find_separator(["a;b", "1,5;2"], ","), find_separator(["1.0  0.0", "0.0  1.0"], ",")
    (';', ' ')
    """
    if not lines or len(fields(lines[0], usual)) > 1:
        return usual
    dividing = [one for one in SEPARATORS if one not in (usual, " ") and _divides(one, lines)]
    if len(dividing) > 1:
        named = " or ".join(SEPARATORS[one] for one in dividing)
        raise ValueError(f"its fields could be separated by {named}; state which")
    if dividing:
        return dividing[0]
    return " " if _divides(" ", lines) else usual


def fields(line: str, separator: str) -> list[str]:
    r"""Return the fields of a line, without blanks before them.

    Examples
    --------
    >>> fields('1.0   "a b"', " ")
    ['1.0', 'a b']
    """
    text = single_blanks(line) if separator == " " else line
    return next(csv.reader([text], delimiter=separator, skipinitialspace=True), [])


def single_blanks(line: str) -> str:
    r"""Return a line with one blank in place of each run of them outside of quotes.

    Examples
    --------
    >>> single_blanks(' 1.0 \t "a  b"\n')
    '1.0 "a  b"'
    """
    return _BLANKS.sub(lambda found: found[1] or " ", line.strip())


def _divides(separator: str, lines: Sequence[str]) -> bool:
    try:
        counts = {len(fields(line, separator)) for line in lines if line.strip()}
    except csv.Error:
        return False
    # R leaves the name of the column of row names out.
    return min(counts) > 1 and (len(counts) == 1 or counts == {min(counts), min(counts) + 1})
