"""Sentences about runs that failed, and about runs that are still to come."""

from __future__ import annotations

from collections.abc import Iterator

from causalassay.analysis.names import in_words, scheme_name
from causalassay.analysis.runs import ABSENT, OK, STATUSES
from causalassay.analysis.verdict.evidence import Evidence
from causalassay.analysis.verdict.statements import Ledger, Number, Statement

LONGEST_REASON = 120
MOST_PLACES = 2
"""Schemes that a sentence names: those with most runs that did not finish."""


def judge_failures(evidence: Evidence) -> Iterator[Statement]:
    """Yield where and why each algorithm did not finish, if it ever did not."""
    runs = evidence.runs
    for index, name in enumerate(runs.algorithms):
        status = runs.status[index]
        if not ((status != OK) & (status != ABSENT)).any():
            continue
        ledger = Ledger()
        total = ledger(Number(int((status != ABSENT).sum()), "runs", "status", algorithm=name))
        failed = [
            (kind, int((status == code).sum())) for code, kind in enumerate(STATUSES) if code != OK
        ]
        missing = sum(count for _, count in failed)
        lost = ledger(Number(missing, "not ok", "status", algorithm=name))
        by_status = in_words(
            [
                f"{ledger(Number(count, 'not ok', 'status', algorithm=name, detail=kind))} {kind}"
                for kind, count in failed
                if count
            ]
        )
        scored = "It has no score." if (status != OK).all() else "Only runs that ended count."
        sentence = (
            f"{name} did not finish {lost} of {total} runs ({by_status}; "
            f"{_where(evidence, index, ledger)}), most often {_reason(evidence, name, ledger)}. "
            f"{scored}"
        )
        yield Statement("failures", sentence, "failures", ledger.numbers, name)


def judge_absences(evidence: Evidence) -> Iterator[Statement]:
    """Yield how many rows are still to come, if any are."""
    counts = evidence.summary.counts
    lacking = counts[counts["absent"] > 0]
    if len(lacking):
        ledger = Ledger()
        counted = [
            f"{ledger(Number(int(absent), 'to come', 'status', algorithm=str(name)))} of {name}"
            for name, absent in zip(lacking["algorithm"], lacking["absent"], strict=True)
        ]
        most = 4
        rest = [f"{len(counted) - most} more algorithms"] if len(counted) > most else []
        sentence = (
            f"The study is not complete: runs are missing ({in_words(counted[:most] + rest)})."
        )
        yield Statement("incomplete", sentence, "failures", ledger.numbers)


def _where(evidence: Evidence, index: int, ledger: Ledger) -> str:
    status, name = evidence.runs.status[index], evidence.runs.algorithms[index]
    lost = {
        scheme: int(((status[cells] != OK) & (status[cells] != ABSENT)).sum())
        for scheme, cells in evidence.cells.items()
    }
    places = sorted((scheme for scheme in lost if lost[scheme]), key=lambda one: -lost[one])
    told = ", ".join(
        f"{ledger(Number(lost[one], 'not ok', 'status', one, name))} on {scheme_name(one)}"
        for one in places[:MOST_PLACES]
    )
    return f"{told} and others elsewhere" if len(places) > MOST_PLACES else told


def _reason(evidence: Evidence, algorithm: str, ledger: Ledger) -> str:
    frame = evidence.frame
    rows = frame[(frame["algorithm"] == algorithm) & (frame["status"] != "ok")]
    counts = rows["reason"].fillna("").astype(str).replace("", "no reason").value_counts()
    # Of equally frequent ones the first by name, whatever the order of the rows.
    reason = min(counts.index[counts == counts.max()])
    number = Number(int(counts.max()), "reason", "reason", algorithm=algorithm, detail=reason)
    excerpt = reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]}…"
    return f"“{excerpt}” ({ledger(number)} of them)"
