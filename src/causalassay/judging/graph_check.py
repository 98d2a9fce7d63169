"""Whether a graph can be that of the data: the independences that it implies.

A graph is refuted only by two things together. An independence that it implies is rejected at 1 %,
corrected for all of them; and it violates no fewer than most graphs do whose names were shuffled
(Eulig et al. 2023). So neither one odd pair nor a test that fits the data badly refutes a graph
that describes them better than chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency, Vector
from causalassay.data.dataset import Dataset
from causalassay.graphs.orders import reachability
from causalassay.judging.all_orders import all_orders
from causalassay.judging.findings import Finding, FindingKind
from causalassay.judging.pair_independence import LEAST_ROWS, NOTHING, PairTest, pair_test
from causalassay.judging.sequential import MonteCarlo, decide, enumerated
from causalassay.present.formatting import percent

REFUTED_LEVEL = 0.01
VIOLATED_LEVEL = 0.05
NOT_FEWER_LEVEL = 0.05
MOST_RELABELLED = 2000
RULE = "graph check"

_MOST_ENUMERATED = 6

Statements = NDArray[np.int64]
"""Rows (i, j, k): columns i and j are independent given k, or given `NOTHING`."""


@dataclass(frozen=True)
class GraphCheck:
    """How well the independences that a graph implies hold.

    Parameters
    ----------
    finding : Finding
    n_implied : int
        Independences that were tested.
    n_violated : int
        Those rejected at 5 % each.
    least_p : float
        The least p-value, corrected for their number.
    share_as_few : float
        The share of relabelled graphs with no more violations; nan if that was not needed.
    """

    finding: Finding
    n_implied: int = 0
    n_violated: int = 0
    least_p: float = float("nan")
    share_as_few: float = float("nan")


def check_graph(data: Dataset, graph: Adjacency, rng: Generator) -> GraphCheck:
    """Test the independences that a DAG implies given at most one column.

    Parameters
    ----------
    data : Dataset
    graph : Adjacency
        A DAG; the summary graph of a series is not checked.
    rng : Generator
        For the relabelled graphs.
    """
    if data.world == "series":
        return _not_checked("there is no valid test of what a summary graph implies")
    if data.world == "mixed":
        return _not_checked("there is no valid test where columns are of two kinds")
    n_rows = len(data.observational_values)
    if n_rows < LEAST_ROWS:
        return _not_checked(f"it takes {LEAST_ROWS} rows, and there are {n_rows}")
    statements = implied_independences(graph)
    test = pair_test(data)
    surprise = _surprises(test, statements)
    if not len(surprise):
        return _not_checked("it implies no independence given at most one column")
    n_violated = int(_violated(surprise).sum())
    least = min(1.0, len(surprise) * float(np.exp(-surprise.max())))
    numbers: dict[str, float] = {
        "n_implied": len(surprise),
        "n_violated": n_violated,
        "least_p": least,
    }
    if least > REFUTED_LEVEL:
        words = {"level": percent(REFUTED_LEVEL)}
        finding = Finding(FindingKind.GRAPH_NOT_REFUTED, numbers=numbers, rule=RULE, words=words)
        return GraphCheck(finding, len(surprise), n_violated, least)
    as_few = _as_few_by_chance(test, statements, n_violated, rng, len(graph))
    words = {
        "violated_level": percent(VIOLATED_LEVEL),
        "share_as_few": percent(as_few.p_value),
    }
    if as_few.below:
        kind, variant = FindingKind.GRAPH_NOT_REFUTED, "fewer"
    else:
        kind, variant = FindingKind.GRAPH_REFUTED, ""
    finding = Finding(kind, numbers=numbers, rule=RULE, words=words, variant=variant)
    return GraphCheck(finding, len(surprise), n_violated, least, as_few.p_value)


def implied_independences(graph: Adjacency) -> Statements:
    """Return the independences that a DAG implies given at most one column.

    Of two nodes without a common ancestor; and of a node with one parent and each node that is
    no descendant of it, given that parent.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> implied_independences(chain(3)).tolist()
    [[2, 0, 1]]
    >>> collider = np.zeros((3, 3), dtype=bool)
    >>> collider[:2, 2] = True
    >>> implied_independences(collider).tolist()
    [[0, 1, -1]]
    """
    reaches = reachability(graph) | np.eye(len(graph), dtype=bool)
    shared = reaches.T.astype(float) @ reaches > 0
    apart = np.argwhere(np.triu(~shared, 1))
    statements = [np.column_stack([apart, np.full(len(apart), NOTHING)])]
    for node in np.flatnonzero(graph.sum(axis=0) == 1).tolist():
        parent = int(np.flatnonzero(graph[:, node])[0])
        # Those without a common ancestor with the node are independent given nothing already.
        others = np.flatnonzero(~reaches[node] & shared[node] & ~graph[:, node])
        statements.append(np.array([(node, other, parent) for other in others.tolist()]))
    return np.concatenate([part.reshape(-1, 3) for part in statements]).astype(np.int64)


def _surprises(test: PairTest, statements: Statements) -> Vector:
    """Return minus the log p-values of the independences that can be tested."""
    found = np.empty(len(statements))
    for given in np.unique(statements[:, 2]).tolist():
        rows = statements[:, 2] == given
        found[rows] = test(given)[statements[rows, 0], statements[rows, 1]]
    return found[np.isfinite(found)]


def _violated(surprise: NDArray[np.floating]) -> NDArray[np.bool_]:
    return np.nan_to_num(surprise) > -np.log(VIOLATED_LEVEL)


def _as_few_by_chance(
    test: PairTest, statements: Statements, n_violated: int, rng: Generator, n_nodes: int
) -> MonteCarlo:
    """Tell whether at most 5 % of relabelled graphs violate no more than so many."""
    violated = cache(lambda given: _violated(test(given)))
    groups = [
        (given, statements[statements[:, 2] == given, :2])
        for given in np.unique(statements[:, 2]).tolist()
    ]

    def no_more(label: NDArray[np.int64]) -> bool:
        count = 0
        for given, pairs in groups:
            table = violated(NOTHING if given == NOTHING else int(label[given]))
            count += int(table[label[pairs[:, 0]], label[pairs[:, 1]]].sum())
        return count <= n_violated

    if n_nodes <= _MOST_ENUMERATED:
        return enumerated(np.array([no_more(one) for one in all_orders(n_nodes)]), NOT_FEWER_LEVEL)

    def draw(count: int) -> NDArray[np.bool_]:
        return np.array([no_more(rng.permutation(n_nodes)) for _ in range(count)])

    return decide(draw, NOT_FEWER_LEVEL, MOST_RELABELLED)


def _not_checked(why: str) -> GraphCheck:
    return GraphCheck(Finding(FindingKind.GRAPH_NOT_CHECKED, rule=RULE, words={"why": why}))
