"""The built-in metrics of studies: a function, its direction and the graphs it takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from causalassay import metrics
from causalassay.common.arrays import Adjacency
from causalassay.common.registry import first_line
from causalassay.common.seeding import stream
from causalassay.data import Problem
from causalassay.metrics.edges import Guess
from causalassay.metrics.registry import Better, GraphMetric, Takes, Undefined
from causalassay.models import DiscreteSCM, LinearSCM, fit


def _of_graphs(
    function: Callable[[Adjacency, Any], Any],
    better: Better,
    takes: Takes = "any",
    description: str = "",
    version: int = 1,
) -> GraphMetric:
    def score(problem: Problem, guess: Guess) -> float:
        return float(function(problem.graph, guess))

    return GraphMetric(score, better, takes, version, description or first_line(function))


def _tv_dag(problem: Problem, guess: Adjacency) -> float:
    """Fit the guess to the observational rows and compare it with the true model."""
    model, values = problem.model, problem.data.observational_values
    match model:
        case LinearSCM():
            return metrics.tv_dag(model, fit(guess, values))
        case DiscreteSCM():
            fitted = fit(guess, values, model.levels)
            return metrics.tv_dag(model, fitted, rng=stream(0, "tv_dag"))
        case None:
            raise Undefined("the true model is not known")
        case _:
            raise Undefined(f"it is for linear and discrete models, and the true one is {model}")


F1 = _of_graphs(metrics.f1, "high")
PRECISION = _of_graphs(metrics.precision, "high")
RECALL = _of_graphs(metrics.recall, "high")
SKELETON_F1 = _of_graphs(metrics.skeleton_f1, "high")
SKELETON_PRECISION = _of_graphs(metrics.skeleton_precision, "high")
SKELETON_RECALL = _of_graphs(metrics.skeleton_recall, "high")
SHD = _of_graphs(metrics.shd, "low")
SHD_DOUBLE = _of_graphs(metrics.shd_double, "low")
SHD_NORMALIZED = _of_graphs(metrics.shd_normalized, "low")
FPR = _of_graphs(metrics.fpr, "low")
SKELETON_SHD = _of_graphs(metrics.skeleton_shd, "low")
SKELETON_FPR = _of_graphs(metrics.skeleton_fpr, "low")
# Version 2: the order that an estimate reports comes before its directed paths.
ORDER_SCORE = _of_graphs(metrics.order_score, "high", "estimate", version=2)
ORDERED_SHARE = _of_graphs(metrics.ordered_share, "high", "estimate", version=2)
MEC_SHD = _of_graphs(metrics.mec_shd, "low", "class")
PARENT_AID = _of_graphs(metrics.parent_aid, "low", "class")
ANCESTOR_AID = _of_graphs(metrics.ancestor_aid, "low", "class")
OSET_AID = _of_graphs(metrics.oset_aid, "low", "class")
PARENT_AID_NORMALIZED = _of_graphs(metrics.parent_aid_normalized, "low", "class")
ANCESTOR_AID_NORMALIZED = _of_graphs(metrics.ancestor_aid_normalized, "low", "class")
OSET_AID_NORMALIZED = _of_graphs(metrics.oset_aid_normalized, "low", "class")
SID = _of_graphs(metrics.sid, "low", "dag")
SHD_BEST_THRESHOLD = _of_graphs(
    lambda truth, guess: metrics.shd(truth, metrics.favourable_threshold(truth, guess).graph),
    "low",
    "estimate",
    "Return `shd` at the threshold of the weights that has the least; it sees the truth.",
)
SID_BEST_THRESHOLD = _of_graphs(
    lambda truth, guess: metrics.sid(truth, metrics.favourable_threshold(truth, guess).graph),
    "low",
    "estimate",
    "Return `sid` at the threshold of the weights that has the least `shd`; it sees the truth.",
)
SID_NORMALIZED = _of_graphs(metrics.sid_normalized, "low", "dag")
SID_PENALIZED = _of_graphs(metrics.sid_penalized, "low", "dag")
MEC_SID_LOWER = _of_graphs(
    lambda truth, guess: metrics.mec_sid(truth, guess)[0],
    "low",
    "class",
    "Return the lower bound of `mec_sid`.",
)
MEC_SID_UPPER = _of_graphs(
    lambda truth, guess: metrics.mec_sid(truth, guess)[1],
    "low",
    "class",
    "Return the upper bound of `mec_sid`.",
)
TV_DAG = GraphMetric(_tv_dag, "low", "dag", description=first_line(metrics.tv_dag))
F1_CHANCE = _of_graphs(metrics.f1_chance, "none")


def _chance(name: str) -> GraphMetric:
    """Return what a metric with a closed form gives as many edges at random places."""
    return _of_graphs(
        lambda truth, guess: metrics.chance(name, truth, guess, 0),
        "none",
        description=f"Return the expected {name} of as many edges of the same kinds at random.",
    )


PRECISION_CHANCE = _chance("precision")
RECALL_CHANCE = _chance("recall")
SHD_CHANCE = _chance("shd")
SKELETON_P = _of_graphs(metrics.skeleton_p, "none")
N_GUESSED = _of_graphs(
    lambda _, guess: metrics.n_guessed(guess), "none", description=first_line(metrics.n_guessed)
)
