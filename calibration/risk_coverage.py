"""How often the interval of an estimated risk covers the oracle risk of the same graph.

``python -m calibration.risk_coverage --sets 400 --out FILE.csv``

The setting is that of Eigenmann et al. (2020), section 4: linear Gaussian models of unit
variances, interventions that shift a node by 5, as many rows of each as stated and at least 100
observational ones. Their graphs have 25 to 200 nodes; these are smaller, so that 4 and 8 nodes
are a part that matters.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.random import Generator

from causalassay import risk
from causalassay.data import Dataset, Problem, Regime
from causalassay.graphs import erdos_renyi
from causalassay.models import SNR, Randomize, Shift

ALGORITHMS = ("empty", "var-sortnregress", "ges", "gies")
GOAL = 0.93

Row = dict[str, float | int | str]


@dataclass(frozen=True)
class Cell:
    """One setting.

    Parameters
    ----------
    n_nodes, n_intervened : int
    samples : int
        Rows of each intervention.
    action : {"shift", "do-and-shift"}
    neighbours : float
        Expected number of neighbours of a node.
    """

    n_nodes: int = 12
    n_intervened: int = 4
    samples: int = 100
    action: str = "shift"
    neighbours: float = 2.5


CELLS = (
    Cell(n_intervened=4),
    Cell(n_intervened=8),
    Cell(n_intervened=12),
    Cell(n_intervened=4, samples=10),
    Cell(n_intervened=8, samples=10),
    Cell(n_intervened=12, samples=10),
    Cell(n_intervened=4, action="do-and-shift", neighbours=1.5),
    Cell(n_intervened=8, action="do-and-shift", neighbours=1.5),
    Cell(n_intervened=12, action="do-and-shift", neighbours=1.5),
)
"""4, 8 and all nodes, with many rows, with few, and for sparser graphs and other interventions."""


def coverage(
    n_sets: int,
    rng: Generator,
    cells: Sequence[Cell] = CELLS,
    algorithms: Sequence[str] = ALGORITHMS,
) -> list[Row]:
    """Return one row for each cell and algorithm.

    A row has the share of `n_sets` data sets whose interval covers, with the ends of its 95 %
    interval (Wilson), the share of intervals that lie too high and too low, and the mean width.
    """
    streams = rng.spawn(len(cells))  # so that a cell's numbers do not depend on the others
    return [
        row
        for cell, stream in zip(cells, streams, strict=True)
        for row in cell_coverage(cell, n_sets, stream, algorithms)
    ]


def cell_coverage(
    cell: Cell, n_sets: int, rng: Generator, algorithms: Sequence[str] = ALGORITHMS
) -> list[Row]:
    """Return one row for each algorithm."""
    outcomes = np.array([_outcomes(cell, algorithms, rng) for _ in range(n_sets)])
    return [
        {**vars(cell), "algorithm": algorithm, **_summary(outcomes[:, position])}
        for position, algorithm in enumerate(algorithms)
    ]


def draw_problem(cell: Cell, rng: Generator) -> Problem:
    """Draw a model and a data set; nodes to intervene upon are drawn without replacement."""
    graph = erdos_renyi(cell.n_nodes, cell.neighbours / 2, rng, exact=False)
    model = SNR().draw(graph, rng)
    regimes = [Regime("observation", model.sample(max(cell.samples, 100), rng))]
    for node in sorted(rng.choice(cell.n_nodes, cell.n_intervened, replace=False).tolist()):
        action = Shift(node, 5.0) if cell.action == "shift" else Randomize(node, 5.0, 1.0)
        values = model.sample(cell.samples, rng, (action,))
        regimes.append(Regime(f"on {node}", values, (node,), (action,)))
    columns = tuple(f"x{node:02d}" for node in range(cell.n_nodes))
    return Problem(Dataset(columns, tuple(regimes), "observation"), graph, model)


def _outcomes(
    cell: Cell, algorithms: Sequence[str], rng: Generator
) -> list[tuple[float, float, float]]:
    """Return for each algorithm the interval's ends less the oracle risk, and its width."""
    problem = draw_problem(cell, rng)
    found = risk.compare(algorithms, problem.data, rng)
    outcomes = []
    for name in algorithms:
        low, high = found.risks[name].intervals.weighted
        oracle = risk.oracle(problem.graph, found.risks[name].graph)
        outcomes.append((low - oracle, high - oracle, high - low))
    return outcomes


def _summary(outcomes: np.ndarray) -> dict[str, float | int]:
    low, high, width = outcomes.T
    rounding = 1e-9
    too_high, too_low = low > rounding, high < -rounding
    n_sets = len(outcomes)
    n_covered = int((~too_high & ~too_low).sum())
    ends = _wilson(n_covered, n_sets)
    return {
        "n_sets": n_sets,
        "coverage": round(n_covered / n_sets, 4),
        "coverage_low": round(ends[0], 4),
        "coverage_high": round(ends[1], 4),
        "too_high": round(float(too_high.mean()), 4),
        "too_low": round(float(too_low.mean()), 4),
        "width": round(float(width.mean()), 4),
    }


def _wilson(successes: int, trials: int, z: float = 1.96) -> tuple[float, float]:
    share, extra = successes / trials, z * z / trials
    middle = (share + extra / 2) / (1 + extra)
    reach = z * math.sqrt(share * (1 - share) / trials + extra / (4 * trials)) / (1 + extra)
    return middle - reach, middle + reach


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the rows to a file; the exit code is 1 if a coverage is below the goal."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sets", type=int, default=400, help="data sets of each cell")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    rows = coverage(options.sets, np.random.default_rng(options.seed))
    with options.out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    below = [row for row in rows if float(row["coverage"]) < GOAL]
    for row in below:
        print(f"below {GOAL}: {row}")  # noqa: T201
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
