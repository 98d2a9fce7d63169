"""The page of a report: one file that needs no network, to read or to send on.

Vega, Vega-Lite and Vega-Embed come from vl-convert-python when a report is written: the
repository has none of their code.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import altair
import vl_convert

from causalassay.analysis import Analysis, document, read
from causalassay.analysis.report.figures import KINDS, OVERVIEW, Figure, Gallery, gallery
from causalassay.analysis.report.score_tables import leaderboard, matrix_html, region
from causalassay.present import Block, Facts
from causalassay.present.formatting import counted
from causalassay.present.html import block_html, facts_html, fold, section, whole_page
from causalassay.present.markup import Html, join, tag
from causalassay.study.storage import read_store
from causalassay.study.storage.exporting import inert_frame
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
MANY = 25
"""Rows of the matrix beyond which print is smaller, so that they are on one page."""
FORMATS = ("SVG", "PNG", "CSV")


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
    name = content.status.name
    items = (tag("li", tag("a", title, href=f"#{identity}")) for identity, title in LINKS.items())
    header = tag("header", tag("h1", name), tag("nav", tag("ul", *items), aria_label="Sections"))
    notices = tag(
        "details",
        tag("summary", "Licences of the charting library in this page"),
        tag("pre", asset("NOTICES.txt"), tabindex=0),
        id="notices",
    )
    note = "Made by causalassay. Every number can be recomputed from the exported rows."
    return whole_page(
        f"{name}: causalassay report",
        tag("a", "Skip to the report", href="#main", class_="skip"),
        header,
        tag("main", *_main(content), id="main", tabindex=-1),
        tag("footer", tag("p", note), notices),
        figure_data(content.gallery.figures),
        scripts=(vega_bundle(), asset("page.js")),
        data_study=name,
    )


def _main(content: PageContent) -> Iterator[Html]:
    analysis = content.analysis
    yield from _shown(document.progress_notice(content.status))
    yield _first_screen(content)
    own = document.own_section(analysis)
    if own is not None:
        own = document.of_size(own, analysis.size)
    yield from _shown(own, document.of_size(document.scheme_section(analysis), analysis.size))
    if analysis.others:
        yield section("sizes", "Other sizes", *_other_sizes(analysis))
    yield section("leaderboard-section", "Leaderboard", leaderboard(analysis))
    yield section("figures", "Figures", *_figures(content.gallery))
    yield from _shown(
        document.tuning_section(content.choices),
        document.run_section(content.status, content.sessions, analysis),
        document.rule_section(analysis),
    )


def _shown(*blocks: Block | None) -> Iterator[Html]:
    return (block_html(block) for block in blocks if block is not None)


def _first_screen(content: PageContent) -> Html:
    """Return the headline, the picture and the matrix."""
    analysis, matrix = content.analysis, content.analysis.matrix
    parts = [tag("p", analysis.headline, class_="headline")]
    if matrix.rows:
        parts += [tag("p", line, class_="own-line") for line in document.own_lines(analysis)]
        if analysis.others:
            link = tag("a", counted(len(analysis.others), "other size"), href="#sizes")
            parts.append(tag("p", f"Of {analysis.size.name} only; ", link, ".", class_="aside"))
        pictures = (figure for figure in content.gallery.figures if figure.kind == OVERVIEW)
        drawn = (figure_element(picture, visible=True) for picture in pictures)
        layout = "first-screen many" if len(matrix.rows) > MANY else "first-screen"
        table = matrix_html(matrix, analysis.size)
        parts.append(tag("div", *drawn, table, class_=layout))
    return tag("section", *parts, id="overview", aria_label="Overview")


def _other_sizes(analysis: Analysis) -> Iterator[Html]:
    """Yield what was found of each algorithm at each size, and the tables of the others."""
    yield block_html(document.finding_table((analysis, *analysis.others)))
    for other in sorted(analysis.others, key=lambda each: each.size.order):
        own, schemes = document.own_section(other), document.scheme_section(other)
        sections = [own, schemes] if own is not None else [schemes]
        parts = (
            tag("p", other.headline, class_="size-headline"),
            matrix_html(other.matrix, other.size, apart=True),
            *_shown(*(document.of_size(each, other.size, apart=True) for each in sections)),
        )
        yield fold(other.size.name, join(parts))


# ---- figures: where the script draws them, choosers, downloads, their data ----


def _figures(gallery: Gallery) -> Iterator[Html]:
    """Yield the elements in which the script draws the charts, with what they show in words."""
    off = "The charts are drawn by a script that this page carries; it is switched off."
    yield tag("noscript", tag("p", off))
    yield from (tag("p", remark) for remark in gallery.remarks)
    missing = {}
    for kind in KINDS:
        figures = [figure for figure in gallery.figures if figure.kind == kind]
        reasons = [figure.reason for figure in gallery.left_out if figure.kind == kind]
        if kind == OVERVIEW:
            continue
        if figures:
            yield _kind(kind, figures, reasons)
        elif reasons:
            missing[KINDS[kind].heading] = reasons[0]
    if missing:
        yield fold("Figures that this study has no data for", facts_html(Facts(missing)))


def _kind(kind: str, figures: Sequence[Figure], reasons: Sequence[str]) -> Html:
    """Return the figures of a kind, of which the first is visible, and why others are missing."""
    heading, title = KINDS[kind].heading, f"kind-{kind}-title"
    chooser: object = ""
    if len(figures) > 1:
        options = (tag("option", figure.choice, value=figure.id) for figure in figures)
        unseen = tag("span", f": {heading.lower()}", class_="unseen")
        label = tag("label", "Show", unseen, for_=f"choose-{kind}")
        attributes = {"data_chooser": kind, "autocomplete": "off"}
        select = tag("select", *options, id=f"choose-{kind}", **attributes)
        chooser = tag("p", label, " ", select, class_="chooser", hidden=True)
    return tag(
        "section",
        tag("h3", heading, id=title),
        chooser,
        *(figure_element(figure, visible=figure is figures[0]) for figure in figures),
        *(tag("p", reason, class_="aside") for reason in reasons),
        id=f"kind-{kind}",
        aria_labelledby=title,
    )


def figure_element(figure: Figure, *, visible: bool) -> Html:
    """Return the element in which the script draws a chart, with its caption and downloads."""
    title = f"figure-{figure.id}-title"
    drawing = tag("div", class_="chart", role="img", aria_label=figure.alt, data_chart=figure.id)
    unseen = tag("span", f" of {figure.title}", class_="unseen")
    buttons = (
        tag("button", kind, unseen, type="button", data_save=kind.lower()) for kind in FORMATS
    )
    return tag(
        "figure",
        region(drawing, title),
        tag("figcaption", tag("strong", figure.title, id=title), ". ", figure.note),
        tag("div", "Download ", *buttons, class_="downloads", hidden=True),
        id=f"figure-{figure.id}",
        aria_labelledby=title,
        hidden=None if visible else True,
    )


def figure_data(figures: Sequence[Figure]) -> Html:
    """Return the charts and their data as CSV, by the figures' ids."""
    packed = {
        figure.id: {
            "chart": figure.chart.to_dict(),
            "csv": inert_frame(figure.data).to_csv(index=False),
        }
        for figure in figures
    }
    return packed_script("figure-data", packed)


def packed_script(identity: str, value: Any) -> Html:
    """Return a script element that holds data: JSON, compressed, in letters and digits.

    Whatever strings are in the data, they can neither end the element nor open a comment.

    Examples
    --------
    >>> text = packed_script("names", ["</script>"])
    >>> text[:41], text.count("<")
    ('<script type="text/plain" id="names">H4sI', 2)
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # Without the time of day, so that the same study gives the same page.
    packed = base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()
    return tag("script", packed, type="text/plain", id=identity)


@cache
def asset(name: str) -> str:
    """Return a text file of the folder ``assets``."""
    return (files("causalassay.analysis.report") / "assets" / name).read_text(encoding="utf-8")


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
