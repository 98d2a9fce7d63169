"""Too many and too few edges: what they cost by SHD, SID and total variation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency
from causalassay.common.seeding import stream
from causalassay.graphs.orders import Indices
from causalassay.lab.factorial.biasing import biased_rows
from causalassay.lab.factorial.intervals import Mean, mean_distance
from causalassay.lab.factorial.prediction import predicted_laws, variations
from causalassay.lab.factorial.truth import Truth
from causalassay.metrics import shd, sid

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
    treatments : tuple of str
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
            "TV": {name: one.to_dict() for name, one in self.variation().items()},
            "TV of truth": {
                name: one.to_dict() for name, one in self.variation(of_truth=True).items()
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
