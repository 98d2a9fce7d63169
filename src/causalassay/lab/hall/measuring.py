"""From entries to rows: draws, audits, and the verdict over all of them; and draws as files."""

from __future__ import annotations

import dataclasses
import json
import math
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from causalassay.auditing import Audit, BaselineScore, PooledAudit, Sortability, audit, pool
from causalassay.auditing.pooled import measured_of, random_direction
from causalassay.auditing.result import ColumnPlace
from causalassay.common.files import filled_folder
from causalassay.common.seeding import stream
from causalassay.data.files import write
from causalassay.graphs import LaggedGraph, write_graph
from causalassay.judging.artefacts import Artefact, artefacts_of
from causalassay.judging.findings import ORDER_KINDS, Finding, FindingKind, Subject
from causalassay.lab.hall.entry import Entry, Settings, SourceAbsent, SourceFailed
from causalassay.lab.hall.reality import N_INTERVAL
from causalassay.lab.hall.row import Cell, Row, Status, keep, kept, kind_of
from causalassay.present import today
from causalassay.study.keys import digest

TESTS = 3
"""Raised when a row of the same data has other numbers, or more: it is then measured again."""

_SORTABILITY, _UP_GAIN, _DOWN_GAIN = 0, 5, 6
"""Places of what `measured_of` returns."""

UNDER_WAY = "under-way"
"""Below the folder of the results: audits of entries that have no row yet."""

OnDraw = Callable[[int, int], None]
"""Called with the number of data sets audited, and of all."""


@dataclass(frozen=True)
class KeptAudits:
    """The audits of the draws of one entry, a line for each in a file.

    Parameters
    ----------
    path : Path
    key : str
        Of the row that they are for: those of another row are passed over.
    """

    path: Path
    key: str

    def read(self) -> dict[str, Audit]:
        """Return the audits by the names of their draws; a line that was cut off is none."""
        audits: dict[str, Audit] = {}
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines()
        except (FileNotFoundError, UnicodeDecodeError):
            return audits
        for line in lines:
            try:
                plain = json.loads(line)
                if plain["key"] == self.key:
                    audits[plain["draw"]] = _read_audit(plain["audit"])
            except (KeyError, TypeError, ValueError):
                continue
        return audits

    def add(self, draw: str, audit: Audit) -> None:
        """Write the audit of a draw."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        findings = [
            {"kind": finding.kind.value, "statistic": finding.statistic}
            for finding in audit.findings
        ]
        measured = dataclasses.asdict(dataclasses.replace(audit, findings=(), graph_check=None))
        plain = {"key": self.key, "draw": draw, "audit": measured | {"findings": findings}}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"\n{json.dumps(plain)}")  # the line before may have been cut off

    def clear(self) -> None:
        """Remove the file, and the folder if it was the last."""
        self.path.unlink(missing_ok=True)
        if self.path.parent.is_dir() and not any(self.path.parent.iterdir()):
            self.path.parent.rmdir()


def _read_audit(plain: dict[str, Any]) -> Audit:
    """Return an audit with all that a verdict over several needs: of its findings the kinds."""
    return Audit(
        **plain
        | {
            "spread": None,
            "graph_check": None,
            "sortabilities": tuple(Sortability(**fields) for fields in plain["sortabilities"]),
            "baselines": tuple(BaselineScore(**fields) for fields in plain["baselines"]),
            "findings": tuple(
                Finding(kind_of(finding["kind"]), Subject(finding["statistic"]))
                for finding in plain["findings"]
            ),
            "columns": tuple(ColumnPlace(**fields) for fields in plain["columns"]),
            "edges": tuple((cause, effect) for cause, effect in plain["edges"]),
        }
    )


def key_of(entry: Entry, settings: Settings) -> str:
    """Return digits that change with all that the numbers of a row depend on.

    Examples
    --------
    >>> from causalassay.lab.hall.catalogue import entries
    >>> entry = entries(Settings())["linear-iscm"]
    >>> key_of(entry, Settings()) == key_of(entry, Settings(draws=5))
    False
    """
    drawn = {"seed": settings.seed} if entry.is_one_data_set else vars(settings)
    return digest({"name": entry.name, "tests": TESTS, **entry.source.identity}, dict(drawn))


def draw_name(number: int) -> str:
    """Return what a draw is called: its files, and the random stream of its audit.

    Examples
    --------
    >>> draw_name(0)
    'draw-01'
    """
    return f"draw-{number + 1:02d}"


def draw_names(entry: Entry, settings: Settings) -> list[str]:
    """Return the names of the data sets of an entry: the draw of each is its place."""
    if entry.is_one_data_set:
        return [entry.name]
    return [draw_name(number) for number in range(entry.n_draws(settings))]


def measure(
    entry: Entry,
    settings: Settings,
    on_draw: OnDraw = lambda *_: None,
    kept: KeptAudits | None = None,
) -> Row:
    """Return the row of an entry, whatever happens.

    The audits are those that `causalassay audit` makes of the files of the draws with the same
    seed, and so is the verdict.

    Parameters
    ----------
    entry : Entry
        What to measure.
    settings : Settings
        How much is drawn.
    on_draw : callable, optional
        Called with the number of data sets audited, and of all.
    kept : KeptAudits, optional
        Where the audits of an earlier try are, and where each new one is written.

    Examples
    --------
    >>> from causalassay.lab.hall.catalogue import entries
    >>> settings = Settings(draws=3, nodes=8, samples=300)
    >>> measure(entries(settings)["linear-raw"], settings).verdict.value
    'gameable'
    """
    try:
        audits = _audits(entry, settings, on_draw, kept)
    except SourceAbsent as reason:
        return without_verdict(entry, settings, "skipped", str(reason))
    except (SourceFailed, ValueError, ArithmeticError) as reason:
        return without_verdict(entry, settings, "failed", str(reason))
    result = audits[entry.name] if entry.is_one_data_set else pool(audits)
    cells = _cells_of_one(result) if isinstance(result, Audit) else _cells(result)
    graphs = [finding for finding in result.findings if finding.kind not in ORDER_KINDS]
    verdict = result.verdict
    return Row(
        **_entry_fields(entry, settings),
        status="ok",
        verdict=verdict.kind,
        statistic=verdict.statistic,
        sentence=verdict.sentence,
        advice=verdict.advice,
        graphs=" ".join(finding.sentence for finding in graphs),
        rules=tuple(result.rules),
        cells=cells,
        random_direction=random_direction(result)
        if isinstance(result, Audit)
        else result.random_direction,
        n_draws=len(audits),
        n_units=1 if isinstance(result, Audit) else result.n_units,
        n_edges=float(np.mean([audit_of.n_edges for audit_of in audits.values()])),
        n_nodes=float(np.mean([audit_of.n_nodes for audit_of in audits.values()])),
    )


def without_verdict(entry: Entry, settings: Settings, status: Status, reason: str) -> Row:
    """Return the row of an entry that has no verdict."""
    return Row(**_entry_fields(entry, settings), status=status, reason=reason)


def _audits(
    entry: Entry, settings: Settings, on_draw: OnDraw, kept: KeptAudits | None
) -> dict[str, Audit]:
    if entry.is_one_data_set:
        kept = None  # its findings are the row's, and their sentences are not written
    earlier = {} if kept is None else kept.read()
    names = draw_names(entry, settings)
    audits: dict[str, Audit] = {}
    for number, name in enumerate(names):
        if name in earlier:
            audits[name] = earlier[name]
        else:
            audits[name] = _audit(entry, settings, number, name)
            if kept is not None:
                kept.add(name, audits[name])
        on_draw(len(audits), len(names))
    return audits


def _audit(entry: Entry, settings: Settings, number: int, name: str) -> Audit:
    """Return the audit of a draw, with the random stream that the command `audit` gives a file."""
    data, graph = entry.source.draw(settings, number)
    alone = entry.is_one_data_set
    rng = stream(settings.seed, "audit", *(() if alone else (name,)))
    try:
        return audit(data, graph, rng, n_bootstrap=N_INTERVAL if alone else 0, pooled=not alone)
    except ValueError as reason:
        raise SourceFailed(f"{name}: {reason}") from reason


def _entry_fields(entry: Entry, settings: Settings) -> dict[str, Any]:
    stated = ("name", "group", "package", "world", "what", "call", "note", "reference")
    return {name: getattr(entry, name) for name in stated} | {
        "version": entry.source.version,
        "command": entry.command(settings),
        "settings": settings,
        "key": key_of(entry, settings),
        "date": today(),
        "measured_with": version("causalassay"),
    }


def _cells(pooled: PooledAudit) -> tuple[Cell, ...]:
    """Return a cell for each statistic: the claims on both directions."""
    cells = []
    by_artefact: dict[str, list[Any]] = {}
    for claim in pooled.claims:
        by_artefact.setdefault(claim.artefact.statistic, []).append(claim)
    for statistic, (up, down) in by_artefact.items():
        cells.append(
            Cell(
                statistic,
                up.artefact.word,
                _gravest([up.kind, down.kind]),
                up.sortability,
                _spread(up.artefact, pooled, _SORTABILITY),
                up.sortable_p,
                down.sortable_p,
                pooled.random_direction + up.gain,
                pooled.random_direction + down.gain,
                up.winning_p,
                down.winning_p,
                _spread(up.artefact, pooled, _UP_GAIN),
                _spread(up.artefact, pooled, _DOWN_GAIN),
            )
        )
    return tuple(cells)


def _cells_of_one(audited: Audit) -> tuple[Cell, ...]:
    """Return a cell for each statistic of a single data set."""
    base = random_direction(audited)
    # The first of each statistic is that of the judge.
    limits = {row.statistic: row.interval for row in reversed(audited.sortabilities)}
    cells = []
    for artefact in artefacts_of(audited.world):
        value, rising, falling, up_p, down_p, up, down = measured_of(artefact, audited)[:7]
        kind = _kind_on(artefact.statistic, audited.findings, audited.verdict)
        cells.append(
            Cell(
                artefact.statistic,
                artefact.word,
                kind,
                *(value, math.nan, rising, falling, base + up, base + down, up_p, down_p),
                low=limits[artefact.statistic][0],
                high=limits[artefact.statistic][1],
            )
        )
    return tuple(cells)


def _spread(artefact: Artefact, pooled: PooledAudit, position: int) -> float:
    """Return the standard deviation of what was measured over the draws that could be tested."""
    values = np.array(
        [measured_of(artefact, audited)[position] for audited in pooled.audits.values()]
    )
    known = values[~np.isnan(values)]
    return float(known.std(ddof=1)) if len(known) > 1 else math.nan


def _kind_on(statistic: str, findings: tuple[Finding, ...], verdict: Finding) -> FindingKind:
    """Return the gravest finding on a statistic; without one nothing was found on it."""
    kinds = [finding.kind for finding in findings if finding.statistic == statistic]
    if kinds:
        return _gravest(kinds)
    untested = verdict.kind in {FindingKind.TOO_SMALL, FindingKind.UNDECIDED}
    return verdict.kind if untested else FindingKind.NO_EVIDENCE


def _gravest(kinds: Sequence[FindingKind]) -> FindingKind:
    return min(kinds, key=ORDER_KINDS.index)


# Fills the hall, entry by entry, and writes its draws as files for `causalassay audit`.

KEY = "key.txt"
"""The file that says of what the draws are: those of the same entry and settings are kept."""

COMMAND = "audit.txt"
"""The file with the command that audits them."""

OnProgress = Callable[[str, int, int], None]
"""Called with the name of an entry, and how many data sets are audited, of all."""


def fill(
    entries: Sequence[Entry],
    settings: Settings,
    folder: Path,
    *,
    again: bool = False,
    on_progress: OnProgress = lambda *_: None,
) -> list[Row]:
    """Return the rows of some entries; a row that is kept is not measured again.

    Parameters
    ----------
    entries : sequence of Entry
        What to measure.
    settings : Settings
        How much is drawn of each entry.
    folder : Path
        Of the results.
    again : bool
        Measure what is kept as well.
    on_progress : callable, optional
        Called with the name of an entry, and with how many of its data sets are audited, of all.

    Examples
    --------
    >>> import tempfile
    >>> from causalassay.lab.hall.catalogue import entries
    >>> settings = Settings(draws=2, nodes=5, samples=100)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     only = [entries(settings)["linear-uumc"]]
    ...     [row.status for row in fill(only, settings, Path(folder))]
    ['ok']
    """
    totals = [entry.n_draws(settings) for entry in entries]
    before, rows = 0, []
    for entry, total in zip(entries, totals, strict=True):
        key = key_of(entry, settings)
        row = None if again else kept(folder, entry.name, key)
        if row is None:

            def step(done: int, _: int, name: str = entry.name, before: int = before) -> None:
                on_progress(name, before + done, sum(totals))

            audits = KeptAudits(folder / UNDER_WAY / f"{entry.name}.jsonl", key)
            if again:
                audits.clear()
            row = measure(entry, settings, step, audits)
            keep(folder, row)
            audits.clear()
        elif (retold := _retold(row, entry, settings)) != row:
            row = retold
            keep(folder, row)
        rows.append(row)
        before += total
        on_progress(entry.name, before, sum(totals))
    return rows


def _retold(row: Row, entry: Entry, settings: Settings) -> Row:
    """Return a kept row with the texts that its entry has now: no number depends on them."""
    texts = {name: getattr(entry, name) for name in ("what", "call", "note", "reference")}
    return dataclasses.replace(row, **texts, command=entry.command(settings))


def check_places(entries: Iterable[Entry], settings: Settings, folder: Path) -> None:
    """Raise before the work begins if draws cannot be written: nothing is ever overwritten.

    Raises
    ------
    FileExistsError
        Something else is there.
    """
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(f"--keep {folder} is a file; name a folder")
    for entry in entries:
        target = folder / entry.name
        if target.exists() and not _has_draws(target, entry, settings):
            raise FileExistsError(
                f"{target} is there already, with other files than these draws; name another "
                "folder for --keep, or move it away"
            )


def _has_draws(target: Path, entry: Entry, settings: Settings) -> bool:
    file = target / KEY
    return file.is_file() and file.read_text(encoding="utf-8").strip() == key_of(entry, settings)


def keep_draws(entry: Entry, settings: Settings, folder: Path) -> str:
    """Write the draws of an entry and return the command that audits them.

    Parameters
    ----------
    entry : Entry
    settings : Settings
    folder : Path
        Gets a folder for the entry, with the folders ``data`` and ``graphs``.

    Raises
    ------
    SourceAbsent, SourceFailed
        Then nothing is written.
    FileExistsError
        Something else is there.
    """
    target = folder / entry.name
    check_places([entry], settings, folder)
    folder.mkdir(parents=True, exist_ok=True)
    if target.exists():
        return (target / COMMAND).read_text(encoding="utf-8").strip()
    with filled_folder(target) as partial:
        for part in ("data", "graphs"):
            (partial / part).mkdir()
        max_lag = 0
        for number, name in enumerate(draw_names(entry, settings)):
            data, graph = entry.source.draw(settings, number)
            truth = graph.summary if isinstance(graph, LaggedGraph) else graph
            if isinstance(graph, LaggedGraph):
                max_lag = graph.max_lag
            write(data, partial / "data" / f"{name}.csv")
            graph_file = partial / "graphs" / f"{name}.csv"
            write_graph(graph_file, truth, data.columns, feedback=max_lag > 0)
        command = _command(entry, settings, target, max_lag)
        (partial / COMMAND).write_text(f"{command}\n", encoding="utf-8")
        (partial / KEY).write_text(f"{key_of(entry, settings)}\n", encoding="utf-8")
    return command


def _command(entry: Entry, settings: Settings, target: Path, max_lag: int) -> str:
    words = ["causalassay", "audit", str(target / "data"), "--graphs", str(target / "graphs")]
    match entry.world:
        case "series":
            words += ["--series", "--max-lag", str(max(max_lag, 1))]
        case "discrete":
            words += ["--discrete"]
        case _:
            words += []
    return shlex.join([*words, "--bootstrap", "0", "--seed", str(settings.seed)])
