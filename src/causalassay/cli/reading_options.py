"""The options by which commands read files of data and graphs, and what is said of the files."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console

from causalassay.cli.printing import escaped
from causalassay.common.files import ReadingNote

Condition = Annotated[
    str | None, typer.Option(help="Column that names each row's experimental condition.")
]
Target = Annotated[str | None, typer.Option(help="Column that names the variable intervened upon.")]
Observational = Annotated[str | None, typer.Option(help="The condition without intervention.")]
DropCondition = Annotated[
    list[str] | None,
    typer.Option(
        "--drop-condition",
        metavar="NAME",
        help="Condition whose rows to leave out; may be given more than once.",
    ),
]
Series = Annotated[bool, typer.Option("--series", help="The rows are ordered in time.")]
Discrete = Annotated[
    bool, typer.Option("--discrete", help="All columns are discrete: values are levels.")
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        "--drop",
        metavar="COLUMN",
        help="Column to leave out, such as an index; may be given more than once.",
    ),
]
Continuous = Annotated[
    bool,
    typer.Option(
        "--continuous",
        help="All columns are numbers, even those that look like an index or like levels.",
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        help="Field separator of text files: , ; tab or space. Default: detected from the file."
    ),
]
Transpose = Annotated[
    bool,
    typer.Option(
        "--transpose",
        help="Reverse the edges: for a matrix whose entry in row i, column j means j -> i.",
    ),
]


def settled(
    drop: list[str] | None, discrete: bool, continuous: bool, separator: str | None
) -> dict[str, Any]:
    """Return what `causalassay.data.read` takes for these options.

    Examples
    --------
    >>> settled(["id"], False, False, None)
    {'discrete': (), 'drop': ['id'], 'separator': None}
    >>> settled(None, False, True, ";")
    {'discrete': False, 'drop': [], 'separator': ';'}
    """
    if discrete and continuous:
        raise ValueError("--discrete and --continuous: pass one of them, or neither")
    kinds = True if discrete else False if continuous else ()
    dropped = [] if continuous and not drop else drop or None
    return {"discrete": kinds, "drop": dropped, "separator": separator}


@contextmanager
def printed_notes() -> Iterator[None]:
    """Print what readers of files take for granted as notes on stderr."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", ReadingNote)
        others = warnings.showwarning

        def show(message: Any, category: Any, *rest: Any, **options: Any) -> None:
            if issubclass(category, ReadingNote):
                line = f"note: {escaped(str(message))}"
                Console(stderr=True).print(line, style="yellow", soft_wrap=True, highlight=False)
            else:
                others(message, category, *rest, **options)

        warnings.showwarning = show
        yield
