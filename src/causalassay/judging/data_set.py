"""The judge of one data set: findings on its order and on its graph, by the rules of `rules`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency, Vector
from causalassay.contracts import NotApplicable
from causalassay.data.dataset import Dataset
from causalassay.diagnostics import PairWeights
from causalassay.judging.artefacts import Artefact, Measured, by_name, measure_all
from causalassay.judging.findings import GAMEABLE_KINDS, Finding, FindingKind, Subject
from causalassay.judging.graph_check import GraphCheck, check_graph, why_codes
from causalassay.judging.order_tests import (
    LEAST_ORDERS,
    OrderTest,
    RandomOrders,
    attainable,
    corrected_level,
    measure_orders,
    order_pairs,
    ties_throughout,
    true_orders,
)
from causalassay.judging.p_values import MonteCarlo
from causalassay.judging.regression_along import regression_along
from causalassay.present.formatting import PValue, as_sentence, in_words, percent

_NO_ORDERS = np.empty((0, 2))


BORDERLINE = "Borderline: a p-value is so near its level that another seed may decide otherwise."


@dataclass(frozen=True)
class Judged:
    """What the judge found, and the numbers it rests on.

    Parameters
    ----------
    findings : tuple of Finding
        On the order; the one on the graph comes last.
    tests : tuple of OrderTest
        One for each statistic that could be tested and each direction.
    random_orders : array of shape (n, 2)
        F1 and SHD along each random order; empty if nothing can be regressed.
    graph_check : GraphCheck
    level : float
        The significance level of each test.
    attainable_p : float
        The least p-value that any order could have; nan where it was not needed.
    statistics : mapping of str to Vector
        The values of each statistic that could be measured, columns ordered by `in_fixed_order`.
    """

    findings: tuple[Finding, ...]
    tests: tuple[OrderTest, ...]
    random_orders: np.ndarray
    graph_check: GraphCheck
    level: float
    attainable_p: float = float("nan")
    statistics: Mapping[str, Vector] = field(default_factory=dict)

    @property
    def sortable_p_values(self) -> dict[str, tuple[PValue, PValue]]:
        """The p-values of the tests of sortability by statistic, rising and falling."""
        p_values: dict[str, list[PValue]] = {}
        for test in self.tests:
            p_values.setdefault(test.artefact.statistic, []).append(test.sortable.as_p_value)
        return {name: (rising, falling) for name, (rising, falling) in p_values.items()}


def judge_data(  # noqa: PLR0913  what is judged, and what is asked of it
    data: Dataset,
    graph: Adjacency,
    rng: Generator,
    max_lag: int = 1,
    tick: Callable[[], None] = lambda: None,
    artefacts: tuple[Artefact, ...] | None = None,
    *,
    always_attainable: bool = False,
) -> Judged:
    """Return what is found on data with a graph.

    Parameters
    ----------
    data : Dataset
    graph : Adjacency
        A DAG; of a series the summary graph.
    rng : Generator
    max_lag : int
        The largest lag of a link; used for series only.
    tick : callable
        Called after each random order.
    artefacts : tuple of Artefact, optional
        What may give the order away; by default all that data of this kind can have.
    always_attainable : bool
        Measure the least p-value that any order could have even where something was found.

    Examples
    --------
    >>> from causalassay import graphs, models
    >>> rng = np.random.default_rng(0)
    >>> graph = graphs.erdos_renyi(12, 2, rng)
    >>> data = Dataset.from_values(models.draw("scm", graph, rng).sample(500, rng))
    >>> [finding.kind.value for finding in judge_data(data, graph, rng).findings]
    ['gameable', 'graph-not-refuted']
    """
    data, graph = in_fixed_order(data, graph)
    orders_rng, order_tests_rng, check_rng = rng.spawn(3)
    check = check_graph(data, graph, check_rng)
    measured = measure_all(data, max_lag, artefacts)
    level = corrected_level(len(measured)) if measured else float("nan")
    judged = Judged((), (), _NO_ORDERS, check, level, statistics=by_name(measured))

    def only(finding: Finding) -> Judged:
        return replace(judged, findings=(finding, check.finding))

    if not measured:
        return only(undecided(f"no statistic is known that {data.world} columns can be sorted by"))
    weights = order_pairs(data, graph)
    if not len(weights.weight):
        return only(Finding(FindingKind.TOO_SMALL, rule="too small", variant="no pair"))
    try:
        orders = RandomOrders(regression_along(data, max_lag), graph, orders_rng, tick)
        orders.scores(LEAST_ORDERS)
    except NotApplicable as reason:
        return only(undecided(f"nothing can be regressed along an order: {reason}"))
    codes = why_codes(data)
    if codes:
        return only(undecided(codes))
    tests, tied, findings = _try_all(measured, weights, orders, level, order_tests_rng)
    on_order = (order_finding(test, orders.drawn) for test in tests)
    findings = [*(finding for finding in on_order if finding), *findings]
    least = float("nan")
    best: Sequence[MonteCarlo] = ()
    if not findings or always_attainable:
        best = attainable(
            weights, orders, true_orders(weights, order_tests_rng), level, order_tests_rng
        )
        least = max(test.p_value for test in best)
    if not findings and all(test.below for test in best):
        findings = [nothing_found(tests, orders.drawn, tied)]
    elif not findings:
        findings = [too_small(least, level)]
    if not all(test.decided for test in (*_tests_behind(findings[0], tests), *best)):
        findings[0] = replace(findings[0], remarks=(*findings[0].remarks, BORDERLINE))
    return replace(
        judged,
        findings=(*findings, check.finding),
        tests=tuple(tests),
        random_orders=orders.drawn,
        attainable_p=least,
    )


def _tests_behind(finding: Finding, tests: Sequence[OrderTest]) -> list[MonteCarlo]:
    """Return the tests on which a finding hangs: of what was found its own, else all."""
    behind = [
        test
        for test in tests
        if finding.kind not in GAMEABLE_KINDS
        or (
            test.artefact.statistic == finding.statistic
            and test.sortable.below
            and test.winning.below
        )
    ]
    return [part for test in behind for part in (test.sortable, test.winning)]


def _try_all(
    measured: Measured, weights: PairWeights, orders: RandomOrders, level: float, rng: Generator
) -> tuple[list[OrderTest], list[Artefact], list[Finding]]:
    """Return the tests of each statistic, those that tie, and what could not be measured."""
    tests, tied, not_measured = [], [], []
    for (artefact, statistic), stream in zip(
        measured.items(), rng.spawn(len(measured)), strict=True
    ):
        if isinstance(statistic, NotApplicable):
            why = f"{artefact.word} cannot be measured: {statistic}"
            not_measured.append(undecided(why, artefact.statistic))
        elif ties_throughout(statistic):
            tied.append(artefact)
        else:
            tests += measure_orders(artefact, statistic, weights, orders, level, stream, stream)
    return tests, tied, not_measured


def undecided(why: str, statistic: str = "") -> Finding:
    """Return that a test could not be run, and why."""
    return Finding(
        FindingKind.UNDECIDED, Subject(statistic), rule="what is missing", words={"why": why}
    )


def order_finding(test: OrderTest, random_orders: np.ndarray) -> Finding | None:
    """Return what a test of one statistic in one direction found; None if nothing."""
    passed = test.sortable.below, test.winning.below
    if not any(passed):
        return None
    numbers = {
        "f1": test.f1,
        "random_f1": float(random_orders[:, 0].mean()),
        "winning_p": test.winning.as_p_value,
        "sortability": test.sortability,
        "sortable_p": test.sortable.as_p_value,
    }
    return sorting_finding(test.artefact, test.backwards, passed, numbers, "two tests")


def sorting_finding(  # noqa: PLR0913, PLR0917  what it is, its numbers, and how it is said
    artefact: Artefact,
    backwards: bool,
    passed: tuple[bool, bool],
    numbers: Mapping[str, object],
    rule: str,
    over: str = "",
) -> Finding:
    """Return that sorting by a statistic wins, or may win.

    Parameters
    ----------
    artefact : Artefact
    backwards : bool
    passed : (bool, bool)
        Whether the test of sortability and the test of winning found something.
    numbers : mapping
        As the sentences of the kind have them.
    rule : str
    over : str
        What the numbers are means over; empty for one data set.
    """
    kind, variant = FindingKind.LEANING, "sortable" if passed[0] else "winning"
    if all(passed):
        kind = FindingKind.GAMEABLE_BACKWARDS if backwards else FindingKind.GAMEABLE
        variant = ""
    elif over:
        variant = f"files {variant}"
    words = {
        "word": artefact.word,
        "cure": as_sentence(artefact.cure),
        "grows": "falls" if backwards else "grows",
        "falling": "falling " if backwards else "",
        "graph_is": "graphs are" if over else "graph is",
        "over": over,
    }
    return Finding(kind, Subject(artefact.statistic), numbers, rule, words, variant)


def nothing_found(
    tests: Sequence[OrderTest], random_orders: np.ndarray, tied: Sequence[Artefact]
) -> Finding:
    """Return that no statistic passed a test, though a true order would have passed both.

    Parameters
    ----------
    tests : list of OrderTest
    random_orders : array of shape (n, 2)
    tied : sequence of Artefact
        Those whose statistics are the same in all columns.
    """
    remarks = tuple(
        f"{artefact.title} is the same in all columns, so nothing sorts by it." for artefact in tied
    )
    if not tests:
        return Finding(FindingKind.NO_EVIDENCE, rule="no evidence", variant="tied", remarks=remarks)
    random_f1 = float(random_orders[:, 0].mean())
    words = list(dict.fromkeys(test.artefact.word for test in tests))
    best = max(test.f1 for test in tests)
    shares = [test.sortability for test in tests]
    return replace(no_evidence(words, best, random_f1, shares, "no evidence"), remarks=remarks)


def no_evidence(  # noqa: PLR0913, PLR0917  the numbers of one sentence
    words: Sequence[str],
    best_f1: float,
    random_f1: float,
    sortabilities: Sequence[float],
    rule: str,
    over: str = "",
) -> Finding:
    """Return that sorting by some statistics was not seen to win."""
    low, high = min(sortabilities), max(sortabilities)
    numbers = {
        "best_f1": best_f1,
        "random_f1": random_f1,
        "least_sortability": low,
        "largest_sortability": high,
    }
    limits = f"{low:.2f}" if f"{low:.2f}" == f"{high:.2f}" else f"{low:.2f} to {high:.2f}"
    clauses = {"words": in_words(words, "or"), "limits": limits, "over": over}
    return Finding(FindingKind.NO_EVIDENCE, numbers=numbers, rule=rule, words=clauses)


def too_small(share: float, level: float) -> Finding:
    """Return that no test could have found anything.

    Parameters
    ----------
    share : float
        The share of random orders that are as good as a true one.
    level : float
        The significance level of each test.

    Examples
    --------
    >>> too_small(0.0833, 0.0125).sentence
    'Too small, or without signal: too many random orders are as good as a true one (8.3 %, at a
    level of 1.25 %).'
    """
    numbers = {"share_as_good": share, "test_level": level}
    words = {"share": percent(share, 1), "level": f"{100 * level:.3g} %"}
    return Finding(FindingKind.TOO_SMALL, numbers=numbers, rule="too small", words=words)


# One order of the columns, whatever order they come in: no finding may depend on it.


def in_fixed_order(data: Dataset, graph: Adjacency) -> tuple[Dataset, Adjacency]:
    """Return data and graph with the columns ordered by what they hold.

    So random draws fall on the same columns if the columns are permuted.

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> data = Dataset.from_values([[2.0, 1.0], [3.0, 5.0]], columns=["a", "b"])
    >>> flipped = data.permute_columns([1, 0])
    >>> first, second = in_fixed_order(data, chain(2)), in_fixed_order(flipped, chain(2).T)
    >>> first[0].columns == second[0].columns, bool((first[1] == second[1]).all())
    (True, True)
    """
    values = data.observational_values
    order = sorted(range(data.n_nodes), key=lambda j: values[:, j].tobytes())
    return data.permute_columns(order), graph[np.ix_(order, order)]
