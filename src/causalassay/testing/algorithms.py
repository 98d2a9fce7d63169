"""What every algorithm must satisfy."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import Any, get_args

import numpy as np

from causalassay.common.arrays import Weights, check_adjacency
from causalassay.common.spelling import listed
from causalassay.contracts import Algorithm, Estimate, NotApplicable, Reads
from causalassay.data import Dataset, Regime
from causalassay.data.dataset import Rows
from causalassay.graphs import erdos_renyi, is_cpdag, is_dag, lagged_erdos_renyi
from causalassay.graphs.probabilities import check_probabilities
from causalassay.models import SCM, SeriesSCM

# What the checks of every kind share: collecting breaches, and what a plug-in's class must be.

Check = Callable[[], Iterator[str]]
"""Yields a sentence for each breach of the contract."""


def raise_breaches(plug_in: object, checks: Sequence[Check]) -> None:
    """Raise an AssertionError that lists every breach; return if there is none."""
    if isinstance(plug_in, type):
        raise TypeError(f"expected an instance, got the class: pass {plug_in.__name__}()")
    breaches: list[str] = []
    for check in checks:
        try:
            breaches += check()
        except Exception as reason:  # a breach like any other
            breaches.append(f"it raised {type(reason).__name__} on ordinary input: {reason}")
    if breaches:
        lines = "\n- ".join(dict.fromkeys(breaches))
        raise AssertionError(f"{type(plug_in).__name__} breaks the contract:\n- {lines}")


def class_breaches(plug_in: Any) -> Iterator[str]:
    """Yield why a plug-in is no frozen dataclass with a version, or cannot be hashed."""
    kind = type(plug_in)
    if not dataclasses.is_dataclass(kind) or not kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        yield "it is not a frozen dataclass: write @dataclass(frozen=True)"
    version = getattr(kind, "version", None)
    if version is None:
        yield "it has no `version: ClassVar[int]`, which is part of the key of every row"
    elif not isinstance(version, int) or isinstance(version, bool):
        yield f"its `version` is {version!r}, expected an int"
    try:
        hash(plug_in)
    except TypeError as reason:
        yield f"it cannot be hashed ({reason}): fields must be tuples rather than lists"


def number_breaches(value: Any, where: str) -> Iterator[str]:
    """Yield why a value is no number; nan is one."""
    if not isinstance(value, Real) or isinstance(value, bool):
        yield f"{where}: it returned {value!r}; return a float, nan where it is undefined"


def same_number(first: Any, second: Any) -> bool:
    """Tell whether two results are equal, up to rounding in another order of the nodes."""
    if not isinstance(first, Real) or not isinstance(second, Real):
        return True  # that it is no number is a breach of its own
    both_undefined = math.isnan(first) and math.isnan(second)
    return both_undefined or math.isclose(first, second, rel_tol=1e-6, abs_tol=1e-9)


KINDS = ("dag", "cpdag", "pdag", "summary")


def check_algorithm(algorithm: Algorithm) -> None:
    """Raise an AssertionError that lists every breach of an algorithm's contract.

    It must be a frozen dataclass with a ``version``; give the same estimate for
    the same stream; leave its input alone; return a valid graph of the kind it
    says, with weights and an order that fit; relabel its result when the
    columns are relabelled, unless it declares ``equivariant = False``; read what
    ``reads`` says; and answer tiny and degenerate data with an estimate or
    `NotApplicable`. One that declares ``rows = "series"`` is given series, others are
    given independent rows.

    Parameters
    ----------
    algorithm : Algorithm
        An instance, with the hyperparameters to test.

    Examples
    --------
    In the tests of your package:

    >>> from causalassay.discovery import make_algorithm
    >>> check_algorithm(make_algorithm("var-sortnregress"))
    """
    raise_breaches(algorithm, [partial(check, algorithm) for check in CHECKS])


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


def _is_deterministic(algorithm: Algorithm) -> Iterator[str]:
    data = _benchmark(algorithm)
    first, second = _run(algorithm, data), _run(algorithm, data)
    if not np.array_equal(first.graph, second.graph):
        yield "two runs with the same stream gave different graphs: draw from `rng` alone"
    for name in ("weights", "probabilities"):
        if not np.array_equal(_numbers(first, name), _numbers(second, name), equal_nan=True):
            yield f"two runs with the same stream gave different {name}: draw from `rng` alone"


def _numbers(estimate: Estimate, name: str) -> Weights:
    array = getattr(estimate, name)
    return np.zeros(0) if array is None else array


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


def estimate_flaws(estimate: Estimate, n_nodes: int) -> Iterator[str]:
    """Yield what is wrong with an estimate for data of `n_nodes` columns.

    Examples
    --------
    >>> both_ways = Estimate(np.ones((2, 2), dtype=bool) ^ np.eye(2, dtype=bool), "dag")
    >>> list(estimate_flaws(both_ways, 2))
    ['its kind is "dag" but the graph has a cycle or an undirected edge']
    """
    try:
        check_adjacency(estimate.graph, "graph")
    except (TypeError, ValueError) as reason:
        yield f"its graph is not an adjacency matrix: {reason}"
        return
    if estimate.graph.shape != (n_nodes, n_nodes):
        yield f"its graph has shape {estimate.graph.shape} for {n_nodes} columns"
        return
    yield from _kind_flaws(estimate)
    if estimate.weights is not None:
        kind = np.asarray(estimate.weights).dtype
        if kind.kind not in "biuf":
            yield f"its weights are of type {kind}, expected floats"
        elif estimate.weights.shape != estimate.graph.shape:
            yield f"its weights have shape {estimate.weights.shape}"
        elif not np.isfinite(estimate.weights).all():
            yield "its weights are not all finite"
    if estimate.probabilities is not None:
        try:
            both_ways = estimate.kind == "summary"
            check_probabilities(estimate.probabilities, n_nodes, both_ways=both_ways)
        except (TypeError, ValueError) as reason:
            yield f"its {reason}"
    if estimate.order is not None and sorted(estimate.order) != list(range(n_nodes)):
        yield f"its order {estimate.order} does not name each column once"


def _kind_flaws(estimate: Estimate) -> Iterator[str]:
    if estimate.kind not in KINDS:
        yield f"its kind is {estimate.kind!r}, expected one of {KINDS}"
    if estimate.kind == "dag" and not is_dag(estimate.graph):
        yield 'its kind is "dag" but the graph has a cycle or an undirected edge'
    if estimate.kind == "cpdag" and not is_cpdag(estimate.graph):
        yield 'its kind is "cpdag" but the graph is not a CPDAG; say "pdag" when in doubt'
    if estimate.lagged is not None and not np.array_equal(estimate.lagged.summary, estimate.graph):
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


def _reads_what_it_says(algorithm: Algorithm) -> Iterator[str]:
    reads = getattr(algorithm, "reads", None)
    if reads is None:
        return
    if reads not in get_args(Reads):
        yield f"`reads` is {reads!r}, expected one of {listed(get_args(Reads))}"
        return
    observed, shifted, other_targets, pooled = _regimes_in_four_ways(algorithm)
    if reads in ("no rows", "observational rows"):
        if not _same_graph(algorithm, observed, shifted):
            yield f"interventional rows changed its graph, but `reads` is {reads!r}"
    elif reads == "all rows, pooled" and not (
        _same_graph(algorithm, shifted, other_targets) and _same_graph(algorithm, shifted, pooled)
    ):
        yield f"the regimes of the same rows changed its graph, but `reads` is {reads!r}"


def _regimes_in_four_ways(algorithm: Algorithm) -> tuple[Dataset, Dataset, Dataset, Dataset]:
    """Return data without interventions, with some, with other targets, and with one regime."""
    data = _benchmark(algorithm)
    values, rows = data.observational_values, _rows(algorithm)
    noise = np.random.default_rng(4).exponential(size=values.shape)
    regimes = (
        Regime("o", values),
        Regime("i", values[:100] @ np.triu(np.ones((6, 6))) + 5 * noise[:100], (0,)),
        Regime("j", noise[100:200].cumsum(axis=1)[:, ::-1] * 9, (3,)),
    )
    others = (regimes[0], replace(regimes[1], targets=(4,)), replace(regimes[2], targets=(1,)))
    everything = (Regime("o", np.concatenate([regime.values for regime in regimes])),)
    return (
        Dataset(data.columns, regimes[:1], "o", rows=rows),
        Dataset(data.columns, regimes, "o", rows=rows),
        Dataset(data.columns, others, "o", rows=rows),
        Dataset(data.columns, everything, "o", rows=rows),
    )


def _same_graph(algorithm: Algorithm, one: Dataset, other: Dataset) -> bool:
    return np.array_equal(_run(algorithm, one).graph, _run(algorithm, other).graph)


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
            estimate = _run(algorithm, replace(data, rows=_rows(algorithm)))
        except NotApplicable:
            continue
        except Exception as reason:  # anything else is the finding
            yield f"{what}: {type(reason).__name__}: {reason}; raise NotApplicable instead"
            continue
        for flaw in estimate_flaws(estimate, data.n_nodes):
            yield f"{what}: {flaw}"


CHECKS = (
    class_breaches,
    _is_deterministic,
    _leaves_its_input_alone,
    _returns_what_it_says,
    _relabels_its_result,
    _reads_what_it_says,
    _survives_odd_data,
)
