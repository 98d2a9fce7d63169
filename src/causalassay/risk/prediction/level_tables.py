"""What tables of probabilities predict where a discrete column is given another distribution."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from causalassay.arrays import Adjacency, Values, Vector
from causalassay.contracts import NotApplicable
from causalassay.graphs import descendants
from causalassay.metrics.laws import Categorical
from causalassay.models import fit
from causalassay.models.discrete.elimination import MOST_CELLS
from causalassay.models.interventions import RandomizeLevels
from causalassay.risk.prediction.additive_model import UNCHANGED


class LevelTables:
    """Tables by maximum likelihood (`models.fit`), the target's replaced by what was measured.

    Parameters
    ----------
    values : ndarray, shape (n, d)
        Codes; the tables are fitted on them.
    n_levels : sequence of int
    target : int
    settings : ndarray
        The codes of the target that were measured.
    rng : Generator
        For networks too dense for exact laws: 100 000 rows are drawn from each.

    Notes
    -----
    What does not descend from the target has the shares that were observed.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> codes = np.array([[0, 0], [0, 0], [1, 1], [1, 1.0]])
    >>> always_1 = LevelTables(codes, [2, 2], 0, np.ones(3), np.random.default_rng(0))
    >>> always_1.laws(chain(2))
    [0, 1]
    >>> always_1.law(1, 1).probabilities
    array([0., 1.])
    """

    def __init__(
        self,
        values: Values,
        n_levels: Sequence[int],
        target: int,
        settings: Vector,
        rng: Generator,
    ) -> None:
        self._values, self._levels, self._target, self._rng = values, list(n_levels), target, rng
        set_to = shares(settings, n_levels[target]).tolist()
        self._laws: list[Categorical] = []
        self._numbers: dict[tuple[int, bytes], int] = {}
        self._action = (RandomizeLevels(target, tuple(set_to)),)

    def laws(self, dag: Adjacency) -> list[int]:
        """Return the number of each column's law under a DAG."""
        numbers = [UNCHANGED] * len(dag)
        reached = descendants(dag, self._target)
        if reached:
            self._check_size(dag)
            model = fit(dag, self._values, self._levels)
            probabilities = model.marginals(self._action, rng=self._rng).probabilities
            for node in reached:
                key = (node, probabilities[node].round(12).tobytes())
                if key not in self._numbers:
                    self._laws.append(Categorical(probabilities[node] / probabilities[node].sum()))
                    self._numbers[key] = len(self._laws)
                numbers[node] = self._numbers[key]
        return numbers

    def _check_size(self, dag: Adjacency) -> None:
        levels = np.array(self._levels, dtype=float)
        cells = levels * np.prod(np.where(dag, levels[:, None], 1.0), axis=0)
        if cells.max() > MOST_CELLS:
            raise NotApplicable(
                f"a node with {dag[:, cells.argmax()].sum()} parents needs a table of "
                f"{cells.max():.0f} probabilities, and at most {MOST_CELLS} are fitted"
            )

    def law(self, column: int, number: int) -> Categorical:
        """Return the predicted probabilities of a column."""
        if number == UNCHANGED:
            return Categorical(shares(self._values[:, column], self._levels[column]))
        return self._laws[number - 1]


def shares(codes: Vector, n_levels: int) -> Vector:
    """Return the share of each level.

    Examples
    --------
    >>> shares(np.array([0.0, 2.0]), 3)
    array([0.5, 0. , 0.5])
    """
    return np.bincount(codes.astype(np.int64), minlength=n_levels) / len(codes)
