"""The command `list`."""

from __future__ import annotations

import json
import shutil
import sys
from contextlib import redirect_stdout
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.padding import Padding

from causalassay.cli.completion import complete_listed
from causalassay.cli.options import AsJson
from causalassay.cli.printing import escaped
from causalassay.short_lines import PARTS, announced, known_names, short_lines
from causalassay.spelling import did_you_mean, visible


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
        typer.echo(json.dumps(_catalogue(what), indent=2))
    else:
        for line in _lines(what):
            typer.echo(line)


def _lines(part: str) -> list[str]:
    """Return a line for each name; what other packages announce is imported to be described."""
    known = short_lines(part)
    if announced(part):
        known = {str(row.get("name", row.get("kind"))): _described(row) for row in _catalogue(part)}
        known = {name: line for name, line in known.items() if name not in short_lines("controls")}
    if part == "algorithms":
        known |= {name: f"{known[name]} ({hint})" for name, hint in _absent().items()}
    width = max(map(len, known))
    lines = [_cut(visible(f"{name:<{width}}  {line}")) for name, line in known.items()]
    if part == "metrics":
        lines.append("Controls, reported with the scores: " + ", ".join(short_lines("controls")))
    return lines


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


def _cut(line: str) -> str:
    """Return a line that fits a terminal; elsewhere all of it."""
    width = shutil.get_terminal_size().columns
    return line if not sys.stdout.isatty() or len(line) <= width else f"{line[: width - 1]}…"


def _catalogue(part: str) -> list[dict[str, Any]]:
    from causalassay.catalogue import catalogue

    with redirect_stdout(sys.stderr):  # what a plug-in prints when it is imported is no JSON
        return catalogue(part)


def _show(name: str, as_json: bool) -> None:
    found = _named(name)
    if not found:
        all_names = f"list one of {', '.join(PARTS)} to see all names"
        hint = did_you_mean(name, [*PARTS, *known_names()], all_names)
        raise ValueError(f"nothing is called {name!r}; {hint}")
    from causalassay.part_details import part_details

    with redirect_stdout(sys.stderr):
        shown = [part_details(part, one) for one, part in found.items()]
    if as_json:
        typer.echo(json.dumps(shown if len(shown) > 1 else shown[0], indent=2))
        return
    for details in shown:
        _print_details(details, Console())


def _named(name: str) -> dict[str, str]:
    """Return the parts of what a name means: itself, or a model of that kind and any mechanism."""
    known = known_names()
    if name in known:
        return {name: known[name]}
    models = [one for one, part in known.items() if part == "models"]
    return dict.fromkeys((one for one in models if one.partition(".")[2] == name), "models")


def _print_details(details: dict[str, Any], console: Console) -> None:
    name, part = escaped(details.pop("name")), details.pop("part")
    parameters = details.pop("parameters", [])
    console.print(f"[bold]{name}[/] ({part.removesuffix('s')})", highlight=False)
    for heading, value in details.items():
        label = heading.replace("_", " ")
        _print_indented(f"[dim]{label}:[/] {_shown(value)}", 4, console)
    if parameters:
        _print_indented("[dim]parameters:[/]", 4, console)
    for one in parameters:
        default = "required" if one["default"] == "required" else f"default {one['default']}"
        text = escaped(f"{one['type']}, {default}. {one['meaning']}".strip())
        _print_indented(f"[bold]{escaped(one['name'])}[/]: {text}", 8, console)


def _print_indented(text: str, by: int, console: Console) -> None:
    console.print(Padding(text, (0, 0, 0, by)), highlight=False)


def _shown(value: str | bool) -> str:
    return escaped(value) if isinstance(value, str) else "yes" if value else "no"
