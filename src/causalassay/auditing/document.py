"""What an audit shows: the verdict, the pictures, the tables, all findings and their rules."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from causalassay.auditing import charts
from causalassay.auditing.order_evidence import measured_of, random_f1, units_of
from causalassay.auditing.pooled import PooledAudit
from causalassay.auditing.result import RANDOM_ORDERS, Audit, BaselineScore, Direction, Limits
from causalassay.judging.artefacts import Artefact, artefacts_of
from causalassay.judging.findings import Finding, rules_of
from causalassay.present import (
    Block,
    Column,
    Document,
    Figure,
    Findings,
    Fold,
    GraphFigure,
    Interval,
    Prose,
    PValue,
    Section,
    Table,
)
from causalassay.present.drawing import show
from causalassay.present.formatting import counted
from causalassay.present.terminal import EVERY_ROW

MOST_FILES = 15
"""Rows of the table of files in a terminal; the rest is counted."""

Provenance = Sequence[Block]


def audit_document(audit: Audit, name: str = "", provenance: Provenance = ()) -> Document:
    """Return what an audit of one data set shows.

    Parameters
    ----------
    audit : Audit
    name : str
        Of the data.
    provenance : sequence of Block
    """
    edges = "no graph" if audit.n_edges is None else f"{audit.n_edges} edges"
    tables: list[Block] = []
    if audit.sortabilities:
        tables = [
            Section("sortability", "Sortability", [sortability_table(audit)]),
            Section("baseline-scores", "Baselines", [baseline_table(audit)]),
        ]
    return Document(
        f"Audit of {name}" if name else "Audit",
        audit.verdict,
        [*_pictures(audit), _findings(audit.findings), *tables],
        provenance,
        f"{audit.n_samples} rows, {audit.n_nodes} columns, {edges}",
        rules_of(audit.findings),
    )


def pooled_document(pooled: PooledAudit, name: str = "", provenance: Provenance = ()) -> Document:
    """Return what the audits of several data sets show together; parameters as above."""
    n_graphs = len(set(units_of(list(pooled.audits.values())).tolist()))
    each: list[Block] = []
    for file, audit in pooled.audits.items():
        each += [Prose(file, "strong"), *(Prose(found.text) for found in audit.findings)]
    files = counted(len(pooled.audits), "file")
    return Document(
        f"Audit of {name or files}",
        pooled.verdict,
        [
            *_pooled_pictures(pooled),
            _findings(pooled.findings),
            Section(
                "files-alone",
                "Each file alone",
                [file_table(pooled), Fold("Findings of each file", each, option=EVERY_ROW)],
            ),
        ],
        provenance,
        f"{files} on {counted(n_graphs, 'graph')}",
        rules_of(pooled.findings),
    )


def _findings(findings: Sequence[Finding]) -> Section:
    return Section("findings", "Findings", [Findings(findings)])


def sortability_table(audit: Audit) -> Table:
    """Return how closely each statistic follows the causal order."""
    columns = (
        Column("statistic", "statistic"),
        Column("convention", "counted by", priority=2),
        Column("sortability", "sortability, 95 % interval", "fixed"),
        Column("p_rising", "p-value rising", "p-value"),
        Column("p_falling", "p-value falling", "p-value", priority=3),
    )
    rows = [
        (
            written(row.statistic),
            row.convention,
            Interval(row.value, *row.interval),
            PValue(row.p_rising, row.rising_is_bound),
            PValue(row.p_falling, row.falling_is_bound),
        )
        for row in audit.sortabilities
    ]
    return Table(
        "sortabilities",
        columns,
        rows,
        "How closely statistics follow the causal order (1/2: not at all)",
        "Share of cause–effect pairs in which the effect has the larger value: 1/2 is chance. "
        "P-values: share of random assignments that are at least as extreme.",
        _notes(row.note for row in audit.sortabilities),
    )


def baseline_table(audit: Audit) -> Table:
    """Return what the baselines reach."""
    columns = (
        Column("baseline", "baseline"),
        Column("f1", "F1", "fixed"),
        Column("shd", "SHD", "count"),
        Column("p_order", "p-value", "p-value"),
    )
    rows = [
        (
            row.algorithm,
            _within(row.f1, row.f1_range),
            _within(row.shd, row.shd_range),
            order_p(row),
        )
        for row in audit.baselines
    ]
    return Table(
        "baselines",
        columns,
        rows,
        "Scores of the baselines (random ones: mean and 95 %)",
        "Scores against the given graph; of random ones the mean and the central 95 %. P-value: "
        "share of random orders with at least that F1.",
        _notes(row.note for row in audit.baselines),
    )


def order_p(row: BaselineScore) -> PValue | None:
    """Return the share of random orders that are as good as a baseline; None if that is nothing."""
    return None if row.p_order is None else PValue(row.p_order, row.p_is_bound)


def citable_table(audit: Audit) -> Table:
    """Return what sorting by each statistic reaches, in both directions, for a paper."""
    if audit.n_edges is None:
        raise ValueError("a LaTeX table needs a graph: pass --graph as well")
    columns = (
        Column("sorted_by", "sorted by"),
        Column("sortability", "sortability", "fixed"),
        Column("sortability_p", "p-value", "p-value"),
        Column("f1", "F1", "fixed"),
        Column("f1_p", "p-value", "p-value"),
    )
    values = {row.statistic: row for row in reversed(audit.sortabilities)}
    rows: list[tuple[object, ...]] = []
    for artefact in artefacts_of(audit.world):
        value = values.get(artefact.statistic)
        if value is None:
            continue
        p_values: dict[Direction, PValue] = {
            "rising": PValue(value.p_rising, value.rising_is_bound),
            "falling": PValue(value.p_falling, value.falling_is_bound),
        }
        for direction, p_value in p_values.items():
            reached = audit.sorted_by(artefact.statistic, direction)
            rows.append(
                (
                    f"{artefact.word}, {direction}",
                    Interval(value.value, *value.interval),
                    p_value,
                    math.nan if reached is None else reached.f1,
                    math.nan if reached is None else order_p(reached),
                )
            )
    random = [row for row in audit.baselines if row.algorithm == RANDOM_ORDERS]
    rows += [(RANDOM_ORDERS, None, None, _within(row.f1, row.f1_range), None) for row in random]
    return Table("sorted", columns, rows, n_last=len(random))


def file_table(pooled: PooledAudit) -> Table:
    """Return what was measured on each file, what is found on it alone, and on all together."""
    artefacts = artefacts_of(next(iter(pooled.audits.values())).world)
    columns = [
        Column("file", "file"),
        Column("rows", "rows", "count", priority=0),
        Column("columns", "columns", "count", priority=0),
        Column("edges", "edges", "count", priority=0),
    ]
    for one in artefacts:
        key = one.statistic
        columns += [
            Column(f"sortability_{key}", f"sortability by {one.word}", "fixed", priority=3),
            Column(f"f1_{key}", f"F1 by rising / falling {one.word}", "fixed", priority=1),
        ]
    columns += [
        Column("random_f1", "F1 of random orders", "fixed", priority=2),
        Column("finding", "finding"),
    ]
    rows = [_file_row(name, audit, artefacts) for name, audit in pooled.audits.items()]
    return Table(
        "each-file",
        columns,
        [*rows, _last_row(pooled, artefacts)],
        "Each file alone",
        "What was measured on each file, and what is found on it alone.",
        n_last=1,
        most=MOST_FILES,
    )


def _file_row(name: str, audit: Audit, artefacts: Sequence[Artefact]) -> list[object]:
    base = random_f1(audit)
    row: list[object] = [name, audit.n_samples, audit.n_nodes, audit.n_edges]
    for artefact in artefacts:
        value, *_, up, down = measured_of(artefact, audit)
        row += [value, (base + up, base + down)]
    return [*row, base, _kind(audit.verdict)]


def _last_row(pooled: PooledAudit, artefacts: Sequence[Artefact]) -> list[object]:
    """Return the means over all units, and what is found on all files together."""
    base = pooled.random_f1
    row: list[object] = ["all together", None, None, None]
    for artefact in artefacts:
        claims = [one for one in pooled.claims if one.artefact == artefact]
        reached = tuple(base + one.gain for one in claims)
        row += [claims[0].sortability if claims else math.nan, reached or math.nan]
    return [*row, base, _kind(pooled.verdict)]


def _kind(verdict: Finding) -> str:
    named = written(verdict.statistic)
    return f"{verdict.label} ({named})" if named else verdict.label


def written(statistic: str) -> str:
    """Return what tables call a statistic.

    Examples
    --------
    >>> written("R2 without own past")
    'R² without own past'
    """
    return statistic.replace("R2", "R²")


def _within(value: float, limits: Limits | None) -> float | Interval:
    return value if limits is None else Interval(value, *limits)


def _notes(notes: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(note for note in notes if note))


def _pictures(audit: Audit) -> Iterator[Figure | GraphFigure]:
    if not audit.columns:
        return
    for place, artefact in enumerate(artefacts_of(audit.world)):
        values = [one.statistics.get(artefact.statistic, math.nan) for one in audit.columns]
        if all(math.isfinite(value) for value in values):
            yield Figure(
                f"along-order-{place + 1}",
                partial(charts.along_order, audit, artefact),
                charts.along_order_alt(audit, artefact),
            )
    if audit.random_f1_counts:
        alt = f"F1 of the baselines; random orders score {random_f1(audit):.2f} on average"
        yield Figure("beside-random", partial(charts.beside_random, audit), alt)
    yield _graph(audit)


def _graph(audit: Audit) -> GraphFigure:
    """Return the graph that is held to be true, with its causes at the left."""
    names = [one.name for one in audit.columns]
    place = {name: k for k, name in enumerate(names)}
    graph = np.zeros((len(names), len(names)), dtype=bool)
    for cause, effect in audit.edges:
        graph[place[cause], place[effect]] = True
    drawing = show(graph, names)
    return GraphFigure("graph", drawing._repr_svg_, f"The graph taken as true: {drawing.caption}.")


def _pooled_pictures(pooled: PooledAudit) -> Iterator[Figure]:
    tested = {name: one for name, one in pooled.audits.items() if one.random_f1_counts}
    if not tested:
        return
    measured: dict[str, Mapping[str, charts.FilePoint]] = {}
    for artefact in artefacts_of(next(iter(tested.values())).world):
        points = {name: _point(artefact, one) for name, one in tested.items()}
        measured[artefact.word] = {
            name: point for name, point in points.items() if not math.isnan(point.sortability)
        }
    for place, (word, files) in enumerate(measured.items()):
        if files:
            yield Figure(
                f"reached-{place + 1}",
                partial(charts.reached_by_file, word, files),
                f"F1 along {word} against random orders, {counted(len(files), 'file')}",
            )
    yield Figure(
        "sortability", partial(charts.sortability_by_file, measured), "Sortability of each file"
    )


def _point(artefact: Artefact, audit: Audit) -> charts.FilePoint:
    value, *_, up, down = measured_of(artefact, audit)
    return charts.FilePoint(value, random_f1(audit), up, down)
