"""A data set together with the truth about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from causalassay.common.arrays import Adjacency, check_adjacency
from causalassay.data.dataset import Dataset
from causalassay.graphs.lagged import LaggedGraph
from causalassay.present import Document, Shown

if TYPE_CHECKING:
    from causalassay.models import VAR, Model


@dataclass(frozen=True, eq=False)
class Problem(Shown):
    """Data, the graph that generated them, and the model if it is known.

    Parameters
    ----------
    data : Dataset
    graph : Adjacency, shape (d, d)
        The truth, its nodes in the order of the data's columns. The problem
        holds a read-only copy. Of a series it is the summary of the links,
        in which both entries of a pair mean feedback.
    model : Model, optional
    name : str
        What reports call it.
    lagged : LaggedGraph, optional
        Of a series: at which lags the links are, if that is known.

    Examples
    --------
    >>> import numpy as np
    >>> data = Dataset.from_values([[0.0, 1.0], [2.0, 4.5]])
    >>> problem = Problem(data, np.array([[False, True], [False, False]]), name="pair")
    >>> problem
    Problem(data=Dataset(2 rows, 2 columns, 1 regime), name='pair')
    """

    data: Dataset
    graph: Adjacency = field(repr=False)
    model: Model | VAR | None = field(default=None, repr=False)
    name: str = ""
    lagged: LaggedGraph | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        graph = check_adjacency(self.graph).copy()
        if len(graph) != self.data.n_nodes:
            raise ValueError(
                f"graph: the data have {self.data.n_nodes} columns but the graph has "
                f"{len(graph)} nodes; give it one node per column, in the same order"
            )
        graph.setflags(write=False)
        object.__setattr__(self, "graph", graph)
        if self.lagged is not None:
            self._check_lagged(self.lagged)

    @classmethod
    def of_series(
        cls, data: Dataset, lagged: LaggedGraph, model: VAR | None = None, name: str = ""
    ) -> Problem:
        """Return the problem of a series; its graph is the summary of the lagged one.

        Examples
        --------
        >>> import numpy as np
        >>> links = np.zeros((2, 2, 2), dtype=bool)
        >>> links[1, 0, 1] = True
        >>> data = Dataset.from_values([[0.0, 1.0], [2.0, 4.5]], rows="series")
        >>> Problem.of_series(data, LaggedGraph(links)).graph.astype(int)
        array([[0, 1],
               [0, 0]])
        """
        return cls(data, lagged.summary, model, name, lagged)

    def _check_lagged(self, lagged: LaggedGraph) -> None:
        if self.data.world != "series":
            raise ValueError(
                "lagged: the rows of the data are independent, so nothing acts over time; "
                'create the data with rows="series", or leave the lagged graph out'
            )
        if not np.array_equal(lagged.summary, self.graph):
            raise ValueError("lagged: its summary is not the graph; pass `lagged.summary` as graph")

    def document(self) -> Document:
        """Return what the problem shows."""
        from causalassay.data.document import problem_document  # noqa: PLC0415  # for notebooks

        return problem_document(self)
