"""A study's rows and what follows from them, each part computed once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from causalassay.analysis.document import analysis_document
from causalassay.analysis.headline import headline
from causalassay.analysis.matrix import Matrix, score_matrix
from causalassay.analysis.runs import LABELS, SCHEME, RowTable, Runs, arrange
from causalassay.analysis.summary import Summary, summarize_runs
from causalassay.analysis.tables import matrix_table
from causalassay.analysis.verdict.evidence import Evidence
from causalassay.analysis.verdict.judgement import StudyFindings, judge_study, state_study
from causalassay.analysis.verdict.statements import StudyVerdict
from causalassay.present.shown import Shown
from causalassay.study.storage import study_table

if TYPE_CHECKING:
    from causalassay.present.document import Document


@dataclass(frozen=True, eq=False, repr=False)
class Analysis(Shown):
    """A study's rows and what follows from them.

    Each part is computed when it is first asked for, and then kept. Reports, terminal,
    LaTeX tables and figures share one analysis.

    Parameters
    ----------
    table : RowTable
        Such as `study_table` returns; the order of its rows changes nothing.
    """

    table: RowTable

    @cached_property
    def runs(self) -> Runs:
        """The rows as arrays, with what is known of each problem."""
        known = [name for name in LABELS if name in self.table.frame]
        return arrange(self.table, (SCHEME, *known))

    @cached_property
    def summary(self) -> Summary:
        """Counts, scores, differences, ranks and margins, by scheme."""
        return summarize_runs(self.table, self.runs)

    @cached_property
    def evidence(self) -> Evidence:
        """Single numbers of the study, as the rules of the verdict ask for them."""
        return Evidence(self.table.frame, self.runs, self.summary)

    @cached_property
    def findings(self) -> StudyFindings:
        """What was found of each scheme and algorithm."""
        return judge_study(self.evidence)

    @cached_property
    def verdict(self) -> StudyVerdict:
        """What the study says, in sentences with their numbers and rules."""
        return state_study(self.evidence, self.findings)

    @cached_property
    def headline(self) -> str:
        """What the study says, in one sentence."""
        return headline(self.evidence, self.findings)

    @cached_property
    def matrix(self) -> Matrix:
        """Algorithms and schemes: scores, marks and findings."""
        return score_matrix(self.evidence, self.findings, self.verdict)

    def to_dict(self) -> dict[str, Any]:
        """Return nested plain values for JSON; undefined numbers become None."""
        return self.summary.to_dict() | {
            "headline": self.headline,
            "matrix": self.matrix.to_dict(),
            "verdict": self.verdict.to_dict(),
        }

    def to_frame(self) -> pd.DataFrame:
        """Return the matrix: the mean of each algorithm on each scheme, and its finding."""
        frame = pd.DataFrame(matrix_table(self.matrix).records())
        schemes = [column.scheme for column in self.matrix.columns]
        return frame.assign(**{scheme: frame[scheme].str[0] for scheme in schemes})

    def document(self) -> Document:
        """Return what the study shows."""
        return analysis_document(self)


def analyse(table: RowTable) -> Analysis:
    """Return the analysis of a study's rows.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import pandas as pd
    >>> row = {"algorithm": "pc", "role": "listed", "status": "ok", "reason": "", "problem": "p",
    ...        "scheme": "raw", "graph_key": "g", "f1": 0.5, "var_sortability": 0.9}
    >>> frame = pd.DataFrame([row | {"replicate": replicate} for replicate in range(3)])
    >>> analysis = analyse(SimpleNamespace(frame=frame, metrics=("f1",),
    ...     diagnostics=("var_sortability",), controls=(), better={"f1": "high"}))
    >>> analysis.summary.scores[["algorithm", "n_ok", "mean"]].values.tolist()
    [['pc', 3, 0.5]]
    >>> [statement.kind.value for statement in analysis.verdict.statements]
    ['undecided', 'no-rescaling', 'undecided']
    """
    return Analysis(table)


def read(folder: Path | str) -> Analysis:
    """Return the analysis of the rows in a study's results folder, also while it runs.

    Examples
    --------
    >>> read("no-such-folder")
    Traceback (most recent call last):
    FileNotFoundError: ...
    """
    return analyse(study_table(folder))
