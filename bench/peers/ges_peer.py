"""The packages ges, gies and sempler."""

from __future__ import annotations

from functools import partial
from typing import Any

import ges
import ges.utils
import gies
import numpy as np
import sempler

from bench.worker import Arrays, Call, Read


def cpdag(data: Arrays) -> tuple[Call, Read]:
    """Prepare the CPDAG of a DAG."""
    call = partial(ges.utils.dag_to_cpdag, data["graph"].astype(int))
    return call, lambda graph: {"graph": graph != 0}


def search(data: Arrays) -> tuple[Call, Read]:
    """Prepare GES, forward, backward and turning."""
    return partial(ges.fit_bic, data["values"]), lambda result: {"graph": result[0] != 0}


def interventional_search(data: Arrays) -> tuple[Call, Read]:
    """Prepare GIES on an observational and ten interventional conditions."""
    targets = [[], *([int(node)] for node in data["targets"])]
    values = [data[f"regime_{k}"] for k in range(len(targets))]
    return partial(gies.fit_bic, values, targets), lambda result: {"graph": result[0] != 0}


def sampling(data: Arrays) -> tuple[Call, Read]:
    """Prepare 1000 rows of a linear model, made from its weights."""
    means, variances = np.zeros(len(data["weights"])), np.ones(len(data["weights"]))

    def call() -> Any:
        return sempler.LGANM(data["weights"], means, variances).sample(1000)

    return call, lambda values: {"variance": values.var(axis=0)}
