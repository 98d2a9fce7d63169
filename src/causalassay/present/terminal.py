"""Documents on a terminal: readable without colour, and no wider than it is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any

from rich.box import Box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from causalassay.common.spelling import visible
from causalassay.present import (
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

FULL = "--full"
"""The option that prints how rules decide."""
EVERY_ROW = "--each"
"""The option that prints all rows of long tables."""

NEVER_DROPPED = 9
GAP = 3
"""Columns of a terminal between two columns of a table: a space on both sides of a blank line."""
LEAST_TEXT = 28
"""Columns of a terminal that a longer text is folded to, before columns are left out."""
LINES = Box("    \n    \n ── \n    \n ── \n    \n    \n    \n")
"""A line below the headings, and one above the last rows."""

Options = Collection[str]
Columns = Sequence[Column]
Texts = Sequence[Sequence[Text]]
"""Of the cells, by rows."""


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
        console.print(
            Text.assemble((visible(document.title), "bold"), f": {visible(document.about)}")
        )
    claim = document.headline
    if isinstance(claim, str):
        if claim:
            console.print(shown(claim, "bold"))
    else:
        console.print(shown(f"Verdict: {_sentences(claim)}", "bold"))
    print_blocks(document.blocks, console, options, claim)
    print_hidden(document.blocks, console, options)
    print_rules(document.rules, console, options)


def document_text(document: Document, options: Options = (), width: int = 120) -> str:
    """Return a document as a terminal without colours prints it."""
    text = StringIO()
    console = Console(file=text, width=width, color_system=None, force_terminal=False)
    print_document(document, console, options)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()).strip("\n")


def print_blocks(
    blocks: Sequence[Block], console: Console, options: Options = (), claim: object = None
) -> None:
    """Print blocks one after the other; pictures and what is folded are left out."""
    screen = _Screen(console, options, claim)
    for block in blocks:
        _PRINTERS[type(block)](block, screen)


@dataclass(frozen=True)
class _Screen:
    """Where blocks are printed, what is asked for, and the finding that was printed already."""

    console: Console
    options: Options
    claim: object

    def line(self, text: str, style: str = "") -> None:
        self.console.print(shown(text, style))


def _print_prose(block: Prose, screen: _Screen) -> None:
    screen.line(block.text, {"aside": "dim", "strong": "bold"}.get(block.look, ""))


def _print_facts(block: Facts, screen: _Screen) -> None:
    for name, value in block.items.items():
        screen.line(f"{name}: {value}")


def _print_findings(block: Findings, screen: _Screen) -> None:
    for finding in block.items:
        if finding != screen.claim:
            screen.line(_sentences(finding))
    screen.console.print()


def _print_inside(block: Fold | Section | Beside, screen: _Screen) -> None:
    option = "" if isinstance(block, Beside) else block.option
    if option in screen.options or (not option and not isinstance(block, Fold)):
        print_blocks(block.blocks, screen.console, screen.options, screen.claim)


def print_hidden(blocks: Sequence[Block], console: Console, options: Options = ()) -> None:
    """Print which option shows which section that was left out."""
    titles: dict[str, list[str]] = {}
    for block in blocks:
        if isinstance(block, Section) and block.option and block.option not in options:
            titles.setdefault(block.option, []).append(block.title)
    for option, names in titles.items():
        console.print(shown(f"{option} shows: {'; '.join(names)}.", "dim"))


_PRINTERS: Mapping[type[Block], Callable[[Any, _Screen], None]] = {
    Prose: _print_prose,
    Code: lambda block, screen: screen.line(block.text),
    Facts: _print_facts,
    Findings: _print_findings,
    Rules: lambda block, screen: print_rules(block.items, screen.console, screen.options),
    Table: lambda block, screen: print_table(
        block, screen.console, every=EVERY_ROW in screen.options
    ),
    Figure: lambda *_: None,
    GraphFigure: lambda *_: None,
    Fold: _print_inside,
    Section: _print_inside,
    Beside: _print_inside,
}


def shown(text: str, style: str = "") -> Text:
    """Return a text that a terminal prints as it is, what does not print as escapes."""
    return Text("\n".join(visible(line) for line in text.split("\n")), style=style)


def _sentences(finding: Stated) -> str:
    return f"{finding.sentence} {finding.advice}".strip()


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
    if table.title:
        console.print(shown(table.title, "bold"))
    shown_columns = fitting(table.columns, texts, console.width)
    for part in side_by_side(table.columns, texts, shown_columns, console.width):
        console.print(_rich_table(table, texts, part, console.width))
    if left:
        console.print(shown(f"and {counted(left, 'more row')}: {table.rest}", "dim"))
    dropped = [column for k, column in enumerate(table.columns) if k not in shown_columns]
    if dropped:
        names = ", ".join(" ".join(column.heading.split()) for column in dropped)
        console.print(shown(f"No room for: {names}; a wider terminal shows them.", "dim"))
    for note in table.notes:
        console.print(shown(f"note: {note}", "dim"))
    console.print()


def _rich_table(table: Table, texts: Texts, indices: Sequence[int], room: int) -> RichTable:
    drawn = RichTable(
        box=LINES, show_edge=False, pad_edge=False, padding=(0, 1), header_style="", min_width=1
    )
    widths = _drawn_widths(table.columns, texts, indices, room)
    for index, width in zip(indices, widths, strict=True):
        column = table.columns[index]
        drawn.add_column(
            shown(column.heading),
            justify="left" if column.side == "left" else "right",
            vertical="top",
            overflow="fold",
            width=width,
        )
    n_first = len(texts) - table.n_last
    for number, row in enumerate(texts):
        drawn.add_row(*(row[index] for index in indices), end_section=number == n_first - 1)
    return drawn


def cell_text(value: object, column: Column) -> Text:
    """Return what a cell says, with its marks."""
    marked = value if isinstance(value, Marked) else Marked(value)
    text = visible(f"{formatted(marked.value, column.format)}{marked.mark_text}")
    return Text(text, style="bold" if marked.bold else "")


def fitting(columns: Columns, texts: Texts, width: int) -> list[int]:
    """Return the columns that fit beside each other, those of the highest priority first.

    Headings and long texts are folded before a column is left out.

    Examples
    --------
    >>> columns = [Column("a", "a"), Column("b", "bbbb", priority=1), Column("c", "c", priority=2)]
    >>> fitting(columns, [], 20), fitting(columns, [], 8), fitting(columns, [], 1)
    ([0, 1, 2], [0, 2], [0])
    """
    widths = _least_widths(columns, texts)
    by_priority = sorted(range(len(columns)), key=lambda index: -columns[index].priority)
    indices: list[int] = []
    for index in by_priority:
        used = sum(widths[each] + GAP for each in indices)
        if columns[index].priority >= NEVER_DROPPED or used + widths[index] <= width:
            indices.append(index)
    return sorted(indices)


def side_by_side(
    columns: Columns,
    texts: Texts,
    indices: Sequence[int],
    width: int,
) -> list[list[int]]:
    """Return the columns in parts that fit the terminal, the first column in each.

    Examples
    --------
    >>> columns = [Column(name, name * 4, "count") for name in "abc"]
    >>> side_by_side(columns, [], [0, 1, 2], 20), side_by_side(columns, [], [0, 1, 2], 12)
    ([[0, 1, 2]], [[0, 1], [0, 2]])
    """
    widths = _least_widths(columns, texts)
    first, *others = indices
    parts = [[first]]
    for index in others:
        used = sum(widths[each] + GAP for each in parts[-1])
        if len(parts[-1]) > 1 and used + widths[index] > width:
            parts.append([first])
        parts[-1].append(index)
    return parts


def _widths(columns: Columns, texts: Texts) -> list[int]:
    """Return how wide each column is where nothing is folded."""
    return [
        max(map(cell_len, [*column.heading.split("\n"), *(row[index].plain for row in texts)]))
        for index, column in enumerate(columns)
    ]


def _least_widths(columns: Columns, texts: Texts) -> list[int]:
    """Return how wide each column is at least: numbers and words of headings stay whole."""
    least = []
    for index, column in enumerate(columns):
        words = max(map(cell_len, column.heading.split()), default=0)
        cells = max((cell_len(row[index].plain) for row in texts), default=0)
        least.append(max(words, min(cells, LEAST_TEXT) if column.side == "left" else cells))
    return least


def _drawn_widths(columns: Columns, texts: Texts, indices: Sequence[int], room: int) -> list[int]:
    """Return the widths of the columns of one part: what is folded most gets the spare room."""
    every, least = _widths(columns, texts), _least_widths(columns, texts)
    full = [max(1, min(every[index], room)) for index in indices]
    widths = [max(1, min(least[index], room)) for index in indices]
    spare = room - sum(widths) - GAP * (len(indices) - 1)
    for _ in range(spare):
        widest = max(range(len(indices)), key=lambda k: full[k] / widths[k])
        widths[widest] += full[widest] > widths[widest]
    for _ in range(-spare):
        widest = max(range(len(indices)), key=widths.__getitem__)
        widths[widest] = max(1, widths[widest] - 1)
    return widths
