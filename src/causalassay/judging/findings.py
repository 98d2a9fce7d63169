"""What was found on a data set: kinds of findings, each with its sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Kind = Literal[
    "gameable",
    "gameable backwards",
    "leaning",
    "undecided",
    "too small",
    "no evidence",
    "no graph",
]
"""Of a finding on the order, the gravest first."""

GraphKind = Literal["graph refuted", "graph not refuted", "graph not checked"]
"""Of the finding on whether the graph can be that of the data."""


@dataclass(frozen=True)
class Finding:
    """One thing that was found.

    Parameters
    ----------
    kind : Kind or GraphKind
    sentence : str
        The claim, then its numbers in brackets; at most 30 words.
    statistic : str
        The statistic that it is about; empty if it is about none.
    rule : str
        The name of the rule that led to it, in `judging.rules`.
    advice : str
        What follows from it, in sentences of at most 30 words; often empty.
    """

    kind: Kind | GraphKind
    sentence: str
    statistic: str = ""
    rule: str = ""
    advice: str = ""

    @property
    def text(self) -> str:
        """The sentence and the advice."""
        return f"{self.sentence} {self.advice}".rstrip()


def main_finding(findings: tuple[Finding, ...]) -> Finding:
    """Return the gravest finding on the order; of equally grave ones the first.

    Examples
    --------
    >>> main_finding((Finding("no evidence", ""), Finding("leaning", ""))).kind
    'leaning'
    """
    ranks = {kind: rank for rank, kind in enumerate(get_args(Kind))}
    return min(
        (finding for finding in findings if finding.kind in ranks),
        key=lambda finding: ranks[finding.kind],
    )
