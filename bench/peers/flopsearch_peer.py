"""The package flopsearch."""

from __future__ import annotations

from functools import partial

from flopsearch import flop

from bench.worker import Arrays, Call, Read


def search_0(data: Arrays) -> tuple[Call, Read]:
    """Prepare FLOP without a restart of its iterated local search."""
    return _search(data, 0)


def search_20(data: Arrays) -> tuple[Call, Read]:
    """Prepare FLOP with 20 restarts."""
    return _search(data, 20)


def search_100(data: Arrays) -> tuple[Call, Read]:
    """Prepare FLOP with 100 restarts."""
    return _search(data, 100)


def _search(data: Arrays, restarts: int) -> tuple[Call, Read]:
    values = data["values"]
    scaled = (values - values.mean(axis=0)) / values.std(axis=0)
    call = partial(flop, scaled, float(data["penalty"]), restarts=restarts)
    return call, lambda matrix: {"graph": matrix != 0}
