"""What a graph fitted to biased data predicts, how far that is off, and what wrong edges cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency, Vector
from causalassay.common.seeding import stream
from causalassay.data import Dataset
from causalassay.graphs.orders import Indices, reachability
from causalassay.lab.factorial.biasing import biased_rows, half_l1
from causalassay.lab.factorial.truth import Mean, Truth, mean_distance
from causalassay.metrics import members, repair, shd, sid
from causalassay.models import Do, fit
from causalassay.models.discrete.scm import DiscreteSCM
from causalassay.models.discrete.tables import TooWide
from causalassay.models.linear.scm import LinearSCM

Laws = Sequence[dict[str, Vector]]
"""For each treatment at its last level, the law of each outcome."""


class GraphScore(NamedTuple):
    """How far a graph is from the consistent one, and its model's laws from given ones.

    Parameters
    ----------
    shd, sid : float
        Against the consistent graph; means over the members of a class.
    tv : ndarray, shape (treatments, outcomes)
        Total variation of each pair; means over the members of a class.
    n_edges : int
        Among the biasing covariate, the treatments and the outcomes.
    """

    shd: float
    sid: float
    tv: NDArray[Any]
    n_edges: int


def predicted_laws(truth: Truth, data: Dataset, dag: Adjacency, rng: Generator) -> Laws:
    """Return the laws of the outcomes under each treatment that a DAG fitted to data gives.

    Parameters
    ----------
    truth : Truth
        For the scales; its laws are not looked at.
    data : Dataset
        Biased data of its experiment.
    dag : Adjacency
        The DAG to fit, over the columns of the data.
    rng : Generator
        Used only where tables are too wide for exact laws.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.lab.factorial import LookAlike, Sizes, draw_look_alike
    >>> experiment = draw_look_alike(
    ...     Sizes(60, 1, 2, 2), LookAlike("logistic", 1, 9.0), np.random.default_rng(0)
    ... )
    >>> from causalassay.lab.factorial import Settings
    >>> truth = Truth(experiment, Settings())
    >>> data = truth.dataset(np.arange(240))
    >>> laws = predicted_laws(truth, data, truth.graph, np.random.default_rng(0))
    >>> float(laws[0]["O1"].sum().round(12))
    1.0
    """
    values = data.observational_values
    interventions = [
        Do(node, float(truth.level_counts[node] - 1)) for node in truth.treatment_nodes
    ]
    if truth.settings.fit == "tables":
        levels = list(truth.level_counts)
        tables = fit(dag, values, levels, smoothing=truth.settings.smoothing)
        return _table_laws(truth, tables, interventions, rng)
    linear = fit(dag, values)
    return [_normal_laws(truth, linear, do) for do in interventions]


def _table_laws(
    truth: Truth, model: DiscreteSCM, interventions: Sequence[Do], rng: Generator
) -> Laws:
    """Return the laws; where a treatment does not reach an outcome, the one without it."""
    observed = _laws(model, truth.outcome_nodes, (), rng)
    reaches = reachability(model.graph)
    named = list(zip(truth.experiment.outcomes, truth.outcome_nodes, strict=True))
    all_laws = []
    for do in interventions:
        reached = [node for node in truth.outcome_nodes if reaches[do.node, node]]
        laws = observed | (_laws(model, reached, (do,), rng) if reached else {})
        all_laws.append({name: laws[node] for name, node in named})
    return all_laws


def _laws(
    model: DiscreteSCM, nodes: Sequence[int], intervention: tuple[Do, ...], rng: Generator
) -> dict[int, Vector]:
    try:
        return model.laws(nodes, intervention)
    except TooWide:
        return dict(enumerate(model.marginals(intervention, rng=rng).probabilities))


def _normal_laws(truth: Truth, model: LinearSCM, do: Do) -> dict[str, Vector]:
    mean, variance = model.mean((do,)), model.covariance((do,)).diagonal()
    return {
        name: truth.outcome_scale(name).normal_law(float(mean[node]), float(variance[node]))
        for name, node in zip(truth.experiment.outcomes, truth.outcome_nodes, strict=True)
    }


def variations(predicted: Laws, known: Laws, outcomes: Sequence[str]) -> NDArray[Any]:
    """Return the total variation of each pair, shape (treatments, outcomes)."""
    return np.array(
        [
            [half_l1(first[name], other[name]) for name in outcomes]
            for first, other in zip(predicted, known, strict=True)
        ]
    )


def score_graph(truth: Truth, data: Dataset, graph: Adjacency, rng: Generator) -> GraphScore:
    """Return how far a graph and its fitted model are from the truth.

    A CPDAG counts as the mean over its members, or over 100 uniform draws of more; any other
    graph with undirected edges is repaired first, see `causalassay.metrics.repair`.

    References
    ----------
    Garant and Jensen 2016, section 5.3.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.lab.factorial import LookAlike, Sizes, draw_look_alike
    >>> experiment = draw_look_alike(
    ...     Sizes(60, 1, 2, 2), LookAlike("logistic", 1, 9.0), np.random.default_rng(0)
    ... )
    >>> from causalassay.lab.factorial import Settings
    >>> truth = Truth(experiment, Settings(beta=0.0))
    >>> data = truth.dataset(np.arange(240))  # the whole experiment: nothing is biased
    >>> score = score_graph(truth, data, truth.graph, np.random.default_rng(0))
    >>> score.shd, score.sid, score.tv.shape
    (0.0, 0.0, (2, 2))
    """
    known = range(truth.outcome_nodes.stop)
    block = np.ix_(known, known)
    dags = members(repair(graph, rng).graph, rng).dags
    structure, distance = [], []
    for dag in dags:
        structure.append((shd(truth.graph[block], dag[block]), sid(truth.graph[block], dag[block])))
        laws = predicted_laws(truth, data, dag, rng)
        distance.append(variations(laws, truth.treated, truth.experiment.outcomes))
    means = np.mean(structure, axis=0)
    n_edges = int((graph | graph.T)[block].sum() // 2)
    return GraphScore(float(means[0]), float(means[1]), np.mean(distance, axis=0), n_edges)


def randomised_laws(truth: Truth, codes: NDArray[np.int64]) -> Laws:
    """Return the laws that a randomised sample shows by itself, without a graph.

    Of a treatment that moves an outcome, the shares among the rows that have its last level;
    of one that does not, the shares among all rows.

    Parameters
    ----------
    truth : Truth
    codes : ndarray, shape (n, d)
        Of rows drawn with beta = 0.
    """
    related = truth.graph[np.ix_(truth.treatment_nodes, truth.outcome_nodes)]
    every = np.ones(len(codes), dtype=bool)
    laws = []
    for j, node in enumerate(truth.treatment_nodes):
        treated = codes[:, node] == truth.level_counts[node] - 1
        chosen = [treated if moved else every for moved in related[j]]
        laws.append(_shares(truth, codes, chosen))
    return laws


def direct_laws(truth: Truth, samples: Sequence[NDArray[np.int64]]) -> Laws:
    """Return the laws that codes show of samples in which all subjects have one treatment."""
    n_outcomes = len(truth.outcome_nodes)
    return [
        _shares(truth, codes, [np.ones(len(codes), dtype=bool)] * n_outcomes) for codes in samples
    ]


def _shares(
    truth: Truth, codes: NDArray[np.int64], chosen: Sequence[NDArray[np.bool_]]
) -> dict[str, Vector]:
    laws = {}
    names = truth.experiment.outcomes
    for name, node, rows in zip(names, truth.outcome_nodes, chosen, strict=True):
        counts = np.bincount(codes[rows, node], minlength=truth.level_counts[node])
        laws[name] = counts / max(counts.sum(), 1)
    return laws


# Too many and too few edges: what they cost by SHD, SID and total variation.

Change = Literal["over", "under"]
CHANGES: tuple[Change, Change] = ("over", "under")
SUMMARIES = ("min", "median", "max")

PAPER = {
    "over": {"SID": (0, 0, 0), "SHD": (1, 3, 3), "TV": (0.04, 0.17, 0.21)},
    "under": {"SID": (4, 5, 9), "SHD": (2, 2, 4), "TV": (0.22, 0.41, 0.58)},
}
"""Garant and Jensen 2016, table 2, rows JDK: minimum, median and maximum over treatments."""


@dataclass(frozen=True, eq=False)
class SpecificationRow:
    """One kind of change: a treatment with edges to all outcomes, or without any.

    Parameters
    ----------
    change : {"over", "under"}
        Too many edges or too few.
    treatments : tuple of str
        The treatments that were changed, one at a time.
    shd, sid : ndarray, shape (treatments,)
        Against the consistent graph.
    tv : ndarray, shape (repeats, treatments)
        Between the laws of the changed and of the consistent model, both fitted to the same
        data, summed over all pairs.
    tv_of_truth : ndarray, shape (repeats, treatments)
        Between the laws of the changed model and those of the experiment.
    """

    change: Change
    treatments: tuple[str, ...]
    shd: NDArray[Any]
    sid: NDArray[Any]
    tv: NDArray[Any]
    tv_of_truth: NDArray[Any]

    def structure(self, measure: Literal["SHD", "SID"]) -> tuple[float, float, float]:
        """Return minimum, median and maximum over treatments."""
        values = self.shd if measure == "SHD" else self.sid
        return float(values.min()), float(np.median(values)), float(values.max())

    def variation(self, *, of_truth: bool = False) -> dict[str, Mean]:
        """Return minimum, median and maximum over treatments, each a mean over repeats."""
        values = self.tv_of_truth if of_truth else self.tv
        return {
            "min": mean_distance(values.min(axis=1)),
            "median": mean_distance(np.median(values, axis=1)),
            "max": mean_distance(values.max(axis=1)),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "change": self.change,
            "SHD": self.structure("SHD"),
            "SID": self.structure("SID"),
            "TV": {name: mean.to_dict() for name, mean in self.variation().items()},
            "TV of truth": {
                name: mean.to_dict() for name, mean in self.variation(of_truth=True).items()
            },
            "by treatment": [
                {
                    "treatment": name,
                    "SHD": float(self.shd[j]),
                    "SID": float(self.sid[j]),
                    "TV": mean_distance(self.tv[:, j]).to_dict(),
                    "TV of truth": mean_distance(self.tv_of_truth[:, j]).to_dict(),
                }
                for j, name in enumerate(self.treatments)
            ],
        }


def changed_graph(truth: Truth, node: int, change: Change) -> Adjacency:
    """Return the consistent graph with all, or without any, edges from a treatment to outcomes."""
    graph = truth.graph.copy()
    graph[node, list(truth.outcome_nodes)] = change == "over"
    return graph


def score_specifications(
    truth: Truth, repeats: int, seed: int = 0
) -> tuple[SpecificationRow, SpecificationRow]:
    """Return what a treatment with all edges, and one without any, costs.

    References
    ----------
    Garant and Jensen 2016, section 6.2 and table 2.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.lab.factorial import LookAlike, Sizes, draw_look_alike
    >>> experiment = draw_look_alike(
    ...     Sizes(60, 1, 2, 2), LookAlike("logistic", 1, 9.0), np.random.default_rng(0)
    ... )
    >>> from causalassay.lab.factorial import Settings
    >>> over, under = score_specifications(Truth(experiment, Settings()), repeats=2)
    >>> over.structure("SID"), under.treatments
    ((0.0, 0.0, 0.0), ('T1', 'T2'))
    """
    graphs = {
        change: [changed_graph(truth, node, change) for node in truth.treatment_nodes]
        for change in CHANGES
    }
    distances: dict[Change, list[list[tuple[float, float]]]] = {change: [] for change in CHANGES}
    for repeat in range(repeats):
        settings = truth.settings
        rows = biased_rows(
            truth.experiment, stream(seed, "bias", repeat), settings.beta, settings.bins
        )
        for change in CHANGES:
            distances[change].append(_distances(truth, rows, graphs[change], seed, repeat))
    over, under = (_row(truth, change, graphs[change], distances[change]) for change in CHANGES)
    return over, under


def _distances(
    truth: Truth, rows: Indices, graphs: list[Adjacency], seed: int, repeat: int
) -> list[tuple[float, float]]:
    """Return for each graph its distance from the consistent model and from the experiment."""
    outcomes = truth.experiment.outcomes
    rng = stream(seed, "specification", repeat)
    try:
        data = truth.dataset(rows)
        consistent = predicted_laws(truth, data, truth.graph, rng)
        return [
            (
                float(variations(laws, consistent, outcomes).sum()),
                float(variations(laws, truth.treated, outcomes).sum()),
            )
            for laws in (predicted_laws(truth, data, graph, rng) for graph in graphs)
        ]
    except ValueError:  # data that cannot be used: the table of algorithms says why
        return [(np.nan, np.nan)] * len(graphs)


def _row(
    truth: Truth,
    change: Change,
    graphs: list[Adjacency],
    distances: list[list[tuple[float, float]]],
) -> SpecificationRow:
    both = np.array(distances)
    return SpecificationRow(
        change,
        truth.experiment.treatments,
        np.array([shd(truth.graph, graph) for graph in graphs]),
        np.array([sid(truth.graph, graph) for graph in graphs]),
        both[:, :, 0],
        both[:, :, 1],
    )
