"""The DAGs of a Markov equivalence class: how many, one at random, all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from cliquepicking import mec_size as count_members
from numpy.random import Generator

from causalassay.arrays import Adjacency
from causalassay.graphs.chordal import components, neighbour_masks
from causalassay.graphs.cpdag import directed_part, undirected_part
from causalassay.graphs.orientations import Orientations, every_order
from causalassay.graphs.validity import check_cpdag
from causalassay.seeding import as_generator


def mec_size(cpdag: Adjacency) -> int:
    """Return the number of DAGs in the Markov equivalence class, exactly.

    Parameters
    ----------
    cpdag : Adjacency, shape (d, d)

    References
    ----------
    Wienöbst, Bannach, Liśkiewicz (2023), Polynomial-time algorithms for counting and
    sampling Markov equivalent DAGs with applications, JMLR 24. The count is made by the
    authors' package, cliquepicking.

    Examples
    --------
    A chain without colliders may have its only source anywhere.

    >>> from causalassay.graphs import chain, to_cpdag
    >>> mec_size(to_cpdag(chain(5)))
    5
    """
    lines = np.argwhere(undirected_part(check_cpdag(cpdag, "cpdag")))
    # The package trusts its input; an empty list makes some of its functions panic.
    return count_members([(i, j) for i, j in lines.tolist()]) if len(lines) else 1


def sample_dag(cpdag: Adjacency, rng: Generator | int) -> Adjacency:
    """Return a DAG drawn uniformly from the Markov equivalence class.

    Parameters
    ----------
    cpdag : Adjacency, shape (d, d)
    rng : Generator or int
        The only source of randomness. Probabilities are ratios of exact integers, so
        the draw is exactly uniform as far as the generator's bits are.

    References
    ----------
    Wienöbst, Bannach, Liśkiewicz (2023), as for `mec_size`: pick the clique that comes
    first with probability proportional to the number of orientations it begins, order
    it, go on with the parts that are left.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain, to_cpdag
    >>> cpdag = to_cpdag(chain(4))
    >>> dag = sample_dag(cpdag, np.random.default_rng(0))
    >>> bool((to_cpdag(dag) == cpdag).all())
    True
    """
    return sample_dags(cpdag, 1, rng)[0]


def sample_dags(cpdag: Adjacency, n_dags: int, rng: Generator | int) -> list[Adjacency]:
    """Return independent uniform draws from the Markov equivalence class, counting it once.

    Parameters
    ----------
    cpdag : Adjacency, shape (d, d)
    n_dags : int
    rng : Generator or int

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain, to_cpdag
    >>> len(sample_dags(to_cpdag(chain(4)), 3, np.random.default_rng(0)))
    3
    """
    rng = as_generator(rng)
    neighbours = neighbour_masks(undirected_part(check_cpdag(cpdag, "cpdag")))
    orientations = Orientations(neighbours)
    parts = list(components(neighbours, _nodes_with_lines(neighbours)))
    return [
        _direct(cpdag, [node for part in parts for node in orientations.draw(part, rng)])
        for _ in range(n_dags)
    ]


def enumerate_dags(cpdag: Adjacency) -> Iterator[Adjacency]:
    """Iterate over the members of the Markov equivalence class, each once.

    The DAGs are made one by one as they are asked for, in an order that is the same
    at every call. `mec_size` says beforehand how many there are.

    Parameters
    ----------
    cpdag : Adjacency, shape (d, d)

    References
    ----------
    Wienöbst, Luttermann, Bannach, Liśkiewicz (2023), Efficient enumeration of Markov
    equivalent DAGs, AAAI.

    Examples
    --------
    >>> from causalassay.graphs import chain, to_cpdag, to_edges
    >>> [to_edges(dag) for dag in enumerate_dags(to_cpdag(chain(3)))]
    [[(0, 1), (1, 2)], [(1, 0), (1, 2)], [(1, 0), (2, 1)]]
    """
    neighbours = neighbour_masks(undirected_part(check_cpdag(cpdag, "cpdag")))
    # The graph is copied and checked before the first member is asked for.
    graph = cpdag.copy()
    orders = every_order(neighbours, _nodes_with_lines(neighbours))
    return (_direct(graph, order) for order in orders)


def _nodes_with_lines(neighbours: Sequence[int]) -> int:
    return sum(1 << node for node, near in enumerate(neighbours) if near)


def _direct(cpdag: Adjacency, order: Sequence[int]) -> Adjacency:
    """Direct the undirected edges along `order`, which lists all nodes that have some."""
    position = np.zeros(len(cpdag), dtype=np.int64)
    position[list(order)] = np.arange(len(order))
    forward = position[:, None] < position[None, :]
    return directed_part(cpdag) | (undirected_part(cpdag) & forward)
