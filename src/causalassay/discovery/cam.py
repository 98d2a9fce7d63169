"""CAM: causal additive models by greedy search and pruning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency
from causalassay.common.spelling import RefusedValue, check_choice
from causalassay.contracts import Estimate, Kind, NotApplicable, Reads
from causalassay.data.dataset import Dataset
from causalassay.discovery.regression.additive_model import (
    CUTOFF,
    LEAST_ROWS,
    AdditiveFit,
    fit_additive,
    most_predictors,
    prune_parents,
)
from causalassay.discovery.regression.boosted_selection import boosted_selection
from causalassay.discovery.regression.further_terms import further_terms
from causalassay.discovery.regression.smoothing import RIDGE
from causalassay.discovery.regression.spline_columns import SplineColumns, spline_columns
from causalassay.discovery.statistics import determined_values
from causalassay.graphs.orders import topological_order


@dataclass(frozen=True)
class CAM:
    """Insert the edge with the largest gain of an additive Gaussian likelihood, then prune.

    Each column is a sum of smooth functions of its parents plus Gaussian noise.

    Parameters
    ----------
    n_neighbours : int or "all", optional
        The most candidates for parents of a column, selected by boosting beforehand; "all", and
        in Python also None, takes all other columns.
    cutoff : float
        After the search, parents whose p-value is larger are removed; 1 keeps all.

    Notes
    -----
    Three steps, as in the paper:

    1. Preliminary neighbourhood selection: each column is regressed on all others by
       componentwise boosting; candidates are the ten columns selected most often.
    2. Starting from the empty graph, the edge i → j that lowers the logarithm of j's residual
       variance most is inserted, among those that close no cycle, until none lowers it.
    3. Each column is regressed on its parents, and those without effect at level `cutoff`
       are removed.

    ``info`` has the number of edges before pruning and the score, the sum of the logarithms
    of the standardised columns' residual variances at the end of the search.

    Departs from the paper and the R package CAM: regressions are those of
    `causalassay.discovery.regression.additive_model`, penalised natural splines with smoothings
    by restricted likelihood (the package has mgcv's `gam`, with generalised cross-validation).
    In the search, a candidate's gain is computed with the smoothings that the present parents
    have without it. The package leaves steps 1 and 3 out by default; the paper's results
    have them.

    References
    ----------
    Bühlmann, Peters, Ernest (2014), CAM: causal additive models, high-dimensional order search
    and penalized regression, Annals of Statistics 42:2526-2556, sections 2.3 and 5.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal(size=(300, 3))
    >>> values[:, 2] += 2 * np.sin(values[:, 1])
    >>> values[:, 0] += values[:, 2] ** 2
    >>> CAM().discover(Dataset.from_values(values), rng).graph.astype(int)
    array([[0, 0, 0],
           [0, 0, 1],
           [1, 0, 0]])
    """

    n_neighbours: int | Literal["all"] | None = 10
    cutoff: float = CUTOFF

    name: ClassVar[str] = "cam"
    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "observational rows"
    output: ClassVar[Kind] = "dag"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = "additive smooth functions, Gaussian noise, no hidden common cause"
    reference: ClassVar[str] = "Bühlmann, Peters, Ernest (2014), Annals of Statistics 42:2526-2556"

    def __post_init__(self) -> None:
        if isinstance(self.n_neighbours, str):
            check_choice("n_neighbours", self.n_neighbours, ("all",))
        elif self.n_neighbours is not None and self.n_neighbours < 1:
            raise RefusedValue(
                "n_neighbours", f'expected at least 1, or "all", got {self.n_neighbours}'
            )
        if not 0 <= self.cutoff <= 1:
            raise RefusedValue("cutoff", f"expected a p-value from 0 to 1, got {self.cutoff}")

    def discover(self, data: Dataset, rng: Generator) -> Estimate:  # noqa: ARG002
        """Estimate a DAG from the observational values."""
        values = determined_values(data)
        if len(values) < LEAST_ROWS:
            raise NotApplicable(
                f"additive regressions need at least {LEAST_ROWS} rows, got {len(values)}"
            )
        columns = spline_columns(values)
        searched, score = insert_edges(columns, self._candidates(columns))
        graph = prune_parents(columns, searched, cutoff=self.cutoff)
        order = tuple(int(node) for node in topological_order(searched))
        info = {"score": score, "edges_before_pruning": int(searched.sum())}
        return Estimate(graph, "dag", order=order, info=info)

    def _candidates(self, columns: SplineColumns) -> Adjacency:
        """Return which columns may be parents of each."""
        d = columns.n_columns
        candidates = ~np.eye(d, dtype=bool)
        most = self.n_neighbours
        if most is None or most == "all" or most >= d - 1:
            return candidates
        for node in range(d):
            others = np.flatnonzero(candidates[:, node])
            candidates[:, node] = False
            candidates[boosted_selection(columns, node, others, most), node] = True
        return candidates


def insert_edges(columns: SplineColumns, candidates: NDArray[np.bool_]) -> tuple[Adjacency, float]:
    """Insert again and again the edge with the largest gain, until there is none.

    Parameters
    ----------
    columns : SplineColumns
    candidates : ndarray of bool, shape (d, d)
        The edges that may be inserted.

    Returns
    -------
    graph : ndarray of bool, shape (d, d)
    score : float
        The sum of the logarithms of the residual variances.

    Notes
    -----
    An insertion changes only the gains of edges to the same column.
    """
    d, no_columns = columns.n_columns, np.empty(0, np.int64)
    most = most_predictors(columns.n_samples)
    graph, reaches = np.zeros((d, d), dtype=bool), np.eye(d, dtype=bool)
    gain, smoothing = np.full((d, d), -np.inf), np.zeros((d, d))
    fits = [fit_additive(columns, node, no_columns) for node in range(d)]
    changed = range(d)
    while True:
        for node in changed:
            gain[:, node] = -np.inf
            allowed = np.flatnonzero(candidates[:, node] & ~graph[:, node] & ~reaches[node])
            if len(allowed) and len(fits[node].predictors) < most:
                terms = further_terms(fits[node], allowed)
                gain[allowed, node] = _log_variance(fits[node]) - np.log(terms.variance)
                smoothing[allowed, node] = terms.log_smoothing
        gain[reaches.T] = -np.inf
        cause, effect = divmod(int(gain.argmax()), d)
        if not gain[cause, effect] > 0:
            return graph, sum(_log_variance(fit) for fit in fits)
        graph[cause, effect] = True
        reaches |= np.outer(reaches[:, cause], reaches[effect])
        fits[effect] = fit_additive(
            columns,
            effect,
            np.append(fits[effect].predictors, cause),
            log_smoothing=np.append(fits[effect].log_smoothing, smoothing[cause, effect]),
        )
        changed = range(effect, effect + 1)


def _log_variance(fit: AdditiveFit) -> float:
    return float(np.log(max(fit.residual_variance, RIDGE)))
