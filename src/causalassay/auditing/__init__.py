"""A data set against the baselines that exploit its artefacts."""

from causalassay.auditing.audit import audit
from causalassay.auditing.result import (
    Audit,
    BaselineScore,
    ColumnSpread,
    GraphFit,
    Sortability,
    Verdict,
)

__all__ = [
    "Audit",
    "BaselineScore",
    "ColumnSpread",
    "GraphFit",
    "Sortability",
    "Verdict",
    "audit",
]
