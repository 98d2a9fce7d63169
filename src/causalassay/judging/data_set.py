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
from causalassay.judging.artefacts import Artefact, Measured, artefacts_of, by_name, measure_all
from causalassay.judging.findings import (
    GAMEABLE_KINDS,
    Finding,
    FindingKind,
    Subject,
    main_finding,
)
from causalassay.judging.graph_check import REVERSED, GraphCheck, check_graph, why_codes
from causalassay.judging.order_tests import (
    DIRECTION,
    F1,
    LEAST_ORDERS,
    NO_SCORES,
    OrderTest,
    RandomOrders,
    SortingTests,
    attainable,
    judge_sortings,
    order_pairs,
    strictest_level,
    ties_throughout,
    true_orders,
)
from causalassay.judging.p_values import MonteCarlo, combined
from causalassay.judging.regression_along import regression_along
from causalassay.present.formatting import PValue, as_sentence, fixed, in_words, percent

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
    random_orders : array of shape (n, 4)
        The scores along each random order, as `OrderScores`; empty if nothing can be regressed.
    graph_check : GraphCheck
    level : float
        The significance level of each test of a claim that needs both.
    attainable_p : float
        The least p-value that any order could have; nan where it was not needed.
    statistics : mapping of str to Vector
        The values of each statistic that could be measured, columns ordered by `fixed_order`.
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
    order = fixed_order(data)
    measured = _measure(data, order, max_lag, artefacts)
    data, graph = in_fixed_order(data, graph)
    orders_rng, order_tests_rng, check_rng = rng.spawn(3)
    check = check_graph(data, graph, check_rng)
    judged = Judged((), (), NO_SCORES, check, float("nan"), statistics=by_name(measured))

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
    sortings, tied, findings = _sortings(measured, weights, orders, order_tests_rng)
    tests, level = judge_sortings(sortings)
    on_order = (order_finding(test, orders.drawn) for test in tests)
    findings = [*(finding for finding in on_order if finding), *findings]
    least = float("nan")
    best: Sequence[MonteCarlo] = ()
    if not findings or always_attainable:
        strictest = strictest_level(len(tests))
        best = attainable(
            weights, orders, true_orders(weights, order_tests_rng), strictest, order_tests_rng
        )
        least = max(test.p_value for test in best)
    if not findings and all(test.below for test in best):
        findings = [nothing_found(tests, orders.drawn, tied)]
    elif not findings:
        # Several data sets are judged by all statistics, also by those that tie in this one.
        n_measured = sum(not isinstance(values, NotApplicable) for values in measured.values())
        findings = [too_small(least, level, strictest_level(2 * n_measured))]
    main = main_finding(tuple(findings))
    if not all(test.decided for test in (*_tests_behind(main, tests), *best)):
        remarked = replace(main, remarks=(*main.remarks, BORDERLINE))
        findings[findings.index(main)] = remarked
    return replace(
        judged,
        findings=(*findings, check.finding),
        tests=tuple(tests),
        random_orders=orders.drawn,
        level=level,
        attainable_p=least,
    )


def _measure(
    data: Dataset, order: Sequence[int], max_lag: int, artefacts: tuple[Artefact, ...] | None
) -> Measured:
    """Return what each artefact measures, columns in the fixed order.

    What belongs to the file is measured on the columns as they came.
    """
    chosen = artefacts_of(data.world) if artefacts is None else artefacts
    of_file = [artefact for artefact in chosen if artefact.of_file]
    of_values = [artefact for artefact in chosen if not artefact.of_file]
    measured = dict(measure_all(data.permute_columns(order), max_lag, of_values))
    for artefact, values in measure_all(data, max_lag, of_file).items():
        measured[artefact] = values if isinstance(values, NotApplicable) else values[order]
    return {artefact: measured[artefact] for artefact in chosen}


def _tests_behind(finding: Finding, tests: Sequence[OrderTest]) -> list[MonteCarlo]:
    """Return the tests on which a finding hangs: its own and those that might be found, or all."""
    behind = [
        test
        for test in tests
        if finding.kind not in GAMEABLE_KINDS
        or all(test.passed)
        or all(part.below or not part.decided for part in (test.sortable, test.winning))
    ]
    return [part for test in behind for part in (test.sortable, test.winning)]


def _sortings(
    measured: Measured, weights: PairWeights, orders: RandomOrders, rng: Generator
) -> tuple[list[SortingTests], list[Artefact], list[Finding]]:
    """Return the tests of each statistic, those that tie, and what could not be measured."""
    sortings, tied, not_measured = [], [], []
    for (artefact, statistic), stream in zip(
        measured.items(), rng.spawn(len(measured)), strict=True
    ):
        if isinstance(statistic, NotApplicable):
            why = f"{artefact.word} cannot be measured: {statistic}"
            not_measured.append(undecided(why, artefact.statistic))
        elif ties_throughout(statistic):
            tied.append(artefact)
        else:
            sortings.append(SortingTests(artefact, statistic, weights, orders, stream, stream))
    return sortings, tied, not_measured


def undecided(why: str, statistic: str = "") -> Finding:
    """Return that a test could not be run, and why."""
    return Finding(
        FindingKind.UNDECIDED, Subject(statistic), rule="what is missing", words={"why": why}
    )


def order_finding(test: OrderTest, random_orders: np.ndarray) -> Finding | None:
    """Return what a test of one statistic in one direction found; None if nothing."""
    if not any(test.passed):
        return None
    means = random_orders.mean(axis=0)
    numbers = {
        "direction": test.scores.direction,
        "random_direction": float(means[DIRECTION]),
        "winning_p": test.winning.as_p_value,
        "sortability": test.sortability,
        "sortable_p": test.sortable.as_p_value,
        "f1": test.scores.f1,
        "random_f1": float(means[F1]),
        "skeleton_f1": test.scores.skeleton_f1,
    }
    return sorting_finding(test.artefact, test.backwards, test.passed, numbers, "two tests")


def order_kind(passed: tuple[bool, bool], backwards: bool) -> FindingKind:
    """Return what it is called if the tests of sortability and of winning passed, or did not."""
    if all(passed):
        return FindingKind.GAMEABLE_BACKWARDS if backwards else FindingKind.GAMEABLE
    if passed[0]:
        return FindingKind.SORTABLE_ONLY
    return FindingKind.GAIN_ONLY if passed[1] else FindingKind.NO_EVIDENCE


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
    words = {
        "word": artefact.word,
        "title": artefact.title,
        "cure": as_sentence(artefact.cure),
        "falling": "falling " if backwards else "",
        "over": over,
    }
    kind = order_kind(passed, backwards)
    return Finding(kind, Subject(artefact.statistic), numbers, rule, words)


# The one sentence that people quote: everything that gives the order away, together.


def verdict_of(findings: tuple[Finding, ...]) -> Finding:
    """Return the main finding; if sorting by several statistics wins, all of them in one.

    Parameters
    ----------
    findings : tuple of Finding
        On the order; the one on the graph, if any, comes last.

    Examples
    --------
    >>> numbers = dict(direction=0.9, random_direction=0.0, sortability=1.0, f1=0.9, random_f1=0.4)
    >>> words = dict(word="variance", title="Variance", cure="Other units remove this.", over="")
    >>> one = Finding(FindingKind.GAMEABLE, Subject("variance"), numbers, "two tests", words)
    >>> other = replace(one, subject=Subject("R2"), words=words | dict(word="R²", title="R²"))
    >>> verdict_of((one, other)).sentence
    'Gameable by variance and R²: sorting beats random orders (direction score 0.90 and 0.90
    against 0.00).'
    """
    main = main_finding(findings)
    if REVERSED in findings[-1].variant:
        # A reversed graph explains what was found, so it is said with the verdict.
        main = replace(main, remarks=(*main.remarks, findings[-1].advice))
    forwards, backwards = (
        [finding for finding in findings if finding.kind == kind] for kind in GAMEABLE_KINDS
    )
    winning = [*forwards, *backwards]
    if len(winning) < 2:
        return main
    ways = [f"by {_words(forwards)}"] if forwards else []
    ways += [f"backwards by {_words(backwards)}"] if backwards else []

    def each(name: str) -> str:
        values = sorted(finding.numbers[name] for finding in winning)
        if len(values) > 2:  # a sentence holds a range, not a list
            return f"{fixed(values[0])}–{fixed(values[-1])}"
        return in_words([fixed(finding.numbers[name]) for finding in winning])

    words = {
        "ways": ", and ".join(ways),
        **{name: each(name) for name in ("direction", "f1", "sortability")},
        "cures": " ".join(map(_titled_cure, winning)),
        "over": winning[0].words["over"],
    }
    numbers = {
        "random_direction": winning[0].numbers["random_direction"],
        "random_f1": winning[0].numbers["random_f1"],
        "by_statistic": {
            finding.statistic: dict(finding.numbers) | {"kind": finding.kind.value}
            for finding in winning
        },
    }
    subject = Subject(main.statistic)
    return Finding(main.kind, subject, numbers, main.rule, words, "together", main.remarks)


def statistics_of(verdict: Finding) -> tuple[str, ...]:
    """Return all statistics that a verdict is about."""
    together = verdict.numbers.get("by_statistic")
    if together:
        return tuple(together)
    return (verdict.statistic,) if verdict.statistic else ()


def _words(findings: Sequence[Finding]) -> str:
    return in_words([finding.words["word"] for finding in findings])


def _titled_cure(finding: Finding) -> str:
    cure = finding.words["cure"]
    return f"{finding.words['title']}: {cure[:1].lower()}{cure[1:]}"


def nothing_found(
    tests: Sequence[OrderTest], random_orders: np.ndarray, tied: Sequence[Artefact]
) -> Finding:
    """Return that no statistic passed a test, though a true order would have passed both.

    Parameters
    ----------
    tests : list of OrderTest
    random_orders : array of shape (n, 4)
    tied : sequence of Artefact
        Those whose statistics are the same in all columns.
    """
    same = ""
    if tied:
        these = "it" if len(tied) == 1 else "these"
        named = in_words([artefact.word for artefact in tied])
        same = f"The columns do not differ in {named}, so nothing sorts by {these}."
    if not tests:
        remarks = (same,) if same else ()
        return Finding(FindingKind.NO_EVIDENCE, rule="no evidence", variant="tied", remarks=remarks)
    words = list(dict.fromkeys(test.artefact.word for test in tests))
    best = max(test.scores.direction for test in tests)
    random = float(random_orders[:, DIRECTION].mean())
    shares = [test.sortability for test in tests]
    return no_evidence(words, best, random, shares, "no evidence", same=same)


def no_evidence(  # noqa: PLR0913, PLR0917  the numbers of one sentence
    words: Sequence[str],
    best_direction: float,
    random_direction: float,
    sortabilities: Sequence[float],
    rule: str,
    over: str = "",
    same: str = "",
) -> Finding:
    """Return that sorting by some statistics was not seen to win, and which are the same."""
    low, high = min(sortabilities), max(sortabilities)
    numbers = {
        "best_direction": best_direction,
        "random_direction": random_direction,
        "least_sortability": low,
        "largest_sortability": high,
    }
    limits = f"{low:.2f}" if f"{low:.2f}" == f"{high:.2f}" else f"{low:.2f}–{high:.2f}"
    clauses = {"words": in_words(words, "or"), "limits": limits, "over": over}
    clauses["same"] = f"{same} " if same else ""
    return Finding(FindingKind.NO_EVIDENCE, numbers=numbers, rule=rule, words=clauses)


MOST_POOLED = 100
"""Up to so many data sets a finding says how many would do."""


def sets_needed(share: float, level: float) -> int | None:
    """Return how many data sets, each with such a p-value at best, reach a level together.

    None if `MOST_POOLED` of them do not.

    Examples
    --------
    >>> sets_needed(0.08, 0.004), sets_needed(0.5, 0.004)
    (3, None)
    """
    counts = range(1, MOST_POOLED + 1)
    return next((n for n in counts if combined(np.full(n, share)) <= level), None)


def too_small(share: float, level: float, pooled_level: float) -> Finding:
    """Return that no test could have found anything.

    Parameters
    ----------
    share : float
        The share of random orders that are as good as a true one.
    level, pooled_level : float
        The significance level of each test, and of each test over several data sets.

    Examples
    --------
    >>> too_small(0.0833, 0.0125, 0.0042).text
    'Too small for a verdict: too many random orders are as good as a true one (8.3 %, at a level
    of 1.25 %). There is signal: about 3 such data sets, audited together, would do.'
    """
    numbers = {"share_as_good": share, "test_level": level}
    words = {"share": percent(share, 1), "level": f"{100 * level:.3g} %"}
    needed = sets_needed(share, pooled_level)
    if needed is None:
        variant = "no signal"
    else:
        variant, words["n_sets"], numbers["n_sets"] = "", str(needed), needed
    return Finding(
        FindingKind.TOO_SMALL, numbers=numbers, rule="too small", words=words, variant=variant
    )


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
    order = fixed_order(data)
    return data.permute_columns(order), graph[np.ix_(order, order)]


def fixed_order(data: Dataset) -> list[int]:
    """Return the columns in an order that depends on what they hold alone."""
    values = data.observational_values
    return sorted(range(data.n_nodes), key=lambda j: values[:, j].tobytes())
