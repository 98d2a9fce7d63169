"""Findings, their kinds with stable ids, and the rules that lead to them.

A finding is its kind, its subject and its numbers; the sentence is written from them, after
``wording.toml``, when somebody reads it. A headline of several is composed by whoever shows them;
nothing reads a sentence to learn a fact. The texts of the rules are in ``rules.toml``; how often
each rule was wrong is in ``measured_rates.json``, which `make calibrate` writes.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from causalassay.present.formatting import filled
from causalassay.present.json_values import plain_values

# The rules that lead from numbers to findings: one table for the output, the pages and the tests.


@dataclass(frozen=True)
class Rule:
    """A rule that leads from numbers to findings.

    Parameters
    ----------
    name : str
    decides : str
        When it gives its findings.
    gives : str
        Which findings these are, if not only those of the kind with its name.
    rests_on : sequence of str
        Rules that its text speaks of.
    rate_of : str
        The rule whose measured error rate holds for this one as well; often empty.
    """

    name: str
    decides: str
    gives: str = ""
    rests_on: Sequence[str] = ()
    rate_of: str = ""

    @property
    def says(self) -> str:
        """Which findings it gives."""
        return self.gives or FindingKind(self.name.replace(" ", "-")).label

    @property
    def rate(self) -> str:
        """How often it was wrong when that was measured, in words; empty if it was not."""
        return _measured_rates().get(self.name, "")

    @property
    def text(self) -> str:
        """When it gives its findings, and how often it was wrong."""
        return f"{self.decides} Measured: {self.rate}." if self.rate else self.decides

    @property
    def rate_text(self) -> str:
        """How often it was wrong, or that this was not measured.

        Examples
        --------
        >>> RULES["lead"].rate_text
        'its error rate was not measured'
        """
        if self.rate:
            return f"measured: {self.rate}"
        if self.rate_of:
            return f"it rests on “{self.rate_of}”, {RULES[self.rate_of].rate_text}"
        return "its error rate was not measured"


@cache
def _measured_rates() -> Mapping[str, str]:
    text = files(__package__).joinpath("measured_rates.json").read_text(encoding="utf-8")
    return MappingProxyType(json.loads(text))


def _rules() -> Mapping[str, Rule]:
    text = files(__package__).joinpath("rules.toml").read_text(encoding="utf-8")
    entries = tomllib.loads(text).items()
    return MappingProxyType({name: Rule(name, **entry) for name, entry in entries})


RULES: Mapping[str, Rule] = _rules()
"""All rules by name."""


class FindingKind(StrEnum):
    """Kinds of findings; the values are ids for programs and never change."""

    # On the order of a data set or a scheme, the gravest first.
    GAMEABLE = "gameable"
    GAMEABLE_BACKWARDS = "gameable-backwards"
    SORTABLE_ONLY = "sortable-only"
    GAIN_ONLY = "gain-only"
    UNDECIDED = "undecided"
    TOO_SMALL = "too-small"
    NO_EVIDENCE = "no-evidence"
    NO_GRAPH = "no-graph"
    # On whether a graph can be that of the data.
    GRAPH_REFUTED = "graph-refuted"
    GRAPH_NOT_REFUTED = "graph-not-refuted"
    GRAPH_NOT_CHECKED = "graph-not-checked"
    # On an algorithm; UNDECIDED is one of these, too.
    ROBUST = "robust"
    SKELETON_LEAD = "skeleton-lead"
    VARIANCE_ORDER = "variance-order"
    VARIANCE_RATIOS = "variance-ratios"
    UNITS = "units"
    LEAD_LOST = "lead-lost"
    NO_LEAD = "no-lead"
    NO_SCORE = "no-score"
    FAILURES = "failures"
    # On a study.
    NO_SIGNAL = "no-signal"
    NO_FREE_SCHEME = "no-free-scheme"
    NO_RESCALING = "no-rescaling"
    INCOMPLETE = "incomplete"
    METRICS_DISAGREE = "metrics-disagree"
    METRICS_DIFFER = "metrics-differ"
    # On a choice: what to take, or why nothing can be chosen; then what that rests on.
    TAKE_DEFAULT = "take-default"
    TAKE_OTHER = "take-other"
    TAKE_BEST_BIC = "take-best-bic"
    TAKE_LEAST_RISK = "take-least-risk"
    TAKE_ONLY = "take-only-algorithm"
    CANNOT_CHOOSE = "cannot-choose"
    NO_ACYCLIC_GRAPH = "no-acyclic-graph"
    BEST = "best"
    MAY_BE_BEST = "may-be-best"
    LEAST_RISK = "least-risk"
    ONE_GRAPH = "one-graph"
    BEATS_RANDOM_GRAPHS = "beats-random-graphs"
    NOT_BEYOND_RANDOM_GRAPHS = "not-beyond-random-graphs"
    RANDOM_ORDER_BEATS_THEM = "random-order-beats-random-graphs"
    DENSITY = "density"
    MANY_DESCENDANTS = "many-descendants"
    FEW_DESCENDANTS = "few-descendants"
    SAME_LEADER = "same-leader-at-all-cut-offs"
    LEADER_CHANGES = "leader-depends-on-cut-off"
    SCORES_AGREE = "scores-agree"
    SCORES_DIFFER = "scores-differ"
    NOTHING_PREDICTED = "nothing-predicted"
    FLAGGED_INTERVENTIONS = "flagged-interventions-differ"
    SMALL_EFFECTS = "small-effects-differ"
    TOO_FEW_EXPERIMENTS = "too-few-experiments"
    EQUAL_BY_CONSTRUCTION = "equal-by-construction"
    # On an evaluation.
    CLOSEST = "closest"
    MAY_BE_CLOSEST = "may-be-closest"
    NOT_CLOSER = "not-closer-than-empty-graph"
    NOT_JUDGED = "not-judged"
    RANKING = "ranking"
    OPPOSITE_ORDERS = "opposite-orders"
    NO_OPPOSITE_ORDERS = "no-opposite-orders"
    CLOSER_THAN_EMPTY = "closer-than-empty-graph"
    FURTHER_THAN_EMPTY = "further-than-empty-graph"
    CONSISTENT_BEHIND_EMPTY = "consistent-behind-empty-graph"
    EFFECTS_FOUND = "effects-found"
    FEW_EFFECTS_FOUND = "few-effects-found"
    LOOK_ALIKES = "look-alikes"

    def __repr__(self) -> str:
        return repr(self.value)  # it is a string for whoever compares or prints it

    @property
    def label(self) -> str:
        """A few words for people."""
        return WORDING[self].label

    def label_by(self, statistics: str) -> str:
        """Return the same with the statistics it is about.

        Examples
        --------
        >>> FindingKind.GAMEABLE.label_by("R²"), FindingKind.SORTABLE_ONLY.label_by("R²")
        ('gameable by R²', 'sortable by R², no gain found')
        """
        return (WORDING[self].label_by or f"{self.label} by {{}}").format(statistics)

    @property
    def group(self) -> FindingKind:
        """The kind with which headlines count it and whose colour it has."""
        return FindingKind(WORDING[self].grouped_with or self)

    @property
    def group_label(self) -> str:
        """What pictures call its group."""
        return WORDING[self.group].group or self.group.label


ORDER_KINDS = (
    FindingKind.GAMEABLE,
    FindingKind.GAMEABLE_BACKWARDS,
    FindingKind.SORTABLE_ONLY,
    FindingKind.GAIN_ONLY,
    FindingKind.UNDECIDED,
    FindingKind.TOO_SMALL,
    FindingKind.NO_EVIDENCE,
    FindingKind.NO_GRAPH,
)
"""The kinds of findings on the order, the gravest first."""

GAMEABLE_KINDS = ORDER_KINDS[:2]
PARTIAL_KINDS = ORDER_KINDS[2:4]
"""One of the two tests passed."""
ARTEFACT_KINDS = ORDER_KINDS[:4]
"""An artefact was found."""


ALGORITHM_KINDS = (
    FindingKind.ROBUST,
    FindingKind.SKELETON_LEAD,
    FindingKind.VARIANCE_ORDER,
    FindingKind.VARIANCE_RATIOS,
    FindingKind.UNITS,
    FindingKind.LEAD_LOST,
    FindingKind.NO_LEAD,
    FindingKind.UNDECIDED,
)
"""The kinds of findings on an algorithm that has scores."""

NOT_JUDGED = "not judged"
NOT_MEASURED = "not measured"
TOO_FEW_INSTANCES = "too few instances"
NO_TRUE_SCHEME = "no true scheme"
NEITHER = "neither"
LEADS_ON_SOME = "leads on some"
"""Why an algorithm is undecided: the variants of that finding."""


@dataclass(frozen=True)
class Wording:
    """How findings of a kind are worded.

    Parameters
    ----------
    label : str
        A few words, for tables.
    sentences : str, or mapping of str to str
        With the names of words and numbers in braces. A kind that is said in several ways has a
        sentence for each variant, "plain" if it has no name.
    advice : str
        What follows from it.
    label_by : str
        The label with the statistics it is about in place of {}, if these do not come last.
    counted : sequence of str
        What a headline says of one and of several algorithms.
    group : str
        What pictures call its group, if not by its label.
    grouped_with : str
        The kind whose group it belongs to, if it has none of its own.
    together : str
        The label of findings of all kinds of its group together.
    """

    label: str
    sentences: str | Mapping[str, str]
    advice: str | Mapping[str, str] = ""
    label_by: str = ""
    counted: Sequence[str] = ()
    group: str = ""
    grouped_with: str = ""
    together: str = ""


def _wording() -> Mapping[FindingKind, Wording]:
    text = files(__package__).joinpath("wording.toml").read_text(encoding="utf-8")
    entries = {FindingKind(name): entry for name, entry in tomllib.loads(text).items()}
    return MappingProxyType({kind: Wording(**entry) for kind, entry in entries.items()})


WORDING: Mapping[FindingKind, Wording] = _wording()
"""The labels and sentences of all kinds."""


@dataclass(frozen=True)
class Subject:
    """What a finding is about; what does not apply is empty."""

    statistic: str = ""
    scheme: str = ""
    algorithm: str = ""


@dataclass(frozen=True)
class Finding:
    """One thing that was found.

    Parameters
    ----------
    kind : FindingKind
        What was found, as an id for programs.
    subject : Subject
        What it is about.
    numbers : mapping
        What its sentence states, by name: numbers, p-values, intervals.
    rule : str
        The name of the rule that led to it, in `RULES`.
    words : mapping
        Names and clauses of its sentence.
    variant : str
        Which sentence, if the kind has several.
    remarks : tuple of str
        Sentences that belong to this one finding, such as that it is borderline.
    """

    kind: FindingKind
    subject: Subject = Subject()
    numbers: Mapping[str, Any] = field(default_factory=dict)
    rule: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    variant: str = ""
    remarks: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Its kind in a few words."""
        return self.kind.label

    @property
    def sentence(self) -> str:
        """The claim, then its numbers in brackets; at most 30 words."""
        return self._written(WORDING[self.kind].sentences)

    @property
    def advice(self) -> str:
        """What follows from it, in sentences of at most 30 words; often empty."""
        written = self._written(WORDING[self.kind].advice).strip()
        return " ".join(part for part in (written, *self.remarks) if part)

    def _written(self, templates: str | Mapping[str, str]) -> str:
        if not isinstance(templates, str):
            templates = templates.get(self.variant or "plain", "")
        return filled(templates, {**self.numbers, **self.words})

    @property
    def text(self) -> str:
        """The sentence and the advice."""
        return f"{self.sentence} {self.advice}".rstrip()

    @property
    def statistic(self) -> str:
        """The statistic that it is about; empty if it is about none."""
        return self.subject.statistic

    @property
    def scheme(self) -> str | None:
        """The scheme that it is about, if about one."""
        return self.subject.scheme or None

    @property
    def algorithm(self) -> str | None:
        """The algorithm that it is about, if about one."""
        return self.subject.algorithm or None

    @property
    def rule_names(self) -> tuple[str, ...]:
        """The rules that led to it."""
        return (self.rule,) if self.rule else ()

    @property
    def number_texts(self) -> dict[str, str]:
        """Those numbers that can be recomputed from a table, as sentences write them."""
        return {
            name: number.text for name, number in self.numbers.items() if hasattr(number, "text")
        }

    def to_dict(self) -> dict[str, Any]:
        """Return ids, numbers and sentences as plain values, for JSON."""
        subject = {name: value for name, value in vars(self.subject).items() if value}
        return {
            "kind": self.kind.value,
            "label": self.label,
            **(subject or {"statistic": ""}),
            "sentence": self.sentence,
            "advice": self.advice,
            "rule": self.rule,
            "numbers": plain_values(self.numbers),
        }


def main_finding(findings: tuple[Finding, ...]) -> Finding:
    """Return the gravest finding on the order; of equally grave ones the first.

    Examples
    --------
    >>> both = Finding(FindingKind.NO_EVIDENCE), Finding(FindingKind.SORTABLE_ONLY)
    >>> main_finding(both).kind.value
    'sortable-only'
    """
    on_order = (finding for finding in findings if finding.kind in ORDER_KINDS)
    return min(on_order, key=lambda finding: ORDER_KINDS.index(finding.kind))


def rules_of(findings: tuple[Finding, ...]) -> dict[str, Any]:
    """Return the rules that led to findings and those they rest on, by name."""
    named = [name for finding in findings for name in finding.rule_names]
    resting = [name for rule in named for name in RULES[rule].rests_on]
    return {name: RULES[name] for name in dict.fromkeys([*resting, *named])}
