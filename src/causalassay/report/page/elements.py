"""Parts that all sections of the page are made of: headings, tables, lists, folds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from causalassay.report.page.markup import Html, tag

LONG_TEXT = 40
"""Letters of a cell from which on its lines may break anywhere."""


def section(identity: str, title: str, *parts: object) -> Html:
    """Return a part of the page under a heading of its own."""
    heading = tag("h2", title, id=f"{identity}-title")
    return tag("section", heading, *parts, id=identity, aria_labelledby=f"{identity}-title")


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


def pairs(texts: Mapping[str, str]) -> Html:
    """Return names with their texts."""
    return tag(
        "dl",
        *(tag("div", tag("dt", name), tag("dd", value)) for name, value in texts.items()),
    )


def folded(title: str, *parts: object, printed: bool = False) -> Html:
    """Return what opens on a click; the script opens it for print if that is asked for."""
    return tag("details", tag("summary", title), *parts, data_print=True if printed else None)
