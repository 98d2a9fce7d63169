"""What can be done to a problem once it is drawn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from causalassay.arrays import Vector
from causalassay.data import Problem
from causalassay.graphs.families import shuffle_labels
from causalassay.models import VAR, AdditiveNoiseSCM, LinearSCM, Model
from causalassay.models.linear.scaling import standardized_implied
from causalassay.study.problem_specs import Transform

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
