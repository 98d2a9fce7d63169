"""How far a score of the nodes agrees with the causal order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from causalassay.common.arrays import Adjacency, Vector
from causalassay.graphs.orders import check_dag, path_counts, reachability

Convention = Literal["paths", "pairs", "edges"]


@dataclass(frozen=True, eq=False)
class PairWeights:
    """The ordered pairs that a convention counts, and how often it counts each.

    Parameters
    ----------
    cause, effect : ndarray of int, shape (m,)
    weight : ndarray of int, shape (m,)
    n_nodes : int
    """

    cause: NDArray[np.int64]
    effect: NDArray[np.int64]
    weight: NDArray[np.int64]
    n_nodes: int


def pair_weights(graph: Adjacency, convention: Convention = "paths") -> PairWeights:
    """Return the pairs that a convention counts, to be reused for many scores of one graph.

    Parameters
    ----------
    graph : Adjacency
        A DAG.
    convention : {"paths", "pairs", "edges"}
        "paths": an ordered pair counts once for every length at which a
        directed path joins it. "pairs": once if there is any directed path.
        "edges": once if there is an edge.

    References
    ----------
    Reisach, Seiler, Weichwald (2021), section 3.1, for "paths"; Herman et al.
    (2025), arXiv 2503.17037, for "pairs".

    Examples
    --------
    >>> import numpy as np
    >>> triangle = np.triu(np.ones((3, 3), dtype=bool), 1)
    >>> [int(pair_weights(triangle, c).weight.sum()) for c in ("paths", "pairs", "edges")]
    [4, 3, 3]
    """
    match convention:
        case "paths":
            counts: NDArray[np.integer] | Adjacency = path_counts(graph)
        case "pairs":
            counts = reachability(graph)
        case "edges":
            counts = check_dag(graph)
        case _:
            raise ValueError(
                f'convention: expected "paths", "pairs" or "edges", got {convention!r}'
            )
    flat = counts.ravel()
    index = np.flatnonzero(flat)
    cause, effect = np.divmod(index, len(counts))
    return PairWeights(cause, effect, flat[index].astype(np.int64), len(counts))


def aligned_share(weights: PairWeights, scores: ArrayLike, tolerance: float = 1e-9) -> float:
    """Return the weighted share of pairs whose score grows from cause to effect.

    Parameters
    ----------
    weights : PairWeights
        From `pair_weights`.
    scores : array_like, shape (d,)
    tolerance : float
        Two scores tie if they differ by at most this share of the larger magnitude.

    Returns
    -------
    float
        A tie counts one half; nan if there is no pair.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> weights = pair_weights(chain(3), "edges")
    >>> aligned_share(weights, [1.0, 2.0, 2.0])
    0.75
    """
    score = _check_scores(scores, weights.n_nodes)
    if not 0 <= tolerance < 1:
        raise ValueError(f"tolerance: expected 0 <= tolerance < 1, got {tolerance}")
    if len(weights.weight) == 0:
        return float("nan")
    size = np.abs(score)
    rise = score[weights.effect] - score[weights.cause]
    margin = tolerance * np.maximum(size[weights.effect], size[weights.cause])
    # Whole numbers throughout, so that reversed scores give exactly the complement.
    rising = int(weights.weight @ (rise > margin))
    falling = int(weights.weight @ (rise < -margin))
    total = int(weights.weight.sum())
    return (total + rising - falling) / (2 * total)


def alignment(
    graph: Adjacency,
    scores: ArrayLike,
    convention: Convention = "paths",
    tolerance: float = 1e-9,
) -> float:
    """Return how far a score agrees with the causal order: 1 fully, 0 when reversed.

    Parameters
    ----------
    graph : Adjacency
        The true DAG.
    scores : array_like, shape (d,)
        One finite number for each node.
    convention : {"paths", "pairs", "edges"}
        Which ordered pairs count, and how often; see `pair_weights`.
    tolerance : float
        Two scores tie if they differ by at most this share of the larger
        magnitude; a tie counts one half.

    Returns
    -------
    float
        nan if the graph has no edge.

    Notes
    -----
    Departs from the paper: its test, ``s_j / s_i`` against ``1 ± tolerance``,
    treats the two scores differently and fails at 0; here
    ``|s_j - s_i| <= tolerance * max(|s_i|, |s_j|)``, so zeros tie and reversed
    scores give one minus the value.

    References
    ----------
    Reisach, Seiler, Weichwald (2021), section 3.1; Reisach et al. (2023),
    arXiv 2303.18211, equation 3, for any score.

    Examples
    --------
    The example A→B, B→C, A→C with variances 2, 1, 3: the pair (A, C) is
    joined at two lengths.

    >>> import numpy as np
    >>> triangle = np.triu(np.ones((3, 3), dtype=bool), 1)
    >>> alignment(triangle, [2, 1, 3])
    0.75
    >>> round(alignment(triangle, [2, 1, 3], convention="pairs"), 4)
    0.6667
    """
    return aligned_share(pair_weights(graph, convention), scores, tolerance)


def _check_scores(scores: ArrayLike, n_nodes: int) -> Vector:
    score = np.asarray(scores, dtype=float)
    if score.shape != (n_nodes,):
        raise ValueError(f"scores: expected shape ({n_nodes},), got {score.shape}")
    if not np.isfinite(score).all():
        node = int((~np.isfinite(score)).argmax())
        raise ValueError(f"scores: every score must be finite, node {node} has {score[node]}")
    return score
