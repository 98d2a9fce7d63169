"""A data set against the baselines that exploit its artefacts."""

from causalassay.audit.audit import audit
from causalassay.audit.result import (
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
