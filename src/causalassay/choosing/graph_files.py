"""The graphs of a choice as files."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from causalassay.arrays import Adjacency
from causalassay.choosing.result import Choice
from causalassay.graphs import write_graph


def matrix_of(choice: Choice, name: str) -> Adjacency:
    """Return the graph of a row as a matrix."""
    place = {column: k for k, column in enumerate(choice.columns)}
    graph = np.zeros((len(place), len(place)), dtype=bool)
    found = choice.graphs[name]
    for cause, effect in (*found.directed, *found.undirected):
        graph[place[cause], place[effect]] = True
    for first, second in found.undirected:
        graph[place[second], place[first]] = True
    return graph


def write_graphs(choice: Choice, folder: Path) -> list[Path]:
    """Write the graph of each algorithm as an edge list; return the files.

    Letters of a name that no file should have become hyphens; names that would then be the
    same file get a number.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for name in choice.ranking:
        stem = re.sub(r"[^\w.+-]+", "-", name).strip("-.")[:100] or "graph"
        same = sum(path.name.startswith(f"{stem}.csv") for path in written)
        path = folder / (f"{stem}.csv" if not same else f"{stem}-{len(written) + 1}.csv")
        write_graph(path, matrix_of(choice, name), choice.columns)
        written.append(path)
    return written
