"""What an audit shows: the verdict, the pictures, the tables, all findings and their rules."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from causalassay.auditing.pooled import (
    PooledAudit,
    instances_of,
    measured_of,
    random_direction,
)
from causalassay.auditing.result import (
    DIRECTIONS,
    RANDOM_ORDERS,
    Audit,
    BaselineScore,
    Limits,
    Sortability,
)
from causalassay.judging.artefacts import artefacts_of, looked_at
from causalassay.judging.data_set import statistics_of
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
from causalassay.present.charts import lazy_chart
from causalassay.present.drawing import show
from causalassay.present.formatting import counted
from causalassay.present.terminal import EVERY_ROW

MOST_FILES = 15
"""Rows of the table of files in a terminal; the rest is counted."""

CHARTS = "causalassay.auditing.charts"

Provenance = Sequence[Block]


def audit_document(audit: Audit, name: str = "", provenance: Provenance = ()) -> Document:
    """Return what an audit of one data set shows.

    Parameters
    ----------
    audit : Audit
    name : str
        The name of the data.
    provenance : sequence of Block
        What the audit was made from.
    """
    edges = "no graph" if audit.n_edges is None else counted(audit.n_edges, "edge")
    blocks = [*_pictures(audit), Section("findings", "Findings", [Findings(audit.findings)])]
    if audit.sortabilities:
        blocks += [
            Section("sortability", "Sortability", [sortability_table(audit)]),
            Section("baseline-scores", "Baselines", [baseline_table(audit)]),
        ]
    return Document(
        f"Audit of {name}" if name else "Audit",
        audit.verdict,
        blocks,
        provenance,
        f"{counted(audit.n_samples, 'row')}, {counted(audit.n_nodes, 'column')}, {edges}",
        rules_of(audit.findings),
    )


def pooled_document(pooled: PooledAudit, name: str = "", provenance: Provenance = ()) -> Document:
    """Return what the audits of several data sets show together; parameters as above."""
    n_graphs = len(set(instances_of(list(pooled.audits.values())).tolist()))
    each: list[Block] = []
    for file, audit in pooled.audits.items():
        each += [Prose(file, "strong"), *(Prose(finding.text) for finding in audit.findings)]
    files = counted(len(pooled.audits), "file")
    alone: list[Block] = [file_table(pooled), Fold("Findings of each file", each, option=EVERY_ROW)]
    return Document(
        f"Audit of {name or files}",
        pooled.verdict,
        [
            *_pooled_pictures(pooled),
            Section("findings", "Findings", [Findings(pooled.findings)]),
            Section("files-alone", "Each file alone", alone),
        ],
        provenance,
        f"{files} on {counted(n_graphs, 'graph')}",
        rules_of(pooled.findings),
    )


def sortability_table(audit: Audit) -> Table:
    """Return how closely each statistic follows the causal order."""
    return Table(
        "sortabilities",
        (
            Column("statistic", "statistic"),
            Column("convention", "counted by", priority=2),
            Column("sortability", "sortability, 95 % interval", "fixed"),
            Column("p_rising", "p-value rising", "p-value"),
            Column("p_falling", "p-value falling", "p-value", priority=3),
        ),
        [
            (written(row.statistic), row.convention, Interval(row.value, *row.interval), *_ps(row))
            for row in audit.sortabilities
        ],
        "How closely statistics follow the causal order (1/2: not at all)",
        "Share of cause–effect pairs in which the effect has the larger value: 1/2 is chance. "
        "P-values: share of random assignments that are at least as extreme.",
        [*_notes(audit.sortabilities), looked_at(audit.world)],
    )


def baseline_table(audit: Audit) -> Table:
    """Return what the baselines reach."""
    return Table(
        "baselines",
        (
            Column("baseline", "baseline"),
            Column("direction_score", "direction score", "fixed"),
            Column("p_order", "p-value", "p-value"),
            Column("f1", "F1", "fixed", priority=3),
            Column("skeleton_f1", "skeleton F1", "fixed", priority=2),
            Column("shd", "SHD", "count", priority=1),
        ),
        [
            (
                row.algorithm,
                _within(row.direction_score, row.direction_range),
                _order_p(row),
                _within(row.f1, row.f1_range),
                row.skeleton_f1,
                _within(row.shd, row.shd_range),
            )
            for row in audit.baselines
        ],
        "Scores of the baselines (random ones: mean and 95 %)",
        "Scores against the given graph; of random ones the mean and the central 95 %. Direction "
        "score: true edges directed rightly minus wrongly, by all true edges; 0 is chance. "
        "P-value: share of random orders with at least that direction score.",
        _notes(audit.baselines),
    )


def citable_table(audit: Audit) -> Table:
    """Return what sorting by each statistic reaches, in both directions, for a paper."""
    if audit.n_edges is None:
        raise ValueError("a LaTeX table needs a graph: pass --graph as well")
    first_rows = {row.statistic: row for row in reversed(audit.sortabilities)}
    rows: list[tuple[object, ...]] = []
    for artefact in artefacts_of(audit.world):
        if (row := first_rows.get(artefact.statistic)) is None:
            continue
        for direction, p_value in zip(DIRECTIONS, _ps(row), strict=True):
            reached = audit.sorted_by(artefact.statistic, direction)
            scores: tuple[object, ...] = (math.nan,) * 3
            if reached is not None:
                scores = (reached.direction_score, _order_p(reached), reached.f1)
            sortability = Interval(row.value, *row.interval)
            rows.append((f"{artefact.word}, {direction}", sortability, p_value, *scores))
    random = [row for row in audit.baselines if row.algorithm == RANDOM_ORDERS]
    rows += [
        (
            RANDOM_ORDERS,
            None,
            None,
            _within(row.direction_score, row.direction_range),
            None,
            _within(row.f1, row.f1_range),
        )
        for row in random
    ]
    columns = (
        Column("sorted_by", "sorted by"),
        Column("sortability", "sortability", "fixed"),
        Column("sortability_p", "p-value", "p-value"),
        Column("direction_score", "direction score", "fixed"),
        Column("direction_p", "p-value", "p-value"),
        Column("f1", "F1", "fixed"),
    )
    return Table("sorted", columns, rows, n_last=len(random))


def file_table(pooled: PooledAudit) -> Table:
    """Return what was measured on each file, what is found on it alone, and on all together."""
    world = next(iter(pooled.audits.values())).world
    artefacts = artefacts_of(world)
    columns = [
        Column("file", "file"),
        *(Column(name, name, "count", priority=0) for name in ("rows", "columns", "edges")),
    ]
    winning = statistics_of(pooled.verdict)
    for artefact in artefacts:
        key, word = artefact.statistic, artefact.word
        # A narrow terminal keeps what gives the order away.
        first = 2 * (key in winning)
        columns += [
            Column(f"sortability_{key}", f"sortability by {word}", "fixed", priority=1 + first),
            Column(
                f"direction_{key}",
                f"direction score by rising / falling {word}",
                "fixed",
                priority=first,
            ),
        ]
    columns += [
        Column("random_direction", "direction score of random orders", "fixed", priority=2),
        Column("finding", "finding"),
    ]
    rows: list[list[object]] = []
    for name, audit in pooled.audits.items():
        row: list[object] = [name, audit.n_samples, audit.n_nodes, audit.n_edges]
        for artefact in artefacts:
            measured = measured_of(artefact, audit)
            row += [measured.sortability, (measured.up_direction, measured.down_direction)]
        rows.append([*row, random_direction(audit), _kind(audit.verdict)])
    together: list[object] = ["all together", None, None, None]
    for artefact in artefacts:
        claims = [claim for claim in pooled.claims if claim.artefact == artefact]
        reached = tuple(pooled.random_direction + claim.gain for claim in claims)
        together += [claims[0].sortability if claims else math.nan, reached or math.nan]
    return Table(
        "each-file",
        columns,
        [*rows, [*together, pooled.random_direction, _kind(pooled.verdict)]],
        "Each file alone",
        f"What was measured on each file, and what is found on it alone. {looked_at(world)}",
        n_last=1,
        most=MOST_FILES,
    )


def written(statistic: str) -> str:
    """Return what tables call a statistic.

    Examples
    --------
    >>> written("R2 without own past")
    'R² without own past'
    """
    return statistic.replace("R2", "R²")


def _kind(verdict: Finding) -> str:
    named = ", ".join(map(written, statistics_of(verdict)))
    return f"{verdict.label} ({named})" if named else verdict.label


def _ps(row: Sortability) -> tuple[PValue, PValue]:
    rising = PValue(row.p_rising, row.rising_is_bound)
    return rising, PValue(row.p_falling, row.falling_is_bound)


def _order_p(row: BaselineScore) -> PValue | None:
    return None if row.p_order is None else PValue(row.p_order, row.p_is_bound)


def _within(value: float, limits: Limits | None) -> float | Interval:
    return value if limits is None else Interval(value, *limits)


def _notes(rows: Iterable[Sortability | BaselineScore]) -> list[str]:
    return list(dict.fromkeys(row.note for row in rows if row.note))


MOST_PICTURES = 2
"""Statistics that are drawn along the order at once; the others are folded away."""


def _pictures(audit: Audit) -> Iterator[Block]:
    if not audit.columns:
        return
    along = list(_along_order(audit))
    yield from along[:MOST_PICTURES]
    if audit.random_direction_counts:
        alt = (
            "Direction scores of the baselines; random orders have "
            f"{random_direction(audit):.2f} on average"
        )
        yield Figure("beside-random", lazy_chart(f"{CHARTS}:chance_levels", audit), alt)
    names = [column.name for column in audit.columns]
    graph = np.zeros((len(names), len(names)), dtype=bool)
    for cause, effect in audit.edges:
        graph[names.index(cause), names.index(effect)] = True
    drawing = show(graph, names)
    yield GraphFigure("graph", drawing._repr_svg_, f"The graph taken as true: {drawing.caption}.")
    if len(along) > MOST_PICTURES:
        yield Fold("Other statistics along the causal order", along[MOST_PICTURES:])


def _along_order(audit: Audit) -> Iterator[Figure]:
    """Yield each statistic along the causal order, first those that give it away."""
    given_away = statistics_of(audit.verdict)
    artefacts = sorted(artefacts_of(audit.world), key=lambda one: one.statistic not in given_away)
    for number, artefact in enumerate(artefacts, start=1):
        values = [column.statistics.get(artefact.statistic, math.nan) for column in audit.columns]
        if np.isfinite(values).all():
            n_rising = sum(rises for *_, rises in audit.edges_rising(artefact.statistic))
            yield Figure(
                f"along-order-{number}",
                lazy_chart(f"{CHARTS}:along_order", audit, artefact),
                f"{artefact.title} along the causal order: it rises along {n_rising} of "
                f"{counted(len(audit.edges), 'edge')}",
            )


def _pooled_pictures(pooled: PooledAudit) -> Iterator[Figure]:
    tested = {name: audit for name, audit in pooled.audits.items() if audit.random_direction_counts}
    if not tested:
        return
    by_word = {}
    for artefact in artefacts_of(next(iter(tested.values())).world):
        measured = {name: measured_of(artefact, audit) for name, audit in tested.items()}
        known = {name: file for name, file in measured.items() if not math.isnan(file.sortability)}
        if known:
            by_word[artefact.word] = known
    files = counted(len(tested), "file")
    chart = lazy_chart(f"{CHARTS}:direction_by_file", by_word)
    yield Figure("direction", chart, f"Direction score of sorting by each statistic, {files}")
    chart = lazy_chart(f"{CHARTS}:sortability_by_file", by_word)
    yield Figure("sortability", chart, f"Sortability by each statistic, {files}")
