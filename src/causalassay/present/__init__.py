"""What every result is shown with: documents of blocks, formats of numbers, and five renderers.

This package knows documents and nothing of what they are about. Each result builds its own, in a
file `document.py` beside it.
"""

from causalassay.present.document import (
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
    Interval,
    Marked,
    Prose,
    PValue,
    Rules,
    Section,
    Table,
)

__all__ = [
    "Beside",
    "Block",
    "Code",
    "Column",
    "Document",
    "Facts",
    "Figure",
    "Findings",
    "Fold",
    "GraphFigure",
    "Interval",
    "Marked",
    "PValue",
    "Prose",
    "Rules",
    "Section",
    "Table",
]
