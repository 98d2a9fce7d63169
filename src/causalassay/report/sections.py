"""The sections of the page that are words and tables: what was run, and the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from causalassay.analysis.runs import STATUSES
from causalassay.analysis.summary import Summary
from causalassay.analysis.verdict.verdict import STATISTICS, Statement, Verdict
from causalassay.report.markup import Html, join, tag
from causalassay.study.plan import Purpose
from causalassay.study.storage.reader import Session
from causalassay.study.storage.status import StudyStatus

NAMES_IN_A_LINE = 40
"""Algorithms or metrics that the facts name; of more, the tables have the rest."""

LONG_TEXT = 40


def section(identity: str, title: str, *parts: object) -> Html:
    """Return a part of the page under a heading of its own."""
    heading = tag("h2", title, id=f"{identity}-title")
    return tag("section", heading, *parts, id=identity, aria_labelledby=f"{identity}-title")


def what_was_run(status: StudyStatus, sessions: Sequence[Session], summary: Summary) -> Html:
    """Return the study's facts: its parts, how the runs ended, versions and the study file."""
    return section(
        "run",
        "What was run",
        _progress(status),
        _facts(status, summary),
        _reasons(summary),
        _endings(summary),
        _machines(sessions),
        _folded("The study file", tag("pre", sessions[-1].text, tabindex=0)),
    )


def _progress(status: StudyStatus) -> Html:
    if status.left == 0:
        return join(())
    running = "is still running" if status.driver else f"is not complete (last run: {status.ended})"
    text = f"This study {running}: {status.left} rows are to come, and every number may change."
    return tag("p", text, class_="notice")


def _facts(status: StudyStatus, summary: Summary) -> Html:
    counts = summary.counts
    roles = counts["role"] == "baseline" if len(counts) else pd.Series(dtype=bool)
    better = zip(summary.metrics, summary.better, strict=True)
    pairs = {
        "seed": str(status.seed),
        "rows": f"{_total(status, 'main')} of {status.totals['main']}",
        "tuning rows": f"{_total(status, 'tuning')} of {status.totals['tuning']}",
        "algorithms": _few(counts["algorithm"][~roles]) if len(counts) else "",
        "baselines": _few(counts["algorithm"][roles]) if len(counts) else "",
        "metrics": _few(f"{metric} ({way})" for metric, way in better),
        "first row": _time(status.first_write),
        "last row": _time(status.last_write),
    }
    if not status.totals["tuning"]:
        del pairs["tuning rows"]
    return _pairs({name: text for name, text in pairs.items() if text})


def _total(status: StudyStatus, purpose: Purpose) -> int:
    return sum(status.counts[purpose].values())


def _few(names: Iterable[str]) -> str:
    found = list(names)
    rest = len(found) - NAMES_IN_A_LINE
    return ", ".join(found[:NAMES_IN_A_LINE]) + (f" and {rest} others" if rest > 0 else "")


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
    found = table("endings", "Rows by algorithm and status", heads, rows)
    return _folded("How the runs of each algorithm ended", found)


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
    return _folded(
        "Sessions, processors and versions",
        table("sessions", "Each run of a driver on this study", heads, rows),
        _pairs(used),
    )


def the_verdict(verdict: Verdict) -> Html:
    """Return the verdict's sentences with their numbers, and below them each rule once."""
    rules = list(dict.fromkeys(statement.rule for statement in verdict.statements))
    if not rules:
        return section("verdict", "Verdict", tag("p", "There is nothing to say yet."))
    places = {rule: place for place, rule in enumerate(rules, 1)}
    statements = (_statement(each, places[each.rule]) for each in verdict.statements)
    used = dict.fromkeys(n.statistic for each in verdict.statements for n in each.numbers.values())
    return section(
        "verdict",
        "Verdict",
        tag("ul", *statements, class_="statements"),
        tag("h3", "The rules"),
        tag("ol", *(tag("li", rule, id=f"rule-{place}") for rule, place in places.items())),
        _folded("What each kind of number is", _pairs({name: STATISTICS[name] for name in used})),
    )


def _statement(statement: Statement, rule: int) -> Html:
    link = tag("a", f"rule {rule}", href=f"#rule-{rule}")
    numbers = _pairs({name: number.text for name, number in statement.numbers.items()})
    return tag(
        "li",
        tag("p", statement.sentence, " (", link, ")"),
        _folded("The numbers", numbers) if statement.numbers else "",
    )


def table(
    identity: str, caption: str, heads: Sequence[str], rows: Iterable[Sequence[object]]
) -> Html:
    """Return a table that scrolls by itself where the page is too narrow for it."""
    named = tag("caption", caption, id=f"{identity}-caption")
    top = tag("thead", tag("tr", *(tag("th", head, scope="col") for head in heads)))
    body = (
        tag("tr", tag("th", first, scope="row"), *(_cell(cell) for cell in others))
        for first, *others in rows
    )
    return tag(
        "div",
        tag("table", named, top, tag("tbody", *body), id=identity),
        class_="region",
        role="region",
        tabindex=0,
        aria_labelledby=f"{identity}-caption",
    )


def _cell(value: object) -> Html:
    # A long text may break anywhere, a number nowhere.
    return tag("td", value, class_="long" if len(str(value)) > LONG_TEXT else None)


def _pairs(pairs: dict[str, str]) -> Html:
    return tag(
        "dl",
        *(tag("div", tag("dt", name), tag("dd", value)) for name, value in pairs.items()),
    )


def _folded(title: str, *parts: object) -> Html:
    """Return what opens on a click; the script opens it for print."""
    return tag("details", tag("summary", title), *parts)
