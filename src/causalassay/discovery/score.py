"""SCORE, NoGAM and score-sort: the order from the estimated score, then additive pruning."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Values, Vector, Weights
from causalassay.common.spelling import RefusedValue, check_choice
from causalassay.contracts import Columns, Estimate, Kind, NotApplicable, Reads
from causalassay.data.dataset import Dataset
from causalassay.diagnostics.stein_score import (
    RIDGE,
    SteinEstimate,
    check_memory,
    common_unit,
    squared_distances,
    stein_estimate,
)
from causalassay.discovery.regression.additive_model import (
    CUTOFF,
    LEAST_ROWS,
    prune_along_order,
)
from causalassay.discovery.regression.held_out_kernel_ridge import (
    features_of,
    landmarks,
    leave_folds_out,
    leave_one_out,
)
from causalassay.discovery.statistics import determined_values, random_ties_order
from causalassay.graphs.orders import Indices

HeldOutRows = Literal["one", "fifth"]
"""Which rows NoGAM leaves out of a regression and predicts."""

MOST_LANDMARKS = 100
"""Rows on whose kernels NoGAM regresses a column."""
RESIDUAL_LANDMARKS = 30
"""Quantiles of a residual on whose kernels NoGAM regresses the score."""

ARRAYS_OF_LANDMARKS = 8
"""Arrays of rows by landmarks that NoGAM holds at a time beside one for each column."""
MATRICES_OF_FOLDS = 7
"""Matrices of rows by rows that NoGAM holds at a time with the regressions of its authors."""


@dataclass(frozen=True)
class ScoreMatching:
    """What the algorithms by the estimated score share.

    Parameters
    ----------
    ridge : float
        Of the estimator of the score, η of the papers, for columns divided by one number: the
        geometric mean of their standard deviations.
    cutoff : float
        The p-value above which pruning drops an edge.
    """

    ridge: float = RIDGE
    cutoff: float = CUTOFF

    columns: ClassVar[Columns] = "continuous"
    reads: ClassVar[Reads] = "observational rows"
    output: ClassVar[Kind] = "dag"
    scale_sensitive: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 < self.ridge < np.inf:
            raise RefusedValue("ridge", f"expected a finite ridge > 0, got {self.ridge}")
        if not 0 <= self.cutoff <= 1:
            raise RefusedValue("cutoff", f"expected a p-value from 0 to 1, got {self.cutoff}")

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Estimate a DAG from the observational values."""
        values = determined_values(data)
        if len(values) < LEAST_ROWS:
            raise NotApplicable(
                f"the score and additive regressions need at least {LEAST_ROWS} rows, "
                f"got {len(values)}; take more"
            )
        self.check_memory(*values.shape)
        order = order_from_leaves(values, self.leaf_statistic, self.ridge, rng)
        graph = prune_along_order(values, order, cutoff=self.cutoff)
        return Estimate(graph, "dag", order=tuple(int(node) for node in order))

    def check_memory(self, n_samples: int, n_columns: int) -> None:  # noqa: ARG002
        """Raise `NotApplicable` if the rows are too many."""
        check_memory(n_samples)

    def leaf_statistic(self, estimate: SteinEstimate) -> Vector:
        """Return a number for each column, the least at a leaf."""
        raise NotImplementedError


def order_from_leaves(
    values: Values,
    leaf_statistic: Callable[[SteinEstimate], Vector],
    ridge: float,
    rng: Generator,
) -> Indices:
    """Find a leaf, leave it out, and so on; return the columns from the causes to the leaves.

    Parameters
    ----------
    values : ndarray, shape (n, d)
    leaf_statistic : callable
        Of the estimate for the columns that are left: the least is the leaf.
    ridge : float
        For columns divided by `common_unit`, so that a factor of all columns changes nothing.
    rng : Generator
        Decides between columns whose numbers tie.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=300)
    >>> values = np.column_stack([np.sin(2 * x) + 0.5 * rng.normal(size=300), x])
    >>> spread = lambda estimate: estimate.jacobian_diagonal.var(axis=0)
    >>> order_from_leaves(values, spread, 0.001, rng).tolist()
    [1, 0]
    """
    left = np.arange(values.shape[1])
    leaves = []
    while len(left) > 1:
        columns = values[:, left]
        statistic = leaf_statistic(stein_estimate(columns / common_unit(columns), ridge))
        position = random_ties_order(statistic, rng)[0]
        leaves.append(left[position])
        left = np.delete(left, position)
    return np.array([*left, *reversed(leaves)], dtype=np.int64)


@dataclass(frozen=True)
class Score(ScoreMatching):
    """SCORE: a leaf is the column where the score's own derivative varies least; then prune.

    For x_j = f(parents) + Gaussian noise without children, ∂² log p / ∂x_j² is a constant,
    minus one over the noise variance. For all other columns of a nonlinear model it varies.

    Parameters
    ----------
    ridge : float
        Of the estimators of the score and of its derivatives, η of the paper, for columns
        divided by one number: the geometric mean of the standard deviations of those left.
    cutoff : float
        The p-value above which the additive regression on the predecessors drops an edge.

    Notes
    -----
    From 20 to 11585 rows: memory grows with n², time with d n³. The estimator is that of the
    paper, in closed form for all columns at once; see `diagnostics.SteinEstimate`. Its variance
    has the unit of x⁻⁴ and is compared between columns, so units matter: what is measured in a
    larger unit, or has more noise, tends to the end of the order. The paper does not
    standardise, and neither does this.

    Departs from the paper: the median distance, which is the width of the kernel, is that of
    different rows only, as in the package dodiscover. The ridge there is absolute, so that a
    factor of all columns matters; here it does not. On standardised columns both are the same.

    References
    ----------
    Rolland, Cevher, Kleindessner, Russell, Schölkopf, Janzing, Locatello (2022), Score matching
    enables causal discovery of nonlinear additive noise models, ICML, arXiv 2203.04413.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=300)
    >>> y = np.sin(2 * x) + 0.5 * rng.normal(size=300)
    >>> Score().discover(Dataset.from_values(np.column_stack([y, x])), rng).graph.astype(int)
    array([[0, 0],
           [1, 0]])
    """

    name: ClassVar[str] = "score"
    version: ClassVar[int] = 2
    assumptions: ClassVar[str] = (
        "nonlinear additive Gaussian noise, acyclic, no hidden common cause"
    )
    reference: ClassVar[str] = "Rolland et al. (2022), ICML, arXiv 2203.04413"

    def leaf_statistic(self, estimate: SteinEstimate) -> Vector:
        """Return the variance of each diagonal element of the score's Jacobian."""
        return estimate.jacobian_diagonal.var(axis=0)


@dataclass(frozen=True)
class ScoreSort(ScoreMatching):
    """Sort by falling variance of the score's entries, then prune by additive regression.

    A baseline, not a method: it wins where the variance of the score falls along the causal
    order, which is an artefact of many simulations.

    Parameters
    ----------
    ridge, cutoff
        See `Score`.

    Notes
    -----
    The column whose entry varies least is the leaf; it is left out, and the score of the others
    is estimated anew. For jointly normal columns the variance is one over what the others leave
    of the column, so that this sorts by conditional variance. Units matter.

    References
    ----------
    Montagna, Noceti, Rosasco, Locatello (2023), Shortcuts for causal discovery of nonlinear
    models by score matching, arXiv 2310.14246.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=300)
    >>> y = np.sin(2 * x) + rng.normal(size=300)
    >>> ScoreSort().discover(Dataset.from_values(np.column_stack([y, x])), rng).order
    (1, 0)
    """

    name: ClassVar[str] = "score-sort"
    version: ClassVar[int] = 2
    assumptions: ClassVar[str] = "the score's variance falls along the causal order"
    reference: ClassVar[str] = "Montagna et al. (2023), arXiv 2310.14246"

    def leaf_statistic(self, estimate: SteinEstimate) -> Vector:
        """Return the variance of each entry of the score."""
        return estimate.score.var(axis=0)


@dataclass(frozen=True)
class NoGAM(ScoreMatching):
    """NoGAM: a leaf is the column whose residual predicts its score best; then prune.

    For x_j = f(parents) + noise without children, of whatever law, the score of x_j is a
    function of the noise alone, and the noise is what a regression on all others leaves.

    Parameters
    ----------
    ridge, cutoff
        See `Score`.
    held_out : {"one", "fifth"}
        Which rows regressions leave out and predict. "one": each row from all others, with the
        penalty that predicts best and a kernel as wide as the median distance of two rows; the
        score is regressed on the residual in standard deviations. "fifth": as the authors'
        code has it, five folds of successive rows with a fixed penalty and width, where the
        order of the rows matters.
    penalty, gamma : float
        For "fifth" only: the penalty, and the kernel exp(-γ|x - y|²), of both regressions, for
        columns divided as for the ridge.

    Notes
    -----
    As with `Score`, memory grows with n² (with "fifth" at most 6192 rows; otherwise fewer than
    11585 beside more than 100 columns), units matter (the errors have the unit of x⁻²), and
    nothing is standardised but the residuals as regressors.

    Departs from the paper with "one": its regressions have one penalty and width for all
    columns and units. Those of "one" are on 100 landmark rows: Nyström's approximation, with
    left-out rows in closed form. Over 45 data sets of docs/nonlinear-algorithms.md that
    reversed 17 % of the edges, and "fifth" 18 % with γ = 0.1 and 24 % with γ = 0.01. The
    authors' package documents γ = 0.1, and its code takes 0.01.

    References
    ----------
    Montagna, Noceti, Rosasco, Zhang, Locatello (2023), Causal discovery with score matching on
    additive models with arbitrary noise, CLeaR, arXiv 2304.03265.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.exponential(size=300)
    >>> y = np.sin(2 * x) + 0.5 * rng.exponential(size=300)
    >>> NoGAM().discover(Dataset.from_values(np.column_stack([y, x])), rng).order
    (1, 0)
    """

    held_out: HeldOutRows = "one"
    penalty: float = 0.01
    gamma: float = 0.1

    name: ClassVar[str] = "nogam"
    version: ClassVar[int] = 2
    assumptions: ClassVar[str] = "nonlinear additive noise, acyclic, no hidden common cause"
    reference: ClassVar[str] = "Montagna et al. (2023), CLeaR, arXiv 2304.03265"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("held_out", self.held_out, get_args(HeldOutRows))
        for name in ("penalty", "gamma"):
            value = getattr(self, name)
            if not 0 < value < np.inf:
                raise RefusedValue(name, f"expected a finite number > 0, got {value}")

    def check_memory(self, n_samples: int, n_columns: int) -> None:
        """Raise `NotApplicable` if the rows are too many."""
        if self.held_out == "one":
            check_memory(n_samples)
            check_memory(n_samples, 1, (n_columns + ARRAYS_OF_LANDMARKS) * MOST_LANDMARKS)
        else:
            check_memory(n_samples, MATRICES_OF_FOLDS)

    def leaf_statistic(self, estimate: SteinEstimate) -> Vector:
        """Return the mean squared error of each score entry, predicted from the residual."""
        if self.held_out == "one":
            return _errors_leaving_one(estimate)
        return _errors_leaving_fifths(estimate, self.penalty, self.gamma)


def _errors_leaving_one(estimate: SteinEstimate) -> Vector:
    """Return the errors of `NoGAM` with each row predicted from all others."""
    values, scale = estimate.values, -0.5 / estimate.width**2
    rows = landmarks(values, estimate.width, MOST_LANDMARKS)
    errors = np.empty(values.shape[1])
    for node, distances in enumerate(distances_by_others(values, rows)):
        kernel = np.exp(scale * distances)
        residuals = leave_one_out(features_of(kernel, kernel[rows]), values[:, node]).residuals
        errors[node] = leave_one_out(_residual_features(residuals), estimate.score[:, node])[1]
    return errors


def distances_by_others(values: Values, rows: Indices) -> Iterator[Weights]:
    """Yield for each column the squared distances to some rows by all columns but this.

    Parameters
    ----------
    values : ndarray, shape (n, d)
    rows : ndarray of int, shape (m,)

    Notes
    -----
    Sums over the columns before it and over those after it. To subtract its part from the
    sum over all would cancel where that part is nearly all: in rows with an outlier.

    Examples
    --------
    >>> values = np.array([[0.0, 1e9, 2.0], [0.1, 0.0, 4.0]])
    >>> [float(far[1, 0].round(2)) for far in distances_by_others(values, np.array([0]))][1]
    4.01
    """

    def part(node: int) -> Weights:
        return np.subtract.outer(values[:, node], values[rows, node]) ** 2

    d = values.shape[1]
    after = np.zeros((d, len(values), len(rows)))
    for node in range(d - 1, 0, -1):
        np.add(after[node], part(node), out=after[node - 1])
    before = np.zeros((len(values), len(rows)))
    for node in range(d):
        yield before + after[node]
        before += part(node)


def _residual_features(residuals: Vector) -> Values:
    """Return the features of a residual, by a kernel as wide as its standard deviation."""
    scaled = residuals / max(residuals.std(), np.finfo(float).tiny)
    ranks = np.linspace(0, len(scaled) - 1, RESIDUAL_LANDMARKS).astype(int)
    quantiles = np.sort(scaled)[ranks]

    def kernel(x: Vector) -> Weights:
        return np.exp(-0.5 * np.subtract.outer(x, quantiles) ** 2)

    return features_of(kernel(scaled), kernel(quantiles))


def _errors_leaving_fifths(estimate: SteinEstimate, penalty: float, gamma: float) -> Vector:
    """Return the errors of `NoGAM` with each fifth of the rows predicted from the others."""
    errors = np.empty(estimate.values.shape[1])
    for node, column in enumerate(estimate.values.T):
        others = squared_distances(np.delete(estimate.values, node, axis=1))
        residuals = leave_folds_out(np.exp(-gamma * others), column, penalty).residuals
        kernel = np.exp(-gamma * np.subtract.outer(residuals, residuals) ** 2)
        errors[node] = leave_folds_out(kernel, estimate.score[:, node], penalty).mean_square
    return errors
