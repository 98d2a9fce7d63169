"""How an evaluation on a factorial experiment looks on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from causalassay.cli.printing import escaped

if TYPE_CHECKING:
    from causalassay.factorial import Evaluation


def print_evaluation(result: Evaluation, name: str, console: Console) -> None:
    """Print the headline, the tables, and what they say."""
    from causalassay.factorial import score_texts as texts

    console.print(f"[bold]{escaped(name)}[/]: {escaped(texts.about(result))}", highlight=False)
    console.print(f"[bold]{escaped(texts.headline(result))}[/]", highlight=False)
    for note in texts.double_notes(result):
        console.print(f"note: {escaped(note)}", style="dim", highlight=False)
    n_algorithms = sum(row.role == "algorithm" for row in result.rows)
    _print(
        console,
        "What each graph reaches (smaller is better)",
        texts.SCORE_HEADS,
        texts.score_table(result.rows),
        n_algorithms,
    )
    for row, note in texts.notes(result.rows).items():
        console.print(f"  {escaped(row)}: {escaped(note)}", style="dim", highlight=False)
    _print(
        console,
        "One treatment with too many or too few edges (min · median · max over treatments)",
        texts.SPECIFICATION_HEADS,
        texts.specification_table(result.specifications),
    )
    if result.look_alikes:
        _print(
            console,
            "Synthetic experiments of the same size (means over algorithms)",
            texts.LOOK_ALIKE_HEADS,
            texts.look_alike_table(result.look_alikes),
        )
    for sentence in result.sentences:
        console.print(escaped(sentence), highlight=False, soft_wrap=True)
    if result.look_alikes:
        sentence = texts.look_alike_sentence(result.look_alikes)
        console.print(escaped(sentence), highlight=False, soft_wrap=True)


def _print(
    console: Console,
    title: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    line_after: int = 0,
) -> None:
    table = Table(title=title, title_justify="left", title_style="bold")
    for place, head in enumerate(heads):
        table.add_column(head, justify="right" if place else "left", no_wrap=True)
    for place, row in enumerate(rows):
        if line_after and place == line_after:
            table.add_section()
        table.add_row(*(escaped(cell) for cell in row))
    console.print(table)
