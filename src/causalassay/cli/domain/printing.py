"""How an evaluation on a factorial experiment looks on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from causalassay.cli.printing import escaped

if TYPE_CHECKING:
    from causalassay.factorial import Evaluation


def print_evaluation(result: Evaluation, name: str, console: Console, *, full: bool) -> None:
    """Print the headline, the scores and what they say; on demand the other tables."""
    from causalassay.factorial import score_texts as texts

    console.print(f"[bold]{escaped(name)}[/]: {escaped(texts.about(result))}", highlight=False)
    console.print(f"[bold]{escaped(result.headline)}[/]", highlight=False)
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
    for sentence in (*result.sentences, *texts.look_alike_sentences(result.look_alikes)):
        console.print(f"- {escaped(sentence)}", highlight=False)
    if full:
        _print_rest(result, console)
    else:
        more = "--full: what each row is, too many and too few edges, synthetic experiments."
        console.print(more, style="dim", highlight=False)


def _print_rest(result: Evaluation, console: Console) -> None:
    from causalassay.factorial import score_texts as texts

    for row, note in texts.notes(result.rows).items():
        console.print(f"{escaped(row)}: {escaped(note)}", style="dim", highlight=False)
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
