"""How well graphs predict experiments that they were found without, as plain values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from causalassay.common.arrays import Values, Vector
from causalassay.common.spelling import did_you_mean
from causalassay.present import Column, Document, Interval, Shown, Table
from causalassay.present.formatting import counted, fixed, percent
from causalassay.present.json_values import plain_values
from causalassay.risk.prediction.experiments import Experiment
from causalassay.risk.result import least_headline, not_ranked_tables

if TYPE_CHECKING:
    import pandas as pd

Chosen = NDArray[np.bool_]


class Score(NamedTuple):
    """A mean total variation over experiments and columns, or a difference of two.

    Parameters
    ----------
    value : float
        nan if there is no experiment.
    error : float
        Standard error from the rows alone: these experiments again, with other rows.
    interval : (float, float)
        For the mean over experiments like these; nan with fewer than 2 of them. That of a score
        lies between 0 and 1, that of a difference between -1 and 1.
    share_predicted : float
        The share of the change that is predicted: 1 at the floor, 0 where the prediction is as
        good as "nothing changes", negative where it is worse; nan where nothing changes beyond
        the floor and two errors, and for a difference.
    n_experiments : int
        The number of experiments in the mean.
    """

    value: float
    error: float
    interval: tuple[float, float]
    share_predicted: float
    n_experiments: int


class Pair(NamedTuple):
    """Two algorithms, and the score of the first less that of the second."""

    first: str
    second: str
    difference: Score


@dataclass(frozen=True, eq=False)
class Prediction:
    """What the graphs of one algorithm predict.

    Parameters
    ----------
    distances, errors : ndarray, shape (k, d)
        The total variation between prediction and measurement of each experiment and column,
        with its error; nan for the target. Of a class: the mean over its members.
    measured_parts : tuple of k ndarray
        What each measured row adds to an experiment's mean.
    observed_parts : ndarray, shape (k, m)
        The same for the observational rows, from which all predictions are made.
    """

    distances: Values
    errors: Values
    measured_parts: tuple[Vector, ...] = field(repr=False)
    observed_parts: Values = field(repr=False)

    @property
    def means(self) -> Vector:
        """The mean over columns, for each experiment."""
        return np.nanmean(self.distances, axis=1)

    def minus(self, other: Prediction) -> Prediction:
        """Return the differences, row by row."""
        pairs = zip(self.measured_parts, other.measured_parts, strict=True)
        return Prediction(
            self.distances - other.distances,
            np.hypot(self.errors, other.errors),
            tuple(mine - its for mine, its in pairs),
            self.observed_parts - other.observed_parts,
        )


@dataclass(frozen=True, eq=False, repr=False)
class Predictions(Shown):
    """How well the graphs of several algorithms predict the same experiments.

    Parameters
    ----------
    columns : tuple of str
        The names of the columns.
    experiments : tuple of k Experiment
        What was predicted.
    of : mapping of str to Prediction
        By algorithm.
    not_ranked : mapping of str to str
        Algorithm to the reason why it has no prediction.
    left_out : mapping of str to str
        Condition to the reason why it is no experiment here.
    level : float
        Coverage that the intervals aim at.

    Notes
    -----
    An interval is for the mean over experiments like these, drawn from the same kind, with the
    same numbers of rows; graphs and fitted models are held fixed. It is Student's, with k - 1
    degrees of freedom, from the spread of the k experiments' means, to which the part of the
    observational rows is added, since all experiments share them. Resampling 3 to 6
    experiments would give intervals that are much too short.
    """

    columns: tuple[str, ...]
    experiments: tuple[Experiment, ...]
    of: Mapping[str, Prediction]
    not_ranked: Mapping[str, str]
    left_out: Mapping[str, str]
    level: float = 0.95

    @property
    def doubts(self) -> dict[str, str]:
        """The conditions that may not act on the measured level of their target, and why."""
        return {each.condition: each.doubt for each in self.experiments if each.doubt}

    def chosen(self, undoubted: bool = False) -> Chosen:
        """Return which experiments are meant: all, or those without doubt."""
        return np.array([not (undoubted and each.doubt) for each in self.experiments], dtype=bool)

    def floor(self, undoubted: bool = False) -> float:
        """Return the score of a perfect prediction."""
        return self._mean([each.floor for each in self.experiments], undoubted)

    def nothing_changes(self, undoubted: bool = False) -> float:
        """Return the score of predicting the observational rows: that of the empty graph."""
        return self._mean([each.nothing_changes for each in self.experiments], undoubted)

    def score(self, name: str, undoubted: bool = False) -> Score:
        """Return the score of an algorithm: the less, the better."""
        score = self._summary(self._named(name), undoubted)
        floor, nothing = self.floor(undoubted), self.nothing_changes(undoubted)
        something_changes = nothing - floor > 2 * score.error
        share = 1 - (score.value - floor) / (nothing - floor) if something_changes else math.nan
        low, high = (float(np.clip(end, 0.0, 1.0)) for end in score.interval)
        return score._replace(interval=(low, high), share_predicted=share)

    def difference(self, first: str, second: str, undoubted: bool = False) -> Score:
        """Return the score of the first less that of the second; negative favours the first."""
        return self._summary(self._named(first).minus(self._named(second)), undoubted)

    def differences(self, undoubted: bool = False) -> tuple[Pair, ...]:
        """Return one difference for each ordered pair of algorithms."""
        return tuple(
            Pair(first, second, self.difference(first, second, undoubted))
            for first in self.of
            for second in self.of
            if first != second
        )

    def ranking(self, undoubted: bool = False) -> tuple[str, ...]:
        """Return the names by ascending score; ties stay in the given order."""
        scores = {
            name: self._mean(list(prediction.distances), undoubted)
            for name, prediction in self.of.items()
        }
        return tuple(sorted(scores, key=lambda name: (math.isnan(scores[name]), scores[name])))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; undefined numbers become None."""
        whole = {
            "level": self.level,
            "experiments": list(map(self._experiment, self.experiments)),
            "all experiments": self._part(undoubted=False),
            "without those in doubt": self._part(undoubted=True),
            "not_ranked": dict(self.not_ranked),
            "left_out": dict(self.left_out),
        }
        plain: dict[str, Any] = plain_values(whole)
        return plain

    def to_frame(self) -> pd.DataFrame:
        """Return the scores as a data frame, the least one first."""
        import pandas as pd  # noqa: PLC0415  # takes a while

        scores = {name: self.score(name) for name in self.ranking()}
        rows = [
            {"algorithm": name, "score": score.value, "error": score.error}
            | dict(zip(("low", "high"), score.interval, strict=True))
            | {"share_predicted": score.share_predicted}
            for name, score in scores.items()
        ]
        return pd.DataFrame(rows)

    def document(self) -> Document:
        """Return how far predictions are from measurements, the least distance first."""
        columns = (
            Column("algorithm", "algorithm"),
            Column("total_variation", "total variation", "fixed3"),
            Column("share_predicted", "share of the\nchange predicted", "fixed"),
            Column("undoubted", "without experiments\nin doubt", "fixed3", priority=1),
        )
        rows = []
        for name in self.ranking():
            score, undoubted = self.score(name), self.score(name, undoubted=True)
            cells = [Interval(each.value, *each.interval) for each in (score, undoubted)]
            rows.append((name, cells[0], score.share_predicted, cells[1]))
        limits = percent(self.level)
        title = f"Total variation between prediction and measurement, with {limits} intervals"
        return Document(
            "Predictions of experiments left out",
            least_headline("total variation", self.ranking()),
            [Table("predictions", columns, rows, title), *not_ranked_tables(self.not_ranked)],
            about=f"{counted(len(self.experiments), 'experiment')} on "
            f"{counted(len(self.columns), 'column')}; perfect: {fixed(self.floor(), 3)}; nothing "
            f"changes: {fixed(self.nothing_changes(), 3)}",
        )

    def _named(self, name: str) -> Prediction:
        if name in self.not_ranked:
            raise ValueError(f"{name} has no prediction: {self.not_ranked[name]}")
        if name not in self.of:
            raise ValueError(f"there is no algorithm {name!r}; " + did_you_mean(name, self.of))
        return self.of[name]

    def _mean(self, rows: list[Vector], undoubted: bool) -> float:
        chosen = self.chosen(undoubted)
        if not chosen.any():
            return math.nan
        return float(np.nanmean(np.array(rows)[chosen], axis=1).mean())

    def _summary(self, prediction: Prediction, undoubted: bool) -> Score:
        chosen = np.flatnonzero(self.chosen(undoubted))
        k = len(chosen)
        if not k:
            return Score(math.nan, math.nan, (math.nan, math.nan), math.nan, k)
        means = prediction.means[chosen]
        value = float(means.mean())
        shared = float(np.square(prediction.observed_parts[chosen].mean(axis=0)).sum())
        parts = prediction.measured_parts
        separate = sum(float(np.square(parts[number]).sum()) for number in chosen) / k**2
        if k == 1:
            ends = (math.nan, math.nan)
        else:
            spread = math.sqrt(float(means.var(ddof=1)) / k + shared)
            reach = float(student.ppf((1 + self.level) / 2, k - 1)) * spread
            ends = (max(value - reach, -1.0), min(value + reach, 1.0))
        return Score(value, math.sqrt(separate + shared), ends, math.nan, k)

    def _experiment(self, experiment: Experiment) -> dict[str, Any]:
        return {
            "condition": experiment.condition,
            "target": self.columns[experiment.target],
            "n_rows": experiment.n_rows,
            "floor": float(np.nanmean(experiment.floor)),
            "nothing_changes": float(np.nanmean(experiment.nothing_changes)),
            "target_moved": float(experiment.target_moved),
            "doubt": experiment.doubt,
        }

    def _part(self, undoubted: bool) -> dict[str, Any]:
        return {
            "n_experiments": int(self.chosen(undoubted).sum()),
            "floor": self.floor(undoubted),
            "nothing_changes": self.nothing_changes(undoubted),
            "ranking": list(self.ranking(undoubted)),
            "scores": {name: _plain_score(self.score(name, undoubted)) for name in self.of},
        }


def _plain_score(score: Score) -> dict[str, Any]:
    return {
        "estimate": score.value,
        "error": score.error,
        "interval": list(score.interval),
        "share_predicted": score.share_predicted,
    }
