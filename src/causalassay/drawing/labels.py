"""How wide a name is in a drawing, and how a long one is cut."""

from __future__ import annotations

import unicodedata

LETTER = 7.2
"""Width of a letter in pixels, generous for a sans-serif font of 12 pixels."""
MOST_LETTERS = 18


def width(label: str) -> float:
    """Return about how many pixels a label takes.

    Examples
    --------
    >>> width("abc") < width("漢字漢")
    True
    """
    return LETTER * sum(map(_letters, label))


def shortened(name: str) -> str:
    """Return a name without its middle where it is long: its ends tell it from others.

    Examples
    --------
    >>> shortened("expression of gene A"), shortened("gene A")
    ('expressi…of gene A', 'gene A')
    """
    if sum(map(_letters, name)) <= MOST_LETTERS:
        return name
    head = _cut(name, MOST_LETTERS // 2 - 1)
    tail = _cut(name[::-1], MOST_LETTERS // 2)[::-1]
    return f"{head}…{tail}"


def _cut(text: str, most: int) -> str:
    """Return as much of the beginning of a text as fits into so many letters."""
    taken = 0
    for index, letter in enumerate(text):
        taken += _letters(letter)
        if taken > most:
            return text[:index]
    return text


def _letters(letter: str) -> int:
    """Return 2 for a letter of double width, as Chinese ones are, else 1."""
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
