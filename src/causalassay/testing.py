"""The conformance suite: what every algorithm must satisfy, for built-ins and strangers alike."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

import numpy as np

from causalassay.arrays import Weights, check_adjacency
from causalassay.contracts import Algorithm, Estimate, NotApplicable
from causalassay.data import Dataset, Regime
from causalassay.data.dataset import Rows
from causalassay.graphs import erdos_renyi, is_cpdag, is_dag, lagged_erdos_renyi
from causalassay.models import SCM, SeriesSCM

KINDS = ("dag", "cpdag", "pdag", "summary")


def check_algorithm(algorithm: Algorithm) -> None:
    """Raise an AssertionError that lists every way in which an algorithm breaks the contract.

    It must be a frozen dataclass with a ``version``; give the same estimate for
    the same stream; leave its input alone; return a valid graph of the kind it
    says, with weights and an order that fit; relabel its result when the
    columns are relabelled, unless it declares ``equivariant = False``; and
    answer tiny and degenerate data with an estimate or `NotApplicable`. One that
    declares ``rows = "series"`` is given series, others are given independent rows.

    Parameters
    ----------
    algorithm : Algorithm

    Examples
    --------
    In the tests of your package:

    >>> from causalassay.discovery import make_algorithm
    >>> check_algorithm(make_algorithm("var-sortnregress"))
    """
    wrong: list[str] = []
    for check in CHECKS:
        try:
            wrong += check(algorithm)
        except Exception as reason:  # a finding like any other
            wrong.append(f"it raised {type(reason).__name__} on ordinary data: {reason}")
    if wrong:
        listed = "\n- ".join(dict.fromkeys(wrong))
        raise AssertionError(f"{type(algorithm).__name__} breaks the contract:\n- {listed}")


def _benchmark(algorithm: Algorithm, n_nodes: int = 6, n_samples: int = 300) -> Dataset:
    rng = np.random.default_rng(0)
    if _rows(algorithm) == "series":
        model = SeriesSCM().draw(lagged_erdos_renyi(n_nodes, 0.4, 1, rng), rng)
        return Dataset.from_values(model.sample(n_samples, rng), rows="series")
    graph = erdos_renyi(n_nodes, 1.5, rng)
    values = SCM(noise="exponential").draw(graph, rng).sample(n_samples, rng)
    return Dataset.from_values(values)


def _rows(algorithm: Algorithm) -> Rows:
    return "series" if getattr(algorithm, "rows", "independent") == "series" else "independent"


def _run(algorithm: Algorithm, data: Dataset, seed: int = 1) -> Estimate:
    return algorithm.discover(data, np.random.default_rng(seed))


def _is_a_frozen_dataclass(algorithm: Algorithm) -> Iterator[str]:
    kind = type(algorithm)
    if not dataclasses.is_dataclass(kind) or not kind.__dataclass_params__.frozen:
        yield "it is not a frozen dataclass: write @dataclass(frozen=True)"
    if not isinstance(getattr(kind, "version", None), int):
        yield "it has no `version: ClassVar[int]`, which is part of the cache key"
    try:
        hash(algorithm)
    except TypeError as reason:
        yield f"it cannot be hashed ({reason}): fields must be tuples rather than lists"


def _is_deterministic(algorithm: Algorithm) -> Iterator[str]:
    data = _benchmark(algorithm)
    first, second = _run(algorithm, data), _run(algorithm, data)
    if not np.array_equal(first.graph, second.graph):
        yield "two runs with the same stream gave different graphs: draw from `rng` alone"
    if not np.array_equal(_weights(first), _weights(second), equal_nan=True):
        yield "two runs with the same stream gave different weights: draw from `rng` alone"


def _weights(found: Estimate) -> Weights:
    return np.zeros(0) if found.weights is None else found.weights


def _leaves_its_input_alone(algorithm: Algorithm) -> Iterator[str]:
    data = _benchmark(algorithm)
    before = data.pooled.copy()
    try:
        _run(algorithm, data)
    except ValueError as reason:
        if "read-only" not in str(reason):
            raise
        yield f"it writes into the data: {reason}; work on a copy"
    if not np.array_equal(before, data.pooled):
        yield "it changed the data: work on a copy"


def _returns_what_it_says(algorithm: Algorithm) -> Iterator[str]:
    data = _benchmark(algorithm)
    yield from estimate_flaws(_run(algorithm, data), data.n_nodes)


def estimate_flaws(found: Estimate, n_nodes: int) -> Iterator[str]:
    """Tell what is wrong with an estimate for data of `n_nodes` columns.

    Examples
    --------
    >>> both_ways = Estimate(np.ones((2, 2), dtype=bool) ^ np.eye(2, dtype=bool), "dag")
    >>> list(estimate_flaws(both_ways, 2))
    ['its kind is "dag" but the graph is none']
    """
    try:
        check_adjacency(found.graph, "graph")
    except (TypeError, ValueError) as reason:
        yield f"its graph is no adjacency: {reason}"
        return
    if found.graph.shape != (n_nodes, n_nodes):
        yield f"its graph has shape {found.graph.shape} for {n_nodes} columns"
        return
    yield from _kind_flaws(found)
    if found.weights is not None:
        if found.weights.shape != found.graph.shape:
            yield f"its weights have shape {found.weights.shape}"
        elif not np.isfinite(found.weights).all():
            yield "its weights are not all finite"
    if found.order is not None and sorted(found.order) != list(range(n_nodes)):
        yield f"its order {found.order} does not name each column once"


def _kind_flaws(found: Estimate) -> Iterator[str]:
    if found.kind not in KINDS:
        yield f"its kind is {found.kind!r}, expected one of {KINDS}"
    if found.kind == "dag" and not is_dag(found.graph):
        yield 'its kind is "dag" but the graph is none'
    if found.kind == "cpdag" and not is_cpdag(found.graph):
        yield 'its kind is "cpdag" but the graph is none; say "pdag" when in doubt'
    if found.lagged is not None and not np.array_equal(found.lagged.summary, found.graph):
        yield "the summary of its lagged graph is not its graph"


def _relabels_its_result(algorithm: Algorithm) -> Iterator[str]:
    if not getattr(algorithm, "equivariant", True):
        return
    data = _benchmark(algorithm)
    label = np.random.default_rng(2).permutation(data.n_nodes)
    straight = _run(algorithm, data).graph
    turned = _run(algorithm, data.permute_columns(label)).graph
    if not np.array_equal(straight[np.ix_(label, label)], turned):
        yield (
            "relabelling the columns did not relabel the graph: it depends on their order; "
            "mend it, or declare `equivariant: ClassVar[bool] = False`"
        )


def _survives_odd_data(algorithm: Algorithm) -> Iterator[str]:
    rng = np.random.default_rng(3)
    constant = rng.normal(size=(20, 3))
    constant[:, 1] = 4.0
    dependent = rng.normal(size=(50, 3))
    dependent[:, 2] = dependent[:, 0] + dependent[:, 1]
    odd = {
        "one column": Dataset.from_values(rng.normal(size=(20, 1))),
        "two rows": Dataset.from_values(rng.normal(size=(2, 3))),
        "as many rows as columns": Dataset.from_values(rng.normal(size=(5, 5))),
        "linearly dependent columns": Dataset.from_values(dependent),
        "a column that is constant in the observational condition": Dataset(
            ("a", "b", "c"),
            (Regime("o", constant), Regime("i", rng.normal(size=(20, 3)), (1,))),
            observational="o",
        ),
        "no observational condition": Dataset(
            ("a", "b"), (Regime("x", rng.normal(size=(20, 2)), (0,)),), observational=None
        ),
    }
    for what, data in odd.items():
        try:
            found = _run(algorithm, dataclasses.replace(data, rows=_rows(algorithm)))
        except NotApplicable:
            continue
        except Exception as reason:  # anything else is the finding
            yield f"{what}: {type(reason).__name__}: {reason}; raise NotApplicable instead"
            continue
        for flaw in estimate_flaws(found, data.n_nodes):
            yield f"{what}: {flaw}"


CHECKS: tuple[Callable[[Algorithm], Iterator[str]], ...] = (
    _is_a_frozen_dataclass,
    _is_deterministic,
    _leaves_its_input_alone,
    _returns_what_it_says,
    _relabels_its_result,
    _survives_odd_data,
)
