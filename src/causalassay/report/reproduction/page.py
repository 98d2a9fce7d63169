"""The page of a reproduction in Markdown: counts, then a table for each item, then notes."""

from __future__ import annotations

from collections.abc import Iterator

from causalassay.report.reproduction.cells import (
    HEADS,
    OVERVIEW,
    RULE,
    cells,
    citation,
    heading,
    made_by,
)
from causalassay.reproducing import Reproduction


def markdown_page(found: Reproduction, date: str) -> str:
    """Return the page; its pictures lie beside it."""
    return "\n".join(_lines(found, date)) + "\n"


def _lines(found: Reproduction, date: str) -> Iterator[str]:
    yield f"# {heading(found)}"
    yield f"\n{' '.join(found.sentences)}"
    yield f"\n![{OVERVIEW}](overview.svg)"
    for text in (citation(found), RULE, made_by(found, date)):
        yield f"\n{text}"
    drawn = {picture.item: picture.caption for picture in found.pictures}
    what = {item.name: item.what for item in found.paper.items}
    for item in found.items:
        yield f"\n## {item}\n"
        yield f"{_cell(what[item])}.\n"
        if item in drawn:
            yield f"![{item} redrawn: {_cell(what[item])}]({item}.svg)\n"
            yield f"{drawn[item]}\n"
        yield f"| {' | '.join(HEADS)} |"
        yield "|---" * len(HEADS) + "|"
        for line in found.lines_of(item):
            yield f"| {' | '.join(map(_cell, cells(line)))} |"
    if found.paper.notes:
        yield f"\n#{found.paper.notes.rstrip()}"


def _cell(text: str) -> str:
    """Return a text that stays one cell of a table."""
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
