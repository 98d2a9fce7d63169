"""CausalDisco: sortabilities, and sorting with regression."""

from __future__ import annotations

from functools import partial
from typing import Any

from CausalDisco import analytics, baselines

from bench.worker import Arrays, Call, Read


def _sortabilities(values: Any, graph: Any) -> tuple[float, float]:
    return analytics.var_sortability(values, graph), analytics.r2_sortability(values, graph)


def sortability(data: Arrays) -> tuple[Call, Read]:
    """Prepare both sortabilities."""
    values, graph = data["values"], data["graph"].astype(float)
    return partial(_sortabilities, values, graph), lambda pair: {"sortability": pair}


def sortnregress(data: Arrays) -> tuple[Call, Read]:
    """Prepare sorting by variance and regressing."""
    call = partial(baselines.var_sort_regress, data["values"])
    return call, lambda weights: {"weights": weights, "graph": weights != 0}


def sweep(data: Arrays) -> tuple[Call, Read]:
    """Prepare both sortabilities of each data set of a sample of the sweep."""
    cells = [name.removeprefix("values_") for name in data if name.startswith("values_")]
    pairs = [(data[f"values_{cell}"], data[f"graph_{cell}"].astype(float)) for cell in cells]

    def call() -> list[tuple[float, float]]:
        return [_sortabilities(values, graph) for values, graph in pairs]

    return call, lambda result: {"sample": result}
