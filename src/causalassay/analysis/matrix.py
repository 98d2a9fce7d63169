"""The matrix of a study: a row for each algorithm, a column for each scheme.

Rows are sorted by the mean score on the schemes where no artefact was found, never by a scheme
that sorting wins.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from causalassay.analysis.comparison import possibly_best
from causalassay.analysis.runs import SCHEME, scheme_name
from causalassay.analysis.verdict.algorithm_findings import REFERENCE, below_reference
from causalassay.analysis.verdict.evidence import Evidence, is_rescaled
from causalassay.analysis.verdict.judgement import StudyFindings
from causalassay.analysis.verdict.statements import StudyVerdict
from causalassay.judging.artefacts import Artefact, looked_at_these
from causalassay.judging.findings import (
    ARTEFACT_KINDS,
    LEADS_ON_SOME,
    NOT_JUDGED,
    TOO_FEW_INSTANCES,
    WORDING,
    Finding,
    FindingKind,
)
from causalassay.present.formatting import Interval, in_words
from causalassay.present.json_values import plain_values

NOTHING_FOUND = {
    FindingKind.NO_EVIDENCE: "no artefact found",
    FindingKind.TOO_SMALL: "too small to tell",
    FindingKind.UNDECIDED: "undecided",
}
"""What a table says of a scheme where no artefact was found."""

REFERENCE_LEADS = "leads, too"
"""What a table says of a reference baseline that leads as the robust do, in place of that name."""
BELOW_REFERENCE = ", below reference"
"""What follows the name of robust algorithms whose lead is somewhere below the reference's."""


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
    def interval(self) -> Interval:
        """The mean with its limits, as tables have it."""
        return Interval(self.mean, self.low, self.high)


@dataclass(frozen=True)
class Column:
    """A scheme.

    Parameters
    ----------
    scheme : str
        Its name in the study.
    finding : str
        In a few words.
    kind : FindingKind
    free : bool
        No artefact was found, so rows are sorted by it.
    rescaled : bool
        Whether it is another scheme with other standard deviations.
    """

    scheme: str
    finding: str
    kind: FindingKind
    free: bool
    rescaled: bool = False

    @property
    def gamed(self) -> bool:
        """Whether an artefact was found."""
        return self.kind in ARTEFACT_KINDS

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
    kinds : tuple of FindingKind
        All that was found of it, the main one first.
    key : float
        What the rows are sorted by: the mean over the columns without a found artefact; nan if
        there is none.
    statements : tuple of Finding
        The sentences on it, also on runs that it did not finish.
    """

    algorithm: str
    role: str
    cells: tuple[Cell, ...]
    finding: str
    kinds: tuple[FindingKind, ...]
    key: float
    statements: tuple[Finding, ...]

    @property
    def n_lost(self) -> int:
        """The runs that did not end ok."""
        return sum(cell.n - cell.n_ok for cell in self.cells)

    @property
    def kind(self) -> FindingKind:
        """The main one of what was found of it."""
        return self.kinds[0]


@dataclass(frozen=True)
class Matrix:
    """Scores of each algorithm on each scheme, in one metric, with what was found.

    Parameters
    ----------
    metric, better : str
    columns : tuple of Column
    rows : tuple of Row
    artefacts : tuple of Artefact
        Those that were looked for.
    """

    metric: str
    better: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    artefacts: tuple[Artefact, ...] = ()

    @property
    def looked_at(self) -> str:
        """Which artefacts were looked for, and what was not looked at; empty if none was."""
        return looked_at_these(self.artefacts)

    @property
    def order(self) -> str:
        """How the rows are sorted, in words."""
        free = [column.name for column in self.columns if column.free]
        if not free:
            return "Not sorted: there is no scheme where artefacts were looked for and none found."
        return f"Sorted by {in_words(free)}, where no artefact was found."

    def to_dict(self) -> dict[str, Any]:
        """Return nested plain values for JSON; nan as None."""
        columns = [dataclasses.asdict(column) | {"gamed": column.gamed} for column in self.columns]
        rows = [
            {
                "algorithm": row.algorithm,
                "role": row.role,
                "finding": row.finding,
                "kinds": row.kinds,
                "cells": {
                    column.scheme: cell
                    for column, cell in zip(self.columns, row.cells, strict=True)
                },
            }
            for row in self.rows
        ]
        plain: dict[str, Any] = plain_values(
            {
                "metric": self.metric,
                "better": self.better,
                "columns": columns,
                "rows": rows,
                "looked_at": self.looked_at,
            }
        )
        return plain


def score_matrix(evidence: Evidence, findings: StudyFindings, verdict: StudyVerdict) -> Matrix:
    """Return the matrix of a study in the metric that its verdict quotes."""
    if not findings.schemes:
        return Matrix("", "high", (), ())
    metric, runs, scores = evidence.metric, evidence.runs, evidence.summary.scores
    columns = tuple(
        Column(
            scheme, _on_scheme(finding), finding.kind, scheme in findings.free, is_rescaled(scheme)
        )
        for scheme, finding in findings.schemes.items()
    )
    best = {
        (runs.algorithms[index], scheme)
        for scheme, cells in evidence.cells.items()
        for index in possibly_best(runs, metric, cells)
    }
    scores = scores[scores["metric"] == metric]
    columns_used = ("algorithm", SCHEME, "mean", "mean_low", "mean_high", "n", "n_ok")
    by_name = {
        (name, scheme): Cell(mean, low, high, n, n_ok, (name, scheme) in best)
        for name, scheme, mean, low, high, n, n_ok in zip(
            *(scores[column].tolist() for column in columns_used), strict=True
        )
    }
    rows = []
    for name, role in zip(runs.algorithms, runs.roles, strict=True):
        cells = tuple(by_name[name, column.scheme] for column in columns)
        free = [cell.mean for cell, column in zip(cells, columns, strict=True) if column.free]
        key = sum(free) / len(free) if free else math.nan
        on_it = findings.algorithms[name]
        others = [each for each in verdict.statements if each.algorithm == name]
        statements = (*on_it, *(each for each in others if each not in on_it))
        kinds = tuple(finding.kind for finding in on_it)
        rows.append(
            Row(name, role, cells, _on_algorithm(evidence, findings, name), kinds, key, statements)
        )
    sign = runs.better[metric]
    if findings.free:
        rows.sort(key=lambda row: (math.isnan(row.key), -sign * row.key))
    better = "high" if sign == 1 else "low"
    return Matrix(metric, better, columns, tuple(rows), tuple(evidence.artefacts))


def finding_phrase(kinds: Sequence[FindingKind]) -> str:
    """Return the findings on an algorithm in one phrase.

    Examples
    --------
    >>> both = [FindingKind.VARIANCE_ORDER, FindingKind.VARIANCE_RATIOS]
    >>> finding_phrase([FindingKind.NO_LEAD, *both])
    'no lead found; depends on variance order and ratios'
    """
    labels = {kind: kind.label for kind in kinds}
    for kind in kinds:
        if kind.group != kind and kind.group in labels:
            labels[kind.group] = WORDING[kind.group].together
            del labels[kind]
    return "; ".join(labels.values())


def _on_scheme(finding: Finding) -> str:
    if finding.kind in NOTHING_FOUND:
        return NOTHING_FOUND[finding.kind]
    return finding.kind.label_by(finding.words["statistics"])


def _on_algorithm(evidence: Evidence, findings: StudyFindings, name: str) -> str:
    """Return what was found of an algorithm, in one phrase.

    A small lead must not look like a large one: the reference knows nothing of causes, so it is
    not called robust, and whoever leads by less than it is told apart.
    """
    main, *_ = on_it = findings.algorithms[name]
    phrase = finding_phrase([finding.kind for finding in on_it])
    if name == REFERENCE:
        leads = main.kind == FindingKind.ROBUST
        phrase = f"reference: {REFERENCE_LEADS if leads else phrase}"
    elif main.kind == FindingKind.ROBUST:
        behind = below_reference(evidence, name, findings.judged[name].tested_free)
        phrase += BELOW_REFERENCE * bool(behind)
    if main.variant == NOT_JUDGED:
        return NOT_JUDGED
    if main.variant == TOO_FEW_INSTANCES:
        return f"{phrase} ({TOO_FEW_INSTANCES})"
    if main.variant != LEADS_ON_SOME:
        return phrase
    judged = findings.judged[name]
    if main.kind == FindingKind.LEAD_LOST:
        return f"{phrase} on {in_words([scheme_name(scheme) for scheme in judged.lost])}"
    return f"{phrase} (leads on {in_words([scheme_name(scheme) for scheme in judged.leading])})"
