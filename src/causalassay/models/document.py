"""What models show: the graph and, of small ones, exact moments, weights or laws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from causalassay.common.arrays import Adjacency
from causalassay.models.discrete.tables import TooWide
from causalassay.models.noise import MixedNoise
from causalassay.present import Column, Document, GraphFigure, Table
from causalassay.present.drawing import MOST_NODES, show

if TYPE_CHECKING:
    from causalassay.models.discrete.scm import DiscreteSCM
    from causalassay.models.linear.scm import LinearSCM
    from causalassay.models.nonlinear.scm import AdditiveNoiseSCM
    from causalassay.models.series.var import VAR

MOST_WEIGHTS = 40


def linear_document(model: LinearSCM) -> Document:
    """Return the graph of a model, and of small ones the exact moments and the weights."""
    return _document(model, model.graph, tables=linear_tables(model))


def nonlinear_document(model: AdditiveNoiseSCM) -> Document:
    """Return the graph of a model."""
    return _document(model, model.graph)


def discrete_document(model: DiscreteSCM) -> Document:
    """Return the graph of a discrete model, and of small ones the law of each node."""
    return _document(model, model.graph, model.names, law_tables(model))


def series_document(model: VAR) -> Document:
    """Return the summary graph of a model of a series."""
    return _document(model, model.graph.summary, kind="Over all lags: ")


def _document(
    model: LinearSCM | AdditiveNoiseSCM | DiscreteSCM | VAR,
    graph: Adjacency,
    names: Sequence[str] | None = None,
    tables: Sequence[Table] = (),
    kind: str = "",
) -> Document:
    drawing = show(graph, names)
    figure = GraphFigure("graph", drawing._repr_svg_, f"{kind}{drawing.caption}.")
    return Document(type(model).__name__, "", [figure, *tables], about=model.size_text)


def linear_tables(model: LinearSCM) -> list[Table]:
    """Return the exact moments of a small model, and its weights if they are few.

    Examples
    --------
    >>> from causalassay.models import LinearSCM
    >>> moments, weights = linear_tables(LinearSCM([[0, 2], [0, 0]], noise_variance=1.0))
    >>> moments.records()[1]["variance"], weights.records()
    (5.0, [{'edge': '0 → 1', 'weight': 2.0}])
    """
    tables = []
    if model.n_nodes <= MOST_NODES:
        moments = {
            "mean": ("mean", model.mean()),
            "variance": ("variance", model.covariance().diagonal()),
            "noise_variance": ("noise variance", model.noise_variance),
            "explained": ("explained by parents", model.cause_explained_variance()),
            "r2": ("R²", model.r2()),
        }
        columns = [Column(key, heading, "fixed") for key, (heading, _) in moments.items()]
        numbers = np.array([values for _, values in moments.values()]).T.tolist()
        rows = [(str(node), *row) for node, row in enumerate(numbers)]
        if isinstance(model.noise, MixedNoise):
            columns = [*columns, Column("noise", "noise")]
            rows = [(*row, law) for row, law in zip(rows, model.noise.laws, strict=True)]
        tables.append(Table("moments", [Column("node", "node"), *columns], rows, "Exact moments"))
    edges = np.argwhere(model.graph).tolist()
    if 0 < len(edges) <= MOST_WEIGHTS:
        rows = [(f"{i} → {j}", float(model.weights[i, j])) for i, j in edges]
        columns = [Column("edge", "edge"), Column("weight", "weight", "fixed")]
        tables.append(Table("weights", columns, rows, "Weights"))
    return tables


def law_tables(model: DiscreteSCM) -> list[Table]:
    """Return the exact law of each node of a small model.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> from causalassay.models import DiscreteSCM
    >>> (laws,) = law_tables(DiscreteSCM(chain(1), [[0.7, 0.3]], [("no", "yes")]))
    >>> laws.records()[1]
    {'node': 'x0', 'level': 'yes', 'probability': 0.3}
    """
    if model.n_nodes > MOST_NODES:
        return []
    try:
        laws = model.marginals().probabilities
    except TooWide:
        return []
    columns = (
        Column("node", "node"),
        Column("level", "level"),
        Column("probability", "probability", "factor"),
    )
    rows = [
        (name, str(level), float(probability))
        for name, levels, law in zip(model.names, model.levels, laws, strict=True)
        for level, probability in zip(levels, law, strict=True)
    ]
    return [Table("laws", columns, rows, "Exact laws")]
