"""How a notebook shows a graph with the frequencies of its edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causalassay.notebook import fragment, number, paragraph, table

if TYPE_CHECKING:
    from causalassay.resampling.result import EdgeFrequencies

HEADER = ("edge", "as drawn", "forward", "backward", "undirected", "absent")


def frequencies_html(found: EdgeFrequencies) -> str:
    """Return the graph, its edges with their frequencies, and what failed."""
    drawing = found.draw()
    rows = [
        (one.text, *map(number, (one.support, one.forward, one.backward, one.undirected)))
        + (number(one.absent),)
        for one in found.pairs()
    ]
    failed = [paragraph(f"{n} failed: {reason}") for reason, n in found.failures.items()]
    return fragment(
        paragraph(drawing.caption),
        drawing._repr_svg_(),
        table(rows, HEADER, f"Shares of {found.caption}"),
        *failed,
    )
