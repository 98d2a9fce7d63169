"""Columns that look like codes of levels, but were not declared discrete."""

from __future__ import annotations

import numpy as np

from causalassay.data.dataset import Dataset

MOST_LEVELS = 10


def why_codes(data: Dataset) -> str:
    """Return why variances of these columns may mean nothing; empty if they may.

    Examples
    --------
    >>> why_codes(Dataset.from_values([[0, 1.5], [1, 0], [2, 1]]))
    ''
    >>> "declare the columns discrete" in why_codes(Dataset.from_values([[0, 1], [1, 0], [2, 1]]))
    True
    """
    values = data.pooled if data.observational is None else data.observational_values
    if data.world != "continuous" or (values != np.round(values)).any():
        return ""
    if max(len(np.unique(column)) for column in values.T) > MOST_LEVELS:
        return ""
    return (
        f"every column holds at most {MOST_LEVELS} whole numbers, as codes of levels do, and codes "
        "have no variance; declare the columns discrete to sort them by entropy"
    )
