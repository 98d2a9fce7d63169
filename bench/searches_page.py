"""The tables of docs/searches.md that commands write, each between marks of its own."""

from __future__ import annotations

from pathlib import Path

TABLES = ("penalties", "flop")
"""The commands that write one."""


def publish(out: Path, name: str, text: str) -> None:
    """Put the table of a command onto the page in a folder."""
    page = out / "searches.md"
    page.write_text(filled(page.read_text(), name, text))


def filled(page: str, name: str, text: str) -> str:
    r"""Return the page with a text between the marks of that name.

    Examples
    --------
    >>> filled("a <!-- flop: begin --> old <!-- flop: end --> b", "flop", "new").split("\n")
    ['a <!-- flop: begin -->', '', 'new', '', '<!-- flop: end --> b']
    """
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise ValueError(f"searches.md: expected the marks {begin} and {end}")
    return "".join([before, begin, "\n\n", text.strip("\n"), "\n\n", end, after])
