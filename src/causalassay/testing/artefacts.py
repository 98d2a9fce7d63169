"""What every artefact, a statistic that may give an order away, must satisfy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from causalassay.data import Dataset, Problem
from causalassay.testing.breaches import raise_breaches
from causalassay.testing.models import (
    LABELS,
    discrete_problem,
    linear_problem,
    series_problem,
)

_PROBLEMS: MappingProxyType[str, Callable[[], Problem]] = MappingProxyType(
    {"continuous": linear_problem, "discrete": discrete_problem, "series": series_problem}
)


def check_artefact(artefact: Any) -> None:
    """Raise an AssertionError that lists every breach of an artefact's contract.

    Its world must be continuous, discrete or series; its measure must give a finite number for
    each column, the same twice, leave the data alone, and permute with the columns.

    Parameters
    ----------
    artefact : judging.artefacts.Artefact

    Examples
    --------
    >>> from causalassay.judging.artefacts import ARTEFACTS
    >>> check_artefact(ARTEFACTS["r2"])
    """
    raise_breaches(artefact, [partial(_breaches, artefact)])


def _breaches(artefact: Any) -> Iterator[str]:
    if artefact.world not in _PROBLEMS:
        yield f"its world is {artefact.world!r}, expected one of {', '.join(_PROBLEMS)}"
        return
    data, untouched = (_PROBLEMS[artefact.world]().data for _ in range(2))
    found = _measured(artefact, data)
    if found.shape != (data.n_nodes,) or not np.isfinite(found).all():
        yield f"it returned {found!r}; expected a finite number for each of {data.n_nodes} columns"
        return
    if not np.array_equal(found, _measured(artefact, data)):
        yield "two calls gave different numbers"
    if not np.array_equal(untouched.pooled, data.pooled):
        yield "it changed the data: work on a copy"
    moved = _measured(artefact, data.permute_columns(LABELS))
    if moved.shape != found.shape or not np.allclose(moved, found[LABELS], 1e-6, 1e-9):
        yield "the numbers do not move with the columns"


def _measured(artefact: Any, data: Dataset) -> np.ndarray:
    return np.asarray(artefact.measure(data, 1), dtype=float)
