"""The package xges."""

from __future__ import annotations

from typing import Any

from xges import XGES

from bench.worker import Arrays, Call, Read


def search(data: Arrays) -> tuple[Call, Read]:
    """Prepare XGES in Python, another search for the same score: α = 1, not its default 2."""
    return _search(data, extended=True)


def search_0(data: Arrays) -> tuple[Call, Read]:
    """Prepare XGES-0, without forced deletions."""
    return _search(data, extended=False)


def _search(data: Arrays, extended: bool) -> tuple[Call, Read]:
    def call() -> Any:
        return XGES(alpha=1.0).fit(data["values"], extended_search=extended, verbose=0)

    return call, lambda pdag: {"graph": pdag.to_adjacency_matrix() != 0}
