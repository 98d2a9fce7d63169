"""How far statistics of the columns follow the causal order: values, intervals, p-values."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator

from causalassay.auditing.result import Limits, Sortability
from causalassay.common.arrays import Adjacency, Vector
from causalassay.contracts import NotApplicable
from causalassay.data import Dataset, Regime
from causalassay.diagnostics import (
    PairWeights,
    RankDeficientWarning,
    aligned_share,
    cause_explained_variance,
    determination,
    pair_weights,
    relatives,
    series_pair_weights,
)
from causalassay.judging.artefacts import artefacts_of
from causalassay.judging.chance import TIE, RandomAssignments
from causalassay.judging.data_set import ties_throughout
from causalassay.present.formatting import PValue

TIED = "all values of a statistic tie, so nothing sorts by it"
STANDARDISED = "the columns are standardised: all variances tie"
DEPENDENT = "rank {rank} of {d}: some columns are linear combinations of others and tie"
NO_INTERVAL = "no interval: rows of a series cannot be resampled one by one"

Statistics = dict[str, Vector]
Convention = Literal["paths", "pairs"]


@dataclass(frozen=True)
class _Question:
    """What is measured: data, graph, and how far links of a series reach back."""

    data: Dataset
    graph: Adjacency
    max_lag: int

    def statistics(self, data: Dataset) -> Statistics:
        """Return the statistics of the world's artefacts, and those that need the graph."""
        found = {}
        for artefact in artefacts_of(data.world):
            try:
                found[artefact.statistic] = artefact.measure(data, self.max_lag)
            except NotApplicable:
                continue  # the judge says what is missing
        if data.world == "continuous":
            values = data.observational_values
            found["SNR"] = cause_explained_variance(values, self.graph)
            found["relatives"] = relatives(values).astype(float)
        return found

    def weights(self) -> dict[Convention, PairWeights]:
        """Return the pairs that each convention counts."""
        if self.data.world == "series":
            return {"pairs": series_pair_weights(self.graph)}
        return {
            "paths": pair_weights(self.graph, "paths"),
            "pairs": pair_weights(self.graph, "pairs"),
        }


def sortability_rows(  # noqa: PLR0913, PLR0917  what each row is made of
    data: Dataset,
    graph: Adjacency,
    max_lag: int,
    level: float,
    n_bootstrap: int,
    rng: Generator,
    tick: Callable[[], None],
) -> tuple[Sortability, ...]:
    """Return each sortability with its interval and its chance level."""
    question = _Question(data, graph, max_lag)
    bootstrap_rng, chance_rng = rng.spawn(2)
    statistics = question.statistics(data)
    resamples = 0 if data.world == "series" else n_bootstrap
    resampled = list(_resampled(question, resamples, bootstrap_rng, tick))
    notes = _notes(data, statistics)
    rows = []
    for convention, weights in question.weights().items():
        for name, values in statistics.items():
            own = aligned_share(weights, values, TIE)
            tied = ties_throughout(values)
            # Resampling would break the ties of standardised columns and show noise instead.
            again = (one[name] for one in resampled if name in one)
            spread = [own] if tied else [aligned_share(weights, one, TIE) for one in again]
            rising, falling = _p_values(weights, values, own, level, chance_rng)
            rows.append(
                Sortability(
                    name,
                    convention,
                    own,
                    _central(spread),
                    rising.value,
                    falling.value,
                    notes.get(name, ""),
                    rising.is_bound,
                    falling.is_bound,
                )
            )
    return tuple(rows)


def _p_values(
    weights: PairWeights, values: Vector, own: float, level: float, rng: Generator
) -> tuple[PValue, PValue]:
    if not len(weights.weight):
        return PValue(float("nan")), PValue(float("nan"))
    assignments = RandomAssignments(weights, values, rng)
    rising, falling = (assignments.test(own, sign, level).as_p_value for sign in (1, -1))
    return rising, falling


def _central(values: list[float]) -> Limits:
    """Return the central 95 %; nan of none."""
    if not values:
        return float("nan"), float("nan")
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def _resampled(
    question: _Question, n_bootstrap: int, rng: Generator, tick: Callable[[], None]
) -> Iterator[Statistics]:
    """Yield the statistics of bootstrap samples; one with a constant column is drawn again."""
    data = question.data
    values = data.observational_values
    n_samples = len(values)
    for _ in range(n_bootstrap):
        sample = values[rng.integers(n_samples, size=n_samples)]
        while (np.ptp(sample, axis=0) == 0).any():
            sample = values[rng.integers(n_samples, size=n_samples)]
        regime = Regime("resampled", sample)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankDeficientWarning)
            yield question.statistics(Dataset(data.columns, (regime,), "resampled", data.kinds))
        tick()


def _notes(data: Dataset, statistics: Statistics) -> dict[str, str]:
    series = data.world == "series"
    notes = {name: NO_INTERVAL for name in statistics if series}
    notes.update({name: TIED for name, values in statistics.items() if ties_throughout(values)})
    if "variance" in statistics and ties_throughout(statistics["variance"]):
        notes["variance"] = STANDARDISED
    if data.world == "continuous":
        regressions = determination(data.observational_values)
        if regressions.method == "rank-deficient":
            notes["R2"] = DEPENDENT.format(rank=regressions.rank, d=data.n_nodes)
    return notes
