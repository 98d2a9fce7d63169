"""The matrix of a study: a row for each algorithm, a column for each scheme.

Rows are sorted by the mean score on the schemes where no artefact was found, never by a scheme
that sorting wins.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from causalassay.analysis.best_marks import possibly_best
from causalassay.analysis.names import in_words, scheme_name
from causalassay.analysis.runs import SCHEME
from causalassay.analysis.verdict.algorithm_statements import state_algorithm
from causalassay.analysis.verdict.evidence import Evidence
from causalassay.analysis.verdict.judgement import StudyFindings
from causalassay.analysis.verdict.scheme_statements import SchemeJudged
from causalassay.analysis.verdict.statements import Statement, StudyVerdict
from causalassay.judging.algorithm_findings import TOO_FEW, AlgorithmFinding

NOT_FOUND = {"no evidence": "no artefact found", "too small": "too small to tell"}


@dataclass(frozen=True)
class Cell:
    """A mean score.

    Parameters
    ----------
    mean, low, high : float
        With 95 % limits; nan where undefined.
    n, n_ok : int
        Runs, and those that ended.
    best : bool
        Not distinguishable from the best on the scheme.
    """

    mean: float
    low: float
    high: float
    n: int
    n_ok: int
    best: bool

    @property
    def spread(self) -> float:
        """The half-width of the interval; of one that was cut at 0 or 1, the longer side."""
        return max(self.high - self.mean, self.mean - self.low)


@dataclass(frozen=True)
class Column:
    """A scheme.

    Parameters
    ----------
    scheme : str
        Its name in the study.
    finding : str
        In a few words.
    free : bool
        No artefact was found, so rows are sorted by it.
    gamed : bool
        An artefact was found.
    """

    scheme: str
    finding: str
    free: bool
    gamed: bool = False

    @property
    def name(self) -> str:
        """What tables call it."""
        return scheme_name(self.scheme)


@dataclass(frozen=True)
class Row:
    """An algorithm.

    Parameters
    ----------
    algorithm, role : str
    cells : tuple of Cell
        By column.
    finding : str
        In one phrase.
    key : float
        What the rows are sorted by: the mean over the columns without a found artefact; nan if
        there is none.
    statements : tuple of Statement
        The sentences on it.
    """

    algorithm: str
    role: str
    cells: tuple[Cell, ...]
    finding: str
    key: float
    statements: tuple[Statement, ...]


@dataclass(frozen=True)
class Matrix:
    """Scores of each algorithm on each scheme, in one metric, with what was found.

    Parameters
    ----------
    metric, better : str
    columns : tuple of Column
    rows : tuple of Row
    """

    metric: str
    better: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    @property
    def order(self) -> str:
        """How the rows are sorted, in words."""
        free = [column.name for column in self.columns if column.free]
        if not free:
            return "Not sorted: there is no scheme where artefacts were looked for and none found."
        return f"Sorted by {in_words(free)}, where no artefact was found."

    def to_dict(self) -> dict[str, Any]:
        """Return nested plain values for JSON; nan as None."""
        columns = [dataclasses.asdict(column) for column in self.columns]
        rows = [
            {
                "algorithm": row.algorithm,
                "role": row.role,
                "finding": row.finding,
                "cells": {
                    column.scheme: {
                        name: None if isinstance(value, float) and math.isnan(value) else value
                        for name, value in dataclasses.asdict(cell).items()
                    }
                    for column, cell in zip(self.columns, row.cells, strict=True)
                },
            }
            for row in self.rows
        ]
        return {"metric": self.metric, "better": self.better, "columns": columns, "rows": rows}


def score_matrix(evidence: Evidence, findings: StudyFindings, verdict: StudyVerdict) -> Matrix:
    """Return the matrix of a study in the metric that its verdict quotes."""
    if not findings.schemes:
        return Matrix("", "high", (), ())
    metric = evidence.metric
    columns = tuple(
        Column(scheme, _phrase(judged), judged.free, judged.gamed)
        for scheme, judged in findings.schemes.items()
    )
    cells = _cells(evidence, metric)
    rows = [
        _row(
            evidence,
            findings,
            verdict,
            index,
            tuple(cells[name, c.scheme] for c in columns),
            columns,
        )
        for index, name in enumerate(evidence.runs.algorithms)
    ]
    if any(column.free for column in columns):
        sign = evidence.runs.better[metric]
        rows.sort(
            key=lambda row: (math.isnan(row.key), 0.0 if math.isnan(row.key) else -sign * row.key)
        )
    better = "high" if evidence.runs.better[metric] == 1 else "low"
    return Matrix(metric, better, columns, tuple(rows))


def _lost(found: AlgorithmFinding) -> str:
    return in_words([scheme_name(name.scheme) for name in found.claims])


def finding_phrase(kinds: Sequence[str]) -> str:
    """Return the findings on an algorithm in one phrase.

    Examples
    --------
    >>> finding_phrase(["robust", "depends on variance order", "depends on variance ratios"])
    'robust; depends on variance order and ratios'
    """
    text = "; ".join(dict.fromkeys(kinds))
    both = "depends on variance order; depends on variance ratios"
    return text.replace(both, "depends on variance order and ratios")


def _phrase(judged: SchemeJudged) -> str:
    if judged.kind in NOT_FOUND:
        return NOT_FOUND[judged.kind]
    words = dict.fromkeys(
        claim.artefact.word for claim in judged.claims if claim.kind == judged.kind
    )
    return (
        judged.kind
        if not words or judged.kind == "undecided"
        else f"{judged.kind} by {in_words(list(words))}"
    )


def _cells(evidence: Evidence, metric: str) -> Mapping[tuple[str, str], Cell]:
    scores = evidence.summary.scores
    scores = scores[scores["metric"] == metric]
    best = {
        scheme: possibly_best(evidence.runs, metric, cells)
        for scheme, cells in evidence.cells.items()
    }
    names = evidence.runs.algorithms
    return {
        (row["algorithm"], row[SCHEME]): Cell(
            row["mean"],
            row["mean_low"],
            row["mean_high"],
            row["n"],
            row["n_ok"],
            names.index(row["algorithm"]) in best[row[SCHEME]],
        )
        for row in scores.to_dict("records")
    }


def _row(  # noqa: PLR0913, PLR0917
    evidence: Evidence,
    findings: StudyFindings,
    verdict: StudyVerdict,
    index: int,
    cells: tuple[Cell, ...],
    columns: tuple[Column, ...],
) -> Row:
    name, role = evidence.runs.algorithms[index], evidence.runs.roles[index]
    judged = findings.algorithms.get(name)
    known = [c.mean for c, column in zip(cells, columns, strict=True) if column.free]
    key = sum(known) / len(known) if known else math.nan
    statements = tuple(each for each in verdict.statements if each.algorithm == name)
    if not any(each.kind.startswith("algorithm-") for each in statements):
        statements = (state_algorithm(evidence, name, judged), *statements)
    unscored = all(math.isnan(cell.mean) for cell in cells)
    if unscored:
        finding = "no score"
    elif judged is None:
        finding = "not judged"
    else:
        finding = finding_phrase([found.kind for found in judged.findings])
        if judged.main.missing.startswith(TOO_FEW):
            finding = f"{finding} ({TOO_FEW})"
        elif judged.main.kept and judged.main.kind == "lead lost":
            finding = f"{finding} on {_lost(judged.main)}"
        elif judged.main.kept:
            finding = f"{finding} (leads on {in_words([scheme_name(s) for s in judged.main.kept])})"
    return Row(name, role, cells, finding, key, statements)
