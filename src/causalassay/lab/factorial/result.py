"""The whole evaluation of an experiment: scores, specifications, look-alikes and findings."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import combinations, groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from causalassay.contracts import Algorithm
from causalassay.judging.findings import Finding, FindingKind, Subject
from causalassay.lab.factorial.biasing import Settings, at_extremes
from causalassay.lab.factorial.experiment import FactorialExperiment
from causalassay.lab.factorial.lookalikes import (
    N_EXPERIMENTS,
    LookAlikeRow,
    configurations,
    score_look_alikes,
)
from causalassay.lab.factorial.prediction import SpecificationRow, score_specifications
from causalassay.lab.factorial.scores import (
    CONSISTENT,
    EMPTY,
    FLOOR,
    MEASURES,
    REPEATS,
    ScoreRow,
    score_algorithms,
)
from causalassay.lab.factorial.truth import ALPHA, LEVEL, Mean, Truth, mean_of, without_doubles
from causalassay.present import Document, Shown
from causalassay.present.formatting import Interval, counted, few, fixed
from causalassay.present.json_values import plain_values

MOST_PAIRS = 4
"""Pairs that one sentence names."""

DECIMALS = {"TV": 2, "SHD": 1, "SID": 1}

RULE = "paired repeats"

_MEASURE_PAIRS = (("TV", "SHD"), ("TV", "SID"), ("SHD", "SID"))


class EffectCounts(NamedTuple):
    """Pairs of treatment and outcome, and in how many of them the tests found an effect.

    Parameters
    ----------
    found, pairs : int
    found_above, above : int
        The same among pairs whose TV between last and first level exceeds the floor's TV, so
        that it is more than one run of each subject leaves to chance.

    Examples
    --------
    >>> EffectCounts(found=0, pairs=12, found_above=0, above=5).say_little
    True
    """

    found: int
    pairs: int
    found_above: int
    above: int

    @property
    def say_little(self) -> bool:
        """Whether the tests found no effect, or fewer than half of those above the floor."""
        return self.found == 0 or 2 * self.found_above < self.above


def count_effects(truth: Truth, floor: NDArray[Any]) -> EffectCounts:
    """Return how many effects the tests found.

    Parameters
    ----------
    truth : Truth
    floor : ndarray, shape (treatments, outcomes)
        The TV of each pair between one direct experiment and the truth.
    """
    moved = truth.p_values <= ALPHA
    above = truth.effects > floor
    return EffectCounts(int(moved.sum()), moved.size, int(np.sum(moved & above)), int(above.sum()))


class Preference(NamedTuple):
    """A pair of rows that two measures order differently, both beyond chance."""

    better: str
    worse: str
    by: str
    difference: Mean
    against: str
    other_difference: Mean


class Comparisons:
    """Paired differences between the rows of an evaluation, over its repeats.

    All that an evaluation says of them is corrected together (Bonferroni): with 5 % or less
    any of its claims on an order is wrong by chance, as far as the draw of the bias goes.

    Parameters
    ----------
    rows : sequence of ScoreRow
    """

    def __init__(self, rows: Sequence[ScoreRow]) -> None:
        n_algorithms = sum(row.role == "algorithm" for row in rows)
        among_algorithms = n_algorithms * (n_algorithms - 1) // 2
        n_claims = len(MEASURES) * among_algorithms + n_algorithms + 1
        self._level = 1 - (1 - LEVEL) / n_claims

    def sign(self, first: ScoreRow, other: ScoreRow, measure: str) -> int:
        """Return -1 where the first is shown to be smaller, 1 where larger, 0 if undecided."""
        difference = mean_of(first.by_repeat[measure] - other.by_repeat[measure], self._level)
        if difference.high < 0:
            return -1
        return 1 if difference.low > 0 else 0


def main_finding(rows: Sequence[ScoreRow]) -> Finding:
    """Return what to read first: which algorithm is closest to the experiment."""
    named = {row.name: row for row in rows if row.role == "reference"}
    scored = _ranked(_scored_algorithms(rows), "TV")
    if not scored:
        reasons = [reason for row in rows if row.role == "algorithm" for reason in row.reasons]
        why = reasons[0] if reasons else "none was run"
        return Finding(FindingKind.NOT_JUDGED, words={"why": why})
    best, compared = scored[0], Comparisons(rows)
    tied = [row for row in scored if compared.sign(best, row, "TV") == 0]
    if compared.sign(best, named[EMPTY], "TV") >= 0:
        kind = FindingKind.NOT_CLOSER
    else:
        kind = FindingKind.CLOSEST if len(tied) == 1 else FindingKind.MAY_BE_CLOSEST
    numbers = {
        "tv": best.mean("TV").value,
        "empty_tv": named[EMPTY].mean("TV").value,
        "floor_tv": named[FLOOR].mean("TV").value,
        "n_tied": len(tied),
        "n_scored": len(scored),
    }
    return Finding(kind, Subject(algorithm=best.name), numbers, RULE, {"algorithm": best.name})


def effect_finding(counts: EffectCounts) -> Finding:
    """Return what the consistent graph rests on: how many effects the tests found."""
    kind = FindingKind.FEW_EFFECTS_FOUND if counts.say_little else FindingKind.EFFECTS_FOUND
    return Finding(kind, numbers=counts._asdict())


def score_findings(rows: Sequence[ScoreRow]) -> tuple[Finding, ...]:
    """Return the ranking that each measure gives, and where rankings contradict each other."""
    algorithms = _scored_algorithms(rows)
    if not algorithms:
        return (main_finding(rows),)
    compared = Comparisons(rows)
    findings = [_ranking(algorithms, measure, compared) for measure in MEASURES]
    contradictions = disagreements(algorithms, compared)
    if contradictions:
        by_measures = groupby(
            contradictions, key=lambda preference: (preference.by, preference.against)
        )
        findings += [_disagreement(tuple(pairs)) for _, pairs in by_measures]
    elif len(algorithms) > 1:
        findings.append(Finding(FindingKind.NO_OPPOSITE_ORDERS, rule=RULE))
    return (*findings, *_beside_references(rows, algorithms, compared))


def look_alike_findings(rows: Sequence[LookAlikeRow]) -> tuple[Finding, ...]:
    """Return how many kinds are easier than the real experiment, and how many harder."""
    if not rows:
        return ()
    n_not_compared = sum(math.isnan(row.harder.low) for row in rows)
    numbers = {
        "n_kinds": len(rows),
        "n_harder": sum(row.harder.high < 0 for row in rows),
        "n_easier": sum(row.harder.low > 0 for row in rows),
        "n_undecided": sum(row.harder.low <= 0 <= row.harder.high for row in rows),
        "n_not_compared": n_not_compared,
    }
    variant = "not compared" if n_not_compared else ""
    return (Finding(FindingKind.LOOK_ALIKES, numbers=numbers, variant=variant),)


def disagreements(rows: Sequence[ScoreRow], compared: Comparisons) -> tuple[Preference, ...]:
    """Return pairs that two measures order in opposite ways, both beyond chance.

    All pairs of measures are compared; those of one pair of measures follow each other.
    """
    return tuple(
        _preference(
            (first, other) if compared.sign(first, other, by) < 0 else (other, first), by, against
        )
        for by, against in _MEASURE_PAIRS
        for first, other in combinations(rows, 2)
        if compared.sign(first, other, by) * compared.sign(first, other, against) < 0
    )


def _preference(ordered: tuple[ScoreRow, ScoreRow], by: str, against: str) -> Preference:
    better, worse = ordered
    return Preference(
        better.name,
        worse.name,
        by,
        _difference(better, worse, by),
        against,
        _difference(better, worse, against),
    )


def _difference(first: ScoreRow, other: ScoreRow, measure: str) -> Mean:
    """Return the mean paired difference over repeats, smaller is better."""
    return mean_of(first.by_repeat[measure] - other.by_repeat[measure])


def _scored(row: ScoreRow) -> bool:
    return row.mean("TV").n > 0


def _scored_algorithms(rows: Sequence[ScoreRow]) -> list[ScoreRow]:
    return [row for row in rows if row.role == "algorithm" and _scored(row)]


def _ranked(rows: Sequence[ScoreRow], measure: str) -> list[ScoreRow]:
    return sorted(rows, key=lambda row: row.mean(measure).value)


def _ranking(rows: Sequence[ScoreRow], measure: str, compared: Comparisons) -> Finding:
    """Return the order of the means; "then" only where all before are shown to be smaller."""
    ordered = _ranked(rows, measure)
    means = {row.name: row.mean(measure).value for row in ordered}
    pairs = [*combinations(range(len(ordered)), 2)]
    decided = {(i, j) for i, j in pairs if compared.sign(ordered[i], ordered[j], measure) < 0}
    groups: list[list[str]] = []
    within = []
    first = 0
    for position, row in enumerate(ordered):
        if all((i, j) in decided for i, j in pairs if i < position <= j):
            groups.append([])
            first = position
        groups[-1].append(row.name)
        within += [
            (ordered[i].name, row.name) for i in range(first, position) if (i, position) in decided
        ]
    written = ", then ".join(
        " / ".join(f"{name} ({fixed(means[name], DECIMALS[measure])})" for name in group)
        for group in groups
    )
    words = {"measure": measure, "ranking": written}
    if len(groups) < len(ordered):
        words["slash"] = _slash_meaning(within)
    return Finding(
        FindingKind.RANKING,
        numbers={"means": means, "groups": groups, "decided_within": within},
        rule=RULE,
        words=words,
        variant="undecided" if "slash" in words else "",
    )


def _slash_meaning(within: Sequence[tuple[str, str]]) -> str:
    """Return what a slash means, but for pairs beside it whose order is shown."""
    if not within:
        return "undecided"
    pairs = [f"{better} before {worse}" for better, worse in within]
    return f"undecided, except {few(pairs, MOST_PAIRS)}"


def _disagreement(preferences: Sequence[Preference]) -> Finding:
    """Return one finding on the pairs that two measures order in opposite ways."""
    first = preferences[0]
    words = {"by": first.by, "against": first.against}
    pairs = [(preference.better, preference.worse) for preference in preferences]
    if len(preferences) == 1:
        words |= {
            "better": first.better,
            "worse": first.worse,
            "difference": _signed(first.difference, first.by),
            "other_difference": _signed(first.other_difference, first.against),
        }
        numbers = {
            "pairs": pairs,
            "difference": Interval(*first.difference[:3]),
            "other_difference": Interval(*first.other_difference[:3]),
        }
        return Finding(FindingKind.OPPOSITE_ORDERS, numbers=numbers, rule=RULE, words=words)
    better_than: dict[str, list[str]] = {}
    for better, worse in pairs[:MOST_PAIRS]:
        better_than.setdefault(worse, []).append(better)
    named = "; ".join(f"{', '.join(names)} to {worse}" for worse, names in better_than.items())
    left = len(pairs) - MOST_PAIRS
    words["pairs_named"] = f"{named}; and {counted(left, 'more pair')}" if left > 0 else named
    return Finding(
        FindingKind.OPPOSITE_ORDERS,
        numbers={"pairs": pairs},
        rule=RULE,
        words=words,
        variant="several",
    )


def _signed(mean: Mean, measure: str) -> str:
    digits = DECIMALS[measure]
    return f"{mean.value:+.{digits}f}, 95 % {mean.low:+.{digits}f} to {mean.high:+.{digits}f}"


def _beside_references(
    rows: Sequence[ScoreRow], algorithms: Sequence[ScoreRow], compared: Comparisons
) -> list[Finding]:
    named = {row.name: row for row in rows if row.role == "reference"}
    empty, consistent = named[EMPTY], named[CONSISTENT]
    if not _scored(empty):
        return []
    numbers = {"empty_tv": empty.mean("TV").value}
    findings = []
    signs = {row.name: compared.sign(row, empty, "TV") for row in algorithms}
    for sign, kind in ((-1, FindingKind.CLOSER_THAN_EMPTY), (1, FindingKind.FURTHER_THAN_EMPTY)):
        names = [name for name, decided_sign in signs.items() if decided_sign == sign]
        if names:
            words = {"names": ", ".join(names), "are": "is" if len(names) == 1 else "are"}
            findings.append(
                Finding(kind, numbers={**numbers, "which": names}, rule=RULE, words=words)
            )
    if -1 not in signs.values():
        findings.append(Finding(FindingKind.NOT_CLOSER, rule=RULE, variant="any"))
    if _scored(consistent) and compared.sign(consistent, empty, "TV") > 0:
        tv = consistent.mean("TV").value
        findings.append(
            Finding(FindingKind.CONSISTENT_BEHIND_EMPTY, numbers={**numbers, "tv": tv}, rule=RULE)
        )
    return findings


# The whole evaluation of an experiment: scores, specifications, look-alikes, findings.


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Shown):
    """What algorithms reach on an experiment.

    Parameters
    ----------
    given : FactorialExperiment
        With all levels; that of `truth` has two of each treatment.
    truth : Truth
        The laws of the experiment, against which graphs are scored.
    repeats, seed : int
        How often the experiment was biased, and the seed of all random draws.
    rows : tuple of ScoreRow
        Of the algorithms, the least TV first, then of what they are compared with.
    specifications : tuple of SpecificationRow
        Too many and too few edges.
    look_alikes : tuple of LookAlikeRow
        Empty if they were not asked for.
    doubles : mapping of str to str
        Columns that were left out, with the one that each equals; see `without_doubles`.
    """

    given: FactorialExperiment
    truth: Truth
    repeats: int
    seed: int
    rows: tuple[ScoreRow, ...]
    specifications: tuple[SpecificationRow, SpecificationRow]
    look_alikes: tuple[LookAlikeRow, ...]
    doubles: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def verdict(self) -> Finding:
        """What to read first: which algorithm is closest to the experiment."""
        return main_finding(self.rows)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What the scores and the look-alikes show besides."""
        return (*score_findings(self.rows), *look_alike_findings(self.look_alikes))

    @property
    def headline(self) -> str:
        """The sentence to read first."""
        return self.verdict.sentence

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the scores show besides, in sentences."""
        return tuple(finding.sentence for finding in self.findings)

    @cached_property
    def effects(self) -> Finding:
        """What the consistent graph rests on: how many effects the tests found."""
        return effect_finding(self.effect_counts)

    @property
    def effect_counts(self) -> EffectCounts:
        """How many effects the tests found."""
        (floor,) = (row.pairs for row in self.rows if row.name == FLOOR)
        return count_effects(self.truth, floor)

    @property
    def unused_levels(self) -> dict[str, tuple[Any, ...]]:
        """The levels between the first and the last, of treatments that have such."""
        levels = self.given.levels.items()
        return {name: tuple(every[1:-1]) for name, every in levels if len(every) > 2}  # noqa: PLR2004

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        experiment, truth = self.truth.experiment, self.truth
        return {
            "subjects": experiment.n_subjects,
            "rows": len(experiment.frame),
            "rows_given": len(self.given.frame),
            "unused_levels": {name: list(levels) for name, levels in self.unused_levels.items()},
            "left_out": list(experiment.left_out),
            "doubles": dict(self.doubles),
            "treatments": {name: list(levels) for name, levels in experiment.levels.items()},
            "outcomes": list(experiment.outcomes),
            "covariates": list(experiment.covariates),
            "biasing": experiment.biasing,
            "provenance": dict(experiment.provenance),
            "settings": asdict(truth.settings),
            "repeats": self.repeats,
            "seed": self.seed,
            "effects": [effect._asdict() for effect in truth.effect_rows],
            "effects_found": self.effect_counts._asdict(),
            "consistent_edges": [
                [truth.columns[i], truth.columns[j]]
                for i, j in zip(*truth.graph.nonzero(), strict=True)
            ],
            "scores": [row.to_dict() for row in self.rows],
            "specifications": [row.to_dict() for row in self.specifications],
            "look_alikes": [row.to_dict() for row in self.look_alikes],
            "headline": self.headline,
            "sentences": list(self.sentences),
            "findings": plain_values([self.verdict, self.effects, *self.findings]),
        }

    def document(self) -> Document:
        """Return what the evaluation shows."""
        from causalassay.lab.factorial.document import evaluation_document  # noqa: PLC0415

        return evaluation_document(self)


def evaluate(  # noqa: PLR0913
    experiment: FactorialExperiment,
    algorithms: Mapping[str, Algorithm],
    settings: Settings | None = None,
    *,
    repeats: int = REPEATS,
    n_look_alikes: int = N_EXPERIMENTS,
    seed: int = 0,
    on_step: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """Return what algorithms reach on an experiment that is made observational.

    Each repeat biases the experiment anew by Algorithm 1. Algorithms learn a graph from one row
    per subject, the graph is fitted to the same rows, and the laws of the outcomes that it
    predicts under each treatment's last level are compared with the experiment's.

    Parameters
    ----------
    experiment : FactorialExperiment
        Of treatments with more than two levels, the first and the last are used.
    algorithms : mapping of str to Algorithm
        By label.
    settings : Settings, optional
        By default those of `Settings`.
    repeats : int
        How often the experiment is biased anew.
    n_look_alikes : int
        Synthetic experiments of each kind; 0 leaves them out.
    seed : int
        The seed of all random draws.
    on_step : callable
        Called with the steps done and the number of steps.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.lab.factorial import LookAlike, Sizes, draw_look_alike
    >>> experiment = draw_look_alike(
    ...     Sizes(60, 1, 2, 2), LookAlike("logistic", 1, 9.0), np.random.default_rng(0)
    ... )
    >>> from causalassay.discovery import make_algorithm
    >>> result = evaluate(experiment, {"pc": make_algorithm("pc")}, repeats=2, n_look_alikes=0)
    >>> result.rows[0].name, len(result.sentences) > 3
    ('pc', True)
    """
    settings = settings or Settings()
    truth, doubles = without_doubles(Truth(at_extremes(experiment), settings))
    kinds = configurations(len(truth.experiment.outcomes)) if n_look_alikes > 0 else ()
    total, done = repeats + len(kinds), 0

    def step() -> None:
        nonlocal done
        done += 1
        if on_step is not None:
            on_step(done, total)

    rows = _by_variation(score_algorithms(truth, algorithms, repeats, seed, on_repeat=step))
    specifications = score_specifications(truth, repeats, seed)
    look_alikes = score_look_alikes(
        truth.experiment,
        rows,
        algorithms,
        settings,
        kinds,
        n_experiments=n_look_alikes,
        seed=seed,
        on_kind=step,
    )
    return Evaluation(experiment, truth, repeats, seed, rows, specifications, look_alikes, doubles)


def _by_variation(rows: tuple[ScoreRow, ...]) -> tuple[ScoreRow, ...]:
    """Return the algorithms by rising TV, those without one last; then what they meet."""

    def place(row: ScoreRow) -> tuple[bool, bool, float]:
        value = row.mean("TV").value if row.role == "algorithm" else 0.0
        return row.role == "reference", math.isnan(value), value

    return tuple(sorted(rows, key=place))
