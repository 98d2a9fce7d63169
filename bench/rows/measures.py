"""Diagnostics, metrics and graphs."""

from __future__ import annotations

from bench import problems
from bench.rows.contestants import causal_learn, causaldisco, gadjid, ges, ours, pgmpy, plain
from bench.rows.row import Row


def rows() -> list[Row]:
    """Return the rows of this part."""
    return [
        _sortability(100, 60),
        _sortability(220, 300),
        _sid(100),
        _sid(1000),
        Row(
            "cpdag",
            "DAG to CPDAG",
            200,
            problems.two_graphs,
            ours("cpdag"),
            (pgmpy("cpdag", 20), ges("ges", "cpdag", 20), causal_learn("cpdag", 20)),
        ),
        Row(
            "tv",
            "total variation over all ordered pairs",
            100,
            problems.two_models,
            ours("variation"),
            (plain("a numpy loop", "variation", 100),),
        ),
    ]


def _sortability(n_nodes: int, target: float) -> Row:
    peers = (causaldisco("sortability", target),)
    title = "var- and R²-sortability"
    return Row("sortability", title, n_nodes, problems.linear, ours("sortability"), peers)


def _sid(n_nodes: int) -> Row:
    peers = (gadjid("sid", 4),)
    return Row("sid", "SID with validation", n_nodes, problems.two_graphs, ours("sid"), peers)
