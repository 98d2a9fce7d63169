"""The command `env`: environments of third-party packages."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from causalassay.cli.interruptions import answered_in_one_line
from causalassay.cli.options import AsJson, PlainCommand, PlainGroup, complete_environment
from causalassay.cli.printing import EVERY_SECONDS, LINE_WIDTH, escaped, wide_console
from causalassay.present.document import Column, Table
from causalassay.present.json_values import plain_values
from causalassay.present.terminal import print_table

if TYPE_CHECKING:
    from causalassay.environments.catalogue import (
        AlgorithmDefinition,
        EnvironmentDefinition,
        GeneratorDefinition,
    )

env = typer.Typer(
    help="Install third-party packages, each in an environment of its own.\n\n"
    "Example: causalassay env install lingam && causalassay env check lingam",
    no_args_is_help=True,
    cls=PlainGroup,
)

Names = Annotated[
    list[str],
    typer.Argument(help="Of environments; see `list`.", autocompletion=complete_environment),
]

_MEGABYTE = 1e6


@env.command("list", cls=PlainCommand)
def list_environments(as_json: AsJson = False) -> None:
    """List the environments: what is installed, sizes, licences, algorithms, generators.

    Example: causalassay env list
    """
    from causalassay.environments.catalogue import broken_environments, environments

    rows = [_row(one) for one in environments().values()]
    if as_json:
        plain = plain_values({"environments": rows, "cannot_be_read": broken_environments()})
        typer.echo(json.dumps(plain, indent=2))
        return
    columns = (
        Column("name", "name"),
        Column("installed", "installed"),
        Column("download_mb", "download (MB)", "count"),
        Column("licence", "licence"),
        Column("algorithms", "algorithms"),
        Column("generators", "generators"),
    )
    cells = [[_cell(row[column.key]) for column in columns] for row in rows]
    broken = [f"cannot be read: {mistake}" for mistake in broken_environments().values()]
    print_table(Table("environments", columns, cells, notes=broken), wide_console(LINE_WIDTH))


@env.command(cls=PlainCommand)
def install(names: Names, as_json: AsJson = False) -> None:
    """Install environments; nothing is shared with your own packages.

    Each is built with pip in the cache folder, or in the folder that the variable
    CAUSALASSAY_ENVIRONMENTS names.

    Example: causalassay env install lingam
    """
    from causalassay.environments.catalogue import environment

    installed = install_all([environment(name) for name in names])
    if as_json:
        typer.echo(json.dumps(installed, indent=2))


@env.command(cls=PlainCommand)
def remove(names: Names, as_json: AsJson = False) -> None:
    """Remove environments from the disk.

    Example: causalassay env remove lingam
    """
    from causalassay.environments.catalogue import environment
    from causalassay.environments.installing import remove as remove_one

    counts = {home.name: remove_one(home) for home in [environment(name) for name in names]}
    if as_json:
        typer.echo(json.dumps(counts, indent=2))
        return
    for name, count in counts.items():
        typer.echo(f"{name}: {'removed' if count else 'was not installed'}")


@env.command(cls=PlainCommand)
def check(
    names: Names,
    seconds: Annotated[
        float, typer.Option(min=1.0, help="What each algorithm or generator may take.")
    ] = 600.0,
    as_json: AsJson = False,
) -> None:
    """Run each algorithm of environments on small data, and draw from each generator.

    Networks are trained briefly. The exit code is 1 if one of them finds no graph or draws no data,
    or is ended: after --seconds, after 300 s of imports, or when it has printed 256 MB.

    Example: causalassay env check lingam
    """
    from causalassay.discovery.environment_checks import check_environment
    from causalassay.environments.catalogue import environment
    from causalassay.environments.installing import state

    homes = [environment(name) for name in names]
    for home in homes:
        if reason := state(home).reason:
            raise ValueError(reason)
    checked = []
    for one in (each for home in homes for each in check_environment(home, seconds)):
        checked.append(one)
        if not as_json:
            typer.echo(f"{one.name}: {one.reason or 'ok'} ({one.seconds:.1f} s)")
    if as_json:
        typer.echo(json.dumps(plain_values(checked), indent=2))
    if any(one.reason for one in checked):
        raise typer.Exit(1)


def install_all(wanted: Sequence[EnvironmentDefinition]) -> dict[str, dict[str, Any]]:
    """Install environments one after the other; say on stderr what is downloaded, and what came.

    Raises
    ------
    NotBuilt
        If one cannot be made.
    """
    from causalassay.environments.installing import NotBuilt, bytes_on_disk, folder_of, state
    from causalassay.environments.installing import install as install_one

    installed = {}
    for home in wanted:
        folder = folder_of(home)
        if state(home).python is not None:
            _say(f"{home.name}: already installed in {folder}")
        else:
            _say(f"{home.name}: {_size(home)}, licence {home.licence}, into {folder}")
        began = time.perf_counter()
        try:
            with (
                answered_in_one_line(f"{home.name} is not installed"),
                _progress(home.name) as on_line,
            ):
                install_one(
                    home, on_line, lambda: _say("another process is installing it: waiting")
                )
        except NotBuilt as reason:
            raise NotBuilt(f"{home.name}: {reason}") from reason
        seconds, size = time.perf_counter() - began, bytes_on_disk(folder)
        installed[home.name] = {"folder": str(folder), "bytes": size, "seconds": seconds}
        names = ", ".join(_names(home.algorithms) + _names(home.generators))
        _say(f"{home.name}: {size / _MEGABYTE:.0f} MB after {seconds:.0f} s: {names}")
    return installed


def note_absent(absent: Sequence[EnvironmentDefinition], on_cluster: bool = False) -> None:
    """Say on stderr which rows will be skipped, and how they would not be."""
    for home in absent:
        if on_cluster:
            _say(
                f"note: the environment {home.name} is not installed here; each worker looks for "
                f"it on its own machine, and skips its rows if it is absent"
            )
        else:
            _say(
                f"note: the environment {home.name} is not installed, so its rows are skipped; "
                f"--install installs it ({_size(home)})"
            )


def _row(home: EnvironmentDefinition) -> dict[str, Any]:
    from causalassay.environments.installing import folder_of, state

    found = state(home)
    return {
        "name": home.name,
        "installed": found.python is not None,
        "reason": found.reason,
        "folder": str(folder_of(home)),
        "licence": home.licence,
        "download_mb": home.download_mb,
        "disk_mb": home.disk_mb,
        "pins": list(home.pins),
        "programs": list(home.programs),
        "algorithms": _names(home.algorithms),
        "generators": _names(home.generators),
    }


def _cell(value: object) -> object:
    return ", ".join(value) if isinstance(value, list) else value


def _names(things: Sequence[AlgorithmDefinition | GeneratorDefinition]) -> list[str]:
    return [one.name for one in things]


def _size(home: EnvironmentDefinition) -> str:
    return f"about {home.download_mb} MB to download, {home.disk_mb} MB on disk"


def _say(line: str) -> None:
    typer.echo(line, err=True)


@contextmanager
def _progress(label: str) -> Iterator[Callable[[str], None]]:
    """Show what pip is doing: on a terminal its last line, elsewhere one now and then."""
    last = time.monotonic()
    with Console(stderr=True).status(f"{label}: preparing") as shown:

        def on_line(line: str) -> None:
            nonlocal last
            if sys.stderr.isatty():
                shown.update(f"{label}: {escaped(line[:100])}")
            elif time.monotonic() - last > EVERY_SECONDS:
                _say(f"{label}: {line[:100]}")
                last = time.monotonic()

        yield on_line
