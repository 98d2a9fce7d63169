"""Sentences about metrics that disagree on which algorithm is best."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from causalassay.analysis.bootstrap import FEWEST_UNITS, deal, mean_with_interval
from causalassay.analysis.verdict.evidence import Evidence
from causalassay.analysis.verdict.intervals import Interval
from causalassay.analysis.verdict.statements import Ledger, Number, Statement
from causalassay.analysis.verdict.words import in_words, metric_word, scheme_word

COMPARED = ("shd", "sid", "tv_dag")
"""Metrics of structure, of interventions and of interventional distributions."""
COVERAGE = 0.95
DISAGREEMENT_RULE = (
    "On each scheme with a signal, the listed algorithms with a score in at least "
    f"{COVERAGE:.0%} of the problems and replicates are ordered by the mean of each metric. Two "
    "metrics disagree if they put different ones first and each is ahead of the other in its "
    "metric with a 95 % interval of the paired difference above 0; otherwise the firsts differ. "
    f"Fewer than {FEWEST_UNITS} units decide nothing."
)


def judge_disagreements(evidence: Evidence, schemes: Iterable[str]) -> Iterator[Statement]:
    """Yield those of some schemes where metrics put different algorithms first."""
    metrics = [name for name in COMPARED if name in evidence.summary.metrics]
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
    ledger = Ledger()
    firsts_text = in_words(
        [
            f"{metric_word(metric)} {first.algorithm} ({ledger(first)})"
            for metric, first in firsts.items()
        ]
    )
    start = f"On {scheme_word(scheme)} the metrics put different algorithms first: {firsts_text}"
    leads = [_both_leads(evidence, scheme, firsts, pair) for pair in apart]
    clearest = max(leads, key=lambda pair: sum(lead.positive for lead in pair))
    clear = [lead.positive for lead in clearest]
    kind = "metrics-disagree" if all(clear) else "metrics-differ"
    clauses = in_words(
        [
            f"{lead.number.algorithm} is {lead.cite(ledger)} better than {lead.number.opponent} in "
            f"{metric_word(lead.number.column)}"
            for lead in clearest
        ]
    )
    units = clearest[0].cite_units(ledger)
    sentence = f"{start}; {clauses} ({units} units){_doubts(clear)}."
    return Statement(kind, sentence, DISAGREEMENT_RULE, ledger.numbers, scheme=scheme)


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
    means = {}
    cells = evidence.cells[scheme]
    for name in evidence.listed:
        scores = evidence.runs.scores[metric][evidence.runs.algorithms.index(name), cells]
        defined = scores[~np.isnan(scores)]
        if len(defined) and len(defined) >= COVERAGE * len(scores):
            is_share = evidence.is_share(metric)
            value = float(defined.mean())
            means[name] = Number(value, "mean", metric, scheme, name, is_share=is_share)
    return means


def lead_in(evidence: Evidence, metric: str, scheme: str, pair: tuple[str, str]) -> Interval:
    """Return how far the first of two algorithms is ahead of the second in any metric."""
    cells = evidence.cells[scheme]
    gain = evidence.gain(metric, *pair, cells)
    blocks = deal(evidence.runs.units[cells])
    mean = mean_with_interval(gain, blocks)
    is_share = evidence.is_share(metric)
    number = Number(mean.value, "lead", metric, scheme, *pair, is_share=is_share)
    return Interval(number, mean.low, mean.high, blocks.count_units(~np.isnan(gain)))
