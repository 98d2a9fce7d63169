"""What a metric gives a guess with as many edges of the same kinds, placed at random.

Placed at random means: the nodes of the guess are relabelled at random. An edge then lies on each
ordered pair of nodes with the same probability, so that whatever is linear in the hits has a
closed form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import gammaln

from causalassay import metrics
from causalassay.common.arrays import Adjacency, Vector
from causalassay.common.registry import first_line
from causalassay.common.seeding import as_generator
from causalassay.common.spelling import did_you_mean
from causalassay.contracts import Estimate
from causalassay.graphs import skeleton
from causalassay.metrics.edges import Guess, check_pair, graph_of
from causalassay.metrics.registry import PROBABILISTIC, GraphMetric, metric

__all__ = [
    "chance",
    "f1_chance",
    "n_guessed",
    "skeleton_p",
]

N_RELABELLINGS = 200


@dataclass(frozen=True)
class _Counts:
    """How many entries two matrices have, and how many they share on average.

    Parameters
    ----------
    true, guessed : int
        Entries: an undirected edge is two.
    places : int
        d(d - 1).
    n_alike : float
        Pairs that both graphs join in the same way, on average.
    n_pairs_shared : float
        Pairs that both graphs join, on average.
    n_true_pairs, n_guessed_pairs : int
    """

    true: int
    guessed: int
    places: int
    n_true_pairs: int
    n_guessed_pairs: int
    n_pairs_shared: float
    n_alike: float

    @property
    def hits(self) -> float:
        return self.true * self.guessed / self.places if self.places else 0.0


@metric("none", display_name="F1 chance")
def f1_chance(truth: Adjacency, guess: Guess) -> float:
    """Return the expected F1 of a guess with as many edges of the same kinds, placed at random.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
        The true graph.
    guess : Adjacency or Estimate
        Only its numbers of directed and of undirected edges matter.

    Returns
    -------
    float
        The mean of `f1` over all relabellings of the guess; nan if both graphs are empty.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> round(f1_chance(chain(3), chain(3)), 4)
    0.3333
    """
    return _CLOSED["f1"](_counted(*check_pair(truth, guess)))


def chance(
    metric: str | Callable[[Adjacency, Any], float],
    truth: Adjacency,
    guess: Guess,
    rng: Generator | int,
    n: int = N_RELABELLINGS,
) -> float:
    """Return the expected value of a metric if the nodes of the guess are relabelled at random.

    Parameters
    ----------
    metric : str or callable
        The name of a metric of two graphs, or any function of a truth and a guess.
    truth : Adjacency, shape (d, d)
        The true graph.
    guess : Adjacency or Estimate
        Its number and kinds of edges are kept.
    rng : Generator or int
        Not used where there is a closed form: F1, precision, recall and false positive rate,
        the Hamming distances, and the same of skeletons.
    n : int
        Relabellings to average over where there is none.

    Returns
    -------
    float
        Over the relabellings where the metric is defined; nan if it never is.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> round(chance("shd", chain(3), chain(3), rng=0), 4)
    2.0
    >>> 2 < chance("sid", chain(3), chain(3), rng=0) < 4
    True
    """
    checked = truth, graph = check_pair(truth, guess)
    guess = guess if isinstance(guess, Estimate) else graph
    if isinstance(metric, str) and metric in _CLOSED:
        pair = map(skeleton, checked) if metric.startswith("skeleton") else checked
        return _CLOSED[metric](_counted(*pair))
    if n < 1:
        raise ValueError(f"n: expected at least 1 relabelling, got {n}")
    score = _of_graphs(metric) if isinstance(metric, str) else metric
    rng = as_generator(rng)
    labels = (rng.permutation(len(truth)) for _ in range(n))
    scores = np.array([float(score(truth, _relabelled(guess, label))) for label in labels])
    defined = scores[~np.isnan(scores)]
    return float(defined.mean()) if len(defined) else float("nan")


def _of_graphs(name: str) -> Callable[[Adjacency, Any], float]:
    """Return the function of a name that compares two graphs."""
    if name not in _COMPARE_GRAPHS:
        hint = did_you_mean(name, sorted({*_COMPARE_GRAPHS, *_CLOSED}))
        raise ValueError(
            f"metric: there is no metric of two graphs {name!r}; {hint}; or pass a function"
        )
    return getattr(metrics, name)


def _relabelled(guess: Guess, label: np.ndarray) -> Guess:
    """Return the guess with node i called label[i]."""
    place = np.argsort(label)
    both = np.ix_(place, place)
    if not isinstance(guess, Estimate):
        return guess[both]
    order = None if guess.order is None else tuple(int(label[node]) for node in guess.order)
    p = None if guess.probabilities is None else guess.probabilities[both]
    graph = guess.graph[both]
    return replace(guess, graph=graph, order=order, weights=None, lagged=None, probabilities=p)


def _counted(truth: Adjacency, guess: Adjacency) -> _Counts:
    places = len(truth) * (len(truth) - 1)
    n_pairs = places / 2
    directed, undirected = _kinds(truth)
    guessed_directed, guessed_undirected = _kinds(guess)
    alike = directed * guessed_directed / 2 + undirected * guessed_undirected
    both = (directed + undirected) * (guessed_directed + guessed_undirected)
    return _Counts(
        int(truth.sum()),
        int(guess.sum()),
        places,
        directed + undirected,
        guessed_directed + guessed_undirected,
        both / n_pairs if n_pairs else 0.0,
        alike / n_pairs if n_pairs else 0.0,
    )


def _kinds(graph: Adjacency) -> tuple[int, int]:
    """Return how many edges are directed and how many are not."""
    undirected = int((graph & graph.T).sum()) // 2
    return int(graph.sum()) - 2 * undirected, undirected


def _shd(of: _Counts) -> float:
    """Return the expected number of pairs joined differently."""
    return of.n_true_pairs + of.n_guessed_pairs - of.n_pairs_shared - of.n_alike


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")


_OF_EDGES: dict[str, Callable[[_Counts], float]] = {
    "f1": lambda of: _ratio(2 * of.hits, of.true + of.guessed),
    "precision": lambda of: _ratio(of.hits, of.guessed),
    "recall": lambda of: _ratio(of.hits, of.true),
    "fpr": lambda of: _ratio(of.guessed - of.hits, of.places - of.true),
    "shd": _shd,
}
_CLOSED: Mapping[str, Callable[[_Counts], float]] = MappingProxyType(
    _OF_EDGES
    | {f"skeleton_{name}": function for name, function in _OF_EDGES.items()}
    | {
        "shd_double": lambda of: of.true + of.guessed - 2 * of.hits,
        "shd_normalized": lambda of: _ratio(_shd(of), of.places / 2),
        # An edge at a random place lies on a true edge as often one way as the other.
        "direction_score": lambda of: _ratio(0.0, of.true),
    }
)
_COMPARE_GRAPHS = (
    "order_score",
    "ordered_share",
    "mec_shd",
    "parent_aid",
    "ancestor_aid",
    "oset_aid",
    "parent_aid_normalized",
    "ancestor_aid_normalized",
    "oset_aid_normalized",
    "sid",
    "sid_normalized",
    "sid_penalized",
    "skeleton_p",
    *PROBABILISTIC,
)


# Whether a guess finds more adjacencies than as many pairs drawn at random would.


@metric("none")
def skeleton_p(truth: Adjacency, guess: Guess) -> float:
    """Return the p-value of the skeleton-fit test.

    It is the probability that a random skeleton with as many edges hits at least as many true
    adjacencies: a tail of the hypergeometric distribution.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
        The true graph.
    guess : Adjacency or Estimate
        Directions do not matter.

    Returns
    -------
    float
        1 for an empty guess; nan for one node, where there is no pair to draw.

    References
    ----------
    Petersen (2025), "Are you doing better than random guessing? A call for using negative
    controls when evaluating causal discovery algorithms".

    Examples
    --------
    Two of three pairs are drawn; one draw in three hits both edges.

    >>> from causalassay.graphs import chain
    >>> round(skeleton_p(chain(3), chain(3).T), 4)
    0.3333
    """
    truth, guess = check_pair(truth, guess)
    true_pairs, guessed_pairs = skeleton(truth), skeleton(guess)
    n_pairs = len(truth) * (len(truth) - 1) // 2
    n_true, n_drawn = int(true_pairs.sum()) // 2, int(guessed_pairs.sum()) // 2
    hits = int((true_pairs & guessed_pairs).sum()) // 2
    if not n_pairs:
        return float("nan")
    counts = np.arange(max(0, n_true + n_drawn - n_pairs), min(n_true, n_drawn) + 1)
    logs = (
        _log_choose(n_true, counts)
        + _log_choose(n_pairs - n_true, n_drawn - counts)
        - _log_choose(n_pairs, np.array(n_drawn))
    )
    probabilities = np.exp(logs)
    # Over their sum: the logarithms of large factorials are rounded.
    return float(probabilities[counts >= hits].sum() / probabilities.sum())


def n_guessed(guess: Guess) -> int:
    """Return the number of pairs that a guess joins, by a directed or an undirected edge.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> n_guessed(chain(3)), n_guessed(chain(3) | chain(3).T)
    (2, 2)
    """
    return int(skeleton(graph_of(guess)).sum()) // 2


def _log_choose(n: int, k: NDArray[np.int64]) -> Vector:
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)


def _chance_level(name: str, display_name: str = "") -> GraphMetric:
    """Return the chance level of a metric with a closed form."""
    return GraphMetric(
        lambda problem, guess: chance(name, problem.graph, guess, 0),
        "none",
        description=f"Return the expected {name} of as many edges of the same kinds at random.",
        display_name=display_name,
    )


PRECISION_CHANCE = _chance_level("precision")
RECALL_CHANCE = _chance_level("recall")
SHD_CHANCE = _chance_level("shd", "SHD chance")
N_GUESSED = GraphMetric(
    lambda _, guess: float(n_guessed(guess)), "none", description=first_line(n_guessed)
)
