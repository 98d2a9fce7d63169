"""Parameters of a wrong type are named, in Python as in study files."""

import dataclasses
from typing import Any

import numpy as np
import pytest

import causalassay as ca
from causalassay.common.annotations import Misfit, conform, hints
from causalassay.common.registry import parameters
from causalassay.contracts import Algorithm
from causalassay.discovery.registry import ALGORITHMS
from causalassay.graphs.sources import GRAPHS
from causalassay.models.registry import MODELS
from study_texts import HEAD, PROBLEM, mistakes_of

VALUES = np.random.default_rng(0).normal(size=(50, 3))


@pytest.mark.parametrize(
    ("value", "annotation", "expected"),
    [
        (1, float, 1.0),
        (np.float32(0.5), float, 0.5),
        (np.int64(3), int, 3),
        (np.bool_(True), bool, True),
        (None, int | None, None),
        (2, float | int, 2),
        ([1, 2], float | tuple[float, float], (1.0, 2.0)),
        (np.array([1, 2]), tuple[int, ...], (1, 2)),
        ([[0], [1, 2]], tuple[tuple[int, ...], ...], ((0,), (1, 2))),
        ("x", Any, "x"),
        ("x", Algorithm, "x"),
        ({"a": 1}, dict[str, int], {"a": 1}),
    ],
)
def test_a_value_that_fits_comes_as_annotated(value, annotation, expected):
    fitting = conform(value, annotation)
    assert (expected, type(expected)) == (fitting, type(fitting))


@pytest.mark.parametrize(
    ("value", "annotation"),
    [
        ("1", float),
        (True, int),
        (True, float),
        (1.0, int),
        (1, bool),
        (1, str),
        (10**400, float),
        ([1], tuple[float, float]),
        ("ab", tuple[str, ...]),
        (None, float),
    ],
)
def test_a_value_that_does_not_fit_is_refused(value, annotation):
    with pytest.raises(Misfit):
        conform(value, annotation)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ca.discover("pc", VALUES, 0, alpha="x"), "alpha: expected a number, got 'x'"),
        (
            lambda: ca.discover("ges", VALUES, 0, max_parents=1.5),
            "max_parents: expected an integer or None, got 1.5",
        ),
        (lambda: ca.graphs.erdos_renyi(10.0, 2, 0), "n_nodes: expected an integer, got 10.0"),
        (lambda: ca.graphs.erdos_renyi(10, "2", 0), "edges_per_node: expected a number, got '2'"),
        (lambda: ca.graphs.scale_free(None, 2, 0), "n_nodes: expected an integer, got None"),
        (lambda: ca.graphs.chain("3"), "n_nodes: expected an integer, got '3'"),
        (lambda: ca.graphs.forest(3, 0, n_trees=1.5), "n_trees: expected an integer, got 1.5"),
        (
            lambda: ca.graphs.lagged_erdos_renyi(3, [], 1, 0),
            r"^probability: expected a number, got \[\]",
        ),
        (
            lambda: ca.models.draw("scm", ca.graphs.chain(3), 0, noise_sd="x"),
            "noise_sd: expected a number or a list of 2",
        ),
        (
            lambda: ca.models.draw("scm", ca.graphs.chain(3), 0, mechanism="gp", n_features=[]),
            r"n_features: expected an integer, got \[\]",
        ),
    ],
)
def test_python_names_the_parameter_of_a_wrong_type(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_a_wrong_choice_in_python_comes_with_the_nearest():
    with pytest.raises(ValueError, match=r"score: there is no 'bik'; did you mean 'bic'\?"):
        ca.discover("ges", VALUES, 0, score="bik")


def test_the_annotations_of_all_built_ins_can_be_resolved():
    for registry in (ALGORITHMS, GRAPHS, MODELS):
        for name in registry.built_in:
            kind = registry[name]
            names = {field.name for field in dataclasses.fields(kind) if field.init}
            assert names <= set(hints(kind)), name


def test_every_hyperparameter_of_every_algorithm_refuses_a_table():
    for name in ALGORITHMS.built_in:
        for field in parameters(ALGORITHMS[name]):
            table = f'[[algorithms]]\nuse = "{name}"\n{field} = {{a = 1}}\n'
            lines = mistakes_of(HEAD + PROBLEM + table)
            assert f"algorithms[0].{field}: got {{" in "\n".join(lines), lines
