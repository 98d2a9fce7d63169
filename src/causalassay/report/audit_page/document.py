"""The page of one audit: the verdict, the pictures, then every number and where it comes from."""

from __future__ import annotations

import math

from causalassay.auditing import Audit, PooledAudit
from causalassay.auditing.file_rows import file_heads, file_rows, last_row
from causalassay.auditing.order_evidence import units_of
from causalassay.auditing.pictures import audit_pictures, pooled_pictures
from causalassay.auditing.provenance import Provenance
from causalassay.judging.pooled_sentences import files_text
from causalassay.notebook import number, with_interval
from causalassay.report.audit_page.parts import (
    findings_section,
    headline,
    page,
    picture_section,
    provenance_section,
    rules_section,
)
from causalassay.report.page.elements import folded, section, table
from causalassay.report.page.markup import Html, join, tag


def audit_page(name: str, audit: Audit, made: Provenance, command: str, date: str) -> Html:
    """Return the page of an audit; no name in it can be more than text.

    Parameters
    ----------
    name : str
        Of the data.
    audit : Audit
    made : Provenance
    command : str
        The command line that made it.
    date : str
    """
    return page(
        f"Audit of {name}",
        tag("h1", f"Audit of {name}"),
        *headline(audit.verdict, f"Audited: {size_text(audit)}."),
        picture_section(audit_pictures(audit)),
        *tables(audit),
        findings_section(audit.findings),
        rules_section(audit.rules),
        provenance_section(made, command, date),
    )


def pooled_page(name: str, pooled: PooledAudit, made: Provenance, command: str, date: str) -> Html:
    """Return the page of several audits under one verdict; parameters as `audit_page` has them."""
    alone = table(
        "each-file",
        "What was measured on each file, and what is found on it alone.",
        file_heads(pooled),
        [*file_rows(pooled), last_row(pooled)],
    )
    each = [
        join([tag("h3", file), *(tag("p", found.text) for found in one.findings)])
        for file, one in pooled.audits.items()
    ]
    n_graphs = len(set(units_of(list(pooled.audits.values())).tolist()))
    graphs = "1 graph" if n_graphs == 1 else f"{n_graphs} graphs"
    about = f"Audited: {files_text(len(pooled.audits))} on {graphs}."
    return page(
        f"Audit of {name}",
        tag("h1", f"Audit of {name}"),
        *headline(pooled.verdict, about),
        picture_section(pooled_pictures(pooled)),
        findings_section(pooled.findings),
        section("files-alone", "Each file alone", alone, folded("Findings of each file", *each)),
        rules_section(pooled.rules),
        provenance_section(made, command, date),
    )


def size_text(audit: Audit) -> str:
    """Return how large the data and the graph are."""
    edges = "no graph" if audit.n_edges is None else f"{audit.n_edges} edges"
    return f"{audit.n_samples} rows, {audit.n_nodes} columns, {edges}"


def tables(audit: Audit) -> tuple[Html, ...]:
    """Return the sections of sortabilities and of baselines; none without a graph."""
    if not audit.sortabilities:
        return ()
    sortable = table(
        "sortabilities",
        "Share of cause–effect pairs in which the effect has the larger value: 1/2 is chance. "
        "P-values: share of random assignments that are at least as extreme.",
        ("statistic", "counted by", "sortability, 95 % interval", "p-value rising", "falling"),
        [
            (
                row.statistic.replace("R2", "R²"),
                row.convention,
                _with_limits(row.value, row.interval),
                number(row.p_rising, 3),
                number(row.p_falling, 3),
            )
            for row in audit.sortabilities
        ],
    )
    reached = table(
        "baselines",
        "Scores against the given graph; of random ones the mean and the central 95 %. P-value: "
        "share of random orders with at least that F1.",
        ("baseline", "F1", "SHD", "p-value"),
        [
            (
                row.algorithm,
                _with_limits(row.f1, row.f1_range),
                _with_limits(row.shd, row.shd_range, 0),
                "" if row.p_order is None else number(row.p_order, 3),
            )
            for row in audit.baselines
        ],
    )
    notes = dict.fromkeys(
        row.note for rows in (audit.sortabilities, audit.baselines) for row in rows if row.note
    )
    said = [tag("p", f"Note: {note}.", class_="aside") for note in notes]
    return (
        section("sortability", "Sortability", sortable),
        section("baseline-scores", "Baselines", reached, *said),
    )


def _with_limits(value: float, limits: tuple[float, float] | None, decimals: int = 2) -> str:
    if limits is None or math.isnan(limits[0]):
        return number(value, decimals)
    return with_interval(value, *limits, decimals)
