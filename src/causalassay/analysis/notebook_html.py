"""How a notebook shows a summary: how the runs ended, and the scores of each group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from causalassay.analysis.names import metric_name, scheme_name
from causalassay.analysis.runs import STATUSES
from causalassay.notebook import fragment, paragraph, table, with_interval

if TYPE_CHECKING:
    import pandas as pd

    from causalassay.analysis.summary import Summary

MOST_GROUPS = 8
"""Beside each other; `Summary.scores` holds all."""
FIRST_METRICS = 2


def summary_html(summary: Summary) -> str:
    """Return the counts by status and the mean scores by the first metrics."""
    if not len(summary.counts):
        return fragment(paragraph("Summary: no rows yet"))
    metrics = list(zip(summary.metrics, summary.better, strict=True))
    boards = [_board(summary, metric, better) for metric, better in metrics[:FIRST_METRICS]]
    if rest := [metric for metric, _ in metrics[FIRST_METRICS:]]:
        boards.append(paragraph(f"In .scores also: {', '.join(map(metric_name, rest))}"))
    return fragment(_counts(summary.counts), *boards)


def _counts(counts: pd.DataFrame) -> str:
    names = ["n", *STATUSES, *(["absent"] if counts["absent"].any() else [])]
    rows = [[_name(row), *(row[name] for name in names)] for row in counts.to_dict("records")]
    return table(rows, ["algorithm", "rows", *names[1:]], "How the runs ended (* baseline)")


def _board(summary: Summary, metric: str, better: str) -> str:
    scores = summary.scores[summary.scores["metric"] == metric]
    cells: dict[tuple[str, str], str] = {}
    for row in scores.to_dict("records"):
        group = ", ".join(_heading(row[column]) for column in summary.by)
        cells[_name(row), group] = with_interval(row["mean"], row["mean_low"], row["mean_high"])
    groups = list(dict.fromkeys(group for _, group in cells))
    rows = list(_rows(cells, groups[:MOST_GROUPS]))
    caption = f"{metric_name(metric)}, {better} is better: mean and 95 % interval"
    if len(groups) > MOST_GROUPS:
        caption += f"; {len(groups) - MOST_GROUPS} more groups are in .scores"
    return table(rows, ["algorithm", *groups[:MOST_GROUPS]], caption)


def _rows(cells: dict[tuple[str, str], str], groups: list[str]) -> Iterator[list[str]]:
    for name in dict.fromkeys(name for name, _ in cells):
        yield [name, *(cells.get((name, group), "–") for group in groups)]


def _heading(value: object) -> str:
    return scheme_name(value) if isinstance(value, str) else str(value)


def _name(row: Mapping[Any, Any]) -> str:
    return f"{row['algorithm']}{'*' * (row['role'] == 'baseline')}"
