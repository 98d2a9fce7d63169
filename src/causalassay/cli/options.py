"""Options and arguments that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from causalassay.cli.completion import complete_results

Folder = Annotated[
    Path,
    typer.Argument(help="The study's results folder.", autocompletion=complete_results),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
