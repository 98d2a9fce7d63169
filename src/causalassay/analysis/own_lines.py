"""What a study says of the user's own algorithms, in one line each."""

from __future__ import annotations

from collections.abc import Iterator

from causalassay.analysis.analysis import Analysis
from causalassay.analysis.comparison import compared_with_all, own_algorithms
from causalassay.analysis.names import scheme_name
from causalassay.analysis.runs import SCHEME


def own_lines(analysis: Analysis) -> Iterator[str]:
    """Yield the finding on each own algorithm, and how many others it beats where it counts."""
    matrix = analysis.matrix
    free = [column.scheme for column in matrix.columns if column.free]
    for row in matrix.rows:
        if row.algorithm not in own_algorithms(analysis.runs):
            continue
        frame = compared_with_all(analysis.runs, row.algorithm)
        frame = frame[(frame["metric"] == matrix.metric) & frame["clear"]]
        parts = [f"Yours, {row.algorithm}: {row.finding}"]
        for scheme in free[:2]:
            gains = frame.loc[frame[SCHEME] == scheme, "gain"]
            parts.append(
                f"on {scheme_name(scheme)} better than {(gains > 0).sum()} and worse than "
                f"{(gains < 0).sum()} of {len(matrix.rows) - 1} others"
            )
        yield "; ".join(parts) + "."
