"""What a result is worth, so that nothing is fast by being wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bench.worker import Arrays
from causalassay import graphs, metrics
from causalassay.data import Dataset, Regime
from causalassay.discovery import golem_loss
from causalassay.discovery.search.gaussian_bic import (
    NodeStatistics,
    gaussian_bic,
    interventional_node_statistics,
    observational_node_statistics,
)

Judge = Callable[[Arrays, Arrays], Mapping[str, float]]
"""Of the data and an answer: figures by name."""


def nothing(_: Arrays, __: Arrays) -> Mapping[str, float]:
    """Return no figure: that the answers are the same says it all."""
    return {}


def class_distance(data: Arrays, answer: Arrays) -> Mapping[str, float]:
    """Return the SHD between the CPDAG of the truth and the answer."""
    return {"SHD": metrics.shd(graphs.to_cpdag(data["graph"]), answer["graph"])}


def tested_distance(data: Arrays, answer: Arrays) -> Mapping[str, float]:
    """Return the SHD and the number of adjacent pairs, which tests alone decide."""
    graph = answer["graph"]
    return {**class_distance(data, answer), "edges": int((graph | graph.T).sum()) // 2}


def skeleton_f1(data: Arrays, answer: Arrays) -> Mapping[str, float]:
    """Return the SHD and the F1 of the adjacent pairs, which tests alone decide."""
    truth, guess = (graphs.skeleton(one["graph"]) for one in (data, answer))
    hits = int((truth & guess).sum())
    f1 = 2 * hits / max(1, int(truth.sum() + guess.sum()))
    return {**class_distance(data, answer), "skeleton F1": f1}


def reversed_edges(data: Arrays, answer: Arrays) -> Mapping[str, float]:
    """Return the share of the true edges that the answer's order reverses."""
    position = np.argsort(answer["order"])
    cause, effect = np.nonzero(data["graph"])
    return {"reversed share": float(np.mean(position[cause] > position[effect]))}


def edge_f1(data: Arrays, answer: Arrays) -> Mapping[str, float]:
    """Return the SHD between the true DAG and the answer, and the F1 of the edges."""
    truth, guess = data["graph"], answer["graph"]
    hits = int((truth & guess).sum())
    f1 = 2 * hits / max(1, int(truth.sum() + guess.sum()))
    return {**distance(data, answer), "F1": f1}


def distance(data: Arrays, answer: Arrays) -> Mapping[str, float]:
    """Return the SHD between the true DAG and the answer."""
    return {"SHD": metrics.shd(data["graph"], answer["graph"])}


def _bic(statistics: NodeStatistics, graph: Any) -> float:
    try:
        return gaussian_bic(statistics, graph)
    except ValueError:  # no DAG is a member of it
        return float("nan")


def class_score(data: Arrays, answer: Arrays) -> Mapping[str, float]:
    """Return the Gaussian BIC of an answer, the higher the better, and its SHD."""
    statistics = observational_node_statistics(Dataset.from_values(data["values"]))
    score = _bic(statistics, answer["graph"])
    return {"BIC": score, **class_distance(data, answer)}


def penalised_score(data: Arrays, answer: Arrays) -> Mapping[str, float]:
    """Return the Gaussian score with the penalty of the data, and the SHD."""
    statistics = observational_node_statistics(Dataset.from_values(data["values"]))
    score = gaussian_bic(statistics, answer["graph"], float(data["penalty"]))
    return {"score": score, **class_distance(data, answer)}


def dag_score(data: Arrays, answer: Arrays) -> Mapping[str, float]:
    """Return the Gaussian BIC of a DAG and the SHD between its CPDAG and the truth's."""
    return class_score(data, {"graph": graphs.to_cpdag(answer["graph"])})


def interventional_score(data: Arrays, answer: Arrays) -> Mapping[str, float]:
    """Return the BIC over all conditions, and the SHD to the truth's essential graph."""
    targets = [(), *((int(node),) for node in data["targets"])]
    regimes = tuple(
        Regime(f"condition {k}", data[f"regime_{k}"], nodes) for k, nodes in enumerate(targets)
    )
    columns = tuple(f"x{j}" for j in range(len(data["graph"])))
    dataset = Dataset(columns, regimes, observational="condition 0")
    truth = graphs.to_interventional_cpdag(data["graph"], targets)
    score = _bic(interventional_node_statistics(dataset), answer["graph"])
    return {"BIC": score, "SHD": metrics.shd(truth, answer["graph"])}


def least_squares(data: Arrays, answer: Arrays) -> Mapping[str, float]:
    """Return what NOTEARS minimises, ‖X - XW‖²/2n, at the best weights on the answer's DAG."""
    dag = _without_cycles(answer["weights"])
    values = data["values"] - data["values"].mean(axis=0)
    rest = values.copy()
    for node in range(len(dag)):
        parents = np.flatnonzero(dag[:, node])
        if len(parents):
            slopes = np.linalg.lstsq(values[:, parents], values[:, node], rcond=None)[0]
            rest[:, node] -= values[:, parents] @ slopes
    loss = float(np.square(rest).sum() / (2 * len(values)))
    return {"objective": loss, "SHD": metrics.shd(data["graph"], answer["graph"])}


def _without_cycles(weights: Any) -> Any:
    """Return the edges of the weights, the strongest first, but those that close a cycle."""
    d = len(weights)
    dag, reached = np.zeros((d, d), dtype=bool), np.eye(d, dtype=bool)
    size = np.abs(weights)
    for cell in np.argsort(-size, axis=None, kind="stable"):
        i, j = divmod(int(cell), d)
        if size[i, j] == 0:
            break
        if i != j and not reached[j, i]:
            dag[i, j] = True
            reached |= np.outer(reached[:, i], reached[j])
    return dag


def golem_objective(data: Arrays, answer: Arrays) -> Mapping[str, float]:
    """Return GOLEM-EV's loss with its usual penalties; the first call steps from zero."""
    covariance = np.cov(data["values"], rowvar=False, ddof=0)
    weights = answer["weights"] * ~np.eye(len(covariance), dtype=bool)
    n_samples = len(data["values"])
    return {"loss": golem_loss(weights, covariance, n_samples, "ev", 2e-2, 5.0)[0]}


def mean_variance(_: Arrays, answer: Arrays) -> Mapping[str, float]:
    """Return the mean of the columns' variances, a check of what was drawn."""
    return {"variance": float(np.mean(answer["variance"]))}


def same(ours: Arrays, theirs: Arrays) -> bool | None:
    """Whether the arrays that both answers have agree; None where there is nothing to compare.

    Weights are judged by the objective, and variances are of different draws.
    """
    shared = sorted(set(ours) & set(theirs) - {"weights", "variance"})
    if not shared:
        return None
    return all(
        np.shape(ours[name]) == np.shape(theirs[name])
        and np.allclose(ours[name], theirs[name], rtol=1e-6, atol=1e-8)
        for name in shared
    )


def same_skeleton(ours: Arrays, theirs: Arrays) -> bool | None:
    """Whether the same pairs are adjacent in both graphs; None where there are not two."""
    if "graph" not in ours or "graph" not in theirs:
        return None
    one, other = (np.asarray(answer["graph"]) != 0 for answer in (ours, theirs))
    return bool(np.array_equal(one | one.T, other | other.T))
