"""What the files of a bundle are called."""

from __future__ import annotations

from causalassay.bundling.wheel import WHEEL_NAME

STUDY = "study.toml"
CARD = "card.md"
CROISSANT = "croissant.json"
ROWS_CSV = "rows.csv"
ROWS = "rows.parquet"
GRAPHS = "graphs.zip"
GRAPH_INDEX = "graphs.csv"
REPORT = "report.html"
SESSIONS = "sessions.json"
LOCK = "requirements.txt"
LICENCE = "LICENSE.txt"
CHECKSUMS = "checksums.sha256"
NOT_INCLUDED = "not-included.sha256"
"""Data files that are no part of the bundle: where to put them, and their checksums."""
DATA = "data"
"""The folder of data files."""

OURS = (
    *(STUDY, CARD, CROISSANT, ROWS_CSV, ROWS, GRAPHS, GRAPH_INDEX, REPORT, SESSIONS),
    *(LOCK, LICENCE, CHECKSUMS, NOT_INCLUDED),
)
"""Names that no file of the user can have."""

MEANINGS = {
    STUDY: "the study, for causalassay run",
    ROWS: "one row per run, with scores, times and reasons",
    ROWS_CSV: "the same rows as text",
    GRAPHS: "the graph of each run as an edge list",
    GRAPH_INDEX: "which graph belongs to which row",
    REPORT: "the report, one page that works offline",
    SESSIONS: "when it ran and with which versions, and what tuning chose",
    LOCK: "versions of the packages",
    LICENCE: "the licence that the authors state",
    CARD: "the evaluation card",
    CROISSANT: "the description for machines (Croissant 1.0)",
    NOT_INCLUDED: "data files that are not here, with their checksums",
    CHECKSUMS: "SHA-256 of every other file",
}
"""In the order of the card."""


def meaning(name: str) -> str:
    """Return what a file of a bundle is.

    Examples
    --------
    >>> meaning("rows.csv"), meaning("mine.py")
    ('the same rows as text', 'named by the study')
    """
    wheel = "the causalassay that made this bundle"
    return wheel if WHEEL_NAME.fullmatch(name) else MEANINGS.get(name, "named by the study")
