"""From a problem's specification to data and truth, with random streams that have names.

The streams of graph, model and data are named after the graph source and the
replicate alone. So raw, standardised, iSCM and UUMC problems of one study have
the same graphs, with the same draws of weights and noise where they share
their distributions: schemes can be compared in pairs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency, Values, Vector
from causalassay.common.files import unsaid
from causalassay.common.seeding import stream
from causalassay.data import ColumnKind, Continuous, Dataset, Discrete, Problem, Regime, read
from causalassay.diagnostics.registry import DIAGNOSTICS
from causalassay.graphs import LaggedGraph, read_graph
from causalassay.graphs.families import shuffle_labels
from causalassay.models import (
    VAR,
    AdditiveNoiseSCM,
    At,
    DiscreteSCM,
    Do,
    LinearSCM,
    Model,
    Randomize,
    RandomizeLevels,
    Shift,
    read_bif,
)
from causalassay.models.interventions import Action
from causalassay.models.linear.scaling import standardized_implied
from causalassay.study.keys import digest, file_sha256
from causalassay.study.plan import Purpose
from causalassay.study.problem_specs import (
    Accept,
    FromFile,
    Generated,
    Interventions,
    Network,
    ProblemSpec,
    Transform,
    graph_address,
)
from causalassay.study.worker.discovering import ShownData


class NoProblem(Exception):
    """There is no problem of this kind; the message says why."""


@dataclass(eq=False)
class MadeProblem:
    """A problem as a worker keeps it.

    Parameters
    ----------
    problem : Problem
    draws : int
        How many were drawn until it was accepted.
    whole : Problem, optional
        Of a file: all of its rows, which are what is judged; resampled ones are no new evidence.
        None for a file of a folder as it is: one of many instances, measured as a drawn one.
    shown : ShownData, optional
        Its data as algorithms see them, once one has run.
    """

    problem: Problem
    draws: int = 1
    whole: Problem | None = None
    shown: ShownData | None = None


def make(seed: int, spec: ProblemSpec, purpose: Purpose, replicate: int) -> MadeProblem:
    """Return the problem of a replicate.

    Parameters
    ----------
    seed : int
        The study's.
    spec : ProblemSpec
    purpose : {"main", "tuning"}
        Tuning has streams of its own: its systems are held out.
    replicate : int

    Raises
    ------
    NoProblem
        If no draw falls into the bin, or a file is not what it was.

    Examples
    --------
    Two schemes on one graph:

    >>> from causalassay.graphs.sources import ErdosRenyi
    >>> from causalassay.models import ISCM, SCM
    >>> raw = make(1, Generated(ErdosRenyi(5, 1.0), SCM(), 100), "main", 0).problem
    >>> iscm = make(1, Generated(ErdosRenyi(5, 1.0), ISCM(), 100), "main", 0).problem
    >>> bool((raw.graph == iscm.graph).all())
    True
    """
    if isinstance(spec, FromFile):
        return _of_file(seed, spec, purpose, replicate)
    if isinstance(spec, Network):
        model = _network(spec)
        address = (purpose, graph_address(spec), replicate, 0)
        return MadeProblem(_sampled(seed, spec, model.graph, model, None, address))
    most_draws = spec.accept.most_draws if spec.accept else 1
    for attempt in range(most_draws):
        problem = _generate(seed, spec, purpose, replicate, attempt)
        if spec.accept is None or _accepted(problem, spec.accept):
            return MadeProblem(problem, attempt + 1)
    raise NoProblem(_rejection(spec))


def _rejection(spec: Generated) -> str:
    if spec.accept is None:
        raise ValueError("a problem without a bin is never rejected")
    low, high = spec.accept.bin
    return (
        f"no problem with {spec.accept.diagnostic} from {low:g} to {high:g} "
        f"in {spec.accept.most_draws} draws"
    )


def _accepted(problem: Problem, accept: Accept) -> bool:
    value = DIAGNOSTICS[accept.diagnostic].measure(problem)
    low, high = accept.bin
    return low <= value < high or value == high == 1


def _generate(
    seed: int, spec: Generated, purpose: Purpose, replicate: int, attempt: int
) -> Problem:
    address = (purpose, graph_address(spec), replicate, attempt)
    graph = spec.graph.draw(stream(seed, "graph", *address))
    if isinstance(graph, np.ndarray):
        graph.flags.writeable = False  # it is the truth: no model source may change it
    model, observed = _model(spec, graph, stream(seed, "model", *address))
    return _sampled(seed, spec, graph, model, observed, address)


def _sampled(  # noqa: PLR0913, PLR0917  what a problem is made of
    seed: int,
    spec: Generated | Network,
    graph: Adjacency | LaggedGraph,
    model: Any,
    observed: Values | None,
    address: tuple[str | int, ...],
) -> Problem:
    """Return the problem of a model, with its interventions and transforms."""
    if observed is None:
        observed = model.sample(spec.samples, stream(seed, "data", *address))
    regimes = [Regime("observational", observed)]
    if spec.interventions is not None:
        rng = stream(seed, "targets", *address)
        for targets in _targets(spec.interventions, observed.shape[1], rng):
            draws = stream(seed, "data", *address, "regime", *targets)
            regimes.append(_regime(spec.interventions, model, targets, draws))
    return transformed(
        _observed(graph, model, tuple(regimes)),
        spec.transform,
        stream(seed, "transform", *address),
        stream(seed, "scales", *address) if spec.transform else None,
    )


def _observed(graph: Adjacency | LaggedGraph, model: Any, regimes: tuple[Regime, ...]) -> Problem:
    """Return what was drawn, as a problem."""
    columns, kinds = _columns(model)
    if isinstance(graph, LaggedGraph):
        series = Dataset(columns, regimes, "observational", kinds, rows="series")
        return Problem.of_series(series, graph, model)
    try:
        data = Dataset(columns, regimes, "observational", kinds)
    except ValueError as reason:
        # A small sample can miss all levels of a column but one, or show two columns alike.
        if isinstance(model, DiscreteSCM):
            raise NoProblem(f"the rows drawn make no data set: {reason}; or take more") from None
        raise
    return Problem(data, graph, model)


def _columns(model: Any) -> tuple[tuple[str, ...], tuple[ColumnKind, ...]]:
    """Return the names and kinds of a model's columns."""
    if isinstance(model, DiscreteSCM):
        return model.names, tuple(Discrete(levels) for levels in model.levels)
    graph = model.graph
    n_nodes = graph.n_nodes if isinstance(graph, LaggedGraph) else len(graph)
    return tuple(f"x{node}" for node in range(n_nodes)), (Continuous(),) * n_nodes


def _model(
    spec: Generated, graph: Adjacency | LaggedGraph, rng: Generator
) -> tuple[Any, Values | None]:
    """Draw the model; a source that standardised a sample of the size asked for gives that too."""
    source: Any = spec.model
    if getattr(source, "sample_size", None) is None or not hasattr(source, "calibrate"):
        return source.draw(graph, rng), None
    model, values = source.calibrate(graph, rng)
    return model, values if values is not None and len(values) == spec.samples else None


def _targets(
    interventions: Interventions, n_nodes: int, rng: Generator
) -> tuple[tuple[int, ...], ...]:
    if interventions.probability is None:
        return interventions.targets or ()
    chosen = np.flatnonzero(rng.random(n_nodes) < interventions.probability)
    return tuple((int(node),) for node in chosen)


def _regime(
    interventions: Interventions, model: Any, targets: tuple[int, ...], rng: Generator
) -> Regime:
    names = ", ".join(_columns(model)[0][node] for node in targets)
    if isinstance(model, DiscreteSCM) and interventions.action == "randomize":
        drawn = tuple(RandomizeLevels(node) for node in targets)
        values = model.sample(interventions.samples, rng, drawn)
        return Regime(f"randomize {names}", values, targets, drawn)
    intervention: tuple[Action | At, ...] = tuple(_action(interventions, n) for n in targets)
    if interventions.start is not None:
        start, stop = interventions.start, interventions.stop
        intervention = tuple(At(_action(interventions, n), start, stop) for n in targets)
    values = model.sample(interventions.samples, rng, intervention)
    return Regime(f"{interventions.action} {names}", values, targets, intervention)


def _action(interventions: Interventions, node: int) -> Action:
    value, scale = interventions.value, interventions.scale
    match interventions.action:
        case "do":
            return Do(node, value, scale)
        case "shift":
            return Shift(node, value, scale)
        case "randomize":
            return Randomize(node, value, interventions.variance, scale)


def columns_of_file(spec: FromFile | Network) -> tuple[str, ...]:
    """Return the names of the columns of a file; `NoProblem` if it is not there or another."""
    return _network(spec).names if isinstance(spec, Network) else _read(spec).data.columns


def _check_file(path: Path, expected: str) -> None:
    try:
        checksum = file_sha256(path)
    except OSError as reason:
        # Of the error only its kind: a path differs between machines.
        raise NoProblem(f"{path.name} cannot be read: {reason.strerror}") from reason
    if checksum != expected:
        raise NoProblem(f"{path.name} is not the file it was when the study began")


@lru_cache(maxsize=4)
def _network(spec: Network) -> DiscreteSCM:
    _check_file(spec.file, spec.sha256)
    return read_bif(spec.file)


@lru_cache(maxsize=4)
def _rows_of(spec: FromFile) -> Problem:
    _check_file(spec.file, spec.sha256)
    _check_file(spec.graph_file, spec.graph_sha256)
    discrete = spec.discrete if isinstance(spec.discrete, bool) else dict(spec.discrete)
    with unsaid():  # the study's reader has been told
        data = read(
            *(spec.file, spec.target, spec.condition, spec.observational, discrete, spec.rows),
            drop=spec.drop,
            separator=spec.separator,
        )
        graph, _ = read_graph(spec.graph_file, columns=data.columns, transpose=spec.transpose)
    if spec.only_observational:
        values = data.observational_values
        data = Dataset(
            data.columns,
            (Regime(data.observational or "observational", values),),
            data.observational,
            data.kinds,
            data.rows,
        )
    return Problem(data, graph)


def _read(spec: FromFile) -> Problem:
    """Return a file as it is, read once for all that is done to it."""
    return _rows_of(replace(spec, transform=(), bootstrap=None))


def _of_file(seed: int, spec: FromFile, purpose: Purpose, replicate: int) -> MadeProblem:
    address = (seed, purpose, replicate)
    # What does not depend on the replicate is made, and judged, once for all of them.
    whole = _whole(spec, address if {*spec.transform} - {"standardize"} else None)
    if spec.bootstrap is None:
        return MadeProblem(whole, whole=None if spec.of_folder else whole)
    resampled = _resampled_rows(seed, spec, purpose, replicate)
    return MadeProblem(_changed(resampled, spec, address), whole=whole)


@lru_cache(maxsize=4)
def _whole(spec: FromFile, address: tuple[int, Purpose, int] | None) -> Problem:
    """Return all rows of a file, changed as a replicate's are."""
    return _changed(_read(spec), spec, address or (0, "main", 0))


def _changed(problem: Problem, spec: FromFile, address: tuple[int, Purpose, int]) -> Problem:
    seed, purpose, replicate = address
    rng = stream(seed, purpose, "transform", digest(spec), replicate)
    # Named without the transform: those that share standard deviations draw the same ones.
    scales = stream(seed, purpose, "scales", digest(replace(spec, transform=())), replicate)
    return transformed(problem, spec.transform, rng, scales)


def _resampled_rows(seed: int, spec: FromFile, purpose: Purpose, replicate: int) -> Problem:
    problem = _read(spec)
    # Named without the transform: raw and standardised rows are then the same rows.
    rng = stream(seed, "bootstrap", purpose, digest(replace(spec, transform=())), replicate)
    share = (spec.bootstrap or problem.data.n_samples) / problem.data.n_samples
    regimes = tuple(_resampled(regime, share, rng) for regime in problem.data.regimes)
    data = Dataset(problem.data.columns, regimes, problem.data.observational, problem.data.kinds)
    return Problem(data, problem.graph)


def _resampled(regime: Regime, share: float, rng: Generator) -> Regime:
    n = len(regime.values)
    rows = rng.integers(n, size=max(2, round(share * n)))
    return Regime(regime.condition, regime.values[rows], regime.targets, regime.intervention)


# What can be done to a problem once it is drawn.

LARGEST_FACTOR = 100.0
"""Units are rescaled by factors between its inverse and itself, log-uniform."""


def transformed(
    problem: Problem,
    changes: tuple[Transform, ...],
    rng: Generator,
    scales: Generator | None = None,
) -> Problem:
    """Return the problem after each change in turn.

    Parameters
    ----------
    problem : Problem
    changes : tuple of Transform
    rng : Generator
    scales : Generator, optional
        Of the standard deviations that "rescale-in-order" and "rescale-at-random" share, from a
        stream that is the same for both; by default `rng`.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.data import Dataset
    >>> data = Dataset.from_values([[0.0, 5.0], [2.0, 1.0]])
    >>> problem = Problem(data, np.array([[False, True], [False, False]]))
    >>> changed = transformed(problem, ("standardize",), np.random.default_rng(0))
    >>> changed.data.observational_values
    array([[-1.,  1.],
           [ 1., -1.]])
    """
    for change in changes:
        match change:
            case "standardize":
                values = problem.data.observational_values
                problem = _rescaled(problem, values.mean(axis=0), values.std(axis=0))
            case "rescale":
                limit = np.log(LARGEST_FACTOR)
                factor = np.exp(rng.uniform(-limit, limit, problem.data.n_nodes))
                problem = _rescaled(problem, np.zeros(len(factor)), factor)
            case "rescale-in-order" | "rescale-at-random":
                sd = problem.data.observational_values.std(axis=0)
                ordered = change == "rescale-in-order"
                new = _other_deviations(sd, ordered, rng if scales is None else scales)
                problem = _rescaled(problem, np.zeros(len(sd)), sd / new)
            case "shuffle-labels":
                if problem.lagged is not None:
                    label = rng.permutation(problem.data.n_nodes)
                    shuffled = problem.lagged.relabel(label)
                    problem = Problem.of_series(problem.data, shuffled, name=problem.name)
                else:
                    graph = shuffle_labels(problem.graph, rng)
                    problem = Problem(problem.data, graph, name=problem.name)
            case _:
                raise ValueError(f"transform: there is no {change!r}")
    return problem


def _other_deviations(sd: Vector, ordered: bool, rng: Generator) -> Vector:
    """Return standard deviations between the least and the largest, in order or as drawn."""
    if not sd.all():
        raise ValueError("a column is constant, so it has no scale to change; leave it out")
    drawn = np.exp(rng.uniform(np.log(sd.min()), np.log(sd.max()), len(sd)))
    if not ordered:
        return drawn  # independently of each other: in a random order
    rank = np.argsort(np.argsort(sd))
    return np.sort(drawn)[rank]


def _rescaled(problem: Problem, centre: Vector, scale: Vector) -> Problem:
    """Return the problem with ``(x - centre) / scale`` in place of each column x."""
    if problem.data.discrete_columns:
        raise ValueError("only continuous columns can be rescaled; remove the transform")
    regimes = tuple(
        # The intervention is on the old scale; what was intervened upon is still known.
        replace(regime, values=(regime.values - centre) / scale, intervention=None)
        for regime in problem.data.regimes
    )
    return Problem(
        replace(problem.data, regimes=regimes),
        problem.graph,
        _rescaled_model(problem.model, centre, scale),
        problem.name,
        problem.lagged,
    )


def _rescaled_model(model: Model | VAR | None, centre: Vector, scale: Vector) -> Model | None:
    match model:
        case LinearSCM():
            return standardized_implied(model, centre, scale)
        case AdditiveNoiseSCM():
            return model.standardized(centre, scale)
        case _:
            return None
