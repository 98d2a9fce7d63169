"""A graph with the frequencies of its edges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from causalassay.common.spelling import visible
from causalassay.contracts import Estimate
from causalassay.graphs.probabilities import Probabilities
from causalassay.present import Document, Shown
from causalassay.present.drawing import Drawing, show
from causalassay.present.formatting import counted, percent
from causalassay.present.json_values import plain_values

if TYPE_CHECKING:
    import pandas as pd

Mark = Literal["->", "--", "<->", ""]
"""How the graph joins a pair; "<->" is feedback in a series, empty is not at all."""

SHARES = ("forward", "backward", "undirected", "absent")
"""Of the bootstraps: source → target, the other way, without direction, not joined."""

STABLE = 0.9
"""Share of the bootstraps from which on an edge is counted as stable."""

MOST_PRINTED = 8
"""Pairs that `repr` lists."""


@dataclass(frozen=True)
class PairFrequency:
    """How often a pair of columns was joined, and how.

    Parameters
    ----------
    source, target : str
        Of a directed edge its cause and effect; of a pair that the graph does not join, in the
        more frequent direction.
    mark : {"->", "--", "<->", ""}
        How the graph joins them, if it does.
    forward, backward, undirected, absent : float
        Shares of the bootstraps: source → target, the other way, without direction, not joined.
        They sum to 1; nan without a bootstrap that worked.
    """

    source: str
    target: str
    mark: Mark
    forward: float
    backward: float
    undirected: float
    absent: float

    @property
    def shares(self) -> tuple[float, float, float, float]:
        """The four shares."""
        return self.forward, self.backward, self.undirected, self.absent

    @property
    def joined(self) -> float:
        """Share of the bootstraps that join the pair in any way."""
        return self.forward + self.backward + self.undirected

    @property
    def support(self) -> float:
        """Share of the bootstraps that join the pair as the graph does; else in any way."""
        if self.mark == "->":
            return self.forward
        return self.undirected if self.mark else self.joined

    @property
    def text(self) -> str:
        """The pair as text; one that the graph does not join has a question mark."""
        sign = {"->": "→", "--": "—", "<->": "⇄", "": "?"}[self.mark]
        return visible(f"{self.source} {sign} {self.target}")


@dataclass(frozen=True, eq=False, repr=False)
class EdgeFrequencies(Shown):
    """An algorithm's graph, and how often bootstraps of the rows have each edge.

    Parameters
    ----------
    columns : tuple of str
        The names of the d columns.
    estimate : Estimate
        On all rows.
    n_directed : ndarray of int, shape (d, d)
        In how many bootstraps there is i→j, and not j→i.
    n_undirected : ndarray of int, shape (d, d)
        In how many there is i—j; symmetric.
    n_bootstrap : int
        Bootstraps in all.
    failures : mapping of str to int
        How many of them gave no graph, by reason. Frequencies are shares of the others.
    seed : int, optional
        The seed of all random draws; None if a generator was given.
    """

    columns: tuple[str, ...]
    estimate: Estimate
    n_directed: NDArray[np.int64]
    n_undirected: NDArray[np.int64]
    n_bootstrap: int
    failures: Mapping[str, int] = field(default_factory=dict)
    seed: int | None = None

    @property
    def n_failed(self) -> int:
        """Number of bootstraps that gave no graph."""
        return sum(self.failures.values())

    @property
    def measured(self) -> bool:
        """Whether a bootstrap gave a graph; else there are no frequencies."""
        return self.n_bootstrap > self.n_failed

    @property
    def directed(self) -> NDArray[np.float64]:
        """Share of the bootstraps with i→j, shape (d, d)."""
        return self._share(self.n_directed)

    @property
    def undirected(self) -> NDArray[np.float64]:
        """Share of the bootstraps with i—j, shape (d, d), symmetric."""
        return self._share(self.n_undirected)

    @property
    def joined(self) -> NDArray[np.float64]:
        """Share of the bootstraps that join i and j in any way, shape (d, d), symmetric."""
        return self._share(self.n_directed + self.n_directed.T + self.n_undirected)

    @property
    def probabilities(self) -> Probabilities | None:
        """The shares as probabilities of edges: of i—j half each way; None without bootstraps.

        How far they can be read as such is what `causalassay.metrics.calibration_error` measures.
        """
        return self.directed + self.undirected / 2 if self.measured else None

    def as_estimate(self) -> Estimate:
        """Return the estimate on all rows with the probabilities of bootstraps, if there are any.

        Examples
        --------
        >>> from causalassay.resampling import edge_frequencies
        >>> values = np.random.default_rng(0).normal(size=(200, 3)).cumsum(axis=1)
        >>> found = edge_frequencies("var-sortnregress", values, rng=1, n_bootstrap=20)
        >>> probabilities = found.as_estimate().probabilities
        >>> bool((probabilities == found.n_directed / 20).all())
        True
        """
        own = self.estimate.probabilities
        shares = self.probabilities if self.measured else own
        return replace(self.estimate, columns=self.columns, probabilities=shares)

    @property
    def support(self) -> NDArray[np.float64]:
        """Share of the bootstraps that have an edge as the graph has it, shape (d, d)."""
        graph = self.estimate.graph
        return np.where(graph & graph.T, self.undirected, self.directed)

    def draw(self) -> Drawing:
        """Return a drawing: thick lines for pairs often joined, dashes for unsure directions."""
        return show(self.estimate.graph, self.columns, self.joined, self.support)

    def pair(self, i: int, j: int) -> PairFrequency:
        """Return the frequencies of two columns, by index."""
        graph = self.estimate.graph
        turned = graph[j, i] and not graph[i, j]
        if not graph[i, j] and not graph[j, i]:
            turned = self.n_directed[j, i] > self.n_directed[i, j]
        i, j = (j, i) if turned else (i, j)
        both: Mark = "<->" if self.estimate.kind == "summary" else "--"
        mark: Mark = "" if not graph[i, j] else both if graph[j, i] else "->"
        return PairFrequency(self.columns[i], self.columns[j], mark, *self.shares(i, j))

    def shares(self, i: int, j: int) -> tuple[float, float, float, float]:
        """Return the shares of i→j, j→i, i—j and neither; nan without a bootstrap that worked."""
        n_worked = self.n_bootstrap - self.n_failed
        if not n_worked:
            return (np.nan,) * 4
        counts = (self.n_directed[i, j], self.n_directed[j, i], self.n_undirected[i, j])
        numbers = [int(count) for count in counts]
        forward, backward, undirected = (count / n_worked for count in numbers)
        return forward, backward, undirected, (n_worked - sum(numbers)) / n_worked

    def pairs(self, above: float = 0.5) -> list[PairFrequency]:
        """Return the pairs that the graph joins, and those that more bootstraps do.

        Parameters
        ----------
        above : float
            A pair that the graph does not join is listed if more than this share of the
            bootstraps does.

        Returns
        -------
        list of PairFrequency
            The graph's edges first, of each part those with the most support first.
        """
        joined = self.estimate.graph | self.estimate.graph.T | (self.joined > above)
        pairs = [self.pair(i, j) for i, j in np.argwhere(np.triu(joined, 1)).tolist()]
        return sorted(pairs, key=lambda pair: (not pair.mark, -np.nan_to_num(pair.support)))

    @property
    def numbers(self) -> dict[tuple[int, int], dict[str, float]]:
        """The frequencies of each edge of the graph, as `write_graph` takes them."""
        if not self.measured:
            return {}
        return {
            (i, j): dict(zip(SHARES, self.shares(i, j), strict=True))
            for i, j in np.argwhere(self.estimate.graph).tolist()
        }

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; undefined numbers are None.

        "probabilities" are those of the algorithm itself, where it has them.
        """
        own = self.estimate.probabilities
        values: dict[str, Any] = plain_values(
            {
                "columns": self.columns,
                "kind": self.estimate.kind,
                "n_bootstrap": self.n_bootstrap,
                "n_failed": self.n_failed,
                "failures": self.failures,
                "edges": self._records(),
                "directed": self.directed,
                "undirected": self.undirected,
                "seed": self.seed,
            }
            | ({} if own is None else {"probabilities": own})
        )
        return values

    def to_frame(self) -> pd.DataFrame:
        """Return the pairs as a data frame, with the columns that `to_dict` has for each edge."""
        import pandas as pd  # noqa: PLC0415  # takes a while

        return pd.DataFrame(self._records())

    def _records(self) -> list[dict[str, Any]]:
        return [
            {"from": pair.source, "to": pair.target, "kind": pair.mark or None}
            | dict(zip(SHARES, pair.shares, strict=True))
            for pair in self.pairs()
        ]

    def document(self) -> Document:
        """Return what the graph and its frequencies show."""
        from causalassay.resampling.document import (  # noqa: PLC0415  # it needs this module
            frequencies_document,
        )

        return frequencies_document(self)

    def __repr__(self) -> str:
        pairs = self.pairs()
        width = max((len(pair.text) for pair in pairs), default=0)
        lines = [
            f"{pair.text:{width}}  {percent(pair.support):>5}" for pair in pairs[:MOST_PRINTED]
        ] or ["no edges"]
        if len(pairs) > MOST_PRINTED:
            lines.append(f"… and {len(pairs) - MOST_PRINTED} more")
        return "\n".join([*lines, self.caption])

    @property
    def sentence(self) -> str:
        """How many edges there are, and how many of them nearly all bootstraps have."""
        edges = [pair for pair in self.pairs() if pair.mark]
        if not edges:
            return f"No edges ({self.caption})."
        n_edges = counted(len(edges), "edge")
        if not self.n_bootstrap:
            return f"{n_edges}; without bootstraps nothing is known of their stability."
        stable = sum(edge.support >= STABLE for edge in edges)
        return (
            f"{stable} of {n_edges} come out as drawn in at least {percent(STABLE)} of the "
            f"bootstraps ({self.n_bootstrap}, {self.n_failed} failed)."
        )

    @property
    def caption(self) -> str:
        """How many bootstraps there were, and how many failed."""
        return f"{counted(self.n_bootstrap, 'bootstrap')} of the rows, {self.n_failed} failed"

    def _share(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        n_worked = self.n_bootstrap - self.n_failed
        return counts / n_worked if n_worked else np.full(counts.shape, np.nan)
