"""What a graph with the frequencies of its edges shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

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
from causalassay.resampling.charts import MOST_DRAWN, frequency_matrix
from causalassay.resampling.result import EdgeFrequencies, PairFrequency

MOST_LISTED = 200
"""Edges that a terminal prints; the rest is counted."""

MANY = 6
"""Columns from which on the drawing is as wide as the page lets it."""

DRAWN = (
    " Thick: most bootstraps join the pair. Dashed: they disagree on its direction, or on whether "
    "it has one."
)
MATRIX = (
    "Per cent of the bootstraps with row → column; after a dash, with the edge undirected. These "
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
    if frequencies.measured and 1 < len(frequencies.columns) <= MOST_DRAWN:
        alt = "How often each row may cause each column"
        blocks.append(Figure("frequencies", partial(frequency_matrix, frequencies), alt, MATRIX))
    failed = [
        Prose(f"{count} of {frequencies.n_bootstrap} bootstraps failed: {reason}", "aside")
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
        rest="--out and --json have all",
    )


def _weights(
    frequencies: EdgeFrequencies, pairs: Sequence[PairFrequency]
) -> Sequence[float | None]:
    """Return the weight of each directed edge; None where there is none."""
    weights = frequencies.estimate.weights
    if weights is None or np.shape(weights) != frequencies.estimate.graph.shape:
        return [None] * len(pairs)
    index = {name: k for k, name in enumerate(frequencies.columns)}
    return [
        float(weights[index[pair.source], index[pair.target]]) if pair.mark == "->" else None
        for pair in pairs
    ]
