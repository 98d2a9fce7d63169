"""How often the sentences of `choose` are wrong, on systems and candidates of known nature.

The systems are of the kinds of `choice_systems`, drawn anew. On each of them `choose` ranks the
same algorithms, and then graphs of which it is known what should not be said.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import ClassVar
from unittest import mock

import numpy as np
from numpy.random import Generator

from calibration.choice_systems import (
    ALGORITHMS,
    N_NODES,
    System,
    candidates,
    draw_system,
    kind_of,
)
from calibration.rows_on_disk import Job, Row, compute
from causalassay import risk
from causalassay.common.arrays import Adjacency
from causalassay.common.seeding import stream
from causalassay.contracts import Algorithm, Estimate, Kind, Reads
from causalassay.data import Dataset
from causalassay.graphs import erdos_renyi, to_cpdag, topological_order
from causalassay.judging.findings import FindingKind
from causalassay.risk import choosing
from causalassay.risk.choosing.baselines import reachability, risks_of
from causalassay.risk.choosing.choose import find_movements
from causalassay.risk.choosing.claims import find_mutual_pairs
from causalassay.risk.choosing.result import LikelihoodOpinion, SecondOpinion
from causalassay.risk.descendants import DEFAULT_TESTS, implied_descendants

SEED = 20261201
"""None of the systems on which a rule was mended (20261121, 20261122): those were its reason."""

N_SYSTEMS = 200
N_GRAPHS = len(ALGORITHMS)
"""Candidates that are graphs: as many as there are algorithms."""

FEWEST, MOST = 5, 30
"""Edges of random graphs."""

FIFTHS = 5
"""Parts into which a pool of graphs is cut by density, and again by risk."""

N_POOL = 1000

N_RANDOM = 1000
"""Random graphs beside each candidate: enough to be shown to beat them."""

IN_CHOOSE = sys.modules[choosing.choose.__module__]
"""The module: the package calls the function by the same name."""

Graphs = Mapping[str, Adjacency]


@dataclass(frozen=True, eq=False)
class Given:
    """An algorithm that returns a graph, whatever the data are."""

    graph: Adjacency
    kind: Kind

    reads: ClassVar[Reads] = "no rows"

    def discover(self, data: Dataset, rng: Generator) -> Estimate:  # noqa: ARG002
        """Return the graph."""
        return Estimate(self.graph, self.kind)


def run(folder: Path, n_systems: int, workers: int) -> list[Row]:
    """Return what `choose` says on each system, of each kind of candidates."""
    jobs = [("errors", draw) for draw in range(n_systems)]
    return list(compute(folder / "choice_errors.jsonl", jobs, errors_row, workers).values())


def errors_row(job: Job) -> Row:
    """Return one system: by kind of candidates what was said, beside their true risks."""
    name, draw = job
    kind = kind_of(draw)
    rng = stream(SEED, name, draw)
    system = draw_system(kind, rng)
    first = _chosen(system, candidates(), rng)
    found = {one: first.matrix(one) for one in first.ranking}
    said = {"algorithms": _said(first, system), BATCHES: _in_batches(system, rng)}
    for cell, draw_candidates in CANDIDATES.items():
        graphs = draw_candidates(system, found, rng)
        given: dict[str, str | Algorithm] = {
            one: Given(graph, "pdag" if (graph & graph.T).any() else "dag")
            for one, graph in graphs.items()
        }
        said[cell] = _said(_chosen(system, given, rng, n_bootstrap=0), system)
    return {"cell": name, "draw": draw, "kind": asdict(kind), "said": said}


def _chosen(
    system: System,
    candidates: Mapping[str, str | Algorithm],
    rng: Generator,
    n_bootstrap: int = IN_CHOOSE.N_BOOTSTRAP,
) -> choosing.Choice:
    """Choose without further opinions, and without intervals if nothing is drawn for them.

    The rules that are measured do not read what is left out here to save time: intervals tell
    which algorithms may be the best, and that is measured on real ones.
    """
    with (
        warnings.catch_warnings(),
        mock.patch.object(IN_CHOOSE, "ask_second_opinion", return_value=_NOT_ASKED),
        mock.patch.object(
            IN_CHOOSE, "ask_likelihoods", return_value=LikelihoodOpinion("not asked")
        ),
        mock.patch.object(IN_CHOOSE, "N_BOOTSTRAP", n_bootstrap),
    ):
        warnings.simplefilter("ignore")
        return choosing.choose(system.data, rng, candidates, cutoffs=(), n_random=N_RANDOM)


_NOT_ASKED = SecondOpinion(reason="not asked")


def _said(choice: choosing.Choice, system: System) -> Row:
    rows = [row for row in choice.rows if row.role == "algorithm"]
    claims = {claim.kind: claim for claim in choice.claims}
    density = claims.get(FindingKind.DENSITY)
    return {
        "rules": sorted({claim.rule for claim in choice.claims}),
        "mutual": len(choice.mutual_pairs.found),
        "density": density.words["more"] if density else "",
        "beaten": [row.name for row in rows if row.random.beaten],
        "may_be_best": list(choice.may_be_best),
        "covers": _covers(
            {row.name: (choice.matrix(row.name), row.interval) for row in rows}, system
        ),
        "named": {row.name: row.n_named for row in rows},
        "risk": {row.name: row.weighted for row in rows},
        "oracle": {
            row.name: risk.oracle(system.graph, choice.matrix(row.name)) for row in choice.rows
        },
    }


BATCHES = "batch effects"
BATCH_SHIFT = 0.5
"""The standard deviation of what a batch adds to a column, in standard deviations of the column."""


def _in_batches(system: System, rng: Generator) -> Row:
    """Return what is said of targets if every condition is a batch that shifts all columns."""
    sd = system.observed.std(axis=0)
    regimes = tuple(
        replace(regime, values=regime.values + BATCH_SHIFT * sd * rng.normal(size=len(sd)))
        for regime in system.data.regimes
    )
    shifted = replace(system.data, regimes=regimes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scoring = risk.Scoring(n_bootstrap=N_RANDOM)
        risks = risk.compare(candidates(), shifted, rng, scoring=scoring).risks
    threshold = next(iter(risks.values())).descendants.threshold
    pairs = find_mutual_pairs(find_movements(shifted, DEFAULT_TESTS, threshold))
    intervals = {name: (each.graph, each.intervals.weighted) for name, each in risks.items()}
    return {"rules": [], "mutual": len(pairs.found), "covers": _covers(intervals, system)}


def _covers(intervals: Mapping[str, tuple[Adjacency, tuple[float, float]]], system: System) -> Row:
    """Return of each algorithm whether the interval of its risk holds the oracle risk."""
    return {
        name: bool(low - 1e-9 <= risk.oracle(system.graph, graph) <= high + 1e-9)
        for name, (graph, (low, high)) in intervals.items()
    }


def random_dags(_: System, __: Graphs, rng: Generator) -> dict[str, Adjacency]:
    """Draw DAGs of several densities that no data have seen."""
    return _numbered(
        [erdos_renyi(N_NODES, rng.integers(FEWEST, MOST + 1) / N_NODES, rng) for _ in _EACH]
    )


def random_classes(_: System, found: Graphs, rng: Generator) -> dict[str, Adjacency]:
    """Draw the equivalence classes of such DAGs: PC and GES return classes."""
    dags = random_dags(_, found, rng)
    return {name: to_cpdag(dag) for name, dag in dags.items()}


def shuffled(_: System, found: Graphs, rng: Generator) -> dict[str, Adjacency]:
    """Give the nodes of each algorithm's graph the columns at random."""
    return {name: _shuffle(graph, len(graph), rng) for name, graph in found.items()}


def same_density(_: System, __: Graphs, rng: Generator) -> dict[str, Adjacency]:
    """Draw DAGs with 2 edges per node that no data have seen."""
    return _numbered([erdos_renyi(N_NODES, 2, rng) for _ in _EACH])


def spoilt_graphs(system: System, _: Graphs, rng: Generator) -> dict[str, Adjacency]:
    """Draw graphs whose true risk does not depend on how many descendants they name.

    Graphs between the true one and random ones are cut into fifths by the descendants that they
    name, and by true risk. Each candidate's two fifths are drawn independently.
    """
    pool = np.array([_spoilt(system.graph, rng) for _ in range(N_POOL)])
    nodes = [regime.targets[0] for regime in system.data.regimes if regime.targets]
    named = reachability(pool)[:, nodes].sum(axis=(1, 2))
    risks = risks_of(pool, dict(enumerate(implied_descendants(system.graph))))
    by_named, by_risk = _fifths(named, rng), _fifths(risks, rng)
    cells = {
        (i, j): np.flatnonzero((by_named == i) & (by_risk == j))
        for i in range(FIFTHS)
        for j in range(FIFTHS)
    }
    usable = [j for j in range(FIFTHS) if all(len(cells[i, j]) for i in range(FIFTHS))]
    drawn = [cells[rng.integers(FIFTHS), rng.choice(usable)] for _ in _EACH]
    return _numbered([pool[rng.choice(cell)] for cell in drawn])


_EACH = range(N_GRAPHS)

CANDIDATES: dict[str, Callable[[System, Graphs, Generator], dict[str, Adjacency]]] = {
    "random DAGs": random_dags,
    "random classes": random_classes,
    "shuffled graphs": shuffled,
    "random DAGs of one density": same_density,
    "spoilt graphs": spoilt_graphs,
}
"""Candidates of known nature."""


def _numbered(graphs: list[Adjacency]) -> dict[str, Adjacency]:
    return {f"graph {k}": graph for k, graph in enumerate(graphs)}


def _shuffle(graph: Adjacency, n_moved: int, rng: Generator) -> Adjacency:
    """Return the graph with some of its nodes exchanged at random."""
    moved = rng.choice(len(graph), n_moved, replace=False)
    order = np.arange(len(graph))
    order[moved] = rng.permutation(moved)
    return graph[np.ix_(order, order)]


def _spoilt(truth: Adjacency, rng: Generator) -> Adjacency:
    """Return the true graph with nodes exchanged, edges left out and edges added, by chance."""
    moved = _shuffle(truth, int(rng.integers(len(truth) + 1)), rng)
    place = np.argsort(topological_order(moved))
    later = place[:, None] < place[None, :]
    kept = rng.random(truth.shape) < rng.uniform(0.3, 1)
    added = rng.random(truth.shape) < rng.uniform(0, 0.4)
    return np.asarray((moved & kept) | (later & added))


def _fifths(values: np.ndarray, rng: Generator) -> np.ndarray:
    """Return the fifth to which each value belongs; ties are broken at random."""
    places = np.empty(len(values), dtype=int)
    places[np.lexsort((rng.random(len(values)), values))] = np.arange(len(values))
    return places * FIFTHS // len(values)
