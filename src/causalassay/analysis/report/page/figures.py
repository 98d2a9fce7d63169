"""The figures in the page: where the script draws them, choosers, downloads, their data."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Sequence
from typing import Any

from causalassay.analysis.report.charts.figures import KINDS, OVERVIEW, Figure, Gallery
from causalassay.present.document import Facts
from causalassay.present.html import facts_html, fold, section
from causalassay.present.markup import Html, join, tag
from causalassay.study.storage.exporting import inert_frame

HEADINGS = {
    "schemes": "The schemes side by side",
    "sortability": "Sortability of the problems",
    "boxes": "Scores by graph family and size",
    "against_d": "Scores against the number of nodes",
    "against_density": "Scores against the density of the graphs",
    "against_n": "Scores against the number of samples",
    "runtime": "Run time",
    "time_score": "Time against score",
    "rankings": "Where metrics rank the algorithms differently",
}
FORMATS = ("SVG", "PNG", "CSV")


def figure_section(gallery: Gallery) -> Html:
    """Return the elements in which the script draws the charts, with what they show in words."""
    without_script = tag(
        "noscript",
        tag("p", "The charts are drawn by a script that this page carries; it is switched off."),
    )
    remarks = (tag("p", remark) for remark in gallery.remarks)
    has_data = {figure.kind for figure in gallery.figures}
    drawn = [kind for kind in KINDS if kind in has_data and kind != OVERVIEW]
    return section(
        "figures",
        "Figures",
        without_script,
        *remarks,
        *(_kind(gallery, kind) for kind in drawn),
        _without_data(gallery, [kind for kind in KINDS if kind not in (OVERVIEW, *drawn)]),
    )


def _without_data(gallery: Gallery, kinds: Sequence[str]) -> Html:
    """Return which figures the study has no data for, and why; nothing if it has all."""
    reasons = {figure.kind: figure.reason for figure in reversed(gallery.left_out)}
    stated = {HEADINGS[kind]: reasons[kind] for kind in kinds if kind in reasons}
    title = "Figures that this study has no data for"
    return fold(title, facts_html(Facts(stated))) if stated else join(())


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


def _kind(gallery: Gallery, kind: str) -> Html:
    """Return the figures of a kind, of which the first is visible, and why others are missing."""
    figures = [figure for figure in gallery.figures if figure.kind == kind]
    reasons = [figure.reason for figure in gallery.left_out if figure.kind == kind]
    heading = tag("h3", HEADINGS[kind], id=f"kind-{kind}-title")
    return tag(
        "section",
        heading,
        _chooser(kind, figures) if len(figures) > 1 else "",
        *(figure_element(figure, visible=figure is figures[0]) for figure in figures),
        *(tag("p", reason, class_="aside") for reason in dict.fromkeys(reasons)),
        id=f"kind-{kind}",
        aria_labelledby=f"kind-{kind}-title",
    )


def _chooser(kind: str, figures: Sequence[Figure]) -> Html:
    options = (tag("option", figure.choice, value=figure.id) for figure in figures)
    unseen = tag("span", f": {HEADINGS[kind].lower()}", class_="unseen")
    label = tag("label", "Show", unseen, for_=f"choose-{kind}")
    chooser = tag("select", *options, id=f"choose-{kind}", data_chooser=kind, autocomplete="off")
    return tag("p", label, " ", chooser, class_="chooser", hidden=True)


def figure_element(figure: Figure, *, visible: bool) -> Html:
    """Return the element in which the script draws a chart, with its caption and downloads."""
    title = f"figure-{figure.id}-title"
    drawing = tag("div", class_="chart", role="img", aria_label=figure.alt, data_chart=figure.id)
    buttons = (
        tag(
            "button",
            kind,
            tag("span", f" of {figure.title}", class_="unseen"),
            type="button",
            data_save=kind.lower(),
        )
        for kind in FORMATS
    )
    caption = tag("figcaption", tag("strong", figure.title, id=title), ". ", figure.note)
    return tag(
        "figure",
        tag("div", drawing, class_="region", role="region", tabindex=0, aria_labelledby=title),
        caption,
        tag("div", "Download ", *buttons, class_="downloads", hidden=True),
        id=f"figure-{figure.id}",
        aria_labelledby=title,
        hidden=None if visible else True,
    )
