"""Sentences with the numbers they rest on and the rules that produced them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

STATISTICS: Mapping[str, str] = MappingProxyType(
    {
        "mean": "mean of the column over the algorithm's ok rows on the scheme",
        "lead": "mean of the algorithm's score minus the opponent's over the problems and "
        "replicates of the scheme where both have one; the sign is turned where low is better",
        "lead low": "lower 95 % limit of the lead; whole units are resampled",
        "lead high": "upper 95 % limit of the lead",
        "fall": "lead on the scheme minus lead on the other scheme",
        "fall low": "lower 95 % limit of the fall; whole units are resampled",
        "fall high": "upper 95 % limit of the fall",
        "change": "mean on the scheme minus mean on the other scheme",
        "share": "R² of a regression of the column on `opponent` over all ok rows, adjusted "
        "with the number of units in place of the number of rows",
        "sortability": "mean of the column over the problems and replicates of the scheme",
        "sortability low": "lower 95 % limit of the mean; whole units are resampled",
        "sortability high": "upper 95 % limit of the mean",
        "sortability sd": "standard deviation of the column over the problems and replicates",
        "chance": "mean over the problems and replicates of the scheme of m / (m + d (d - 1) / 2), "
        "with m = n_edges and d = graph.n_nodes: the F1 that complete orders drawn at random have "
        "on average, and no graph drawn without regard to the data has more",
        "units": "graph keys and replicates with a score of the algorithm and of the opponent; "
        "without an algorithm all of the scheme",
        "runs": "rows of the algorithm",
        "not ok": "rows of the algorithm whose status is not ok",
        "reason": "rows of the algorithm with this reason",
        "to come": "problems and replicates that another algorithm has rows of and this one not",
    }
)
"""What a number is, as one recomputes it from the exported table.

A unit is a graph key and a replicate. Numbers that are `paired` count only the
units in which the algorithm has a score on every scheme where it has any.
"""

COUNTS = ("units", "runs", "not ok", "reason", "to come")
SIGNED = ("lead", "fall", "change")


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
    scheme, other_scheme, algorithm, opponent : str, optional
        Which rows. `opponent` names an algorithm, or the regressor of a share.
    detail : str, optional
        A status, a reason, or ``label=value`` of the problems that count.
    paired : bool
        Over the units with a score on every scheme.
    is_share : bool
        From 0 to 1, so written with two decimals; others with three significant digits.
    """

    value: float
    statistic: str
    column: str
    scheme: str | None = None
    algorithm: str | None = None
    opponent: str | None = None
    other_scheme: str | None = None
    detail: str | None = None
    paired: bool = False
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
            self.other_scheme and f"less {self.other_scheme}",
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
        How the sentence was arrived at, with the thresholds.
    numbers : mapping
        Name to number: every number of the sentence.
    algorithm, scheme : str, optional
        What it is about, if about one.
    """

    kind: str
    sentence: str
    rule: str
    numbers: Mapping[str, Number]
    algorithm: str | None = None
    scheme: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return nested plain values, for JSON."""
        numbers = {name: number.to_dict() for name, number in self.numbers.items()}
        plain = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return plain | {"numbers": numbers}


@dataclass(frozen=True)
class StudyVerdict:
    """What a study says, in sentences."""

    statements: tuple[Statement, ...]

    def lines(self) -> list[str]:
        """Return what to print: the sentences, then each rule once."""
        if not self.statements:
            return ["There is nothing to say yet."]
        rules = list(dict.fromkeys(statement.rule for statement in self.statements))
        lines = [
            f"- {statement.sentence} (rule {rules.index(statement.rule) + 1})"
            for statement in self.statements
        ]
        return [*lines, *(f"Rule {number}: {rule}" for number, rule in enumerate(rules, 1))]

    def to_dict(self) -> dict[str, Any]:
        """Return nested plain values, for JSON."""
        return {
            "statements": [statement.to_dict() for statement in self.statements],
            "statistics": dict(STATISTICS),
        }
