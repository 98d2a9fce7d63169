"""Linear structural causal models and their exact moments."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_triangular

from causalassay.common.arrays import Adjacency, Values, Vector, Weights, check_weights
from causalassay.common.kernels import kernel
from causalassay.common.seeding import as_generator
from causalassay.graphs.orders import Indices, topological_order
from causalassay.models.interventions import (
    Intervention,
    applied,
    check_intervention,
    on_observed_scale,
)
from causalassay.models.noise import MixedNoise, Noise, noise_of_nodes
from causalassay.present import Document, Shown
from causalassay.present.formatting import counted


@kernel
def _propagate(
    values: Values,
    order: Indices,
    parent_lists: tuple[Indices, Indices, Vector],
    noise_sd: Vector,
    intercept: Vector,
) -> None:
    """Turn unit noise into values in place, a row at a time: the row stays in the cache."""
    start, parent, weight = parent_lists
    for row in values:
        for node in order:
            x = intercept[node] + noise_sd[node] * row[node]
            for position in range(start[node], start[node + 1]):
                x += weight[position] * row[parent[position]]
            row[node] = x


@dataclass(frozen=True, eq=False, repr=False, init=False)
class LinearSCM(Shown):
    """X_j = intercept_j + Σ_i weights[i, j]·X_i + √noise_variance_j · unit noise.

    Parameters
    ----------
    weights : array_like, shape (d, d)
        ``weights[i, j]`` of i→j; the edges are the non-zero entries.
    noise_variance : array_like, shape (d,) or scalar
        The variance of each node's noise; a scalar holds for all.
    intercept : array_like, shape (d,) or scalar
        A constant added to each node; a scalar holds for all.
    noise : Noise, MixedNoise or str
        The family of every node's noise, centred, with unit variance; `MixedNoise` has a
        law for each node.
    latent_mean, latent_sd : array_like, shape (d,) or scalar
        How the observed variables came from latent ones: observed =
        (latent - latent_mean) / latent_sd. Only interventions with
        ``scale="latent"`` read them. A model that standardises nothing has 0 and 1.

    Examples
    --------
    >>> from causalassay.models import Do
    >>> model = LinearSCM([[0, 2], [0, 0]], noise_variance=1.0)
    >>> model
    LinearSCM(2 nodes, 1 edge, gaussian noise)
    >>> model.covariance()
    array([[1., 2.],
           [2., 5.]])
    >>> model.mean((Do(0, 3.0),))
    array([3., 6.])
    """

    weights: Weights
    noise_variance: Vector
    intercept: Vector
    noise: Noise | MixedNoise
    latent_mean: Vector
    latent_sd: Vector
    _order: Indices = field(init=False)

    def __init__(
        self,
        weights: ArrayLike,
        noise_variance: ArrayLike,
        intercept: ArrayLike = 0.0,
        noise: Noise | MixedNoise | str = "gaussian",
        *,
        latent_mean: ArrayLike = 0.0,
        latent_sd: ArrayLike = 1.0,
    ) -> None:
        matrix = check_weights(weights).copy()
        matrix.setflags(write=False)
        d = len(matrix)
        checked = {
            "weights": matrix,
            "noise_variance": per_node(noise_variance, d, "noise_variance"),
            "intercept": per_node(intercept, d, "intercept"),
            "noise": noise_of_nodes(noise, d),
            "latent_mean": per_node(latent_mean, d, "latent_mean"),
            "latent_sd": per_node(latent_sd, d, "latent_sd"),
            "_order": topological_order(matrix != 0, "weights"),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        if (self.noise_variance < 0).any():
            raise ValueError("noise_variance: expected no negative number")
        if not (self.latent_sd > 0).all():
            raise ValueError("latent_sd: expected positive numbers")

    @property
    def size_text(self) -> str:
        """Its nodes, edges and noise, in words."""
        n_edges = int(np.count_nonzero(self.weights))
        nodes, edges = counted(self.n_nodes, "node"), counted(n_edges, "edge")
        return f"{nodes}, {edges}, {self.noise.family} noise"

    def __repr__(self) -> str:
        return f"LinearSCM({self.size_text})"

    def document(self) -> Document:
        """Return what the model shows."""
        from causalassay.models.document import linear_document  # noqa: PLC0415

        return linear_document(self)

    @property
    def n_nodes(self) -> int:
        """The number of nodes d."""
        return len(self.weights)

    @property
    def graph(self) -> Adjacency:
        """The causal DAG: where a weight is not zero."""
        return self.weights != 0

    @cached_property
    def _parent_lists(self) -> tuple[Indices, Indices, Vector]:
        # One scan of the matrix in memory order; scanning its transpose is several times slower.
        parent, node = np.nonzero(self.graph)
        by_node = np.argsort(node, kind="stable")
        start = np.zeros(self.n_nodes + 1, dtype=np.int64)
        np.cumsum(np.bincount(node, minlength=self.n_nodes), out=start[1:])
        return start, parent[by_node], self.weights[parent, node][by_node]

    def under(self, intervention: Intervention) -> LinearSCM:
        """Return the model after an intervention.

        Values are on the observed scale; with ``scale="latent"`` they are on
        that of the variable before internal standardisation, which stays that
        of the observational law (Ormaniec 2024, appendix B).

        Examples
        --------
        >>> from causalassay.models import Randomize
        >>> chain = LinearSCM([[0, 2], [0, 0]], 1.0)
        >>> chain.under((Randomize(1, mean=5, variance=9),)).covariance()
        array([[1., 0.],
               [0., 9.]])
        """
        if not check_intervention(intervention, self.n_nodes):
            return self
        weights = self.weights.copy()
        variance, intercept = self.noise_variance.copy(), self.intercept.copy()
        for action in intervention:
            node = action.node
            observed = on_observed_scale(action, self.latent_mean[node], self.latent_sd[node])
            cut, variance[node], intercept[node] = applied(
                observed, variance[node], intercept[node]
            )
            if cut:
                weights[:, node] = 0.0
        return replace(self, weights=weights, noise_variance=variance, intercept=intercept)

    def sample(
        self, n_samples: int, rng: Generator | int, intervention: Intervention = ()
    ) -> Values:
        """Draw `n_samples` rows.

        The noise of every node is drawn whatever the intervention, so equal
        states of `rng` give equal noise: what an intervention does not reach
        does not change.

        Examples
        --------
        >>> import numpy as np
        >>> LinearSCM([[0, 2], [0, 0]], 1.0).sample(3, np.random.default_rng(0)).shape
        (3, 2)
        """
        rng = as_generator(rng)
        if n_samples < 1:
            raise ValueError(f"n_samples: expected at least 1, got {n_samples}")
        model = self.under(intervention)
        values = model.noise.draw(rng, (n_samples, model.n_nodes))
        noise_sd = np.sqrt(model.noise_variance)
        _propagate(values, model._order, model._parent_lists, noise_sd, model.intercept)
        return values

    def total_effects(self) -> Weights:
        """Return ``(I - W)⁻¹``: the sum over directed paths i⇝j of the products of weights.

        Examples
        --------
        >>> LinearSCM([[0, 2, 1], [0, 0, 3], [0, 0, 0]], 1.0).total_effects()
        array([[1., 2., 7.],
               [0., 1., 3.],
               [0., 0., 1.]])
        """
        order = self._order
        ordered = np.eye(self.n_nodes) - self.weights[np.ix_(order, order)]
        effects = np.empty_like(ordered)
        effects[np.ix_(order, order)] = solve_triangular(
            ordered, np.eye(self.n_nodes), unit_diagonal=True
        )
        return effects

    def mean(self, intervention: Intervention = ()) -> Vector:
        """Return the exact mean of every node.

        Examples
        --------
        >>> from causalassay.models import Shift
        >>> LinearSCM([[0, 2], [0, 0]], 1.0, intercept=[1, 0]).mean((Shift(0, by=0.5),))
        array([1.5, 3. ])
        """
        model = self.under(intervention)
        return model.total_effects().T @ model.intercept

    def covariance(self, intervention: Intervention = ()) -> Weights:
        """Return the exact covariance matrix.

        Examples
        --------
        >>> from causalassay.models import Do
        >>> LinearSCM([[0, 2], [0, 0]], 1.0).covariance((Do(0, 3.0),))
        array([[0., 0.],
               [0., 1.]])
        """
        model = self.under(intervention)
        spread = np.sqrt(model.noise_variance)[:, None] * model.total_effects()
        return spread.T @ spread

    def cause_explained_variance(self) -> Vector:
        """Return 1 - noise variance / variance of every node; nan where a node is constant.

        References
        ----------
        Ormaniec et al. 2024, equation 4.

        Examples
        --------
        >>> LinearSCM([[0, 2], [0, 0]], 1.0).cause_explained_variance()
        array([0. , 0.8])
        """
        variance = np.diag(self.covariance())
        with np.errstate(invalid="ignore"):
            return 1 - self.noise_variance / variance

    def r2(self) -> Vector:
        """Return the share of every node's variance that all other nodes explain linearly.

        1 - 1 / (Σ_ii (Σ⁻¹)_ii), with the precision taken from the model,
        (Σ⁻¹)_ii = 1/σ_i² + Σ_j w_ij²/σ_j², so that no matrix is inverted; nan
        where a node is constant.

        Examples
        --------
        >>> LinearSCM([[0, 2], [0, 0]], 1.0).r2()
        array([0.8, 0.8])
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = 1 / self.noise_variance
            from_children = np.where(self.weights != 0, self.weights**2 * precision, 0.0).sum(
                axis=1
            )
            return 1 - 1 / (np.diag(self.covariance()) * (precision + from_children))


def per_node(numbers: ArrayLike, n_nodes: int, name: str) -> NDArray[np.floating[Any]]:
    """Return a number, or one for each node, as a finite vector that cannot be written to."""
    array = np.array(numbers, dtype=float)
    if array.ndim > 1 or (array.ndim == 1 and array.shape != (n_nodes,)):
        raise ValueError(f"{name}: expected a number or {n_nodes} of them, got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: every number must be finite")
    array = np.broadcast_to(array, (n_nodes,)).copy()
    array.setflags(write=False)
    return array
