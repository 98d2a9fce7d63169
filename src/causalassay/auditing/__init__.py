"""Audits: compare a data set with baselines that exploit its artefacts."""

from causalassay.auditing.audit import audit
from causalassay.auditing.pooled import PooledAudit, audit_many, pool
from causalassay.auditing.result import (
    Audit,
    BaselineScore,
    ColumnPlace,
    ColumnSpread,
    Sortability,
)
from causalassay.judging.findings import Finding
from causalassay.judging.graph_check import GraphCheck

__all__ = [
    "Audit",
    "BaselineScore",
    "ColumnPlace",
    "ColumnSpread",
    "Finding",
    "GraphCheck",
    "PooledAudit",
    "Sortability",
    "audit",
    "audit_many",
    "pool",
]
