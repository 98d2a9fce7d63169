"""GOLEM's loss and gradient from a covariance matrix."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from causalassay.common.arrays import Weights, check_weights
from causalassay.common.kernels import kernel
from causalassay.discovery.continuous.matrix_functions import (
    InverseWorkspace,
    expm1_by_columns,
    expm1_workspace,
    inverse_workspace,
    invert,
)

Variant = Literal["ev", "nv"]


class GolemObjective(NamedTuple):
    """GOLEM's problem, with room for its evaluation."""

    covariance: NDArray[np.float64]
    penalties: NDArray[np.float64]
    """λ₁ and λ₂."""
    n_samples: int
    equal: bool
    parts: NDArray[np.float64]
    """Likelihood with log-determinant, Σ|B| and h of the last evaluation."""
    away: NDArray[np.float64]
    """I - B."""
    residual: NDArray[np.float64]
    """S(I - B)."""
    turned: NDArray[np.float64]
    """Bᵀ∘Bᵀ, and then (I - B)⁻ᵀ."""
    scales: NDArray[np.float64]
    """The variances of the residuals."""
    work: NDArray[np.float64]
    inverse_work: InverseWorkspace


def golem_loss(
    weights: ArrayLike,
    covariance: ArrayLike,
    n_samples: int,
    variant: Variant,
    lambda1: float = 0.0,
    lambda2: float = 0.0,
) -> tuple[float, Weights]:
    """Return GOLEM's loss at weights B and its gradient.

    The loss is L - log|det(I - B)| + λ₁Σ|B| + λ₂h(B), where h is `acyclicity`
    and L, with the centred data X of covariance S = XᵀX/n,

    - "ev": (d/2) log ‖X - XB‖², with gradient -d·S(I - B) / tr((I - B)ᵀS(I - B));
    - "nv": ½ Σⱼ log ‖xⱼ - Xbⱼ‖², with column j of the gradient
      -S(eⱼ - bⱼ) / ((eⱼ - bⱼ)ᵀS(eⱼ - bⱼ)).

    The gradients of the others are (I - B)⁻ᵀ, λ₁ sign(B), where sign(0) = 0, and
    2λ₂ exp(B∘B)ᵀ∘B. At B = 0 all but that of L vanish off the diagonal, so the
    first step is symmetric for "ev"; for "nv" each column is divided by its
    variable's variance.

    Parameters
    ----------
    weights : array_like, shape (d, d)
        The diagonal may be other than 0, though GOLEM keeps it there.
    covariance : array_like, shape (d, d)
        With ddof 0.
    n_samples : int
        It shifts the loss by (d/2) log n.
    variant : {"ev", "nv"}
        Equal or any noise variances.
    lambda1, lambda2 : float
        0 by default, which leaves the negative log-likelihood.

    Returns
    -------
    loss : float
    gradient : ndarray, shape (d, d)
        In all entries, the diagonal included.

    References
    ----------
    Ng, Ghassami, Zhang (2020), arXiv 2006.10201, section 4; Reisach,
    Seiler, Weichwald (2021), arXiv 2102.13647, section 3.4 and appendix E.

    Examples
    --------
    >>> covariance = np.array([[1.0, 1.0], [1.0, 2.0]])
    >>> golem_loss(np.zeros((2, 2)), covariance, 100, "ev")[1].round(3)
    array([[ 0.333, -0.667],
           [-0.667, -0.333]])
    >>> golem_loss(np.zeros((2, 2)), covariance, 100, "nv")[1].round(3)
    array([[ 0. , -0.5],
           [-1. ,  0. ]])
    """
    matrix = np.array(check_weights(weights), dtype=np.float64, order="C")
    moments = check_weights(covariance, "covariance")
    if moments.shape != matrix.shape:
        raise ValueError(
            f"covariance: expected the shape of the weights, {matrix.shape}, got {moments.shape}"
        )
    if variant not in ("ev", "nv"):
        raise ValueError(f"variant: expected 'ev' or 'nv', got {variant!r}")
    gradient = np.empty_like(matrix)
    problem = new_golem_objective(moments, n_samples, variant, lambda1, lambda2)
    return float(evaluate(problem, matrix, gradient)), gradient


def new_golem_objective(
    covariance: Weights, n_samples: int, variant: Variant, lambda1: float, lambda2: float
) -> GolemObjective:
    """Return the problem with its working arrays."""
    d = len(covariance)
    return GolemObjective(
        np.ascontiguousarray(covariance, dtype=np.float64),
        np.array([lambda1, lambda2], dtype=np.float64),
        n_samples,
        variant == "ev",
        np.zeros(3),
        np.zeros((d, d)),
        np.zeros((d, d)),
        np.zeros((d, d)),
        np.zeros(d),
        expm1_workspace(d),
        inverse_workspace(d),
    )


@kernel(error_model="numpy")
def evaluate(problem: GolemObjective, weights: Weights, gradient: Weights) -> float:
    """Return the loss at the weights and write its gradient in all entries.

    Turned over once, at the start, the matrices are read in their order, without branches.
    """
    d, away, turned = len(weights), problem.away, problem.turned
    for i in range(d):
        for j in range(d):
            turned[i, j] = weights[j, i] ** 2
            away[i, j] = -weights[i, j]
        away[i, i] += 1.0
    growth = expm1_by_columns(turned, problem.work)
    np.dot(problem.covariance, away, problem.residual)
    likelihood = _likelihood(problem)
    for i in range(d):
        for j in range(d):
            turned[i, j] = -weights[j, i]
        turned[i, i] += 1.0
    likelihood -= invert(turned, problem.inverse_work)
    h = 0.0
    for i in range(d):
        h += growth[i, i]
        growth[i, i] += 1.0
    lambda1, lambda2 = problem.penalties[0], problem.penalties[1]
    size = _sum_slopes(problem, weights, growth, gradient)
    problem.parts[0], problem.parts[1], problem.parts[2] = likelihood, size, h
    return likelihood + lambda1 * size + lambda2 * h


@kernel(error_model="numpy")
def _likelihood(problem: GolemObjective) -> float:
    """Return L, and set the variances of the residuals."""
    away, residual, scales = problem.away, problem.residual, problem.scales
    d = len(away)
    scales[:] = 0.0
    for i in range(d):
        for j in range(d):
            scales[j] += away[i, j] * residual[i, j]
    if problem.equal:
        scales[:] = scales.sum() / d
    loss = 0.0
    for j in range(d):
        loss += np.log(scales[j] * problem.n_samples) / 2
    return loss + (d * np.log(d) / 2 if problem.equal else 0.0)


@kernel(error_model="numpy")
def _sum_slopes(
    problem: GolemObjective, weights: Weights, exponential: Weights, gradient: Weights
) -> float:
    """Write the gradient, with the transposed exponential; return Σ|B|."""
    residual, inverse, scales = problem.residual, problem.turned, problem.scales
    lambda1, twice = problem.penalties[0], 2 * problem.penalties[1]
    d = len(weights)
    sizes = np.zeros(d)
    for i in range(d):
        for j in range(d):
            weight = weights[i, j]
            sizes[j] += abs(weight)
            sign = (1.0 if weight > 0 else 0.0) - (1.0 if weight < 0 else 0.0)
            slope = inverse[i, j] - residual[i, j] / scales[j]
            gradient[i, j] = slope + lambda1 * sign + twice * exponential[i, j] * weight
    return sizes.sum()
