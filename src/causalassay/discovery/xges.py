"""Extremely greedy equivalence search."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency
from causalassay.common.spelling import RefusedValue
from causalassay.contracts import Columns, Estimate, Kind, Reads
from causalassay.data.dataset import Dataset
from causalassay.discovery.search.extremely_greedy import ExtremelyGreedySearch
from causalassay.discovery.search.gaussian_bic import gaussian_bic, interventional_node_statistics
from causalassay.discovery.search.scores import (
    ScoredData,
    ScoreSearch,
    gaussian_families,
    score_data,
)
from causalassay.graphs.cpdag import separated_pairs


@dataclass(frozen=True)
class XGES(ScoreSearch):
    """Search the classes greedily: delete before turning, turn before inserting, then force.

    XGES-0 applies the best valid Delete that raises the score; without one the best Turn;
    without one the best Insert. XGES goes on from there: it forces each deletion in turn,
    searches again without making that arrow, and keeps what scores more.

    Parameters
    ----------
    extended : bool
        Whether to force deletions, as XGES does; False is XGES-0.
    penalty_discount : float, optional
        Multiplies the BIC's penalty, log(n)/2 per parameter; the authors' default is 2. By
        default the penalty is that of extended BIC, log(n)/2 + log(d); see docs/searches.md.
    max_parents : int, optional
        The largest number of parents that a node of a member of the class may have.

    Notes
    -----
    The score, `Estimate.info` and ties are those of `GES`. ``info`` also has ``forced``, how
    many deletions were forced, and ``forced_kept``, how many of them led to a better class.

    The gains of operators are kept from class to class. A change of the graph recomputes
    those of the nodes at which edges changed, and of nodes joined to the changed pair.

    As in the authors' code, the arrow x→y of a forced deletion may not be made again, y→x may,
    and that holds on if the deletion is kept. Departs from it: once no deletion helps, all
    arrows may come back, and the deletions are tried again, as long as that gains.

    References
    ----------
    Nazaret and Blei (2024), Extremely greedy equivalence search, UAI, PMLR 244, algorithms 1
    and 2. Turns are those of Hauser and Bühlmann (2012), JMLR 13, section 4.3.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.data import Dataset
    >>> rng = np.random.default_rng(0)
    >>> a, b, noise = rng.normal(size=(3, 500))
    >>> data = Dataset.from_values(np.column_stack([a, b, a + b + noise]))
    >>> XGES().discover(data, rng).graph.astype(int)
    array([[0, 0, 1],
           [0, 0, 1],
           [0, 0, 0]])
    """

    extended: bool = True
    max_parents: int | None = None

    name: ClassVar[str] = "xges"
    columns: ClassVar[Columns] = "continuous or discrete"
    version: ClassVar[int] = 2
    reads: ClassVar[Reads] = "observational rows"
    output: ClassVar[Kind] = "cpdag"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = (
        "linear Gaussian or discrete, acyclic, no hidden common cause, faithful"
    )
    reference: ClassVar[str] = "Nazaret and Blei (2024), UAI, PMLR 244"

    def discover(self, data: Dataset, rng: Generator) -> Estimate:  # noqa: ARG002
        """Return the CPDAG that the search over the observational rows ends in."""
        scored = score_data(data, self)
        separated = np.zeros((data.n_nodes, data.n_nodes), dtype=bool)
        return self._search(scored, separated, data, "cpdag")

    def _search(
        self, scored: ScoredData, separated: Adjacency, data: Dataset, kind: Kind
    ) -> Estimate:
        most = data.n_nodes if self.max_parents is None else self.max_parents
        search = ExtremelyGreedySearch(scored.families, separated, most, data.columns)
        search.run(self.extended)
        return Estimate(search.graph, kind, info=_info(search, scored))


def _info(search: ExtremelyGreedySearch, scored: ScoredData) -> MappingProxyType[str, Any]:
    info = {
        "score": scored.of_graph(search.graph),
        "iterations": sum(search.steps.values()),
        "steps": search.steps,
        "converged": search.converged,
        "forced": search.tried,
        "forced_kept": search.accepted,
    }
    return MappingProxyType(info)


@dataclass(frozen=True)
class XGIES(XGES):
    """Run `XGES` over interventional classes, with the rows of all conditions.

    What `GIES` is to `GES`: a row tells about a node's causes unless the node was intervened
    upon, and edges that an intervention separates are directed. The targets must be known and
    the data continuous.

    Parameters
    ----------
    extended, penalty_discount, max_parents
        As for `XGES`.
    score, equivalent_sample_size
        The score is the Gaussian BIC, "bic".

    Notes
    -----
    The operators of GIES need an essential graph whose undirected parts are chordal, in which
    the arrows to a node come to all nodes that undirected edges join to it, and a score that
    is the same for all members of a class. The BIC whose rows of a node are those in which it
    was left alone is such a score, so the operators of XGES are those of GIES.

    Departs from the paper, which has no interventions.

    References
    ----------
    Hauser and Bühlmann (2012), JMLR 13, section 4. Nazaret and Blei (2024), UAI, PMLR 244.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.data import Dataset, Regime
    >>> rng = np.random.default_rng(0)
    >>> cause, noise = rng.normal(size=(2, 200))
    >>> observed = Regime("observed", np.column_stack([cause, cause + noise]))
    >>> set_to_5 = Regime("set to 5", np.column_stack([rng.normal(size=50), [5.0] * 50]), (1,))
    >>> data = Dataset(("dose", "response"), (observed, set_to_5), observational="observed")
    >>> XGIES().discover(data, rng).graph.astype(int)
    array([[0, 1],
           [0, 0]])
    """

    name: ClassVar[str] = "xgies"
    columns: ClassVar[Columns] = "continuous"
    reads: ClassVar[Reads] = "all rows with their targets"
    output: ClassVar[Kind] = "pdag"
    assumptions: ClassVar[str] = (
        "linear Gaussian, acyclic, no hidden common cause, faithful, known targets"
    )
    reference: ClassVar[str] = (
        "Hauser and Bühlmann (2012), JMLR 13; Nazaret and Blei (2024), UAI, PMLR 244"
    )

    def __post_init__(self) -> None:
        if self.score != "bic":
            raise RefusedValue(
                "score", f"of experiments it is the Gaussian BIC, got {self.score!r}"
            )
        super().__post_init__()

    def discover(self, data: Dataset, rng: Generator) -> Estimate:  # noqa: ARG002
        """Return the interventional essential graph that the search over all rows ends in."""
        statistics = interventional_node_statistics(data)
        scored = ScoredData(
            gaussian_families(statistics, self.penalty_discount),
            lambda graph: gaussian_bic(statistics, graph, self.penalty_discount),
        )
        targets = [regime.targets or () for regime in data.regimes]
        separated = separated_pairs(targets, data.n_nodes)
        return self._search(scored, separated, data, "pdag" if any(targets) else "cpdag")
