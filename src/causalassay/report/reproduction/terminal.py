"""A reproduction in the terminal: a table for each item, then the counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from causalassay.report.reproduction.cells import HEADS, cells
from causalassay.reproducing import Paper, Reproduction
from causalassay.reproducing.agreement import BAD, GOOD


def listed_items(paper: Paper) -> list[dict[str, Any]]:
    """Return each item with the number of its values and the estimated minutes."""
    rows = []
    for item in paper.items:
        values = paper.values_of(item.name)
        rows.append(
            {
                "item": item.name,
                "what": item.what,
                "values": len(values),
                "computable": sum(not value.reason for value in values),
                "minutes fast": paper.minutes([item.name], "fast"),
                "minutes full": paper.minutes([item.name], "full"),
            }
        )
    return rows


def render_list(papers: Sequence[Paper], console: Console) -> None:
    """Print the papers and their items."""
    for paper in papers:
        about = paper.about
        names = [item.name for item in paper.items]
        table = Table(title=f"{paper.slug}: {about.authors} ({about.year})", title_justify="left")
        for head in ("item", "what", "values", "computable", "--fast min", "--full min"):
            table.add_column(head, justify="left" if head in {"item", "what"} else "right")
        for row in listed_items(paper):
            *texts, fast, full = row.values()
            table.add_row(*(escape(str(one)) for one in texts), f"{fast:.1f}", f"{full:.1f}")
        times = (f"{paper.minutes(names, size):.0f}" for size in ("fast", "full"))
        total = len(paper.values)
        known = sum(not value.reason for value in paper.values)
        table.add_row("all", "", str(total), str(known), *times, style="bold")
        console.print(table)
    console.print("Minutes are estimates for two cores. Run one: causalassay reproduce SLUG")


def render_reproduction(found: Reproduction, console: Console) -> None:
    """Print a table for each item, and how many values agree."""
    what = {item.name: item.what for item in found.paper.items}
    for item in found.items:
        table = Table(title=escape(f"{item}: {what[item]}"), title_justify="left")
        for head in HEADS:
            table.add_column(head, overflow="fold")
        for line in found.lines_of(item):
            table.add_row(*map(escape, cells(line)), style=_style(line.outcome))
        console.print(table)
    for sentence in found.sentences:
        console.print(sentence, highlight=False, soft_wrap=True)


def _style(outcome: str) -> str:
    if outcome in BAD:
        return "red"
    return "" if outcome in GOOD else "dim"
