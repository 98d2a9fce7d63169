"""The scores that searches maximise: of discrete data, and all in one form for kernels."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numba.extending import overload

from causalassay.common.arrays import Adjacency, Vector, Weights
from causalassay.common.kernels import kernel, sorting_order
from causalassay.common.spelling import RefusedValue, check_choice, listed
from causalassay.contracts import NotApplicable
from causalassay.data.dataset import Dataset
from causalassay.discovery.search.gaussian_bic import (
    BIC,
    NodeStatistics,
    explained,
    gain_of,
    gaussian_bic,
    make_bic,
    observational_node_statistics,
    parameter_penalty,
    start_regression,
)
from causalassay.discovery.statistics import PIVOT, LevelStatistics, is_discrete, level_statistics
from causalassay.graphs.orders import Indices
from causalassay.graphs.validity import extend
from causalassay.models.discrete.tables import Codes, Labels, configurations, count_levels

ScoreName = Literal["bic", "bdeu"]
SCORES: tuple[ScoreName, ...] = ("bic", "bdeu")

Parents = frozenset[int]


PHASES = ("forward", "backward", "turning")
"""The phases of searches over equivalence classes."""

_LEAST = MappingProxyType({"starts": 1, "depth": 1, "uncovered_depth": 0, "nonsingular_depth": 0})
"""Hyperparameters that are whole numbers, with the least of each."""


@dataclass(frozen=True, kw_only=True)
class BICSearch:
    """A search whose score is a BIC: its penalty, and the checks of what searches share.

    Parameters
    ----------
    penalty_discount : float, optional
        Multiplies the BIC's penalty, log(n)/2 per parameter; 1 is the λ = log(n)/2 of pcalg. By
        default the penalty is that of extended BIC, log(n)/2 + log(d); see docs/searches.md.
    """

    penalty_discount: float | None = None

    def __post_init__(self) -> None:
        """Raise unless the hyperparameters that searches share make sense, where one has them.

        Examples
        --------
        >>> from causalassay.discovery import GES
        >>> GES(phases=["foreward"])
        Traceback (most recent call last):
        ...
        causalassay.RefusedValue: phases: there is no 'foreward'; did you mean 'forward'?
        """
        given = vars(self)
        if given["penalty_discount"] is not None:
            _check_positive(given, "penalty_discount", "; 1 is the BIC, more gives sparser graphs")
        if "phases" in given:
            _check_phases(given["phases"])
            object.__setattr__(self, "phases", tuple(given["phases"]))
        most = given.get("max_parents")
        if most is not None and not _is_count(most, 0):
            raise RefusedValue("max_parents", f"expected a whole number or None, got {most!r}")
        for name, least in _LEAST.items():
            if name in given and not _is_count(given[name], least):
                raise RefusedValue(
                    name, f"expected a whole number from {least} on, got {given[name]!r}"
                )


@dataclass(frozen=True, kw_only=True)
class ScoreSearch(BICSearch):
    """A search by a score of continuous data, or of discrete data.

    Parameters
    ----------
    score : {"bic", "bdeu"}
        "bdeu" is for discrete data; see `discrete_scores.LevelScore` for both.
    equivalent_sample_size : float
        The weight of BDeu's prior; with "bic" it does not matter.
    """

    score: ScoreName = "bic"
    equivalent_sample_size: float = 10.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("score", self.score, SCORES)
        _check_positive(vars(self), "equivalent_sample_size")


def _check_phases(phases: object) -> None:
    if isinstance(phases, str) or not isinstance(phases, Sequence) or not phases:
        raise RefusedValue("phases", f"expected one or several of {listed(PHASES)}, got {phases!r}")
    for phase in phases:
        check_choice("phases", phase, PHASES)


def _check_positive(given: Mapping[str, Any], name: str, hint: str = "") -> None:
    if not 0 < given[name] < math.inf:
        raise RefusedValue(name, f"expected a positive number, got {given[name]!r}{hint}")


def _is_count(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


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
    penalty_discount : float or None
        The factor of the penalty of the BIC; None is extended BIC, in which each parameter
        counts as an edge does, see `gaussian_bic.parameter_penalty`.
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
    penalty_discount: float | None = 1.0
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
        n_nodes, n_samples = statistics.codes.shape
        penalty = parameter_penalty(self.penalty_discount, n_samples, n_nodes)
        return float(log_likelihood(table)) - penalty * (n_levels - 1) * n_configurations


# Local scores as kernels: what a further parent of a node gains, for each score in one form.


class GaussianFamilies(NamedTuple):
    """What the kernels need of the Gaussian BIC; there are no codes."""

    bic: BIC
    codes: Codes
    n_levels: Indices
    prior: float


class TableFamilies(NamedTuple):
    """What the kernels need of a score of discrete data.

    ``codes`` has shape (d, n). Of ``bic`` only the penalty and the rows matter. ``prior`` is
    the weight of BDeu's prior, 0 with the BIC.
    """

    bic: BIC
    codes: Codes
    n_levels: Indices
    prior: float


FamilyScore: TypeAlias = GaussianFamilies | TableFamilies


def gaussian_families(
    statistics: NodeStatistics, penalty_discount: float | None
) -> GaussianFamilies:
    """Return the Gaussian BIC in the form of the kernels."""
    bic = make_bic(statistics, penalty_discount)
    no_codes, no_levels = np.zeros((0, 0), dtype=np.int32), np.zeros(0, dtype=np.int64)
    return GaussianFamilies(bic, no_codes, no_levels, 0.0)


def level_families(score: LevelScore) -> TableFamilies:
    """Return a score of discrete data in the form of the kernels."""
    statistics = score.statistics
    d, n = statistics.codes.shape
    penalty = parameter_penalty(score.penalty_discount, n, d)
    no_correlations, one_group = np.zeros((1, 0, 0)), np.zeros(d, dtype=np.int64)
    return TableFamilies(
        BIC(no_correlations, one_group, np.full(d, n / 2), penalty),
        statistics.codes,
        statistics.n_levels.astype(np.int64),
        score.equivalent_sample_size if score.name == "bdeu" else 0.0,
    )


@kernel
def merits(score: FamilyScore, node: int, parents: Indices, worth: Vector) -> None:
    """Fill in for each x how good a further parent of `node` it is; see `gain_of_merit`.

    Merits of one node can be compared between different parents. For `node` and `parents`
    themselves they are -inf.
    """
    if len(score.codes) > 0:
        _merits_of_tables(score, node, parents, worth)
    else:
        correlation = score.bic.correlation[score.bic.group[node]]
        regression = start_regression(correlation, node, parents, len(parents))
        for x in range(len(worth)):
            worth[x] = explained(regression, node, len(parents), x)
    worth[node] = -np.inf
    for x in parents:
        worth[x] = -np.inf


@kernel
def gain_of_merit(score: FamilyScore, node: int, merit: float) -> float:
    """Return the gain of a parent of this merit: a share of variance, or the gain itself."""
    if len(score.codes) > 0 or merit == -np.inf:
        return merit
    return gain_of(score.bic, node, merit)


@kernel
def merit_of_gain(score: FamilyScore, node: int, gain: float) -> float:
    """Return the merit at which a parent gains this much."""
    if len(score.codes) > 0:
        return gain
    return -np.expm1(-(gain + score.bic.penalty) / score.bic.half_rows[node])


@kernel
def gain_of_parent(score: FamilyScore, node: int, parents: Indices, new: int) -> float:
    """Return what `new` gains as a further parent of `node`; inf if that explains all."""
    if len(score.codes) > 0:
        return _gain_in_tables(score, node, parents, new)
    correlation = score.bic.correlation[score.bic.group[node]]
    return gain_of(score.bic, node, _share(correlation, node, parents, new))


@kernel
def losses_of_parents(score: FamilyScore, node: int, parents: Indices, losses: Vector) -> None:
    """Fill in what each parent of `node` gains beside the others, in the order of `parents`."""
    if len(score.codes) > 0:
        for k in range(len(parents)):
            others = without_one(parents, k)
            losses[k] = gain_of_parent(score, node, others, parents[k])
        return
    correlation = score.bic.correlation[score.bic.group[node]]
    shares = _shares_of_all(correlation, node, parents)
    for k in range(len(parents)):
        losses[k] = gain_of(score.bic, node, shares[k])


@kernel
def without_one(nodes: Indices, k: int) -> Indices:
    """Return the nodes but for number k."""
    others = np.empty(len(nodes) - 1, np.int64)
    for m in range(len(others)):
        others[m] = nodes[m + 1 if m >= k else m]
    return others


@kernel
def _shares_of_all(correlation: Weights, node: int, parents: Indices) -> Vector:
    """Return the squared partial correlations of `node` and each parent given the others.

    From the inverse of the Cholesky factor of the correlations of `parents` and then `node`:
    its columns give the diagonal and the last row of the inverse matrix.
    """
    size = len(parents) + 1
    factor, inverse, shares = np.empty((size, size)), np.empty((size, size)), np.empty(size - 1)
    for k in range(size - 1):
        shares[k] = 1.0
    for row in range(size):
        a = parents[row] if row < size - 1 else node
        pivot = correlation[a, a]
        for column in range(row):
            total = correlation[a, parents[column]]
            for k in range(column):
                total -= factor[row, k] * factor[column, k]
            factor[row, column] = total / factor[column, column]
            pivot -= factor[row, column] ** 2
        if pivot <= PIVOT:
            return shares
        factor[row, row] = np.sqrt(pivot)
        inverse[row, row] = 1.0 / factor[row, row]
        for column in range(row):
            total = 0.0
            for k in range(column, row):
                total -= factor[row, k] * inverse[k, column]
            inverse[row, column] = total * inverse[row, row]
    for column in range(size - 1):
        diagonal = 0.0
        for row in range(column, size):
            diagonal += inverse[row, column] ** 2
        shares[column] = inverse[size - 1, column] ** 2 / diagonal
    return shares


@kernel
def _share(correlation: Weights, node: int, parents: Indices, new: int) -> float:
    """Return the squared partial correlation of `node` and `new`; 1 where it is not determined.

    One Cholesky factorisation of the correlations of `parents`, `new` and then `node`.
    """
    size = len(parents) + 2
    factor = np.empty((size, size))
    for row in range(size):
        a = parents[row] if row < size - 2 else (new if row == size - 2 else node)
        pivot = correlation[a, a]
        for column in range(min(row, size - 2)):
            total = correlation[a, parents[column]]
            for k in range(column):
                total -= factor[row, k] * factor[column, k]
            factor[row, column] = total / factor[column, column]
            pivot -= factor[row, column] ** 2
        if row < size - 1:
            if pivot <= PIVOT:
                return 1.0
            factor[row, row] = np.sqrt(pivot)
            continue
        total = correlation[node, new]
        for k in range(size - 2):
            total -= factor[row, k] * factor[size - 2, k]
        taken = total * total / factor[size - 2, size - 2] ** 2
        if pivot - taken > PIVOT:
            return taken / pivot
    return 1.0


@kernel
def _configurations(score: FamilyScore, parents: Indices) -> tuple[Indices, int, float]:
    """Return `contingency.configurations` of the parents, and how many there could be."""
    # In one order, so that the same family has the same rounding errors.
    labels, count = configurations(score.codes, parents[sorting_order(parents)], score.n_levels)
    possible = 1.0
    for parent in parents:
        possible *= score.n_levels[parent]
    return labels, count, possible


def _merits_of_tables(score: FamilyScore, node: int, parents: Indices, worth: Vector) -> None:
    """Fill in the gains of all parents; compiled by `_compile_merits`."""
    labels, count, possible = _configurations(score, parents)
    before = _table_score(score, node, labels, count, possible)
    for x in range(len(worth)):
        if x != node:
            worth[x] = _gain_with(score, node, x, labels, count, possible) - before


def _gain_in_tables(score: FamilyScore, node: int, parents: Indices, new: int) -> float:
    """Return the gain of one parent; compiled by `_compile_gain`."""
    labels, count, possible = _configurations(score, parents)
    before = _table_score(score, node, labels, count, possible)
    return _gain_with(score, node, new, labels, count, possible) - before


def _has_tables(score: Any) -> bool:
    """Tell whether numba's type of a score is that of tables."""
    return score.instance_class is TableFamilies


@overload(_merits_of_tables, strict=False)
def _compile_merits(score: Any, node: Any, parents: Any, worth: Any) -> Any:  # noqa: ARG001
    if _has_tables(score):
        return _merits_of_tables
    return lambda score, node, parents, worth: None  # noqa: ARG005  never called


@overload(_gain_in_tables, strict=False)
def _compile_gain(score: Any, node: Any, parents: Any, new: Any) -> Any:  # noqa: ARG001
    if _has_tables(score):
        return _gain_in_tables
    return lambda score, node, parents, new: np.nan  # noqa: ARG005  never called


@kernel
def _gain_with(
    score: FamilyScore, node: int, new: int, labels: Indices, count: int, possible: float
) -> float:
    """Return the score of `node` with the parents behind `labels`, and `new`."""
    size = score.n_levels[new]
    joint, n_joint = labels * size + score.codes[new], count * size
    if n_joint > 4 * len(labels) + 64:
        # Far more cells than rows: those that occur are numbered anew.
        both = np.empty((2, len(labels)), np.int32)
        for row in range(len(labels)):
            both[0, row], both[1, row] = labels[row], score.codes[new, row]
        sizes = np.array([count, size])
        joint, n_joint = configurations(both, np.array([0, 1]), sizes)
    return _table_score(score, node, joint, n_joint, possible * size)


@kernel
def _table_score(
    score: FamilyScore, node: int, labels: Indices, count: int, possible: float
) -> float:
    """Return the score of `node` whose parents have these configurations."""
    n_levels = score.n_levels[node]
    table = count_levels(labels, count, score.codes[node], n_levels)
    if score.prior > 0:
        return log_evidence(table, score.prior / possible)
    return log_likelihood(table) - score.bic.penalty * (n_levels - 1) * possible


# Observational rows with the score that a search over them maximises.


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


def score_data(data: Dataset, search: ScoreSearch) -> ScoredData:
    """Return the Gaussian BIC of continuous rows, or a search's score of discrete ones.

    Raises
    ------
    NotApplicable
        If BDeu is asked for of continuous data.
    """
    if scores_levels(data, search):
        levels = level_score(data, search)
        return ScoredData(level_families(levels), levels.of_graph)
    statistics = observational_node_statistics(data)
    return ScoredData(
        gaussian_families(statistics, search.penalty_discount),
        lambda graph: gaussian_bic(statistics, graph, search.penalty_discount),
    )


def scores_levels(data: Dataset, search: ScoreSearch) -> bool:
    """Tell whether a search scores discrete data; raise `NotApplicable` where it cannot."""
    discrete = is_discrete(data)
    if search.score == "bdeu" and not discrete:
        raise NotApplicable("BDeu is a score of discrete data, and these are continuous")
    return discrete


def level_score(data: Dataset, search: ScoreSearch) -> LevelScore:
    """Return a search's score of the observational rows of discrete data."""
    return LevelScore(
        level_statistics(data),
        search.score,
        search.penalty_discount,
        search.equivalent_sample_size,
    )
