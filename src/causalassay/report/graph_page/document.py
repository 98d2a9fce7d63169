"""The page of one graph: the drawing, the frequencies, then every number and its origin."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from causalassay.auditing.provenance import Provenance
from causalassay.report.audit_page.parts import page, provenance_section
from causalassay.report.graph_page.frequency_matrix import MOST_DRAWN, frequency_matrix
from causalassay.report.page.elements import section, table
from causalassay.report.page.markup import Html, tag
from causalassay.resampling import EdgeFrequencies
from causalassay.resampling.result import percent

HEADS = ("edge", "as drawn", "this direction", "other direction", "undirected", "absent")

MEANING = (
    "A frequency says how much an edge depends on which rows were measured. It is no "
    "probability that the edge is true.",
    "Each bootstrap draws rows with replacement within each condition, and puts the columns in a "
    "random order.",
    "A direction that only the order of the columns decides comes out both ways.",
)
"""What frequencies say, and how they come about."""

MATRIX_CAPTION = (
    "Per cent of the bootstraps with row → column; after a dash, with the edge undirected. These "
    "are the numbers of the table. Framed: edges of the graph."
)

MANY = 6
"""Columns from which on the drawing is as wide as the page lets it."""


@dataclass(frozen=True)
class Found:
    """What a page tells.

    Parameters
    ----------
    data : str
        The name of the data file.
    size : str
        How large the data are.
    algorithm : str
        Its label.
    frequencies : EdgeFrequencies
    """

    data: str
    size: str
    algorithm: str
    frequencies: EdgeFrequencies


def graph_page(found: Found, made: Provenance, command: str, date: str) -> Html:
    """Return the page of a graph; no name in it can be more than text.

    Parameters
    ----------
    found : Found
    made : Provenance
    command : str
        The command line that made it.
    date : str
    """
    title = f"{found.data}: graph by {found.algorithm}"
    one = found.frequencies
    return page(
        title,
        tag("h1", title),
        tag("p", one.sentence, class_="headline"),
        tag("p", f"{found.size}. Found: {one.draw().caption}.", class_="rate"),
        _pictures(one),
        section("edges-section", "Edges", frequency_table(one), *_asides(one)),
        *_meaning(one),
        provenance_section(made, command, date),
        own_style=_style(),
    )


def _meaning(one: EdgeFrequencies) -> list[Html]:
    said = [tag("p", text) for text in MEANING]
    return [section("meaning", "What the frequencies say", *said)] if one.measured else []


def _pictures(one: EdgeFrequencies) -> Html:
    """Return the drawing and, beside it on a wide screen, the frequencies of all pairs."""
    said = "The graph found on all rows."
    if one.measured:
        said += (
            " Thick: most bootstraps join the pair. Dashed: they disagree on its direction, or "
            "on whether it has one."
        )
    figures = [_figure("picture-graph", one.draw()._repr_svg_(), said, len(one.columns))]
    if one.measured and len(one.columns) <= MOST_DRAWN:
        figures.append(_figure("picture-frequencies", frequency_matrix(one), MATRIX_CAPTION))
    return tag("div", *figures, class_="pictures")


def _figure(identity: str, svg: str, caption: str, n_columns: int = 0) -> Html:
    return tag(
        "figure",
        tag("div", Html(svg), class_="wide"),
        tag("figcaption", caption),
        id=identity,
        class_="whole large" if n_columns >= MANY else "whole",
    )


@cache
def _style() -> str:
    room = files("causalassay.report")
    return room.joinpath("graph_page", "assets", "graph.css").read_text(encoding="utf-8")


def frequency_table(one: EdgeFrequencies) -> Html:
    """Return the edges with their frequencies, and pairs that only bootstraps join."""
    if not one.measured:
        caption = "Without bootstraps there are no frequencies."
        return table("edges", caption, HEADS[:1], [(pair.text,) for pair in one.pairs()])
    rows = [
        (
            pair.text,
            percent(pair.support),
            *map(percent, (pair.forward, pair.backward, pair.undirected, pair.absent)),
        )
        for pair in one.pairs()
    ]
    caption = (
        f"Shares of {one.caption}. “?” marks pairs that most bootstraps join and the graph does "
        "not."
    )
    return table("edges", caption, HEADS, rows)


def _asides(one: EdgeFrequencies) -> list[Html]:
    """Return why bootstraps failed, if some did."""
    return [
        tag("p", f"{count} of {one.n_bootstrap} bootstraps failed: {reason}", class_="aside")
        for reason, count in one.failures.items()
    ]
