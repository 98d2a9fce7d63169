"""The command `new`: working beginnings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from causalassay.cli.options import AsJson, PlainCommand, PlainGroup

new = typer.Typer(
    help="Write a working template: a study file or an algorithm package.\n\n"
    "Example: causalassay new study first-look",
    no_args_is_help=True,
    cls=PlainGroup,
)


@new.command(cls=PlainCommand)
def algorithm(
    name: Annotated[
        str, typer.Argument(help="Lower-case letters, digits and hyphens, such as my-algorithm.")
    ],
    folder: Annotated[Path, typer.Option(help="Where to create the package's folder.")] = Path(),
    as_json: AsJson = False,
) -> None:
    """Write a plug-in package: one algorithm, its entry point and its tests.

    You need no package for a first try: a study can use a class in a file,
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
    """Write a commented study file that runs as it is.

    Example: causalassay new study first-look && causalassay run first-look.toml
    """
    from causalassay.scaffold import new_study

    file = new_study(name, folder)
    if as_json:
        typer.echo(json.dumps({"files": [str(file)]}, indent=2))
        return
    typer.echo(file)
    typer.echo(f"\nNow: causalassay run {file}")
