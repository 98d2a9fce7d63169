"""How a notebook shows an audit: the verdict, the pictures, then the numbers they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from causalassay.auditing.file_rows import file_heads, file_rows, last_row
from causalassay.auditing.pictures.gallery import Picture, audit_pictures, pooled_pictures
from causalassay.notebook import fragment, number, paragraph, table, with_interval

if TYPE_CHECKING:
    from causalassay.auditing.pooled import PooledAudit
    from causalassay.auditing.result import Audit, BaselineScore, Interval


def audit_html(audit: Audit) -> str:
    """Return the verdict of an audit, its pictures, findings, tables and rules."""
    edges = "no graph" if audit.n_edges is None else f"{audit.n_edges} edges"
    parts = [
        paragraph(f"Audit: {audit.n_samples} rows, {audit.n_nodes} columns, {edges}"),
        paragraph(f"Verdict: {audit.verdict.text}"),
        side_by_side(audit_pictures(audit)),
        *(paragraph(one.text) for one in audit.findings if one != audit.verdict),
    ]
    if audit.sortabilities:
        parts.append(_sortability_table(audit))
    if audit.baselines:
        parts.append(_baseline_table(audit))
    parts += [paragraph(f"Rule “{name}”: {text}") for name, text in audit.rules.items()]
    return fragment(*parts)


def pooled_html(pooled: PooledAudit) -> str:
    """Return the verdict over several files, its pictures, findings, a row for each, and rules."""
    return fragment(
        paragraph(f"Audit of {len(pooled.audits)} files"),
        paragraph(f"Verdict: {pooled.verdict.text}"),
        side_by_side(pooled_pictures(pooled)),
        *(paragraph(one.text) for one in pooled.findings if one != pooled.verdict),
        table([*file_rows(pooled), last_row(pooled)], file_heads(pooled), "Each file alone"),
        *(paragraph(f"Rule “{name}”: {text}") for name, text in pooled.rules.items()),
    )


def side_by_side(pictures: Sequence[Picture]) -> str:
    """Return pictures beside each other, as many as fit."""
    style = "margin:0 24px 16px 0;max-width:100%;overflow-x:auto"
    parts = [
        f'<div style="{style}">{one.svg}{paragraph(one.caption) if one.caption else ""}</div>'
        for one in pictures
    ]
    return f'<div style="display:flex;flex-wrap:wrap">{"".join(parts)}</div>'


def _sortability_table(audit: Audit) -> str:
    rows = [
        [
            row.statistic.replace("R2", "R²"),
            row.convention,
            with_interval(row.value, *row.interval),
            number(row.p_rising, 3),
            number(row.p_falling, 3),
        ]
        for row in audit.sortabilities
    ]
    header = ["statistic", "counted by", "sortability and 95 %", "p rising", "p falling"]
    return table(rows, header, "How closely statistics follow the causal order")


def _baseline_table(audit: Audit) -> str:
    rows = [
        [
            row.algorithm,
            _score(row.shd, row.shd_range, 0),
            _score(row.f1, row.f1_range),
            _p_order(row),
        ]
        for row in audit.baselines
    ]
    header = ["baseline", "SHD", "F1", "p-value"]
    return table(rows, header, "Scores of the baselines (random ones: mean and 95 %)")


def _score(value: float, limits: Interval | None, decimals: int = 2) -> str:
    return with_interval(value, *limits, decimals) if limits else number(value, decimals)


def _p_order(row: BaselineScore) -> str:
    return "" if row.p_order is None else number(row.p_order, 3)
