"""A data set together with the truth about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from causalassay.arrays import Adjacency, check_adjacency
from causalassay.data.dataset import Dataset
from causalassay.data.showing import problem_html

if TYPE_CHECKING:
    from causalassay.models import Model


@dataclass(frozen=True, eq=False)
class Problem:
    """Data, the graph that made them, and the model if it is known.

    Parameters
    ----------
    data : Dataset
    graph : Adjacency, shape (d, d)
        The truth, its nodes in the order of the data's columns. The problem
        holds a read-only copy.
    model : Model, optional
    name : str
        What reports call it.

    Examples
    --------
    >>> import numpy as np
    >>> data = Dataset.from_values([[0.0, 1.0], [2.0, 4.5]])
    >>> problem = Problem(data, np.array([[False, True], [False, False]]), name="pair")
    >>> int(problem.graph.sum())
    1
    """

    data: Dataset
    graph: Adjacency = field(repr=False)
    model: Model | None = field(default=None, repr=False)
    name: str = ""

    def __post_init__(self) -> None:
        graph = check_adjacency(self.graph).copy()
        if len(graph) != self.data.n_nodes:
            raise ValueError(
                f"graph: the data have {self.data.n_nodes} columns but the graph has "
                f"{len(graph)} nodes; give it one node a column, in the same order"
            )
        graph.setflags(write=False)
        object.__setattr__(self, "graph", graph)

    def _repr_html_(self) -> str:
        return problem_html(self)
