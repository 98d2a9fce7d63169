"""Real data that a paper's studies read: found on this machine, never in the package."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from causalassay.data import sachs
from causalassay.data.known_files import KnownFile, locate
from causalassay.graphs import write_graph

JDK = KnownFile(
    "jdk",
    "jdk-results.csv",
    "9556515d2f4c0911a6bda06bf32ef6f1aee5f366d3248e9e5b4cb3496ebc67a4",
)


def jdk_file() -> Path:
    """Return the file of the JDK experiment, found as Sachs's is."""
    return locate(JDK)


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
