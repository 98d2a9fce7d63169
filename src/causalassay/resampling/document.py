"""What a graph with the frequencies of its edges shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from causalassay.contracts import WARNING
from causalassay.present import (
    Block,
    Column,
    Document,
    Facts,
    Figure,
    Fold,
    GraphFigure,
    Prose,
    Section,
    Table,
)
from causalassay.present.charts import PAPER, chart_of
from causalassay.present.colours import light
from causalassay.present.formatting import counted, percent
from causalassay.resampling.result import EdgeFrequencies, PairFrequency

if TYPE_CHECKING:
    import altair as alt


# The chart of edge frequencies: a cell for each pair of columns.

SIDE, SMALL = 30, 12
"""Pixels of a cell with its numbers, and without."""
MOST_NUMBERED = 24
"""Columns up to which cells have numbers."""
MOST_DRAWN = 80
"""Columns up to which there is a chart at all."""
DARK = 0.55
"""Share from which on the numbers in a cell are light."""
LINE = 12
"""Pixels between two numbers in a cell."""
LONGEST_NAME = 130
"""Pixels of a name; a longer one is cut."""

INK, FILL, FRAME, EDGE = light("drawn ink", "cell fill", "cell frame", "cell edge")


def frequency_matrix(frequencies: EdgeFrequencies) -> dict[str, Any]:
    """Return how often each row may cause each column.

    A cell has the share of i→j, and after a dash that of i—j: the numbers of the table. The
    more often either comes out, the darker it is. The edges of the graph have a frame.
    """
    import altair as alt  # noqa: PLC0415  # takes a while, and few results are drawn

    names = list(frequencies.columns)
    pairs = [(i, j) for i in range(len(names)) for j in range(len(names)) if i != j]
    axis: dict[str, Any] = {"title": None, "grid": False, "ticks": False, "domain": False}
    axis["labelLimit"] = LONGEST_NAME
    scale = alt.Scale(domain=names, paddingInner=0.07, paddingOuter=0.04)
    base = chart_of(many=(_cell(frequencies, *pair) for pair in pairs)).encode(
        x=alt.X("effect:N", scale=scale, axis=alt.Axis(**axis, orient="top", labelAngle=-90)),
        y=alt.Y("cause:N", scale=scale, axis=alt.Axis(**axis)),
    )
    shades = alt.Scale(domain=[0, 1], range=[PAPER, FILL], interpolate="rgb")
    drawn = alt.datum.drawn
    layers = [
        base.mark_rect().encode(
            color=alt.Color("known:Q", legend=None, scale=shades),
            stroke=alt.condition(drawn, alt.value(EDGE), alt.value(FRAME)),
            strokeWidth=alt.condition(drawn, alt.value(2), alt.value(1)),
            description="says:N",
        )
    ]
    few = len(names) <= MOST_NUMBERED
    if few:
        layers += [_numbers(base, n_lines) for n_lines in (1, 2)]
    size = len(names) * (SIDE if few else SMALL)
    spec: dict[str, Any] = alt.layer(*layers).properties(width=size, height=size).to_dict()
    return spec


def _cell(frequencies: EdgeFrequencies, i: int, j: int) -> dict[str, Any]:
    cause, effect = frequencies.columns[i], frequencies.columns[j]
    forward, backward, undirected, absent = frequencies.shares(i, j)
    lines = [f"{100 * forward:.0f}"] if forward > 0 else []
    lines += [f"({100 * undirected:.0f})"] if undirected > 0 else []  # a dash reads as minus
    return {
        "cause": cause,
        "effect": effect,
        "known": forward + undirected,
        "drawn": bool(frequencies.estimate.graph[i, j]),
        "n_lines": len(lines),
        "numbers": "\n".join(lines),
        "says": f"{cause} → {effect}: {percent(forward)}, {effect} → {cause}: "
        f"{percent(backward)}, undirected: {percent(undirected)}, absent: {percent(absent)}",
    }


def _numbers(base: alt.Chart, n_lines: int) -> alt.Chart:
    """Return the numbers of the cells that have so many, in the middle of each."""
    import altair as alt  # noqa: PLC0415

    look: dict[str, Any] = {"fontSize": 11, "lineBreak": "\n", "lineHeight": LINE, "aria": False}
    return (
        base.transform_filter(alt.datum.n_lines == n_lines)
        .mark_text(**look, dy=LINE * (1 - n_lines) / 2)
        .encode(
            text="numbers:N",
            color=alt.condition(alt.datum.known > DARK, alt.value(PAPER), alt.value(INK)),
        )
    )


MOST_LISTED = 200
"""Edges that a terminal prints; the rest is counted."""

MANY = 6
"""Columns from which on the drawing is as wide as the page lets it."""

DRAWN = (
    " Thick: most bootstraps join the pair. Dashed: they disagree on its direction, or on whether "
    "it has one."
)
MATRIX = (
    "Per cent of the bootstraps with row → column; in brackets, with the edge undirected. These "
    "are the numbers of the table. Framed: edges of the graph."
)
MEANING = (
    "A frequency says how much an edge depends on which rows were measured. It is no probability "
    "that the edge is true."
)
BOOTSTRAPS = (
    "Each bootstrap draws rows with replacement within each condition, and puts the columns in a "
    "random order. A direction that only the order of the columns decides comes out both ways."
)


@dataclass(frozen=True)
class Search:
    """What was run on what; empty where it is not known.

    Parameters
    ----------
    algorithm : str
        Its label.
    data : str
        The name of the data.
    size : str
        How large the data are.
    assumptions : str
        Of the algorithm.
    """

    algorithm: str = ""
    data: str = ""
    size: str = ""
    assumptions: str = ""


NOT_STATED = Search()


def frequencies_document(
    frequencies: EdgeFrequencies, search: Search = NOT_STATED, provenance: Sequence[Block] = ()
) -> Document:
    """Return the graph, the frequencies of its edges, what they say, and what failed."""
    drawing = frequencies.draw()
    large = len(frequencies.columns) >= MANY
    caption = "The graph found on all rows." + (DRAWN if frequencies.measured else "")
    blocks: list[Block] = [
        GraphFigure("large-graph" if large else "graph", drawing._repr_svg_, caption)
    ]
    if warning := frequencies.estimate.info.get(WARNING):
        blocks.append(Prose(f"{str(warning)[:1].upper()}{str(warning)[1:]}.", "notice"))
    if frequencies.measured and 1 < len(frequencies.columns) <= MOST_DRAWN:
        alt = "How often each row may cause each column"
        blocks.append(Figure("frequencies", partial(frequency_matrix, frequencies), alt, MATRIX))
    failed = [
        Prose(
            f"{count} of {counted(frequencies.n_bootstrap, 'bootstrap')} failed: {reason}", "aside"
        )
        for reason, count in frequencies.failures.items()
    ]
    table = [edge_table(frequencies)] if frequencies.pairs() else []
    if table or failed:
        blocks.append(Section("edges-section", "Edges", [*table, *failed]))
    if frequencies.measured:
        blocks += [Prose(MEANING, "aside"), Fold("How bootstraps are drawn", [Prose(BOOTSTRAPS)])]
    if search.assumptions:
        facts = Facts({f"{search.algorithm} assumes".strip(): search.assumptions})
        blocks.append(Section("assumptions", "What is assumed", [facts]))
    return Document(
        f"{search.algorithm} on {search.data}" if search.data else "Graph",
        frequencies.sentence,
        blocks,
        provenance,
        "; ".join(part for part in (search.size, f"found: {drawing.caption}") if part),
    )


def edge_table(frequencies: EdgeFrequencies) -> Table:
    """Return the edges, with weights and frequencies where there are any.

    Pairs that only bootstraps join come last.
    """
    pairs = frequencies.pairs()
    columns = [Column("edge", "edge")]
    rows: list[list[object]] = [[pair.text] for pair in pairs]
    weights = _weights(frequencies, pairs)
    if any(weight is not None for weight in weights):
        columns.append(Column("weight", "weight", "digits", 1, hint="of the algorithm, not cut"))
        rows = [[*row, weight] for row, weight in zip(rows, weights, strict=True)]
    probabilities = _probabilities(frequencies, pairs)
    if probabilities:
        hint = "of the algorithm itself, that the edge is as drawn"
        columns.append(Column("probability", "probability", "percent", 1, hint=hint))
        rows = [[*row, share] for row, share in zip(rows, probabilities, strict=True)]
    about = "Without bootstraps there are no frequencies."
    if frequencies.measured:
        columns += [
            Column("as_drawn", "as drawn", "percent", hint="joined as in the graph"),
            Column("forward", "→", "percent", 3, hint="in this direction"),
            Column("backward", "←", "percent", 3, hint="in the other direction"),
            Column("undirected", "—", "percent", 3, hint="without direction"),
            Column("absent", "absent", "percent", 2, hint="not joined"),
        ]
        rows = [[*row, pair.support, *pair.shares] for row, pair in zip(rows, pairs, strict=True)]
        about = f"Shares of {frequencies.caption}."
    marked = any(not pair.mark for pair in pairs)
    return Table(
        "edges",
        columns,
        rows,
        "Edges, and their shares of the bootstraps" if frequencies.measured else "Edges",
        about,
        ["“?” marks pairs that most bootstraps join and the graph does not"] if marked else (),
        most=MOST_LISTED,
        rest="--write-graph and --json have all",
    )


def _weights(
    frequencies: EdgeFrequencies, pairs: Sequence[PairFrequency]
) -> Sequence[float | None]:
    """Return the weight of each directed edge; None where there is none."""
    weights = frequencies.estimate.weights
    if weights is None or np.shape(weights) != frequencies.estimate.graph.shape:
        return [None] * len(pairs)
    return [
        float(weights[indices]) if pair.mark == "->" else None
        for pair, indices in zip(pairs, _places(frequencies, pairs), strict=True)
    ]


def _probabilities(frequencies: EdgeFrequencies, pairs: Sequence[PairFrequency]) -> list[float]:
    """Return the algorithm's own probability of each edge, of a pair without direction in all."""
    probabilities = frequencies.estimate.probabilities
    if probabilities is None:
        return []
    return [
        float(
            probabilities[i, j]
            if pair.mark == "->"
            else min(probabilities[i, j] + probabilities[j, i], 1.0)
        )
        for pair, (i, j) in zip(pairs, _places(frequencies, pairs), strict=True)
    ]


def _places(frequencies: EdgeFrequencies, pairs: Sequence[PairFrequency]) -> list[tuple[int, int]]:
    index = {name: k for k, name in enumerate(frequencies.columns)}
    return [(index[pair.source], index[pair.target]) for pair in pairs]
