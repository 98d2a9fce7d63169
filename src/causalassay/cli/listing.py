"""The command `list`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from typing import Annotated, Any

import typer
from rich.console import Console

from causalassay.cli.options import AsJson, complete_listed
from causalassay.cli.printing import LINE_WIDTH, wide_console
from causalassay.common.spelling import did_you_mean
from causalassay.listing import PARTS, announced, known_names, short_lines
from causalassay.present.document import Block, Column, Facts, Prose, Table
from causalassay.present.formatting import formatted, shortened
from causalassay.present.json_values import plain_values
from causalassay.present.terminal import GAP, print_blocks, print_table


def list_parts(
    what: Annotated[
        str,
        typer.Argument(
            help="algorithms, graphs, models, metrics or diagnostics; or a name, such as notears.",
            autocompletion=complete_listed,
        ),
    ] = "algorithms",
    as_json: AsJson = False,
) -> None:
    """List the names that a study can use, one per line; or describe one name.

    The description of one name has its parameters with types and defaults, the
    data it takes, its assumptions and its reference.

    Example: causalassay list algorithms && causalassay list notears
    """
    if what not in PARTS:
        _show(what, as_json)
    elif as_json:
        typer.echo(json.dumps(plain_values(_catalogue(what)), indent=2))
    else:
        _print_lines(what)


def _print_lines(part: str) -> None:
    """Print a row for each name; what other packages announce is imported to be described."""
    known = short_lines(part)
    if announced(part):
        known = {str(row.get("name", row.get("kind"))): _described(row) for row in _catalogue(part)}
        known = {name: line for name, line in known.items() if name not in short_lines("controls")}
    if part == "algorithms":
        known |= {name: f"{known[name]} ({hint})" for name, hint in _absent().items()}
    console = wide_console(LINE_WIDTH)
    room = console.width - 2 * GAP - max(map(len, known))
    rows = [(name, shortened(line, room)) for name, line in known.items()]
    columns = (Column("name", part.removesuffix("s")), Column("what", "what it is"))
    print_table(Table(part, columns, rows), console)
    if part == "metrics":
        controls = ", ".join(short_lines("controls"))
        print_blocks([Prose(f"Controls, reported with the scores: {controls}")], console)


def _absent() -> dict[str, str]:
    """Return what to do for each algorithm whose environment is not installed."""
    from causalassay.environments.catalogue import environment, environment_algorithms
    from causalassay.environments.installing import state

    homes = {name: environment(one.environment) for name, one in environment_algorithms().items()}
    return {
        name: f"not installed: {home.install_command}"
        for name, home in homes.items()
        if state(home).python is None
    }


def _described(row: dict[str, Any]) -> str:
    if reason := row.get("cannot_be_loaded"):
        return f"({row['package']}) cannot run here: {reason}"
    return str(row["what"])


def _catalogue(part: str) -> list[dict[str, Any]]:
    from causalassay.catalogue import catalogue

    with redirect_stdout(sys.stderr):  # what a plug-in prints when it is imported is no JSON
        return catalogue(part)


def _show(name: str, as_json: bool) -> None:
    parts = _named(name)
    if not parts:
        all_names = f"list one of {', '.join(PARTS)} to see all names"
        hint = did_you_mean(name, [*PARTS, *known_names()], all_names)
        raise ValueError(f"nothing is called {name!r}; {hint}")
    from causalassay.catalogue import part_details

    with redirect_stdout(sys.stderr):
        known = [part_details(part, one) for one, part in parts.items()]
    if as_json:
        typer.echo(json.dumps(plain_values(known if len(known) > 1 else known[0]), indent=2))
        return
    console = Console()
    for place, details in enumerate(known):
        if place:
            console.print()
        print_blocks([*_details(**details)], console)


def _named(name: str) -> dict[str, str]:
    """Return the parts of what a name means: itself, or a model of that kind and any mechanism."""
    known = known_names()
    if name in known:
        return {name: known[name]}
    models = [one for one, part in known.items() if part == "models"]
    return dict.fromkeys((one for one in models if one.partition(".")[2] == name), "models")


def _details(
    name: str, part: str, parameters: Sequence[dict[str, str]] = (), **facts: str | bool
) -> Iterator[Block]:
    """Yield what there is to know of one name."""
    yield Prose(f"{name} ({part.removesuffix('s')})", "strong")
    yield Facts({key.replace("_", " "): formatted(value) for key, value in facts.items()})
    if parameters:
        yield Prose("parameters", "strong")
    for row in parameters:
        default = row["default"] if row["default"] == "required" else f"default {row['default']}"
        yield Facts({row["name"]: f"{row['type']}, {default}. {row['meaning']}".strip()})
