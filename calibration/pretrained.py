"""The assay of the pretrained networks: scores beside searches and baselines, graph by graph.

    python -m calibration.pretrained --minutes 20      # as far as that goes; again to go on
    python -m calibration.pretrained --graphs 2        # twice as many graphs as the page has

Rows are appended to FOLDER/pretrained.jsonl, graph by graph, so that it can be stopped at any
time. DOCS/amortized-results/scores.json has the scores of all rows; docs/amortized_page.py makes
tables and pictures of it. Sachs and the chamber are left out where DATA has them not.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import causalassay as ca
from calibration.rows_on_disk import Row, read
from causalassay.common.seeding import stream
from causalassay.data import Dataset
from causalassay.discovery import amortized
from causalassay.discovery.amortized import PRIORS, Amortized
from causalassay.discovery.amortized_weights import read as read_weights
from causalassay.metrics.probabilities import sums_in_bins
from causalassay.models.discrete.bif import read_bif

SEED = 20_261_118
"""Of all data here and of nothing else."""

METRICS = ("f1", "skeleton_f1", "direction_score", "mec_shd")

TOLD = ("steps", "systems", "minutes", "device", "date", "seed", "nodes", "rows")
TOLD += ("graphs", "schemes", "limits", "licence", "sha256", "audit")
"""What the page tells of a card."""

SCHEMES = ("standardized", "iscm", "uumc")
NOISES = ("gaussian", "uniform", "exponential")
SIZES = (10, 20, 50)
FUNCTIONS = ("gp", "mlp", "rff")

REAL = ("sachs", "chamber")

NETWORKS = tuple(f"amortized {prior}" for prior in PRIORS)
BASELINES = ("var-sortnregress", "r2-sortnregress", "random-sortnregress")
RIVALS = ("boss", "direct-lingam", "grasp")
BESIDE = ("amortized broad", *RIVALS)
REST = (*(name for name in NETWORKS if name not in BESIDE), "ges", *BASELINES)
"""The algorithms of the cross table that are not `BESIDE`."""

OTHERS, SLOW = ("pc", "xges", "mmhc", "mse-gds"), ("golem-ev", "golem-nv")
"""Native algorithms that are run on nonlinear data only."""


@dataclass(frozen=True)
class Cell:
    """One kind of data.

    Parameters
    ----------
    kind : str
        Of models, or "sachs" or "chamber".
    noise, mechanism : str
    n_nodes, n_rows : int
    graph : str
        Erdős–Rényi with so many edges per node, or a network whose structure is taken.
    """

    kind: str
    noise: str = "gaussian"
    mechanism: str = "linear"
    n_nodes: int = 20
    n_rows: int = 1000
    graph: str = "er-2"

    @property
    def name(self) -> str:
        """What it is called in rows."""
        if self.kind in REAL:
            return self.kind
        size = f"d={self.n_nodes} n={self.n_rows}"
        parts = [self.kind, self.mechanism, self.noise, self.graph, size]
        return " ".join(part for part in parts if part not in ("linear", "er-2"))

    @property
    def is_random(self) -> bool:
        """Whether the graph is drawn."""
        return self.kind not in REAL and self.graph.startswith("er-")

    @property
    def file(self) -> str:
        """What it needs of the folder of data; empty if nothing."""
        if self.kind in REAL:
            return f"{self.kind}.csv"
        return "" if self.is_random else f"networks/{self.graph}.bif.gz"


@dataclass(frozen=True)
class Part:
    """Cells in which the same algorithms are run on so many graphs; slow ones after all others."""

    cells: tuple[Cell, ...]
    algorithms: tuple[str, ...]
    graphs: int
    later: bool = False


def parts() -> list[Part]:
    """Return what is measured, the quickest and most wanted first."""
    at_20 = (Cell("scm"), *(Cell(kind, noise) for kind in SCHEMES for noise in NOISES))
    nonlinear = tuple(Cell("iscm", mechanism=function) for function in FUNCTIONS)
    apart = {
        size: tuple(Cell(kind, noise, n_nodes=size) for kind in SCHEMES for noise in NOISES)
        for size in SIZES
        if size != 20
    }
    by_size = (
        Cell("iscm", n_nodes=5, graph="er-1"),  # with 2 edges per node every pair were joined
        *(Cell("iscm", n_rows=rows) for rows in (50, 200, 10_000)),
    )
    alarm = Cell("iscm", graph="alarm", n_nodes=37)
    apart_iscm = tuple(Cell("iscm", n_nodes=size) for size in apart)
    real = tuple(Cell(kind) for kind in REAL)
    return [
        Part((*at_20, *nonlinear), (*NETWORKS, *RIVALS, "ges", *BASELINES), 15),
        Part(apart[10], BESIDE, 15),
        Part(apart[50], BESIDE, 15),
        Part(real, (*BESIDE, *REST), 1),
        Part((*by_size, alarm), (*BESIDE, *REST), 15),
        Part(apart_iscm, REST, 15),
        Part((Cell("iscm", n_nodes=100),), (*BESIDE, *REST), 8),
        Part(nonlinear, OTHERS, 10),
        Part((*at_20, *nonlinear), ("notears",), 3, later=True),
        Part(nonlinear, SLOW, 3, later=True),
        Part(real, ("notears",), 1, later=True),
        Part((*by_size, Cell("iscm", n_nodes=10)), ("notears",), 3, later=True),
    ]


def jobs(chosen: Iterable[Part], factor: float = 1.0) -> Iterator[tuple[Cell, str, int]]:
    """Yield what to run: a cell, an algorithm, and the number of the graph; graph by graph."""
    rounds = [
        (part, k)
        for part in chosen
        for k in range(1 if part.graphs == 1 else max(2, round(factor * part.graphs)))
    ]
    for one, k in sorted(rounds, key=lambda item: (item[0].later, item[1])):
        for cell in one.cells:
            for algorithm in one.algorithms:
                yield cell, algorithm, k


def drawn(cell: Cell, k: int, folder: Path) -> tuple[Dataset, Any]:
    """Return data of a cell and the true graph, the columns in random order.

    Schemes, mechanisms and laws of noise meet the same graphs.
    """
    if cell.kind in REAL:
        problem = getattr(ca.data, cell.kind)(folder)
        return problem.data, problem.graph
    if cell.is_random:
        rng = stream(SEED, "graph", cell.n_nodes, k)
        graph = ca.graphs.erdos_renyi(cell.n_nodes, int(cell.graph.removeprefix("er-")), rng)
    else:
        graph = structure(folder / cell.file)
    rng = stream(SEED, "model", cell.name, k)
    model = ca.models.draw(cell.kind, graph, rng, mechanism=cell.mechanism, noise=cell.noise)
    values = model.sample(cell.n_rows, rng)
    order = rng.permutation(len(graph))
    return Dataset.from_values(values[:, order]), graph[np.ix_(order, order)]


def structure(packed: Path) -> Any:
    """Return the graph of a discrete network in a packed BIF file."""
    with TemporaryDirectory() as place:
        file = Path(place) / "network.bif"
        file.write_bytes(gzip.decompress(packed.read_bytes()))
        return read_bif(file).graph


@lru_cache(maxsize=1)
def _kept(cell: Cell, k: int, folder: Path) -> tuple[Dataset, Any]:
    return drawn(cell, k, folder)


def row_of(cell: Cell, algorithm: str, k: int, folder: Path) -> Row:
    """Return the scores of an algorithm on one graph, or why it has none."""
    data, truth = _kept(cell, k, folder)
    name, _, prior = algorithm.partition(" ")
    chosen = {"prior": prior} if prior else {}
    begun = time.process_time()
    row: Row = {"cell": f"{cell.name} / {algorithm}", "draw": k}
    try:
        estimate = ca.discover(
            name, data, stream(SEED, "discover", cell.name, algorithm, k), **chosen
        )
    except (ArithmeticError, ValueError) as error:
        return row | {"failed": f"{type(error).__name__}: {error}"}
    row["seconds"] = round(time.process_time() - begun, 4)
    if "weights" in estimate.info:
        row["weights"] = estimate.info["weights"]
    for metric in METRICS:
        try:
            row[metric] = float(getattr(ca.metrics, metric)(truth, estimate))
        except ValueError:  # a partly directed graph is in no class
            row[metric] = None
    bins = sums_in_bins(truth, estimate)
    return row if bins is None else row | {"bins": bins}


def run(file: Path, wanted: Iterable[tuple[Cell, str, int]], folder: Path, minutes: float) -> int:
    """Append the rows that the file lacks until the time is up; return how many are missing."""
    known = {job for job, row in read(file).items() if is_current(row)}
    missing = [job for job in wanted if (f"{job[0].name} / {job[1]}", job[2]) not in known]
    missing = [job for job in missing if (folder / job[0].file).exists()]
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.exists() and file.read_bytes()[-1:] not in (b"", b"\n"):
        with file.open("a", encoding="utf-8") as lines:
            lines.write("\n")  # a last line that was cut off
    end = time.monotonic() + 60 * minutes
    with file.open("a", encoding="utf-8") as lines:
        for count, (cell, algorithm, k) in enumerate(missing):
            if time.monotonic() > end:
                return len(missing) - count
            lines.write(json.dumps(row_of(cell, algorithm, k, folder)) + "\n")
            lines.flush()
    return 0


def is_current(row: Row) -> bool:
    """Tell whether a row is of the weights that the package has now."""
    _, _, algorithm = row["cell"].partition(" / ")
    _, _, prior = algorithm.partition(" ")
    return not prior or "failed" in row or Amortized(prior).sha256.startswith(row["weights"])


def cards() -> dict[str, Any]:
    """Return of each card what the page tells; the command without folders of the machine."""
    kept = {}
    for prior in PRIORS:
        _, card = read_weights(amortized.FOLDER / f"{prior}.npz")
        kept[prior] = {name: card.get(name) for name in TOLD} | {"command": typed(card["command"])}
    return kept


def typed(command: str) -> str:
    """Return a command of training as one would type it.

    Examples
    --------
    >>> typed("python -m training --prior raw --steps 9 --out x --cache y --resume")
    'python -m training --prior raw --steps 9 --out weights'
    >>> typed("python -m training --prior raw --steps 9 --out x, in two pieces")
    'python -m training --prior raw --steps 9 --out weights  # in two pieces'
    """
    command, _, remark = command.partition(", ")
    words, kept = iter(command.split()), []
    for word in words:
        if word in ("--out", "--cache", "--from", "--stop-after"):
            next(words)
        elif word != "--resume":
            kept.append(word)
    return " ".join([*kept, "--out weights"]) + (f"  # {remark}" if remark else "")


def summary(rows: Iterable[Row]) -> dict[str, Any]:
    """Return the scores of each cell and algorithm as lists, in the order of the graphs."""
    cells: dict[str, dict[str, Any]] = {}
    current = [row for row in rows if is_current(row)]
    for row in sorted(current, key=lambda row: (row["cell"], row["draw"])):
        cell, _, algorithm = row["cell"].partition(" / ")
        kept = cells.setdefault(cell, {}).setdefault(algorithm, {"graphs": []})
        if "failed" in row:
            kept.setdefault("failed", []).append(row["failed"])
            continue
        kept["graphs"].append(row["draw"])
        for metric in METRICS:
            value = row[metric]
            kept.setdefault(metric, []).append(None if value is None else round(value, 3))
        kept.setdefault("seconds", []).append(row["seconds"])
        if "bins" in row:
            kept["bins"] = (np.array(row["bins"]) + kept.get("bins", 0)).round(3).tolist()
    for of_cell in cells.values():
        for kept in of_cell.values():
            if "seconds" in kept:
                kept["seconds"] = round(float(np.median(kept["seconds"])), 3)
    return {"seed": SEED, "cards": cards(), "cells": cells}


def main() -> None:
    """Run the assay and write what the page reads."""
    parser = argparse.ArgumentParser(
        prog="python -m calibration.pretrained",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--folder", type=Path, default=Path("calibration/results"))
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--docs", type=Path, default=Path("docs"))
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--graphs", type=float, default=1.0, help="times those of the page")
    stated = parser.parse_args()
    file = stated.folder / "pretrained.jsonl"
    left = run(file, jobs(parts(), stated.graphs), stated.data, stated.minutes)
    target = stated.docs / "amortized-results" / "scores.json"
    target.parent.mkdir(exist_ok=True)
    text = json.dumps(summary(read(file).values()), indent=None, separators=(",", ":"))
    target.write_text(text.replace('},"', '},\n"') + "\n", encoding="utf-8")
    print(f"{left} runs are missing; {target}")  # noqa: T201


if __name__ == "__main__":
    main()
