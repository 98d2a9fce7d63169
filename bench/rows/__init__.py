"""The rows of the benchmark: ER-2 graphs, weights ±(0.5, 2), 1000 rows unless stated otherwise.

`row` defines a row; `measures`, `searches`, `additive`, `optimisers` and `simulations` list them;
`contestants` names the packages that are compared.
"""

from __future__ import annotations

from collections.abc import Sequence

from bench.rows import additive, measures, optimisers, searches, simulations
from bench.rows.row import Row


def all_rows() -> Sequence[Row]:
    """Return all rows, in the order of the table."""
    return [
        *measures.rows(),
        *searches.rows(),
        *additive.rows(),
        *optimisers.rows(),
        *simulations.rows(),
    ]
