"""Sentences about metrics that disagree on which algorithm is best."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from causalassay.analysis.names import in_words, metric_name, scheme_name, units_word
from causalassay.analysis.unit_means import by_unit, count_units, mean_with_interval
from causalassay.analysis.verdict.evidence import Evidence
from causalassay.analysis.verdict.intervals import Interval
from causalassay.analysis.verdict.statements import Ledger, Number, Statement
from causalassay.judging.over_units import LEVEL, holm, sign_flips

COMPARED = ("shd", "sid", "tv_dag")
"""Metrics of structure, of interventions and of interventional distributions."""
COVERAGE = 0.95
"""Of the problems and replicates: what an algorithm must have a score in to be compared."""

Comparison = tuple[str, str, str]
"""A scheme, a metric, and the metric whose first is the opponent."""


def judge_disagreements(evidence: Evidence) -> Iterator[Statement]:
    """Yield the schemes where metrics put different algorithms first.

    All comparisons of the study are corrected together.
    """
    metrics = [name for name in COMPARED if name in evidence.summary.metrics]
    means = {
        scheme: {metric: known for metric in metrics if (known := _means(evidence, metric, scheme))}
        for scheme in evidence.cells
    }
    better = evidence.runs.better
    firsts = {
        scheme: {metric: _first(known, better[metric]) for metric, known in by_metric.items()}
        for scheme, by_metric in means.items()
    }
    apart = {scheme: _apart(firsts[scheme], means[scheme]) for scheme in firsts}
    leads = {
        (scheme, *pair): lead_in(evidence, pair[0], scheme, _opponents(firsts[scheme], pair))
        for scheme in firsts
        for both in apart[scheme]
        for pair in (both, both[::-1])
    }
    corrected = holm({key: _p_value(evidence, key, firsts[key[0]]) for key in leads})
    for scheme, by_metric in firsts.items():
        if apart[scheme]:
            yield _disagreement(scheme, by_metric, apart[scheme], leads, corrected)


def _apart(
    firsts: Mapping[str, Number], means: Mapping[str, Mapping[str, Number]]
) -> list[tuple[str, str]]:
    """Return the pairs of metrics that put different algorithms first, ties aside."""

    def is_first(metric: str, algorithm: str | None) -> bool:
        mean = means[metric].get(str(algorithm))
        return mean is not None and math.isclose(mean.value, firsts[metric].value, abs_tol=1e-12)

    return [
        (one, other)
        for one, other in combinations(firsts, 2)
        if not is_first(one, firsts[other].algorithm) and not is_first(other, firsts[one].algorithm)
    ]


def _opponents(firsts: Mapping[str, Number], pair: tuple[str, str]) -> tuple[str, str]:
    return str(firsts[pair[0]].algorithm), str(firsts[pair[1]].algorithm)


def _p_value(evidence: Evidence, key: Comparison, firsts: Mapping[str, Number]) -> float:
    scheme, metric, other = key
    cells = evidence.cells[scheme]
    gain = evidence.gain(metric, *_opponents(firsts, (metric, other)), cells)
    return sign_flips(by_unit(gain, evidence.runs.units[cells], evidence.n_units))


def _disagreement(
    scheme: str,
    firsts: Mapping[str, Number],
    apart: Sequence[tuple[str, str]],
    leads: Mapping[Comparison, Interval],
    corrected: Mapping[Comparison, float],
) -> Statement:
    """Return how far metrics with different firsts bear their choice out."""
    ledger = Ledger()
    firsts_text = ", ".join(
        f"{metric_name(metric)}: {first.algorithm} {ledger(first)}"
        for metric, first in firsts.items()
    )
    start = f"{scheme_name(scheme)}: metrics rank different algorithms first ({firsts_text})."
    pairs = [[(scheme, *pair), (scheme, *pair[::-1])] for pair in apart]
    clearest = max(pairs, key=lambda pair: sum(corrected[key] <= LEVEL for key in pair))
    clear = [corrected[key] <= LEVEL for key in clearest]
    kind = "metrics-disagree" if all(clear) else "metrics-differ"
    told = [leads[key] for key in clearest]
    clauses = in_words(
        [
            f"{lead.number.algorithm} leads {lead.number.opponent} in "
            f"{metric_name(lead.number.column)} ({lead.cite(ledger)})"
            for lead in told
        ]
    )
    units = told[0].cite_units(ledger)
    sentence = f"{start} {clauses}{_doubts(clear)} ({units_word(units)})."
    return Statement(kind, sentence, "firsts of metrics", ledger.numbers, scheme=scheme)


def _doubts(clear: Sequence[bool]) -> str:
    if all(clear):
        return ""
    which = "neither" if not any(clear) else "only the first" if clear[0] else "only the second"
    return f"; {which} lead is distinguishable from 0"


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
    units = evidence.runs.units[cells]
    mean = mean_with_interval(gain, units)
    is_share = evidence.is_share(metric)
    number = Number(mean.value, "lead", metric, scheme, *pair, is_share=is_share)
    return Interval(number, mean.low, mean.high, count_units(units[~np.isnan(gain)]))
