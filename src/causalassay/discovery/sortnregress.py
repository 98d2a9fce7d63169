"""Sort the variables by a score, then regress each on those before it; also for series."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, get_args

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Values
from causalassay.common.spelling import RefusedValue, check_choice
from causalassay.contracts import Columns, Estimate, Kind, NotApplicable, Reads
from causalassay.data.dataset import Dataset
from causalassay.diagnostics.explained_variance import determination, variances
from causalassay.diagnostics.sortability import relatives
from causalassay.discovery.granger_lasso import (
    check_lagged_settings,
    lagged_design,
    lagged_estimate,
)
from causalassay.discovery.regression import SortedRegressionKind
from causalassay.discovery.regression.additive_model import prune_along_order
from causalassay.discovery.regression.lasso_along_order import (
    PATH_END,
    sort_regress,
    sort_regress_each,
)
from causalassay.discovery.statistics import observational_values, random_ties_order
from causalassay.graphs.orders import Indices

_REGRESSION = "linear (or nonlinear with additive noise, by `regression`)"


@dataclass(frozen=True)
class VarSortnRegress:
    """Sort by variance, then regress each variable on its predecessors by the adaptive lasso.

    A baseline, not a method: it wins where variances grow along the causal
    order, which is an artefact of many simulations.

    Parameters
    ----------
    path_end : float
        The penalty at which each lasso path ends, in squared units of its
        target, or relative to the target's variance where that is below 1.
        The default is scikit-learn's; on standardised data with R² near 1 it
        can cut off the weakest edges. At 0 each path runs to least squares
        and a change of units changes the order only.
    regression : {"linear", "support-vector", "additive"}
        The adaptive lasso; or for additive noise models that are not linear,
        without weights and without `path_end`:
        "additive" regresses on smooth functions of each predecessor and keeps
        those with p-values of at most 0.001, as CAM prunes; see
        `causalassay.discovery.regression.additive_model.prune_along_order`.
        "support-vector" is recursive feature elimination by held-out errors
        of support vector regression, see `support_vector_parents`; it needs
        scikit-learn (the extra ``nonlinear``) and takes seconds at 10
        variables and 1000 rows.

    Notes
    -----
    Least squares on the predecessors gives weights, the lasso with BIC on the
    predecessors scaled by them gives the coefficients; there is no threshold.

    Departs from the paper: variances whose ratio is within 1e-9 of 1 are
    sorted by `rng`, not by index or rounding error; the lasso's criterion is
    that of scikit-learn 1.1 and later, while the paper used 0.24. Departs from
    CausalDisco, which ends the path at an absolute penalty: small units do not
    empty the graph.

    References
    ----------
    Reisach, Seiler, Weichwald (2021), section 3.5 and appendix H.1.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.data import Dataset
    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal(size=(200, 3)).cumsum(axis=1)
    >>> estimate = VarSortnRegress().discover(Dataset.from_values(values), rng)
    >>> estimate.graph.astype(int)
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 0, 0]])
    """

    path_end: float = PATH_END
    regression: SortedRegressionKind = "linear"

    name: ClassVar[str] = "var-sortnregress"
    columns: ClassVar[Columns] = "continuous or discrete"
    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "observational rows"
    output: ClassVar[Kind] = "dag"
    scale_sensitive: ClassVar[bool] = True
    assumptions: ClassVar[str] = f"{_REGRESSION}; variance grows along the causal order"
    reference: ClassVar[str] = "Reisach, Seiler, Weichwald (2021), arXiv 2102.13647, appendix H.1"

    def __post_init__(self) -> None:
        check_choice("regression", self.regression, get_args(SortedRegressionKind))

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Estimate a DAG from the observational values."""
        values = regressable(data)
        return _regress_in_order(self, values, random_ties_order(variances(values), rng))


@dataclass(frozen=True)
class R2SortnRegress:
    """Sort by R² on all others, then regress each variable on its predecessors.

    A baseline, not a method: it wins where R² grows along the causal order,
    which standardising does not change.

    Parameters
    ----------
    path_end, regression
        See `VarSortnRegress`.

    Notes
    -----
    As `VarSortnRegress`, with R² instead of the variance.

    References
    ----------
    Reisach et al. (2023), arXiv 2303.18211.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.data import Dataset
    >>> rng = np.random.default_rng(1)
    >>> values = rng.normal(size=(200, 3))
    >>> values[:, 2] += values[:, 0] + values[:, 1]
    >>> R2SortnRegress().discover(Dataset.from_values(values), rng).order[-1]
    2
    """

    path_end: float = PATH_END
    regression: SortedRegressionKind = "linear"

    name: ClassVar[str] = "r2-sortnregress"
    columns: ClassVar[Columns] = "continuous or discrete"
    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "observational rows"
    output: ClassVar[Kind] = "dag"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = f"{_REGRESSION}; R² grows along the causal order"
    reference: ClassVar[str] = "Reisach et al. (2023), arXiv 2303.18211"

    def __post_init__(self) -> None:
        check_choice("regression", self.regression, get_args(SortedRegressionKind))

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Estimate a DAG from the observational values."""
        values = regressable(data)
        return _regress_in_order(self, values, random_ties_order(determination(values).r2, rng))


@dataclass(frozen=True)
class RelativesSortnRegress:
    """Sort by the number of correlated variables, then regress each variable on its predecessors.

    A reference beside random orders, and no artefact: an effect is correlated
    with all that its cause is correlated with, if the distribution is faithful
    to the graph, so this number never falls along the causal order. A lead
    that this baseline has as well says little about a method.

    Parameters
    ----------
    alpha : float
        Level of the test of each correlation; see `diagnostics.relatives`.
    path_end, regression
        See `VarSortnRegress`.

    Notes
    -----
    As `VarSortnRegress`, with the number of `diagnostics.relatives`, fewest
    first, instead of the variance. Variables with equally many are sorted by `rng`,
    so the graph need not follow when the columns are relabelled: ``equivariant`` is False.

    References
    ----------
    CausalDisco 0.2.4, ``relatives_sortability``, measures that order.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.data import Dataset
    >>> rng = np.random.default_rng(1)
    >>> values = rng.normal(size=(200, 3))
    >>> values[:, 2] += values[:, 0] + values[:, 1]
    >>> RelativesSortnRegress().discover(Dataset.from_values(values), rng).order[-1]
    2
    """

    alpha: float = 0.05
    path_end: float = PATH_END
    regression: SortedRegressionKind = "linear"

    name: ClassVar[str] = "relatives-sortnregress"
    columns: ClassVar[Columns] = "continuous or discrete"
    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "observational rows"
    output: ClassVar[Kind] = "dag"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = (
        f"{_REGRESSION}; effects are correlated with more variables than causes"
    )
    equivariant: ClassVar[bool] = False
    reference: ClassVar[str] = "the number of relatives in CausalDisco 0.2.4"

    def __post_init__(self) -> None:
        check_choice("regression", self.regression, get_args(SortedRegressionKind))
        if not 0 < self.alpha < 1:
            raise RefusedValue("alpha", f"expected 0 < alpha < 1, got {self.alpha}")

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Estimate a DAG from the observational values."""
        values = regressable(data)
        if len(values) < 3:
            raise NotApplicable(f"the test of a correlation needs 3 rows, got {len(values)}")
        number = relatives(values, self.alpha).astype(float)
        return _regress_in_order(self, values, random_ties_order(number, rng))


@dataclass(frozen=True)
class RandomSortnRegress:
    """Sort at random, then regress each variable on its predecessors.

    The reference for the others: what the regression alone achieves.

    Parameters
    ----------
    path_end, regression
        See `VarSortnRegress`.

    Notes
    -----
    As `VarSortnRegress`, with a random order instead of that of the variances.

    References
    ----------
    Reisach, Seiler, Weichwald (2021), appendix H.2, where it is called randomregress.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.data import Dataset
    >>> values = np.random.default_rng(0).normal(size=(200, 3)).cumsum(axis=1)
    >>> data = Dataset.from_values(values)
    >>> sorted(RandomSortnRegress().discover(data, np.random.default_rng(0)).order)
    [0, 1, 2]
    """

    path_end: float = PATH_END
    regression: SortedRegressionKind = "linear"

    name: ClassVar[str] = "random-sortnregress"
    columns: ClassVar[Columns] = "continuous or discrete"
    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "observational rows"
    output: ClassVar[Kind] = "dag"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = f"{_REGRESSION}; the order is right by chance"
    equivariant: ClassVar[bool] = False
    reference: ClassVar[str] = "Reisach, Seiler, Weichwald (2021), arXiv 2102.13647, appendix H.2"

    def __post_init__(self) -> None:
        check_choice("regression", self.regression, get_args(SortedRegressionKind))

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Estimate a DAG from the observational values."""
        values = regressable(data)
        return _regress_in_order(self, values, rng.permutation(values.shape[1]))


def along_random_orders(
    data: Dataset, n_orders: int, rng: Generator, path_end: float = PATH_END
) -> Iterator[Estimate]:
    """Yield what so many calls of linear `RandomSortnRegress` give, reading the rows once.

    Parameters
    ----------
    data : Dataset
    n_orders : int
    rng : Generator
        Drawn from as by the calls.
    path_end : float
        See `VarSortnRegress`.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(size=(200, 3)).cumsum(axis=1)
    >>> data = Dataset.from_values(values)
    >>> [found.order for found in along_random_orders(data, 2, np.random.default_rng(0))]
    [(2, 0, 1), (2, 1, 0)]
    """
    values = regressable(data)
    orders = [rng.permutation(values.shape[1]) for _ in range(n_orders)]
    for order, weights in zip(orders, sort_regress_each(values, orders, path_end), strict=True):
        yield Estimate(weights != 0, "dag", weights, tuple(int(node) for node in order))


def regressable(data: Dataset) -> Values:
    """Return the observational rows; raises NotApplicable if they cannot be regressed."""
    values = observational_values(data)
    n_samples, n_nodes = values.shape
    if n_samples <= n_nodes:
        raise NotApplicable(
            f"the noise variance of a regression on {n_nodes - 1} variables needs at least "
            f"{n_nodes + 1} rows, got {n_samples}; take more rows or fewer columns"
        )
    constant = np.flatnonzero(variances(values) == 0)
    if len(constant):
        raise NotApplicable(
            f"column {data.columns[constant[0]]!r} is constant in the observational rows; remove it"
        )
    return values


def _regress_in_order(
    algorithm: VarSortnRegress | R2SortnRegress | RelativesSortnRegress | RandomSortnRegress,
    values: Values,
    order: Indices,
) -> Estimate:
    nodes = tuple(int(node) for node in order)
    if algorithm.regression == "linear":
        weights = sort_regress(values, order, algorithm.path_end)
        return Estimate(weights != 0, "dag", weights, nodes)
    if algorithm.regression == "additive":
        return Estimate(prune_along_order(values, order), "dag", order=nodes)
    from causalassay.discovery.regression.support_vectors import (  # noqa: PLC0415 (an extra)
        support_vector_parents,
    )

    return Estimate(support_vector_parents(values, order), "dag", order=nodes)


# Sort and regress for series: over time by regression, within a step by an order.

_REFERENCE = "the series analogue of Reisach, Seiler, Weichwald (2021), arXiv 2102.13647"


@dataclass(frozen=True)
class SeriesVarSortnRegress:
    """Sort the processes by variance, regress each on the past of all and on those before it.

    A baseline, not a method: within a step it wins where variances grow along
    the causal order.

    Parameters
    ----------
    max_lag, path_end
        See `GrangerLasso`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> data = Dataset.from_values(rng.normal(size=(300, 3)).cumsum(axis=1), rows="series")
    >>> SeriesVarSortnRegress().discover(data, rng).graph.astype(int)
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 0, 0]])
    """

    max_lag: int = 2
    path_end: float = PATH_END

    name: ClassVar[str] = "series-var-sortnregress"
    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "observational rows"
    rows: ClassVar[str] = "series"
    output: ClassVar[Kind] = "summary"
    scale_sensitive: ClassVar[bool] = True
    assumptions: ClassVar[str] = "linear, stationary; variance grows along the causal order"
    reference: ClassVar[str] = _REFERENCE

    def __post_init__(self) -> None:
        check_lagged_settings(self.max_lag, self.path_end)

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Estimate the links, those within a step along increasing variance."""
        design = lagged_design(data, self.max_lag)
        order = random_ties_order(variances(data.observational_values), rng)
        return lagged_estimate(design, self.max_lag, self.path_end, order)


@dataclass(frozen=True)
class SeriesR2SortnRegress:
    """Sort the processes by R² on all else, regress each on the past and on those before it.

    A baseline, not a method; R² is `diagnostics.series_r2` with the own past.

    Parameters
    ----------
    max_lag, path_end
        See `GrangerLasso`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal(size=(300, 3))
    >>> values[:, 2] += values[:, 0] + values[:, 1]
    >>> data = Dataset.from_values(values, rows="series")
    >>> SeriesR2SortnRegress().discover(data, rng).order[-1]
    2
    """

    max_lag: int = 2
    path_end: float = PATH_END

    name: ClassVar[str] = "series-r2-sortnregress"
    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "observational rows"
    rows: ClassVar[str] = "series"
    output: ClassVar[Kind] = "summary"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = "linear, stationary; R² grows along the causal order"
    reference: ClassVar[str] = _REFERENCE

    def __post_init__(self) -> None:
        check_lagged_settings(self.max_lag, self.path_end)

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Estimate the links, those within a step along increasing R²."""
        design = lagged_design(data, self.max_lag)
        order = random_ties_order(determination(design).r2[: data.n_nodes], rng)
        return lagged_estimate(design, self.max_lag, self.path_end, order)


@dataclass(frozen=True)
class SeriesRandomSortnRegress:
    """Sort the processes at random, regress each on the past of all and on those before it.

    The reference for the other two: what the regression alone achieves.

    Parameters
    ----------
    max_lag, path_end
        See `GrangerLasso`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> data = Dataset.from_values(rng.normal(size=(300, 3)), rows="series")
    >>> sorted(SeriesRandomSortnRegress().discover(data, rng).order)
    [0, 1, 2]
    """

    max_lag: int = 2
    path_end: float = PATH_END

    name: ClassVar[str] = "series-random-sortnregress"
    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "observational rows"
    rows: ClassVar[str] = "series"
    output: ClassVar[Kind] = "summary"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = "linear, stationary; the order is right by chance"
    equivariant: ClassVar[bool] = False
    reference: ClassVar[str] = _REFERENCE

    def __post_init__(self) -> None:
        check_lagged_settings(self.max_lag, self.path_end)

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Estimate the links, those within a step along a random order."""
        design = lagged_design(data, self.max_lag)
        return lagged_estimate(design, self.max_lag, self.path_end, rng.permutation(data.n_nodes))
