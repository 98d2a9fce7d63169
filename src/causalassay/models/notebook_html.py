"""How a notebook shows a model: its graph, its nodes, its weights or laws."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from causalassay.drawing.drawing import MOST_NODES, show
from causalassay.notebook import fragment, number, paragraph, table

if TYPE_CHECKING:
    from causalassay.models.discrete.scm import DiscreteSCM
    from causalassay.models.linear.scm import LinearSCM

MOST_WEIGHTS = 40


def model_html(model: LinearSCM) -> str:
    """Return the drawn graph of a model, and of small ones the exact moments and weights.

    Examples
    --------
    >>> from causalassay.models import LinearSCM
    >>> "noise variance" in model_html(LinearSCM([[0, 2], [0, 0]], noise_variance=1.0))
    True
    """
    parts = [paragraph(model), show(model.graph)._repr_svg_()]
    if model.n_nodes <= MOST_NODES:
        parts.append(_node_table(model))
    if np.count_nonzero(model.weights) <= MOST_WEIGHTS:
        parts.append(_weight_table(model))
    return fragment(*parts)


def _node_table(model: LinearSCM) -> str:
    columns = (
        model.mean(),
        model.covariance().diagonal(),
        model.noise_variance,
        model.cause_explained_variance(),
        model.r2(),
    )
    rows = [
        [node, *(number(float(column[node])) for column in columns)]
        for node in range(model.n_nodes)
    ]
    header = ["node", "mean", "variance", "noise variance", "explained by parents", "R²"]
    return table(rows, header, "Exact moments")


def _weight_table(model: LinearSCM) -> str:
    edges = np.argwhere(model.graph).tolist()
    rows = [[f"{i} → {j}", number(float(model.weights[i, j]))] for i, j in edges]
    return table(rows, ["edge", "weight"]) if rows else ""


def discrete_model_html(model: DiscreteSCM) -> str:
    """Return the drawn graph of a discrete model, and of small ones the law of each node.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> from causalassay.models import DiscreteSCM
    >>> "P(yes) = 0.3" in discrete_model_html(DiscreteSCM(chain(1), [[0.7, 0.3]], [("no", "yes")]))
    True
    """
    parts = [paragraph(model), show(model.graph, list(model.names))._repr_svg_()]
    if model.n_nodes <= MOST_NODES:
        parts.append(_law_table(model))
    return fragment(*parts)


def _law_table(model: DiscreteSCM) -> str:
    try:
        laws = model.marginals().probabilities
    except ValueError:  # too dense for exact laws
        return ""
    rows = [
        [name, ", ".join(f"P({k}) = {p:.2g}" for k, p in zip(levels, law, strict=True))]
        for name, levels, law in zip(model.names, model.levels, laws, strict=True)
    ]
    return table(rows, ["node", "law"], "Exact laws")
