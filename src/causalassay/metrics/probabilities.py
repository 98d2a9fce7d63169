"""Whether the probabilities of edges rank the true ones first, and whether they can be believed.

Each ordered pair of nodes is one case, with its probability and whether the truth has the edge; in
the skeleton each unordered pair is one, with the sum of both directions. Every number is nan for a
guess without `Estimate.probabilities`, as for a graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from causalassay.common.arrays import Adjacency, Vector
from causalassay.contracts import Estimate
from causalassay.graphs import skeleton
from causalassay.metrics.edges import Guess, check_pair
from causalassay.metrics.registry import GraphMetric, metric
from causalassay.present import Block, Column, Document, Figure, Prose, Shown, Table
from causalassay.present.charts import lazy_chart
from causalassay.present.formatting import counted, digits

__all__ = [
    "Reliability",
    "auprc",
    "auroc",
    "brier",
    "calibration_error",
    "reliability",
    "skeleton_auprc",
    "skeleton_auroc",
    "skeleton_brier",
    "skeleton_calibration_error",
]

N_BINS = 10
"""Bins of equal width from 0 to 1 in which probabilities are compared with shares."""

RELIABILITY = "reliability"
"""What the notes of a row call the sums in bins of an estimate with probabilities: how many ordered
pairs, the sum of their probabilities, how many are true."""

_ON_A_BOUND = 1e-6
"""A probability that lies below a bound of a bin by less is taken for the bound: 0.7 is kept in
single precision."""

_TIE = 1e-6
"""Two probabilities tie if they differ by less of the larger one: by rounding 0.1 + 0.2 is not 0.3,
and what is kept in single precision is neither."""


class _Cases(NamedTuple):
    """The pairs of one or several estimates: their probabilities, and whether each is true."""

    probability: Vector
    true: NDArray[np.bool_]


def _directed(truth: Adjacency, guess: Guess) -> _Cases | None:
    truth, _ = check_pair(truth, guess)
    if not isinstance(guess, Estimate) or guess.probabilities is None:
        return None
    apart = ~np.eye(len(truth), dtype=bool)
    return _Cases(guess.probabilities[apart], truth[apart])


def _joined(truth: Adjacency, guess: Guess) -> _Cases | None:
    truth, _ = check_pair(truth, guess)
    if not isinstance(guess, Estimate) or guess.probabilities is None:
        return None
    pairs = np.triu_indices(len(truth), 1)
    # Feedback in a series may be in both directions.
    either = np.minimum(guess.probabilities + guess.probabilities.T, 1.0)
    return _Cases(either[pairs], skeleton(truth)[pairs])


def _rank_area(cases: _Cases | None) -> float:
    """Return the share of pairs of a true and a false case that are ranked rightly."""
    if cases is None:
        return np.nan
    n_true = int(cases.true.sum())
    n_false = len(cases.true) - n_true
    if not n_true or not n_false:
        return np.nan
    number = _levels(cases.probability)
    counts = np.bincount(number)
    rank = np.cumsum(counts) - (counts - 1) / 2  # of those that tie the mean
    above = rank[number[cases.true]].sum() - n_true * (n_true + 1) / 2
    return float(above / (n_true * n_false))


def _average_precision(cases: _Cases | None) -> float:
    if cases is None or not cases.true.any():
        return np.nan
    # Cases that tie come at once: a threshold is between different probabilities only.
    number = _levels(cases.probability)
    gained = np.bincount(number, weights=cases.true)[::-1]
    hits, taken = np.cumsum(gained), np.cumsum(np.bincount(number)[::-1])
    return float((gained * hits / taken).sum() / hits[-1])


def _levels(probability: Vector) -> NDArray[np.int64]:
    """Return the rank of each probability, from 0 on; those that tie have the same."""
    values, number = np.unique(probability, return_inverse=True)
    rises = np.diff(values, prepend=values[:1]) > _TIE * values
    return np.cumsum(rises, dtype=np.int64)[number]


def _squared_error(cases: _Cases | None) -> float:
    if cases is None or not len(cases.true):
        return np.nan
    return float(np.square(cases.probability - cases.true).mean())


def _bin_error(cases: _Cases | None) -> float:
    return np.nan if cases is None else _reliability([cases]).calibration_error


@metric("high", "estimate", version=2, display_name="AUROC")
def auroc(truth: Adjacency, guess: Guess) -> float:
    """Return how often a true edge has a larger probability than an ordered pair without one.

    The area under the ROC curve. A tie counts one half.

    Parameters
    ----------
    truth : Adjacency, shape (d, d)
        An undirected edge is one each way.
    guess : Estimate
        With `probabilities`; a guess without has nan.

    Returns
    -------
    float
        nan if all ordered pairs are edges, or none is. Chance level: 0.5.

    Examples
    --------
    >>> truth = np.array([[0, 1], [0, 0]], dtype=bool)
    >>> p = np.array([[0, 0.6], [0.3, 0]])
    >>> auroc(truth, Estimate(truth, "dag", probabilities=p)), auroc(truth, truth)
    (1.0, nan)
    """
    return _rank_area(_directed(truth, guess))


@metric("high", "estimate", version=2, display_name="AUPRC")
def auprc(truth: Adjacency, guess: Guess) -> float:
    """Return the average precision of the ordered pairs in falling order of probability.

    The area under the curve of precision and recall, as a sum of steps: nothing is interpolated.
    Pairs that tie are taken at once.

    Parameters
    ----------
    truth, guess
        As for `auroc`.

    Returns
    -------
    float
        nan if there is no true edge. Chance level: the share of ordered pairs that are edges.

    Examples
    --------
    >>> truth = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)
    >>> p = np.array([[0, 0.9, 0.5], [0, 0, 0.4], [0, 0, 0]])
    >>> round(auprc(truth, Estimate(truth, "dag", probabilities=p)), 4)
    0.8333
    """
    return _average_precision(_directed(truth, guess))


@metric("low", "estimate", display_name="Brier score")
def brier(truth: Adjacency, guess: Guess) -> float:
    """Return the mean squared difference between probabilities and the truth, 1 or 0.

    Parameters
    ----------
    truth, guess
        As for `auroc`.

    Returns
    -------
    float
        nan for one node. Chance level: q(1 - q), which the share q of edges gets as the
        probability of every ordered pair.

    Examples
    --------
    >>> truth = np.array([[0, 1], [0, 0]], dtype=bool)
    >>> p = np.array([[0, 0.5], [0.5, 0]])
    >>> brier(truth, Estimate(truth, "dag", probabilities=p))
    0.25
    """
    return _squared_error(_directed(truth, guess))


@metric("low", "estimate", display_name="calibration error")
def calibration_error(truth: Adjacency, guess: Guess) -> float:
    """Return how far probabilities are from the shares of true edges, on average.

    The expected calibration error. The ordered pairs are put into ten bins of equal width by
    their probability; of each bin the mean probability is compared with the share of true edges.
    The absolute differences are averaged, weighted by the pairs in the bins. A probability
    on a bound belongs to the upper bin. With few pairs it is above 0 by chance alone, also of
    perfect probabilities: pool graphs with `reliability`.

    Parameters
    ----------
    truth, guess
        As for `auroc`.

    Returns
    -------
    float
        nan for one node. Chance level: the error of the same probabilities if they said nothing,
        so that each bin had the share of edges of all ordered pairs.

    Examples
    --------
    >>> truth = np.array([[0, 1], [0, 0]], dtype=bool)
    >>> p = np.array([[0, 0.9], [0.1, 0]])
    >>> round(calibration_error(truth, Estimate(truth, "dag", probabilities=p)), 4)
    0.1
    """
    return _bin_error(_directed(truth, guess))


@metric("high", "estimate", version=2, display_name="skeleton AUROC")
def skeleton_auroc(truth: Adjacency, guess: Guess) -> float:
    """Return how often a joined pair has a larger probability than a pair that is not joined.

    As `auroc`, of unordered pairs and the sum of the probabilities of both directions.

    Parameters
    ----------
    truth, guess
        As for `auroc`.

    Examples
    --------
    >>> truth = np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]], dtype=bool)
    >>> p = np.array([[0, 0.4, 0], [0.4, 0, 0], [0, 0.6, 0]])
    >>> skeleton_auroc(truth, Estimate(truth, "dag", probabilities=p))
    1.0
    """
    return _rank_area(_joined(truth, guess))


@metric("high", "estimate", version=2, display_name="skeleton AUPRC")
def skeleton_auprc(truth: Adjacency, guess: Guess) -> float:
    """Return the average precision of unordered pairs in falling order of probability.

    As `auprc`, of unordered pairs and the sum of the probabilities of both directions.

    Parameters
    ----------
    truth, guess
        As for `auroc`.

    Examples
    --------
    >>> truth = np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]], dtype=bool)
    >>> p = np.array([[0, 0.4, 0], [0.1, 0, 0], [0, 0.6, 0]])
    >>> skeleton_auprc(truth, Estimate(truth, "dag", probabilities=p))
    0.5
    """
    return _average_precision(_joined(truth, guess))


@metric("low", "estimate", display_name="skeleton Brier score")
def skeleton_brier(truth: Adjacency, guess: Guess) -> float:
    """Return the mean squared difference between probabilities of pairs and the truth, 1 or 0.

    As `brier`, of unordered pairs and the sum of the probabilities of both directions.

    Parameters
    ----------
    truth, guess
        As for `auroc`.

    Examples
    --------
    >>> truth = np.array([[0, 1], [0, 0]], dtype=bool)
    >>> p = np.array([[0, 0.5], [0.5, 0]])
    >>> skeleton_brier(truth, Estimate(truth, "dag", probabilities=p))
    0.0
    """
    return _squared_error(_joined(truth, guess))


@metric("low", "estimate", display_name="skeleton calibration error")
def skeleton_calibration_error(truth: Adjacency, guess: Guess) -> float:
    """Return how far probabilities of pairs are from the shares of joined ones, on average.

    As `calibration_error`, of unordered pairs and the sum of the probabilities of both directions.

    Parameters
    ----------
    truth, guess
        As for `auroc`.

    Examples
    --------
    >>> truth = np.array([[0, 1], [0, 0]], dtype=bool)
    >>> p = np.array([[0, 0.5], [0.25, 0]])
    >>> skeleton_calibration_error(truth, Estimate(truth, "dag", probabilities=p))
    0.25
    """
    return _bin_error(_joined(truth, guess))


# What chance gives: known from the truth and, of the calibration error, the probabilities alone.


def _share_true(cases: _Cases) -> float:
    return float(cases.true.mean()) if len(cases.true) else np.nan


def _chance_rank_area(cases: _Cases) -> float:
    return 0.5 if cases.true.any() and not cases.true.all() else np.nan


def _chance_precision(cases: _Cases) -> float:
    return _share_true(cases) if cases.true.any() else np.nan


def _chance_squared_error(cases: _Cases) -> float:
    return _share_true(cases) * (1 - _share_true(cases))


def _chance_bin_error(cases: _Cases) -> float:
    bins = _reliability([cases])
    if not bins.n_cases:
        return np.nan
    gap = np.abs(np.nan_to_num(bins.probability) - _share_true(cases))
    return float((bins.counts * gap).sum() / bins.n_cases)


def _control(
    name: str, of: Callable[[Adjacency, Guess], _Cases | None], level: Callable[[_Cases], float]
) -> GraphMetric:
    """Return the chance level of a metric as a number beside the scores."""

    def score(problem: Any, guess: Guess) -> float:
        cases = of(problem.graph, guess)
        return np.nan if cases is None else level(cases)

    shown = f"{name} chance"
    return GraphMetric(
        score,
        "none",
        "estimate",
        description=f"Return the {name} of probabilities that say nothing.",
        display_name=shown,
    )


AUROC_CHANCE = _control("AUROC", _directed, _chance_rank_area)
AUPRC_CHANCE = _control("AUPRC", _directed, _chance_precision)
BRIER_CHANCE = _control("Brier score", _directed, _chance_squared_error)
CALIBRATION_ERROR_CHANCE = _control("calibration error", _directed, _chance_bin_error)
SKELETON_AUROC_CHANCE = _control("skeleton AUROC", _joined, _chance_rank_area)
SKELETON_AUPRC_CHANCE = _control("skeleton AUPRC", _joined, _chance_precision)
SKELETON_BRIER_CHANCE = _control("skeleton Brier score", _joined, _chance_squared_error)
SKELETON_CALIBRATION_ERROR_CHANCE = _control(
    "skeleton calibration error", _joined, _chance_bin_error
)


# Probabilities beside the shares of true edges: whether 70 % means seven in ten.


@dataclass(frozen=True, eq=False, repr=False)
class Reliability(Shown):
    """Probabilities of edges beside the shares of true ones, in bins of equal width.

    Parameters
    ----------
    counts : ndarray of int, shape (bins,)
        Pairs of nodes in each bin.
    probability : ndarray, shape (bins,)
        Their mean probability; nan for an empty bin.
    share : ndarray, shape (bins,)
        The share of them that are true; nan for an empty bin.
    what : str
        Of what the probabilities are.
    """

    counts: NDArray[np.int64]
    probability: Vector
    share: Vector
    what: str = "directed edges"

    @property
    def n_cases(self) -> int:
        """Number of pairs of nodes."""
        return int(self.counts.sum())

    @property
    def calibration_error(self) -> float:
        """The mean distance of probabilities and shares, weighted by the pairs in the bins."""
        if not self.n_cases:
            return np.nan
        gap = np.nan_to_num(np.abs(self.probability - self.share))
        return float((self.counts * gap).sum() / self.n_cases)

    @property
    def bounds(self) -> Vector:
        """The bounds of the bins: one more than there are bins."""
        return np.linspace(0, 1, len(self.counts) + 1)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "what": self.what,
            "bounds": self.bounds.round(12).tolist(),
            "counts": self.counts.tolist(),
            "probability": [None if np.isnan(x) else float(x) for x in self.probability],
            "share": [None if np.isnan(x) else float(x) for x in self.share],
            "calibration_error": None if not self.n_cases else self.calibration_error,
        }

    def document(self) -> Document:
        """Return the picture and the bins as a table."""
        columns = [
            Column("bin", "probability"),
            Column("pairs", "pairs", "count"),
            Column("mean", "mean probability", "digits"),
            Column("share", "share of true ones", "digits"),
        ]
        rows = [
            [f"{low:.2g} to {high:.2g}", int(count), p, share]
            for low, high, count, p, share in zip(
                self.bounds,
                self.bounds[1:],
                self.counts,
                self.probability,
                self.share,
                strict=False,
            )
            if count
        ]
        alt = f"Share of true {self.what} against their probability, beside the diagonal"
        draw = lazy_chart("causalassay.metrics.charts:reliability_spec", {self.what: self})
        note = (
            "Points on the diagonal: of the pairs with probability 0.7, seven in ten are edges. "
            "Above it the probabilities are too low, below it too high."
        )
        table = Table("bins", columns, rows, f"Probabilities of {self.what}, in bins")
        blocks: list[Block] = [Figure("reliability", draw, alt, note), table, Prose(note, "aside")]
        return Document("Reliability", self.sentence, blocks, about=self.sentence)

    @property
    def sentence(self) -> str:
        """How far the probabilities are off, and of how many pairs that is known."""
        if not self.n_cases:
            return "No pair of nodes has a probability."
        pairs = counted(self.n_cases, "pair")
        return f"{self.what}: calibration error {digits(self.calibration_error)} ({pairs} of nodes)"

    def __repr__(self) -> str:
        lines = [
            f"{p:.2f} → {share:.2f}  ({count})"
            for p, share, count in zip(self.probability, self.share, self.counts, strict=True)
            if count
        ]
        return "\n".join([self.sentence, *lines])


def reliability(
    truths: Adjacency | Sequence[Adjacency],
    estimates: Estimate | Sequence[Estimate],
    *,
    joined: bool = False,
    n_bins: int = N_BINS,
) -> Reliability:
    """Return the probabilities of several estimates beside the shares of true edges.

    Parameters
    ----------
    truths : Adjacency, or sequence of them
    estimates : Estimate, or sequence of them
        One for each truth, in the same order, all with `probabilities`.
    joined : bool
        Whether pairs of nodes count whatever the direction; else ordered pairs.
    n_bins : int
        Of equal width.

    Examples
    --------
    >>> truth = np.array([[0, 1], [0, 0]], dtype=bool)
    >>> p = np.array([[0, 0.9], [0.1, 0]])
    >>> reliability(truth, Estimate(truth, "dag", probabilities=p))
    directed edges: calibration error 0.10 (2 pairs of nodes)
    0.10 → 0.00  (1)
    0.90 → 1.00  (1)
    """
    if n_bins < 1:
        raise ValueError(f"n_bins: expected at least 1, got {n_bins}")
    single = isinstance(estimates, Estimate)
    several: list[Any] = [estimates] if single else list(estimates)  # type: ignore[arg-type]
    graphs: list[Any] = [truths] if single else list(truths)
    if len(graphs) != len(several):
        raise ValueError(f"expected a truth for each estimate, got {len(graphs)}, {len(several)}")
    pooled = []
    for k, (truth, estimate) in enumerate(zip(graphs, several, strict=True)):
        cases = (_joined if joined else _directed)(truth, estimate)
        if cases is None:
            raise ValueError(
                f"estimates[{k}] has no probabilities; take an algorithm that gives them, such as "
                "`amortized`, or the frequencies of bootstraps (`EdgeFrequencies.probabilities`)"
            )
        pooled.append(cases)
    return _reliability(pooled, n_bins, "joined pairs" if joined else "directed edges")


def _reliability(
    cases: Iterable[_Cases], n_bins: int = N_BINS, what: str = "directed edges"
) -> Reliability:
    sums = np.zeros((3, n_bins))
    for p, true in cases:
        index = np.minimum((p * n_bins + n_bins * _ON_A_BOUND).astype(int), n_bins - 1)
        count = partial(np.bincount, index, minlength=n_bins)
        sums += [count(), count(p), count(true)]
    return of_sums(sums, what)


def of_sums(sums: ArrayLike, what: str = "directed edges") -> Reliability:
    """Return what three sums in each bin say: of pairs, of their probabilities, of true ones."""
    counts, probability, true = np.asarray(sums, dtype=float)
    with np.errstate(invalid="ignore"):
        return Reliability(counts.astype(np.int64), probability / counts, true / counts, what)


def sums_in_bins(truth: Adjacency, estimate: Estimate) -> list[list[float]] | None:
    """Return what `of_sums` reads, of directed edges; None without probabilities.

    Examples
    --------
    >>> truth = np.array([[0, 1], [0, 0]], dtype=bool)
    >>> p = np.array([[0, 0.9], [0.1, 0]])
    >>> sums = sums_in_bins(truth, Estimate(truth, "dag", probabilities=p))
    >>> sums[0], sums[2]
    ([0, 1, 0, 0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
    """
    cases = _directed(truth, estimate)
    if cases is None:
        return None
    bins = _reliability([cases])
    total = np.nan_to_num(bins.probability) * bins.counts
    true = np.rint(np.nan_to_num(bins.share) * bins.counts).astype(int)
    return [bins.counts.tolist(), total.round(6).tolist(), true.tolist()]
