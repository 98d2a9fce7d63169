"""Adjustment identification distances between DAGs or CPDAGs, counted by gadjid.

For every ordered pair (i, j) the guess names an adjustment set for the effect of i on j, or
says that there is no effect, or that no set identifies it; a pair is counted where that is
wrong in the truth. The distances differ in the set they take. gadjid runs in as many threads as
there are cores; set the environment variable ``RAYON_NUM_THREADS`` before its first call to
change that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gadjid

from causalassay.common.arrays import Adjacency
from causalassay.graphs import check_cpdag, to_gadjid
from causalassay.graphs.cpdag import undirected_part
from causalassay.graphs.orders import check_dag
from causalassay.metrics.pairing import Guess, check_pair, share


def parent_aid(truth: Adjacency, guess: Guess) -> int:
    """Return how many effects come out wrong when adjusting for a node's parents.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
    guess : Adjacency or Estimate
        Each a DAG or a CPDAG.

    Returns
    -------
    int
        From 0 to d(d - 1); 0 for a DAG that holds all edges of a true DAG. Between DAGs it is
        `sid`. Between a DAG and a CPDAG it is no bound
        of `sid_bounds`: it also counts pairs whose effect only one of the graphs identifies.

    References
    ----------
    Henckel, Würtzen, Weichwald (2024), Adjustment identification distance: a gadjid for
    causal structure learning, UAI, https://doi.org/10.48550/arXiv.2402.08616.

    Examples
    --------
    From 0—1 neither effect is identified, though one member of the class is the truth.

    >>> from causalassay.graphs import chain, to_cpdag
    >>> parent_aid(chain(2), to_cpdag(chain(2))), parent_aid(chain(2), chain(2))
    (2, 0)
    """
    return _count(gadjid.parent_aid, truth, guess)


def ancestor_aid(truth: Adjacency, guess: Guess) -> int:
    """Return how many effects come out wrong when adjusting for a node's ancestors.

    Only possible descendants in the guess count as affected.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
    guess : Adjacency or Estimate
        Each a DAG or a CPDAG.

    Returns
    -------
    int
        From 0 to d(d - 1); 0 for a DAG that holds all edges of a true DAG.

    References
    ----------
    Henckel, Würtzen, Weichwald (2024), see `parent_aid`.

    Examples
    --------
    The empty guess denies all effects; here there are three.

    >>> from causalassay.graphs import chain
    >>> ancestor_aid(chain(3), chain(3) & False), ancestor_aid(chain(3), chain(3).T)
    (3, 6)
    """
    return _count(gadjid.ancestor_aid, truth, guess)


def oset_aid(truth: Adjacency, guess: Guess) -> int:
    """Return how many effects come out wrong when adjusting for the O-set.

    The O-set is the adjustment set of least asymptotic variance in linear models: the parents
    of the nodes on causal paths, without descendants of the treatment.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
    guess : Adjacency or Estimate
        Each a DAG or a CPDAG.

    Returns
    -------
    int
        From 0 to d(d - 1); 0 for a DAG that holds all edges of a true DAG.

    References
    ----------
    Henckel, Würtzen, Weichwald (2024), see `parent_aid`. The set: Henckel, Perković,
    Maathuis (2022), Graphical criteria for efficient total effect estimation via adjustment
    in causal linear models, JRSS B 84(2).

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> oset_aid(chain(3), chain(3) & False), oset_aid(chain(3), chain(3).T)
    (3, 6)
    """
    return _count(gadjid.oset_aid, truth, guess)


def parent_aid_normalized(truth: Adjacency, guess: Guess) -> float:
    """Return `parent_aid` divided by the number of ordered pairs, d(d - 1); nan for one node.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> parent_aid_normalized(chain(2), chain(2) & False)
    0.5
    """
    return share(parent_aid(truth, guess), _n_pairs(truth))


def ancestor_aid_normalized(truth: Adjacency, guess: Guess) -> float:
    """Return `ancestor_aid` divided by the number of ordered pairs; nan for one node.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> ancestor_aid_normalized(chain(3), chain(3) & False)
    0.5
    """
    return share(ancestor_aid(truth, guess), _n_pairs(truth))


def oset_aid_normalized(truth: Adjacency, guess: Guess) -> float:
    """Return `oset_aid` divided by the number of ordered pairs; nan for one node.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> oset_aid_normalized(chain(3), chain(3) & False)
    0.5
    """
    return share(oset_aid(truth, guess), _n_pairs(truth))


def _n_pairs(graph: Adjacency) -> int:
    return len(graph) * (len(graph) - 1)


def _count(distance: Callable[..., Any], truth: Adjacency, guess: Guess) -> int:
    """Check both graphs, since gadjid panics on bad ones, and call it."""
    truth, guess = check_pair(truth, guess)
    for graph, name in ((truth, "truth"), (guess, "guess")):
        if undirected_part(graph).any():
            check_cpdag(graph, name)
        else:
            check_dag(graph, name)
    if len(truth) == 1:  # gadjid wants at least two nodes
        return 0
    _, mistakes = distance(to_gadjid(truth), to_gadjid(guess), edge_direction="from row to column")
    return int(mistakes)
