"""Best order score search."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from numpy.random import Generator

from causalassay.contracts import Estimate, Kind, Reads
from causalassay.data.dataset import Dataset
from causalassay.discovery.search.best_orders import search_orders
from causalassay.discovery.search.discrete_scores import ScoreName
from causalassay.discovery.search.order_search import Orchard, check_order_settings
from causalassay.discovery.search.scored_data import score_data


@dataclass(frozen=True)
class BOSS:
    """Move variables one by one to their best position in an order, then delete useless edges.

    Along an order each variable has the predecessors as parents that growing and shrinking
    finds. The order search begins with random orders; each DAG goes through the backward phase
    of GES.

    Parameters
    ----------
    starts : int
        How many random orders to begin with; the best result counts.
    penalty_discount : float
        Multiplies the BIC's penalty, log(n)/2 per parameter.
    max_parents : int, optional
        The largest number of parents that a variable has along an order.
    score : {"bic", "bdeu"}
        "bdeu" is for discrete data; see `discrete_scores.LevelScore` for both.
    equivalent_sample_size : float
        The weight of BDeu's prior; with "bic" it does not matter.

    Notes
    -----
    The score is that of `GES`. `Estimate.info` has it as ``score``, and ``iterations``, the
    number of order searches with a backward phase.

    The result may depend on the random orders, and so on the order of the columns.

    Departs from the paper: after the backward phase another order search begins with an order
    of its result, until that gains nothing. And there are three random orders: on twenty data
    sets with 50 variables that raised the mean score by 12 over one order.

    References
    ----------
    Andrews, Ramsey, Sanchez Romero, Camchong, Kummerfeld (2023), Fast scalable and accurate
    discovery of DAGs using the best order score search and grow-shrink trees, NeurIPS 36.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.data import Dataset
    >>> rng = np.random.default_rng(0)
    >>> a, b, noise = rng.normal(size=(3, 500))
    >>> data = Dataset.from_values(np.column_stack([a, b, a + b + noise]))
    >>> BOSS().discover(data, rng).graph.astype(int)
    array([[0, 0, 1],
           [0, 0, 1],
           [0, 0, 0]])
    """

    starts: int = 3
    penalty_discount: float = 1.0
    max_parents: int | None = None
    score: ScoreName = "bic"
    equivalent_sample_size: float = 10.0

    version: ClassVar[int] = 3
    reads: ClassVar[Reads] = "observational rows"
    output: ClassVar[Kind] = "cpdag"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = "linear Gaussian or discrete, acyclic, no hidden common cause"
    reference: ClassVar[str] = "Andrews et al. (2023), NeurIPS 36"
    equivariant: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_order_settings(
            self.starts,
            self.penalty_discount,
            self.max_parents,
            self.score,
            self.equivalent_sample_size,
        )

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Return the CPDAG that the search over the observational rows ends in."""
        scored = score_data(data, self.score, self.penalty_discount, self.equivalent_sample_size)
        most = data.n_nodes if self.max_parents is None else self.max_parents
        orchard = Orchard(scored.families, most, data.columns)
        results = [search_orders(orchard, rng) for _ in range(self.starts)]
        graph, _, _ = max(results, key=lambda result: result[1])
        info = {
            "score": scored.of_graph(graph),
            "iterations": sum(n_rounds for _, _, n_rounds in results),
            "converged": True,
        }
        return Estimate(graph, "cpdag", info=MappingProxyType(info))
