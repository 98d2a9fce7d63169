"""From a study file to a study, or to all of its mistakes at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from causalassay.opening import as_text, read_bytes
from causalassay.spelling import did_you_mean
from causalassay.study.language.algorithms import AlgorithmReader, TunedAlgorithm, read_limits
from causalassay.study.language.assembly import assemble, baseline_entries
from causalassay.study.language.controls import (
    control_diagnostics,
    control_metrics,
    needs_controls,
)
from causalassay.study.language.defaults import defaults_for
from causalassay.study.language.metrics import MetricReader, read_diagnostics
from causalassay.study.language.mistakes import Location, Mistakes, StudyMistakes
from causalassay.study.language.problems import ProblemReader
from causalassay.study.language.table_keys import StudySchema, validated
from causalassay.study.language.toml_tables import read_tables
from causalassay.study.plan import AlgorithmEntry, Limits, ProblemEntry, Study
from causalassay.study.problem_specs import FromFile, world

Entry = TypeVar("Entry", ProblemEntry, AlgorithmEntry)

MOST_BYTES = 4_000_000
"""Of a study file; what people write has a thousandth of it."""


def read_study(path: Path) -> Study:
    """Return the study that a file declares.

    Parameters
    ----------
    path : Path
        A TOML file; the paths of data files in it are relative to its folder, and those of
        files that programs name may be.

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
    return parse_study(study_text(path), path.parent, path.name)


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
    tables = read_tables(text, source)
    if not tables:
        raise StudyMistakes(source, ["the file is empty; `causalassay new study` writes one"])
    mistakes = Mistakes()
    study = _study(tables, text, folder, mistakes)
    if mistakes.lines or study is None:
        raise StudyMistakes(source, mistakes.lines)
    return study


def study_text(path: Path) -> str:
    """Return the text of a study file, or raise with what is beside it."""
    try:
        return as_text(read_bytes(path, "a study file (.toml)", MOST_BYTES))
    except FileNotFoundError:
        beside = sorted(one.name for one in path.parent.glob("*.toml"))
        hint = did_you_mean(path.name, beside) if beside else "`causalassay new study` writes one"
        raise FileNotFoundError(f"there is no file {path}; {hint}") from None
    except UnicodeDecodeError as error:
        message = f"not a text in UTF-8: byte {error.start} is {error.object[error.start]:#x}"
        raise StudyMistakes(path.name, [message]) from None


def _study(tables: dict[str, Any], text: str, folder: Path, mistakes: Mistakes) -> Study | None:
    # The parts are read from the tables, not from `head`: a mistake there hides none of theirs.
    head = validated(StudySchema, tables, Location(""), mistakes)
    metrics = MetricReader(mistakes)
    metrics.read(tables.get("metrics"), "metrics")
    diagnostics = read_diagnostics(tables.get("diagnostics"), "diagnostics", mistakes)
    limits = _limits(tables.get("limits"), mistakes)
    reader = ProblemReader(folder, _seed(tables.get("seed")), mistakes)
    problems = _read_all(reader, tables, "problems")
    defaults = defaults_for({world(entry.spec) for entry, _ in problems})
    if "metrics" not in tables:
        metrics.read(list(defaults.metrics), "metrics")
    algorithm_reader = AlgorithmReader(folder, limits, metrics, mistakes)
    listed = _read_all(algorithm_reader, tables, "algorithms")
    check_distinct(problems, mistakes)
    baselines = baseline_entries(defaults.baselines, limits)
    add_baselines = tables.get("baselines") is not False
    algorithms = assemble(listed, baselines, add_baselines, metrics, mistakes)
    locations = [location for _, location in listed]
    check_distinct(list(zip(algorithms[: len(listed)], locations, strict=True)), mistakes)
    _check_held_out(problems, listed, mistakes)
    if head is not None and not algorithms and not mistakes.lines:
        mistakes.add("algorithms", "missing; there is nothing to run")
    if head is None or mistakes.lines:
        return None
    stated = diagnostics if "diagnostics" in tables else defaults.diagnostics
    if head.controls and needs_controls(metrics.entries):
        worlds = {world(entry.spec) for entry, _ in problems}
        stated = tuple(dict.fromkeys((*stated, *control_diagnostics(worlds))))
        metrics.entries.extend(
            one for one in control_metrics(metrics.entries) if one not in metrics.entries
        )
    return Study(
        name=head.name,
        seed=head.seed,
        replicates=head.replicates,
        problems=tuple(entry for entry, _ in problems),
        algorithms=algorithms,
        metrics=tuple(metrics.entries),
        diagnostics=stated,
        text=text,
    )


def _limits(table: Any, mistakes: Mistakes) -> Limits:
    stated = table if isinstance(table, dict) else {}
    return read_limits(stated, Limits(), Location("limits"), mistakes) or Limits()


def _seed(stated: Any) -> int:
    """Return the seed, or 0 for one that cannot be drawn from: its mistake is noted already."""
    legal = isinstance(stated, int) and not isinstance(stated, bool) and stated >= 0
    return stated if legal else 0


def _read_all(reader: Any, tables: dict[str, Any], key: str) -> list[Any]:
    """Return what a reader makes of each table of a list, with locations."""
    stated = tables.get(key)
    entries = []
    for step, table in enumerate(stated if isinstance(stated, list) else []):
        entries += reader.read(table, Location(f"{key}[{step}]"))
    return entries


def check_distinct(entries: Sequence[tuple[Entry, Location]], mistakes: Mistakes) -> None:
    """Note entries that are the same, and different entries of one name."""
    keys: dict[str, tuple[Entry, Location]] = {}
    names: dict[str, Location] = {}
    for entry, location in entries:
        table = Location(location.table)
        if entry.key in keys:
            twin, first = keys[entry.key]
            message = f"{entry.name!r} is the same as {twin.name!r} in {first.table}; remove one"
            mistakes.add(table, message)
        elif entry.name in names:
            message = f"{names[entry.name].table} is also called {entry.name!r}; give one a `name`"
            mistakes.add(table, message)
        keys.setdefault(entry.key, (entry, location))
        names.setdefault(entry.name, location)


def _check_held_out(
    problems: Sequence[tuple[ProblemEntry, Location]],
    listed: Sequence[tuple[AlgorithmEntry | TunedAlgorithm, Location]],
    mistakes: Mistakes,
) -> None:
    """Note data files that have no held-out systems to tune on."""
    tuned = [one.entry.name for one, _ in listed if isinstance(one, TunedAlgorithm)]
    for entry, location in problems:
        if tuned and isinstance(entry.spec, FromFile) and entry.spec.bootstrap is None:
            message = (
                f"{tuned[0]!r} is tuned on held-out systems, and a data file has none; "
                "state `bootstrap`, or leave the tuning out"
            )
            mistakes.add(location.at("data"), message)
