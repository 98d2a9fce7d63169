"""Sentences with the numbers they rest on and the rules that produced them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from causalassay.judging.algorithm_findings import RULE_OF
from causalassay.judging.rules import RULES

STATISTICS: Mapping[str, str] = MappingProxyType(
    {
        "mean": "mean of the column over the algorithm's ok rows on the scheme",
        "measured": "mean of the column over the units of the scheme",
        "lead": "mean over the scheme's problems and replicates of the algorithm's score minus "
        "the opponent's, or without an opponent minus random_f1: the mean of random orders; the "
        "sign is turned where low is better",
        "lead low": "lower 95 % limit of the lead: Student's, over units",
        "lead high": "upper 95 % limit of the lead",
        "p": "p-value of the claim that the column names, by the rule of that name",
        "corrected p": "p-value of the claim that the column names, corrected for all claims on "
        "the algorithm (Holm)",
        "skeleton fit p": "how probable it is that as many edges at random places join as many "
        "true pairs: skeleton_p of the units, added up (Edgington)",
        "units": "graph keys and replicates with a score of the algorithm and of the opponent; "
        "without an algorithm all of the scheme; replicates on one file are one unit",
        "measured units": "units of the scheme on which sorting was measured",
        "runs": "rows of the algorithm",
        "not ok": "rows of the algorithm whose status is not ok",
        "reason": "rows of the algorithm with this reason",
        "to come": "problems and replicates that another algorithm has rows of and this one not",
    }
)
"""What a number is, as one recomputes it from the exported table. A unit is a graph key and a
replicate."""

COUNTS = ("units", "measured units", "runs", "not ok", "reason", "to come")
SIGNED = ("lead",)


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
        Of the table: a metric, a diagnostic, or "status".
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
        if math.isnan(self.value):
            return "–"
        written = f"{self._rounded() + 0.0:.{self._decimals()}f}"  # + 0.0: no -0.00
        plus = self.statistic in SIGNED and not written.startswith("-")
        return f"+{written}" if plus else written

    def _rounded(self) -> float:
        return round(self.value, self._decimals())

    def _decimals(self) -> int:
        if self.value == 0 or not math.isfinite(self.value):
            return 2
        if self.is_share:
            size = abs(self.value)
            hidden = size < 0.005 and self.statistic.endswith((" low", " high"))
            return min(9, -math.floor(math.log10(size))) if hidden else 2
        return max(0, 2 - math.floor(math.log10(abs(self.value))))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, without what does not apply; nan as None."""
        known = {k: v for k, v in dataclasses.asdict(self).items() if v is not None}
        return known | {"value": self.value if math.isfinite(self.value) else None}


class Ledger:
    """Writes numbers into a sentence, and keeps a record of them."""

    def __init__(self) -> None:
        self.numbers: dict[str, Number] = {}

    def __call__(self, number: Number) -> str:
        """Return the number as text; it is one of the sentence's from now on."""
        self.numbers[number.name] = number
        return number.text


@dataclass(frozen=True)
class Statement:
    """One sentence of a verdict.

    Parameters
    ----------
    kind : str
        What it says, for programs: "study-gameable", "algorithm-explained", …
    sentence : str
        Plain text. Names of algorithms, schemes and reasons stand as they are in the
        study: who writes it into a page escapes it.
    rule : str
        The name of the rule that the main finding follows.
    numbers : mapping
        Name to number: every number of the sentence.
    algorithm, scheme : str, optional
        What it is about, if about one.
    findings : tuple of str
        All that was found of an algorithm, the main one first.
    """

    kind: str
    sentence: str
    rule: str
    numbers: Mapping[str, Number]
    algorithm: str | None = None
    scheme: str | None = None
    findings: tuple[str, ...] = ()

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules of all its findings, that of the main one first."""
        others = [RULE_OF[kind] for kind in self.findings]  # type: ignore[index]
        return tuple(dict.fromkeys((self.rule, *others)))

    @property
    def label(self) -> str:
        """Its kind in a few words."""
        return ", ".join(self.findings) or self.kind.replace("-", " ")

    @property
    def advice(self) -> str:
        """What follows from it; none has any."""
        return ""

    @property
    def rule_names(self) -> tuple[str, ...]:
        """The rules that led to it."""
        return self.rules

    @property
    def number_texts(self) -> dict[str, str]:
        """Its numbers as the sentence writes them."""
        return {name: number.text for name, number in self.numbers.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return nested plain values, for JSON."""
        numbers = {name: number.to_dict() for name, number in self.numbers.items()}
        plain = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return plain | {"numbers": numbers, "findings": list(self.findings)}


@dataclass(frozen=True)
class StudyVerdict:
    """What a study says, in sentences."""

    statements: tuple[Statement, ...]

    def lines(self) -> list[str]:
        """Return what to print: the sentences, then each rule once."""
        if not self.statements:
            return ["There is nothing to say yet."]
        lines = [
            f"- {statement.sentence} (rule: {', '.join(statement.rules)})"
            for statement in self.statements
        ]
        return [*lines, *(f"Rule {name}: {text}" for name, text in self.rules.items())]

    @property
    def rules(self) -> dict[str, str]:
        """The rules that were used, by name."""
        used = {rule for statement in self.statements for rule in statement.rules}
        return {name: rule.text for name, rule in RULES.items() if name in used}

    def to_dict(self) -> dict[str, Any]:
        """Return nested plain values, for JSON."""
        return {
            "statements": [statement.to_dict() for statement in self.statements],
            "rules": self.rules,
            "statistics": dict(STATISTICS),
        }
