"""How a notebook shows an audit: the verdict, then the numbers it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causalassay.notebook import fragment, number, paragraph, table, with_interval

if TYPE_CHECKING:
    from causalassay.auditing.result import Audit, BaselineScore, Interval


def audit_html(audit: Audit) -> str:
    """Return the findings of an audit, its two tables, and its rules."""
    edges = "no graph" if audit.n_edges is None else f"{audit.n_edges} edges"
    parts = [
        paragraph(f"Audit: {audit.n_samples} rows, {audit.n_nodes} columns, {edges}"),
        paragraph(f"Verdict: {audit.verdict.sentence}"),
        *(paragraph(one.sentence) for one in audit.findings if one != audit.verdict),
    ]
    if audit.sortabilities:
        parts.append(_sortability_table(audit))
    if audit.baselines:
        parts.append(_baseline_table(audit))
    parts += [paragraph(f"Rule “{name}”: {text}") for name, text in audit.rules.items()]
    return fragment(*parts)


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
    return table(rows, header, "How far statistics follow the causal order")


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
    return table(rows, header, "What baselines reach (random ones: mean and 95 %)")


def _score(value: float, limits: Interval | None, decimals: int = 2) -> str:
    return with_interval(value, *limits, decimals) if limits else number(value, decimals)


def _p_order(row: BaselineScore) -> str:
    return "" if row.p_order is None else number(row.p_order, 3)
