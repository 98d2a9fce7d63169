"""Documents on a terminal: readable without colour, and no wider than it is."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from causalassay.present.document import (
    Beside,
    Block,
    Code,
    Column,
    Document,
    Facts,
    Figure,
    Findings,
    Fold,
    GraphFigure,
    Marked,
    Prose,
    Rules,
    Section,
    Stated,
    StatedRule,
    Table,
)
from causalassay.present.formatting import counted, formatted
from causalassay.spelling import visible

FULL = "--full"
"""The option that prints how rules decide."""
EVERY_ROW = "--each"
"""The option that prints all rows of long tables."""

NEVER_DROPPED = 9
GAP = 2
"""Columns of a terminal between two columns of a table."""

Options = Collection[str]


def print_document(document: Document, console: Console, options: Options = ()) -> None:
    """Print the headline of a document, its blocks, and how often its rules are wrong.

    Parameters
    ----------
    document : Document
    console : Console
    options : collection of str
        Such as "--full": which folds are opened.
    """
    if document.about:
        console.print(Text.assemble((visible(document.title), "bold"), f": {document.about}"))
    claim = document.headline
    if isinstance(claim, str):
        if claim:
            console.print(shown(claim, "bold"))
    else:
        console.print(shown(f"Verdict: {_said(claim)}", "bold"))
    print_blocks(document.blocks, console, options, claim)
    print_rules(document.rules, console, options)
    closed = [one for one in document.blocks if isinstance(one, Section) and one.option]
    for option in dict.fromkeys(one.option for one in closed):
        if option not in options:
            titles = "; ".join(one.title for one in closed if one.option == option)
            console.print(shown(f"{option} also prints: {titles}.", "dim"))


def print_blocks(
    blocks: Sequence[Block], console: Console, options: Options = (), claim: object = None
) -> None:
    """Print blocks one after the other; pictures and what is folded are left out."""
    for block in blocks:
        match block:
            case Prose():
                console.print(shown(block.text, {"aside": "dim", "strong": "bold"}.get(block.look)))
            case Code():
                console.print(shown(block.text))
            case Facts():
                for name, value in block.items.items():
                    console.print(shown(f"{name}: {value}"))
            case Findings():
                _print_findings(block, console, claim)
            case Rules():
                print_rules(block.items, console, options)
            case Table():
                print_table(block, console, every=EVERY_ROW in options)
            case Fold():
                if block.option in options:
                    print_blocks(block.blocks, console, options, claim)
            case Section():
                if not block.option or block.option in options:
                    print_blocks(block.blocks, console, options, claim)
            case Beside():
                print_blocks(block.blocks, console, options, claim)
            case Figure() | GraphFigure():
                pass


def shown(text: str, style: str | None = None) -> Text:
    """Return a text that a terminal prints as it is, what does not print as escapes."""
    return Text("\n".join(visible(line) for line in text.split("\n")), style=style or "")


def _said(finding: Stated) -> str:
    return f"{finding.sentence} {finding.advice}".strip()


def _print_findings(block: Findings, console: Console, claim: object) -> None:
    others = [one for one in block.items if one is not claim and one != claim]
    for one in others:
        console.print(shown(_said(one)))
    console.print()


def print_rules(rules: Mapping[str, StatedRule], console: Console, options: Options = ()) -> None:
    """Print how often each rule is wrong, and on demand what it says."""
    if not rules:
        return
    for name, rule in rules.items():
        text = rule.text if FULL in options else f"{rule.rate_text}."
        console.print(shown(f"Rule “{name}”: {text}", "dim"))
    if FULL not in options:
        console.print(shown(f"{FULL} prints how each rule decides.", "dim"))


def print_table(table: Table, console: Console, *, every: bool = False) -> None:
    """Print a table, with as many columns as the terminal has room for."""
    rows, left = list(table.rows), 0
    if table.most and not every and len(rows) - table.n_last > table.most:
        left = len(rows) - table.n_last - table.most
        rows = [*rows[: table.most], *rows[len(rows) - table.n_last :]]
    texts = [
        [cell_text(value, column) for column, value in zip(table.columns, row, strict=True)]
        for row in rows
    ]
    places = fitting(table.columns, texts, console.width)
    console.print(_rich_table(table, texts, places))
    if left:
        console.print(shown(f"and {counted(left, 'more row')}: {EVERY_ROW} prints all", "dim"))
    for note in table.notes:
        console.print(shown(f"note: {note}", "dim"))
    console.print()


def _rich_table(table: Table, texts: Sequence[Sequence[Text]], places: Sequence[int]) -> RichTable:
    drawn = RichTable(
        title=shown(table.title) if table.title else None,
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, GAP // 2),
        header_style="",
    )
    for place in places:
        column = table.columns[place]
        drawn.add_column(
            shown(column.heading),
            justify="left" if column.side == "left" else "right",
            overflow="fold",
        )
    n_first = len(texts) - table.n_last
    for index, row in enumerate(texts):
        drawn.add_row(*(row[place] for place in places), end_section=index == n_first - 1)
    return drawn


def cell_text(value: object, column: Column) -> Text:
    """Return what a cell says, with its marks."""
    marked = value if isinstance(value, Marked) else Marked(value)
    text = visible(formatted(marked.value, column.format))
    if marked.mark:
        text = f"{text} ({marked.mark})"
    return Text(text, style="bold" if marked.bold else "")


def fitting(columns: Sequence[Column], texts: Sequence[Sequence[Text]], width: int) -> list[int]:
    """Return the columns that fit beside each other: those of lowest priority are dropped first.

    Examples
    --------
    >>> columns = [Column("a", "a"), Column("b", "bbbb", priority=1), Column("c", "c", priority=2)]
    >>> fitting(columns, [], 20), fitting(columns, [], 8), fitting(columns, [], 1)
    ([0, 1, 2], [0, 2], [0])
    """
    widths = [
        max(
            max(map(cell_len, column.heading.split("\n"))),
            *(cell_len(row[place].plain) for row in texts),
            0,
        )
        for place, column in enumerate(columns)
    ]
    places = list(range(len(columns)))
    while sum(widths[place] + GAP for place in places) - GAP > width:
        droppable = [place for place in places if columns[place].priority < NEVER_DROPPED]
        if not droppable:
            break
        places.remove(min(droppable, key=lambda place: (columns[place].priority, -place)))
    return places
