"""BIC and BDeu of discrete data, node by node."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from causalassay.common.arrays import Adjacency
from causalassay.common.kernels import kernel
from causalassay.common.spelling import check_choice
from causalassay.discovery.statistics.discrete import LevelStatistics
from causalassay.graphs.validity import extend
from causalassay.models.discrete.tables import Labels, configurations, count_levels

ScoreName = Literal["bic", "bdeu"]
SCORES: tuple[ScoreName, ...] = ("bic", "bdeu")

Parents = frozenset[int]


def check_score(score: str, equivalent_sample_size: float) -> None:
    """Raise unless there is such a score, and the prior's weight is positive."""
    check_choice("score", score, SCORES)
    if not 0 < equivalent_sample_size < math.inf:
        raise ValueError(
            f"equivalent_sample_size: expected a positive number, got {equivalent_sample_size!r}"
        )


@kernel
def log_likelihood(table: Labels) -> float:
    """Return Σ n_jk log(n_jk / n_j), shape (configurations, levels)."""
    total = 0.0
    for row in table:
        of_row = 0
        for count in row:
            if count > 0:
                total += count * math.log(count)
                of_row += count
        if of_row > 0:
            total -= of_row * math.log(of_row)
    return total


@kernel
def log_evidence(table: Labels, per_row: float) -> float:
    """Return the log marginal likelihood with a Dirichlet prior of weight `per_row` in each row.

    A row that never occurs has the factor 1.
    """
    per_cell = per_row / table.shape[1]
    total = 0.0
    for row in table:
        of_row = 0
        for count in row:
            if count > 0:
                total += math.lgamma(per_cell + count) - math.lgamma(per_cell)
                of_row += count
        if of_row > 0:
            total -= math.lgamma(per_row + of_row) - math.lgamma(per_row)
    return total


@dataclass(frozen=True, eq=False)
class LevelScore:
    """The score of a node and its parents; larger is better, and values are cached.

    Parameters
    ----------
    statistics : LevelStatistics
    name : {"bic", "bdeu"}
        "bic": Σ n_jk log(n_jk/n_j) - c log(n)/2 (k - 1) q, with k the levels of the node,
        q the product of those of its parents and c the penalty discount. "bdeu": the log
        marginal likelihood under Dirichlet priors of weight N'/(k q) a cell.
    penalty_discount : float
        Of the BIC.
    equivalent_sample_size : float
        N' of BDeu.

    Notes
    -----
    Both are the same for equivalent DAGs. Levels count as the data's kinds state them,
    also those that do not occur.

    References
    ----------
    Heckerman, Geiger, Chickering (1995), Learning Bayesian networks, Machine Learning 20,
    equation 28 and section 6.3. Schwarz (1978), Estimating the dimension of a model.

    Examples
    --------
    Two columns that are equal in four rows: the edge gains 4 log 2 - log(4)/2.

    >>> codes = np.array([[0, 0, 1, 1], [0, 0, 1, 1]], dtype=np.int32)
    >>> score = LevelScore(LevelStatistics(codes, np.array([2, 2])))
    >>> gain = score(1, frozenset({0})) - score(1, frozenset())
    >>> round(gain - (4 * math.log(2) - math.log(4) / 2), 12)
    0.0
    """

    statistics: LevelStatistics
    name: ScoreName = "bic"
    penalty_discount: float = 1.0
    equivalent_sample_size: float = 10.0
    _cache: dict[tuple[int, Parents], float] = field(default_factory=dict, repr=False)

    def __call__(self, node: int, parents: Parents) -> float:
        """Return the score of a node whose parents are these."""
        key = (node, parents)
        if key not in self._cache:
            self._cache[key] = self._score(node, parents)
        return self._cache[key]

    def of_graph(self, graph: Adjacency) -> float:
        """Return the sum over the nodes of a DAG, or of a member of a CPDAG or PDAG."""
        dag = extend(graph)
        return sum(
            self(node, frozenset(np.flatnonzero(dag[:, node]).tolist())) for node in range(len(dag))
        )

    def _score(self, node: int, parents: Parents) -> float:
        statistics = self.statistics
        # In one order, so that the same family has the same rounding errors.
        members = np.array(sorted(parents), dtype=np.int64)
        labels, count = configurations(statistics.codes, members, statistics.n_levels)
        n_levels = int(statistics.n_levels[node])
        table = count_levels(labels, count, statistics.codes[node], n_levels)
        n_configurations = float(np.prod(statistics.n_levels[members], dtype=float))
        if self.name == "bdeu":
            return float(log_evidence(table, self.equivalent_sample_size / n_configurations))
        penalty = self.penalty_discount * math.log(statistics.n_samples) / 2
        return float(log_likelihood(table)) - penalty * (n_levels - 1) * n_configurations
