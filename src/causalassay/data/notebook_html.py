"""How a notebook shows data sets and problems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causalassay.data.kinds import ColumnKind, Continuous
from causalassay.drawing import show
from causalassay.notebook import fragment, number, paragraph, table

if TYPE_CHECKING:
    from causalassay.data.dataset import Dataset
    from causalassay.data.problem import Problem
    from causalassay.data.regime import Regime

MOST_ROWS = 30


def dataset_html(data: Dataset) -> str:
    """Return the size of a data set, its columns and its regimes.

    Examples
    --------
    >>> from causalassay.data import Dataset
    >>> "&lt;script&gt;" in dataset_html(Dataset.from_values([[0.0], [1.0]], ["<script>"]))
    True
    """
    series = ", a series" if data.world == "series" else ""
    size = paragraph(f"Dataset: {data.n_samples} rows, {data.n_nodes} columns{series}")
    return fragment(size, _column_table(data), _regime_table(data))


def problem_html(problem: Problem) -> str:
    """Return the true graph of a problem, drawn with the names of the columns, and its data.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.data import Dataset, Problem
    >>> data = Dataset.from_values([[0.0, 1.0], [2.0, 4.5]])
    >>> problem_html(Problem(data, np.array([[False, True], [False, False]]))).count("<svg")
    1
    """
    drawing = show(problem.graph, problem.data.columns)
    name = f"Problem {problem.name}".strip()
    model = "unknown" if problem.model is None else repr(problem.model)
    caption = drawing.caption
    if problem.data.world == "series":
        caption = f"summary of a series ({caption}; a line without arrow is feedback)"
    return fragment(
        paragraph(f"{name}: {caption}; model: {model}"),
        drawing._repr_svg_(),
        _column_table(problem.data),
        _regime_table(problem.data),
    )


def _column_table(data: Dataset) -> str:
    observed = data.observational is not None
    values = data.observational_values if observed else data.pooled
    mean, sd = values.mean(axis=0), values.std(axis=0)
    rows: list[list[object]] = [
        [name, _kind(data.kinds[j]), number(float(mean[j])), number(float(sd[j]))]
        for j, name in enumerate(data.columns[:MOST_ROWS])
    ]
    rows += _rest(data.n_nodes)
    where = "in the observational regime" if observed else "in all regimes"
    return table(rows, ["column", "kind", "mean", "sd"], f"Columns {where}")


def _regime_table(data: Dataset) -> str:
    rows: list[list[object]] = [
        [regime.condition, len(regime.values), _targets(regime, data)]
        for regime in data.regimes[:MOST_ROWS]
    ]
    return table(rows + _rest(len(data.regimes)), ["regime", "rows", "targets"], "Regimes")


def _targets(regime: Regime, data: Dataset) -> str:
    if regime.condition == data.observational:
        return "observational"
    if regime.targets is None:
        return "unknown"
    return ", ".join(data.columns[target] for target in regime.targets) or "none"


def _kind(kind: ColumnKind) -> str:
    return "continuous" if isinstance(kind, Continuous) else f"{len(kind.levels)} levels"


def _rest(n: int) -> list[list[object]]:
    return [[f"… and {n - MOST_ROWS} more"]] if n > MOST_ROWS else []
