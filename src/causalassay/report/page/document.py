"""The page of a report: one file that needs no network, to read or to send on."""

from __future__ import annotations

from causalassay.report.page.bundle import asset, policy, vega_bundle
from causalassay.report.page.content import PageContent
from causalassay.report.page.elements import section
from causalassay.report.page.figure_section import figure_data, figure_section
from causalassay.report.page.leaderboard import leaderboard
from causalassay.report.page.markup import Html, tag
from causalassay.report.page.run_section import run_section
from causalassay.report.page.verdict_section import verdict_section


def render_page(content: PageContent) -> Html:
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


def _header(content: PageContent) -> Html:
    counts = content.status.counts["main"]
    runs = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    links = {
        "run": "What was run",
        "verdict": "Verdict",
        "leaderboard-section": "Leaderboard",
        "figures": "Figures",
    }
    items = (tag("li", tag("a", name, href=f"#{identity}")) for identity, name in links.items())
    return tag(
        "header",
        tag("h1", f"Study {content.status.name}"),
        tag("p", f"causalassay report. Runs: {runs or 'none yet'}."),
        tag("nav", tag("ul", *items), aria_label="Sections"),
    )


def _main(content: PageContent) -> tuple[Html, ...]:
    analysis = content.analysis
    return (
        run_section(content.status, content.sessions, analysis.summary),
        verdict_section(analysis.verdict),
        section("leaderboard-section", "Leaderboard", leaderboard(analysis.summary)),
        figure_section(content.gallery),
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
