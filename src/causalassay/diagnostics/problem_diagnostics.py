"""The built-in diagnostics of studies: numbers of a problem."""

from __future__ import annotations

from collections.abc import Callable

from causalassay.common.arrays import Values
from causalassay.common.registry import first_line
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
from causalassay.diagnostics.registry import ProblemDiagnostic
from causalassay.graphs import possible_reachability


def _diagnostic(measure: Callable[[Problem], float]) -> ProblemDiagnostic:
    return ProblemDiagnostic(measure, description=first_line(measure))


def _var(problem: Problem) -> float:
    """Return the var-sortability over paths."""
    return var_sortability(_independent(problem.data), problem.graph)


def _r2(problem: Problem) -> float:
    """Return the R²-sortability over paths."""
    return r2_sortability(_independent(problem.data), problem.graph)


def _snr(problem: Problem) -> float:
    """Return the sortability by signal-to-noise ratio over paths."""
    return snr_sortability(_independent(problem.data), problem.graph)


def _relatives(problem: Problem) -> float:
    """Return the sortability by the number of correlated variables, over paths."""
    return relatives_sortability(_independent(problem.data), problem.graph)


def _var_pairs(problem: Problem) -> float:
    """Return the var-sortability over pairs; of a series, over pairs of its summary graph."""
    values = _continuous(problem.data)
    if problem.data.world == "series":
        return series_var_sortability(values, problem.graph)
    return var_sortability(values, problem.graph, "pairs")


def _r2_pairs(problem: Problem) -> float:
    """Return the R²-sortability over pairs; of a series, with the variable's own past."""
    if problem.data.world == "series":
        return _series_r2(problem, own_past=True)
    return r2_sortability(_continuous(problem.data), problem.graph, "pairs")


def _r2_summary_pairs(problem: Problem) -> float:
    """Return the R²-sortability of a series over pairs, without the variable's own past."""
    return _series_r2(problem, own_past=False)


def _entropy(problem: Problem) -> float:
    """Return the sortability of discrete data by entropy, over paths."""
    return entropy_sortability(_codes(problem.data), problem.graph)


def _n_edges(problem: Problem) -> float:
    """Return the number of edges of the true graph."""
    return float(problem.graph.sum())


def _intervened_descendants(problem: Problem) -> float:
    """Return how many true descendants the nodes with an experiment of their own have in total."""
    nodes = {regime.targets for regime in problem.data.regimes if len(regime.targets or ()) == 1}
    reachable = possible_reachability(problem.graph)
    return float(sum(reachable[node].sum() for (node,) in filter(None, nodes)))


def _compared_descendants(problem: Problem) -> float:
    """Return `intervened_descendants` where 2 or more nodes have experiments; else 0."""
    nodes = {regime.targets for regime in problem.data.regimes if len(regime.targets or ()) == 1}
    return _intervened_descendants(problem) if len(nodes) > 1 else 0.0


def _series_r2(problem: Problem, own_past: bool) -> float:
    if problem.data.world != "series":
        raise ValueError("the rows are independent, so there is no past to leave out")
    graph = problem.graph if problem.lagged is None else problem.lagged
    return series_r2_sortability(_continuous(problem.data), graph, own_past=own_past)


def _independent(data: Dataset) -> Values:
    """Return the rows to measure; those of a series have no paths of a DAG to follow."""
    if data.world == "series":
        raise ValueError("for series only pairs are counted; use var_sortability_pairs")
    return _continuous(data)


def _continuous(data: Dataset) -> Values:
    """Return the rows to measure: without an observational condition, all of them."""
    if data.discrete_columns:
        raise ValueError("codes of levels have no meaningful variance; use entropy_sortability")
    return _rows(data)


def _codes(data: Dataset) -> Values:
    """Return the rows of discrete data."""
    if len(data.discrete_columns) < data.n_nodes:
        raise ValueError("entropy needs discrete columns; these are continuous")
    return _rows(data)


def _rows(data: Dataset) -> Values:
    return data.pooled if data.observational is None else data.observational_values


VAR_SORTABILITY = _diagnostic(_var)
R2_SORTABILITY = _diagnostic(_r2)
SNR_SORTABILITY = _diagnostic(_snr)
RELATIVES_SORTABILITY = _diagnostic(_relatives)
VAR_SORTABILITY_PAIRS = _diagnostic(_var_pairs)
R2_SORTABILITY_PAIRS = _diagnostic(_r2_pairs)
R2_SUMMARY_SORTABILITY_PAIRS = _diagnostic(_r2_summary_pairs)
ENTROPY_SORTABILITY = _diagnostic(_entropy)
N_EDGES = _diagnostic(_n_edges)
INTERVENED_DESCENDANTS = _diagnostic(_intervened_descendants)
COMPARED_DESCENDANTS = _diagnostic(_compared_descendants)
