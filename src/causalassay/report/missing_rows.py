"""The line on what an unfinished study lacks."""

from __future__ import annotations

from causalassay.study.missing_rows import MissingRows

MOST_NAMED = 6
"""Algorithms that the line names; the others are counted."""


def missing_rows_line(missing: MissingRows) -> str:
    """Return in one line how many rows are missing and of which algorithms; empty if none is.

    Examples
    --------
    >>> missing_rows_line(MissingRows({"pc": 2, "ges": 1}, 8))
    'Not complete: 3 of 8 rows are missing (pc 2, ges 1). Run the study again to go on.'
    >>> missing_rows_line(MissingRows({}, 8))
    ''
    """
    if not missing.n_missing:
        return ""
    most = sorted(missing.by_algorithm.items(), key=lambda item: -item[1])
    named = [f"{name} {count}" for name, count in most[:MOST_NAMED]]
    left = len(most) - MOST_NAMED
    others = f" and {sum(count for _, count in most[MOST_NAMED:])} of {left} more"
    return (
        f"Not complete: {missing.n_missing} of {missing.total} rows are missing "
        f"({', '.join(named)}{others if left > 0 else ''}). Run the study again to go on."
    )
