"""What was run: the study's facts, how its runs ended, versions and the study file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from causalassay.analysis.names import metric_name
from causalassay.analysis.runs import STATUSES
from causalassay.analysis.summary import Summary
from causalassay.report.page.elements import folded, pairs, section, table
from causalassay.report.page.markup import Html, join, tag
from causalassay.study.plan import Purpose
from causalassay.study.storage.reader import Session
from causalassay.study.storage.status import StudyStatus

NAMES_IN_A_LINE = 40
"""Algorithms or metrics that the facts name; of more, the tables have the rest."""


def run_section(status: StudyStatus, sessions: Sequence[Session], summary: Summary) -> Html:
    """Return the study's facts: its parts, how the runs ended, versions and the study file."""
    return section(
        "run",
        "What was run",
        tag("p", _counts(status)),
        folded("The study's parts, seed and times", _facts(status, summary), printed=True),
        _reasons(summary),
        _endings(summary),
        _machines(sessions),
        folded("The study file", tag("pre", sessions[-1].text, tabindex=0)),
    )


def _counts(status: StudyStatus) -> str:
    counts = status.counts["main"]
    runs = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    return f"Runs: {runs or 'none yet'}."


def progress_notice(status: StudyStatus) -> Html:
    """Return the warning of a study that is not complete; nothing for one that is."""
    if status.left == 0:
        return join(())
    running = "is still running" if status.driver else f"is not complete (last run: {status.ended})"
    text = f"This study {running}: {status.left} rows are to come, and every number may change."
    return tag("p", text, class_="notice")


def _facts(status: StudyStatus, summary: Summary) -> Html:
    counts = summary.counts
    roles = counts["role"] == "baseline" if len(counts) else pd.Series(dtype=bool)
    better = zip(map(metric_name, summary.metrics), summary.better, strict=True)
    facts = {
        "seed": str(status.seed),
        "rows": f"{_total(status, 'main')} of {status.totals['main']}",
        "tuning rows": f"{_total(status, 'tuning')} of {status.totals['tuning']}",
        "algorithms": _few(counts["algorithm"][~roles]) if len(counts) else "",
        "baselines": _few(counts["algorithm"][roles]) if len(counts) else "",
        "metrics": _few(f"{metric} ({direction})" for metric, direction in better),
        "first row": _time(status.first_write),
        "last row": _time(status.last_write),
    }
    if not status.totals["tuning"]:
        del facts["tuning rows"]
    return pairs({name: text for name, text in facts.items() if text})


def _total(status: StudyStatus, purpose: Purpose) -> int:
    return sum(status.counts[purpose].values())


def _few(names: Iterable[str]) -> str:
    listed = list(names)
    rest = len(listed) - NAMES_IN_A_LINE
    return ", ".join(listed[:NAMES_IN_A_LINE]) + (f" and {rest} others" if rest > 0 else "")


def _time(text: str | None) -> str:
    """Return a stored time to the second.

    Examples
    --------
    >>> _time("2026-11-15T12:02:50.938+00:00")
    '2026-11-15 12:02:50 UTC'
    """
    return f"{text[:10]} {text[11:19]} UTC" if text else ""


def _endings(summary: Summary) -> Html:
    if not len(summary.counts):
        return tag("p", "No rows yet.")
    absent = ["absent"] if summary.counts["absent"].any() else []
    columns = ["n", *STATUSES, *absent]
    heads = ["algorithm", "role", *("rows" if name == "n" else name for name in columns)]
    rows = (
        [str(row["algorithm"]), str(row["role"]), *(_count(row[name], name) for name in columns)]
        for row in summary.counts.to_dict("records")
    )
    counts = table("endings", "Rows by algorithm and status", heads, rows)
    return folded("How the runs of each algorithm ended", counts)


def _count(count: int, column: str) -> object:
    unwanted = column not in ("n", "ok") and count
    return tag("span", str(count), class_="missed") if unwanted else str(count)


def _reasons(summary: Summary) -> Html:
    if not len(summary.reasons):
        return tag("p", "Every run ended well.") if len(summary.counts) else join(())
    rows = (
        [row["algorithm"], row["status"], str(row["n"]), row["reason"]]
        for row in summary.reasons.to_dict("records")
    )
    heads = ["algorithm", "status", "rows", "reason"]
    return table("reasons", "Runs that did not end well, and why", heads, rows)


def _machines(sessions: Sequence[Session]) -> Html:
    rows = (
        [_time(run.started), run.how or "not ended", str(run.records), run.cpu] for run in sessions
    )
    heads = ["started", "ended", "records", "CPU of the driver"]
    by_versions: dict[str, list[str]] = {}
    for run in sessions:
        versions = ", ".join(f"{name} {version}" for name, version in run.versions.items())
        by_versions.setdefault(versions, []).append(_time(run.started))
    used = {f"started {', '.join(times)}": versions for versions, times in by_versions.items()}
    return folded(
        "Sessions, processors and versions",
        table("sessions", "Each run of a driver on this study", heads, rows),
        pairs(used),
        printed=True,
    )
