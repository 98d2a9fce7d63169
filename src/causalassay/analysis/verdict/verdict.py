"""The verdict: what a study says in plain sentences, with their numbers and rules."""

from __future__ import annotations

from causalassay.analysis.runs import Table
from causalassay.analysis.summary import Summary, summarize
from causalassay.analysis.verdict.algorithms import judge_algorithm
from causalassay.analysis.verdict.assessment import assess
from causalassay.analysis.verdict.benchmark import judge_contrasts, judge_scheme
from causalassay.analysis.verdict.evidence import Evidence
from causalassay.analysis.verdict.shortfalls import (
    judge_absences,
    judge_disagreements,
    judge_failures,
)
from causalassay.analysis.verdict.statements import STATISTICS, Number, Statement, Verdict

__all__ = ["STATISTICS", "Number", "Statement", "Verdict", "verdict"]


def verdict(table: Table, summary: Summary | None = None) -> Verdict:
    """Return what a study says: of its schemes, of each listed algorithm, of what is amiss.

    Parameters
    ----------
    table : Table
        Such as `study_table` returns; the order of its rows changes nothing.
    summary : Summary, optional
        Of that table, if there is one already.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import pandas as pd
    >>> row = {"algorithm": "pc", "role": "listed", "status": "ok", "reason": "", "problem": "p",
    ...        "scheme": "raw", "graph_key": "g", "f1": 0.5, "var_sortability": 0.9}
    >>> frame = pd.DataFrame([row | {"replicate": place} for place in range(3)])
    >>> table = SimpleNamespace(frame=frame, metrics=("f1",),
    ...     diagnostics=("var_sortability",), better={"f1": "high"})
    >>> [statement.kind for statement in verdict(table).statements]
    ['too-few-units', 'algorithm-scores']
    """
    if not len(table.frame) or not table.metrics:
        return Verdict(())
    evidence = Evidence(table, summary or summarize(table))
    assessments = [assess(evidence, scheme) for scheme in evidence.cells]
    sounding = [found.scheme for found in assessments if not found.silent]
    return Verdict(
        (
            *(judge_scheme(evidence, found) for found in assessments),
            *judge_contrasts(assessments),
            *(judge_algorithm(evidence, name, assessments) for name in evidence.listed),
            *judge_failures(evidence),
            *judge_absences(evidence),
            *judge_disagreements(evidence, sounding),
        )
    )
