"""How results show themselves: in notebooks as their document, in terminals in a few lines."""

from __future__ import annotations

from abc import ABC, abstractmethod

from causalassay.common.spelling import visible
from causalassay.present.document import Document
from causalassay.present.formatting import shortened

LONGEST_LINE = 200
MOST_LINES = 10


class Shown(ABC):
    """A result that has a document.

    `repr` gives at most ten lines: what it is, its headline, and how to see the rest.
    """

    @abstractmethod
    def document(self) -> Document:
        """Return what the result shows."""

    def _repr_html_(self) -> str:
        from causalassay.present.html import fragment  # noqa: PLC0415  # only notebooks need it

        return fragment(self.document())

    def __repr__(self) -> str:
        document = self.document()
        claim = document.headline
        headline = claim if isinstance(claim, str) else claim.sentence
        lines = [
            f"{type(self).__name__}: {document.about or document.title}",
            headline,
            *(f"{table.title or table.id}: {len(table.rows)} rows" for table in document.tables()),
        ]
        return "\n".join(shortened(visible(line), LONGEST_LINE) for line in lines[:MOST_LINES])
