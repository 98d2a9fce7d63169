"""What theory says of artefacts: directions, bounds and edges that a scale gives away."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from causalassay.common.arrays import Adjacency, Vector, Weights, check_values, check_weights
from causalassay.graphs.chordal import components, members, neighbour_masks
from causalassay.graphs.cpdag import directed_part, skeleton, undirected_part
from causalassay.graphs.orders import Indices
from causalassay.graphs.validity import check_cpdag

Rule = Literal["coefficients", "variances"]
Direction = Literal["left-to-right", "right-to-left", "undecided"]

_DIRECTION: dict[int, Direction] = {1: "left-to-right", 0: "undecided", -1: "right-to-left"}


def orient_chain(
    values: ArrayLike, rule: Rule = "coefficients", tolerance: float = 1e-9
) -> Direction:
    """Return the direction in which regression coefficients, or variances, tend to grow.

    Parameters
    ----------
    values : array_like, shape (n, d)
        Columns in the order of the chain, whose direction is unknown.
    rule : {"coefficients", "variances"}
        See `chain_leaning`.
    tolerance : float
        On the ratio of two numbers; closer ones tie.

    Returns
    -------
    {"left-to-right", "right-to-left", "undecided"}
        The papers flip a coin where it is undecided.

    References
    ----------
    Reisach, Seiler, Weichwald (2021), appendix F.2.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.random.default_rng(0).normal(size=(200, 5)).cumsum(axis=1)
    >>> orient_chain(values), orient_chain(values[:, ::-1])
    ('left-to-right', 'right-to-left')
    >>> orient_chain(values / values.std(axis=0), rule="variances")
    'undecided'
    """
    array = check_values(values)
    centred = array - array.mean(axis=0)
    covariance = centred.T @ centred / len(array)
    return _DIRECTION[int(chain_leaning(covariance, rule, tolerance))]


def chain_leaning(
    covariance: ArrayLike, rule: Rule = "coefficients", tolerance: float = 1e-9
) -> NDArray[np.int64]:
    """Return 1 for each chain that seems to point left to right, -1 right to left, 0 undecided.

    Parameters
    ----------
    covariance : array_like, shape (..., d, d)
        The covariance of the variables in the order of the chain, from a sample or exact.
    rule : {"coefficients", "variances"}
        "coefficients": compare how far the absolute coefficients of the
        regressions of X2 on X1, X3 on X2, ... increase with how far those of
        X_{d-1} on X_d, X_{d-2} on X_{d-1}, ... do. "variances": tell whether
        the variances increase from left to right. How far a sequence
        increases is its number of rising pairs less that of its falling pairs.
    tolerance : float
        Two numbers tie if they differ by at most this share of the larger.

    Returns
    -------
    ndarray of int, shape (...)

    References
    ----------
    Reisach, Seiler, Weichwald (2021), appendix F: the rule of F.1 is the case d = 3.

    Examples
    --------
    A→B→C with weights 1 and noise variances 1:

    >>> int(chain_leaning([[1, 1, 1], [1, 2, 2], [1, 2, 3]], rule="variances"))
    1
    """
    array = np.asarray(covariance, dtype=float)
    if array.ndim < 2 or array.shape[-1] != array.shape[-2] or array.shape[-1] == 0:
        raise ValueError(f"covariance: expected shape (..., d, d), got {array.shape}")
    variance = np.diagonal(array, axis1=-2, axis2=-1)
    if not (variance > 0).all():
        raise ValueError("covariance: a chain has no constant variable, but a variance is <= 0")
    match rule:
        case "coefficients":
            with_next = np.abs(np.diagonal(array, offset=1, axis1=-2, axis2=-1))
            rightward = with_next / variance[..., :-1]
            leftward = (with_next / variance[..., 1:])[..., ::-1]
            lead = _increase(rightward, tolerance) - _increase(leftward, tolerance)
        case "variances":
            lead = _increase(variance, tolerance)
        case _:
            raise ValueError(f'rule: expected "coefficients" or "variances", got {rule!r}')
    return np.sign(lead)


def _increase(sequence: Vector | Weights, tolerance: float) -> NDArray[Any]:
    """Return the rising less the falling pairs of non-negative numbers, over the last axis."""
    earlier, later = np.triu_indices(sequence.shape[-1], 1)
    first, second = sequence[..., earlier], sequence[..., later]
    margin = tolerance * np.maximum(first, second)
    rising = (second - first > margin).sum(axis=-1, dtype=np.int64)
    return rising - (first - second > margin).sum(axis=-1, dtype=np.int64)


# How much of the artefacts a benchmark's parameters imply before anything is simulated.


def pairwise_varsortability_bound(
    weights: tuple[float, float] = (0.5, 2.0),
    noise_sd: tuple[float, float] = (0.5, 2.0),
    root: bool = True,
) -> float:
    """Return a lower bound of the probability that an edge's effect varies more than its cause.

    For an edge A→B without common ancestor or other directed path it is the
    probability of ``(1 - W²) Var(A) < S_B²``, over random weights and noises.

    Parameters
    ----------
    weights : (float, float)
        Range of the uniform magnitude of W; the sign does not matter.
    noise_sd : (float, float)
        Range of the uniform standard deviations S of the noises; a fixed one
        is given as (sd, sd).
    root : bool
        True: A is a root, so ``Var(A) = S_A²``. False: nothing is known about
        A's variance and the bound is the probability of ``|W| > 1``.

    Notes
    -----
    For a weight of magnitude w < 1 put c = sqrt(1 - w²) and let S run from a
    to b. The effect varies less with probability (cb - a)² / (2c(b - a)²) if
    cb > a, else 0; its integral over w is elementary.

    References
    ----------
    Reisach, Seiler, Weichwald (2021), section 3.3 and appendix B: 2/3 for any
    cause and more than 0.93 for a root, with the default ranges.

    Examples
    --------
    >>> round(pairwise_varsortability_bound(), 4)
    0.9305
    >>> round(pairwise_varsortability_bound(root=False), 4)
    0.6667
    """
    low, high = _check_range("weights", weights)
    quiet, loud = _check_range("noise_sd", noise_sd)
    if not root:
        return _share_above(1.0, low, high)
    if quiet == loud:
        return 1.0
    # Beyond this weight even the loudest cause varies less than the quietest effect.
    last = np.sqrt(1.0 - (quiet / loud) ** 2)
    if low == high:
        return 1.0 - _less_variable(low, quiet, loud) if low < last else 1.0
    area = _integral(min(high, last), quiet, loud) - _integral(min(low, last), quiet, loud)
    return float(1.0 - area / (high - low))


def iscm_cev_bound(max_parents: int, max_weight: float, noise_variance: float = 1.0) -> float:
    """Return the largest share of a variance that parents can explain in a linear iSCM.

    Parameters
    ----------
    max_parents : int
        m, the largest number of parents of a node.
    max_weight : float
        w, the largest magnitude of a weight.
    noise_variance : float
        σ², the same for all nodes.

    Returns
    -------
    float
        ``1 - σ² / (m² w² + σ²)``.

    References
    ----------
    Ormaniec et al. (2024), theorem 2, proved in appendix C.3.

    Examples
    --------
    >>> iscm_cev_bound(2, 2.0)
    0.9411764705882353
    """
    if max_parents < 0 or max_weight < 0 or noise_variance <= 0:
        raise ValueError(
            "expected max_parents >= 0, max_weight >= 0 and noise_variance > 0, got "
            f"{max_parents}, {max_weight} and {noise_variance}"
        )
    return float(1.0 - noise_variance / (max_parents**2 * max_weight**2 + noise_variance))


def _check_range(name: str, bounds: tuple[float, float]) -> tuple[float, float]:
    low, high = bounds
    if not 0 < low <= high < np.inf:
        raise ValueError(f"{name}: expected (low, high) with 0 < low <= high, got {bounds}")
    return float(low), float(high)


def _share_above(threshold: float, low: float, high: float) -> float:
    """Return P[U > threshold] for U uniform from low to high."""
    if low == high:
        return float(low > threshold)
    return float(np.clip((high - threshold) / (high - low), 0.0, 1.0))


def _less_variable(weight: float, quiet: float, loud: float) -> float:
    c = np.sqrt(1.0 - weight**2)
    return float((c * loud - quiet) ** 2 / (2.0 * c * (loud - quiet) ** 2))


def _integral(weight: float, quiet: float, loud: float) -> float:
    """Return the antiderivative of `_less_variable` in the weight."""
    arc = np.arcsin(weight)
    loudest = loud**2 / 4.0 * (weight * np.sqrt(1.0 - weight**2) + arc)
    quietest = quiet**2 / 2.0 * arc
    return float((loudest - quiet * loud * weight + quietest) / (loud - quiet) ** 2)


# Which edges of a forest a lower bound on the weights gives away, beyond its CPDAG.

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
        The covariance of the observed variables, in any units: the scale is not used.
        It must be exact, because sampling errors are not modelled.
    cpdag : Adjacency, shape (d, d)
        The CPDAG of the true DAG; its skeleton must be a forest. The DAG is not needed.
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
