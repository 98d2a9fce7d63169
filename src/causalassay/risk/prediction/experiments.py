"""What each experiment measured, and how far predictions and observations are from it."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency, Values, Vector
from causalassay.common.seeding import stream
from causalassay.common.spelling import did_you_mean
from causalassay.contracts import NotApplicable
from causalassay.data import Dataset, Regime
from causalassay.graphs import descendants
from causalassay.metrics.laws import Categorical, Distance, best_set
from causalassay.models import fit
from causalassay.models.discrete.tables import MOST_CELLS
from causalassay.models.interventions import RandomizeLevels, Shift
from causalassay.risk.descendants import find_experiments
from causalassay.risk.prediction.additive_model import UNCHANGED, AdditiveModel, Regressions

# Total variation between what was measured and what was predicted, and each row's part in it.

Law = Vector | Categorical
"""Draws, or the probabilities of levels."""


class Variation(NamedTuple):
    """The sample version of a total variation, as `total_variation` gives it.

    Parameters
    ----------
    value, error : float
    measured, predicted : ndarray
        What each row adds to the difference of shares, less the mean. Their sum of squares is
        the variance of the value where the sets that were found are held fixed. Empty for a
        prediction whose probabilities are known.
    """

    value: float
    error: float
    measured: Vector
    predicted: Vector


def variation(measured: Vector, predicted: Law) -> Variation:
    """Return the total variation of two columns, with the part that each row has in it.

    Parameters
    ----------
    measured : ndarray, shape (n,)
        At least 4 values, in an order that says nothing.
    predicted : ndarray, shape (m,), or Categorical

    Examples
    --------
    >>> draws = np.random.default_rng(0).normal(0, 1, (2, 1000))
    >>> found = variation(draws[0], 2 + draws[1])
    >>> round(found.value, 1), round(found.error, 2), found.measured.shape
    (0.7, 0.02, (1000,))
    """
    n_drawn = 0 if isinstance(predicted, Categorical) else len(predicted)
    parts = [np.empty(len(measured)), np.empty(n_drawn)]
    total, error = 0.0, 0.0
    for finder, judge in ((0, 1), (1, 0)):
        ends, region = best_set(measured[finder::2], _half(predicted, finder))
        trivial = region.all() or not region.any()
        variance = 0.0
        for sign, law, part in zip((1, -1), (measured, predicted), parts, strict=True):
            half = _half(law, judge)
            if isinstance(half, Categorical):
                total += sign * float(half.probabilities[region[: len(half.probabilities)]].sum())
                continue
            inside = region[np.searchsorted(ends, half)].astype(float)
            n, share = len(half), float(inside.mean())
            total += sign * share
            part[judge::2] = sign * (inside - share) / (2 * n)
            guarded = 0.5 if trivial else (n * share + 1) / (n + 2)
            variance += guarded * (1 - guarded) / n
        error += math.sqrt(variance) / 2
    return Variation(max(0.0, total / 2), error, *parts)


def _half(law: Law, start: int) -> Law:
    return law if isinstance(law, Categorical) else law[start::2]


MOST_ROWS = 2000
"""The most rows of a condition that are used; of more, as many are drawn."""

_FEWEST_ROWS = 8
"""Two halves of a sample make a floor, and each needs 4 rows."""

_N_SPLITS = 5

_N_ERRORS = 2.0


class Predictor(Protocol):
    """A model without the experiment, whose target is set to what the experiment measured."""

    def laws(self, dag: Adjacency) -> list[int]:
        """Return the number of each column's law; `UNCHANGED` where the graph changes nothing."""
        ...

    def law(self, column: int, number: int) -> Law:
        """Return a predicted law of a column."""
        ...


@dataclass(frozen=True, eq=False)
class Experiment:
    """A condition with one known target, and what a prediction of it is compared with.

    Parameters
    ----------
    condition : str
        The name of the condition.
    target : int
        The number of the column that it acts on.
    n_rows : int
        The number of rows measured under it.
    floor : ndarray, shape (d,)
        For each column the total variation between two halves of the measured rows: what a
        perfect prediction would give. The mean of 5 splits, times the root of the ratio of
        1/n + 1/m for the numbers of rows; nan for the target.
    nothing_changes : ndarray, shape (d,)
        The same between the measured and the observational rows.
    target_moved : Distance
        The same for the target, with its error.
    doubt : str
        Why the intervention may not act on the measured level; empty if nothing says so.
    """

    condition: str
    target: int
    n_rows: int
    floor: Vector
    nothing_changes: Vector
    target_moved: Distance
    doubt: str


class Measured(NamedTuple):
    """An experiment, its rows, and the model that predicts them."""

    experiment: Experiment
    values: Values
    predictor: Predictor
    unchanged: list[Variation]


def measure(
    dataset: Dataset, seed: int, not_acting: Collection[str] = ()
) -> tuple[list[Measured], dict[str, str]]:
    """Return the experiments of a data set, and why other conditions are left out."""
    if dataset.world == "mixed":
        raise NotApplicable(
            "predictions are made from regressions or from tables, so all columns must be "
            f"continuous or all discrete; {next(iter(dataset.discrete_columns))!r} is discrete: "
            "leave columns out, or declare all discrete"
        )
    for condition in not_acting:
        if condition not in dataset.conditions:
            raise ValueError(
                f"not_acting: there is no condition {condition!r}; "
                + did_you_mean(condition, dataset.conditions)
            )
    experiments = find_experiments(dataset)
    left_out = dict(experiments.left_out)
    observed = _some_rows(dataset.observational_values, stream(seed, "observational rows"))
    regressions = Regressions(observed)
    measured = []
    for regime in dataset.regimes:
        if regime.targets is None or len(regime.targets) != 1:
            continue
        if min(len(regime.values), len(observed)) < _FEWEST_ROWS:
            left_out[regime.condition] = (
                f"a prediction is compared with at least {_FEWEST_ROWS} rows, and it or the "
                f"observational condition has {min(len(regime.values), len(observed))}"
            )
            continue
        rng = stream(seed, "prediction", regime.condition)
        named = regime.condition in not_acting
        measured.append(_measure(dataset, regime, regressions, named, rng))
    return measured, left_out


def _measure(
    dataset: Dataset, regime: Regime, regressions: Regressions, named: bool, rng: Generator
) -> Measured:
    (target,) = regime.targets or ()
    observed = regressions.rows
    values = _some_rows(regime.values, rng)
    predictor: Predictor
    if dataset.world == "discrete":
        n_levels = [len(kind.levels) for kind in dataset.discrete_columns.values()]
        predictor = LevelTables(
            dataset.observational_values, n_levels, target, values[:, target], rng
        )
    else:
        n_levels = []
        settings = _settings(regime, values[:, target], observed[:, target], rng)
        predictor = AdditiveModel(regressions, target, settings)
    columns = range(dataset.n_nodes)
    unchanged = [variation(values[:, node], predictor.law(node, UNCHANGED)) for node in columns]
    nothing = np.array([each.value for each in unchanged])
    floor = _floor(values, n_levels, len(observed), rng)
    moved = Distance(unchanged[target].value, unchanged[target].error)
    doubt = "you named it" if named else _doubt(dataset, target, unchanged, floor)
    floor[target] = nothing[target] = np.nan
    experiment = Experiment(
        regime.condition, target, len(regime.values), floor, nothing, moved, doubt
    )
    return Measured(experiment, values, predictor, unchanged)


def _some_rows(values: Values, rng: Generator) -> Values:
    """Return the rows in a random order, at most `MOST_ROWS` of them."""
    return values[rng.permutation(len(values))[:MOST_ROWS]]


def _settings(regime: Regime, measured: Vector, observed: Vector, rng: Generator) -> Vector:
    """Return a measured value for each observed row.

    They are dealt at random, since a target that is set no longer depends on its causes. A
    target that is known to be shifted still does: there the ranks stay.
    """
    dealt = np.resize(rng.permutation(measured), len(observed))
    if regime.intervention and isinstance(regime.intervention[0], Shift):
        ranked = np.empty(len(observed))
        ranked[np.argsort(observed, kind="stable")] = np.sort(dealt)
        return ranked
    return rng.permutation(dealt)


def _floor(values: Values, n_levels: list[int], n_observed: int, rng: Generator) -> Vector:
    """Return the mean variation between two halves of the rows, of each column.

    Halves are smaller than the samples that are compared otherwise, and equal laws seem farther
    apart in small samples, in proportion to √(1/n + 1/m).
    """
    total = np.zeros(values.shape[1])
    for _ in range(_N_SPLITS):
        shuffled = values[rng.permutation(len(values))]
        first, second = shuffled[::2], shuffled[1::2]
        for node in range(values.shape[1]):
            other: Law = second[:, node]
            if n_levels:
                other = Categorical(shares(second[:, node], n_levels[node]))
            total[node] += variation(first[:, node], other).value
    n_rows = len(values)
    return total / _N_SPLITS * math.sqrt((1 / n_rows + 1 / n_observed) / (4 / n_rows))


def _doubt(dataset: Dataset, target: int, unchanged: list[Variation], floor: Vector) -> str:
    """Return why the intervention may not act on the measured level of its target."""
    moved, name = unchanged[target], dataset.columns[target]
    if moved.value <= floor[target] + _N_ERRORS * moved.error:
        return (
            f"{name} itself is not told from observation (total variation {moved.value:.2f}, "
            f"floor {floor[target]:.2f})"
        )
    ahead = {
        node: (other.value - moved.value) / math.hypot(other.error, moved.error)
        for node, other in enumerate(unchanged)
        if node != target
    }
    node = max(ahead, key=lambda column: ahead[column], default=target)
    if ahead.get(node, 0.0) > _N_ERRORS:
        return (
            f"{dataset.columns[node]} moves further than {name} itself (total variation "
            f"{unchanged[node].value:.2f} and {moved.value:.2f})"
        )
    return ""


# What tables of probabilities predict where a discrete column is given another distribution.


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
