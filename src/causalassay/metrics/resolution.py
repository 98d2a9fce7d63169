"""Turn an estimate into graphs that a metric can score: several methods, each with a name.

The `favourable_*` methods see the truth: that is why they live here and not in discovery,
and why a report must say which method was used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from causalassay.common.arrays import Adjacency, check_weights
from causalassay.common.seeding import as_generator
from causalassay.contracts import Estimate
from causalassay.graphs import (
    NoExtension,
    acyclic_threshold,
    enumerate_dags,
    extend,
    is_cpdag,
    is_dag,
    mec_size,
    sample_dags,
    threshold,
    to_cpdag,
    topological_order,
)
from causalassay.graphs.cpdag import directed_part
from causalassay.metrics.edges import Guess, check_pair, graph_of, shd, weights_of
from causalassay.metrics.intervention_distance import sid
from causalassay.metrics.registry import metric

__all__ = [
    "FavourableThreshold",
    "MeanScore",
    "Members",
    "Repair",
    "favourable_resolution",
    "favourable_threshold",
    "mean_over_members",
    "members",
    "repair",
    "shd_best_threshold",
    "sid_best_threshold",
]

MOST_MEMBERS = 100
"""How many members of a class are scored at most (Garant & Jensen 2016, section 5.3)."""


class Repair(NamedTuple):
    """A graph that every metric can score, and how it came from the estimate."""

    graph: Adjacency
    how: Literal["none", "extension", "random order"]


def repair(graph: Guess, rng: Generator | int) -> Repair:
    """Return a DAG or CPDAG as it is, and a CPDAG of the same skeleton for any other graph.

    Constraint-based estimates from finite samples are often no CPDAG. They
    are scored all the same: "extension", the CPDAG of a DAG that extends the
    graph (Dor & Tarsi 1992); where there is none, "random order", the CPDAG of
    the DAG with the same skeleton along an order that keeps the directed edges
    except in directed cycles, and is random beyond.

    Parameters
    ----------
    graph : Adjacency or Estimate
        Any graph, as an algorithm returned it.
    rng : Generator or int
        Used for "random order" only.

    Examples
    --------
    0→1—2 extends to 0→1→2, whose class is 0—1—2.

    >>> import numpy as np
    >>> pdag = np.zeros((3, 3), dtype=bool)
    >>> pdag[[0, 1, 2], [1, 2, 1]] = True
    >>> repair(pdag, np.random.default_rng(0)).how
    'extension'
    """
    graph, rng = graph_of(graph, "graph"), as_generator(rng)
    if is_dag(graph) or is_cpdag(graph):
        return Repair(graph, "none")
    try:
        return Repair(to_cpdag(extend(graph)), "extension")
    except NoExtension:
        position = np.argsort(_order_along_arrows(graph, rng))
        along = position[:, None] < position[None, :]
        return Repair(to_cpdag((graph | graph.T) & along), "random order")


def _order_along_arrows(graph: Adjacency, rng: Generator) -> list[int]:
    """Take nodes without waiting parents, at random; in a cycle take any node."""
    arrows = directed_part(graph)
    waiting = np.ones(len(graph), dtype=bool)
    order: list[int] = []
    while waiting.any():
        free = waiting & ~(arrows & waiting[:, None]).any(axis=0)
        node = int(rng.choice(np.flatnonzero(free if free.any() else waiting)))
        order.append(node)
        waiting[node] = False
    return order


class Members(NamedTuple):
    """DAGs that represent an equivalence class."""

    dags: list[Adjacency]
    complete: bool
    """Whether these are all members, or a uniform draw from them."""


def members(graph: Guess, rng: Generator | int, most: int = MOST_MEMBERS) -> Members:
    """Return a DAG itself, all members of a CPDAG's class, or `most` uniform draws of them.

    Parameters
    ----------
    graph : Adjacency or Estimate
        A DAG or a CPDAG; `repair` makes one of any other graph.
    rng : Generator or int
        Used for the draws only.
    most : int
        The size up to which a class is listed whole.

    References
    ----------
    Garant and Jensen (2016), section 5.3.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain, to_cpdag
    >>> listed = members(to_cpdag(chain(4)), np.random.default_rng(0))
    >>> len(listed.dags), listed.complete
    (4, True)
    """
    graph, rng = graph_of(graph, "graph"), as_generator(rng)
    if most < 1:
        raise ValueError(f"most: expected at least 1, got {most}")
    if is_dag(graph):
        return Members([graph], complete=True)
    if mec_size(graph) <= most:
        return Members(list(enumerate_dags(graph)), complete=True)
    return Members(sample_dags(graph, most, rng), complete=False)


class MeanScore(NamedTuple):
    """A metric averaged over the members of a class."""

    value: float
    n_members: int
    complete: bool


def mean_over_members(
    score: Callable[[Adjacency], float],
    graph: Guess,
    rng: Generator | int,
    most: int = MOST_MEMBERS,
) -> MeanScore:
    """Return the mean of a DAG's score over the members of the guessed class.

    Parameters
    ----------
    score : callable
        A function of a DAG; for example ``lambda dag: shd(truth, dag)``.
    graph : Adjacency or Estimate
        A DAG or a CPDAG.
    rng : Generator or int
        Used only if members are drawn; an int is a seed.
    most : int
        As in `members`.

    References
    ----------
    Garant and Jensen (2016), section 5.3.

    Examples
    --------
    0→1 against 0—1: right in one of two members.

    >>> import numpy as np
    >>> from causalassay.graphs import chain, to_cpdag
    >>> from causalassay.metrics import shd
    >>> truth = chain(2)
    >>> rng = np.random.default_rng(0)
    >>> mean_over_members(lambda dag: shd(truth, dag), to_cpdag(truth), rng).value
    0.5
    """
    listed = members(graph, rng, most)
    value = float(np.mean([score(dag) for dag in listed.dags]))
    return MeanScore(value, len(listed.dags), listed.complete)


def favourable_resolution(truth: Adjacency, guess: Guess) -> Adjacency:
    """Return the guess with its undirected edges directed as the truth would have them.

    Adjacent in the truth: the true direction. Not adjacent there: along a
    topological order of the truth, since the paper leaves it open. The result
    may have cycles where directed edges of the guess are wrong.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
        A DAG.
    guess : Adjacency or Estimate
        The graph whose undirected edges are directed.

    References
    ----------
    Reisach, Seiler, Weichwald (2021), appendix D (PC); Zheng et al. (2018).

    Examples
    --------
    >>> from causalassay.graphs import chain, skeleton
    >>> bool((favourable_resolution(chain(3), skeleton(chain(3))) == chain(3)).all())
    True
    """
    truth, guess = check_pair(truth, guess)
    position = np.argsort(topological_order(truth, "truth"))
    along = position[:, None] < position[None, :]
    return directed_part(guess) | (guess & guess.T & along)


class FavourableThreshold(NamedTuple):
    """A threshold chosen with knowledge of the truth, and the DAG it leaves."""

    threshold: float
    graph: Adjacency


def favourable_threshold(
    truth: Adjacency,
    weights: ArrayLike | Estimate,
    rule: Literal["edge count", "best shd"] = "best shd",
) -> FavourableThreshold:
    """Return the threshold of the weights that the truth favours; cycles break at the weakest.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
        The true DAG.
    weights : array_like, shape (d, d), or Estimate
        Unthresholded estimates, ``weights[i, j]`` of i→j; of an estimate, its weights.
    rule : {"best shd", "edge count"}
        "best shd": the acyclic threshold of least SHD, the highest of equals
        (the paper's words). "edge count": halfway between the m-th and the
        next largest magnitude, m the number of true edges, raised until no
        cycle is left (the released code).

    References
    ----------
    Reisach, Seiler, Weichwald (2021), appendix K.2, and its released code.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> chosen = favourable_threshold(chain(2), [[0, 0.2], [0.1, 0]])
    >>> chosen.threshold, chosen.graph.astype(int).tolist()
    (0.2, [[0, 1], [0, 0]])
    """
    size = np.abs(check_weights(weights_of(weights)))
    truth, _ = check_pair(truth, np.zeros(size.shape, dtype=bool))
    match rule:
        case "edge count":
            at = _edge_count_threshold(size, int(truth.sum()))
        case "best shd":
            at = _best_threshold(truth, size)
        case _:
            raise ValueError(f'rule: expected "best shd" or "edge count", got {rule!r}')
    at = acyclic_threshold(size, at)
    return FavourableThreshold(at, threshold(size, at))


@metric("low", "estimate", display_name="SHD best threshold")
def shd_best_threshold(truth: Adjacency, guess: Guess) -> int:
    """Return `shd` at the threshold of the weights that has the least; it sees the truth.

    Examples
    --------
    >>> from causalassay.contracts import Estimate
    >>> weights = np.array([[0.0, 0.9], [0.2, 0.0]])
    >>> guess = Estimate(weights != 0, "pdag", weights=weights)
    >>> shd_best_threshold(np.array([[False, True], [False, False]]), guess)
    0
    """
    return shd(truth, favourable_threshold(truth, guess).graph)


@metric("low", "estimate", display_name="SID best threshold")
def sid_best_threshold(truth: Adjacency, guess: Guess) -> int:
    """Return `sid` at the threshold of the weights that has the least `shd`; it sees the truth.

    Examples
    --------
    >>> from causalassay.contracts import Estimate
    >>> weights = np.array([[0.0, 0.9], [0.2, 0.0]])
    >>> guess = Estimate(weights != 0, "pdag", weights=weights)
    >>> sid_best_threshold(np.array([[False, True], [False, False]]), guess)
    0
    """
    return sid(truth, favourable_threshold(truth, guess).graph)


def _edge_count_threshold(size: np.ndarray, n_edges: int) -> float:
    falling = np.append(np.sort(size, axis=None)[::-1], 0.0)
    return float(falling[max(n_edges - 1, 0)] + falling[n_edges]) / 2 if n_edges else np.inf


def _best_threshold(truth: Adjacency, size: np.ndarray) -> float:
    """Let edges in by falling magnitude and keep count of the pairs that are then wrong."""
    lowest = acyclic_threshold(size, 0.0)
    order = np.argsort(-size, axis=None, kind="stable")
    order = order[size.ravel()[order] >= max(lowest, np.nextafter(0.0, 1.0))]
    guess = np.zeros_like(truth)
    wrong = int(truth.sum())
    best, best_at = wrong, np.inf
    for rank, entry in enumerate(order):
        i, j = divmod(int(entry), len(truth))
        before = truth[i, j] != guess[i, j] or truth[j, i] != guess[j, i]
        guess[i, j] = True
        after = truth[i, j] != guess[i, j] or truth[j, i] != guess[j, i]
        wrong += int(after) - int(before)
        tied = rank + 1 < len(order) and size.flat[order[rank + 1]] == size[i, j]
        if wrong < best and not tied:
            best, best_at = wrong, float(size[i, j])
    return best_at
