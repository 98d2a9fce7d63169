"""From an entry to its row: draws, audits, and the verdict over all of them."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from causalassay.auditing import Audit, BaselineScore, PooledAudit, Sortability, audit, pool
from causalassay.auditing.order_evidence import measured_of, random_f1
from causalassay.auditing.result import ColumnPlace
from causalassay.common.seeding import stream
from causalassay.judging.artefacts import Artefact, artefacts_of
from causalassay.judging.findings import ORDER_KINDS, Finding, FindingKind, Subject
from causalassay.lab.hall.catalogue import Entry
from causalassay.lab.hall.row import Cell, Row, Status, kind_of
from causalassay.lab.hall.sources import Settings, SourceAbsent, SourceFailed
from causalassay.present import today
from causalassay.study.keys import digest

TESTS = 2
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
        findings = [{"kind": one.kind.value, "statistic": one.statistic} for one in audit.findings]
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
            "sortabilities": tuple(Sortability(**one) for one in plain["sortabilities"]),
            "baselines": tuple(BaselineScore(**one) for one in plain["baselines"]),
            "findings": tuple(
                Finding(kind_of(one["kind"]), Subject(one["statistic"]))
                for one in plain["findings"]
            ),
            "columns": tuple(ColumnPlace(**one) for one in plain["columns"]),
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
    return [draw_name(number) for number in range(settings.draws)]


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
    settings : Settings
    on_draw : callable, optional
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
    found = audits[entry.name] if entry.is_one_data_set else pool(audits)
    cells = _cells_of_one(found) if isinstance(found, Audit) else _cells(found)
    graphs = [one for one in found.findings if one.kind not in ORDER_KINDS]
    verdict = found.verdict
    return Row(
        **_entry_fields(entry, settings),
        status="ok",
        verdict=verdict.kind,
        statistic=verdict.statistic,
        sentence=verdict.sentence,
        advice=verdict.advice,
        graphs=" ".join(one.sentence for one in graphs),
        rules=tuple(found.rules),
        cells=cells,
        random_f1=random_f1(found) if isinstance(found, Audit) else found.random_f1,
        n_draws=len(audits),
        n_units=1 if isinstance(found, Audit) else found.n_units,
        n_edges=float(np.mean([one.n_edges for one in audits.values()])),
        n_nodes=float(np.mean([one.n_nodes for one in audits.values()])),
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
        return audit(data, graph, rng, n_bootstrap=0, pooled=not alone)
    except ValueError as reason:
        raise SourceFailed(f"{name}: {reason}") from reason


def _entry_fields(entry: Entry, settings: Settings) -> dict[str, Any]:
    return {
        "name": entry.name,
        "group": entry.group,
        "package": entry.package,
        "version": entry.source.version,
        "world": entry.world,
        "what": entry.what,
        "call": entry.call,
        "note": entry.note,
        "reference": entry.reference,
        "command": entry.command(settings),
        "settings": settings,
        "key": key_of(entry, settings),
        "date": today(),
        "measured_with": version("causalassay"),
    }


def _cells(found: PooledAudit) -> tuple[Cell, ...]:
    """Return a cell for each statistic: the claims on both directions."""
    cells = []
    by_artefact: dict[str, list[Any]] = {}
    for claim in found.claims:
        by_artefact.setdefault(claim.artefact.statistic, []).append(claim)
    for statistic, (up, down) in by_artefact.items():
        cells.append(
            Cell(
                statistic,
                up.artefact.word,
                _gravest([up.kind, down.kind]),
                up.sortability,
                _spread(up.artefact, found, _SORTABILITY),
                up.sortable_p,
                down.sortable_p,
                found.random_f1 + up.gain,
                found.random_f1 + down.gain,
                up.winning_p,
                down.winning_p,
                _spread(up.artefact, found, _UP_GAIN),
                _spread(up.artefact, found, _DOWN_GAIN),
            )
        )
    return tuple(cells)


def _cells_of_one(found: Audit) -> tuple[Cell, ...]:
    """Return a cell for each statistic of a single data set."""
    base = random_f1(found)
    cells = []
    for artefact in artefacts_of(found.world):
        value, rising, falling, up_p, down_p, up, down = measured_of(artefact, found)
        kind = _kind_on(artefact.statistic, found.findings, found.verdict)
        cells.append(
            Cell(
                artefact.statistic,
                artefact.word,
                kind,
                *(value, math.nan, rising, falling, base + up, base + down, up_p, down_p),
            )
        )
    return tuple(cells)


def _spread(artefact: Artefact, found: PooledAudit, place: int) -> float:
    """Return the standard deviation of what was measured over the draws that could be tested."""
    values = np.array([measured_of(artefact, one)[place] for one in found.audits.values()])
    known = values[~np.isnan(values)]
    return float(known.std(ddof=1)) if len(known) > 1 else math.nan


def _kind_on(statistic: str, findings: tuple[Finding, ...], verdict: Finding) -> FindingKind:
    """Return the gravest finding on a statistic; without one nothing was found on it."""
    own = [one.kind for one in findings if one.statistic == statistic]
    if own:
        return _gravest(own)
    untested = verdict.kind in {FindingKind.TOO_SMALL, FindingKind.UNDECIDED}
    return verdict.kind if untested else FindingKind.NO_EVIDENCE


def _gravest(kinds: Sequence[FindingKind]) -> FindingKind:
    return min(kinds, key=ORDER_KINDS.index)
