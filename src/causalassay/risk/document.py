"""What risks and predictions show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causalassay.present import Block, Column, Document, GraphFigure, Interval, Table
from causalassay.present.drawing import show
from causalassay.present.formatting import counted, fixed, interval, percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from causalassay.risk.prediction.result import Predictions, Score
    from causalassay.risk.result import Comparison, Risk

KINDS = {"naive": "naive", "cross_validated": "cross-validated", "weighted": "weighted"}
"""The three risks, and what they are called."""

AS_NAIVE = "as naive"
"""In place of a risk that equals the naive one by construction."""


def risk_document(risk: Risk) -> Document:
    """Return the three risks with their intervals, and the algorithm's graph."""
    columns = (Column("risk", "risk"), Column("estimate", "estimate and interval", "fixed"))
    rows = list(zip(KINDS.values(), _cells(risk), strict=True))
    drawing = show(risk.graph, risk.descendants.columns)
    caption = f"The algorithm's graph: {drawing.caption}."
    weighted = interval(Interval(risk.weighted, *risk.intervals.weighted))
    return Document(
        "Causal risk",
        f"The weighted causal risk is {weighted}; low is better.",
        [
            Table("risks", columns, rows, "Risks of the algorithm"),
            GraphFigure("graph", drawing._repr_svg_, caption),
        ],
        about=f"{len(risk.intervened)} intervened of {counted(len(risk.graph), 'variable')}; the "
        f"algorithm reads: {risk.reads}",
    )


def comparison_document(comparison: Comparison) -> Document:
    """Return the risks of several algorithms, the least weighted one first."""
    columns = (
        Column("algorithm", "algorithm"),
        Column("reads", "reads", priority=1),
        Column("naive", "naive", "fixed", priority=2),
        Column("cross_validated", "cross-validated", "fixed", priority=3),
        Column("weighted", "weighted", "fixed"),
    )
    named = ((name, comparison.risks[name]) for name in comparison.ranking)
    rows = [(name, risk.reads, *_cells(risk)) for name, risk in named]
    title = "Causal risk, low is better: estimate and interval"
    return Document(
        "Comparison by causal risk",
        _least("weighted causal risk", comparison.ranking),
        [Table("comparison", columns, rows, title), *_not_ranked(comparison.not_ranked)],
    )


def predictions_document(predictions: Predictions) -> Document:
    """Return how far predictions are from measurements, the least distance first."""
    columns = (
        Column("algorithm", "algorithm"),
        Column("total_variation", "total variation", "fixed3"),
        Column("share_predicted", "share of the\nchange predicted", "fixed"),
        Column("undoubted", "without experiments\nin doubt", "fixed3", priority=1),
    )
    rows = []
    for name in predictions.ranking():
        score, undoubted = predictions.score(name), predictions.score(name, undoubted=True)
        rows.append((name, _score(score), score.share_predicted, _score(undoubted)))
    n_experiments = counted(len(predictions.experiments), "experiment")
    limits = percent(predictions.level)
    return Document(
        "Predictions of experiments left out",
        _least("total variation", predictions.ranking()),
        [
            Table(
                "predictions",
                columns,
                rows,
                f"Total variation between prediction and measurement, with {limits} intervals",
            ),
            *_not_ranked(predictions.not_ranked),
        ],
        about=f"{n_experiments} on {counted(len(predictions.columns), 'column')}; perfect: "
        f"{fixed(predictions.floor(), 3)}; nothing changes: "
        f"{fixed(predictions.nothing_changes(), 3)}",
    )


def _cells(risk: Risk) -> list[object]:
    """Return the three risks; those that equal the naive one by construction say so."""
    if not risk.refitted:
        return [Interval(risk.naive, *risk.intervals.naive), AS_NAIVE, AS_NAIVE]
    return [Interval(getattr(risk, kind), *getattr(risk.intervals, kind)) for kind in KINDS]


def _least(what: str, ranking: Sequence[str]) -> str:
    if not ranking:
        return "No algorithm is ranked."
    return f"{ranking[0]} has the least {what} of {len(ranking)}, by estimate."


def _score(score: Score) -> Interval:
    return Interval(score.value, *score.interval)


def _not_ranked(reasons: Mapping[str, str]) -> list[Block]:
    columns = (Column("algorithm", "not ranked"), Column("reason", "reason"))
    rows = list(reasons.items())
    return [Table("not-ranked", columns, rows, "Algorithms that are not ranked")] if rows else []
