"""The page of one graph: the drawing, the frequencies, then every number and its origin."""

from __future__ import annotations

from dataclasses import dataclass

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
        section("meaning", "What the frequencies say", *(tag("p", text) for text in MEANING)),
        provenance_section(made, command, date),
    )


def _pictures(one: EdgeFrequencies) -> Html:
    drawn = tag(
        "figure",
        tag("div", Html(one.draw()._repr_svg_()), class_="wide"),
        tag("figcaption", "The graph found on all rows. A thick line is in most bootstraps."),
        id="picture-graph",
        class_="whole",
    )
    if not one.n_bootstrap or len(one.columns) > MOST_DRAWN:
        return tag("div", drawn, class_="pictures")
    matrix = tag(
        "figure",
        tag("div", Html(frequency_matrix(one)), class_="wide"),
        tag(
            "figcaption",
            "Per cent of the bootstraps in which the row may cause the column: row → column, or "
            "undirected. Framed: edges of the graph.",
        ),
        id="picture-frequencies",
        class_="whole",
    )
    return tag("div", drawn, matrix, class_="pictures")


def frequency_table(one: EdgeFrequencies) -> Html:
    """Return the edges with their frequencies, and pairs that only bootstraps join."""
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
