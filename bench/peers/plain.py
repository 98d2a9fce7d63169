"""Loops as one writes them at first, in numpy and scipy, and a plain process pool."""

from __future__ import annotations

from functools import partial
from multiprocessing import get_context
from typing import Any

import numpy as np
from scipy.special import ndtr

from bench.worker import Arrays, Call, Read


def normals(data: Arrays) -> tuple[Call, Read]:
    """Prepare the normals that a sample needs, and no model."""
    shape, rng = (1000, len(data["weights"])), np.random.default_rng(0)
    return partial(rng.standard_normal, shape), lambda values: {"variance": values.var(axis=0)}


def iscm(data: Arrays) -> tuple[Call, Read]:
    """Prepare graph, weights and data of an iSCM, node by node."""
    d, rng = int(data["n_nodes"]), np.random.default_rng(int(data["seed"]))

    def call() -> Any:
        cells = np.transpose(np.triu_indices(d, 1))
        chosen = cells[rng.choice(len(cells), 2 * d, replace=False)]
        weights = np.zeros((d, d))
        size = rng.uniform(0.5, 2, len(chosen)) * rng.choice([-1, 1], len(chosen))
        weights[chosen[:, 0], chosen[:, 1]] = size
        values = np.zeros((1000, d))
        for j in range(d):
            parents = np.flatnonzero(weights[:, j])
            x = values[:, parents] @ weights[parents, j] + rng.normal(size=1000)
            values[:, j] = (x - x.mean()) / x.std()
        return values[:, rng.permutation(d)]

    return call, lambda values: {"variance": values.var(axis=0)}


def variation(data: Arrays) -> tuple[Call, Read]:
    """Prepare total variation over all ordered pairs: mutilate, invert, compare pair by pair."""
    truth, guess = data["weights"], data["guess"]
    d = len(truth)

    def call() -> Any:
        distances = np.zeros((d, d))
        for i in range(d):
            laws = [_under(weights, i) for weights in (truth, guess)]
            for j in range(d):
                if i != j:
                    (m, v), (n, w) = ((mean[j], variance[j]) for mean, variance in laws)
                    distances[i, j] = _distance(m, v, n, w)
        return distances

    return call, lambda distances: {"variation": distances}


def _under(weights: Any, node: int) -> tuple[Any, Any]:
    """Return means and variances of all nodes where one is set to 2."""
    cut = weights.copy()
    cut[:, node] = 0
    effects = np.linalg.inv(np.eye(len(cut)) - cut)
    noise = np.ones(len(cut))
    noise[node] = 0
    return 2 * effects[node], noise @ effects**2


def _distance(m: float, v: float, n: float, w: float) -> float:
    """Return the total variation of two normals by the points where their densities cross."""
    a, b = 1 / w - 1 / v, 2 * (m / v - n / w)
    c = n**2 / w - m**2 / v + np.log(w / v)
    if abs(a) < 1e-12 * (1 / v + 1 / w):
        cuts = [-c / b] if b else []
    else:
        half = np.sqrt(b**2 - 4 * a * c)
        cuts = sorted([(-b - half) / (2 * a), (-b + half) / (2 * a)])
    edges = np.array([-np.inf, *cuts, np.inf])
    first, second = ndtr((edges - m) / np.sqrt(v)), ndtr((edges - n) / np.sqrt(w))
    return float(np.abs(np.diff(first) - np.diff(second)).sum() / 2)


def notears(data: Arrays) -> tuple[Call, Read]:
    """Prepare the authors' NOTEARS, their program in their arithmetic."""
    from causalassay.discovery.continuous.notears_objective import follow_authors

    call = partial(follow_authors, data["values"], 0.0, 100, 1e-8, 1e16)
    return call, lambda result: {"weights": result[0], "graph": np.abs(result[0]) > 0.3}


def pool(_: Arrays) -> tuple[Call, Read]:
    """Prepare 10 000 calls of nothing through pebble's pool of two."""
    from pebble import ProcessPool  # noqa: PLC0415 (only for this row)

    def call() -> int:
        with ProcessPool(2, context=get_context("spawn")) as processes:
            waiting = [processes.schedule(abs, args=(k,)) for k in range(10_000)]
            return sum(future.result() >= 0 for future in waiting)

    return call, lambda count: {"ok": count}
