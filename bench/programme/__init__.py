"""The rows of the benchmark: ER-2 graphs, weights ±(0.5, 2), 1000 rows unless said otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from bench.programme import measures, optimisers, searches, simulations
from bench.rows import Row


def rows() -> Sequence[Row]:
    """Return all rows, in the order of the table."""
    return [*measures.rows(), *searches.rows(), *optimisers.rows(), *simulations.rows()]
