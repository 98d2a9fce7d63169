"""The numbers of a problem that a study records beside its rows."""

from __future__ import annotations

from types import MappingProxyType

from causalassay.arrays import Values
from causalassay.contracts import Diagnostic
from causalassay.data import Dataset, Problem
from causalassay.diagnostics import (
    entropy_sortability,
    r2_sortability,
    relatives_sortability,
    series_r2_sortability,
    series_var_sortability,
    snr_sortability,
    var_sortability,
)


def _n_edges(problem: Problem) -> float:
    return float(problem.graph.sum())


def _var_pairs(problem: Problem) -> float:
    values = _plain(problem.data)
    if problem.data.world == "series":
        return series_var_sortability(values, problem.graph)
    return var_sortability(values, problem.graph, "pairs")


def _r2_pairs(problem: Problem) -> float:
    if problem.data.world == "series":
        return _series_r2(problem, own_past=True)
    return r2_sortability(_plain(problem.data), problem.graph, "pairs")


def _series_r2(problem: Problem, own_past: bool) -> float:
    if problem.data.world != "series":
        raise ValueError("the rows are independent, so there is no past to leave out")
    graph = problem.graph if problem.lagged is None else problem.lagged
    return series_r2_sortability(_plain(problem.data), graph, own_past=own_past)


DIAGNOSTICS: MappingProxyType[str, Diagnostic] = MappingProxyType(
    {
        "var_sortability": lambda p: var_sortability(_independent(p.data), p.graph),
        "r2_sortability": lambda p: r2_sortability(_independent(p.data), p.graph),
        "snr_sortability": lambda p: snr_sortability(_independent(p.data), p.graph),
        "relatives_sortability": lambda p: relatives_sortability(_independent(p.data), p.graph),
        "var_sortability_pairs": _var_pairs,
        "r2_sortability_pairs": _r2_pairs,
        "r2_summary_sortability_pairs": lambda p: _series_r2(p, own_past=False),
        "entropy_sortability": lambda p: entropy_sortability(_codes(p.data), p.graph),
        "n_edges": _n_edges,
    }
)
"""By name; the sortabilities count paths (Reisach 2021) unless they say pairs (Herman 2025).
Of a series only pairs of the summary graph are counted; R² is then on all else at lags 0 to the
largest, with the own past or, in "r2_summary", without."""

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

SERIES_DIAGNOSTICS = (
    "var_sortability_pairs",
    "r2_sortability_pairs",
    "r2_summary_sortability_pairs",
    "n_edges",
    N_DRAWS,
)
"""What is recorded of each series, unless a study says otherwise."""


def _independent(data: Dataset) -> Values:
    """Return the rows to measure; those of a series have no paths of a DAG to follow."""
    if data.world == "series":
        raise ValueError("of a series only pairs are counted: ask for var_sortability_pairs")
    return _plain(data)


def _plain(data: Dataset) -> Values:
    """Return the rows to measure: without an observational condition, all of them."""
    if data.discrete_columns:
        raise ValueError(
            "codes of levels have no variance that means anything; ask for entropy_sortability"
        )
    return _rows(data)


def _codes(data: Dataset) -> Values:
    """Return the rows of discrete data."""
    if len(data.discrete_columns) < data.n_nodes:
        raise ValueError("entropies are of discrete columns; these are continuous")
    return _rows(data)


def _rows(data: Dataset) -> Values:
    return data.pooled if data.observational is None else data.observational_values
