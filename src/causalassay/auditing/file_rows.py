"""One row for each file of a pooled audit, as texts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from causalassay.auditing.order_evidence import measured_of, random_f1
from causalassay.judging.artefacts import Artefact, artefacts_of
from causalassay.judging.findings import Finding
from causalassay.notebook import number

if TYPE_CHECKING:
    from causalassay.auditing.pooled import PooledAudit


N_SIZES = 3
"""Columns after the first that only say how large a file is."""


def file_heads(pooled: PooledAudit) -> list[str]:
    """Return the headings of `file_rows`."""
    heads = ["file", "rows", "columns", "edges"]
    for artefact in _artefacts(pooled):
        heads += [f"sortability by {artefact.word}", f"F1 by rising / falling {artefact.word}"]
    return [*heads, "F1 of random orders", "finding"]


def file_rows(pooled: PooledAudit) -> list[list[str]]:
    """Return what was measured on each file, and what is found on it alone."""
    rows = []
    for name, audit in pooled.audits.items():
        base = random_f1(audit)
        row = [name, str(audit.n_samples), str(audit.n_nodes), str(audit.n_edges)]
        for artefact in _artefacts(pooled):
            value, *_, up, down = measured_of(artefact, audit)
            row += [number(value), f"{number(base + up)} / {number(base + down)}"]
        rows.append([*row, number(base), _kind(audit.verdict)])
    return rows


def last_row(pooled: PooledAudit) -> list[str]:
    """Return the means over all units, and what is found on all files together."""
    base = pooled.random_f1
    row = ["all together", "", "", ""]
    for artefact in _artefacts(pooled):
        claims = [one for one in pooled.claims if one.artefact == artefact]
        value = claims[0].sortability if claims else math.nan
        reached = " / ".join(number(base + one.gain) for one in claims)
        row += [number(value), reached or number(math.nan)]
    return [*row, number(base), _kind(pooled.verdict)]


def _kind(verdict: Finding) -> str:
    named = verdict.statistic.replace("R2", "R²")
    return f"{verdict.kind} ({named})" if named else verdict.kind


def _artefacts(pooled: PooledAudit) -> tuple[Artefact, ...]:
    return artefacts_of(next(iter(pooled.audits.values())).world)
