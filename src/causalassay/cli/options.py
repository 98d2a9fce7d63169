"""What signatures of commands share: options, what a shell completes, how flags look in help.

Nothing heavy is imported for completion.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from causalassay.environments.catalogue import environments
from causalassay.listing import PARTS, known_names

STORE = "study.sqlite"
"""The file that makes a folder one of results."""


def complete_listed(incomplete: str) -> list[str]:
    """Return what `causalassay list` takes and begins so.

    Examples
    --------
    >>> complete_listed("note"), complete_listed("algo")
    (['notears'], ['algorithms'])
    """
    return [name for name in (*PARTS, *known_names()) if name.startswith(incomplete)]


def complete_algorithm(incomplete: str) -> list[str]:
    """Return the algorithms that begin so, or Python files and folders on the way there.

    Examples
    --------
    >>> complete_algorithm("note")
    ['notears']
    """
    known = known_names()
    named = [name for name in known if known[name] == "algorithms" and name.startswith(incomplete)]
    files = [str(path) for path in _beginning(incomplete) if path.suffix == ".py"]
    return [*named, *files] or [f"{folder}/" for folder in _folders(incomplete)]


def complete_environment(incomplete: str) -> list[str]:
    """Return the environments that begin so.

    Examples
    --------
    >>> complete_environment("ling")
    ['lingam']
    """
    return [name for name in environments() if name.startswith(incomplete)]


def complete_results(incomplete: str) -> list[str]:
    """Return the folders of results that begin so, and folders on the way there."""
    return [f"{folder}" for folder in _folders(incomplete) if (folder / STORE).is_file()] or [
        f"{folder}/" for folder in _folders(incomplete)
    ]


def complete_study(incomplete: str) -> list[str]:
    """Return the TOML files that begin so, and folders on the way there."""
    files = [str(path) for path in _beginning(incomplete) if path.suffix == ".toml"]
    return files or [f"{folder}/" for folder in _folders(incomplete)]


def _folders(incomplete: str) -> list[Path]:
    return [path for path in _beginning(incomplete) if path.is_dir()]


def _beginning(incomplete: str) -> Iterator[Path]:
    """Yield what is in the folder that a path is in, and begins like its last part."""
    folder, _, name = incomplete.rpartition("/")
    parent = Path(folder or ("/" if incomplete.startswith("/") else "."))
    try:
        found = sorted(parent.iterdir())
    except OSError:
        return
    for path in found:
        if path.name.startswith(name) and (name or not path.name.startswith(".")):
            yield path


Folder = Annotated[
    Path,
    typer.Argument(help="The study's results folder.", autocompletion=complete_results),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


class PlainCommand(TyperCommand):
    """A command whose flags have no `<bool>` in its help."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, flags without a type."""
        return _without_types(super().get_params(ctx))


class PlainGroup(TyperGroup):
    """A group of commands whose flags have no `<bool>` in its help."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, flags without a type."""
        return _without_types(super().get_params(ctx))


def _without_types(parameters: list[Any]) -> list[Any]:
    for one in parameters:
        if getattr(one, "is_flag", False):
            one.display_type_rich = _no_type
    return parameters


def _no_type(ctx: Any) -> None:
    """Show nothing where the type of an option's value would be."""
