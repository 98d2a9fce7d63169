"""The JDK experiment of Garant and Jensen 2016: tables 2 and 3, sections 6.2 and 7."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from causalassay.discovery import make_algorithm
from causalassay.factorial import (
    FactorialExperiment,
    LookAlike,
    ScoreRow,
    Settings,
    SpecificationRow,
    Truth,
    read_jdk,
    score_algorithms,
    score_look_alikes,
    score_specifications,
)
from causalassay.factorial.lookalikes import Source
from causalassay.reproducing.data_sets import jdk_file
from causalassay.reproducing.estimates import Estimate, NotRun, Ours, Several, mean

Change = Literal["over", "under"]
Summary = Literal["min", "median", "max"]

_SUMMARIES: dict[str, Callable[..., Any]] = {"min": np.min, "median": np.median, "max": np.max}
_OUT_DEGREE, _STRENGTH = 1, 1.0
"""Of look-alikes: "one child in expectation" (section 7), the usual strength (5.2)."""


@functools.lru_cache(maxsize=1)
def _truth() -> Truth:
    """Return the experiment at causalassay's own settings: beta 1, three levels, two bins."""
    return Truth(_experiment(), Settings())


def _experiment() -> FactorialExperiment:
    return read_jdk(jdk_file())


@functools.lru_cache(maxsize=4)
def _specifications(repeats: int) -> dict[str, SpecificationRow]:
    over, under = score_specifications(_truth(), repeats, seed=1)
    return {"over": over, "under": under}


def _where_there(computed: Callable[..., Ours]) -> Callable[..., Ours]:
    """Return the function, which says why it has no number if the file is absent."""

    @functools.wraps(computed)
    def found(**parameters: Any) -> Ours:
        try:
            jdk_file()
        except FileNotFoundError as absent:
            return NotRun(str(absent))
        return computed(**parameters)

    return found


def jdk_subjects() -> Estimate:
    """Return the number of projects."""
    return Estimate(float(_truth().experiment.n_subjects))


def jdk_specification(
    *, change: Change, measure: Literal["SHD", "SID", "TV"], summary: Summary, repeats: int
) -> Estimate:
    """Return what one altered treatment costs: least, median or largest over treatments.

    SHD and SID are exact. TV is between the altered and the consistent model, a mean over
    draws of the bias.
    """
    row = _specifications(repeats)[change]
    if measure == "TV":
        return _mean_of(_over_treatments(row, summary))
    values = row.shd if measure == "SHD" else row.sid
    return Estimate(float(_SUMMARIES[summary](values)))


def _over_treatments(row: SpecificationRow, summary: Summary) -> NDArray[Any]:
    return np.asarray(_SUMMARIES[summary](row.tv, axis=1))


def _mean_of(values: NDArray[Any]) -> Estimate:
    known = values[~np.isnan(values)]
    return mean(known, len(values) - len(known))


def jdk_over_specification(*, repeats: int) -> Estimate:
    """Return the median TV of over-specified models."""
    return jdk_specification(change="over", measure="TV", summary="median", repeats=repeats)


def jdk_specification_ratio(*, repeats: int) -> Estimate:
    """Return how many times the median TV of under-specified models is that of the others.

    The ratio of two means; its error is that of the delta method, the draws being paired.
    """
    rows = _specifications(repeats)
    under, over = (_over_treatments(rows[change], "median") for change in ("under", "over"))
    known = ~(np.isnan(under) | np.isnan(over))
    under, over = under[known], over[known]
    ratio = float(under.mean() / over.mean())
    residual = (under - ratio * over) / over.mean()
    error = float(residual.std(ddof=1)) / math.sqrt(len(under))
    return Estimate(ratio, error, len(under), int((~known).sum()))


def jdk_opposite_rankings(*, repeats: int) -> Several:
    """Return the median SHD, over less under, and the median TV, under less over."""
    rows = _specifications(repeats)
    structure = float(np.median(rows["over"].shd) - np.median(rows["under"].shd))
    variation = _over_treatments(rows["under"], "median") - _over_treatments(rows["over"], "median")
    return Several((Estimate(structure), _mean_of(variation)))


def jdk_effects_per_treatment() -> Estimate:
    """Return the median number of outcomes that a treatment moves."""
    truth = _truth()
    edges = truth.graph[np.ix_(truth.treatment_nodes, truth.outcome_nodes)]
    return Estimate(float(np.median(edges.sum(axis=1))))


@functools.lru_cache(maxsize=4)
def _variations(repeats: int, n_experiments: int) -> dict[str, NDArray[Any]]:
    """Return the TV of the real experiment by draw, and of each kind of look-alike.

    Each is a mean over PC, MMHC and GES, summed over treatments and outcomes.
    """
    algorithms = {
        "pc": make_algorithm("pc", alpha=0.05),
        "mmhc": make_algorithm("mmhc", alpha=0.05),
        "ges": make_algorithm("ges"),
    }
    truth = _truth()
    rows = score_algorithms(truth, algorithms, repeats, seed=1, compared=False)
    sources: tuple[Source, ...] = ("dirichlet", "linear-gaussian", "logistic")
    made = score_look_alikes(
        truth.experiment,
        rows,
        algorithms,
        truth.settings,
        [LookAlike(source, _OUT_DEGREE, _STRENGTH) for source in sources],
        n_experiments=n_experiments,
        seed=1,
    )
    return {"jdk": _over_algorithms(rows)} | {
        row.drawn.source: row.by_experiment["TV"] for row in made
    }


def _over_algorithms(rows: Sequence[ScoreRow]) -> NDArray[Any]:
    table = np.array([row.by_repeat["TV"] for row in rows if row.role == "algorithm"])
    return np.asarray(table.mean(axis=0))


def look_alike_difference(*, source: Source, repeats: int, experiments: int) -> Estimate:
    """Return the mean TV on JDK less that on look-alikes; the two are independent."""
    found = _variations(repeats, experiments)
    real, made = _mean_of(found["jdk"]), _mean_of(found[source])
    error = math.hypot(real.standard_error, made.standard_error)
    draws = min(real.draws, made.draws)
    return Estimate(real.value - made.value, error, draws, real.lost + made.lost)


def look_alike_differences(*, repeats: int, experiments: int) -> Several:
    """Return the three differences."""
    sources: tuple[Source, ...] = ("dirichlet", "linear-gaussian", "logistic")
    return Several(
        tuple(
            look_alike_difference(source=source, repeats=repeats, experiments=experiments)
            for source in sources
        )
    )


def look_alike_tukey(*, repeats: int, experiments: int) -> Several:
    """Return Tukey's p-values of JDK against each look-alike; 1 where JDK has the lower mean."""
    found = _variations(repeats, experiments)
    groups = [values[~np.isnan(values)] for values in found.values()]
    p_values = stats.tukey_hsd(*groups).pvalue[0, 1:]
    means = [group.mean() for group in groups]
    return Several(
        tuple(
            Estimate(float(p) if means[0] > other else 1.0)
            for p, other in zip(p_values, means[1:], strict=True)
        )
    )


_OF_THE_FILE: dict[str, Callable[..., Ours]] = {
    "jdk-subjects": jdk_subjects,
    "jdk-specification": jdk_specification,
    "jdk-over-specification": jdk_over_specification,
    "jdk-specification-ratio": jdk_specification_ratio,
    "jdk-opposite-rankings": jdk_opposite_rankings,
    "jdk-effects-per-treatment": jdk_effects_per_treatment,
    "look-alike-difference": look_alike_difference,
    "look-alike-differences": look_alike_differences,
    "look-alike-tukey": look_alike_tukey,
}

JDK = {name: _where_there(computed) for name, computed in _OF_THE_FILE.items()}
