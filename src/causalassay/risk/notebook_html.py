"""How a notebook shows risks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causalassay.drawing import show
from causalassay.notebook import fragment, paragraph, table, with_interval

if TYPE_CHECKING:
    from causalassay.risk.result import Comparison, Risk

KINDS = ("naive", "cross_validated", "weighted")


def risk_html(risk: Risk) -> str:
    """Return the three risks with their intervals, and the algorithm's graph."""
    rows = [[kind.replace("_", "-"), _with_limits(risk, kind)] for kind in KINDS]
    tested = f"Risk over {len(risk.intervened)} intervened of {len(risk.graph)} variables"
    drawing = show(risk.graph, risk.descendants.columns)
    return fragment(
        paragraph(tested),
        table(rows, ["risk", "estimate and interval"]),
        paragraph(f"The algorithm's graph: {drawing.caption}"),
        drawing._repr_svg_(),
    )


def comparison_html(comparison: Comparison) -> str:
    """Return the risks of several algorithms, the least weighted one first."""
    rows = [
        [name, *(_with_limits(comparison.risks[name], kind) for kind in KINDS)]
        for name in comparison.ranking
    ]
    header = ["algorithm", *(kind.replace("_", "-") for kind in KINDS)]
    return fragment(table(rows, header, "Causal risk, low is better: estimate and interval"))


def _with_limits(risk: Risk, kind: str) -> str:
    return with_interval(getattr(risk, kind), *getattr(risk.intervals, kind))
