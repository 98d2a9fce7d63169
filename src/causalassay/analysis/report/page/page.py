"""The page of a report: one file that needs no network, to read or to send on.

Vega, Vega-Lite and Vega-Embed come from vl-convert-python when a report is written: the
repository has none of their code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

import altair
import vl_convert

from causalassay.analysis import Analysis, document, read
from causalassay.analysis.report.charts.figures import OVERVIEW, Gallery, gallery
from causalassay.analysis.report.page.figures import figure_data, figure_section
from causalassay.analysis.report.page.first_screen import first_screen
from causalassay.analysis.report.page.leaderboard import leaderboard
from causalassay.present.document import Block
from causalassay.present.html import block_html, section, whole_page
from causalassay.present.markup import Html, tag
from causalassay.study.storage import read_store
from causalassay.study.storage.reader import Choice, Session, StudyStatus

SNIPPET = "window.vegaEmbed = vegaEmbed;"
LINKS = {
    "schemes": "Schemes",
    "leaderboard-section": "Leaderboard",
    "figures": "Figures",
    "run": "What was run",
    "rules": "Rules",
}
"""The sections that the top of the page leads to."""


@dataclass(frozen=True)
class PageContent:
    """What a page is about.

    Parameters
    ----------
    status : StudyStatus
    sessions : sequence of Session
        At least one.
    analysis : Analysis
    gallery : Gallery
        The figures of that analysis.
    choices : sequence of Choice
        What tuning chose.
    """

    status: StudyStatus
    sessions: Sequence[Session]
    analysis: Analysis
    gallery: Gallery
    choices: Sequence[Choice] = ()


def read_content(folder: Path, analysis: Analysis | None = None) -> PageContent:
    """Return what a store has to tell; an analysis of its rows is used if there is one already."""
    with read_store(folder) as store:
        status, sessions, choices = store.status(), store.sessions(), store.choices()
    analysis = read(folder) if analysis is None else analysis
    return PageContent(status, sessions, analysis, gallery(analysis), choices)


def render_page(content: PageContent) -> Html:
    """Return the page; no name in it can be more than text."""
    return whole_page(
        f"{content.status.name}: causalassay report",
        tag("a", "Skip to the report", href="#main", class_="skip"),
        _header(content.status.name),
        tag("main", *_main(content), id="main", tabindex=-1),
        _footer(),
        figure_data(content.gallery.figures),
        scripts=(vega_bundle(), asset("page.js")),
        data_study=content.status.name,
    )


def _header(name: str) -> Html:
    items = (tag("li", tag("a", title, href=f"#{identity}")) for identity, title in LINKS.items())
    return tag("header", tag("h1", name), tag("nav", tag("ul", *items), aria_label="Sections"))


def _main(content: PageContent) -> Iterator[Html]:
    analysis = content.analysis
    picture = next((one for one in content.gallery.figures if one.kind == OVERVIEW), None)
    yield from _shown(document.progress_notice(content.status))
    yield first_screen(analysis, picture)
    yield from _shown(document.own_section(analysis), document.scheme_section(analysis))
    yield section("leaderboard-section", "Leaderboard", leaderboard(analysis))
    yield figure_section(content.gallery)
    yield from _shown(
        document.tuning_section(content.choices),
        document.run_section(content.status, content.sessions, analysis.summary),
        document.rule_section(analysis),
    )


def _shown(*blocks: Block | None) -> Iterator[Html]:
    return (block_html(block) for block in blocks if block is not None)


def _footer() -> Html:
    notices = tag(
        "details",
        tag("summary", "Licences of the charting library in this page"),
        tag("pre", asset("NOTICES.txt"), tabindex=0),
        id="notices",
    )
    note = "Made by causalassay. Every number can be recomputed from the exported rows."
    return tag("footer", tag("p", note), notices)


@cache
def asset(name: str) -> str:
    """Return a text file of the folder ``assets``."""
    return (files("causalassay.analysis.report.page") / "assets" / name).read_text(encoding="utf-8")


@cache
def vega_bundle() -> str:
    """Return the script that draws charts, of the Vega-Lite version that Altair writes."""
    version = ".".join(altair.SCHEMA_VERSION.split(".")[:2])
    return script_text(vl_convert.javascript_bundle(SNIPPET, vl_version=version))


def script_text(code: str) -> str:
    r"""Return code that cannot end the script element that holds it.

    ``</script`` and ``<!--`` can stand in code within strings and regular expressions only,
    where a backslash before the second character changes nothing.

    Examples
    --------
    >>> script_text("'</script><!--'")
    "'<\\/script><\\!--'"
    """
    return code.replace("</script", "<\\/script").replace("<!--", "<\\!--")
