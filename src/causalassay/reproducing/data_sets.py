"""Real data that a paper's studies read: found on this machine, never in the package."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from causalassay.data import sachs
from causalassay.graphs import write_graph


def put_sachs(folder: Path) -> None:
    """Write the observational rows and the usual graph of Sachs et al. 2005 to a folder."""
    problem = sachs()
    data = problem.data
    folder.mkdir(parents=True, exist_ok=True)
    rows = pd.DataFrame(data.observational_values, columns=list(data.columns))
    rows.to_csv(folder / "sachs-observational.csv", index=False)
    write_graph(folder / "sachs-graph.csv", problem.graph, data.columns)


DATA_SETS: dict[str, Callable[[Path], None]] = {"sachs": put_sachs}
"""From the name that a study's `data` states to what puts its files into a folder."""
