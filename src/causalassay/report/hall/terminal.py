"""The hall on a terminal: a matrix of entries and what they can be sorted by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from causalassay.hall import Cell, Entry, Row
from causalassay.notebook import number
from causalassay.report.hall.texts import HEADINGS, VARIANCE, claims, reached, verdict
from causalassay.spelling import visible

STYLES = {"gameable": "red", "gameable backwards": "blue", "leaning": "yellow"}


def render_rows(rows: Sequence[Row], console: Console) -> None:
    """Print a line for each row, by group, and how many there are of each verdict."""
    table = Table(title="Hall of audits", title_justify="left", title_style="bold")
    for head in ("", "by variance", "by R² or entropy", "F1: best\n/ random", "verdict"):
        table.add_column(head, no_wrap=not head, justify="right" if "F1" in head else "left")
    for group, heading in HEADINGS.items():
        own = [row for row in rows if row.group == group]
        if not own:
            continue
        table.add_section()
        table.add_row(f"[bold]{heading}[/]")
        for row in own:
            table.add_row(*_line(row))
    console.print(table)
    for sentence in claims(rows):
        console.print(sentence, highlight=False)
    for row in rows:
        if row.status != "ok":
            console.print(f"{row.name}: {row.status}: {_plain(row.reason)}", highlight=False)


def render_entries(entries: Iterable[Entry], console: Console) -> None:
    """Print what there is: names, whose, and a sentence on each."""
    for entry in entries:
        head = f"{entry.name:<28} {entry.package or entry.group:<12} {entry.world:<11}"
        console.print(f"{_plain(head)} {_plain(entry.what)}", highlight=False, soft_wrap=True)


def _line(row: Row) -> list[str]:
    name = _plain(row.name)
    if row.status != "ok":
        return [name, "", "", "", row.status]
    by_variance = row.cell(VARIANCE)
    others = [one for one in row.cells if one.statistic != VARIANCE]
    return [
        name,
        _kind(by_variance, row) if by_variance else "–",
        "\n".join(_kind(one, row) for one in others) or "–",
        reached(row),
        f"[{STYLES[row.verdict]}]{verdict(row)}[/]" if row.verdict in STYLES else verdict(row),
    ]


def _kind(cell: Cell, row: Row) -> str:
    word = "" if row.world == "continuous" or cell.statistic == VARIANCE else f" ({cell.word})"
    return f"{number(cell.sortability)} {cell.kind}{word}"


def _plain(text: str) -> str:
    return escape(visible(text))
