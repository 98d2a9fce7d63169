"""An algorithm that is also fitted without experiments, so that a study can cross-validate it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from causalassay.common.seeding import stream
from causalassay.contracts import Algorithm, Estimate
from causalassay.data import Dataset
from causalassay.risk.descendant_tests import implied_descendants
from causalassay.risk.experiments import find_experiments, split
from causalassay.risk.fits import NOT_STATED, fit_algorithm

HELD_OUT = "held_out_descendants"
"""The key of an estimate's remarks under which held-out descendants are."""


@dataclass(frozen=True)
class Refitted:
    """An algorithm that is fitted on all data, and again without each fold of experiments.

    Parameters
    ----------
    algorithm : Algorithm
    folds : int
        Groups of intervened nodes; the experiments of one group are withheld at a time.

    Notes
    -----
    The folds depend on the names of the intervened columns alone: all algorithms of a study
    have the same ones on a data set. The estimate is the one from all data. Its remarks have
    for each intervened column its possible descendants in the graph that was found without its
    experiments: one character for each column in the order of the names, "1" for a descendant.

    References
    ----------
    Eigenmann, Mukherjee, Maathuis (2020), equation 6; their code has 5 folds.
    """

    algorithm: Algorithm
    folds: int
    version: ClassVar[int] = 1

    @property
    def rows(self) -> str:
        """What the rows of its data are to be."""
        return getattr(self.algorithm, "rows", "independent")

    @property
    def reads(self) -> str:
        """Which regimes it looks at."""
        return getattr(self.algorithm, "reads", NOT_STATED)

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Return the estimate from all data, with what the folds show as remarks."""
        nodes = sorted(find_experiments(data).on, key=lambda node: data.columns[node])
        names = [data.columns[node] for node in nodes]
        folds = split(nodes, self.folds, stream(0, "folds", *names))
        name = type(self.algorithm).__name__
        fit = fit_algorithm(name, self.algorithm, data, folds, int(rng.integers(2**63)))
        order = np.argsort(data.columns)
        held_out = {
            data.columns[node]: _marks(implied_descendants(fit.held_out_graphs[node])[node], order)
            for node in nodes
        }
        return Estimate(fit.graph, fit.kind, info={HELD_OUT: held_out})


def held_out_descendants(info: Mapping[str, Any], data: Dataset) -> dict[int, frozenset[int]]:
    """Return for each intervened node its descendants where its experiments were withheld.

    Examples
    --------
    >>> data = Dataset.from_values([[0.0, 1.0, 5.0], [2.0, 4.5, 0.0]], columns=("b", "a", "c"))
    >>> held_out_descendants({HELD_OUT: {"b": "101"}}, data)
    {0: frozenset({1, 2})}
    """
    order = np.argsort(data.columns)
    return {
        data.columns.index(name): frozenset(order[[mark == "1" for mark in marks]].tolist())
        for name, marks in info[HELD_OUT].items()
    }


def _marks(descendants: frozenset[int], order: np.ndarray) -> str:
    return "".join("1" if node in descendants else "0" for node in order.tolist())
