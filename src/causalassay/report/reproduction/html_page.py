"""The page of a reproduction as one HTML file that works offline."""

from __future__ import annotations

from causalassay.report.audit_page.parts import page
from causalassay.report.page.elements import section, table
from causalassay.report.page.markup import Html, tag
from causalassay.report.reproduction.cells import (
    HEADS,
    OVERVIEW,
    RULE,
    cells,
    citation,
    heading,
    made_by,
)
from causalassay.reproducing import Reproduction


def html_page(found: Reproduction, overview: str, drawings: dict[str, str], date: str) -> Html:
    """Return the page; no text in it can be more than text.

    Parameters
    ----------
    found : Reproduction
    overview : str
        The picture of all outcomes, as SVG.
    drawings : dict
        From an item to its picture, as SVG.
    date : str
    """
    what = {item.name: item.what for item in found.paper.items}
    return page(
        heading(found),
        tag("h1", heading(found)),
        tag("p", " ".join(found.sentences), class_="headline"),
        tag("figure", Html(overview), tag("figcaption", OVERVIEW)),
        tag("p", citation(found)),
        *(_item(found, item, what[item], drawings) for item in found.items),
        section("rule", "How it is decided", tag("p", RULE), tag("p", made_by(found, date))),
        section("notes", "Notes", *_notes(found.paper.notes)),
    )


def _item(found: Reproduction, item: str, what: str, drawings: dict[str, str]) -> Html:
    name = item.replace(".", "-")
    drawn = [
        tag("figure", Html(drawings[item]), tag("figcaption", picture.caption))
        for picture in found.pictures
        if picture.item == item
    ]
    rows = [cells(line) for line in found.lines_of(item)]
    return section(name, item, *drawn, table(f"{name}-values", what, HEADS, rows))


def _notes(text: str) -> list[Html]:
    """Return each line of the notes as a paragraph, without Markdown's marks."""
    lines = (line.lstrip("# -").replace("**", "").replace("`", "") for line in text.splitlines())
    return [tag("p", line) for line in lines if line and line != "Notes"]
