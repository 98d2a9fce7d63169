"""The sentences of a verdict, with the numbers they rest on and the rules that produced them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from causalassay.common.arrays import finite_or_none
from causalassay.judging.findings import ALGORITHM_KINDS, RULES, Finding, FindingKind, Subject
from causalassay.present.formatting import fixed

STATISTICS: Mapping[str, str] = MappingProxyType(
    {
        "mean": "mean of the column over the algorithm's ok rows on the scheme",
        "measured": "mean of the column over the instances of the scheme",
        "lead": "mean over the scheme's problems and replicates of the algorithm's score minus "
        "the opponent's, or without an opponent minus random_direction or random_skeleton_f1: the "
        "mean of random orders; the sign is turned where low is better",
        "lead low": "lower 95 % limit of the lead: Student's, over instances",
        "lead high": "upper 95 % limit of the lead",
        "p": "p-value of the claim that the column names, by the rule of that name",
        "corrected p": "p-value of the claim that the column names, corrected for all claims on "
        "the algorithm (Holm)",
        "skeleton fit p": "how probable it is that as many edges at random places join as many "
        "true pairs: skeleton_p of the instances, added up (Edgington)",
        "units": "graph keys and replicates with a score of the algorithm and of the opponent; "
        "without an algorithm all of the scheme; replicates on one file are one instance",
        "measured units": "instances of the scheme on which sorting was measured",
        "runs": "rows of the algorithm",
        "not ok": "rows of the algorithm whose status is not ok",
        "reason": "rows of the algorithm with this reason",
        "to come": "problems and replicates that another algorithm has rows of and this one not",
    }
)
"""How each statistic is computed from the exported table. An instance is a graph key and a
replicate; "units" is the name in JSON of their number."""

COUNTS = ("units", "measured units", "runs", "not ok", "reason", "to come")
LIMITS = ("lead low", "lead high")


@dataclass(frozen=True)
class Number:
    """A number of a sentence, and how to compute it from the exported table.

    Parameters
    ----------
    value : float
        In full precision.
    statistic : str
        A key of `STATISTICS`.
    column : str
        The column of the table: a metric, a diagnostic, or "status".
    scheme, algorithm, opponent : str, optional
        Which rows.
    detail : str, optional
        A status or a reason.
    is_share : bool
        From 0 to 1, so written with two decimals; others with three significant digits.
    """

    value: float
    statistic: str
    column: str
    scheme: str | None = None
    algorithm: str | None = None
    opponent: str | None = None
    detail: str | None = None
    is_share: bool = True

    @property
    def name(self) -> str:
        """What the number is, in a few words.

        Examples
        --------
        >>> Number(0.66, "lead", "f1", "raw", "pc", "empty").name
        'lead f1: pc against empty on raw'
        """
        words = [
            f"{self.statistic} {self.column}:",
            self.algorithm,
            self.opponent and f"against {self.opponent}",
            self.scheme and f"on {self.scheme}",
            self.detail and f"({self.detail})",
        ]
        return " ".join(word for word in words if word).removesuffix(":")

    def __str__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """The number as sentences write it.

        Examples
        --------
        >>> Number(-0.001, "mean", "f1").text, Number(0.1234, "lead", "f1").text
        ('0.00', '+0.12')
        >>> Number(1234.56, "mean", "sid", is_share=False).text, Number(7, "runs", "status").text
        ('1235', '7')
        >>> Number(-0.0021, "lead high", "f1").text  # a limit shows on which side of 0 it lies
        '-0.002'
        """
        if self.statistic in COUNTS:
            return f"{self.value:.0f}"
        decimals = self._decimals()
        plus = self.statistic == "lead" and round(self.value, decimals) >= 0
        return f"{'+' * plus}{fixed(self.value, decimals)}"

    def _decimals(self) -> int:
        if self.value == 0 or not math.isfinite(self.value):
            return 2
        if self.is_share:
            size = abs(self.value)
            hidden = size < 0.005 and self.statistic in LIMITS
            return min(9, -math.floor(math.log10(size))) if hidden else 2
        return max(0, 2 - math.floor(math.log10(abs(self.value))))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, without what does not apply; nan as None."""
        known = {k: v for k, v in dataclasses.asdict(self).items() if v is not None}
        return known | {"value": finite_or_none(self.value)}


Clause = Sequence[str | Number]
"""Part of a sentence: texts and the numbers between them."""


@dataclass(frozen=True)
class Lead:
    """How far an algorithm is ahead, with 95 % limits.

    Parameters
    ----------
    number : Number
    low, high : float
        nan with fewer than two instances.
    n_instances : int
    """

    number: Number
    low: float
    high: float
    n_instances: int

    @property
    def clause(self) -> Clause:
        """The lead with its limits, if it has any."""
        if math.isnan(self.low):
            return (self.number,)
        low, high = (
            replace(self.number, value=limit, statistic=f"{self.number.statistic} {name}")
            for name, limit in (("low", self.low), ("high", self.high))
        )
        return (self.number, " [", low, ", ", high, "]")

    @property
    def instances(self) -> Clause:
        """On how many instances."""
        number = replace(self.number, value=self.n_instances, statistic="units", is_share=False)
        return counted_instances(number)


def counted_instances(number: Number) -> Clause:
    """Return the number of instances, with its noun."""
    return (number, " instance" if number.value == 1 else " instances")


def joined(clauses: Sequence[Clause], last: str = ", ") -> Clause:
    """Return clauses with commas between them, or something else before the last one.

    Examples
    --------
    >>> joined([["a"], ["b"], ["c"]], " and ")
    ('a', ', ', 'b', ' and ', 'c')
    """
    parts: list[str | Number] = []
    for index, clause in enumerate(clauses):
        between = last if index == len(clauses) - 1 else ", "
        parts += [between, *clause] if index else clause
    return tuple(parts)


def numbers_in(clause: Clause) -> list[Number]:
    """Return the numbers of a clause."""
    return [part for part in clause if isinstance(part, Number)]


def stated(  # noqa: PLR0913  all that a finding has
    kind: FindingKind,
    subject: Subject,
    rule: str,
    words: Mapping[str, str | Clause],
    *,
    variant: str = "",
    remarks: tuple[str, ...] = (),
    others: Iterable[Number] = (),
) -> Finding:
    """Return a finding with the numbers of its clauses, and others that belong to it.

    Examples
    --------
    >>> score = Number(0.5, "mean", "f1", "raw", "pc")
    >>> kind = FindingKind.UNITS
    >>> about = {"algorithm": "pc", "metric": "F1"}
    >>> pc = stated(kind, Subject(), "units", about | {"scores": [score, " on raw"]})
    >>> pc.sentence, pc.number_texts
    ('pc depends on the units of the columns (F1 0.50 on raw).', {'mean f1: pc on raw': '0.50'})
    """
    numbers = [*others, *numbers_in([part for clause in words.values() for part in clause])]
    return Finding(
        kind,
        subject,
        {number.name: number for number in numbers},
        rule,
        {name: "".join(map(str, clause)) for name, clause in words.items()},
        variant,
        remarks,
    )


@dataclass(frozen=True)
class StudyVerdict:
    """What a study says, in sentences."""

    statements: tuple[Finding, ...]

    @property
    def rules(self) -> dict[str, str]:
        """The rules that were used, by name."""
        used = {each.rule for each in self.statements}
        return {name: rule.text for name, rule in RULES.items() if name in used}

    def of_algorithm(self, name: str) -> list[Finding]:
        """Return what was found of an algorithm, the main finding first; failures aside."""
        kinds = (*ALGORITHM_KINDS, FindingKind.NO_SCORE)
        return [each for each in self.statements if each.algorithm == name and each.kind in kinds]

    def to_dict(self) -> dict[str, Any]:
        """Return nested plain values, for JSON; each sentence with all findings on its subject."""
        kinds = {
            name: [each.kind.value for each in self.of_algorithm(name)]
            for each in self.statements
            if (name := each.algorithm)
        }
        nobody = {"algorithm": None, "scheme": None}
        return {
            "statements": [
                nobody | each.to_dict() | {"findings": kinds.get(each.algorithm or "", [])}
                for each in self.statements
            ],
            "rules": self.rules,
            "statistics": dict(STATISTICS),
        }
