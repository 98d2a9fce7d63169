"""The structural intervention distance between two DAGs."""

from __future__ import annotations

import numpy as np

from causalassay.common.arrays import Adjacency
from causalassay.graphs.cpdag import undirected_part
from causalassay.graphs.orders import Indices, neighbour_lists, order_or_cycle, topological_order
from causalassay.metrics.lineage import Lists, lineage, renumber, turn_round
from causalassay.metrics.pairing import Guess, check_pair, graph_of, share
from causalassay.metrics.parent_adjustment import count_errors_of_all, new_search


def sid(truth: Adjacency, guess: Guess) -> int:
    """Return the number of ordered pairs whose interventional distribution comes out wrong.

    For each ordered pair (i, j) the distribution of j under ``do(i)`` is computed by
    adjusting for the parents of i in the guess; where j is one of them, it is taken to be
    unaffected by i. A pair is counted where this is wrong for some distribution that is
    Markov to the truth.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
    guess : Adjacency or Estimate
        DAGs. For a guess with undirected edges there are `sid_bounds` and `mec_sid`.

    Returns
    -------
    int
        From 0 to d(d - 1). Not symmetric, and 0 for every guess that holds all true edges.

    Notes
    -----
    ``gadjid.sid``, a peer in the tests, gives the same number; R SID's ``structIntervDist``
    calls it ``sid`` and counts by the same rules.

    References
    ----------
    Peters, Bühlmann (2015), Structural intervention distance for evaluating causal graphs,
    Neural Computation 27(3), https://doi.org/10.1162/NECO_a_00708, by its graphical
    criterion. Departs from the paper: descendants are bit sets and each search stays among
    ancestors, see ``parent_adjustment``.

    Examples
    --------
    With 0→1 reversed both effects are wrong; without it, do(1) seems to move 0.

    >>> from causalassay.graphs import chain
    >>> sid(chain(2), chain(2).T), sid(chain(2), chain(2) & False)
    (2, 1)
    """
    truth, guess = check_pair(truth, guess)
    order = order_of_dag(truth, "truth")
    order_of_dag(guess, "guess")
    ancestry, rank = lineage(truth, order)
    guessed_parents = Lists(*turn_round(*renumber(*neighbour_lists(guess), rank)))
    return int(count_errors_of_all(ancestry, new_search(len(truth)), guessed_parents))


def sid_normalized(truth: Adjacency, guess: Guess) -> float:
    """Return `sid` divided by the number of ordered pairs, d(d - 1); nan for one node.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> sid_normalized(chain(2), chain(2) & False)
    0.5
    """
    return share(sid(truth, guess), len(truth) * (len(truth) - 1))


def sid_penalized(truth: Adjacency, guess: Guess) -> int:
    """Return `sid` and one more for each edge by which the guess outnumbers the truth.

    The penalty is ``max(0, edges of the guess - edges of the truth)``. A guess with as many
    edges as the truth or fewer has none, even if some of its edges are false: their number
    is in `shd_parts`.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
    guess : Adjacency or Estimate
        DAGs.

    References
    ----------
    Garant, Jensen (2016), Evaluating causal models by comparing interventional
    distributions, section 3: Peters and Bühlmann penalise superfluous edges by the
    difference in the number of edges. That a guess which lacks edges is not rewarded by a
    negative difference is our reading.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> complete = np.triu(np.ones((3, 3), dtype=bool), 1)
    >>> sid(chain(3), complete), sid_penalized(chain(3), complete)
    (0, 1)
    """
    distance = sid(truth, guess)
    surplus = int(graph_of(guess).sum()) - int(truth.sum())
    return distance + max(0, surplus)


def order_of_dag(graph: Adjacency, name: str) -> Indices:
    """Return a topological order; where there is none, say so and what to call instead."""
    order = order_or_cycle(graph)
    if len(order) == len(graph):
        return order
    lines = np.argwhere(undirected_part(graph))
    if len(lines) == 0:
        return topological_order(graph, name)
    i, j = lines[0].tolist()
    raise ValueError(
        f"{name}: expected a DAG, but {i} -- {j} is undirected; sid_bounds and mec_sid compare "
        "a true DAG with a CPDAG, parent_aid compares CPDAGs"
    )
