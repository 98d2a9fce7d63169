"""The command penalties: which penalty discount the searches have by default, by a stated rule.

The rule was written, and committed, before anything was measured but for the time of some thirty
trial runs, on data of other seeds:

- The candidates are `PENALTIES`: constants, and extended BIC with γ = 0.5.
- The cells are `cells()`: each number of nodes, of rows and each kind of graph once, with the
  models in turn, so that each pair of levels of two factors occurs about as often.
- BOSS runs on all cells. SHD is that between the CPDAG of the truth and the estimate; SID is
  the mean of its least and its greatest value over the members of the estimated class. A search
  that refuses the data counts as the empty graph.
- The regret of a penalty in a cell is its mean less that of the cell's best penalty, divided by
  what the empty graph scores; once in SHD and once in SID. The default is the penalty with the
  smallest sum of both regrets, each averaged over the cells.
- A smaller penalty is taken instead if its sum is within one standard error of the smallest, the
  error being that of the mean difference over the cells. Extended BIC counts as the largest
  penalty, for it would be one more option.
- XGES and GES run on the cells with at most `CHECKED_NODES` nodes. They decide nothing: they
  show whether the choice would be another for them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from statistics import mean, stdev
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from bench.runtime import cache_folder
from causalassay import discovery, graphs, metrics, models
from causalassay.common.arrays import Adjacency
from causalassay.common.seeding import stream
from causalassay.contracts import NotApplicable
from causalassay.data import Dataset, Discrete, Regime

GAMMA = 0.5
"""Of extended BIC; Foygel and Drton (2010) recommend it for graphs of many nodes."""
CONSTANTS = (1.0, 1.5, 2.0, 3.0)
EXTENDED = "extended BIC"
PENALTIES = (*(f"{constant:g}" for constant in CONSTANTS), EXTENDED)

REPLICATES = {10: 12, 20: 8, 50: 4, 100: 2, 200: 1}
"""By the number of nodes: what is measured on a large graph varies less."""
ROWS = (100, 300, 1000, 10_000)
GRAPHS = ("ER-1", "ER-2", "ER-4", "SF-2")
MODELS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "raw": ("scm", {}),
    "iSCM": ("iscm", {}),
    "UUMC": ("uumc", {}),
    "discrete": ("dirichlet", {"levels": 2}),
}
"""Discrete data are binary: with three levels a table of 15 parents, as in ER-4, is too large."""
LEFT_OUT = (200, "ER-4")
"""Nodes and graph of the cells that would take most of the time."""
SEARCH, CHECKS = "boss", ("xges", "ges")
CHECKED_NODES = 50
MAX_PARENT_SETS = 2**14
"""For the bounds of SID; beyond it they are local."""
MEASURES = ("shd", "sid")


class Cell(NamedTuple):
    """A kind of data."""

    n_nodes: int
    n_samples: int
    graph: str
    model: str


class Run(NamedTuple):
    """A search with a penalty on the data of a cell.

    ``shd`` and ``sid`` are shares of what the empty graph has.
    """

    search: str
    cell: Cell
    replicate: int
    penalty: str
    shd: float
    sid: float
    seconds: float
    refused: bool


class Regret(NamedTuple):
    """What a penalty loses to the best of each cell, on average over cells."""

    shd: float
    sid: float
    beyond: float
    error: float
    """By how much the sum exceeds the smallest one, with the standard error over cells."""

    @property
    def total(self) -> float:
        """The sum by which penalties are compared."""
        return self.shd + self.sid


def discount(penalty: str, n_nodes: int, n_samples: int) -> float:
    """Return the penalty discount that a candidate is on data of that size.

    Extended BIC of a graph with edges E is -2 log-likelihood + |E| log n + 4 γ |E| log d
    (Foygel and Drton 2010, equation 1, for Gaussian graphical models). Twice our score has
    c log n for each edge, so c = 1 + 4 γ log d / log n. Of discrete data each parameter counts
    as an edge does.

    Examples
    --------
    >>> discount("1.5", 100, 1000), round(discount("extended BIC", 100, 1000), 3)
    (1.5, 2.333)
    """
    if penalty != EXTENDED:
        return float(penalty)
    return 1 + 4 * GAMMA * math.log(n_nodes) / math.log(n_samples)


def cells() -> list[Cell]:
    """Return the cells: of each size, number of rows and graph one, with the models in turn.

    Examples
    --------
    >>> len(cells()), cells()[0]
    (76, Cell(n_nodes=10, n_samples=100, graph='ER-1', model='raw'))
    """
    names = tuple(MODELS)
    return [
        Cell(n_nodes, n_samples, graph, names[(i + j + k) % len(names)])
        for i, n_nodes in enumerate(REPLICATES)
        for j, n_samples in enumerate(ROWS)
        for k, graph in enumerate(GRAPHS)
        if (n_nodes, graph) != LEFT_OUT
    ]


@lru_cache(maxsize=1)
def draw(cell: Cell, replicate: int) -> tuple[Dataset, Adjacency]:
    """Return data of a cell and their graph."""
    rng = stream(replicate, "bench", "penalties", *cell)
    graph = _graph(cell, rng)
    kind, parameters = MODELS[cell.model]
    model: Any = models.draw(kind, graph, rng, **parameters)
    columns = tuple(f"x{j}" for j in range(cell.n_nodes))
    if cell.model != "discrete":
        return Dataset.from_values(model.sample(cell.n_samples, rng), columns), graph
    kinds = tuple(Discrete(tuple(map(float, range(n)))) for n in model.n_levels)
    while True:
        regime = Regime("observational", model.sample(cell.n_samples, rng))
        try:
            return Dataset(columns, (regime,), regime.condition, kinds), graph
        except ValueError:  # in few rows a column may have one level; other rows are drawn
            continue


def _graph(cell: Cell, rng: np.random.Generator) -> Adjacency:
    """Return the graph; of discrete data hubs are causes, for the table of an effect is too large.

    Otherwise they are effects.
    """
    family, _, per_node = cell.graph.partition("-")
    if family == "ER":
        return graphs.erdos_renyi(cell.n_nodes, int(per_node), rng)
    graph = graphs.scale_free(cell.n_nodes, int(per_node), rng)
    return graph.T.copy() if cell.model == "discrete" else graph


def run(search: str, cell: Cell, replicate: int, penalty: str) -> Run:
    """Return what a search with a penalty finds in data of a cell."""
    data, truth = draw(cell, replicate)
    chosen = discount(penalty, cell.n_nodes, cell.n_samples)
    start, refused = process_time(), False
    try:
        rng = np.random.default_rng(replicate)
        found = discovery.discover(search, data, rng, penalty_discount=chosen).graph
    except NotApplicable:
        found, refused = truth & False, True
    seconds = process_time() - start
    shd = metrics.shd(graphs.to_cpdag(truth), found)
    bounds = metrics.sid_bounds(truth, found, MAX_PARENT_SETS)
    empty = metrics.sid(truth, truth & False)
    shares = shd / int(truth.sum()), (bounds.lower + bounds.upper) / 2 / empty
    return Run(search, cell, replicate, penalty, *shares, round(seconds, 4), refused)


def planned() -> Iterator[tuple[str, Cell, int, str]]:
    """Return the runs, those that decide first."""
    for search in (SEARCH, *CHECKS):
        for cell in cells():
            if search == SEARCH or cell.n_nodes <= CHECKED_NODES:
                for replicate in range(REPLICATES[cell.n_nodes]):
                    for penalty in PENALTIES:
                        yield search, cell, replicate, penalty


def measure(tell: Callable[[str], None]) -> list[Run]:
    """Return all runs; those that are kept in the cache are not made again."""
    path = cache_folder() / "penalties.jsonl"
    kept = {(one.search, one.cell, one.replicate, one.penalty): one for one in read_runs(path)}
    told = None
    with path.open("a") as file:
        for plan in planned():
            if plan not in kept:
                if plan[:2] != told:
                    tell(f"{plan[0]}: {plan[1]}")
                    told = plan[:2]
                kept[plan] = run(*plan)
                file.write(json.dumps(kept[plan]) + "\n")
                file.flush()
    return [kept[plan] for plan in planned()]


def read_runs(path: Path) -> list[Run]:
    """Return the runs that are in a file, if it is there."""
    lines = path.read_text().splitlines() if path.exists() else []
    return [_run(json.loads(line)) for line in lines]


def _run(fields: list[Any]) -> Run:
    search, cell, *rest = fields
    return Run(search, Cell(*cell), *rest)


CellRegrets = Mapping[Cell, Mapping[str, tuple[float, float]]]
"""In SHD and in SID, by cell and penalty."""


def cell_regrets(runs: Iterable[Run]) -> CellRegrets:
    """Return what each penalty loses to the best of its cell, of the runs of one search."""
    grouped: dict[Cell, dict[str, list[Run]]] = {}
    for one in runs:
        grouped.setdefault(one.cell, {}).setdefault(one.penalty, []).append(one)
    regrets = {}
    for cell, by_penalty in grouped.items():
        means = {
            penalty: [mean(getattr(one, measure) for one in some) for measure in MEASURES]
            for penalty, some in by_penalty.items()
        }
        best = [min(column) for column in zip(*means.values(), strict=True)]
        regrets[cell] = {
            penalty: (own[0] - best[0], own[1] - best[1]) for penalty, own in means.items()
        }
    return regrets


def average(regrets: CellRegrets) -> dict[str, Regret]:
    """Return the regrets of each penalty over cells."""
    totals = {
        penalty: [sum(by_penalty[penalty]) for by_penalty in regrets.values()]
        for penalty in PENALTIES
    }
    smallest = min(PENALTIES, key=lambda penalty: mean(totals[penalty]))
    averages = {}
    for penalty in PENALTIES:
        shd, sid = (mean(one[penalty][k] for one in regrets.values()) for k in range(2))
        differences = [a - b for a, b in zip(totals[penalty], totals[smallest], strict=True)]
        error = stdev(differences) / math.sqrt(len(differences)) if len(differences) > 1 else 0.0
        averages[penalty] = Regret(shd, sid, mean(differences), error)
    return averages


def choose(averages: Mapping[str, Regret]) -> str:
    """Return the penalty that the rule takes: the first within one standard error.

    Examples
    --------
    >>> some = dict.fromkeys(PENALTIES, Regret(0.2, 0.2, 0.3, 0.1))
    >>> choose(some | {"2": Regret(0.1, 0.05, 0.05, 0.06), "3": Regret(0.1, 0.0, 0.0, 0.0)})
    '2'
    """
    return next(name for name in PENALTIES if averages[name].beyond <= averages[name].error)


def compare(tell: Callable[[str], None]) -> str:
    """Make the runs that are missing; return the tables."""
    return tables(measure(tell))


def tables(runs: Sequence[Run]) -> str:
    """Return what is shown on the page about searches."""
    by_search = {
        search: cell_regrets(one for one in runs if one.search == search)
        for search in (SEARCH, *CHECKS)
    }
    deciding = by_search[SEARCH]
    lines = [
        f"| regret of `{SEARCH}` over {len(deciding)} cells | {' | '.join(PENALTIES)} |",
        "|" + "---|" * (1 + len(PENALTIES)),
    ]
    averages = average(deciding)
    shown: dict[str, Callable[[Regret], str]] = {
        "in SHD": lambda one: f"{one.shd:.3f}",
        "in SID": lambda one: f"{one.sid:.3f}",
        "**sum**": lambda one: f"**{one.total:.3f}**",
        "beyond the smallest": lambda one: f"{one.beyond:.3f} ± {one.error:.3f}",
    }
    for label, show in shown.items():
        lines.append(_line(label, [show(averages[penalty]) for penalty in PENALTIES]))
    lines += ["", f"| sum of regrets | cells | {' | '.join(PENALTIES)} |"]
    lines.append("|" + "---|" * (2 + len(PENALTIES)))
    for label, some in _parts(deciding):
        lines.append(_part_line(label, some))
    for search in CHECKS:
        label = f"`{search}`, at most {CHECKED_NODES} nodes"
        lines.append(_part_line(label, by_search[search]))
    small = {cell: own for cell, own in deciding.items() if cell.n_nodes <= CHECKED_NODES}
    lines.append(_part_line(f"`{SEARCH}`, at most {CHECKED_NODES} nodes", small))
    return "\n".join([*lines, "", _remarks(runs, choose(averages))])


def _parts(regrets: CellRegrets) -> Iterator[tuple[str, CellRegrets]]:
    """Return the cells of each level of each factor."""
    labels = ("{:d} nodes", "{:d} rows", "{}", "{} data")
    levels = (tuple(REPLICATES), ROWS, GRAPHS, tuple(MODELS))
    for factor, (label, some) in enumerate(zip(labels, levels, strict=True)):
        for level in some:
            chosen = {cell: own for cell, own in regrets.items() if cell[factor] == level}
            yield label.format(level), chosen


def _part_line(label: str, regrets: CellRegrets) -> str:
    averages = average(regrets)
    best = min(averages.values(), key=lambda one: one.total).total
    totals = [averages[penalty].total for penalty in PENALTIES]
    shown = [f"**{total:.2f}**" if total == best else f"{total:.2f}" for total in totals]
    return _line(label, [str(len(regrets)), *shown])


def _line(label: str, entries: Iterable[str]) -> str:
    return f"| {' | '.join([label, *entries])} |"


def _remarks(runs: Sequence[Run], chosen: str) -> str:
    refused = {
        penalty: sum(one.refused for one in runs if one.penalty == penalty) for penalty in PENALTIES
    }
    counts = ", ".join(f"{count} with {name}" for name, count in refused.items() if count)
    hours = sum(one.seconds for one in runs) / 60
    return (
        f"By the rule the default is **{chosen}**. {len(runs)} runs took {hours:.0f} minutes of "
        f"CPU time; refused as linearly dependent, and so counted as empty: {counts or 'none'}."
    )
