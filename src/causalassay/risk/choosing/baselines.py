"""Which algorithms are ranked, and what they are compared with: baselines and chance levels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency, Vector
from causalassay.contracts import Algorithm
from causalassay.data import Dataset
from causalassay.discovery import algorithms as known_algorithms
from causalassay.discovery import make_algorithm
from causalassay.environments.catalogue import environment_algorithms
from causalassay.graphs.cpdag import directed_part, undirected_part
from causalassay.risk.choosing.claims import COMPLETE, EMPTY, RANDOM_ORDER
from causalassay.risk.choosing.result import Density, RandomGraphs
from causalassay.risk.estimators import named_algorithms
from causalassay.risk.fits import Fit

BASELINES = (
    "r2-sortnregress",
    RANDOM_ORDER,
    "relatives-sortnregress",
    "single-edge",
    "var-sortnregress",
    "variance-sorting",
)
"""Algorithms that read the data and do not look for causes; run if no algorithm is named."""

GIVEN = ("empty", "random-sorting")
"""Algorithms that read nothing: fixed graphs and random graphs stand for them."""

WRAPPED = "causal-learn-"


@dataclass(frozen=True, eq=False)
class Candidates:
    """What is run.

    Parameters
    ----------
    algorithms : mapping of str to Algorithm
        The algorithms from which one is chosen.
    baselines : mapping of str to Algorithm
        Ranked together with the algorithms, but never chosen.
    not_run : mapping of str to str
        Why others are not.
    unset : tuple of str
        Those of them that lack nothing but a value for a parameter.
    """

    algorithms: Mapping[str, Algorithm]
    baselines: Mapping[str, Algorithm]
    not_run: Mapping[str, str]
    unset: tuple[str, ...] = ()


def find_candidates(
    asked: Mapping[str, str | Algorithm] | Sequence[str | Algorithm] | None,
) -> Candidates:
    """Return the algorithms that were asked for, by default all that can run here.

    Examples
    --------
    >>> list(find_candidates(["pc", "ges"]).algorithms)
    ['pc', 'ges']
    >>> sorted(find_candidates(None).baselines)[:2]
    ['r2-sortnregress', 'random-sortnregress']
    """
    if asked is not None:
        named = named_algorithms(asked)
        return Candidates({n: a for n, a in named.items() if n not in (EMPTY, COMPLETE)}, {}, {})
    chosen: dict[str, Algorithm] = {}
    baselines: dict[str, Algorithm] = {}
    not_run = {}
    unset = []
    # Of equal risks the first name leads: ours before those of a wrapped package.
    for record in sorted(known_algorithms(), key=lambda known: known.name.startswith(WRAPPED)):
        needed = [name for name, default in record.parameters.items() if default == "required"]
        # Those of environments are for whoever names them: what is installed decides nothing.
        if record.name in GIVEN or record.name in environment_algorithms():
            continue
        if record.missing:
            not_run[record.name] = record.missing
        elif needed:
            not_run[record.name] = f"it needs a value for {', '.join(needed)}; name it with one"
            unset.append(record.name)
        elif record.name in BASELINES:
            baselines[record.name] = make_algorithm(record.name)
        else:
            chosen[record.name] = make_algorithm(record.name)
    return Candidates(chosen, baselines, not_run, tuple(unset))


def graphs_that_say_nothing(dataset: Dataset, nodes: Sequence[int]) -> dict[str, Fit]:
    """Return the empty graph and the complete undirected one, as if algorithms had found them.

    In the second every column is a possible descendant of every other one.
    """
    n_nodes = dataset.n_nodes
    empty = np.zeros((n_nodes, n_nodes), dtype=bool)
    complete = ~np.eye(n_nodes, dtype=bool)
    return {
        EMPTY: Fit(empty, "dag", "no rows", dict.fromkeys(nodes, empty)),
        COMPLETE: Fit(complete, "cpdag", "no rows", dict.fromkeys(nodes, complete)),
    }


# An algorithm's graph with its columns exchanged: what its density and shape alone would score.

Graphs = NDArray[np.bool_]
"""Shape (n, d, d)."""

CELLS_AT_ONCE = 2_000_000

NO_DIFFERENCE = 1e-9
"""Up to which two risks are equal: sums of the same losses may differ by rounding."""


def density_of(graph: Adjacency) -> Density:
    """Return the numbers of directed and of undirected edges.

    Examples
    --------
    >>> density_of(np.array([[0, 1, 1], [1, 0, 0], [0, 0, 0]], dtype=bool))
    Density(directed=1, undirected=1)
    """
    return Density(int(directed_part(graph).sum()), int(undirected_part(graph).sum()) // 2)


def shuffle_columns(graph: Adjacency, n_graphs: int, rng: Generator) -> Graphs:
    """Draw graphs that differ from one in the names of its nodes alone.

    Undirected edges stay together as they are in a class of graphs; scattered, they would lead
    from more nodes to more others, and a class that knows nothing would seem to know something.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> drawn = shuffle_columns(chain(4), 10, np.random.default_rng(0))
    >>> {density_of(graph) for graph in drawn}
    {Density(directed=3, undirected=0)}
    """
    orders = np.argsort(rng.random((n_graphs, len(graph))), axis=1)
    return np.asarray(graph[orders[:, :, None], orders[:, None, :]])


def reachability(graphs: Graphs) -> Graphs:
    """Return for many graphs which nodes a walk along → and — leads to.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> reachability(chain(3)[None]).astype(int).tolist()
    [[[0, 1, 1], [0, 0, 1], [0, 0, 0]]]
    """
    n_nodes = graphs.shape[1]
    itself = np.eye(n_nodes, dtype=bool)
    reached = graphs | itself
    for _ in range(max(1, math.ceil(math.log2(n_nodes)))):
        steps = reached.astype(np.float32)
        reached = steps @ steps > 0
    return reached & ~itself


def risks_of(graphs: Graphs, descendants: Mapping[int, Set[int]]) -> Vector:
    """Return the mean Jaccard distance of each graph over the nodes with experiments.

    No graph was fitted, so that the naive, cross-validated and weighted risks are the same.
    """
    return _mean_losses(reachability(graphs), descendants)


def _mean_losses(reached: Graphs, descendants: Mapping[int, Set[int]]) -> Vector:
    losses = []
    for node, effects in descendants.items():
        moved = np.zeros(reached.shape[1], dtype=bool)
        moved[list(effects)] = True
        both = (reached[:, node] & moved).sum(axis=1)
        either = (reached[:, node] | moved).sum(axis=1)
        losses.append(np.where(either > 0, 1 - both / np.maximum(either, 1), 0.0))
    return np.asarray(np.mean(losses, axis=0))


def random_risks(
    graph: Adjacency, descendants: Mapping[int, Set[int]], n_graphs: int, rng: Generator
) -> Vector:
    """Return the risks of a graph whose columns were exchanged at random, `n_graphs` times."""
    reached = reachability(graph[None])[0]
    at_once = max(1, CELLS_AT_ONCE // len(graph) ** 2)
    sizes = [min(at_once, n_graphs - done) for done in range(0, n_graphs, at_once)]
    return np.concatenate(
        [_mean_losses(shuffle_columns(reached, size, rng), descendants) for size in sizes]
    )


def chance_level(risk: float, random: Vector) -> RandomGraphs:
    """Hold a risk against those of random graphs.

    The p-value is one-sided: how often a random graph scores at least as well.

    Examples
    --------
    >>> chance_level(0.2, np.array([0.1, 0.2, 0.3, 0.4])).share_beaten
    0.5
    >>> chance_level(0.2, np.array([0.1, 0.2, 0.3, 0.4])).p_value
    0.6
    """
    low, high = np.quantile(random, (0.025, 0.975))
    beaten = int((random > risk + NO_DIFFERENCE).sum())
    return RandomGraphs(
        n_graphs=len(random),
        mean=float(random.mean()),
        low=float(low),
        high=float(high),
        share_beaten=beaten / len(random),
        p_value=(1 + len(random) - beaten) / (1 + len(random)),
    )
