"""A study's rows and what follows from them, each part computed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from causalassay.analysis.document import analysis_document
from causalassay.analysis.matrix import Matrix, score_matrix
from causalassay.analysis.runs import LABELS, SCHEME, Codes, Runs, arrange, scheme_name
from causalassay.analysis.sizes import (
    DIMENSIONS,
    SETTING,
    Size,
    matching,
    shown_first,
    sizes_of,
)
from causalassay.analysis.summary import (
    Ended,
    Summary,
    count_reasons,
    count_statuses,
    summarize_runs,
)
from causalassay.analysis.tables import matrix_table
from causalassay.analysis.verdict.evidence import Evidence, is_rescaled
from causalassay.analysis.verdict.judgement import StudyFindings, judge_study, state_study
from causalassay.analysis.verdict.statements import StudyVerdict
from causalassay.judging.findings import (
    GAMEABLE_KINDS,
    PARTIAL_KINDS,
    WORDING,
    Finding,
    FindingKind,
)
from causalassay.present import Shown
from causalassay.present.formatting import all_of, counted, in_words
from causalassay.study.storage import StudyTable, study_table

if TYPE_CHECKING:
    from causalassay.present import Document


@dataclass(frozen=True, eq=False, repr=False)
class Analysis(Shown):
    """A study's rows and what follows from them.

    Each part is computed when it is first asked for, and then kept. Reports, terminal,
    LaTeX tables and figures share one analysis.

    Where problems have several sizes, such as 10 and 50 nodes, summary, findings and matrix are of
    one of them, as if the study had no other; `others` has those of the others.

    Parameters
    ----------
    table : StudyTable
        Such as `study_table` returns; the order of its rows changes nothing.
    chosen : tuple of Size
        The sizes that this is about: the first of them, and the `others`. By default all, first
        the one with most rows, of equal ones the largest.
    """

    table: StudyTable
    chosen: tuple[Size, ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        """One row for each task, as `causalassay export` writes them."""
        return self.table.frame

    @cached_property
    def _sizes_of_rows(self) -> tuple[tuple[Size, ...], Codes]:
        return sizes_of(self.table.frame)

    @cached_property
    def all_sizes(self) -> tuple[Size, ...]:
        """The sizes of the study's problems, first the one that is shown first."""
        return shown_first(*self._sizes_of_rows)

    @property
    def sizes(self) -> tuple[Size, ...]:
        """Those of them that this is about, its own first."""
        return self.chosen or self.all_sizes

    @property
    def size(self) -> Size:
        """The size that summary, findings and matrix are of."""
        return self.sizes[0]

    @cached_property
    def others(self) -> tuple[Analysis, ...]:
        """The same rows, seen at each of the other sizes."""
        return tuple(Analysis(self.table, (size,)) for size in self.sizes[1:])

    def at(self, option: str) -> Analysis:
        """Return the analysis of some sizes only, named as `--size` names them.

        Parameters
        ----------
        option : str
            Such as ``"d=20,n=1000"``: nodes, samples, edges per node (``k``). What it leaves open
            may be anything: of several sizes the first is shown first, and `others` has the rest.

        Raises
        ------
        ValueError
            No problems have this size.
        """
        return Analysis(self.table, matching(self.all_sizes, option))

    @cached_property
    def part(self) -> StudyTable:
        """The rows of this size."""
        sizes, of_row = self._sizes_of_rows
        if len(sizes) < 2:
            return self.table
        table, rows = self.table, of_row == sizes.index(self.size)
        return StudyTable(
            table.frame[rows], table.metrics, table.diagnostics, (), table.better, table.controls
        )

    @cached_property
    def runs(self) -> Runs:
        """The rows of this size as arrays, with what is known of each problem."""
        return _arranged(self.part)

    @cached_property
    def all_runs(self) -> Runs:
        """The rows of all sizes as arrays: what curves over sizes are drawn of."""
        return self.runs if len(self.all_sizes) < 2 else _arranged(self.table)

    @cached_property
    def ended(self) -> Ended:
        """How the runs of all sizes ended."""
        if len(self.all_sizes) < 2:
            return Ended(self.summary.counts, self.summary.reasons)
        return Ended(count_statuses(self.all_runs), count_reasons(self.table.frame))

    @cached_property
    def summary(self) -> Summary:
        """Counts, scores, differences, ranks and margins, by scheme."""
        return summarize_runs(self.part, self.runs)

    @cached_property
    def evidence(self) -> Evidence:
        """Single numbers of the study, as the rules of the verdict ask for them."""
        return Evidence(self.part.frame, self.runs, self.summary)

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
        """What the study says of this size, in one sentence."""
        sentence = headline(self.evidence, self.findings)
        return f"{self.size.name}: {sentence}" if self.size.name else sentence

    @cached_property
    def matrix(self) -> Matrix:
        """Algorithms and schemes: scores, marks and findings."""
        return score_matrix(self.evidence, self.findings, self.verdict)

    def to_dict(self) -> dict[str, Any]:
        """Return nested plain values for JSON; undefined numbers become None.

        Where problems have several sizes, it is of one of them, ``size``, and ``other_sizes`` has
        the same of each other one.
        """
        plain = self.summary.to_dict() | {
            "headline": self.headline,
            "matrix": self.matrix.to_dict(),
            "verdict": self.verdict.to_dict(),
        }
        if self.size.values:
            plain["size"] = self.size.to_dict()
            plain["other_sizes"] = [other.to_dict() for other in self.others]
        return plain

    def to_frame(self) -> pd.DataFrame:
        """Return the matrix: the mean of each algorithm on each scheme, and its finding.

        One row for each algorithm, with a column for each scheme, in the metric that the headline
        is about; `frame` has one row for each task, and `summary.scores` every metric.
        """
        frame = pd.DataFrame(matrix_table(self.matrix).records())
        schemes = [column.scheme for column in self.matrix.columns]
        return frame.assign(**{scheme: frame[scheme].str[0] for scheme in schemes})

    def document(self) -> Document:
        """Return what the study shows."""
        return analysis_document(self)


def _arranged(table: StudyTable) -> Runs:
    labels = dict.fromkeys((*LABELS, *DIMENSIONS, SETTING))
    return arrange(table, (SCHEME, *(name for name in labels if name in table.frame)))


def analyse(table: StudyTable) -> Analysis:
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


# ---- a study in one sentence: where sorting wins, and how many algorithms need that ----

MOST_WORDS = 30
"""The words of the sentence; a longer one counts the schemes instead of naming what sorts them."""
MOST_SCHEMES = 3
"""The schemes that are named; of more the sentence says how many."""

COUNTED = (
    FindingKind.ROBUST,
    FindingKind.SKELETON_LEAD,
    FindingKind.VARIANCE_ORDER,
    FindingKind.UNITS,
    FindingKind.LEAD_LOST,
    FindingKind.NO_LEAD,
    FindingKind.UNDECIDED,
    FindingKind.NO_SCORE,
)
"""The groups of main findings in the order of the sentence.

To beat chance is the lead of the rules: in direction, over random orders and over as many edges
at random places. The robust have it on every scheme where no artefact was found.
"""


def headline(evidence: Evidence, findings: StudyFindings) -> str:
    """Return what a study says, in one sentence."""
    if not findings.schemes:
        return "There is nothing to say yet."
    algorithms = _algorithms(evidence, findings)
    whole = f"{_schemes(findings.schemes)}; {algorithms}."
    gameable = sum(finding.kind in GAMEABLE_KINDS for finding in findings.schemes.values())
    n_words = sum(any(map(str.isalpha, word)) for word in whole.split())
    if not gameable or n_words <= MOST_WORDS:
        return whole
    schemes = counted(len(findings.schemes), "scheme")
    return f"Sorting beats chance on {gameable} of {schemes}; {algorithms}."


def _schemes(schemes: Mapping[str, Finding]) -> str:
    gameable = [scheme for scheme, finding in schemes.items() if finding.kind in GAMEABLE_KINDS]
    # Rescaled data repeat what was found of the data as they came.
    plain = [scheme for scheme in gameable if not is_rescaled(scheme)]
    by_sorting: dict[str, list[str]] = {}
    for scheme in plain or gameable:
        backwards = schemes[scheme].kind == FindingKind.GAMEABLE_BACKWARDS
        sorting = f"{'backwards ' * backwards}by {schemes[scheme].words['statistics']}"
        by_sorting.setdefault(sorting, []).append(scheme)
    if by_sorting:
        (first, where), *others = by_sorting.items()
        clauses = [f"Sorting {first} beats chance on {_some(where)}"]
        return ", ".join([*clauses, *(f"{sorting} on {_some(on)}" for sorting, on in others)])
    kinds = {scheme: finding.kind for scheme, finding in schemes.items()}
    partly = [scheme for scheme, kind in kinds.items() if kind in PARTIAL_KINDS]
    if partly:
        return f"One of two tests finds an artefact on {_some(partly)}"
    if set(kinds.values()) <= {FindingKind.UNDECIDED, FindingKind.TOO_SMALL}:
        return "Whether sorting beats chance could not be decided"
    return "No evidence that sorting beats chance on any scheme"


def _some(schemes: list[str]) -> str:
    if len(schemes) > MOST_SCHEMES:
        return f"{len(schemes)} schemes"
    return in_words([scheme_name(scheme) for scheme in schemes])


def _algorithms(evidence: Evidence, findings: StudyFindings) -> str:
    listed = [name for name in evidence.listed if name in findings.judged]
    if not listed:
        return "the algorithms are not judged, because chance was not measured"
    mains = [findings.algorithms[name][0].kind for name in listed]
    if len(listed) == 1:
        return f"{listed[0]}: {mains[0].label}"
    gamed = bool(findings.gamed)
    words = {"still": "still " * gamed, "without": " without it" * gamed}
    parts = {
        WORDING[group].counted[count > 1].format(**words): count
        for group in COUNTED
        if (count := sum(kind.group == group for kind in mains))
    }
    if len(parts) == 1:
        return f"{all_of(len(listed), 'algorithm')} {next(iter(parts))}"
    each = ", ".join(f"{count} {does}" for does, count in parts.items())
    return f"of {len(listed)} algorithms, {each}"
