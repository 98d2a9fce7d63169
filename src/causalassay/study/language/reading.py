"""From a study file to a study, or to all of its mistakes at once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from causalassay.metrics.registry import DEFAULT_METRICS, SERIES_METRICS
from causalassay.spelling import did_you_mean
from causalassay.study.language.algorithm_tables import (
    BASELINES,
    SERIES_BASELINES,
    AlgorithmReader,
    Tuned,
    assemble,
    read_limits,
)
from causalassay.study.language.description import describe
from causalassay.study.language.metric_tables import MetricReader, read_diagnostics
from causalassay.study.language.mistakes import Mistakes, Place, StudyMistakes
from causalassay.study.language.problem_tables import ProblemReader
from causalassay.study.language.tables import StudyTable, validated
from causalassay.study.measures import DEFAULT_DIAGNOSTICS, SERIES_DIAGNOSTICS
from causalassay.study.plan import AlgorithmEntry, Limits, ProblemEntry, Study
from causalassay.study.problem_specs import FromFile, is_series

__all__ = ["StudyMistakes", "describe", "parse_study", "read_study"]

Entry = TypeVar("Entry", ProblemEntry, AlgorithmEntry)


def read_study(path: Path) -> Study:
    """Return the study that a file declares.

    Parameters
    ----------
    path : Path
        A TOML file; the paths of data files in it are relative to its folder.

    Raises
    ------
    StudyMistakes
        With a line for every mistake.
    OSError
        If there is no such file, or it is a folder.

    Examples
    --------
    >>> import tempfile
    >>> from causalassay.scaffold import new_study
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study = read_study(new_study("first-look", Path(folder)))
    >>> study.name, study.seed
    ('first-look', 1)
    """
    path = Path(path)
    return parse_study(_text(path), path.parent, path.name)


def parse_study(text: str, folder: Path, source: str = "study") -> Study:
    """Return the study that a text declares.

    Parameters
    ----------
    text : str
        TOML.
    folder : Path
        What the paths of data files are relative to.
    source : str
        What messages call the text.
    """
    try:
        whole = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise StudyMistakes(source, [_syntax(str(error), text)]) from None
    if not whole:
        raise StudyMistakes(source, ["the file is empty; `causalassay new study` writes one"])
    mistakes = Mistakes()
    study = _study(whole, text, folder, mistakes)
    if mistakes.lines or study is None:
        raise StudyMistakes(source, mistakes.lines)
    return study


def _text(path: Path) -> str:
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder, expected a study file (.toml)")
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        beside = sorted(one.name for one in path.parent.glob("*.toml"))
        hint = did_you_mean(path.name, beside) if beside else "`causalassay new study` writes one"
        raise FileNotFoundError(f"there is no file {path}; {hint}") from None
    except UnicodeDecodeError as error:
        told = f"not a text in UTF-8: byte {error.start} is {error.object[error.start]:#x}"
        raise StudyMistakes(path.name, [told]) from None


def _syntax(message: str, text: str) -> str:
    """Return why it is no TOML, with line and column also where it ends too early."""
    lines = text.split("\n")
    end = f"at line {len(lines)}, column {len(lines[-1]) + 1}"
    return "not TOML: " + re.sub("at end of document", end, message)


def _study(whole: dict[str, Any], text: str, folder: Path, mistakes: Mistakes) -> Study | None:
    head = validated(StudyTable, whole, Place(""), mistakes)
    # The parts are read from the text, not from `head`: a mistake there shall not hide theirs.
    stated = {
        name: whole.get(name, field.default) for name, field in StudyTable.model_fields.items()
    }
    metrics = MetricReader(mistakes)
    if "metrics" in whole:
        metrics.read(stated["metrics"], Place("metrics"))
    diagnostics = read_diagnostics(whole.get("diagnostics"), Place("diagnostics"), mistakes)
    limits = Limits()
    if isinstance(stated["limits"], dict):
        limits = read_limits(stated["limits"], limits, Place("limits"), mistakes) or limits
    seed = stated["seed"] if head or _is_seed(stated["seed"]) else 0
    problem_reader = ProblemReader(folder, seed, mistakes)
    problems = _read_all(problem_reader, stated["problems"], "problems")
    usual = _usual([entry for entry, _ in problems])
    if "metrics" not in whole:
        metrics.read(list(usual.metrics), Place("metrics"))
    if "diagnostics" not in whole:
        diagnostics = usual.diagnostics
    reader = AlgorithmReader(limits, metrics, mistakes)
    found = _read_all(reader, stated["algorithms"], "algorithms")
    _check_unlike(problems, mistakes)
    baselines = stated["baselines"] is not False
    algorithms = assemble(found, baselines, usual.baselines, limits, metrics, mistakes)
    places = [place for _, place in found]
    _check_unlike(list(zip(algorithms[: len(places)], places, strict=True)), mistakes)
    _check_held_out(problems, found, mistakes)
    if head is not None and not algorithms and not mistakes.lines:
        mistakes.add("algorithms", "missing; there is nothing to run")
    if head is None or mistakes.lines:
        return None
    return Study(
        name=head.name,
        seed=head.seed,
        replicates=head.replicates,
        problems=tuple(entry for entry, _ in problems),
        algorithms=algorithms,
        metrics=tuple(metrics.entries),
        diagnostics=diagnostics,
        text=text,
    )


class _Usual(NamedTuple):
    """What a study has where it does not say otherwise."""

    metrics: tuple[str, ...]
    diagnostics: tuple[str, ...]
    baselines: tuple[str, ...]


def _usual(problems: Sequence[ProblemEntry]) -> _Usual:
    """Return the usual parts for independent rows, for series, or, for both kinds, of both."""
    plain = _Usual(DEFAULT_METRICS, DEFAULT_DIAGNOSTICS, BASELINES)
    series = _Usual(SERIES_METRICS, SERIES_DIAGNOSTICS, SERIES_BASELINES)
    kinds = {is_series(entry.spec) for entry in problems}
    if kinds == {True}:
        return series
    if True not in kinds:
        return plain
    return _Usual(*(tuple(dict.fromkeys((*a, *b))) for a, b in zip(plain, series, strict=True)))


def _is_seed(seed: Any) -> bool:
    return isinstance(seed, int) and not isinstance(seed, bool) and seed >= 0


def _read_all(reader: Any, tables: Any, key: str) -> list[Any]:
    found = []
    for step, table in enumerate(tables if isinstance(tables, list) else []):
        found += reader.read(table, Place(f"{key}[{step}]"))
    return found


def _check_unlike(found: Sequence[tuple[Entry, Place]], mistakes: Mistakes) -> None:
    """Note things that are the same, and different things of one name."""
    keys: dict[str, tuple[Entry, Place]] = {}
    names: dict[str, Place] = {}
    for entry, place in found:
        table = Place(place.table)
        if entry.key in keys:
            twin, where = keys[entry.key]
            told = f"{entry.name!r} is the same as {twin.name!r} in {where.table}; remove one"
            mistakes.add(table, told)
        elif entry.name in names:
            told = f"{names[entry.name].table} is called {entry.name!r} too; give one a `name`"
            mistakes.add(table, told)
        keys.setdefault(entry.key, (entry, place))
        names.setdefault(entry.name, place)


def _check_held_out(
    problems: Sequence[tuple[ProblemEntry, Place]],
    found: Sequence[tuple[AlgorithmEntry | Tuned, Place]],
    mistakes: Mistakes,
) -> None:
    """Note data files that give no systems to tune on."""
    tuned = [one.entry.name for one, _ in found if isinstance(one, Tuned)]
    for entry, place in problems:
        if tuned and isinstance(entry.spec, FromFile) and entry.spec.bootstrap is None:
            told = (
                f"{tuned[0]!r} is tuned on held-out systems, and a data file has none; "
                "state `bootstrap`, or leave the tuning out"
            )
            mistakes.add(place.at("data"), told)
