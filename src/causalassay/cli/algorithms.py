"""Algorithms named on the command line, read as a study file reads them, and leave to run programs.

A study names programs: they are shown, and run only if the user allows it. A yes is remembered.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from causalassay.cli.options import complete_algorithm, option

if TYPE_CHECKING:
    from causalassay.contracts import Algorithm
    from causalassay.study.language.mistakes import Location, Mistakes
    from causalassay.study.plan import AlgorithmEntry
    from causalassay.study.programs import Program

_FORMS = (
    "A name of `causalassay list algorithms`, my_algorithm.py:MyClass, or a table as in a study: "
    '{use = "pc", alpha = 0.01}'
)

AllowPrograms = Annotated[
    bool,
    typer.Option("--allow-programs", help="Run the programs that the study names without asking."),
]


def algorithm_option(*, several: bool) -> Any:
    """Declare the field ``algorithm`` of a group of options: one that is needed, or several."""
    default, more = (None, " May be given more than once.") if several else (..., "")
    return option(default, f"{_FORMS}.{more}", autocompletion=complete_algorithm)


def read_algorithms(stated: Sequence[str], folder: Path | None = None) -> dict[str, Algorithm]:
    """Return the algorithms that the texts of ``--algorithm`` name, by label.

    Parameters
    ----------
    stated : sequence of str
        Each as an entry of a study's ``algorithms``: ``gies``, ``my_algorithm.py:MyClass``, or
        ``{use = "pc", alpha = 0.01, name = "strict PC"}``; a ``grid`` gives several.
    folder : Path, optional
        What paths are relative to; the working folder if left out.

    Raises
    ------
    ValueError
        With every mistake and its place.

    Examples
    --------
    >>> named = read_algorithms(["ges", '{use = "pc", alpha = 0.5, name = "loose PC"}'])
    >>> list(named), named["loose PC"].alpha
    (['ges', 'loose PC'], 0.5)
    """
    from causalassay.study.language.mistakes import Location, Mistakes

    mistakes = Mistakes()
    tables = []
    for step, text in enumerate(stated, 1):
        where = "--algorithm" if len(stated) == 1 else f"--algorithm {step}"
        tables.append((_table(text, where, mistakes), Location(where)))
    entries = _entries(tables, folder or Path.cwd(), mistakes, has_limits=False)
    _raise_for(mistakes, "--algorithm")
    return _by_label(entries)


def read_one_algorithm(
    stated: str, settings: Sequence[str] = (), folder: Path | None = None
) -> tuple[str, Algorithm]:
    """Return the algorithm of ``--algorithm`` with those of ``--set``, and its label.

    Parameters
    ----------
    stated : str
        As in `read_algorithms`.
    settings : sequence of str
        Each ``NAME=VALUE``; what is no TOML value is text.
    folder : Path, optional
        What paths are relative to; the working folder if left out.

    Examples
    --------
    >>> read_one_algorithm("pc", ["alpha=0.5"])[1].alpha
    0.5
    >>> read_one_algorithm("pc", ["alfa=0.5"])
    Traceback (most recent call last):
    ValueError: --set alfa: 'pc' has no such parameter; it takes ...
    """
    from causalassay.study.language.mistakes import Location, Mistakes

    mistakes = Mistakes()
    names = [setting.partition("=")[0].strip() for setting in settings]
    location = Location("--algorithm", elsewhere={name: f"--set {name}" for name in names})
    table = _with_settings(_table(stated, "--algorithm", mistakes), settings, mistakes)
    entries = _entries([(table, location)], folder or Path.cwd(), mistakes, has_limits=False)
    if len(entries) > 1:
        mistakes.add(location, f"its grid has {len(entries)} algorithms, expected one")
    _raise_for(mistakes, "--algorithm")
    return next(iter(_by_label(entries).items()))


def read_study_algorithms(path: Path, *, allow_programs: bool = False) -> dict[str, Algorithm]:
    """Return the algorithms that a study file lists, by label; the user is asked about programs.

    Nothing else of the file is read: its data files need not be there. Its limits are not
    applied. A tuned algorithm is a mistake, for a data file has no systems to tune on.

    Parameters
    ----------
    path : Path
        Of a study file; paths in it are relative to its folder.
    allow_programs : bool
        Whether the user has said yes to the programs and Python files that it names.
    """
    from causalassay.study.language.mistakes import Location, Mistakes, read_tables
    from causalassay.study.language.study_file import study_text
    from causalassay.study.programs import programs_of

    stated = read_tables(study_text(path), path.name).get("algorithms")
    if not isinstance(stated, list) or not stated:
        raise ValueError(f"{path}: the study lists no algorithms; expected `algorithms = […]`")
    mistakes = Mistakes()
    tables = [(table, Location(f"algorithms[{step}]")) for step, table in enumerate(stated)]
    entries = _entries(tables, path.parent, mistakes, has_limits=True)
    _raise_for(mistakes, path.name, prefix=f"{path.name}: ")
    permit(programs_of(entries), allow_programs)
    return _by_label(entries)


def _table(stated: str, where: str, mistakes: Mistakes) -> Any:
    """Return the name or the table that a text is; None, and a mistake, if it is neither."""
    if not stated.strip():
        mistakes.add(where, f"is empty; {_FORMS}")
        return None
    if not stated.lstrip().startswith("{"):
        return stated
    from causalassay.study.language.mistakes import read_value

    if "\n" in stated or "\r" in stated:
        mistakes.add(where, "the table has a line break; write it on one line")
        return None
    before = mistakes.noted
    table = read_value(stated, where, mistakes)
    return table if mistakes.noted == before else None


def _with_settings(table: Any, settings: Sequence[str], mistakes: Mistakes) -> Any:
    if table is None or not settings:
        return table
    whole = {"use": table} if isinstance(table, str) else dict(table)
    for setting in settings:
        name, equals, text = setting.partition("=")
        name = name.strip()
        if not equals or not name:
            mistakes.add("--set", f"got {setting!r}, expected NAME=VALUE, such as alpha=0.01")
        elif name in whole:
            mistakes.add("--set", f"{name!r} is stated twice; leave one out")
        else:
            whole[name] = _value(text.strip())
    return whole


def _value(text: str) -> Any:
    """Return the TOML value that a text is, or the text."""
    from causalassay.study.language.mistakes import Mistakes, read_value

    if "\n" in text or "\r" in text:
        return text
    mistakes = Mistakes()
    value = read_value(text, "", mistakes)
    return text if mistakes.lines else value


def _entries(
    tables: Sequence[tuple[Any, Location]], folder: Path, mistakes: Mistakes, *, has_limits: bool
) -> list[AlgorithmEntry]:
    """Return the entries of a study that the tables declare, every mistake noted.

    Only a study `has_limits` of time and memory, and reserves cores and cards.
    """
    from causalassay.processes.limits import Limits
    from causalassay.processes.resources import NO_NEEDS
    from causalassay.study.language.algorithms import (
        FOR_STUDIES,
        AlgorithmReader,
        MetricReader,
        TunedAlgorithm,
    )
    from causalassay.study.language.study_file import check_distinct

    reader = AlgorithmReader(folder, Limits(), MetricReader(mistakes), mistakes)
    placed: list[tuple[AlgorithmEntry, Location]] = []
    for table, location in tables:
        for entry, where in [] if table is None else reader.read(table, location):
            if isinstance(entry, TunedAlgorithm):
                reason = "a data file has no systems to tune on; state the settings instead"
                mistakes.add(where.at("tune"), reason)
            elif (entry.limits, entry.needs) != (Limits(), NO_NEEDS) and not has_limits:
                key = next(key for key in FOR_STUDIES if key in table)
                mistakes.add(where.at(key), "is for studies; stop this command with Ctrl-C")
            else:
                placed.append((entry, where))
    check_distinct(placed, mistakes)
    return [entry for entry, _ in placed]


def _raise_for(mistakes: Mistakes, source: str, prefix: str = "") -> None:
    """Raise if there is a mistake: one on one line, several as a study file has them.

    Parameters
    ----------
    mistakes : Mistakes
    source : str
        What was read.
    prefix : str
        Before a mistake that is alone, where its location does not say what was read.
    """
    from causalassay.study.language.mistakes import StudyMistakes

    match mistakes.lines:
        case []:
            pass
        case [line]:
            raise ValueError(prefix + line)
        case lines:
            raise StudyMistakes(source, lines)


def _by_label(entries: Sequence[AlgorithmEntry]) -> dict[str, Algorithm]:
    return {entry.name: entry.algorithm for entry in entries}  # type: ignore[misc]


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
