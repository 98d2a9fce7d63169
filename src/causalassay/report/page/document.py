"""The page of a report: one file that needs no network, to read or to send on."""

from __future__ import annotations

from causalassay.report.charts.overview_figures import KIND as OVERVIEW
from causalassay.report.page.bundle import asset, policy, vega_bundle
from causalassay.report.page.content import PageContent
from causalassay.report.page.elements import section
from causalassay.report.page.figure_section import figure_data, figure_section
from causalassay.report.page.first_screen import first_screen
from causalassay.report.page.leaderboard import leaderboard
from causalassay.report.page.markup import Html, tag
from causalassay.report.page.own_section import own_section
from causalassay.report.page.run_section import progress_notice, run_section
from causalassay.report.page.statement_list import rule_section, scheme_section
from causalassay.report.page.tuning_section import tuning_section


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
    links = {
        "schemes": "Schemes",
        "leaderboard-section": "Leaderboard",
        "figures": "Figures",
        "run": "What was run",
        "rules": "Rules",
    }
    items = (tag("li", tag("a", name, href=f"#{identity}")) for identity, name in links.items())
    return tag(
        "header",
        tag("h1", content.status.name),
        tag("nav", tag("ul", *items), aria_label="Sections"),
    )


def _main(content: PageContent) -> tuple[Html, ...]:
    analysis = content.analysis
    figures = content.gallery.figures
    picture = next((figure for figure in figures if figure.kind == OVERVIEW), None)
    return (
        progress_notice(content.status),
        first_screen(analysis, picture),
        own_section(analysis),
        scheme_section(analysis.verdict),
        section("leaderboard-section", "Leaderboard", leaderboard(analysis)),
        figure_section(content.gallery),
        tuning_section(content.choices),
        run_section(content.status, content.sessions, analysis.summary),
        rule_section(analysis.verdict),
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
