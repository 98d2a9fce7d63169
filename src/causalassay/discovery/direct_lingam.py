"""DirectLiNGAM: a causal order from non-Gaussian noise, then sparse regressions along it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Values, Weights
from causalassay.common.spelling import check_choice
from causalassay.contracts import Estimate, Kind, NotApplicable, Reads
from causalassay.data.dataset import Dataset
from causalassay.discovery.regression.cross_validated_lasso import N_FOLDS, sort_regress_held_out
from causalassay.discovery.regression.lasso_along_order import PATH_END, sort_regress
from causalassay.discovery.search.exogenous_order import exogenous_order
from causalassay.discovery.statistics.usable_rows import determined_values
from causalassay.graphs.orders import Indices

Pruning = Literal["bic", "cross-validated"]


@dataclass(frozen=True)
class DirectLiNGAM:
    """Order the variables by pairwise likelihood ratios, then regress each on those before it.

    Again and again the variable that looks most exogenous next to those left
    is put next in the order, and its linear effect taken out of the others.

    Parameters
    ----------
    pruning : {"bic", "cross-validated"}
        How the adaptive lasso along the order chooses its penalty: by BIC, or
        by the mean squared error on five held-out folds, which keeps more edges.
    path_end : float
        The penalty at which each lasso path ends, relative to the target's
        variance; the default is scikit-learn's.

    Notes
    -----
    The likelihood ratio of i→j against j→i is that of entropies approximated
    by the means of log cosh u and u·exp(-u²/2), as in lingam. `info` has the
    penalty of each variable in the order when it was chosen (0 if no
    comparison spoke against it) and the number of pairs compared, which an
    exact best-first search keeps to a fraction of all.

    Variables are standardised before the regressions, so that units do not
    matter, as lingam does since 1.8.2: the edges are the same. The weights are
    the lasso's own coefficients, as in lingam before 1.8.2, which Reisach et
    al. (2021) used; later versions return least squares on those edges.

    Departs from the paper of 2011, which measures independence by kernels: the
    pairwise measure of 2013 is lingam's default.

    References
    ----------
    Shimizu et al. (2011), JMLR 12:1225-1248, algorithm 1; Hyvärinen, Smith
    (2013), JMLR 14:111-152; Reisach, Seiler, Weichwald (2021),
    appendix D.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> values = rng.exponential(size=(2000, 3))
    >>> values[:, 0] += 2 * values[:, 2]
    >>> values[:, 1] -= values[:, 0]
    >>> estimate = DirectLiNGAM().discover(Dataset.from_values(values), rng)
    >>> estimate.order
    (2, 0, 1)
    >>> estimate.weights.round(1)
    array([[ 0., -1.,  0.],
           [ 0.,  0.,  0.],
           [ 2.,  0.,  0.]])
    """

    pruning: Pruning = "bic"
    path_end: float = PATH_END

    version: ClassVar[int] = 1
    reads: ClassVar[Reads] = "observational rows"
    output: ClassVar[Kind] = "dag"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = "linear, at most one noise Gaussian, no hidden common cause"
    reference: ClassVar[str] = (
        "Shimizu et al. (2011), JMLR 12:1225-1248; Hyvärinen, Smith (2013), JMLR 14:111-152"
    )

    def __post_init__(self) -> None:
        check_choice("pruning", self.pruning, get_args(Pruning))
        if not 0 <= self.path_end < np.inf:
            raise ValueError(f"path_end: expected a finite number >= 0, got {self.path_end}")

    def discover(self, data: Dataset, rng: Generator) -> Estimate:  # noqa: ARG002
        """Estimate a DAG from the observational values."""
        values = determined_values(data)
        if self.pruning == "cross-validated":
            _check_folds(values)
        sd = values.std(axis=0)
        standardised = (values - values.mean(axis=0)) / sd
        order, penalty, n_pairs = exogenous_order(standardised.T.copy())
        weights = self._regress(standardised, order) * sd / sd[:, None]
        info = {"penalties": tuple(penalty.tolist()), "pairs_compared": n_pairs}
        return Estimate(weights != 0, "dag", weights, tuple(order.tolist()), info)

    def _regress(self, standardised: Values, order: Indices) -> Weights:
        if self.pruning == "bic":
            return sort_regress(standardised, order, self.path_end)
        return sort_regress_held_out(standardised, order, self.path_end)


def _check_folds(values: Values) -> None:
    n_samples, n_nodes = values.shape
    kept = n_samples - -(-n_samples // N_FOLDS)
    if kept <= n_nodes or n_samples < N_FOLDS:
        raise NotApplicable(
            f"of {n_samples} rows {N_FOLDS} folds leave {kept} for regressions with {n_nodes} "
            "columns; take more rows, or pruning='bic'"
        )
