"""The command `domain`: factorial experiments on real systems."""

from __future__ import annotations

import typer

from causalassay.cli.domain_http import http
from causalassay.cli.domain_postgres import postgres
from causalassay.cli.plain_flags import PlainCommand, PlainGroup

domain = typer.Typer(
    help="Real factorial experiments.\n\nExample: causalassay domain postgres --out experiment",
    no_args_is_help=True,
    cls=PlainGroup,
)


@domain.callback()
def _group() -> None:
    """Hold the commands."""


domain.command("postgres", cls=PlainCommand)(postgres)
domain.command("http", cls=PlainCommand)(http)
