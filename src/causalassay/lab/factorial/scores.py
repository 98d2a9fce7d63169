"""Algorithms judged on a factorial experiment that was made observational."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency
from causalassay.common.seeding import stream
from causalassay.contracts import Algorithm
from causalassay.data import Dataset
from causalassay.discovery import make_algorithm
from causalassay.lab.factorial.biasing import biased_rows
from causalassay.lab.factorial.prediction import (
    GraphScore,
    Laws,
    direct_laws,
    randomised_laws,
    score_graph,
    variations,
)
from causalassay.lab.factorial.truth import Mean, Truth, mean_distance

REPEATS = 20
CONSISTENT = "consistent graph"
WITHOUT_COVARIATE = "without covariate → outcome"
EMPTY = "empty graph"
RANDOM_ORDER = "random order"
RANDOMISED = "randomised sample"
FLOOR = "direct experiment (floor)"

MEASURES = ("SHD", "SID", "TV")

Role = Literal["algorithm", "reference"]


@dataclass(frozen=True, eq=False)
class ScoreRow:
    """What one algorithm, or one graph to compare with, reached in every repeat.

    Parameters
    ----------
    name : str
        The label of the algorithm, or the name of the graph.
    role : {"algorithm", "reference"}
        Whether it was learned from the data or is there for comparison.
    by_repeat : mapping of str to ndarray, shape (repeats,)
        For SHD, SID, TV and edges; nan where the repeat failed, or a measure does not apply.
    pairs : ndarray, shape (treatments, outcomes)
        The mean total variation of each pair.
    reasons : tuple of str
        Why repeats failed, each reason once.
    n_failed : int
        The number of repeats that failed.
    unusable : tuple of str
        Those of the reasons that are about the biased data: no graph could be fitted to them,
        whatever the algorithm.
    """

    name: str
    role: Role
    by_repeat: Mapping[str, NDArray[Any]]
    pairs: NDArray[Any]
    reasons: tuple[str, ...] = ()
    n_failed: int = 0
    unusable: tuple[str, ...] = ()

    def mean(self, measure: str) -> Mean:
        """Return the mean of a measure over repeats, with its interval.

        No interval reaches below 0, and that of TV not above the number of pairs.
        """
        most = float(self.pairs.size) if measure == "TV" else math.inf
        return mean_distance(self.by_repeat[measure], most)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "name": self.name,
            "role": self.role,
            **{name: self.mean(name).to_dict() for name in (*MEASURES, "edges")},
            "n_failed": self.n_failed,
            "reasons": list(self.reasons),
            "unusable": list(self.unusable),
        }


class _Unusable(NamedTuple):
    """Why biased data cannot be used."""

    reason: str


@dataclass
class _Tally:
    """The scores of one row while repeats run."""

    role: Role
    scores: list[GraphScore | None] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    unusable: list[str] = field(default_factory=list)

    def fail(self, reason: str) -> None:
        """Count a repeat without a score."""
        self.scores.append(None)
        self.reasons.append(reason)

    def skip(self, data: _Unusable) -> None:
        """Count a repeat whose data cannot be used."""
        self.fail(data.reason)
        self.unusable.append(data.reason)

    def row(self, name: str, shape: tuple[int, int]) -> ScoreRow:
        """Return the row of all repeats so far."""
        empty = GraphScore(np.nan, np.nan, np.full(shape, np.nan), -1)
        scores = [empty if score is None else score for score in self.scores]
        by_repeat = {
            "SHD": np.array([score.shd for score in scores]),
            "SID": np.array([score.sid for score in scores]),
            "TV": np.array([score.tv.sum() for score in scores]),
            "edges": np.array([np.nan if score.n_edges < 0 else score.n_edges for score in scores]),
        }
        known = [score.tv for score in self.scores if score is not None]
        pairs = np.mean(known, axis=0) if known else empty.tv
        reasons, unusable = (tuple(dict.fromkeys(texts)) for texts in (self.reasons, self.unusable))
        return ScoreRow(name, self.role, by_repeat, pairs, reasons, len(self.reasons), unusable)


def score_algorithms(
    truth: Truth,
    algorithms: Mapping[str, Algorithm],
    repeats: int = REPEATS,
    seed: int = 0,
    *,
    compared: bool = True,
    on_repeat: Callable[[], None] | None = None,
) -> tuple[ScoreRow, ...]:
    """Return the scores of algorithms, and of graphs to compare with, over draws of the bias.

    Parameters
    ----------
    truth : Truth
        The laws and the graph of the experiment.
    algorithms : mapping of str to Algorithm
        By label. One that fails, or does not apply, is a row with its reason.
    repeats : int
        How often the experiment is biased anew. All algorithms see the same data, their
        columns in an order of the repeat's own.
    seed : int
        The seed of all random draws.
    compared : bool
        Whether to score what algorithms are compared with as well.
    on_repeat : callable
        Called after each repeat.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.lab.factorial import LookAlike, Sizes, draw_look_alike
    >>> experiment = draw_look_alike(
    ...     Sizes(60, 1, 2, 2), LookAlike("logistic", 1, 9.0), np.random.default_rng(0)
    ... )
    >>> from causalassay.lab.factorial import Settings
    >>> rows = score_algorithms(Truth(experiment, Settings()), {}, repeats=2)
    >>> [row.name for row in rows][:2], rows[0].mean("SHD").value
    (['consistent graph', 'without covariate → outcome'], 0.0)
    """
    if repeats < 1:
        raise ValueError(f"repeats: expected at least 1, got {repeats}")
    experiment = truth.experiment
    _check_labels(algorithms)
    tallies = {name: _Tally("algorithm") for name in algorithms}
    references = _reference_graphs(truth) if compared else {}
    if compared:
        others = (*references, RANDOM_ORDER, RANDOMISED, FLOOR)
        tallies |= {name: _Tally("reference") for name in others}
        algorithms = {**algorithms, RANDOM_ORDER: make_algorithm("random-sortnregress")}
    unbiased = Truth(experiment, replace(truth.settings, beta=0.0))
    for repeat in range(repeats):
        data = _draw(truth, seed, repeat)
        order = stream(seed, "columns", repeat).permutation(len(truth.columns))
        for name, algorithm in algorithms.items():
            _score(tallies[name], truth, data, seed, repeat, name, algorithm, order)
        for name, graph in references.items():
            _score_reference(tallies[name], truth, data, graph, stream(seed, "scores", repeat))
        if compared:
            _score_samples(tallies[RANDOMISED], tallies[FLOOR], (truth, unbiased), seed, repeat)
        if on_repeat is not None:
            on_repeat()
    shape = (len(experiment.treatments), len(experiment.outcomes))
    return tuple(tally.row(name, shape) for name, tally in tallies.items())


def _check_labels(algorithms: Mapping[str, Algorithm]) -> None:
    taken = (CONSISTENT, WITHOUT_COVARIATE, EMPTY, RANDOM_ORDER, RANDOMISED, FLOOR)
    for name in algorithms:
        if name in taken:
            raise ValueError(f"{name!r} names a row of its own; give the algorithm another name")


def _reference_graphs(truth: Truth) -> dict[str, Adjacency]:
    return {
        CONSISTENT: truth.graph,
        WITHOUT_COVARIATE: truth.graph_of_the_paper,
        EMPTY: np.zeros_like(truth.graph),
    }


def _draw(truth: Truth, seed: int, repeat: int) -> Dataset | _Unusable:
    """Return biased data, or why there are none, such as a treatment that all subjects have."""
    settings = truth.settings
    rows = biased_rows(truth.experiment, stream(seed, "bias", repeat), settings.beta, settings.bins)
    try:
        return truth.dataset(rows)
    except ValueError as error:
        return _Unusable(f"the biased data cannot be used: {error}")


def _score(  # noqa: PLR0913, PLR0917
    tally: _Tally,
    truth: Truth,
    data: Dataset | _Unusable,
    seed: int,
    repeat: int,
    name: str,
    algorithm: Algorithm,
    order: NDArray[np.int64],
) -> None:
    if isinstance(data, _Unusable):
        return tally.skip(data)
    try:
        rng = stream(seed, "discovery", repeat, name)
        estimated = algorithm.discover(data.permute_columns(order), rng).graph
        back = np.argsort(order)
        graph = estimated[np.ix_(back, back)]
        score = score_graph(truth, data, graph, stream(seed, "scores", repeat, name))
    except Exception as error:  # noqa: BLE001  whatever an algorithm raises is a row
        return tally.fail(" ".join(str(error).split()) or type(error).__name__)
    tally.scores.append(score)
    return None


def _score_reference(
    tally: _Tally,
    truth: Truth,
    data: Dataset | _Unusable,
    graph: Adjacency,
    rng: np.random.Generator,
) -> None:
    if isinstance(data, _Unusable):
        return tally.skip(data)
    try:
        tally.scores.append(score_graph(truth, data, graph, rng))
    except ValueError as error:
        tally.fail(str(error))
    return None


def _score_samples(
    randomised: _Tally, direct: _Tally, truths: tuple[Truth, Truth], seed: int, repeat: int
) -> None:
    """Score what samples show without any graph; the second truth has no bias."""
    truth, unbiased = truths
    experiment, settings = truth.experiment, truth.settings
    rows = biased_rows(experiment, stream(seed, "randomised", repeat), 0.0, settings.bins)
    _add_laws(randomised, unbiased, randomised_laws(truth, truth.codes[rows]))
    samples = []
    for name in experiment.treatments:
        rng = stream(seed, "direct", repeat, name)
        samples.append(
            truth.codes[biased_rows(experiment, rng, settings.beta, settings.bins, treated=name)]
        )
    _add_laws(direct, truth, direct_laws(truth, samples))


def _add_laws(tally: _Tally, truth: Truth, laws: Laws) -> None:
    tv = variations(laws, truth.treated, truth.experiment.outcomes)
    tally.scores.append(GraphScore(np.nan, np.nan, tv, -1))
