"""The command `new`: working beginnings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from causalassay.cli.options import AsJson
from causalassay.cli.plain_flags import PlainCommand, PlainGroup

new = typer.Typer(
    help="Write a working beginning of your own.\n\nExample: causalassay new study first-look",
    no_args_is_help=True,
    cls=PlainGroup,
)


@new.command(cls=PlainCommand)
def algorithm(
    name: Annotated[str, typer.Argument(help="Small letters and hyphens, like my-algorithm.")],
    folder: Annotated[Path, typer.Option(help="Where to make the package's folder.")] = Path(),
    as_json: AsJson = False,
) -> None:
    """Write a plug-in package: one algorithm, its entry point and its conformance test.

    A first try needs no package: name a class in a file in the study,
    use = "my_algorithm.py:MyClass".

    Example: causalassay new algorithm my-algorithm
    """
    from causalassay.scaffold import new_algorithm

    files = new_algorithm(name, folder)
    if as_json:
        typer.echo(json.dumps({"files": [str(file) for file in files]}, indent=2))
        return
    for file in files:
        typer.echo(file)
    typer.echo(f"\nNow: pip install -e {folder / name} && pytest {folder / name}")


@new.command(cls=PlainCommand)
def study(
    name: Annotated[str, typer.Argument(help="Letters, digits, - and _; the file is NAME.toml.")],
    folder: Annotated[Path, typer.Option(help="Where to write it.")] = Path(),
    as_json: AsJson = False,
) -> None:
    """Write a study file with a comment on every part, which runs as it is.

    Example: causalassay new study first-look && causalassay run first-look.toml
    """
    from causalassay.scaffold import new_study

    file = new_study(name, folder)
    if as_json:
        typer.echo(json.dumps({"files": [str(file)]}, indent=2))
        return
    typer.echo(file)
    typer.echo(f"\nNow: causalassay run {file}")
