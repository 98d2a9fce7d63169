"""How far the interventional laws of two discrete models are apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.arrays import Vector
from causalassay.graphs.orders import Indices, reachability
from causalassay.metrics.settings import Quantile, SettingsLike, settings_of
from causalassay.models.discrete.elimination import TooWide
from causalassay.models.discrete.scm import DiscreteSCM
from causalassay.models.interventions import Do, LevelIntervention

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
        Of the same nodes, with as many levels each.
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
            true, fitted = (one.under(node, float(values[node])) for one in laws)
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
