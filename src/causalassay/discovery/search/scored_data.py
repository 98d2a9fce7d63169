"""Observational rows with the score that a search over them maximises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from causalassay.common.arrays import Adjacency
from causalassay.contracts import NotApplicable
from causalassay.data.dataset import Dataset
from causalassay.discovery.search.discrete_scores import LevelScore, ScoreName
from causalassay.discovery.search.family_scores import (
    FamilyScore,
    gaussian_families,
    level_families,
)
from causalassay.discovery.search.gaussian.bic import (
    gaussian_bic,
    observational_node_statistics,
)
from causalassay.discovery.statistics.discrete import is_discrete, level_statistics


@dataclass(frozen=True, eq=False)
class ScoredData:
    """A score, as kernels need it and of whole graphs.

    Parameters
    ----------
    families : FamilyScore
    of_graph : callable
        The score of a DAG, or of a member of a CPDAG or PDAG.
    """

    families: FamilyScore
    of_graph: Callable[[Adjacency], float]


def score_data(
    data: Dataset, score: ScoreName, penalty_discount: float, equivalent_sample_size: float
) -> ScoredData:
    """Return the Gaussian BIC of continuous rows, or the named score of discrete ones.

    Raises
    ------
    NotApplicable
        If BDeu is asked for of continuous data.
    """
    if is_discrete(data):
        levels = LevelScore(level_statistics(data), score, penalty_discount, equivalent_sample_size)
        return ScoredData(level_families(levels), levels.of_graph)
    if score == "bdeu":
        raise NotApplicable("BDeu is a score of discrete data, and these are continuous")
    statistics = observational_node_statistics(data)
    return ScoredData(
        gaussian_families(statistics, penalty_discount),
        lambda graph: gaussian_bic(statistics, graph, penalty_discount),
    )
