"""The hall as a table with all numbers, for other programs."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from typing import Any

from causalassay.hall import Cell, Row

STATISTICS = ("variance", "R2", "R2 without own past", "entropy")
_OF_CELL = (
    "kind",
    "sortability",
    "spread",
    "p_rising",
    "p_falling",
    "f1_rising",
    "f1_falling",
    "f1_p_rising",
    "f1_p_falling",
    "gain_spread_rising",
    "gain_spread_falling",
)
_BEFORE = ("name", "group", "package", "version", "world", "status", "reason", "verdict")
_AFTER = (
    "random_f1",
    "best_f1",
    "is_borderline",
    "n_draws",
    "n_units",
    "n_nodes",
    "n_edges",
    "date",
    "measured_with",
)


def hall_csv(rows: Sequence[Row]) -> str:
    """Return a line for each row; what was not measured is empty."""
    found = io.StringIO()
    named = [f"{one.replace(' ', '_')}_{own}" for one in STATISTICS for own in _OF_CELL]
    writer = csv.writer(found, lineterminator="\n")
    settings = ("draws", "nodes", "samples", "seed")
    writer.writerow([*_BEFORE, "statistic", *named, *_AFTER, *settings, "command"])
    for row in rows:
        cells = [_field(row.cell(one), own) for one in STATISTICS for own in _OF_CELL]
        before = [getattr(row, name) for name in (*_BEFORE, "statistic")]
        after = [_number(getattr(row, name)) for name in _AFTER]
        stated = [getattr(row.settings, name) for name in settings]
        writer.writerow([*before, *cells, *after, *stated, row.command])
    return found.getvalue()


def _field(cell: Cell | None, name: str) -> Any:
    return "" if cell is None else _number(getattr(cell, name))


def _number(value: Any) -> Any:
    """Return a number with the digits that matter; an undefined one is empty."""
    if not isinstance(value, float):
        return value
    return "" if math.isnan(value) else f"{value:.6g}"
