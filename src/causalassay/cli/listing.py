"""The command `list`."""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from enum import StrEnum
from typing import Annotated

import typer
from rich.console import Console
from rich.padding import Padding

from causalassay.cli.printing import escaped


class Part(StrEnum):
    """What `causalassay list` can list."""

    algorithms = "algorithms"
    graphs = "graphs"
    models = "models"
    metrics = "metrics"
    diagnostics = "diagnostics"


def list_parts(
    what: Annotated[
        Part, typer.Argument(help="algorithms, graphs, models, metrics or diagnostics.")
    ] = Part.algorithms,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """List what can be named in studies, and why some of it cannot run here.

    Example: causalassay list algorithms
    """
    from causalassay.catalogue import catalogue

    with redirect_stdout(sys.stderr):  # what a plug-in prints when it is imported is no JSON
        rows = catalogue(what.value)
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    console = Console()
    for row in rows:
        _print_row(row, console)


def _print_row(row: dict[str, str | bool | None], console: Console) -> None:
    name, *details = row.items()
    title = f"[bold]{_shown(name[1])}[/]"
    if reason := row.get("cannot_be_loaded"):
        line = f"{title} ({_shown(row['package'])}) cannot run here: {_shown(reason)}"
        console.print(line, highlight=False, soft_wrap=True)
        return
    console.print(title, highlight=False)
    for heading, value in details:
        if value not in (None, ""):
            label = heading.replace("_", " ")
            detail = Padding(f"[dim]{label}:[/] {_shown(value)}", (0, 0, 0, 4))
            console.print(detail, highlight=False)


def _shown(value: str | bool | None) -> str:
    return escaped(value) if isinstance(value, str) else "yes" if value else "no"
