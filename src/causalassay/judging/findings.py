"""What can be found, and what was: kinds with stable ids, one table of labels and sentences.

A finding is its kind, its subject and its numbers; the sentence is written from them when somebody
reads it. Nothing else in the package words a finding, and nothing reads a sentence to learn a fact.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from causalassay.judging.rules import RULES
from causalassay.present.json_values import plain_values


class FindingKind(StrEnum):
    """Kinds of findings; the values are ids for programs and never change."""

    # On the order of a data set or a scheme, the gravest first.
    GAMEABLE = "gameable"
    GAMEABLE_BACKWARDS = "gameable-backwards"
    LEANING = "leaning"
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
    # On a choice.
    BEST = "best"
    MAY_BE_BEST = "may-be-best"
    LEAST_RISK = "least-risk"
    ONE_GRAPH = "one-graph"
    NOTHING_AHEAD = "graph-that-says-nothing-ahead"
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


ORDER_KINDS = (
    FindingKind.GAMEABLE,
    FindingKind.GAMEABLE_BACKWARDS,
    FindingKind.LEANING,
    FindingKind.UNDECIDED,
    FindingKind.TOO_SMALL,
    FindingKind.NO_EVIDENCE,
    FindingKind.NO_GRAPH,
)
"""Of a finding on the order, the gravest first."""

GAMEABLE_KINDS = ORDER_KINDS[:2]
ARTEFACT_KINDS = ORDER_KINDS[:3]
"""An artefact was found."""


ALGORITHM_KINDS = (
    FindingKind.ROBUST,
    FindingKind.VARIANCE_ORDER,
    FindingKind.VARIANCE_RATIOS,
    FindingKind.UNITS,
    FindingKind.LEAD_LOST,
    FindingKind.NO_LEAD,
    FindingKind.UNDECIDED,
)
"""Of a finding on an algorithm that has scores."""

NOT_JUDGED = "not judged"
NOT_MEASURED = "not measured"
TOO_FEW_UNITS = "too few units"
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
        sentence for each variant. The claim comes first, then its numbers in brackets.
    advice : str
        What follows from it.
    """

    label: str
    sentences: str | Mapping[str, str]
    advice: str | Mapping[str, str] = ""


_ORDER = (
    "({over}F1 {f1:.2f} against {random_f1:.2f}, p-value {winning_p}; sortability "
    "{sortability:.2f}, p-value {sortable_p})."
)
_TV = "(TV: {algorithm} {tv:.2f}, empty graph {empty_tv:.2f}, floor {floor_tv:.2f})."
_LOOK_ALIKES = (
    "By TV {n_harder} of {n_kinds} synthetic kinds are harder than the real experiment, "
    "{n_easier} are easier, {n_undecided} cannot be told apart (each at 95 %)"
)
_VIOLATED = (
    "({n_violated} of {n_implied} rejected at {violated_level}; {share_as_few} of relabelled "
    "graphs have no more)."
)

_FIRSTS = "{scheme}: metrics rank different algorithms first ({firsts}). {leads}"

BOTH_VARIANCES = "depends on variance order and ratios"
"""The label of two findings together."""

_RISK = "{risk:.2f} [{low:.2f}, {high:.2f}]"
_NOTHING_AHEAD = (
    "The {graph} graph, which says nothing, has less risk by estimate ({graph_risk:.2f}) than"
)
_NOT_BEYOND = (
    "No evidence that any of {n_algorithms} algorithms beats random graphs of its density "
    f"(smallest corrected p-value {{p_corrected:.2g}}); the leader {{algorithm}} ({_RISK})"
)
_DENSITY = (
    "The ranking follows density: graphs that name {more} descendants have less risk (Spearman "
    "{spearman:.2f}, p-value {p_value:.2g});"
)
_TAU = "(Kendall's tau over {n_algorithms} algorithms {tau})."

WORDING: Mapping[FindingKind, Wording] = MappingProxyType(
    {
        FindingKind.GAMEABLE: Wording(
            "gameable",
            {
                "": f"Gameable by {{word}}: sorting by it beats random orders {_ORDER}",
                "scheme": "{scheme}: gameable by {statistics} ({details}).",
            },
            {"": "{cure}"},
        ),
        FindingKind.GAMEABLE_BACKWARDS: Wording(
            "gameable backwards",
            {
                "": "Gameable backwards by {word}: sorting in descending order beats random orders "
                f"{_ORDER}",
                "scheme": "{scheme}: gameable backwards by {statistics} ({details}).",
            },
            {
                "": "Either the {graph_is} transposed, or {word} falls along the causal order. "
                "{cure}"
            },
        ),
        FindingKind.LEANING: Wording(
            "leaning",
            {
                "sortable": "Leaning: {word} {grows} along the causal order, without evidence that "
                f"sorting by it helps {_ORDER}",
                "winning": "Leaning: sorting by {falling}{word} beats random orders, without "
                f"evidence of sortability {_ORDER}",
                # Shorter, since more numbers follow.
                "files sortable": "Leaning: sortable by {falling}{word}, without evidence that it "
                f"helps {_ORDER}",
                "files winning": "Leaning: sorting by {falling}{word} helps, without evidence of "
                f"sortability {_ORDER}",
                "scheme": "{scheme}: leaning towards gameable by {statistics} ({details}).",
            },
        ),
        FindingKind.UNDECIDED: Wording(
            "undecided",
            {
                "": "Undecided: {why}.",
                "scheme": "{scheme}: undecided, because what sorting reaches was not measured (the "
                "notes of the rows say why).",
                NOT_JUDGED: "{algorithm} is undecided: what chance reaches was not measured "
                "(metrics without f1, or controls = false).",
                NOT_MEASURED: "{algorithm} is undecided: what chance reaches could not be measured "
                "(the notes of the rows say why).",
                TOO_FEW_UNITS: "{algorithm} is undecided: too few units: {n_units}, and {n_needed} "
                "are needed.",
                NO_TRUE_SCHEME: "{algorithm} is undecided: an artefact was found on every scheme "
                "with true labels.",
                NEITHER: "{algorithm} is undecided: where no artefact was found, neither a lead "
                "nor its loss was{leads}.",
                LEADS_ON_SOME: "{algorithm} is undecided: it leads on {kept}, but neither a lead "
                "nor its loss was found on {others}{leads}.",
            },
        ),
        FindingKind.TOO_SMALL: Wording(
            "too small",
            {
                "": "Too small, or without signal: too many random orders are as good as a true "
                "one ({share}, at a level of {level}).",
                "no pair": "Too small: the graph has no pair of cause and effect to order.",
                "files": "Too small, or without signal: even true orders would not beat random "
                "ones ({files}).",
                "scheme": "{scheme}: too small to tell whether sorting by {statistics} helps "
                "({details}).",
            },
        ),
        FindingKind.NO_EVIDENCE: Wording(
            "no evidence",
            {
                "": "No evidence that sorting by {words} gives the order away ({over}F1 at most "
                "{best_f1:.2f} against {random_f1:.2f}; sortability {limits}).",
                "tied": "No evidence that sorting gives the order away (nothing differs among "
                "columns).",
                "scheme": "{scheme}: no evidence that sorting by {statistics} helps ({details}).",
            },
        ),
        FindingKind.NO_GRAPH: Wording(
            "no graph", "No graph, so no finding on the order ({described})."
        ),
        FindingKind.GRAPH_REFUTED: Wording(
            "graph refuted",
            {
                "": "The graph is refuted: implied independences are rejected, no fewer than under "
                f"relabelled graphs {_VIOLATED}",
                "files": "Some graphs are refuted ({checked} checked, each at 1 %; {n_refuted} "
                "refuted).",
            },
            {
                "": "Check that the graph's names and the columns mean the same variables.",
                "files": "Refuted: {names}.",
            },
        ),
        FindingKind.GRAPH_NOT_REFUTED: Wording(
            "graph not refuted",
            {
                "": "The graph is not refuted: no implied independence is rejected ({n_implied} "
                "tested at {level} together).",
                "fewer": "The graph is not refuted: implied independences are rejected, but fewer "
                f"than under relabelled graphs {_VIOLATED}",
                "files": "No graph is refuted ({checked} checked, each at 1 %; {n_refuted} "
                "refuted).",
            },
        ),
        FindingKind.GRAPH_NOT_CHECKED: Wording(
            "graph not checked",
            {
                "": "The graph was not checked: {why}.",
                "files": "No graph was checked ({files}).",
            },
        ),
        # ---- algorithms and schemes ----
        FindingKind.ROBUST: Wording(
            "robust",
            "{algorithm} is robust: it leads random orders where no artefact was found ({leads}).",
        ),
        FindingKind.VARIANCE_ORDER: Wording(
            "depends on variance order",
            "{algorithm} depends on the order of variances: rescaled at random, its {metric} and "
            "its order score fall ({metric} {in_order} in order, {at_random} at random; order "
            "score {order_in_order} and {order_at_random}).",
        ),
        FindingKind.VARIANCE_RATIOS: Wording(
            "depends on variance ratios",
            "{algorithm} depends on the ratios of variances ({metric} {raw} on {scheme}, "
            "{in_order} with other variances in the same order).",
        ),
        FindingKind.UNITS: Wording(
            "depends on units",
            "{algorithm} depends on the units of the columns ({metric} {scores}).",
        ),
        FindingKind.LEAD_LOST: Wording(
            "lead lost",
            {
                "": "{algorithm} loses its lead on {lost}; no cause can be named ({leads}).",
                LEADS_ON_SOME: "{algorithm} loses its lead on {lost}, keeps it on {kept}; no cause "
                "can be named ({leads}).",
            },
        ),
        FindingKind.NO_LEAD: Wording(
            "no lead found",
            "No lead was found for {algorithm} over random orders and over as many edges at random "
            "places (at most {leads}).",
        ),
        FindingKind.NO_SCORE: Wording(
            "no score", "{algorithm} is not judged, because no run has a score."
        ),
        FindingKind.FAILURES: Wording(
            "failures",
            "{algorithm} did not finish {n_lost} of {n_runs} runs ({by_status}; {where}), most "
            "often {reason}.",
            {"": "Only runs that ended count.", "all": "It has no score."},
        ),
        # ---- studies ----
        FindingKind.NO_SIGNAL: Wording(
            "no signal",
            "{scheme}: no algorithm finds more than as many edges at random places would.",
            "Check that these graphs belong to these data.",
        ),
        FindingKind.NO_FREE_SCHEME: Wording(
            "no free scheme",
            "No lead can be called robust, because every generated scheme has an artefact: add "
            'problems on the same graphs whose model is "iscm" or "uumc".',
        ),
        FindingKind.NO_RESCALING: Wording(
            "no rescaling",
            "What scores owe to variances was not measured: add the same problems with transform "
            '"rescale-in-order", "rescale-at-random" and "standardize".',
        ),
        FindingKind.INCOMPLETE: Wording(
            "incomplete", "The study is not complete: runs are missing ({missing})."
        ),
        FindingKind.METRICS_DISAGREE: Wording("metrics disagree", f"{_FIRSTS} ({{units}})."),
        FindingKind.METRICS_DIFFER: Wording(
            "metrics differ",
            f"{_FIRSTS}; {{which}} lead is distinguishable from 0 ({{units}}).",
        ),
        # ---- choices ----
        FindingKind.BEST: Wording(
            "best",
            "{algorithm} is the best of {n_algorithms} algorithms on these experiments (risk "
            f"{_RISK}), and beats random graphs of its density.",
        ),
        FindingKind.MAY_BE_BEST: Wording(
            "may be the best",
            "The data cannot tell {n_remaining} of {n_algorithms} algorithms from the best one: "
            "{names}.",
        ),
        FindingKind.LEAST_RISK: Wording(
            "least risk",
            f"{{algorithm}} has less risk than the other {{n_others}} algorithms ({_RISK}), which "
            "alone does not make it good.",
        ),
        FindingKind.ONE_GRAPH: Wording(
            "one graph",
            f"All {{n_algorithms}} algorithms found the same graph (risk {_RISK}).",
        ),
        FindingKind.NOTHING_AHEAD: Wording(
            "graph that says nothing ahead",
            {
                "": f"{_NOTHING_AHEAD} all {{n_algorithms}} algorithms (least: {{algorithm}}, "
                f"{_RISK}).",
                "one algorithm": f"{_NOTHING_AHEAD} {{algorithm}} ({_RISK}).",
            },
        ),
        FindingKind.BEATS_RANDOM_GRAPHS: Wording(
            "beats random graphs",
            "{names} {beat} random graphs of the same density ({n_beating} of {n_algorithms} "
            "algorithms; smallest corrected p-value {p_corrected:.2g}).",
        ),
        FindingKind.NOT_BEYOND_RANDOM_GRAPHS: Wording(
            "not beyond random graphs",
            {
                "": f"{_NOT_BEYOND} beats {{share_beaten:.0%}} of them.",
                "few": f"{_NOT_BEYOND} beats only {{share_beaten:.0%}} of them by estimate.",
            },
        ),
        FindingKind.RANDOM_ORDER_BEATS_THEM: Wording(
            "random order beats random graphs",
            "So does the baseline {algorithm}, whose order is drawn at random (p-value "
            "{p_value:.2g}): beating random graphs shows a relation to the data, not causes.",
        ),
        FindingKind.DENSITY: Wording(
            "density",
            {
                "": f"{_DENSITY} {{n_beating}} of {{n_algorithms}} are shown to beat random "
                "graphs.",
                "none beats": f"{_DENSITY} none is shown to beat random graphs.",
            },
        ),
        FindingKind.MANY_DESCENDANTS: Wording(
            "many descendants",
            "The tests call {fewest} to {most} of {n_others} columns descendants ({share:.0%} of "
            "pairs): batch or side effects would do that, and dense graphs gain by it.",
        ),
        FindingKind.FEW_DESCENDANTS: Wording(
            "few descendants",
            "{n_unmoved} of {n_intervened} intervened columns move no other column by the tests; "
            "sparse graphs gain by it.",
        ),
        FindingKind.SAME_LEADER: Wording(
            "same leader at all cut-offs",
            "{algorithm} leads at every cut-off on effect size ({cutoffs}).",
        ),
        FindingKind.LEADER_CHANGES: Wording(
            "leader depends on cut-off",
            "The leader depends on the cut-off on effect size ({leaders}).",
        ),
        FindingKind.SCORES_AGREE: Wording(
            "scores agree",
            {
                "": f"Both scores put {{algorithm}} first, risk and prediction {_TAU}",
                "other order": "Both scores put {algorithm} first, risk and prediction, but order "
                f"the others differently {_TAU}",
            },
        ),
        FindingKind.SCORES_DIFFER: Wording(
            "scores differ",
            "The two scores differ: risk puts {algorithm} first, prediction {predicts_best} "
            f"{_TAU}",
        ),
        FindingKind.NOTHING_PREDICTED: Wording(
            "nothing predicted",
            "No algorithm predicts the experiments better than “nothing changes” ({algorithm}: "
            "{score:.3f}, nothing changes: {nothing_changes:.3f}).",
        ),
        FindingKind.FLAGGED_INTERVENTIONS: Wording(
            "flagged interventions make the difference",
            "Without {n_flagged} flagged interventions ({names}) prediction puts {algorithm} "
            "first, too: they make the difference.",
        ),
        FindingKind.SMALL_EFFECTS: Wording(
            "small effects make the difference",
            "With effects of at least {least_effect:g} risk puts {algorithm} first, too: smaller "
            "effects that the tests count make the difference.",
        ),
        FindingKind.TOO_FEW_EXPERIMENTS: Wording(
            "too few experiments",
            "{n_experiments} experiments are too few for prediction to tell {predicts_best} from "
            "{algorithm} (difference {difference:.3f} [{low:.3f}, {high:.3f}]).",
        ),
        FindingKind.EQUAL_BY_CONSTRUCTION: Wording(
            "equal by construction",
            "For {n_equal} of {n_algorithms} algorithms the weighted risk is the naive one by "
            "construction: they read no interventional rows.",
        ),
        # ---- evaluations ----
        FindingKind.CLOSEST: Wording(
            "closest", f"{{algorithm}} comes closest to the experiment {_TV}"
        ),
        FindingKind.MAY_BE_CLOSEST: Wording(
            "may be closest",
            f"{{n_tied}} of {{n_scored}} algorithms may be closest to the experiment {_TV}",
        ),
        FindingKind.NOT_CLOSER: Wording(
            "not closer than the empty graph",
            {
                "": "No algorithm is shown to be closer to the experiment than the empty graph "
                f"{_TV}",
                "any": "No algorithm is shown to be closer than the empty graph.",
            },
        ),
        FindingKind.NOT_JUDGED: Wording("not judged", "No algorithm could be judged: {why}."),
        FindingKind.RANKING: Wording(
            "ranking",
            {
                "": "{measure} ranks {ranking}.",
                "undecided": "{measure} ranks {ranking}; a slash: {slash}.",
            },
        ),
        FindingKind.OPPOSITE_ORDERS: Wording(
            "opposite orders",
            {
                "": "{by} prefers {better} to {worse} (difference {difference}), {against} prefers "
                "{worse} ({other_difference}).",
                "several": "{by} prefers {pairs_named}; {against} has the opposite order of each.",
            },
        ),
        FindingKind.NO_OPPOSITE_ORDERS: Wording(
            "no opposite orders",
            "No two measures order a pair of algorithms in opposite ways beyond chance.",
        ),
        FindingKind.CLOSER_THAN_EMPTY: Wording(
            "closer than the empty graph",
            "{names} {are} closer to the experiment's laws than the empty graph (TV "
            "{empty_tv:.2f}).",
        ),
        FindingKind.FURTHER_THAN_EMPTY: Wording(
            "further than the empty graph",
            "{names} {are} further from the experiment's laws than the empty graph (TV "
            "{empty_tv:.2f}).",
        ),
        FindingKind.CONSISTENT_BEHIND_EMPTY: Wording(
            "consistent graph behind the empty one",
            "The consistent graph (SHD 0, SID 0) has a larger TV than the empty one ({tv:.2f} "
            "against {empty_tv:.2f}): with these rows estimating it costs more than it gains.",
        ),
        FindingKind.EFFECTS_FOUND: Wording(
            "effects found",
            "Tests found effects in {found} of {pairs} pairs of treatment and outcome; SHD and SID "
            "are taken against the graph with these effects.",
        ),
        FindingKind.FEW_EFFECTS_FOUND: Wording(
            "few effects found",
            "Tests found effects in {found} of {pairs} pairs, and in {found_above} of the {above} "
            "whose TV exceeds the floor: SHD and SID against that graph mean little.",
        ),
        FindingKind.LOOK_ALIKES: Wording(
            "synthetic experiments",
            {
                "": f"{_LOOK_ALIKES}.",
                "not compared": f"{_LOOK_ALIKES}; {{n_not_compared}} are not compared.",
            },
        ),
    }
)
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
    subject : Subject
        What it is about.
    numbers : mapping
        What its sentence states, by name: numbers, p-values, intervals.
    rule : str
        The name of the rule that led to it, in `judging.rules`.
    words : mapping
        Names and clauses of its sentence.
    variant : str
        Of a kind with several sentences: which one.
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
        template = templates if isinstance(templates, str) else templates.get(self.variant, "")
        return template.format(**{**self.numbers, **self.words})

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
        return {name: one.text for name, one in self.numbers.items() if hasattr(one, "text")}

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
    >>> both = Finding(FindingKind.NO_EVIDENCE), Finding(FindingKind.LEANING)
    >>> main_finding(both).kind.value
    'leaning'
    """
    on_order = (finding for finding in findings if finding.kind in ORDER_KINDS)
    return min(on_order, key=lambda finding: ORDER_KINDS.index(finding.kind))


def rules_of(findings: tuple[Finding, ...]) -> dict[str, Any]:
    """Return the rules that led to findings and those they rest on, by name."""
    named = [name for finding in findings for name in finding.rule_names]
    resting = [name for rule in named for name in RULES[rule].rests_on]
    return {name: RULES[name] for name in dict.fromkeys([*resting, *named])}
