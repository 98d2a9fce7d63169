"""From a study file to a study, or to all of its mistakes at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from causalassay.common.code_files import LocalModule
from causalassay.common.files import as_text, read_bytes
from causalassay.common.spelling import did_you_mean
from causalassay.discovery import make_algorithm
from causalassay.judging.order_measures import measure_names, sortability_names
from causalassay.metrics.registry import CHANCES, CONTROLS, DEFAULT_METRICS, METRICS, SERIES_METRICS
from causalassay.models.registry import kinds_by_mechanism
from causalassay.processes.limits import Limits
from causalassay.processes.resources import Needs
from causalassay.study.keys import digest
from causalassay.study.language.algorithms import (
    AlgorithmReader,
    MetricReader,
    TunedAlgorithm,
    read_diagnostics,
    read_limits,
)
from causalassay.study.language.mistakes import (
    Location,
    Mistakes,
    StudyMistakes,
    read_tables,
    toml_of,
)
from causalassay.study.language.problems import ProblemReader
from causalassay.study.language.tables import StudySchema, validated
from causalassay.study.own_parts import OwnGraphs, OwnModel, OwnPart
from causalassay.study.plan import (
    DEFAULT_DIAGNOSTICS,
    DISCRETE_DIAGNOSTICS,
    SERIES_DIAGNOSTICS,
    AlgorithmEntry,
    MetricEntry,
    ProblemEntry,
    Study,
    Tuning,
)
from causalassay.study.problem_specs import (
    FILE_SCHEME,
    NETWORK_SCHEME,
    FromFile,
    Generated,
    World,
    is_of_folder,
    scheme,
    world,
)

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
    >>> from causalassay.cli.beginning import new_study
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


def as_study(stated: Path | str | Mapping[str, Any] | Study) -> Study:
    r"""Return the study that a file, a text or nested dictionaries declare.

    Parameters
    ----------
    stated : Path, str, mapping or Study
        Text is taken for the path of a file unless it has a line break or an equals sign; what
        paths are relative to is then the folder of the file, otherwise the present one.

    Examples
    --------
    >>> problem = {"samples": 9, "graph": {"kind": "chain", "n_nodes": 3}, "model": {"kind": "scm"}}
    >>> study = as_study({"name": "s", "seed": 1, "replicates": 1, "problems": [problem]})
    >>> study.text
    'name = "s"\nseed = 1\nreplicates = 1\nproblems = [{...}]\n'
    """
    if isinstance(stated, Study):
        return stated
    if isinstance(stated, Mapping):
        return parse_study(toml_of(stated), Path())
    if isinstance(stated, str) and ("\n" in stated or "=" in stated) and not _is_file(stated):
        return parse_study(stated, Path())
    return read_study(Path(stated))


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # too long for a path, or with a null byte
        return False


def study_text(path: Path) -> str:
    """Return the text of a study file, or raise with what is beside it."""
    try:
        return as_text(read_bytes(path, "a study file (.toml)", MOST_BYTES))
    except FileNotFoundError:
        beside = sorted(file.name for file in path.parent.glob("*.toml"))
        hint = did_you_mean(path.name, beside) if beside else "`causalassay new study` writes one"
        raise FileNotFoundError(f"there is no file {path}; {hint}") from None
    except UnicodeDecodeError as error:
        message = f"not a text in UTF-8: byte {error.start} is {error.object[error.start]:#x}"
        raise StudyMistakes(path.name, [message]) from None


def _study(tables: dict[str, Any], text: str, folder: Path, mistakes: Mistakes) -> Study | None:
    # The parts are read from the tables, not from `head`: a mistake there hides none of theirs.
    head = validated(StudySchema, tables, Location(""), mistakes)
    metrics = MetricReader(mistakes, folder)
    metrics.read(tables.get("metrics"), "metrics")
    diagnostics, own = read_diagnostics(tables.get("diagnostics"), "diagnostics", mistakes, folder)
    limits = _limits(tables.get("limits"), mistakes)
    reader = ProblemReader(folder, _seed(tables.get("seed")), mistakes)
    problems = _read_all(reader, tables, "problems")
    defaults = defaults_for({world(entry.spec) for entry, _ in problems})
    if "metrics" not in tables:
        metrics.read(list(defaults.metrics), "metrics")
    algorithm_reader = AlgorithmReader(folder, limits, metrics, mistakes)
    listed = _read_all(algorithm_reader, tables, "algorithms")
    check_distinct(problems, mistakes)
    check_schemes(problems, mistakes)
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
    parts = [entry.own.part for entry in metrics.entries if entry.own is not None]
    parts += [diagnostic.part for diagnostic in own]
    for entry, _ in problems:
        sources = entry.spec.sources if isinstance(entry.spec, Generated) else ()
        parts += [one.part for one in sources if isinstance(one, OwnGraphs | OwnModel)]
    check_modules(parts, mistakes)
    if mistakes.lines:
        return None
    stated = diagnostics if "diagnostics" in tables else defaults.diagnostics
    if head.controls and needs_controls(metrics.entries):
        worlds = {world(entry.spec) for entry, _ in problems}
        stated = tuple(dict.fromkeys((*stated, *control_diagnostics(worlds))))
        metrics.entries.extend(
            entry for entry in control_metrics(metrics.entries) if entry not in metrics.entries
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
        own_diagnostics=own,
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


def check_modules(parts: Iterable[OwnPart], mistakes: Mistakes) -> None:
    """Note two modules of one name: metrics, models and the like run in one process."""
    known: dict[str, LocalModule] = {}
    for part in parts:
        for module in part.code.modules:
            first = known.setdefault(module.name, module)
            if first.sha256 != module.sha256:
                message = (
                    f"{part.use} imports {module.name!r} from {module.path}, and another file "
                    f"imports {first.path}; rename one"
                )
                mistakes.add("", message)


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


def check_schemes(problems: Sequence[tuple[ProblemEntry, Location]], mistakes: Mistakes) -> None:
    """Note folders whose scheme has no name, that of another folder or of a generated scheme."""
    if not any(is_of_folder(entry.spec) for entry, _ in problems):
        return
    generated = {kind for kinds in kinds_by_mechanism().values() for kind in kinds}
    taken = generated | {"raw", "standardized", FILE_SCHEME, NETWORK_SCHEME}
    taken |= {scheme(entry.spec) for entry, _ in problems if not is_of_folder(entry.spec)}
    folders: dict[str, Path] = {}
    noted: set[str] = set()
    for entry, location in problems:
        spec = entry.spec
        if not isinstance(spec, FromFile) or not spec.of_folder or location.table in noted:
            continue
        name, folder = spec.folder_scheme, spec.file.parent
        message = ""
        if not name:
            message = "the scheme is called after the folder, and this is the study's own"
        elif " + " in name:
            message = f"the scheme would be called {name!r}, and ' + ' stands before transforms"
        elif name in taken:
            message = f"a folder cannot be a scheme of the name {name!r}: another scheme has it"
        elif folders.setdefault(name, folder) != folder:
            message = f"the scheme would be called {name!r}, as that of another folder"
        if message:
            noted.add(location.table)
            mistakes.add(Location(location.table), f"{message}; give the problem another `name`")


def _check_held_out(
    problems: Sequence[tuple[ProblemEntry, Location]],
    listed: Sequence[tuple[AlgorithmEntry | TunedAlgorithm, Location]],
    mistakes: Mistakes,
) -> None:
    """Note data files that have no held-out systems to tune on."""
    tuned = [each.entry.name for each, _ in listed if isinstance(each, TunedAlgorithm)]
    noted: set[str] = set()  # a folder has many files, and one line is enough
    for entry, location in problems:
        if is_of_folder(entry.spec) and location.table in noted:
            continue
        if tuned and isinstance(entry.spec, FromFile) and entry.spec.bootstrap is None:
            noted.add(location.table)
            message = (
                f"{tuned[0]!r} is tuned on held-out systems, and a data file has none; "
                "state `bootstrap`, or leave the tuning out"
            )
            mistakes.add(location.at("data"), message)


# The list of a study's algorithms: those it lists, then the baselines, then all candidates.


def assemble(
    entries: Sequence[tuple[AlgorithmEntry | TunedAlgorithm, Location]],
    baselines: Sequence[AlgorithmEntry],
    add_baselines: bool,
    metrics: MetricReader,
    mistakes: Mistakes,
) -> tuple[AlgorithmEntry, ...]:
    """Return all algorithms; one that is listed and is a baseline stands there once."""
    defaults = {entry.key: entry for entry in baselines}
    listed = [_with_role(algorithm, defaults) for algorithm, _ in entries]
    taken = {_entry_of(algorithm).name for algorithm in listed}
    if add_baselines:
        known = {algorithm.key for algorithm in listed if isinstance(algorithm, AlgorithmEntry)}
        listed += [_renamed(defaults[key], taken) for key in defaults if key not in known]
    candidates: dict[str, AlgorithmEntry] = {}
    for algorithm, location in entries:
        if isinstance(algorithm, TunedAlgorithm):
            _collect(algorithm, candidates, taken, location, mistakes)
    indices = {key: len(listed) + step for step, key in enumerate(candidates)}
    finished = [
        _tuned_entry(algorithm, indices, metrics)
        if isinstance(algorithm, TunedAlgorithm)
        else algorithm
        for algorithm in listed
    ]
    return (*finished, *candidates.values())


def baseline_entries(uses: Sequence[str], limits: Limits) -> list[AlgorithmEntry]:
    """Return the baselines of those names, with their default hyperparameters."""
    return [AlgorithmEntry(use, use, make_algorithm(use), "baseline", limits) for use in uses]


def _with_role(
    algorithm: AlgorithmEntry | TunedAlgorithm, defaults: Mapping[str, AlgorithmEntry]
) -> AlgorithmEntry | TunedAlgorithm:
    if (
        isinstance(algorithm, AlgorithmEntry)
        and algorithm.role == "listed"
        and (algorithm.key in defaults or algorithm.use in TRIVIAL)
    ):
        return replace(algorithm, role="baseline")
    return algorithm


def _entry_of(algorithm: AlgorithmEntry | TunedAlgorithm) -> AlgorithmEntry:
    return algorithm.entry if isinstance(algorithm, TunedAlgorithm) else algorithm


def _renamed(entry: AlgorithmEntry, taken: set[str]) -> AlgorithmEntry:
    """Return the entry under a name that no other entry has."""
    name = entry.name
    while name in taken:
        name += f" ({entry.role})"
    taken.add(name)
    return replace(entry, name=name)


def _collect(
    algorithm: TunedAlgorithm,
    candidates: dict[str, AlgorithmEntry],
    taken: set[str],
    location: Location,
    mistakes: Mistakes,
) -> None:
    """Add the candidates; one that several tunings try runs once, so its limits must agree."""
    for candidate in algorithm.candidates:
        known = candidates.get(candidate.key)
        if known is None:
            candidates[candidate.key] = _renamed(candidate, taken)
        elif _how_it_runs(known) != _how_it_runs(candidate):
            message = (
                f"{candidate.name!r} is tried elsewhere too, under other limits, threads, gpus or "
                "at_most; make them equal"
            )
            mistakes.add(location.at("tune"), message)


def _how_it_runs(entry: AlgorithmEntry) -> tuple[Limits, Needs]:
    return entry.limits, replace(entry.needs, owner="")


def _tuned_entry(
    algorithm: TunedAlgorithm, indices: Mapping[str, int], metrics: MetricReader
) -> AlgorithmEntry:
    keys = [candidate.key for candidate in algorithm.candidates]
    tuning = Tuning(
        tuple(indices[key] for key in keys),
        algorithm.criterion,
        algorithm.table.statistic,
        algorithm.table.systems,
    )
    criterion = metrics.entries[algorithm.criterion].key
    tuned_key = digest(keys, criterion, algorithm.table.statistic, algorithm.table.systems)
    return replace(algorithm.entry, tuning=tuning, tuned_key=tuned_key)


# What is measured beside F1: what chance gives, and what sorting by each artefact reaches.


def needs_controls(metrics: Sequence[MetricEntry]) -> bool:
    """Tell whether a study scores F1 as it is, which is what controls stand beside."""
    return any((entry.name, entry.resolution) == ("f1", "as-is") for entry in metrics)


def control_metrics(metrics: Sequence[MetricEntry]) -> tuple[MetricEntry, ...]:
    """Return the numbers of each estimate that stand beside some metrics."""
    chances = [CHANCES[entry.name] for entry in metrics if entry.name in CHANCES]
    return tuple(
        MetricEntry(name, METRICS[name].resolution, METRICS[name].version, name)
        for name in dict.fromkeys((*CONTROLS, *chances))
    )


def control_diagnostics(worlds: Collection[World]) -> tuple[str, ...]:
    """Return the numbers of each data set, for the worlds of the problems.

    Examples
    --------
    >>> control_diagnostics({"discrete"})[:3]
    ('entropy_sortability', 'random_f1', 'random_direction')
    """
    names: list[str] = []
    for name in sorted(worlds):
        names += (*sortability_names(name), *measure_names(name))
    return tuple(dict.fromkeys(names))


# What a study has where its file does not say: metrics, diagnostics and baselines.

BASELINES = (
    "empty",
    "random-sortnregress",
    "var-sortnregress",
    "r2-sortnregress",
    "relatives-sortnregress",
)
"""The algorithms added to every study, unless it says ``baselines = false``."""
SERIES_BASELINES = (
    "empty",
    "series-random-sortnregress",
    "series-var-sortnregress",
    "series-r2-sortnregress",
)
"""The same for problems that are series."""


TRIVIAL = ("empty", "single-edge", "random-sorting", "variance-sorting")
"""Listed or not, these fit nothing: they count as baselines, not among the algorithms."""


class Defaults(NamedTuple):
    """The names of a study's default parts."""

    metrics: tuple[str, ...]
    diagnostics: tuple[str, ...]
    baselines: tuple[str, ...]


_WORLDS: tuple[World, ...] = ("continuous", "discrete", "series")


def defaults_for(worlds: Collection[World]) -> Defaults:
    """Return the defaults for the worlds of a study's problems: with several, all of them.

    Examples
    --------
    >>> defaults_for({"series"}).metrics
    ('shd', 'f1', 'precision', 'recall')
    >>> defaults_for({"discrete"}).diagnostics
    ('entropy_sortability', 'n_edges', 'n_draws')
    """
    present = [world for world in _WORLDS if world in worlds] or ["continuous"]
    every = zip(*map(_of_one, present), strict=True)
    return Defaults(*(tuple(dict.fromkeys(chain.from_iterable(names))) for names in every))


def _of_one(world: World) -> Defaults:
    match world:
        case "continuous":
            return Defaults(DEFAULT_METRICS, DEFAULT_DIAGNOSTICS, BASELINES)
        case "discrete":
            return Defaults(DEFAULT_METRICS, DISCRETE_DIAGNOSTICS, BASELINES)
        case "series":
            return Defaults(SERIES_METRICS, SERIES_DIAGNOSTICS, SERIES_BASELINES)
