"""How a choice looks on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

from causalassay.cli.printing import escaped
from causalassay.present.terminal import print_rules

if TYPE_CHECKING:
    from causalassay.choosing import Choice, Movement

LEFT_OUT_FIRST = (4, 1, 5)
"""The columns of the ranking that a narrow terminal leaves out, in this order."""

SHORT_LINE = 8
"""Letters of a line of a heading."""


def print_choice(choice: Choice, name: str, console: Console, *, full: bool) -> None:
    """Print the headline, the ranking, the sentences, what was not ranked; on demand the rest."""
    console.print(
        f"[bold]{escaped(name)}[/]: {choice.n_rows} rows, {len(choice.columns)} columns, "
        f"experiments on {len(choice.intervened)} of them",
        highlight=False,
    )
    console.print(f"[bold]{escaped(choice.headline)}[/]\n", highlight=False)
    _print_ranking(choice, console)
    for claim in choice.claims[1:]:
        console.print(f"- {escaped(claim.sentence)}", highlight=False)
    console.print(f"[bold]What next:[/] {escaped(choice.next_step)}", highlight=False)
    if full:
        _print_movements(choice, console)
        console.print(_cutoff_table(choice))
        _print_doubts(choice, console)
    _print_reasons(choice, console)
    if not full:
        _print_dim("--full: who moved under which intervention, cut-offs, flags.", console)
    print_rules(choice.rules, console, full=full)


def _print_dim(line: str, console: Console) -> None:
    console.print(escaped(line), style="dim", highlight=False)


def _print_reasons(choice: Choice, console: Console) -> None:
    """Print why algorithms and conditions are not there, and how to include them."""
    from causalassay.choosing.not_ranked import how_to_include, reason_lines

    for line in reason_lines(choice):
        _print_dim(f"not ranked: {line}", console)
    if hint := how_to_include(choice):
        console.print(escaped(hint), highlight=False)
    for condition, why in choice.left_out.items():
        _print_dim(f"condition not tested: {condition}: {why}", console)


def _print_ranking(choice: Choice, console: Console) -> None:
    """Print the ranking with as many columns as have room, and what its marks mean."""
    from causalassay.choosing.table_rows import RANKING_HEADS, opinion_legend

    shown, left_out = list(range(len(RANKING_HEADS))), []
    for place in LEFT_OUT_FIRST:
        if _has_room(_ranking_table(choice, shown), console):
            break
        shown.remove(place)
        left_out.append(RANKING_HEADS[place])
    console.print(_ranking_table(choice, shown))
    undirected = 1 in shown and any(row.density.undirected for row in choice.rows)
    legend = ["(b) baseline", "—: undirected edges" if undirected else "", opinion_legend(choice)]
    _print_dim("; ".join(part for part in legend if part), console)
    if left_out:
        _print_dim(f"No room for: {', '.join(left_out)}; a wider terminal shows them.", console)


def _has_room(table: Table, console: Console) -> bool:
    return Measurement.get(console, console.options.update(width=999), table).maximum <= (
        console.width
    )


def _ranking_table(choice: Choice, shown: Sequence[int]) -> Table:
    from causalassay.choosing.table_rows import BASELINE, RANKING_HEADS, ranking_rows

    table = _bare_table("Weighted causal risk (low is better), with 95 % intervals")
    for place in shown:
        head = _broken(RANKING_HEADS[place])
        left = place in (0, len(RANKING_HEADS) - 1)
        table.add_column(head, justify="left" if left else "right", no_wrap=True, vertical="bottom")
    for row in ranking_rows(choice):
        baseline = row[0].endswith(BASELINE)
        cells = (row[0].removesuffix(BASELINE) + " (b)" if baseline else row[0], *row[1:])
        table.add_row(*(escaped(cells[k]) for k in shown), style="dim" if baseline else None)
    return table


def _bare_table(title: str) -> Table:
    """Return a table without lines between its columns, which take room."""
    return Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
        padding=(0, 1),
        pad_edge=False,
        show_edge=False,
    )


def _broken(head: str) -> str:
    """Return a heading whose lines are short."""
    words, lines = head.split(), [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + len(word) > SHORT_LINE:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)


def _print_movements(choice: Choice, console: Console) -> None:
    """Print the effects on all columns; the moved columns alone where the others have no room."""
    table = _movement_table(choice)
    if _has_room(table, console):
        console.print(table)
        moved = "* moved; " if any(one.moved for one in choice.movements) else ""
        _print_dim(f"{moved}[…] the target itself", console)
        return
    console.print(f"[bold]{_movement_title(choice)}[/]", highlight=False)
    _print_dim("No room for columns that did not move.", console)
    for one in choice.movements:
        moved = ", ".join(f"{name} {_effect(one, name)}" for name in one.moved)
        line = f"{escaped(f'{one.condition} ({one.target})')}: {escaped(moved or 'none')}"
        console.print(line, highlight=False)


def _effect(one: Movement, name: str) -> str:
    from causalassay.choosing.table_rows import movement_cell

    return movement_cell(one, name).rstrip("*")


def _movement_title(choice: Choice) -> str:
    gaps = choice.tests.test == "kolmogorov-smirnov"
    numbers = "largest gaps" if gaps else "standardised mean differences"
    return f"Who moved under which intervention ({numbers})"


def _movement_table(choice: Choice) -> Table:
    """Return the effects on all columns."""
    from causalassay.choosing.table_rows import movement_cell

    table = _bare_table(_movement_title(choice))
    for place, head in enumerate(("condition (target)", *choice.columns)):
        table.add_column(escaped(head), justify="right" if place else "left", no_wrap=True)
    for one in choice.movements:
        cells = [movement_cell(one, name) for name in choice.columns]
        table.add_row(escaped(f"{one.condition} ({one.target})"), *map(escaped, cells))
    return table


def _cutoff_table(choice: Choice) -> Table:
    table = _bare_table("Weighted risk at cut-offs on effect size")
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
        _print_dim(line, console)
