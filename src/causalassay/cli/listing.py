"""The command `list`."""

from __future__ import annotations

import json
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

    rows = catalogue(what.value)
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    console = Console()
    for row in rows:
        name, *details = row.items()
        console.print(f"[bold]{escaped(name[1])}[/]", highlight=False)
        for heading, text in details:
            if text:
                label = heading.replace("_", " ")
                line = Padding(f"[dim]{label}:[/] {escaped(text)}", (0, 0, 0, 4))
                console.print(line, highlight=False)
