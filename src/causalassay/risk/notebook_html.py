"""How a notebook shows risks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causalassay.drawing import show
from causalassay.notebook import fragment, paragraph, table, with_interval

if TYPE_CHECKING:
    from causalassay.risk.result import Comparison, Risk

KINDS = ("naive", "cross_validated", "weighted")


COMPARISON_HEADER = ("algorithm", "reads", "naive", "cross-validated", "weighted")
AS_NAIVE = "as naive"


def risk_html(risk: Risk) -> str:
    """Return the three risks with their intervals, and the algorithm's graph."""
    rows = zip((kind.replace("_", "-") for kind in KINDS), _cells(risk), strict=True)
    tested = f"Risk over {len(risk.intervened)} intervened of {len(risk.graph)} variables"
    drawing = show(risk.graph, risk.descendants.columns)
    return fragment(
        paragraph(f"{tested}; the algorithm reads: {risk.reads}"),
        table(rows, ["risk", "estimate and interval"]),
        paragraph(f"The algorithm's graph: {drawing.caption}"),
        drawing._repr_svg_(),
    )


def comparison_html(comparison: Comparison) -> str:
    """Return the risks of several algorithms, the least weighted one first."""
    caption = "Causal risk, low is better: estimate and interval"
    ranked = table(comparison_cells(comparison), COMPARISON_HEADER, caption)
    if not comparison.not_ranked:
        return fragment(ranked)
    return fragment(ranked, table(comparison.not_ranked.items(), ["not ranked", "reason"]))


def comparison_cells(comparison: Comparison) -> list[tuple[str, ...]]:
    """Return a row of texts for each algorithm, the least weighted one first."""
    named = ((name, comparison.risks[name]) for name in comparison.ranking)
    return [(name, risk.reads, *_cells(risk)) for name, risk in named]


def _cells(risk: Risk) -> tuple[str, str, str]:
    """Return the three risks as text; those that equal the naive one by construction say so."""
    naive, cross_validated, weighted = (
        with_interval(getattr(risk, kind), *getattr(risk.intervals, kind)) for kind in KINDS
    )
    return (naive, cross_validated, weighted) if risk.refitted else (naive, AS_NAIVE, AS_NAIVE)
