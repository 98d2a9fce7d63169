"""The numbers of a problem that a study records beside its rows."""

from __future__ import annotations

from types import MappingProxyType

from causalassay.arrays import Values
from causalassay.contracts import Diagnostic
from causalassay.data import Dataset, Discrete, Problem
from causalassay.diagnostics import (
    entropy_sortability,
    r2_sortability,
    relatives_sortability,
    snr_sortability,
    var_sortability,
)


def _n_edges(problem: Problem) -> float:
    return float(problem.graph.sum())


DIAGNOSTICS: MappingProxyType[str, Diagnostic] = MappingProxyType(
    {
        "var_sortability": lambda p: var_sortability(_plain(p.data), p.graph),
        "r2_sortability": lambda p: r2_sortability(_plain(p.data), p.graph),
        "snr_sortability": lambda p: snr_sortability(_plain(p.data), p.graph),
        "relatives_sortability": lambda p: relatives_sortability(_plain(p.data), p.graph),
        "var_sortability_pairs": lambda p: var_sortability(_plain(p.data), p.graph, "pairs"),
        "r2_sortability_pairs": lambda p: r2_sortability(_plain(p.data), p.graph, "pairs"),
        "entropy_sortability": lambda p: entropy_sortability(_codes(p.data), p.graph),
        "n_edges": _n_edges,
    }
)
"""By name; the sortabilities count paths (Reisach 2021) unless they say pairs (Herman 2025)."""

N_DRAWS = "n_draws"
"""How many problems were drawn until one fell into its bin: a number of the making, not of it."""

MEASURES = (*DIAGNOSTICS, N_DRAWS)
"""All that a study can record of a problem."""

DEFAULT_DIAGNOSTICS = (
    "var_sortability",
    "r2_sortability",
    "snr_sortability",
    "relatives_sortability",
    "n_edges",
    N_DRAWS,
)


def _plain(data: Dataset) -> Values:
    """Return the rows to measure: without an observational condition, all of them."""
    if any(isinstance(kind, Discrete) for kind in data.kinds):
        raise ValueError(
            "codes of levels have no variance that means anything; ask for entropy_sortability"
        )
    return _rows(data)


def _codes(data: Dataset) -> Values:
    """Return the rows of discrete data."""
    if not all(isinstance(kind, Discrete) for kind in data.kinds):
        raise ValueError("entropies are of discrete columns; these are continuous")
    return _rows(data)


def _rows(data: Dataset) -> Values:
    return data.pooled if data.observational is None else data.observational_values
