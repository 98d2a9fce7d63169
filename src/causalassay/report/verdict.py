"""The verdict: what a study says in plain sentences, with their numbers and rules."""

from __future__ import annotations

from causalassay.report.judging.algorithms import judge_algorithm
from causalassay.report.judging.assessing import assess
from causalassay.report.judging.benchmark import judge_contrasts, judge_scheme
from causalassay.report.judging.evidence import Evidence
from causalassay.report.judging.shortfalls import (
    judge_absences,
    judge_disagreements,
    judge_failures,
)
from causalassay.report.judging.statements import STATISTICS, Number, Statement, Verdict
from causalassay.study.summary.runs import Table
from causalassay.study.summary.summarizing import Summary, summarize

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
