"""Garant and Jensen 2016: models of three nodes, real systems, and their look-alikes."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import stats

from causalassay.common.arrays import Adjacency
from causalassay.common.seeding import stream
from causalassay.contracts import Algorithm
from causalassay.data import sachs
from causalassay.discovery import make_algorithm
from causalassay.graphs import erdos_renyi, topological_order
from causalassay.lab.factorial import (
    LookAlike,
    ScoreRow,
    Settings,
    SpecificationRow,
    Truth,
    at_extremes,
    score_algorithms,
    score_look_alikes,
    score_specifications,
)
from causalassay.lab.factorial.lookalikes import Source
from causalassay.lab.factorial.truth import without_doubles
from causalassay.lab.papers.estimates import (
    Cases,
    Computation,
    Estimate,
    NotRun,
    Ours,
    Several,
    System,
    check_system,
    computation,
    experiment_on,
    figure,
    mean,
    unpaired,
)
from causalassay.metrics import shd, sid, tv_dag, tv_matrix
from causalassay.models import SCM, LinearSCM, fit, fit_covariance

Name = Literal["G1", "G2", "G3"]

_ZERO = 1e-8
_N_NODES, _N_ROWS = 8, 500


def _model(on_1: float, on_2: float) -> LinearSCM:
    """Return V1 and V2 as causes of V3, all with unit noise."""
    return LinearSCM(np.array([[0, 0, on_1], [0, 0, on_2], [0, 0, 0]]), 1.0)


MODELS: dict[str, LinearSCM] = {
    "G1": _model(1.0, 0.1),
    "G2": _model(1.0, 0.0),
    "G3": _model(0.0, 0.1),
}


@computation
def structural_distance(*, truth: Name, guess: Name, measure: Literal["SHD", "SID"]) -> Estimate:
    """Return the SHD or the SID between two of the three models.

    Examples
    --------
    >>> structural_distance(truth="G1", guess="G2", measure="SID").value
    1.0
    """
    distance = {"SHD": shd, "SID": sid}[measure]
    return Estimate(float(distance(MODELS[truth].graph, MODELS[guess].graph)))


@computation
def pair_variation(*, guess: Name, cause: int, at: float, held: float) -> Estimate:
    """Return the total variation of V3 between G1 and another model under an intervention.

    Parameters
    ----------
    guess : {"G2", "G3"}
    cause : int
        Which of V1 and V2 is set, from 1.
    at : float
        To what it is set.
    held : float
        Where the other cause is held.

    Examples
    --------
    >>> round(pair_variation(guess="G3", cause=1, at=2.0, held=0.0).value, 4)
    0.6827
    """
    return Estimate(float(tv_matrix(MODELS["G1"], MODELS[guess], at=at, held=held)[cause - 1, 2]))


@computation
def omission_difference(*, at: float, held: float) -> Estimate:
    """Return the total variation of G3 less that of G2, all pairs."""
    without_1, without_2 = (
        tv_dag(MODELS["G1"], MODELS[name], at=at, held=held) for name in ("G3", "G2")
    )
    return Estimate(float(without_1 - without_2))


@computation
def consistent_super_graph() -> Cases:
    """Return whether G1, fitted to the population of G3, has SID 0 and no total variation."""
    truth, guess = MODELS["G3"], MODELS["G1"].graph
    fitted = fit_covariance(guess, truth.covariance())
    return Cases(2, int(sid(truth.graph, guess) != 0) + int(tv_dag(truth, fitted) > _ZERO))


@computation
def super_graph_sid(*, draws: int) -> Cases:
    """Return in how many of random DAGs the SID of a random super-graph is not 0."""
    violated = 0
    for draw in range(draws):
        rng = stream(1, "super-graph", draw)
        graph = erdos_renyi(_N_NODES, 1, rng)
        violated += int(sid(graph, _super_graph(graph, rng)) != 0)
    return Cases(draws, violated)


@computation
def variation_implication(*, draws: int) -> Cases:
    """Return where a TV of 0 goes with a SID above 0, or a SID of 0 with a TV of 0 in samples.

    Each draw has a random truth and three guesses: a super-graph and an unrelated DAG, both
    fitted to the population, and the super-graph fitted to a sample, which shows that the
    converse does not hold.
    """
    violated = 0
    for draw in range(draws):
        rng = stream(1, "implication", draw)
        truth = SCM().draw(erdos_renyi(_N_NODES, 1, rng), rng)
        larger = _super_graph(truth.graph, rng)
        for guess in (larger, erdos_renyi(_N_NODES, 1, rng)):
            fitted = fit_covariance(guess, truth.covariance())
            violated += int(tv_dag(truth, fitted) < _ZERO and sid(truth.graph, guess) > 0)
        violated += int(tv_dag(truth, fit(larger, truth.sample(_N_ROWS, rng))) < _ZERO)
    return Cases(3 * draws, violated)


def _super_graph(graph: Adjacency, rng: Generator) -> Adjacency:
    """Return the DAG with some further edges along its order."""
    position = np.argsort(topological_order(graph))
    further = (position[:, None] < position) & (rng.random(graph.shape) < 0.3)  # noqa: PLR2004
    return graph | further


# Experiments on real systems: table 2 and section 6.2 of Garant and Jensen 2016.

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


def on_system(function: Computation) -> Computation:
    """Declare a computation that says why it has no number if the system's file is absent."""

    @functools.wraps(function)
    def where_there(*, system: System, **parameters: Any) -> Ours:
        try:
            check_system(system)
        except FileNotFoundError as absent:
            return NotRun(str(absent))
        return function(system=system, **parameters)

    computation(where_there)
    return function


@on_system
def system_subjects(*, system: System) -> Estimate:
    """Return the number of subjects: projects, queries or pages."""
    return Estimate(float(truth_of(system).experiment.n_subjects))


@functools.cache
def _specifications(system: System, repeats: int) -> dict[str, SpecificationRow]:
    over, under = score_specifications(truth_of(system), repeats, seed=1)
    return {"over": over, "under": under}


@on_system
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


@on_system
def over_specification(*, system: System, repeats: int) -> Estimate:
    """Return the median TV of over-specified models."""
    return specification(
        system=system, change="over", measure="TV", summary="median", repeats=repeats
    )


@on_system
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


@on_system
def opposite_rankings(*, system: System, repeats: int) -> Several:
    """Return the median SHD, over less under, and the median TV, under less over."""
    rows = _specifications(system, repeats)
    structure = float(np.median(rows["over"].shd) - np.median(rows["under"].shd))
    variation = _over_treatments(rows["under"], "median") - _over_treatments(rows["over"], "median")
    return Several((Estimate(structure), mean_of(variation)))


@on_system
def three_or_four_effects(*, system: System) -> Estimate:
    """Return the share of treatments that move three or four outcomes."""
    truth = truth_of(system)
    edges = truth.graph[np.ix_(truth.treatment_nodes, truth.outcome_nodes)]
    return Estimate(float(np.isin(edges.sum(axis=1), (3, 4)).mean()))


# How large the data of Sachs et al. 2005 are.


@computation
def sachs_size(*, what: Literal["rows", "nodes", "edges"]) -> Estimate | NotRun:
    """Return the observational rows, the nodes, or the edges of the usual graph."""
    try:
        problem = sachs()
    except FileNotFoundError as absent:
        return NotRun(str(absent))
    rows, nodes = problem.data.observational_values.shape
    return Estimate({"rows": rows, "nodes": nodes, "edges": int(problem.graph.sum())}[what])


# Real systems beside synthetic look-alikes: tables 3 and 4, figure 6 of Garant and Jensen 2016.

SOURCES: Mapping[Source, str] = {
    "dirichlet": "Dirichlet",
    "linear-gaussian": "Linear-Gaussian",
    "logistic": "Logistic",
}
"""As the paper orders and writes them."""

_OUT_DEGREE, _STRENGTH = 1, 1.0
"""The usual look-alikes: "one child in expectation" (section 7), with strength 1 (5.2)."""

Names = tuple[str, ...]
ALL: Names = ("pc", "mmhc", "ges")
"""The paper's algorithms."""


@functools.cache
def _algorithms() -> dict[str, Algorithm]:
    return {
        "pc": make_algorithm("pc", alpha=0.05),
        "mmhc": make_algorithm("mmhc", alpha=0.05),
        "ges": make_algorithm("ges", penalty_discount=1.0),
    }


@functools.cache
def _scores(system: System, repeats: int) -> tuple[ScoreRow, ...]:
    return score_algorithms(truth_of(system), _algorithms(), repeats, seed=1, compared=False)


def _on_system(system: System, repeats: int, names: Names = ALL) -> NDArray[Any]:
    """Return the TV, a sum over pairs and a mean over algorithms, by draw of the bias."""
    rows = [row.by_repeat["TV"] for row in _scores(system, repeats) if row.name in names]
    return np.asarray(np.mean(rows, axis=0))


@functools.cache
def _on_look_alikes(
    system: System, kind: LookAlike, repeats: int, experiments: int, names: Names = ALL
) -> NDArray[Any]:
    """Return the TV as on the system, by look-alike; nan for one that could not be drawn.

    The look-alikes are the same whichever algorithms are scored on them.
    """
    truth = truth_of(system)
    (row,) = score_look_alikes(
        truth.experiment,
        _scores(system, repeats),
        {name: _algorithms()[name] for name in names},
        truth.settings,
        [kind],
        n_experiments=experiments,
        seed=1,
    )
    values = row.by_experiment["TV"]
    return np.concatenate([values, np.full(experiments - len(values), np.nan)])


def _usual(source: Source) -> LookAlike:
    return LookAlike(source, _OUT_DEGREE, _STRENGTH)


@on_system
def look_alike_difference(  # noqa: PLR0913
    *,
    system: System,
    source: Source,
    repeats: int,
    experiments: int,
    out_degree: int = _OUT_DEGREE,
    strength: float = _STRENGTH,
) -> Estimate:
    """Return the mean TV on a system less that on look-alikes, over PC, MMHC and GES."""
    kind = LookAlike(source, out_degree, float(strength))
    look_alikes = _on_look_alikes(system, kind, repeats, experiments)
    return _difference(_on_system(system, repeats), look_alikes)


def _difference(first: NDArray[Any], other: NDArray[Any]) -> Estimate:
    """Return the difference between two independent means."""
    return unpaired(mean_of(first), mean_of(other))


@on_system
def look_alike_differences(  # noqa: PLR0913
    *,
    system: System,
    repeats: int,
    experiments: int,
    sources: Sequence[Source] = tuple(SOURCES),
    out_degrees: Sequence[int] = (_OUT_DEGREE,),
    strengths: Sequence[float] = (_STRENGTH,),
) -> Several:
    """Return the differences for all sources, out-degrees and strengths."""
    return Several(
        tuple(
            look_alike_difference(
                system=system,
                source=source,
                repeats=repeats,
                experiments=experiments,
                out_degree=degree,
                strength=strength,
            )
            for source, degree, strength in product(sources, out_degrees, strengths)
        )
    )


@on_system
def look_alike_tukey(
    *, system: System, repeats: int, experiments: int, harder: Sequence[Source] = ()
) -> Several:
    """Return Tukey's p-values of a system against each look-alike.

    Parameters
    ----------
    system : {"jdk", "postgres", "http"}
    repeats, experiments : int
    harder : list of str
        Look-alikes that the paper found harder than the system; the others are easier. A
        difference of the other sign counts as 1.
    """
    groups = [_on_system(system, repeats)]
    groups += [_on_look_alikes(system, _usual(source), repeats, experiments) for source in SOURCES]
    known = [group[~np.isnan(group)] for group in groups]
    p_values = stats.tukey_hsd(*known).pvalue[0, 1:]
    real, *synthetic = (group.mean() for group in known)
    return Several(
        tuple(
            Estimate(float(p) if (other > real) == (source in harder) else 1.0)
            for source, p, other in zip(SOURCES, p_values, synthetic, strict=True)
        )
    )


@on_system
def best_against_worst(*, system: System, repeats: int, experiments: int) -> Several:
    """Return the TV of each algorithm on a system less that of each on each look-alike.

    All are above 0 if the best on the system is worse than the worst on any look-alike.
    """
    real = [_on_system(system, repeats, (name,)) for name in ALL]
    synthetic = [
        _on_look_alikes(system, _usual(source), repeats, experiments, (name,))
        for source, name in product(SOURCES, ALL)
    ]
    return Several(tuple(_difference(*pair) for pair in product(real, synthetic)))


@figure
def look_alike_boxes(*, system: System, label: str, repeats: int, experiments: int) -> pd.DataFrame:
    """Return the TV of each algorithm on a system, which is shown with a label, and look-alikes."""
    parts = []
    for name in ALL:
        places = {label: _on_system(system, repeats, (name,))}
        for source, written in SOURCES.items():
            kind = _usual(source)
            places[written] = _on_look_alikes(system, kind, repeats, experiments, (name,))
        parts += [
            pd.DataFrame({"x": label, "y": values, "series": name.upper()})
            for label, values in places.items()
        ]
    return pd.concat(parts, ignore_index=True).assign(panel="total variation")
