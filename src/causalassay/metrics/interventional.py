"""How far a fitted model's interventional laws are from the true ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, SupportsIndex

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from causalassay.common.arrays import Adjacency, Vector, Weights, check_nodes
from causalassay.common.registry import first_line
from causalassay.common.seeding import stream
from causalassay.data import Problem
from causalassay.graphs.orders import Indices, reachability
from causalassay.metrics.laws import normal_total_variation
from causalassay.metrics.registry import GraphMetric, Undefined
from causalassay.models import fit
from causalassay.models.discrete.scm import DiscreteSCM
from causalassay.models.discrete.tables import TooWide
from causalassay.models.interventions import Do, LevelIntervention
from causalassay.models.linear.scm import LinearSCM

__all__ = [
    "Quantile",
    "tv_dag",
    "tv_matrix",
]

# The values to which interventions set nodes.


@dataclass(frozen=True, init=False)
class Quantile:
    """Interventions that set each node to quantiles of its observational law in the true model.

    Parameters
    ----------
    *levels : float
        Between 0 and 1, without either.

    Examples
    --------
    >>> Quantile(0.05, 0.95)
    Quantile(levels=(0.05, 0.95))
    """

    levels: tuple[float, ...]

    def __init__(self, *levels: float) -> None:
        if not levels or not all(0 < level < 1 for level in levels):
            raise ValueError(f"Quantile: expected numbers between 0 and 1, got {levels}")
        object.__setattr__(self, "levels", levels)


SettingsLike = Literal["quantile"] | Quantile | ArrayLike | Mapping[int, float]
LARGE = Quantile(0.95)
"""What ``at="quantile"`` means; the paper says "a large value based on the quantiles"."""


def settings_of(at: SettingsLike, mean: Vector, sd: Vector) -> NDArray[np.floating[Any]]:
    """Return the values of all interventions, shape (settings, d), nan for nodes without one.

    Parameters
    ----------
    at : "quantile", Quantile, array_like or mapping
        As for `tv_dag`.
    mean, sd : Vector, shape (d,)
        The means and standard deviations of the observational laws, which are normal.

    Examples
    --------
    >>> settings_of(Quantile(0.5, 0.95), np.array([0.0, 1.0]), np.array([1.0, 2.0])).round(3)
    array([[0.   , 1.   ],
           [1.645, 4.29 ]])
    >>> settings_of({1: 3.0}, np.zeros(2), np.ones(2))
    array([[nan,  3.]])
    """
    d = len(mean)
    if isinstance(at, str):
        if at != "quantile":
            raise ValueError(f'at: expected "quantile", a Quantile or values, got {at!r}')
        at = LARGE
    if isinstance(at, Quantile):
        return mean + sd * ndtri(np.array(at.levels))[:, None]
    if isinstance(at, Mapping):
        values = np.full(d, np.nan)
        values[check_nodes(at.keys(), d, "at")] = per_node(list(at.values()), len(at), "at")
        return values[None]
    array = np.asarray(at, dtype=float)
    if array.ndim < 2:
        return per_node(array, d, "at")[None]
    if array.ndim > 2 or array.shape[1] != d or not len(array) or not np.isfinite(array).all():
        raise ValueError(
            f"at: expected finite values of shape (settings, {d}), got shape {array.shape}"
        )
    return array


def per_node(numbers: ArrayLike, n_nodes: int, name: str) -> Vector:
    """Return a number for every node from one for all or one for each, or raise."""
    array = np.asarray(numbers, dtype=float)
    if array.shape not in ((), (n_nodes,)) or not np.isfinite(array).all():
        raise ValueError(f"{name}: expected a finite number or {n_nodes} of them, got {numbers!r}")
    return np.broadcast_to(array, (n_nodes,))


Nodes = SupportsIndex | Iterable[SupportsIndex]

# Least share of a variance that the closed form may leave: it has then lost six digits.
_CANCELLED = 1e-6


def tv_dag(  # noqa: PLR0913  two models and what to ask of them
    true_model: LinearSCM | DiscreteSCM,
    fitted_model: LinearSCM | DiscreteSCM,
    at: SettingsLike = "quantile",
    *,
    treatments: Nodes | None = None,
    outcomes: Nodes | None = None,
    held: ArrayLike | None = None,
    rng: Generator | None = None,
) -> float:
    """Return the sum over ordered pairs of the distances between interventional distributions.

    Σ TV(p(V | do(V' = v*)), p̂(V | do(V' = v*))) over treatments V' and other
    nodes V, with p of the true and p̂ of the fitted model.

    Parameters
    ----------
    true_model, fitted_model : LinearSCM or DiscreteSCM
        Models of the same nodes: both linear with Gaussian noise, or both discrete with the
        same numbers of levels. Either way the distances are exact, unless a discrete network is
        too dense and `rng` is given.
    at : "quantile", Quantile, array_like or mapping
        The values v*. "quantile": the 0.95 quantile of each node in the true
        model; `Quantile` states others. A number for all nodes, or one per
        node, shape (d,). With several settings, a `Quantile` of several levels
        or an array of shape (settings, d), the result is the mean over them
        and stays on the same scale. A mapping from node to value makes its
        nodes the treatments.
        In discrete models the values are codes, and "quantile" is the last level of each
        node: which one the paper sets is not stated, and codes have no other quantiles.
    treatments, outcomes : node or nodes, optional
        The nodes V' and V; all by default.
    held : array_like, shape (d,) or scalar, optional
        None: the law of V is marginal over everything else. Otherwise every
        parent of V but V', in either model, is held at these values by
        intervention: the law is then that of V's own equation, on which a V'
        that is no parent of V has no effect. For linear models only.
    rng : Generator, optional
        If a discrete network is too dense for exact laws, 100 000 rows are drawn for each
        law: a distance of laws of k levels is then off by at most √((k - 1) / 100 000) on
        average. Without it such networks are an error.

    Returns
    -------
    float
        From 0 to the number of pairs.

    References
    ----------
    Garant and Jensen 2016, equation 2. Their table 1 has ``at=2, held=0``.

    Examples
    --------
    The effect of 0 on 2 was missed; the one of 1 on 2 was found.

    >>> truth = LinearSCM([[0, 0, 1], [0, 0, 0.1], [0, 0, 0]], 1.0)
    >>> fitted = LinearSCM([[0, 0, 0], [0, 0, 0.1], [0, 0, 0]], 1.0)
    >>> round(tv_dag(truth, fitted, at=2, treatments=[0, 1], outcomes=2, held=0), 4)
    0.6827

    Marginally the law under do(1) is wrong too: it lacks the spread that 0 gives.

    >>> round(tv_dag(truth, fitted, at=2, treatments=1, outcomes=2), 4)
    0.1661
    """
    matrix = tv_matrix(true_model, fitted_model, at, held=held, rng=rng)
    d = len(matrix)
    if treatments is None:
        treatments = at.keys() if isinstance(at, Mapping) else range(d)
    rows = sorted(set(check_nodes(treatments, d, "treatments")))
    columns = sorted(set(check_nodes(range(d) if outcomes is None else outcomes, d, "outcomes")))
    chosen = matrix[np.ix_(rows, columns)]
    if np.isnan(chosen).any():
        node = rows[int(np.isnan(chosen).any(axis=1).argmax())]
        raise ValueError(f"at: treatment {node} has no value; state one, or drop the treatment")
    return float(chosen.sum())


def tv_matrix(
    true_model: LinearSCM | DiscreteSCM,
    fitted_model: LinearSCM | DiscreteSCM,
    at: SettingsLike = "quantile",
    *,
    held: ArrayLike | None = None,
    rng: Generator | None = None,
) -> NDArray[np.floating[Any]]:
    """Return the distance between interventional distributions for every ordered pair of nodes.

    Parameters
    ----------
    true_model, fitted_model, at, held, rng
        As for `tv_dag`, which is the sum of this matrix.

    Returns
    -------
    ndarray, shape (d, d)
        Row i, column j: intervene on i, look at j. The diagonal is 0: a node
        that is set has the same value in both models. A row is nan where `at`
        is a mapping without its node.

    Notes
    -----
    With A = (I - W)⁻¹, Σ the covariance and m the mean, node j under
    do(i = v) is X_j - A_ij (X_i - v): normal with mean m_j + A_ij (v - m_i) and
    variance Σ_jj - 2 A_ij Σ_ij + A_ij² Σ_ii. One inverse per model gives all
    pairs. Pairs whose variance comes out below 1e-6 Σ_jj are computed again as
    Σ_k σ_k² (A_kj - A_ki A_ij)², which loses half as many digits.

    Examples
    --------
    >>> truth = LinearSCM([[0, 1], [0, 0]], 1.0)
    >>> backwards = LinearSCM([[0, 0], [0.5, 0]], [0.5, 2.0])
    >>> tv_matrix(truth, backwards, at=2).round(4)
    array([[0.    , 0.6023],
           [0.4579, 0.    ]])
    """
    if isinstance(true_model, DiscreteSCM) and isinstance(fitted_model, DiscreteSCM):
        if held is not None:
            raise ValueError("held: parents can be held only in linear models; leave it out")
        return level_tv_matrix(true_model, fitted_model, at, rng)
    true_model, fitted_model = _check_models(true_model, fitted_model)
    laws = [_observational(model) for model in (true_model, fitted_model)]
    settings = settings_of(at, laws[0].mean, np.sqrt(np.square(laws[0].spread).sum(axis=0)))
    stated = np.flatnonzero(~np.isnan(settings).any(axis=0))
    if held is None:
        responses = [_marginal(law) for law in laws]
    else:
        fixed = per_node(held, len(laws[0].mean), "held")
        responses = [_own_equation(model, fixed) for model in (true_model, fitted_model)]
    distances = np.full(laws[0].effects.shape, np.nan)
    distances[stated] = np.mean(
        [
            normal_total_variation(
                *_moments(responses[0], values, stated), *_moments(responses[1], values, stated)
            )
            for values in settings
        ],
        axis=0,
    )
    distances[stated, stated] = 0.0
    return distances


class _Observational(NamedTuple):
    effects: Weights
    mean: Vector
    spread: Weights
    """Noise standard deviation times effect: the covariance is spread' spread."""


def _observational(model: LinearSCM) -> _Observational:
    effects = model.total_effects()
    spread = np.sqrt(model.noise_variance)[:, None] * effects
    return _Observational(effects, model.intercept @ effects, spread)


class _Responses(NamedTuple):
    """Node j under do(i = v) has the mean level_j + slope_ij (v - centre_i), and a variance."""

    centre: Vector
    level: Vector
    slope: Weights
    variance: Weights


def _marginal(law: _Observational) -> _Responses:
    effects, spread = law.effects, law.spread
    covariance = spread.T @ spread
    own = covariance.diagonal()
    variance = own - effects * (2 * covariance - effects * own[:, None])
    cancelled = variance < _CANCELLED * own
    np.fill_diagonal(cancelled, False)
    for node in np.flatnonzero(cancelled.any(axis=1)):
        reached = np.flatnonzero(cancelled[node])
        left = spread[:, reached] - np.outer(spread[:, node], effects[node, reached])
        variance[node, reached] = np.einsum("ij,ij->j", left, left)
    np.fill_diagonal(variance, 0.0)
    return _Responses(law.mean, law.mean, effects, variance)


def _own_equation(model: LinearSCM, held: Vector) -> _Responses:
    """Return the responses where all other parents are held: only a node's own noise is left."""
    level = model.intercept + held @ model.weights
    variance = np.broadcast_to(model.noise_variance, model.weights.shape)
    return _Responses(held, level, model.weights, variance)


def _moments(
    responses: _Responses, values: Vector, rows: Indices
) -> tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]]]:
    moved = (values - responses.centre)[rows, None]
    return responses.level + responses.slope[rows] * moved, responses.variance[rows]


def _check_models(true_model: Any, fitted_model: Any) -> tuple[LinearSCM, LinearSCM]:
    for name, model in (("true_model", true_model), ("fitted_model", fitted_model)):
        if not isinstance(model, LinearSCM):
            raise TypeError(
                f"{name}: expected a LinearSCM, got {type(model).__name__}; pass two LinearSCM or "
                "two DiscreteSCM models"
            )
        if model.noise.family != "gaussian":
            raise ValueError(
                f"{name}: the distances are exact for Gaussian noise only, got "
                f"{model.noise.family}; compare draws under the same intervention with "
                "`total_variation(Samples(x), Samples(y))`"
            )
    if true_model.n_nodes != fitted_model.n_nodes:
        raise ValueError(
            f"fitted_model: the true model has {true_model.n_nodes} nodes but the fitted one has "
            f"{fitted_model.n_nodes}"
        )
    return true_model, fitted_model


# How far the interventional laws of two discrete models are apart.

N_SAMPLES = 100_000
"""Rows from which a law is taken where the network is too dense for an exact one."""


def level_tv_matrix(
    true_model: DiscreteSCM,
    fitted_model: DiscreteSCM,
    at: SettingsLike = "quantile",
    rng: Generator | None = None,
    n_samples: int = N_SAMPLES,
) -> NDArray[np.floating[Any]]:
    """Return half the L1 distance between interventional laws for every ordered pair of nodes.

    Parameters
    ----------
    true_model, fitted_model : DiscreteSCM
        Models of the same nodes, each with the same number of levels.
    at : "quantile", array_like or mapping
        The codes v* of the levels that nodes are set to; "quantile" is the last level of each.
    rng : Generator, optional
        To sample from where a network is too dense for exact laws; without one that is
        the error `TooWide`.
    n_samples : int
        How many rows to draw then. The law of a node of k levels is off by at most
        √((k - 1) / n) / 2 on average, so a distance by at most twice that, and more often
        upwards.

    Notes
    -----
    Where the treatment does not reach a node in a model its law is the observational one,
    so that a treatment without effects costs nothing.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> truth = DiscreteSCM(chain(2), [[0.5, 0.5], [[0.9, 0.1], [0.3, 0.7]]])
    >>> without = DiscreteSCM(chain(2) & False, [[0.5, 0.5], [0.6, 0.4]])
    >>> level_tv_matrix(truth, without).round(12)
    array([[0. , 0.3],
           [0. , 0. ]])
    """
    settings = _codes(at, true_model, fitted_model)
    stated = np.flatnonzero(~np.isnan(settings).any(axis=0))
    d = true_model.n_nodes
    distances = np.full((d, d), np.nan)
    distances[stated] = 0.0
    laws = [_Laws(model, rng, n_samples) for model in (true_model, fitted_model)]
    for values in settings:
        for node in stated.tolist():
            true, fitted = (law.under(node, float(values[node])) for law in laws)
            for other in range(d):
                if other != node:
                    gap = np.abs(true[other] - fitted[other]).sum() / 2
                    distances[node, other] += gap / len(settings)
    return distances


class _Laws:
    """The laws of a model's nodes under interventions on one node."""

    def __init__(self, model: DiscreteSCM, rng: Generator | None, n_samples: int) -> None:
        self._model, self._rng, self._n_samples = model, rng, n_samples
        self._observed = self._laws(range(model.n_nodes), ())
        self._reaches = reachability(model.graph)

    def under(self, node: int, value: float) -> dict[int, Vector]:
        reached = np.flatnonzero(self._reaches[node]).tolist()
        return self._observed | self._laws(reached, (Do(node, value),))

    def _laws(self, nodes: Sequence[int], intervention: LevelIntervention) -> dict[int, Vector]:
        try:
            return self._model.laws(nodes, intervention)
        except TooWide:
            if self._rng is None:
                raise
        sampled = self._model.marginals(intervention, rng=self._rng, n_samples=self._n_samples)
        return {node: sampled.probabilities[node] for node in nodes}


def _codes(at: SettingsLike, true_model: DiscreteSCM, fitted_model: DiscreteSCM) -> NDArray[Any]:
    """Return the codes of all interventions, shape (settings, d), nan for nodes without one."""
    if true_model.n_levels != fitted_model.n_levels:
        raise ValueError(
            f"fitted_model: the true model has {true_model.n_levels} levels but the fitted one "
            f"has {fitted_model.n_levels}"
        )
    if isinstance(at, Quantile):
        raise ValueError(
            "at: levels have no quantiles; state codes, or leave it out for the last levels"
        )
    n_levels: Indices = np.array(true_model.n_levels)
    if isinstance(at, str) and at == "quantile":
        return (n_levels - 1.0)[None]
    stated = dict(at) if isinstance(at, Mapping) else at
    settings = settings_of(stated, np.zeros(len(n_levels)), np.ones(len(n_levels)))
    given = ~np.isnan(settings)
    wrong = given & ((settings < 0) | (settings >= n_levels) | (settings != np.floor(settings)))
    if wrong.any():
        node = int(np.argwhere(wrong)[0][1])
        raise ValueError(
            f"at: node {node} has {n_levels[node]} levels, so it is set to a code from 0 to "
            f"{n_levels[node] - 1}, got {settings[wrong][0]:g}"
        )
    return settings


def _score(problem: Problem, guess: Adjacency) -> float:
    """Fit the guess to the observational rows and compare it with the true model."""
    model, values = problem.model, problem.data.observational_values
    match model:
        case LinearSCM():
            return tv_dag(model, fit(guess, values))
        case DiscreteSCM():
            fitted = fit(guess, values, model.levels)
            return tv_dag(model, fitted, rng=stream(0, "tv_dag"))
        case None:
            raise Undefined("the true model is not known")
        case _:
            raise Undefined(f"it is for linear and discrete models, and the true one is {model}")


TV_DAG = GraphMetric(_score, "low", "dag", description=first_line(tv_dag), display_name="TV")
