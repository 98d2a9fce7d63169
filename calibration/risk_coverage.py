"""How often the interval of an estimated risk covers the oracle risk of the same graph.

The setting is that of Eigenmann et al. (2020), section 4: linear Gaussian models of unit
variances, interventions that shift a node by 5, as many rows of each as stated and at least 100
observational ones. Their graphs have 25 to 200 nodes; these are smaller, so that 4 and 8 nodes
are a part that matters.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path

from numpy.random import Generator

from calibration.rows_on_disk import Job, Row, compute
from causalassay import risk
from causalassay.common.seeding import stream
from causalassay.data import Dataset, Problem, Regime
from causalassay.discovery import make_algorithm
from causalassay.graphs import erdos_renyi
from causalassay.models import SNR, Randomize, Shift

ALGORITHMS = {
    "empty": make_algorithm("empty"),
    "var-sortnregress": make_algorithm("var-sortnregress"),
    "ges": make_algorithm("ges", penalty_discount=1.0),
    "gies": make_algorithm("gies", penalty_discount=1.0),
}
"""The searches with the penalty of the BIC, as in the paper."""
SEED = 20261118
N_SETS = 400
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Cell:
    """One setting.

    Parameters
    ----------
    n_intervened : int
    samples : int
        Rows of each intervention.
    action : {"shift", "do-and-shift"}
    neighbours : float
        Expected number of neighbours of a node.
    """

    n_intervened: int
    samples: int = 100
    action: str = "shift"
    neighbours: float = 2.5


N_NODES = 12
CELLS = {
    f"{count} of 12 nodes intervened upon, {name}": Cell(count, *others)
    for name, others in {
        "100 rows": (),
        "10 rows": (10,),
        "sparser, set and shifted": (100, "do-and-shift", 1.5),
    }.items()
    for count in (4, 8, 12)
}
"""4, 8 and all nodes, with many rows, with few, and for sparser graphs and other interventions."""


def run(folder: Path, n_sets: int, workers: int) -> dict[Job, Row]:
    """Return for each cell and data set whether the interval of each algorithm's risk covers."""
    jobs = [(name, draw) for draw in range(n_sets) for name in CELLS]
    return compute(folder / "risk.jsonl", jobs, set_of, workers)


def set_of(job: Job) -> Row:
    """Return of one data set whether each interval covers the oracle risk, and its width."""
    name, draw = job
    rng = stream(SEED, "risk", name, draw)
    problem = draw_problem(CELLS[name], rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = risk.compare(ALGORITHMS, problem.data, rng)
    covers, width = {}, {}
    for algorithm in ALGORITHMS:
        low, high = found.risks[algorithm].intervals.weighted
        oracle = risk.oracle(problem.graph, found.risks[algorithm].graph)
        covers[algorithm] = bool(low - _ROUNDING <= oracle <= high + _ROUNDING)
        width[algorithm] = float(high - low)
    return {"cell": name, "draw": draw, "covers": covers, "width": width}


def draw_problem(cell: Cell, rng: Generator) -> Problem:
    """Draw a model and a data set; nodes to intervene upon are drawn without replacement."""
    graph = erdos_renyi(N_NODES, cell.neighbours / 2, rng, exact=False)
    model = SNR().draw(graph, rng)
    regimes = [Regime("observation", model.sample(max(cell.samples, 100), rng))]
    for node in sorted(rng.choice(N_NODES, cell.n_intervened, replace=False).tolist()):
        action = Shift(node, 5.0) if cell.action == "shift" else Randomize(node, 5.0, 1.0)
        values = model.sample(cell.samples, rng, (action,))
        regimes.append(Regime(f"on {node}", values, (node,), (action,)))
    columns = tuple(f"x{node:02d}" for node in range(N_NODES))
    return Problem(Dataset(columns, tuple(regimes), "observation"), graph, model)
