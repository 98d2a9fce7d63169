"""Asks before programs are run that a study names, and remembers a yes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from causalassay.study.programs import Program

AllowPrograms = Annotated[
    bool,
    typer.Option("--allow-programs", help="Run the programs that the study names without asking."),
]


def permit(programs: Sequence[Program], allowed: bool) -> None:
    """Say which programs will be run; raise a ValueError unless the user allows it.

    A yes on the terminal is remembered by what the programs are: neither the same ones
    nor fewer are asked for again, and an edited script is.

    Parameters
    ----------
    programs : sequence of Program
    allowed : bool
        Whether the user has said yes on the command line.
    """
    new = [] if allowed else [program for program in programs if not _answer(program).is_file()]
    if new and not _on_terminal():
        lines = " | ".join(program.line for program in new)
        raise ValueError(
            f"this study runs programs on your machine: {lines}; add --allow-programs if you "
            "trust them"
        )
    for program in programs:
        typer.echo(f"program: {program.line}", err=True)
    if not new:
        return
    if not _confirmed():
        raise ValueError("you did not allow the programs; nothing was run")
    for program in new:
        _remember(program)


def _on_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _confirmed() -> bool:
    try:
        return typer.confirm(
            "This study runs these programs on your machine. Allow them?", err=True
        )
    except typer.Abort:  # Ctrl-C, or the end of the input
        return False


def _answer(program: Program) -> Path:
    """Return the file whose presence is a yes to the program."""
    stated = Path(os.environ.get("XDG_STATE_HOME", ""))
    home = os.path.expanduser("~/.local/state")  # noqa: PTH111
    state = stated if stated.is_absolute() else Path(home)
    return state / "causalassay" / "allowed-programs" / program.digest


def _remember(program: Program) -> None:
    file = _answer(program)
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.write_text(program.line + "\n", encoding="utf-8")
    except OSError as reason:
        typer.echo(f"note: your answer could not be stored: {reason}", err=True)
