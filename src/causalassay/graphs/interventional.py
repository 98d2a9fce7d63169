"""What interventions add to a CPDAG: the edges that they direct."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from causalassay.common.arrays import Adjacency, as_graph, check_nodes
from causalassay.graphs.cpdag import to_cpdag
from causalassay.graphs.meek import meek_closure


def to_interventional_cpdag(dag: Adjacency, targets: Iterable[Sequence[int]]) -> Adjacency:
    """Return the interventional essential graph of `dag` under a family of targets.

    It is the union of all DAGs that no data under these interventions tell from
    `dag`: those with its skeleton, its v-structures and its direction of every
    edge of which some intervention acts on one end only.

    Parameters
    ----------
    dag : Adjacency, shape (d, d)
    targets : iterable of sequences of int
        The nodes intervened upon in each condition, ``()`` for observation.
        Without any intervention the result is the CPDAG.

    Notes
    -----
    The family is taken to be conservative: for each node there is a condition
    that does not act on it. Otherwise the edges into that node leave no trace
    in the data, and edges that the graph directs may be indistinguishable.

    Arrows that are compelled without interventions stay, the edges that an
    intervention separates take their direction in `dag`, and Meek's rules do
    the rest; what they direct is what is strongly protected in the paper.

    References
    ----------
    Hauser and Bühlmann (2012), Characterization and greedy learning of
    interventional Markov equivalence classes of directed acyclic graphs, JMLR 13,
    theorem 10 for the equivalence, theorem 18 for what such graphs look like.

    Examples
    --------
    The chain 0→1→2 is undirected in its CPDAG. An intervention on 2 directs 1→2,
    and 0—1 stays; one on 0 directs 0→1, and then 1→2, for 1 is no collider.

    >>> from causalassay.graphs import chain
    >>> to_interventional_cpdag(chain(3), [(), (2,)]).astype(int)
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 0, 0]])
    >>> to_interventional_cpdag(chain(3), [(), (0,)]).astype(int)
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 0, 0]])
    """
    dag = as_graph(dag, "dag")
    return interventional_cpdag(dag, separated_pairs(targets, len(dag)))


def separated_pairs(targets: Iterable[Sequence[int]], n_nodes: int) -> Adjacency:
    """Return the symmetric matrix of pairs of which some condition acts on one node only."""
    separated = np.zeros((n_nodes, n_nodes), dtype=bool)
    for condition in targets:
        acted_on = np.zeros(n_nodes, dtype=bool)
        acted_on[check_nodes(condition, n_nodes, "targets")] = True
        separated |= acted_on[:, None] != acted_on[None, :]
    return separated


def interventional_cpdag(dag: Adjacency, separated: Adjacency) -> Adjacency:
    """Return the interventional essential graph, given `separated_pairs` of the targets."""
    cpdag = to_cpdag(dag)
    against = separated & cpdag & dag.T
    return meek_closure(cpdag & ~against) if against.any() else cpdag
