"""The diagnostics that studies know by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from causalassay.common.registry import Registry, check_version, first_line
from causalassay.data import Problem


@dataclass(frozen=True)
class ProblemDiagnostic:
    """A diagnostic as a study knows it.

    Parameters
    ----------
    measure : callable
        Of a problem.
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
    if isinstance(value, ProblemDiagnostic):
        return value
    diagnostic = value() if isinstance(value, type) else value
    check_version(diagnostic, name)
    return ProblemDiagnostic(diagnostic.measure, diagnostic.version, first_line(diagnostic))


_BUILT_IN = {
    "var_sortability": "VAR_SORTABILITY",
    "r2_sortability": "R2_SORTABILITY",
    "snr_sortability": "SNR_SORTABILITY",
    "relatives_sortability": "RELATIVES_SORTABILITY",
    "var_sortability_pairs": "VAR_SORTABILITY_PAIRS",
    "r2_sortability_pairs": "R2_SORTABILITY_PAIRS",
    "r2_summary_sortability_pairs": "R2_SUMMARY_SORTABILITY_PAIRS",
    "entropy_sortability": "ENTROPY_SORTABILITY",
    "n_edges": "N_EDGES",
    "intervened_descendants": "INTERVENED_DESCENDANTS",
    "compared_descendants": "COMPARED_DESCENDANTS",
}
_OF_RISK = {
    "acor_oracle_risk": "ACOR_ORACLE_RISK",
    "acor_weighted_risk": "ACOR_WEIGHTED_RISK",
    "random_graph_risk": "RANDOM_GRAPH_RISK",
    "descendant_sensitivity": "DESCENDANT_SENSITIVITY",
    "descendant_false_positives": "DESCENDANT_FALSE_POSITIVES",
}
"""These are loaded on first use from a later room, for they use its tests of experiments."""

DIAGNOSTICS: Registry[ProblemDiagnostic] = Registry(
    "diagnostic",
    "causalassay.diagnostics",
    {name: f"causalassay.diagnostics.problem_diagnostics:{own}" for name, own in _BUILT_IN.items()}
    | {name: f"causalassay.risk.study_risk:{own}" for name, own in _OF_RISK.items()},
    _prepared,
)
"""By name. The sortabilities count paths (Reisach 2021) unless the name says pairs (Herman 2025).
Of a series only pairs of the summary graph are counted. R² is then on all else at lags 0 to the
largest, with the variable's own past, or without it in "r2_summary"."""
