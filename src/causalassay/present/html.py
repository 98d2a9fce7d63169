"""Documents as HTML: whole pages that need no network, and fragments for notebooks.

Both are made of the same elements. A page carries the stylesheet; a fragment carries the part of
it that its blocks need, so every result shows itself in a notebook as it does on its page.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from causalassay.present import (
    Beside,
    Block,
    Code,
    Column,
    Document,
    Facts,
    Figure,
    Findings,
    Fold,
    GraphFigure,
    Marked,
    Prose,
    Rules,
    Section,
    Stated,
    Table,
)
from causalassay.present.charts import static_svg
from causalassay.present.colours import notebook_style, page_style
from causalassay.present.formatting import FORMATS, Interval, formatted, interval_parts
from causalassay.present.markup import Html, join, tag

LONG_TEXT = 40
"""Letters of a cell from which on its lines may break anywhere."""
MOST_PRINTED = 9
"""Columns that paper has room for; of more, headings stand upright and limits below numbers."""

Pictures = tuple[Figure | GraphFigure, ...]
"""Pictures that stand beside each other."""

NOTEBOOK = "causalassay"
"""The class of what a notebook shows."""


@cache
def asset(name: str) -> str:
    """Return a text file of the folder ``assets``."""
    return (files("causalassay.present") / "assets" / name).read_text(encoding="utf-8")


def page(document: Document) -> Html:
    """Return the page of a document: one file without scripts, which loads nothing."""
    body = [
        tag("h1", document.title),
        *headline(document),
        blocks_html(document.blocks),
    ]
    if document.rules:
        body.append(section("rules", "Rules", rules_html(Rules(document.rules))))
    if document.provenance:
        body.append(section("provenance", "Provenance", blocks_html(document.provenance)))
    return whole_page(document.title, tag("main", *body, id="main"))


def fragment(document: Document) -> str:
    """Return what a notebook shows of a document: all of the page but its provenance."""
    about = [tag("p", f"{document.title}: {document.about}")] if document.about else []
    rules = [fold("Rules", rules_html(Rules(document.rules)))] if document.rules else []
    blocks = blocks_html(document.blocks)
    return notebook(*about, *headline(document, linked=False), blocks, *rules)


def notebook(*parts: object) -> Html:
    """Return parts in an element that brings the style of its blocks with it."""
    style = f".{NOTEBOOK} {{{notebook_style()}{asset('notebook.css')}{asset('blocks.css')}}}"
    return tag("div", tag("style", Html(style)), *parts, class_=NOTEBOOK)


def whole_page(title: str, *parts: object, scripts: Sequence[str] = (), **attributes: str) -> Html:
    """Return a page that runs only these scripts, uses only its own style and loads nothing.

    Parameters
    ----------
    title : str
    *parts : Html
        Of its body.
    scripts : sequence of str
        Code that cannot end its element, at the end of the body.
    **attributes : str
        Of the outermost element.
    """
    style = page_style() + asset("page.css") + asset("blocks.css")
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy(scripts, style)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        tag("style", Html(style)),
    )
    body = tag("body", *parts, *(tag("script", Html(code)) for code in scripts))
    return Html(f"<!doctype html>\n{tag('html', head, body, lang='en', **attributes)}\n")


def policy(scripts: Sequence[str], style: str) -> str:
    """Return the page's Content-Security-Policy: these scripts and this style, nothing else.

    Nothing is loaded and no other script runs, not even one that a name in the data might
    smuggle in. Vega's expressions are interpreted, so 'unsafe-eval' is not needed.
    """
    allowed = ["default-src 'none'", f"style-src {source_hash(style)}", "base-uri 'none'"]
    if scripts:
        hashes = " ".join(source_hash(code) for code in scripts)
        allowed += [f"script-src {hashes}", "img-src data: blob:", "form-action 'none'"]
    return "; ".join(allowed)


def source_hash(text: str) -> str:
    """Return what a Content-Security-Policy calls an inline script or style.

    Examples
    --------
    >>> source_hash("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def headline(document: Document, *, linked: bool = True) -> Iterable[Html]:
    """Yield the claim of a document, what follows from it, and how often its rule is wrong."""
    claim = document.headline
    if isinstance(claim, str):
        if claim:
            yield tag("p", claim, class_="headline")
        if document.about and linked:
            yield tag("p", f"{document.about}.", class_="rate")
        return
    yield tag("p", claim.sentence, class_="headline")
    if claim.advice:
        yield tag("p", claim.advice)
    rates: list[object] = []
    for name in claim.rule_names:
        rate = document.rules[name].rate_text if name in document.rules else ""
        rates += ["Rule ", _rule_name(name, linked=linked), f"; {rate}. "]
    about = f"Looked at: {document.about}." if document.about and linked else ""
    yield tag("p", *rates, about, class_="rate")


def grouped(blocks: Sequence[Block]) -> list[Block | Pictures]:
    """Return blocks in their order, pictures that follow each other together."""
    every: list[Block | Pictures] = []
    for block in blocks:
        if not isinstance(block, Figure | GraphFigure):
            every.append(block)
        elif every and isinstance(every[-1], tuple):
            every[-1] = (*every[-1], block)
        else:
            every.append((block,))
    return every


def block_html(block: Block | Pictures) -> Html:
    """Return a block, or pictures beside each other."""
    return _ELEMENTS[type(block)](block)


def blocks_html(blocks: Sequence[Block]) -> Html:
    """Return blocks one after the other."""
    return join(block_html(block) for block in grouped(blocks))


def section(identity: str, title: str, *parts: object) -> Html:
    """Return parts under a heading of their own."""
    heading = tag("h2", title, id=f"{identity}-title")
    return tag("section", heading, *parts, id=identity, aria_labelledby=f"{identity}-title")


def fold(title: str, *parts: object, printed: bool = False, identity: str = "") -> Html:
    """Return what opens on a click; the script opens it for print if that is asked for."""
    attributes = {"id": identity or None, "data_print": True if printed else None}
    return tag("details", tag("summary", title), *parts, **attributes)


def facts_html(facts: Facts) -> Html:
    """Return names with their texts."""
    return tag(
        "dl",
        *(
            tag("div", tag("dt", name), tag("dd", _fact(value)))
            for name, value in facts.items.items()
        ),
    )


def _fact(value: object) -> object:
    if isinstance(value, Code):
        return tag("code", value.text)
    return cell_html(value, Column("", ""))[0] if isinstance(value, Marked | Html) else str(value)


def findings_html(findings: Findings) -> Html:
    """Return sentences with their kind, their rules and, on demand, their numbers."""
    return tag(
        "ul", *(tag("li", finding_html(finding)) for finding in findings.items), class_="findings"
    )


def finding_html(finding: Stated) -> Html:
    """Return the sentence of a finding, its rules and, on demand, its numbers."""
    links = [part for name in finding.rule_names for part in (", ", _rule_name(name))][1:]
    about = [f"{finding.label}; rule ", *links] if links else [finding.label]
    aside = tag("span", *about, class_="aside")
    text = f"{finding.sentence} {finding.advice}".strip()
    numbers = finding.number_texts
    on_demand = fold("The numbers", facts_html(Facts(numbers))) if numbers else ""
    return join((text, " ", aside, on_demand))


def rules_html(rules: Rules) -> Html:
    """Return how each rule decides, and how often it was wrong."""
    return tag(
        "dl",
        *(
            tag("div", tag("dt", name, id=_anchor(name)), tag("dd", rule.text))
            for name, rule in rules.items.items()
        ),
    )


def _rule_name(name: str, *, linked: bool = True) -> Html:
    shown = f"“{name}”"
    return tag("a", shown, href=f"#{_anchor(name)}") if linked else tag("span", shown)


def _anchor(rule: str) -> str:
    return f"rule-{rule.replace(' ', '-')}"


def table_html(table: Table) -> Html:
    """Return a table that scrolls by itself where the page is too narrow for it."""
    about = table.caption or table.title
    caption = [tag("caption", about, id=f"{table.id}-caption")] if about else []
    heads = (
        tag("th", column.heading, scope="col", title=column.hint or None, class_=column.side)
        for column in table.columns
    )
    n_first = len(table.rows) - table.n_last
    bodies = [_rows(table.columns, table.rows[:n_first], None)]
    if table.n_last:
        bodies.append(_rows(table.columns, table.rows[n_first:], "last"))
    look = "crowded" if len(table.columns) > MOST_PRINTED else None
    whole = tag(
        "table", *caption, tag("thead", tag("tr", *heads)), *bodies, id=table.id, class_=look
    )
    region = tag(
        "div",
        whole,
        class_="region",
        role="region",
        tabindex=0,
        aria_labelledby=f"{table.id}-caption" if about else None,
    )
    return join((region, *(tag("p", f"Note: {note}.", class_="aside") for note in table.notes)))


def _rows(columns: Sequence[Column], rows: Sequence[Sequence[object]], kind: str | None) -> Html:
    return tag("tbody", *(_row(columns, row) for row in rows), class_=kind)


def _row(columns: Sequence[Column], row: Sequence[object]) -> Html:
    first, *others = (cell_html(value, column) for column, value in zip(columns, row, strict=True))
    head = tag("th", first[0], scope="row", class_=first[1])
    return tag("tr", head, *(tag("td", inside, class_=kind) for inside, kind in others))


def cell_html(value: object, column: Column) -> tuple[object, str | None]:
    """Return what a cell holds, and its class."""
    marked = value if isinstance(value, Marked) else Marked(value)
    inside = _value_html(marked.value, column, bold=marked.bold)
    if marked.warns:
        inside = tag("span", inside, class_="missed")
    if marked.hint:
        inside = tag("span", inside, title=marked.hint)
    if marked.link:
        inside = tag("a", inside, href=marked.link)
    if marked.mark:
        kind = "mark" if marked.has_word else None
        inside = join((inside, " ", tag("span", marked.mark, class_=kind)))
    # A long text may break anywhere, a number nowhere.
    if column.side == "right":
        return inside, "right"
    is_long = isinstance(marked.value, str) and len(marked.value) > LONG_TEXT
    return inside, "long" if is_long else None


def _value_html(value: object, column: Column, *, bold: bool) -> object:
    """Return a value; of an interval the number alone is bold, as in LaTeX."""
    limits: Sequence[str] = ()
    inside: object = value
    if isinstance(value, Interval):
        inside, *limits = interval_parts(value, FORMATS[column.format])
    elif not isinstance(value, Html):
        inside = formatted(value, column.format)
    if bold:
        inside = tag("strong", inside)
    return join((inside, *(join((" ", tag("small", text))) for text in limits)))


def figure_html(figure: Figure | GraphFigure) -> Html:
    """Return a picture with its caption."""
    if isinstance(figure, GraphFigure):
        drawn = tag("div", Html(figure.svg()), class_="wide")
    else:
        kind = "wide" if figure.wide else None
        drawn = tag("div", Html(static_svg(figure.spec(), figure.alt)), class_=kind)
    caption = [tag("figcaption", figure.caption)] if figure.caption else []
    whole = "whole" if isinstance(figure, GraphFigure) or figure.wide else None
    return tag("figure", drawn, *caption, id=f"picture-{figure.id}", class_=whole)


_ELEMENTS: Mapping[type[Block | Pictures], Callable[[Any], Html]] = {
    tuple: lambda pictures: tag("div", *map(figure_html, pictures), class_="pictures"),
    Prose: lambda block: tag("p", block.text, class_=block.look or None),
    Code: lambda block: tag("pre", block.text, tabindex=0),
    Facts: facts_html,
    Findings: findings_html,
    Rules: rules_html,
    Table: table_html,
    Figure: figure_html,
    GraphFigure: figure_html,
    Fold: lambda block: fold(
        block.title, blocks_html(block.blocks), printed=block.printed, identity=block.id
    ),
    Section: lambda block: section(block.id, block.title, blocks_html(block.blocks)),
    Beside: lambda block: tag(
        "div", *(tag("div", block_html(part)) for part in block.blocks), class_="beside"
    ),
}
