"""A reproduction in the terminal: outcomes by item and what disagrees, or every value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, get_args

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from causalassay.report.reproduction.cells import HEADS, cells
from causalassay.reproducing import Paper, Reproduction
from causalassay.reproducing.agreement import BAD, GOOD, Outcome


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


def render_reproduction(found: Reproduction, console: Console, *, values: bool) -> None:
    """Print how the items came out, and what disagrees; or every value.

    Parameters
    ----------
    found : Reproduction
    console : Console
    values : bool
        Whether to print every value, in a table for each item.
    """
    if values:
        _render_values(found, console)
    else:
        _render_counts(found, console)
        _render_disagreements(found, console)
    for sentence in found.sentences:
        console.print(sentence, highlight=False, soft_wrap=True)


def _render_values(found: Reproduction, console: Console) -> None:
    what = {item.name: item.what for item in found.paper.items}
    for item in found.items:
        table = Table(title=escape(f"{item}: {what[item]}"), title_justify="left")
        for head in HEADS:
            table.add_column(head, overflow="fold")
        for line in found.lines_of(item):
            table.add_row(*map(escape, cells(line)), style=_style(line.outcome))
        console.print(table)


def _render_counts(found: Reproduction, console: Console) -> None:
    """Print how many values of each item came out how; outcomes that never came are left out."""
    outcomes = [outcome for outcome in get_args(Outcome) if found.counts[outcome]]
    title = escape(f"{found.paper.slug}: values by item and outcome")
    table = Table(title=title, title_justify="left")
    table.add_column("item")
    for outcome in outcomes:
        table.add_column(outcome, justify="right", style=_style(outcome))
    for item in found.items:
        counts = Counter(line.outcome for line in found.lines_of(item))
        table.add_row(escape(item), *(str(counts[outcome] or "") for outcome in outcomes))
    table.add_row("all", *(str(found.counts[outcome]) for outcome in outcomes), style="bold")
    console.print(table)


def _render_disagreements(found: Reproduction, console: Console) -> None:
    lines = [line for line in found.lines if line.outcome in BAD]
    if not lines:
        return
    table = Table(title="What disagrees or fails", title_justify="left")
    for head in ("item", *HEADS):
        table.add_column(head, overflow="fold")
    for line in lines:
        table.add_row(*map(escape, (line.value.item, *cells(line))))
    console.print(table)


def _style(outcome: str) -> str:
    if outcome in BAD:
        return "red"
    return "" if outcome in GOOD else "dim"
