"""The command `domain`: factorial experiments on real systems."""

from __future__ import annotations

import typer

from causalassay.cli.domain.evaluation import file, jdk
from causalassay.cli.domain.measuring import http, postgres
from causalassay.cli.options import PlainCommand, PlainGroup

domain = typer.Typer(
    help="Judge algorithms on real factorial experiments, whose laws are known.\n\n"
    "Example: causalassay domain jdk --data folder/",
    no_args_is_help=True,
    cls=PlainGroup,
)

domain.command("jdk", cls=PlainCommand)(jdk)
domain.command("postgres", cls=PlainCommand)(postgres)
domain.command("http", cls=PlainCommand)(http)
domain.command("file", cls=PlainCommand)(file)
