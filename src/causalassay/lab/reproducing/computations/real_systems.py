"""Experiments on real systems: table 2 and section 6.2 of Garant and Jensen 2016."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from causalassay.data import sachs
from causalassay.lab.factorial import (
    Settings,
    SpecificationRow,
    Truth,
    at_extremes,
    score_specifications,
)
from causalassay.lab.factorial.truth import without_doubles
from causalassay.lab.reproducing.estimates import (
    Estimate,
    NotRun,
    Ours,
    Several,
    System,
    check_system,
    experiment_on,
    mean,
)

Change = Literal["over", "under"]
Summary = Literal["min", "median", "max"]

_SUMMARIES: dict[str, Callable[..., Any]] = {"min": np.min, "median": np.median, "max": np.max}


@functools.cache
def truth_of(system: System) -> Truth:
    """Return the experiment as `causalassay domain` judges by it: beta 1, three levels, two bins.

    Of a treatment with more than two levels the first and the last count. An outcome whose
    levels equal another's is left out.
    """
    return without_doubles(Truth(at_extremes(experiment_on(system)), Settings()))[0]


def where_there(computed: Callable[..., Ours]) -> Callable[..., Ours]:
    """Return the function, which says why it has no number if the system's file is absent."""

    @functools.wraps(computed)
    def found(*, system: System, **parameters: Any) -> Ours:
        try:
            check_system(system)
        except FileNotFoundError as absent:
            return NotRun(str(absent))
        return computed(system=system, **parameters)

    return found


def subjects(*, system: System) -> Estimate:
    """Return the number of subjects: projects, queries or pages."""
    return Estimate(float(truth_of(system).experiment.n_subjects))


@functools.cache
def _specifications(system: System, repeats: int) -> dict[str, SpecificationRow]:
    over, under = score_specifications(truth_of(system), repeats, seed=1)
    return {"over": over, "under": under}


def specification(
    *,
    system: System,
    change: Change,
    measure: Literal["SHD", "SID", "TV"],
    summary: Summary,
    repeats: int,
) -> Estimate:
    """Return what one altered treatment costs: least, median or largest over treatments.

    SHD and SID are exact. TV is between the altered and the consistent model, a mean over
    draws of the bias.
    """
    row = _specifications(system, repeats)[change]
    if measure == "TV":
        return mean_of(_over_treatments(row, summary))
    values = row.shd if measure == "SHD" else row.sid
    return Estimate(float(_SUMMARIES[summary](values)))


def _over_treatments(row: SpecificationRow, summary: Summary) -> NDArray[Any]:
    return np.asarray(_SUMMARIES[summary](row.tv, axis=1))


def mean_of(values: NDArray[Any]) -> Estimate:
    """Return the mean of the numbers there are; the others are counted as lost."""
    known = values[~np.isnan(values)]
    return mean(known, len(values) - len(known))


def over_specification(*, system: System, repeats: int) -> Estimate:
    """Return the median TV of over-specified models."""
    return specification(
        system=system, change="over", measure="TV", summary="median", repeats=repeats
    )


def specification_ratio(*, system: System, repeats: int) -> Estimate:
    """Return how many times the median TV of under-specified models is that of the others.

    The ratio of two means; its error is that of the delta method, the draws being paired.
    """
    rows = _specifications(system, repeats)
    under, over = (_over_treatments(rows[change], "median") for change in ("under", "over"))
    known = ~(np.isnan(under) | np.isnan(over))
    under, over = under[known], over[known]
    ratio = float(under.mean() / over.mean())
    residual = (under - ratio * over) / over.mean()
    error = float(residual.std(ddof=1)) / math.sqrt(len(under))
    return Estimate(ratio, error, len(under), int((~known).sum()))


def opposite_rankings(*, system: System, repeats: int) -> Several:
    """Return the median SHD, over less under, and the median TV, under less over."""
    rows = _specifications(system, repeats)
    structure = float(np.median(rows["over"].shd) - np.median(rows["under"].shd))
    variation = _over_treatments(rows["under"], "median") - _over_treatments(rows["over"], "median")
    return Several((Estimate(structure), mean_of(variation)))


def three_or_four_effects(*, system: System) -> Estimate:
    """Return the share of treatments that move three or four outcomes."""
    truth = truth_of(system)
    edges = truth.graph[np.ix_(truth.treatment_nodes, truth.outcome_nodes)]
    return Estimate(float(np.isin(edges.sum(axis=1), (3, 4)).mean()))


_COMPUTED: dict[str, Callable[..., Ours]] = {
    "system-subjects": subjects,
    "specification": specification,
    "over-specification": over_specification,
    "specification-ratio": specification_ratio,
    "opposite-rankings": opposite_rankings,
    "three-or-four-effects": three_or_four_effects,
}

REAL_SYSTEMS = {name: where_there(computed) for name, computed in _COMPUTED.items()}


# How large the data of Sachs et al. 2005 are.


def sachs_size(*, what: Literal["rows", "nodes", "edges"]) -> Estimate | NotRun:
    """Return the observational rows, the nodes, or the edges of the usual graph."""
    try:
        problem = sachs()
    except FileNotFoundError as absent:
        return NotRun(str(absent))
    rows, nodes = problem.data.observational_values.shape
    return Estimate({"rows": rows, "nodes": nodes, "edges": int(problem.graph.sum())}[what])
