"""How a choice looks on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from causalassay.cli.printing import escaped

if TYPE_CHECKING:
    from causalassay.choosing import Choice

WIDE = 115
"""Columns of a terminal on which all of the ranking has room."""

WIDE_ONLY = (4, 5)
"""The columns of the ranking that a narrower one leaves out."""

SHORT_LINE = 12
"""Letters of a line of a heading."""

DROP_IT = "leave the condition out"
"""In the reason of an algorithm that needs known targets."""

MOST_COLUMNS = 16
"""Of the table of who moved; with more, the moved columns are listed."""


def print_choice(choice: Choice, name: str, console: Console, *, full: bool) -> None:
    """Print the headline, the ranking, the sentences, what was not ranked; on demand the rest."""
    from causalassay.choosing.table_rows import reasons_together

    console.print(
        f"[bold]{escaped(name)}[/]: {choice.n_rows} rows, {len(choice.columns)} columns, "
        f"experiments on {len(choice.intervened)} of them",
        highlight=False,
    )
    console.print(f"[bold]{escaped(choice.headline)}[/]\n", highlight=False)
    console.print(_ranking_table(choice, narrow=console.width < WIDE))
    legend = "(b) baseline; —: undirected edges; #: place by the second opinion"
    console.print(legend, style="dim", highlight=False)
    for claim in choice.claims[1:]:
        console.print(f"- {escaped(claim.sentence)}", highlight=False)
    if full:
        console.print(_movement_table(choice))
        console.print(escaped("* moved; […] the target itself"), style="dim", highlight=False)
        console.print(_cutoff_table(choice))
        _print_doubts(choice, console)
    for names, why in reasons_together(choice.not_ranked):
        hint = " (--drop-condition)" if DROP_IT in why else ""
        line = f"not ranked: {escaped(names)}: {escaped(why)}{hint}"
        console.print(line, style="dim", highlight=False)
    for condition, why in choice.left_out.items():
        line = f"condition not tested: {escaped(condition)}: {escaped(why)}"
        console.print(line, style="dim", highlight=False)
    if not full:
        more = "--full: who moved under which intervention, cut-offs on effect size, flags."
        console.print(more, style="dim", highlight=False)


def _ranking_table(choice: Choice, *, narrow: bool) -> Table:
    from causalassay.choosing.table_rows import BASELINE, RANKING_HEADS, ranking_rows

    table = Table(
        title="Weighted causal risk (low is better), with 95 % intervals",
        title_justify="left",
        title_style="bold",
    )
    shown = [place for place in range(len(RANKING_HEADS)) if not (narrow and place in WIDE_ONLY)]
    for place in shown:
        head = _broken(RANKING_HEADS[place])
        table.add_column(head, justify="right" if place else "left", no_wrap=not narrow)
    for row in ranking_rows(choice):
        baseline = row[0].endswith(BASELINE)
        cells = (row[0].removesuffix(BASELINE) + " (b)" if baseline else row[0], *row[1:])
        table.add_row(*(escaped(cells[k]) for k in shown), style="dim" if baseline else None)
    return table


def _broken(head: str) -> str:
    """Return a heading whose lines are short."""
    words, lines = head.split(), [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + len(word) > SHORT_LINE:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)


def _movement_table(choice: Choice) -> Table:
    """Return the effects on all columns, or the moved columns where there are too many."""
    from causalassay.choosing.table_rows import movement_cell

    table = Table(
        title="Who moved under which intervention (standardised mean differences)"
        if choice.tests.test != "kolmogorov-smirnov"
        else "Who moved under which intervention (largest gaps)",
        title_justify="left",
        title_style="bold",
    )
    wide = len(choice.columns) > MOST_COLUMNS
    heads = ("moved",) if wide else choice.columns
    columns = ("condition (target)", *heads)
    for place, head in enumerate(columns):
        table.add_column(escaped(head), justify="left" if wide or not place else "right")
    for one in choice.movements:
        first = f"{one.condition} ({one.target})"
        if wide:
            moved = [f"{name} {movement_cell(one, name).rstrip('*')}" for name in one.moved]
            cells = [", ".join(moved) or "none"]
        else:
            cells = [movement_cell(one, name) for name in choice.columns]
        table.add_row(escaped(first), *map(escaped, cells))
    return table


def _cutoff_table(choice: Choice) -> Table:
    table = Table(
        title="Weighted risk at cut-offs on effect size", title_justify="left", title_style="bold"
    )
    table.add_column("algorithm", no_wrap=True)
    for each in choice.cutoffs:
        head = "significance alone" if not each.least_effect else f"effect ≥ {each.least_effect:g}"
        table.add_column(head, justify="right")
    for row in choice.rows:
        risks = (f"{each.risks[row.name]:.2f}" for each in choice.cutoffs)
        table.add_row(escaped(row.name), *risks, style="dim" if row.role == "baseline" else None)
    table.add_section()
    table.add_row("share of pairs moved", *(f"{each.share_moved:.0%}" for each in choice.cutoffs))
    return table


def _print_doubts(choice: Choice, console: Console) -> None:
    other = choice.second_opinion
    lines = [f"flagged: {name}: {why}" for name, why in other.doubts.items()]
    if other.reason:
        lines.append(f"no second opinion: {other.reason}")
    lines += [f"no second opinion on {name}: {why}" for name, why in other.not_ranked.items()]
    for line in lines:
        console.print(escaped(line), style="dim", highlight=False)
