"""MMHC: tests find who may be a neighbour of whom, a score finds the DAG among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.random import Generator

from causalassay.common.arrays import Adjacency
from causalassay.contracts import Estimate, Kind, NotApplicable, Reads
from causalassay.data.dataset import Dataset
from causalassay.discovery.independence.fisher_z import (
    check_count,
    check_defined,
    check_test,
    z_scales,
)
from causalassay.discovery.independence.g_test import GTest
from causalassay.discovery.independence.mmpc_any_test import candidates_by_any_test
from causalassay.discovery.independence.mmpc_fisher_z import candidates_by_fisher_z
from causalassay.discovery.search.any_score.dag_climbing import climb_score
from causalassay.discovery.search.discrete_scores import (
    LevelScore,
    ScoreName,
    check_score,
)
from causalassay.discovery.search.gaussian.dag_climbing import TIE, Climb, climb
from causalassay.discovery.statistics.discrete import is_discrete, level_statistics
from causalassay.discovery.statistics.gaussian import gaussian_statistics


@dataclass(frozen=True)
class MMHC:
    """Find candidate neighbours by tests, then climb to a good DAG among their edges.

    Max-min parents and children by Fisher's z test, then hill climbing on the Gaussian
    BIC with a tabu list; of discrete data by the G test, and on the BIC of tables or BDeu.

    Parameters
    ----------
    alpha : float
        The level of each test.
    penalty_discount : float
        Multiplies the BIC's penalty, log(n)/2 per parent.
    max_condition : int, optional
        The largest conditioning set; by default the number of rows alone limits it,
        for n - |S| - 3 must be positive. A node with some 30 candidate neighbours or more
        needs it: the sets of these are too many.
    tabu : int
        How many of the last structures the search does not return to.
    patience : int
        It ends after so many changes in succession without a new best score.
    score : {"bic", "bdeu"}
        "bdeu" is for discrete data; see `discrete_scores.LevelScore` for both.
    equivalent_sample_size : float
        The weight of BDeu's prior; with "bic" it does not matter.

    Notes
    -----
    `Estimate.info` has the ``score``, less that of the empty graph; ``changes``,
    the number of edges added, deleted or reversed; and ``candidates``, the number of
    pairs that an edge may join. These pairs depend on the order of columns at
    exact ties only. The DAG is one of its equivalence class: where changes tie, as
    those within a class do, an order of the nodes decides that `rng` draws.

    Departs from the paper: of Gaussian data Fisher's z stands for G² and the BIC for
    BDeu; of discrete data the BIC is the default (as in Garant and Jensen 2016), and every
    test is made however few the rows a cell are, see `g_test.GTest`; phase II examines
    members in the order in which they came.

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
    score: ScoreName = "bic"
    equivalent_sample_size: float = 10.0

    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "observational rows"
    output: ClassVar[Kind] = "dag"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = (
        "linear Gaussian or discrete, acyclic, no hidden common cause, faithful"
    )
    reference: ClassVar[str] = "Tsamardinos, Brown, Aliferis (2006), Machine Learning 65"

    def __post_init__(self) -> None:
        check_test(self.alpha, self.max_condition)
        if not 0 < self.penalty_discount < float("inf"):
            raise ValueError(
                f"penalty_discount: expected a positive number, got {self.penalty_discount!r}"
            )
        check_count("tabu", self.tabu, 1)
        check_count("patience", self.patience, 1)
        check_score(self.score, self.equivalent_sample_size)

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Return a DAG from the observational rows; `rng` decides ties."""
        discrete = is_discrete(data)
        if self.score == "bdeu" and not discrete:
            raise NotApplicable("BDeu is a score of discrete data, and these are continuous")
        largest = data.n_nodes - 2
        if self.max_condition is not None:
            largest = min(largest, self.max_condition)
        search = self._search_levels if discrete else self._search_gaussian
        result, candidates = search(data, largest, rng)
        info = {
            "score": result.score,
            "changes": result.n_changes,
            "candidates": int(candidates.sum()) // 2,
        }
        return Estimate(result.graph, "dag", info=info)

    def _search_gaussian(
        self, data: Dataset, largest: int, rng: Generator
    ) -> tuple[Climb, Adjacency]:
        statistics = gaussian_statistics(data)
        scales = z_scales(statistics.n_samples, largest)
        candidates = candidates_by_fisher_z(statistics.correlation, self.alpha, scales, data)
        result = climb(statistics, candidates, rng, self.penalty_discount, self.tabu, self.patience)
        check_defined(result.dependent, data)
        return result, candidates

    def _search_levels(
        self, data: Dataset, largest: int, rng: Generator
    ) -> tuple[Climb, Adjacency]:
        statistics = level_statistics(data)
        candidates = candidates_by_any_test(
            GTest(statistics).minus_log_p, self.alpha, largest, data
        )
        score = LevelScore(
            statistics, self.score, self.penalty_discount, self.equivalent_sample_size
        )
        tie = TIE * statistics.n_samples
        return climb_score(score, candidates, rng, tie, self.tabu, self.patience), candidates
