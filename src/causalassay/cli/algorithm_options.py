"""The options that name algorithms on the command line, read as a study file reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from causalassay.cli.options import complete_algorithm, complete_study
from causalassay.cli.program_permission import permit

if TYPE_CHECKING:
    from causalassay.contracts import Algorithm
    from causalassay.study.language.mistakes import Location, Mistakes
    from causalassay.study.plan import AlgorithmEntry

_FORMS = (
    "A name of `causalassay list algorithms`, my_algorithm.py:MyClass, or a table as in a study: "
    '{use = "pc", alpha = 0.01}'
)

OneAlgorithm = Annotated[
    str,
    typer.Option("--algorithm", help=f"{_FORMS}.", autocompletion=complete_algorithm),
]
SeveralAlgorithms = Annotated[
    list[str] | None,
    typer.Option(
        "--algorithm",
        help=f"{_FORMS}. May be given more than once.",
        autocompletion=complete_algorithm,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="A setting of the algorithm, such as alpha=0.01. May be given more than once.",
    ),
]
AlgorithmsOfStudy = Annotated[
    Path | None,
    typer.Option(
        "--study",
        help="Take the algorithms that a study file lists; of its limits and problems nothing.",
        autocompletion=complete_study,
    ),
]


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
    >>> found = read_algorithms(["ges", '{use = "pc", alpha = 0.5, name = "loose PC"}'])
    >>> list(found), found["loose PC"].alpha
    (['ges', 'loose PC'], 0.5)
    """
    from causalassay.study.language.mistakes import Location, Mistakes

    mistakes = Mistakes()
    places = ["--algorithm", *(f"--algorithm {step}" for step in range(1, len(stated) + 1))]
    places = places[:1] if len(stated) == 1 else places[1:]
    tables = [
        (_table(text, place, mistakes), Location(place))
        for text, place in zip(stated, places, strict=True)
    ]
    entries = _entries(tables, folder or Path.cwd(), mistakes, own_limits=False)
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
    entries = _entries([(table, location)], folder or Path.cwd(), mistakes, own_limits=False)
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
    from causalassay.study.language.mistakes import Location, Mistakes
    from causalassay.study.language.study_file import study_text
    from causalassay.study.language.toml_tables import read_tables
    from causalassay.study.programs import programs_of

    stated = read_tables(study_text(path), path.name).get("algorithms")
    if not isinstance(stated, list) or not stated:
        raise ValueError(f"{path}: the study lists no algorithms; expected `algorithms = […]`")
    mistakes = Mistakes()
    tables = [(one, Location(f"algorithms[{step}]")) for step, one in enumerate(stated)]
    entries = _entries(tables, path.parent, mistakes, own_limits=True)
    _raise_for(mistakes, path.name, prefix=f"{path.name}: ")
    permit(programs_of(entries), allow_programs)
    return _by_label(entries)


def _table(stated: str, place: str, mistakes: Mistakes) -> Any:
    """Return the name or the table that a text is; None, and a mistake, if it is neither."""
    if not stated.strip():
        mistakes.add(place, f"is empty; {_FORMS}")
        return None
    if not stated.lstrip().startswith("{"):
        return stated
    from causalassay.study.language.toml_tables import read_value

    if "\n" in stated or "\r" in stated:
        mistakes.add(place, "the table has a line break; write it on one line")
        return None
    before = mistakes.noted
    table = read_value(stated, place, mistakes)
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
    from causalassay.study.language.mistakes import Mistakes
    from causalassay.study.language.toml_tables import read_value

    if "\n" in text or "\r" in text:
        return text
    mistakes = Mistakes()
    value = read_value(text, "", mistakes)
    return text if mistakes.lines else value


def _entries(
    tables: Sequence[tuple[Any, Location]], folder: Path, mistakes: Mistakes, *, own_limits: bool
) -> list[AlgorithmEntry]:
    """Return the entries of a study that the tables declare, every mistake noted."""
    from causalassay.processes.limits import Limits
    from causalassay.study.language.algorithms import AlgorithmReader, TunedAlgorithm
    from causalassay.study.language.metrics import MetricReader
    from causalassay.study.language.study_file import check_distinct

    reader = AlgorithmReader(folder, Limits(), MetricReader(mistakes), mistakes)
    placed: list[tuple[AlgorithmEntry, Location]] = []
    for table, location in tables:
        for entry, where in [] if table is None else reader.read(table, location):
            if isinstance(entry, TunedAlgorithm):
                reason = "a data file has no systems to tune on; state the settings instead"
                mistakes.add(where.at("tune"), reason)
            elif entry.limits != Limits() and not own_limits:
                key = _limit_key(table)
                mistakes.add(where.at(key), "is for studies; stop this command with Ctrl-C")
            else:
                placed.append((entry, where))
    check_distinct(placed, mistakes)
    return [entry for entry, _ in placed]


def _limit_key(table: Mapping[str, Any]) -> str:
    return next(key for key in ("seconds", "memory") if key in table)


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
