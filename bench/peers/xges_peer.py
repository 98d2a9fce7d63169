"""The package xges."""

from __future__ import annotations

from typing import Any

from xges import XGES

from bench.worker import Arrays, Call, Read


def search(data: Arrays) -> tuple[Call, Read]:
    """Prepare XGES in Python, another search for the same score: α = 1, not its default 2."""

    def call() -> Any:
        return XGES(alpha=1.0).fit(data["values"], verbose=0)

    return call, lambda pdag: {"graph": pdag.to_adjacency_matrix() != 0}
