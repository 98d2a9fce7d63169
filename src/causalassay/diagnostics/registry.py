"""The diagnostics that studies know by name, each a number of a problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from causalassay import diagnostics
from causalassay.common.arrays import Values
from causalassay.common.registry import Registry, check_version, first_line
from causalassay.data import Dataset, Problem
from causalassay.graphs import possible_reachability
from causalassay.listing import addresses


@dataclass(frozen=True)
class ProblemDiagnostic:
    """A diagnostic as a study knows it.

    Parameters
    ----------
    measure : callable
        A function of a problem that returns a number.
    version : int
        Raised when the number changes: it is part of the key.
    description : str
    invariant : bool
        Whether relabelling the columns leaves the number as it is.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.data import Dataset
    >>> problem = Problem(Dataset.from_values(np.eye(2)), np.triu(np.ones((2, 2), bool), 1))
    >>> DIAGNOSTICS["n_edges"].measure(problem)
    1.0
    """

    measure: Callable[[Problem], float]
    version: int = 1
    description: str = ""
    invariant: bool = True


def _prepared(name: str, value: Any) -> ProblemDiagnostic:
    """Return a plug-in's class, or an instance of it, as a `ProblemDiagnostic`."""
    value = getattr(value, "declared", value)
    if isinstance(value, ProblemDiagnostic):
        return value
    diagnostic = value() if isinstance(value, type) else value
    check_version(diagnostic, name)
    return ProblemDiagnostic(diagnostic.measure, diagnostic.version, first_line(diagnostic))


DIAGNOSTICS: Registry[ProblemDiagnostic] = Registry(
    "diagnostic",
    "causalassay.diagnostics",
    addresses("diagnostics"),
    _prepared,
)
"""By name. The sortabilities count paths (Reisach 2021) unless the name says pairs (Herman 2025).
For a series, only pairs of the summary graph count. R² is then on all else at lags 0 to the
largest, with the variable's own past, or without it in "r2_summary"."""


def diagnostic(measure: Callable[[Problem], float], version: int = 1) -> Callable[[Problem], float]:
    """Declare a function of a problem as the diagnostic of its name."""
    declared = ProblemDiagnostic(measure, version, first_line(measure))
    measure.__dict__["declared"] = declared
    return measure


@diagnostic
def var_sortability(problem: Problem) -> float:
    """Return the var-sortability over paths."""
    return diagnostics.var_sortability(_independent(problem.data), problem.graph)


@diagnostic
def r2_sortability(problem: Problem) -> float:
    """Return the R²-sortability over paths."""
    return diagnostics.r2_sortability(_independent(problem.data), problem.graph)


@diagnostic
def snr_sortability(problem: Problem) -> float:
    """Return the sortability by signal-to-noise ratio over paths."""
    return diagnostics.snr_sortability(_independent(problem.data), problem.graph)


@diagnostic
def relatives_sortability(problem: Problem) -> float:
    """Return the sortability by the number of correlated variables, over paths."""
    return diagnostics.relatives_sortability(_independent(problem.data), problem.graph)


@diagnostic
def var_sortability_pairs(problem: Problem) -> float:
    """Return the var-sortability over pairs; of a series, over pairs of its summary graph."""
    values = _continuous(problem.data)
    if problem.data.world == "series":
        return diagnostics.series_var_sortability(values, problem.graph)
    return diagnostics.var_sortability(values, problem.graph, "pairs")


@diagnostic
def r2_sortability_pairs(problem: Problem) -> float:
    """Return the R²-sortability over pairs; of a series, with the variable's own past."""
    if problem.data.world == "series":
        return _series_r2(problem, own_past=True)
    return diagnostics.r2_sortability(_continuous(problem.data), problem.graph, "pairs")


@diagnostic
def r2_summary_sortability_pairs(problem: Problem) -> float:
    """Return the R²-sortability of a series over pairs, without the variable's own past."""
    return _series_r2(problem, own_past=False)


@diagnostic
def entropy_sortability(problem: Problem) -> float:
    """Return the sortability of discrete data by entropy, over paths."""
    return diagnostics.entropy_sortability(_codes(problem.data), problem.graph)


@partial(diagnostic, version=2)
def score_sortability(problem: Problem) -> float:
    """Return the sortability by falling variance of the score, over paths; n² memory, n³ time."""
    return diagnostics.score_sortability(_independent(problem.data), problem.graph)


@diagnostic
def n_edges(problem: Problem) -> float:
    """Return the number of edges of the true graph."""
    return float(problem.graph.sum())


@diagnostic
def intervened_descendants(problem: Problem) -> float:
    """Return how many true descendants the nodes with an experiment of their own have in total."""
    nodes = {regime.targets for regime in problem.data.regimes if len(regime.targets or ()) == 1}
    reachable = possible_reachability(problem.graph)
    return float(sum(reachable[node].sum() for (node,) in filter(None, nodes)))


@diagnostic
def compared_descendants(problem: Problem) -> float:
    """Return `intervened_descendants` where 2 or more nodes have experiments; else 0."""
    nodes = {regime.targets for regime in problem.data.regimes if len(regime.targets or ()) == 1}
    return intervened_descendants(problem) if len(nodes) > 1 else 0.0


def _series_r2(problem: Problem, own_past: bool) -> float:
    if problem.data.world != "series":
        raise ValueError("the rows are independent, so there is no past to leave out")
    graph = problem.graph if problem.lagged is None else problem.lagged
    return diagnostics.series_r2_sortability(_continuous(problem.data), graph, own_past=own_past)


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
