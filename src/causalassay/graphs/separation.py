"""d-separation as one walk with a rule table."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from causalassay.common.arrays import Adjacency, check_nodes
from causalassay.graphs.orders import check_dag
from causalassay.graphs.walks import AGAINST, ALONG, AT_SOURCE, Rules, walk


def d_separated(
    dag: Adjacency, i: int | Iterable[int], j: int | Iterable[int], given: Iterable[int]
) -> bool:
    """Tell whether every path between `i` and `j` is blocked by `given`.

    Parameters
    ----------
    dag : Adjacency, shape (d, d)
    i, j : int, or iterable of int
        Two nodes or two sets of nodes; sets are separated when each pair is.
    given : iterable of int
        The conditioning set; it shares no node with `i` and `j`.

    References
    ----------
    Geiger, Verma, Pearl (1990), Identifying independence in Bayesian networks,
    Networks 20, algorithm 2 (reachability over legal pairs of edges). Shachter (1998),
    Bayes-ball, UAI.

    Examples
    --------
    In 0→2←1 the collider 2 separates its parents until it is conditioned on.

    >>> import numpy as np
    >>> collider = np.zeros((3, 3), dtype=bool)
    >>> collider[[0, 1], 2] = True
    >>> d_separated(collider, 0, 1, []), d_separated(collider, 0, 1, [2])
    (True, False)
    """
    dag = check_dag(dag, "dag")
    sources, targets = check_nodes(i, len(dag), "i"), check_nodes(j, len(dag), "j")
    condition = check_nodes(given, len(dag), "given")
    for name, one, other in (
        ("i and j", sources, targets),
        ("i and given", sources, condition),
        ("j and given", targets, condition),
    ):
        if shared := set(one) & set(other):
            raise ValueError(f"{name} must share no node, got {sorted(shared)} in both")
    return not walk(dag, sources, _connecting(len(dag), condition))[targets].any()


def _connecting(n_nodes: int, condition: list[int]) -> Rules:
    """Return the rules of a d-connecting walk.

    It turns back at a collider that is conditioned on, and goes on through any other node
    that is not. A collider above a conditioned node needs no rule: the walk goes down to
    that node, turns back there and comes up again.
    """
    known = np.zeros(n_nodes, dtype=bool)
    known[condition] = True
    rules = np.empty((3, 2, n_nodes), dtype=bool)
    rules[AT_SOURCE] = True
    rules[ALONG, ALONG] = rules[AGAINST] = ~known
    rules[ALONG, AGAINST] = known
    return rules
