"""How probable the measured rows are under graphs: held-out likelihood and interventional BIC.

In an experiment the target is cut from its parents, and its law is whatever was measured; that
term is the same for every graph and is left out. Every other column has a density given its
parents, fitted on the rows in which it was not a target.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency, Values, Vector
from causalassay.common.seeding import stream
from causalassay.contracts import NotApplicable
from causalassay.data import Dataset, Regime
from causalassay.graphs import NoExtension
from causalassay.risk.descendants import find_experiments
from causalassay.risk.fits import Fit
from causalassay.risk.prediction.additive_model import Columns
from causalassay.risk.prediction.comparing import member_dags

MOST_MEMBERS = 20
"""Members of a class over which its score is a mean; of more, as many are drawn."""

DETERMINED = 1e-9
"""The share of a column's variance below which its parents leave nothing unexplained."""

ROWS_PER_PIECE = 3
"""With fewer rows for each coefficient, lines stay straight."""

_UNDETERMINED = 1e-8
"""A penalty on slopes, in squared standard deviations: collinear parents share their weight."""

Parents = tuple[int, ...]
Parts = tuple[int, ...]
"""Numbers of regimes."""


@dataclass(frozen=True)
class Gain:
    """By how much one score exceeds another, and the standard error of the difference."""

    value: float
    error: float


@dataclass(frozen=True, eq=False)
class Likelihoods:
    """How probable the rows are under the graphs of several algorithms; more is better.

    Parameters
    ----------
    nodes : tuple of int
        The targets whose experiments are left out in turn.
    held_out : mapping of str to ndarray, shape (k,)
        Of each left-out target: the mean log density of a row under the graph that was found
        and fitted without it, less that of the empty graph.
    bic : mapping of str to float
        The interventional BIC: the log density of all rows under the graph from all data, less
        log(n) / 2 for each coefficient, and less the same of the empty graph.
    observed : mapping of str to ndarray, shape (n,)
        What each observational row has in that log density.
    experiments : mapping of str to ndarray, shape (m,)
        The same for each other condition, summed over its rows.
    not_ranked : mapping of str to str
        Algorithms without a score, and why.
    """

    nodes: tuple[int, ...]
    held_out: Mapping[str, Vector]
    bic: Mapping[str, float]
    observed: Mapping[str, Vector]
    experiments: Mapping[str, Vector]
    not_ranked: Mapping[str, str]

    def bic_gain(self, first: str, second: str) -> Gain:
        """Return the BIC of the first less that of the second, with its standard error.

        Differences are paired: over the experiments, whose spread counts once for each, and
        over the observational rows.
        """
        rows = self.observed[first] - self.observed[second]
        sums = self.experiments[first] - self.experiments[second]
        variance = len(rows) * float(rows.var()) + len(sums) * float(sums.var(ddof=1))
        return Gain(self.bic[first] - self.bic[second], math.sqrt(variance))

    def held_out_gain(self, first: str, second: str) -> Gain:
        """Return the mean over experiments of the paired differences, with its standard error."""
        differences = self.held_out[first] - self.held_out[second]
        error = float(differences.std(ddof=1)) / math.sqrt(len(differences))
        return Gain(float(differences.mean()), error)


def compare_likelihoods(fits: Mapping[str, Fit], dataset: Dataset, seed: int) -> Likelihoods:
    """Return how probable the rows are under each algorithm's graphs.

    Parameters
    ----------
    fits : mapping of str to Fit
        By algorithm its graphs, from all data and without the experiments on each target.
    dataset : Dataset
        With an observational condition, and experiments on at least 2 columns.
    seed : int
        For classes of more than 20 members, of which as many are drawn.

    Notes
    -----
    The density of a column is Gaussian around a sum of lines of its parents. Either all lines
    are straight, or all may bend at four places; which, the BIC of the column decides. Discrete
    columns have tables, with the weight of one row spread over the levels of each configuration.
    Conditions of unknown target are left out. The score of a class is the mean over its members.

    Raises
    ------
    NotApplicable
        If some columns are discrete and others are not.
    """
    if dataset.world == "mixed":
        raise NotApplicable(
            "likelihoods are those of regressions or of tables, so all columns must be continuous "
            f"or all discrete; {next(iter(dataset.discrete_columns))!r} is discrete"
        )
    scores = _Scores(dataset, seed)
    nothing = np.zeros((dataset.n_nodes, dataset.n_nodes), dtype=bool)
    of: dict[str, _Score] = {}
    not_ranked: dict[str, str] = {}
    for name, fit in fits.items():
        try:
            of[name] = scores.of(fit).minus(scores.of_dag(nothing))
        except NoExtension as error:
            not_ranked[name] = (
                f"its graph is no DAG and stands for none: {error.named(dataset.columns)}"
            )
        except NotApplicable as error:
            not_ranked[name] = str(error)
    return Likelihoods(
        scores.nodes,
        {name: score.held_out for name, score in of.items()},
        {name: score.bic for name, score in of.items()},
        {name: score.observed for name, score in of.items()},
        {name: score.experiments for name, score in of.items()},
        not_ranked,
    )


@dataclass(frozen=True, eq=False)
class _Score:
    """What one algorithm has, before the empty graph's is subtracted."""

    held_out: Vector
    bic: float
    observed: Vector
    experiments: Vector

    def minus(self, other: _Score) -> _Score:
        return _Score(
            self.held_out - other.held_out,
            self.bic - other.bic,
            self.observed - other.observed,
            self.experiments - other.experiments,
        )


class _Scores:
    """The rows by regime, and which of them speak about each column."""

    def __init__(self, dataset: Dataset, seed: int) -> None:
        self._seed = seed
        known = [regime for regime in dataset.regimes if regime.targets is not None]
        # The observational regime comes first.
        known.sort(key=lambda regime: regime.condition != dataset.observational)
        self._targets = [set(regime.targets or ()) for regime in known]
        self._n_rows = sum(len(regime.values) for regime in known)
        self.nodes = tuple(find_experiments(dataset).on)
        self._densities: Densities = (
            Tables(dataset, known) if dataset.world == "discrete" else Lines(dataset, known)
        )
        self._dags: dict[bytes, list[Adjacency]] = {}
        self._of_dag: dict[bytes, _Score] = {}

    def of(self, fit: Fit) -> _Score:
        held_out = [
            _mean([self._held_out(dag, node) for dag in self._members(fit.held_out_graphs[node])])
            for node in self.nodes
        ]
        parts = [self._on_all_rows(dag) for dag in self._members(fit.graph)]
        bics, observed, experiments = zip(*parts, strict=True)
        return _Score(
            np.array(held_out),
            float(np.mean(bics)),
            np.mean(observed, axis=0),
            np.mean(experiments, axis=0),
        )

    def of_dag(self, dag: Adjacency) -> _Score:
        key = dag.tobytes()
        if key not in self._of_dag:
            fit = Fit(dag, "dag", "no rows", dict.fromkeys(self.nodes, dag))
            self._of_dag[key] = self.of(fit)
        return self._of_dag[key]

    def _members(self, graph: Adjacency) -> list[Adjacency]:
        key = graph.tobytes()
        if key not in self._dags:
            rng = stream(self._seed, "members")
            self._dags[key] = member_dags(graph, rng, MOST_MEMBERS)
        return self._dags[key]

    def _held_out(self, dag: Adjacency, target: int) -> float:
        """Return the mean log density of a row of the target's experiments."""
        # Of experiments on several columns at once those on the target are withheld as well.
        rest = [k for k, targets in enumerate(self._targets) if target not in targets]
        on_it = tuple(k for k, targets in enumerate(self._targets) if targets == {target})
        total: list[Vector] = []
        for node in range(len(dag)):
            if node != target:
                fitted_on = tuple(k for k in rest if node not in self._targets[k])
                local = self._densities.local(node, _parents(dag, node), fitted_on)
                total.append(np.concatenate([local.log_density(k) for k in on_it]))
        return float(np.sum(total, axis=0).mean()) if total else 0.0

    def _on_all_rows(self, dag: Adjacency) -> tuple[float, Vector, Vector]:
        """Return the BIC, the log density of each observational row, and that of each regime."""
        sums = np.zeros(len(self._targets))
        n_coefficients = 0
        observed: list[Vector] = []
        for node in range(len(dag)):
            untouched = tuple(k for k, on in enumerate(self._targets) if node not in on)
            local = self._densities.local(node, _parents(dag, node), untouched)
            n_coefficients += local.n_coefficients
            observed.append(local.log_density(0))
            for k in untouched[1:]:
                sums[k] += local.log_density(k).sum()
        rows = np.sum(observed, axis=0)
        penalty = n_coefficients * math.log(self._n_rows) / 2
        return float(rows.sum() + sums.sum()) - penalty, rows, sums[1:]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _parents(dag: Adjacency, node: int) -> Parents:
    return tuple(np.flatnonzero(dag[:, node]).tolist())


class Local(Protocol):
    """The fitted density of one column given its parents."""

    @property
    def n_coefficients(self) -> int:
        """The number of free numbers that the parents bring, or that the tables have."""
        ...

    def log_density(self, part: int) -> Vector:
        """Return the log density of the column in each row of a regime."""
        ...


class Densities(Protocol):
    """Fits densities of columns given others."""

    def local(self, node: int, parents: Parents, fitted_on: Parts) -> Local:
        """Return the density of a column, fitted on the rows of some regimes."""
        ...


@dataclass(frozen=True, eq=False)
class _Line:
    """A column as a sum of the pieces of its parents' lines."""

    pieces: Sequence[Values]
    node: int
    chosen: NDArray[np.int64]
    intercept: float
    weights: Vector
    variance: float

    @property
    def n_coefficients(self) -> int:
        return len(self.chosen)

    def log_density(self, part: int) -> Vector:
        rows = self.pieces[part]
        residuals = rows[:, self.node] - self.intercept - rows[:, self.chosen] @ self.weights
        constant = math.log(2 * math.pi * self.variance)
        return np.asarray(-(constant + residuals**2 / self.variance) / 2)


class Lines:
    """Gaussian densities around lines of the parents, from sums of products of the rows.

    Parameters
    ----------
    dataset : Dataset
    regimes : sequence of Regime
        Whose rows are used. Columns are in units of the standard deviation of all of them.
    """

    def __init__(self, dataset: Dataset, regimes: Sequence[Regime]) -> None:
        self._names = dataset.columns
        columns = Columns.of(np.concatenate([regime.values for regime in regimes]))
        self._per_column = len(columns.bends) + 1
        self._pieces = [
            np.hstack([columns.pieces(regime.values[:, k], k) for k in range(dataset.n_nodes)])
            for regime in regimes
        ]
        self._sizes = np.array([len(rows) for rows in self._pieces])
        self._sums = np.array([rows.sum(axis=0) for rows in self._pieces])
        self._products = [rows.T @ rows for rows in self._pieces]
        self._known: dict[tuple[int, Parents, Parts], _Line] = {}

    def local(self, node: int, parents: Parents, fitted_on: Parts) -> _Line:
        """Return straight or bent lines, whichever have the better BIC."""
        key = (node, parents, fitted_on)
        if key not in self._known:
            self._known[key] = self._better(key)
        return self._known[key]

    def _better(self, key: tuple[int, Parents, Parts]) -> _Line:
        _, parents, fitted_on = key
        n_rows = int(self._sizes[list(fitted_on)].sum())
        straight = self._fit(key, bends=False)
        if n_rows < ROWS_PER_PIECE * len(parents) * self._per_column:
            return straight
        bent = self._fit(key, bends=True)
        log_ratio = math.log(straight.variance / bent.variance)
        more = bent.n_coefficients - straight.n_coefficients
        return bent if n_rows * log_ratio > more * math.log(n_rows) else straight

    def _fit(self, key: tuple[int, Parents, Parts], bends: bool) -> _Line:
        node, parents, fitted_on = key
        each = self._per_column
        offsets = np.arange(each if bends else 1)
        pieces = (np.array(parents, dtype=np.int64)[:, None] * each + offsets).ravel()
        used = np.append(pieces, node * each)
        parts = list(fitted_on)
        n_rows = self._sizes[parts].sum()
        mean = self._sums[parts][:, used].sum(axis=0) / n_rows
        square = np.ix_(used, used)
        moments = sum(self._products[k][square] for k in parts) / n_rows - np.outer(mean, mean)
        own = float(moments[-1, -1])
        if own <= DETERMINED:
            raise NotApplicable(
                f"column {self._names[node]!r} does not vary in the rows that it is fitted on"
            )
        among, with_node = moments[:-1, :-1], moments[:-1, -1]
        weights = np.linalg.solve(among + _UNDETERMINED * np.eye(len(among)), with_node)
        left = own - 2 * float(weights @ with_node) + float(weights @ among @ weights)
        if left <= DETERMINED * own:
            raise NotApplicable(
                f"column {self._names[node]!r} is determined by its parents in the graph, so that "
                "its density has no bound"
            )
        intercept = float(mean[-1] - weights @ mean[:-1])
        return _Line(self._pieces, node * each, pieces, intercept, weights, left)


@dataclass(frozen=True, eq=False)
class _Table:
    """The probabilities of a column's levels in each configuration of its parents."""

    codes: Sequence[NDArray[np.int64]]
    node: int
    parents: list[int]
    sizes: list[int]
    logs: Mapping[int, Vector]
    n_levels: int

    @property
    def n_coefficients(self) -> int:
        return (self.n_levels - 1) * math.prod(self.sizes)

    def log_density(self, part: int) -> Vector:
        codes = self.codes[part]
        unseen = np.full(self.n_levels, -math.log(self.n_levels))
        numbers, place = np.unique(_configurations(self, codes), return_inverse=True)
        logs = np.array([self.logs.get(int(number), unseen) for number in numbers])
        return np.asarray(logs[place.reshape(-1), codes[:, self.node]])


def _configurations(table: _Table, codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a number for the levels of the parents in each row."""
    number = np.zeros(len(codes), dtype=np.int64)
    for parent, size in zip(table.parents, table.sizes, strict=True):
        number = number * size + codes[:, parent]
    return number


class Tables:
    """Probabilities of levels given those of the parents.

    Parameters
    ----------
    dataset : Dataset
    regimes : sequence of Regime
        Whose rows are used.
    """

    def __init__(self, dataset: Dataset, regimes: Sequence[Regime]) -> None:
        self._n_levels = [len(kind.levels) for kind in dataset.discrete_columns.values()]
        self._codes = [regime.values.astype(np.int64) for regime in regimes]
        self._known: dict[tuple[int, Parents, Parts], _Table] = {}

    def local(self, node: int, parents: Parents, fitted_on: Parts) -> _Table:
        """Return the table of a column."""
        key = (node, parents, fitted_on)
        if key not in self._known:
            n_levels = self._n_levels[node]
            sizes = [self._n_levels[parent] for parent in parents]
            if math.prod(sizes) > np.iinfo(np.int64).max // n_levels:
                raise NotApplicable(f"a column with {len(parents)} parents has too large a table")
            empty = _Table(self._codes, node, list(parents), sizes, {}, n_levels)
            codes = np.concatenate([self._codes[k] for k in fitted_on])
            numbers, place = np.unique(_configurations(empty, codes), return_inverse=True)
            counts = np.full((len(numbers), n_levels), 1 / n_levels)
            np.add.at(counts, (place.reshape(-1), codes[:, node]), 1.0)
            logs = np.log(counts / counts.sum(axis=1, keepdims=True))
            self._known[key] = replace(empty, logs=dict(zip(numbers.tolist(), logs, strict=True)))
        return self._known[key]
