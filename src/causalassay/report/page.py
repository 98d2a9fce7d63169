"""The report of a study: one page that needs no network, to read or to send on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from causalassay.analysis import Summary, summarize
from causalassay.analysis.verdict.verdict import Verdict, verdict
from causalassay.report.bundle import asset, policy, vega_bundle
from causalassay.report.charts import Gallery, gallery
from causalassay.report.embedding import figure_data, the_figures
from causalassay.report.leaderboard import leaderboard
from causalassay.report.markup import Html, tag
from causalassay.report.sections import section, the_verdict, what_was_run
from causalassay.study.storage import read_store, study_table
from causalassay.study.storage.reader import Session
from causalassay.study.storage.status import StudyStatus

FILE = "report.html"


@dataclass(frozen=True)
class Content:
    """What a page tells.

    Parameters
    ----------
    status : StudyStatus
    sessions : sequence of Session
        At least one.
    summary : Summary
        By scheme.
    verdict : Verdict
    gallery : Gallery
    """

    status: StudyStatus
    sessions: Sequence[Session]
    summary: Summary
    verdict: Verdict
    gallery: Gallery


def write_report(folder: Path, target: Path | None = None) -> Path:
    """Write a study's report as one HTML file and return where it is.

    It can be written while the study runs. An interrupted call leaves no file of that
    name, or the one that was there.

    Parameters
    ----------
    folder : Path
        Of the store.
    target : Path, optional
        The file to write. Default: ``report.html`` in the folder.

    Raises
    ------
    FileNotFoundError
        There is no store, or no folder to write to.
    """
    target = folder / FILE if target is None else target
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent} to write {target.name} to")
    text = render_page(read_content(folder))
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return target


def read_content(folder: Path) -> Content:
    """Return what a store has to tell."""
    with read_store(folder) as store:
        status, sessions = store.status(), store.sessions()
    table = study_table(folder)
    summary = summarize(table)
    return Content(status, sessions, summary, verdict(table, summary), gallery(table, summary))


def render_page(content: Content) -> Html:
    """Return the page; no name in it can be more than text."""
    style, vega, own = asset("page.css"), vega_bundle(), asset("page.js")
    title = f"{content.status.name}: causalassay report"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag(
            "meta",
            http_equiv="Content-Security-Policy",
            content=policy((vega, own), style),
        ),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        tag("style", Html(style)),
    )
    body = tag(
        "body",
        tag("a", "Skip to the report", href="#main", class_="skip"),
        _header(content),
        tag("main", *_main(content), id="main", tabindex=-1),
        _footer(),
        figure_data(content.gallery.figures),
        tag("script", Html(vega)),
        tag("script", Html(own)),
    )
    page = tag("html", head, body, lang="en", data_study=content.status.name)
    return Html(f"<!doctype html>\n{page}\n")


def _header(content: Content) -> Html:
    counts = content.status.counts["main"]
    told = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    links = {
        "run": "What was run",
        "verdict": "Verdict",
        "leaderboard-section": "Leaderboard",
        "figures": "Figures",
    }
    items = (tag("li", tag("a", name, href=f"#{place}")) for place, name in links.items())
    return tag(
        "header",
        tag("h1", f"Study {content.status.name}"),
        tag("p", f"causalassay report. Runs: {told or 'none yet'}."),
        tag("nav", tag("ul", *items), aria_label="Sections"),
    )


def _main(content: Content) -> tuple[Html, ...]:
    return (
        what_was_run(content.status, content.sessions, content.summary),
        the_verdict(content.verdict),
        section("leaderboard-section", "Leaderboard", leaderboard(content.summary)),
        the_figures(content.gallery),
    )


def _footer() -> Html:
    notices = tag(
        "details",
        tag("summary", "Licences of the charting library in this page"),
        tag("pre", asset("NOTICES.txt"), tabindex=0),
        id="notices",
    )
    made = "Made by causalassay. Every number can be recomputed from the exported rows."
    return tag("footer", tag("p", made), notices)
