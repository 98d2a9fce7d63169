"""HTML fragments for notebooks: tables and texts, with everything that comes in escaped."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence

MOST_LETTERS = 120
"""Of a cell; a longer text is cut, since a fragment is an overview and not the data."""

_CELL = "padding:1px 10px;text-align:{};white-space:{}"


def escaped(text: object) -> str:
    """Return a text that HTML and SVG show as it is, and never read as markup.

    What cannot be printed (line ends, control characters, marks that turn the
    direction of writing) becomes U+FFFD: XML allows few of them.

    Examples
    --------
    >>> escaped("<script>")
    '&lt;script&gt;'
    """
    letters = (
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in str(text)
    )
    return html.escape("".join(letters))


def number(value: float, decimals: int = 2) -> str:
    """Return a number as text, and a dash where it is undefined.

    Examples
    --------
    >>> number(0.125), number(float("nan"))
    ('0.12', '–')
    """
    return "–" if math.isnan(value) else f"{value:.{decimals}f}"


def with_interval(value: float, low: float, high: float, decimals: int = 2) -> str:
    """Return a number and its limits as text.

    Examples
    --------
    >>> with_interval(0.5, 0.25, 0.75)
    '0.50 [0.25, 0.75]'
    """
    if math.isnan(value):
        return "–"
    return f"{number(value, decimals)} [{number(low, decimals)}, {number(high, decimals)}]"


def table(rows: Iterable[Sequence[object]], header: Sequence[str] = (), caption: str = "") -> str:
    """Return an HTML table whose cells are text, whatever they hold.

    Examples
    --------
    >>> "<td" in table([["<b>", 1]]), "<b>" in table([["<b>", 1]])
    (True, False)
    """
    parts = [_caption(caption)] if caption else []
    if header:
        parts.append(f"<thead>{_row(header, 'th')}</thead>")
    parts.append(f"<tbody>{''.join(_row(row, 'td') for row in rows)}</tbody>")
    return f'<table style="border-collapse:collapse;margin:0.4em 0">{"".join(parts)}</table>'


def paragraph(text: object) -> str:
    """Return a paragraph of escaped text.

    Examples
    --------
    >>> paragraph("1 < 2")
    '<p style="margin:0.4em 0">1 &lt; 2</p>'
    """
    return f'<p style="margin:0.4em 0">{escaped(text)}</p>'


def fragment(*parts: str) -> str:
    """Return the parts in one block that scrolls sideways where it is wider than the page."""
    return f'<div style="overflow-x:auto">{"".join(parts)}</div>'


def _caption(text: str) -> str:
    style = "caption-side:top;text-align:left;font-weight:bold"
    return f'<caption style="{style}">{escaped(text)}</caption>'


def _row(cells: Sequence[object], tag: str) -> str:
    return f"<tr>{''.join(_cell(cell, tag, column) for column, cell in enumerate(cells))}</tr>"


def _cell(content: object, tag: str, column: int) -> str:
    text = f"{content:.4g}" if isinstance(content, float) else str(content)
    if len(text) > MOST_LETTERS:
        text = text[: MOST_LETTERS - 1] + "…"
    # Notebooks align cells to the right, which suits numbers and not names.
    style = _CELL.format(
        "left" if column == 0 else "right", "nowrap" if len(text) < 60 else "normal"
    )
    return f'<{tag} style="{style}">{escaped(text)}</{tag}>'
