"""The packages that need torch: gcastle and dagma."""

from __future__ import annotations

import os

os.environ["CASTLE_BACKEND"] = "pytorch"

from functools import partial
from typing import Any

import castle.algorithms
import numpy as np
import torch
from castle.datasets import IIDSimulation
from dagma.linear import DagmaLinear

from bench.worker import Arrays, Call, Read

torch.set_num_threads(1)
GOLEM_STEPS = 200


def notears(data: Arrays) -> tuple[Call, Read]:
    """Prepare gcastle's NOTEARS without penalty, with the authors' schedule and threshold."""

    def call() -> Any:
        model = castle.algorithms.Notears(lambda1=0.0)
        model.learn(data["values"])
        return model.weight_causal_matrix, model.causal_matrix

    return call, lambda matrices: {
        "weights": np.asarray(matrices[0], dtype=float),
        "graph": np.asarray(matrices[1]) != 0,
    }


def dagma(data: Arrays) -> tuple[Call, Read]:
    """Prepare DAGMA without penalty; its graph has the weights from 0.3 on."""

    def call() -> Any:
        # It centres the array that it is given in place.
        return DagmaLinear("l2").fit(data["values"].copy(), lambda1=0.0, w_threshold=0.0)

    return call, lambda weights: {"weights": weights, "graph": np.abs(weights) >= 0.3}


def golem(data: Arrays) -> tuple[Call, Read]:
    """Prepare some steps of gcastle's GOLEM-EV from zero."""
    d = data["values"].shape[1]

    def call() -> Any:
        model = castle.algorithms.GOLEM(
            B_init=np.zeros((d, d)), equal_variances=True, num_iter=GOLEM_STEPS, device_type="cpu"
        )
        model.learn(data["values"])
        return model.weight_causal_matrix

    return call, lambda weights: {"weights": np.asarray(weights, dtype=float)}


def sampling(data: Arrays) -> tuple[Call, Read]:
    """Prepare 1000 rows of a linear model, made from its weights."""
    call = partial(IIDSimulation, data["weights"], 1000, "linear", "gauss")
    return call, lambda made: {"variance": made.X.var(axis=0)}
