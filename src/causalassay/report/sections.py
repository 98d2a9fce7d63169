"""The sections of the page: what was run, the verdict, the figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from causalassay.report.markup import Html, join, number, tag
from causalassay.study.storage.reader import Session
from causalassay.study.storage.status import StudyStatus
from causalassay.study.summary.runs import STATUSES
from causalassay.study.summary.summarizing import Summary

if TYPE_CHECKING:
    from causalassay.report.charts import Figure
    from causalassay.report.verdict import Statement, Verdict

NAMES_IN_A_LINE = 40
"""Algorithms or metrics that the facts name; of more, the tables have the rest."""


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
        _endings(summary),
        _reasons(summary),
        _machines(sessions),
        _folded("The study file", tag("pre", sessions[-1].text, tabindex=0)),
    )


def _progress(status: StudyStatus) -> Html:
    if status.left == 0:
        return join(())
    running = "is still running" if status.driver else f"is not complete ({status.ended})"
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


def _total(status: StudyStatus, purpose: str) -> int:
    return sum(status.counts[purpose].values())  # type: ignore[index]


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
    return table("endings", "How the runs ended", heads, rows)


def _count(count: int, column: str) -> object:
    unwanted = column not in ("n", "ok") and count
    return tag("span", count, class_="missed") if unwanted else str(count)


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
    by_versions: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for run in sessions:
        by_versions.setdefault(tuple(run.versions.items()), []).append(_time(run.started))
    lists = [
        join((tag("p", f"Started {', '.join(started)}:"), _pairs(dict(versions))))
        for versions, started in by_versions.items()
    ]
    return _folded(
        "Sessions, processors and versions",
        table("sessions", "Each run of a driver on this study", heads, rows),
        *lists,
    )


def the_verdict(verdict: Verdict) -> Html:
    """Return the verdict's sentences, each with its numbers and its rule."""
    statements = [_statement(statement) for statement in verdict.statements]
    if not statements:
        return section("verdict", "Verdict", tag("p", "There is nothing to say yet."))
    return section("verdict", "Verdict", tag("ul", *statements, class_="statements"))


def _statement(statement: Statement) -> Html:
    numbers = {
        str(name): number(value) if isinstance(value, float) else str(value)
        for name, value in statement.numbers.items()
    }
    basis = _folded(
        "The rule and the numbers",
        tag("p", statement.rule),
        _pairs(numbers),
    )
    return tag("li", tag("p", statement.sentence), basis)


def the_figures(figures: Sequence[Figure]) -> Html:
    """Return the places where the script draws the charts, with what they show in words."""
    silent = tag(
        "noscript",
        tag("p", "The charts are drawn by a script that this page carries; it is switched off."),
    )
    return section("figures", "Figures", silent, *(_figure(figure) for figure in figures))


def _figure(figure: Figure) -> Html:
    title = f"figure-{figure.id}-title"
    drawing = tag("div", class_="chart", role="img", aria_label=figure.alt, data_chart=figure.id)
    buttons = (
        tag(
            "button",
            kind,
            tag("span", f" of {figure.title}", class_="unseen"),
            type="button",
            data_save=kind.lower(),
            disabled=True,
        )
        for kind in ("SVG", "PNG", "CSV")
    )
    return tag(
        "figure",
        tag("h3", figure.title, id=title),
        tag("div", drawing, class_="region", role="region", tabindex=0, aria_labelledby=title),
        tag("figcaption", figure.note),
        tag("div", "Download ", *buttons, class_="downloads", hidden=True),
        id=f"figure-{figure.id}",
        aria_labelledby=title,
    )


def table(
    identity: str, caption: str, heads: Sequence[str], rows: Iterable[Sequence[object]]
) -> Html:
    """Return a table that scrolls by itself where the page is too narrow for it."""
    named = tag("caption", caption, id=f"{identity}-caption")
    top = tag("thead", tag("tr", *(tag("th", head, scope="col") for head in heads)))
    body = (
        tag("tr", tag("th", first, scope="row"), *(tag("td", cell) for cell in others))
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


def _pairs(pairs: dict[str, str]) -> Html:
    return tag(
        "dl",
        *(tag("div", tag("dt", name), tag("dd", value)) for name, value in pairs.items()),
    )


def _folded(title: str, *parts: object) -> Html:
    """Return what opens on a click; the script opens it for print."""
    return tag("details", tag("summary", title), *parts)
