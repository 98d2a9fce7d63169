"""MMHC: tests find who may be a neighbour of whom, a score finds the DAG among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.random import Generator

from causalassay.contracts import Estimate, Kind
from causalassay.data.dataset import Dataset
from causalassay.discovery.climbing import climb
from causalassay.discovery.gaussian import gaussian_statistics
from causalassay.discovery.independence import check_count, check_defined, check_test, z_scales
from causalassay.discovery.mmpc import parents_and_children


@dataclass(frozen=True)
class MMHC:
    """Find candidate neighbours by tests, then climb to a good DAG among their edges.

    Max-min parents and children by Fisher's z test, then hill climbing on the Gaussian
    BIC with a tabu list.

    Parameters
    ----------
    alpha : float
        The level of each test.
    penalty_discount : float
        Multiplies the BIC's penalty, log(n)/2 a parent.
    max_condition : int, optional
        The largest conditioning set; by default the number of rows alone limits it,
        for n - |S| - 3 must be positive. A node with some 30 candidate neighbours or more
        needs it: the sets of these are too many.
    tabu : int
        How many of the last structures the search does not return to.
    patience : int
        It ends after so many changes in succession without a new best score.

    Notes
    -----
    `Estimate.info` has the ``score``, the BIC less that of the empty graph; ``changes``,
    the number of edges added, deleted or reversed; and ``candidates``, the number of
    pairs that an edge may join. These pairs depend on the order of columns at
    exact ties only. The DAG is one of its equivalence class: where changes tie, as
    those within a class do, an order of the nodes decides that `rng` draws.

    Departs from the paper: data are Gaussian, so that Fisher's z stands for G² and the
    BIC for BDeu; phase II examines members in the order in which they came.

    References
    ----------
    Tsamardinos, Brown, Aliferis (2006), The max-min hill-climbing Bayesian network
    structure learning algorithm, Machine Learning 65, algorithms 1 to 3.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.data import Dataset
    >>> rng = np.random.default_rng(0)
    >>> a, b, noise = rng.normal(size=(3, 500))
    >>> data = Dataset.from_values(np.column_stack([a, b, a + b + noise]))
    >>> MMHC().discover(data, rng).graph.astype(int)
    array([[0, 0, 1],
           [0, 0, 1],
           [0, 0, 0]])
    """

    alpha: float = 0.05
    penalty_discount: float = 1.0
    max_condition: int | None = None
    tabu: int = 100
    patience: int = 15

    version: ClassVar[int] = 1
    output: ClassVar[Kind] = "dag"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = "linear Gaussian, acyclic, no hidden common cause, faithful"
    reference: ClassVar[str] = "Tsamardinos, Brown, Aliferis (2006), Machine Learning 65"

    def __post_init__(self) -> None:
        check_test(self.alpha, self.max_condition)
        if not 0 < self.penalty_discount < float("inf"):
            raise ValueError(
                f"penalty_discount: expected a positive number, got {self.penalty_discount!r}"
            )
        check_count("tabu", self.tabu, 1)
        check_count("patience", self.patience, 1)

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Return a DAG from the observational rows; `rng` decides ties."""
        statistics = gaussian_statistics(data)
        largest = data.n_nodes - 2
        if self.max_condition is not None:
            largest = min(largest, self.max_condition)
        scales = z_scales(statistics.n_samples, largest)
        candidates = parents_and_children(statistics.correlation, self.alpha, scales, data)
        found = climb(statistics, candidates, rng, self.penalty_discount, self.tabu, self.patience)
        check_defined(found.dependent, data)
        info = {
            "score": found.score,
            "changes": found.n_changes,
            "candidates": int(candidates.sum()) // 2,
        }
        return Estimate(found.graph, "dag", info=info)
