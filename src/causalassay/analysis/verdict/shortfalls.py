"""Sentences about runs that did not end, and about metrics that disagree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from causalassay.analysis.bootstrap import deal, mean_with_interval
from causalassay.analysis.runs import ABSENT, OK, STATUSES
from causalassay.analysis.verdict.evidence import Evidence
from causalassay.analysis.verdict.intervals import FEWEST_UNITS, Interval
from causalassay.analysis.verdict.statements import Ledger, Number, Statement
from causalassay.analysis.verdict.words import in_words, metric_word, scheme_word

COMPARED = ("shd", "sid", "tv_dag")
"""Metrics of structure, of interventions and of interventional distributions."""
COVERAGE = 0.95
LONGEST_REASON = 120

FAILURE_RULE = (
    "Every row whose status is not ok is counted. Means are over the runs that ended; these may be "
    "the easy ones."
)
ABSENT_RULE = "A problem and replicate that other algorithms have rows of counts as still to come."
DISAGREEMENT_RULE = (
    "On each scheme with a signal, the listed algorithms with a score in at least "
    f"{COVERAGE:.0%} of the problems and replicates are ordered by the mean of each metric. Two "
    "metrics disagree if they put different ones first and each is ahead of the other in its "
    "metric with a 95 % interval of the paired difference above 0; otherwise the firsts differ. "
    f"Fewer than {FEWEST_UNITS} units decide nothing."
)


def judge_failures(evidence: Evidence) -> Iterator[Statement]:
    """Yield of each algorithm that did not always finish where it did not, and why."""
    runs = evidence.runs
    for place, name in enumerate(runs.algorithms):
        status = runs.status[place]
        if not ((status != OK) & (status != ABSENT)).any():
            continue
        say = Ledger()
        total = say(Number(int((status != ABSENT).sum()), "runs", "status", algorithm=name))
        failed = [
            (kind, int((status == code).sum())) for code, kind in enumerate(STATUSES) if code != OK
        ]
        missing = sum(count for _, count in failed)
        lost = say(Number(missing, "not ok", "status", algorithm=name))
        by_status = in_words(
            [
                f"{say(Number(count, 'not ok', 'status', algorithm=name, detail=kind))} {kind}"
                for kind, count in failed
                if count
            ]
        )
        sentence = (
            f"{name}: {lost} of {total} runs did not finish ({by_status}; "
            f"{_where(evidence, place, say)}), most often {_reason(evidence, name, say)}. "
        )
        sentence += (
            "It has no score at all." if (status != OK).all() else "Its means are over survivors."
        )
        yield Statement("failures", sentence, FAILURE_RULE, say.numbers, name)


def judge_absences(evidence: Evidence) -> Iterator[Statement]:
    """Yield how many rows are still to come, if any are."""
    counts = evidence.summary.counts
    lacking = counts[counts["absent"] > 0]
    if len(lacking):
        say = Ledger()
        told = [
            f"{say(Number(int(absent), 'to come', 'status', algorithm=str(name)))} of {name}"
            for name, absent in zip(lacking["algorithm"], lacking["absent"], strict=True)
        ]
        sentence = f"The study is not complete: runs are still to come, {in_words(told)}."
        yield Statement("incomplete", sentence, ABSENT_RULE, say.numbers)


def _where(evidence: Evidence, place: int, say: Ledger) -> str:
    status, name = evidence.runs.status[place], evidence.runs.algorithms[place]
    lost = {
        scheme: int(((status[cells] != OK) & (status[cells] != ABSENT)).sum())
        for scheme, cells in evidence.cells.items()
    }
    return ", ".join(
        f"{say(Number(count, 'not ok', 'status', scheme, name))} on {scheme_word(scheme)}"
        for scheme, count in lost.items()
        if count
    )


def _reason(evidence: Evidence, algorithm: str, say: Ledger) -> str:
    frame = evidence.table.frame
    rows = frame[(frame["algorithm"] == algorithm) & (frame["status"] != "ok")]
    counts = rows["reason"].astype(str).value_counts()
    # Of equally frequent ones the first by name, whatever the order of the rows.
    reason = min(counts.index[counts == counts.max()])
    number = Number(int(counts.max()), "reason", "reason", algorithm=algorithm, detail=reason)
    shown = reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]}…"
    return f"“{shown}” ({say(number)} of them)"


def judge_disagreements(evidence: Evidence, schemes: Iterable[str]) -> Iterator[Statement]:
    """Yield those of some schemes where metrics put different algorithms first."""
    metrics = [name for name in COMPARED if name in evidence.table.metrics]
    for scheme in schemes:
        firsts = {}
        for metric in metrics:
            if means := _means(evidence, metric, scheme):
                firsts[metric] = _first(means, evidence.runs.better[metric])
        apart = [
            pair
            for pair in combinations(firsts, 2)
            if firsts[pair[0]].algorithm != firsts[pair[1]].algorithm
        ]
        if apart:
            yield _disagreement(evidence, scheme, firsts, apart)


def _disagreement(
    evidence: Evidence,
    scheme: str,
    firsts: Mapping[str, Number],
    apart: Sequence[tuple[str, str]],
) -> Statement:
    """Return how far metrics with different firsts bear their choice out."""
    say = Ledger()
    told = in_words(
        [
            f"{metric_word(metric)} {first.algorithm} ({say(first)})"
            for metric, first in firsts.items()
        ]
    )
    start = f"On {scheme_word(scheme)} the metrics put different algorithms first: {told}"
    leads = [_both_leads(evidence, scheme, firsts, pair) for pair in apart]
    shown = max(leads, key=lambda pair: sum(lead.positive for lead in pair))
    clear = [lead.positive for lead in shown]
    kind = "metrics-disagree" if all(clear) else "metrics-differ"
    clauses = in_words(
        [
            f"{lead.number.algorithm} is {lead.told(say)} better than {lead.number.opponent} in "
            f"{metric_word(lead.number.column)}"
            for lead in shown
        ]
    )
    units = shown[0].told_units(say)
    sentence = f"{start}; {clauses} ({units} units){_doubts(clear)}."
    return Statement(kind, sentence, DISAGREEMENT_RULE, say.numbers, scheme=scheme)


def _doubts(clear: Sequence[bool]) -> str:
    if all(clear):
        return ""
    which = "neither" if not any(clear) else "only the first" if clear[0] else "only the second"
    return f", of which {which} is distinguishable"


def _both_leads(
    evidence: Evidence, scheme: str, firsts: Mapping[str, Number], pair: tuple[str, str]
) -> list[Interval]:
    """Return how far each metric's first is ahead of the other metric's first."""
    names = [str(firsts[metric].algorithm) for metric in pair]
    return [
        lead_in(evidence, pair[0], scheme, (names[0], names[1])),
        lead_in(evidence, pair[1], scheme, (names[1], names[0])),
    ]


def _first(means: Mapping[str, Number], better: int) -> Number:
    return max(means.values(), key=lambda mean: better * mean.value)


def _means(evidence: Evidence, metric: str, scheme: str) -> dict[str, Number]:
    """Return the mean of each listed algorithm that has nearly all scores on a scheme."""
    found = {}
    cells = evidence.cells[scheme]
    for name in evidence.listed:
        scores = evidence.runs.scores[metric][evidence.runs.algorithms.index(name), cells]
        defined = scores[~np.isnan(scores)]
        if len(defined) and len(defined) >= COVERAGE * len(scores):
            is_share = evidence.is_share(metric)
            value = float(defined.mean())
            found[name] = Number(value, "mean", metric, scheme, name, is_share=is_share)
    return found


def lead_in(evidence: Evidence, metric: str, scheme: str, pair: tuple[str, str]) -> Interval:
    """Return how far the first of two algorithms is ahead of the second in any metric."""
    cells = evidence.cells[scheme]
    gain = evidence.gain(metric, *pair, cells)
    blocks = deal(evidence.runs.units[cells])
    found = mean_with_interval(gain, blocks)
    is_share = evidence.is_share(metric)
    number = Number(found.value, "lead", metric, scheme, *pair, is_share=is_share)
    return Interval(number, found.low, found.high, blocks.count_units(~np.isnan(gain)))
