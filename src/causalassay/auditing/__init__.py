"""Audits: compare a data set with baselines that exploit its artefacts."""

from causalassay.auditing.audit import audit
from causalassay.auditing.result import Audit, BaselineScore, ColumnSpread, Sortability
from causalassay.judging.findings import Finding
from causalassay.judging.graph_check import GraphCheck

__all__ = [
    "Audit",
    "BaselineScore",
    "ColumnSpread",
    "Finding",
    "GraphCheck",
    "Sortability",
    "audit",
]
