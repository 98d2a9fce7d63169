"""Which edges of a forest a lower bound on the weights gives away, beyond its CPDAG."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from causalassay.common.arrays import Adjacency, Weights, check_weights
from causalassay.graphs.chordal import components, members, neighbour_masks
from causalassay.graphs.cpdag import directed_part, skeleton, undirected_part
from causalassay.graphs.orders import Indices
from causalassay.graphs.validity import check_cpdag

Scheme = Literal["standardized", "iscm"]
Arrows = tuple[Indices, Indices]
"""The tails and the heads of directed edges."""


def identified_edges(
    covariance: ArrayLike,
    cpdag: Adjacency,
    weight_bound: float = 1.0,
    scheme: Scheme = "standardized",
    tolerance: float = 1e-12,
) -> Adjacency:
    """Return the CPDAG of a forest with every edge directed that a bound on the weights directs.

    Who knows that data were made by a linear SCM with equal noise variances
    whose weights are at least `weight_bound` in magnitude, and then
    standardised, need not stop at the equivalence class: each member of the
    class gives the same correlations with other weights, and those of some
    members fall below the bound. An edge is directed where all members that
    are left agree. With a bound of 1 or more at most one edge of each
    undirected part stays undirected.

    Parameters
    ----------
    covariance : array_like, shape (d, d)
        Of the observed variables, in any units: the scale is not used. Exact,
        for nothing here weighs sampling errors.
    cpdag : Adjacency, shape (d, d)
        Of the true DAG, which itself is not asked for. Its skeleton is a forest.
    weight_bound : float
        The least magnitude of a weight, of an iSCM in units of the noise sd.
    scheme : {"standardized", "iscm"}
        How the data were made. In an iSCM all members have the same weights, so
        no bound directs any edge (theorem 4).
    tolerance : float
        A member stays unless ``ρ² v_i >= bound² v_j`` fails by more than this
        for an edge i→j, v being the share of a variance that parents leave.

    Returns
    -------
    Adjacency, shape (d, d)
        A PDAG: the edges of all members that are left, laid over each other.

    Raises
    ------
    ValueError
        If the graph is no CPDAG or no forest, or if no member is left: the
        data were made differently, or with a smaller weight.

    Notes
    -----
    In a forest the parents of a node are independent, so v_j = 1 - Σ ρ_ij² over
    its parents i. Before standardisation, with noise variance 1, node j had the
    variance 1 / v_j and the edge i→j the squared weight ρ_ij² v_i / v_j; in an
    iSCM it had ρ_ij² / v_j. A member is one choice of root in each undirected
    tree, and trees do not meet in any condition: the time is the sum of the
    squares of their sizes.

    References
    ----------
    Ormaniec et al. (2024), theorems 3 and 4, proved in appendix C.4.2. There
    the bound is 1 and the edges follow from the order of the correlations
    along paths; here every bound is asked of all weights.

    Examples
    --------
    The chain 0→1→2→3→4 with weights 1.5. Its CPDAG directs nothing, and the
    bound all edges but one:

    >>> import numpy as np
    >>> from causalassay.graphs import chain, to_cpdag
    >>> from causalassay.models import Standardized
    >>> source = Standardized(weights=(1.5, 1.5))
    >>> covariance = source.draw(chain(5), np.random.default_rng(0)).covariance()
    >>> known = identified_edges(covariance, to_cpdag(chain(5)), weight_bound=1.5)
    >>> (known & ~known.T).astype(int)
    array([[0, 0, 0, 0, 0],
           [0, 0, 1, 0, 0],
           [0, 0, 0, 1, 0],
           [0, 0, 0, 0, 1],
           [0, 0, 0, 0, 0]])
    """
    if not 0 <= weight_bound < math.inf:
        raise ValueError(f"weight_bound: expected a number of at least 0, got {weight_bound}")
    if scheme not in ("standardized", "iscm"):
        raise ValueError(f'scheme: expected "standardized" or "iscm", got {scheme!r}')
    _check_forest(cpdag)
    squared = _squared_correlations(covariance, len(cpdag))
    directed = directed_part(cpdag)
    noise_share = 1 - np.where(directed, squared, 0.0).sum(axis=0)

    def fits(inside: Arrows, outward: Arrows) -> bool:
        share = noise_share.copy()
        share[inside[1]] -= squared[inside]
        tail, head = np.concatenate((inside, outward), axis=1)
        signal = squared[tail, head] * (share[tail] if scheme == "standardized" else 1.0)
        return bool((signal >= weight_bound**2 * share[head] - tolerance).all())

    known = directed.copy()
    neighbours = [np.flatnonzero(row).tolist() for row in undirected_part(cpdag)]
    for part in _parts(undirected_part(cpdag)):
        tail, head = np.nonzero(directed[part])
        outward = np.array(part)[tail], head
        orientations = [_away_from(root, neighbours) for root in part]
        possible = [inside for inside in orientations if fits(inside, outward)]
        if not possible:
            raise ValueError(
                "covariance: no DAG of the class gives these correlations with equal noise "
                f"variances and weights of at least {weight_bound:g} (scheme {scheme!r}): the part "
                f"with the nodes {part} has no root; take a lower weight_bound, unless the data "
                "were made differently"
            )
        for inside in possible:
            known[inside] = True
    return known


def _check_forest(cpdag: Adjacency) -> None:
    joined = skeleton(check_cpdag(cpdag, "cpdag"))
    n_edges, n_trees = int(joined.sum()) // 2, len(_parts(joined))
    if n_edges + n_trees != len(cpdag):
        raise ValueError(
            f"cpdag: expected a forest, but its {n_edges} edges on {len(cpdag)} nodes in "
            f"{n_trees} connected parts make a cycle of the skeleton; nothing is known of such "
            "graphs"
        )


def _squared_correlations(covariance: ArrayLike, n_nodes: int) -> Weights:
    array = check_weights(covariance, "covariance")
    if len(array) != n_nodes:
        raise ValueError(
            f"covariance: the graph has {n_nodes} nodes but the covariance {len(array)}"
        )
    variance = array.diagonal()
    if not (variance > 0).all():
        node = int((variance <= 0).argmax())
        raise ValueError(f"covariance: node {node} has variance {variance[node]}, expected > 0")
    squared = array**2 / np.outer(variance, variance)
    if not np.allclose(squared, squared.T) or squared.max() > 1 + 1e-9:
        raise ValueError("covariance: expected a symmetric matrix with correlations up to 1")
    return squared


def _parts(undirected: Adjacency) -> list[list[int]]:
    """Return the nodes of each connected part."""
    masks = neighbour_masks(undirected)
    return [list(members(part)) for part in components(masks, (1 << len(masks)) - 1)]


def _away_from(root: int, neighbours: list[list[int]]) -> Arrows:
    """Return the edges of a tree as arrows away from its root."""
    arrows = [(root, child) for child in neighbours[root]]
    for parent, node in arrows:
        arrows += [(node, child) for child in neighbours[node] if child != parent]
    tail, head = np.array(arrows, dtype=np.int64).reshape(-1, 2).T
    return tail, head
