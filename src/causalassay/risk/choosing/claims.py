"""Findings on a choice, by the rules of `judging.findings`, and what to do next."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from causalassay.common.seeding import stream
from causalassay.judging.findings import Finding, FindingKind, Subject
from causalassay.present.formatting import few

if TYPE_CHECKING:
    from causalassay.risk.choosing.result import Choice, RankedRow

EMPTY, COMPLETE = "empty", "complete"
"""Graphs that say nothing: no column descends from another, or every column from every other."""

RANDOM_ORDER = "random-sortnregress"
"""It draws a causal order and then regresses: it reads the data, and knows nothing of causes."""

LEVEL = 0.05
"""The level of all claims on one page together."""

FAMILIES = 3
"""Kinds of claims that are tested: random graphs, the best, density. Each gets a third."""

SHARE = LEVEL / FAMILIES

MANY_MOVED = 0.5
"""Share of pairs from which on the tests call nearly everything a descendant.

A complete DAG has just as many descendants; no acyclic graph has more.
"""

MANY_UNMOVED = 0.5
"""Share of intervened columns without any descendant from which on saying little pays."""

LEAST_GRAPHS = 5
"""Different graphs from which on a correlation over them can be significant."""

SIMILAR = 0.5
"""Kendall's tau from which on two scores order the algorithms alike."""

NAMED = 3
"""Names in a sentence; the rest is counted."""

FEW_BEATEN = 0.05
"""Share of random graphs below which it is said that an algorithm beats only so few."""

N_PERMUTATIONS = 9999

NO_DIFFERENCE = 1e-9

HEADLINES = (
    FindingKind.BEST,
    FindingKind.NOTHING_AHEAD,
    FindingKind.MAY_BE_BEST,
    FindingKind.LEAST_RISK,
    FindingKind.ONE_GRAPH,
    FindingKind.BEATS_RANDOM_GRAPHS,
)
"""Which finding is the headline: the first of these that there is."""

SOBER_HEADLINES = (FindingKind.NOTHING_AHEAD, FindingKind.NOT_BEYOND_RANDOM_GRAPHS)
"""The same if no algorithm is shown to beat random graphs of its density."""


def make_claims(choice: Choice) -> tuple[Finding, ...]:
    """Return the findings that the rules give, the headline first."""
    claims = [claim for rule in _RULES for claim in rule(choice)]
    order = HEADLINES if any(row.random.beaten for row in choice.algorithms) else SOBER_HEADLINES
    rank = {kind: k for k, kind in enumerate(order)}
    first = min(claims, key=lambda claim: rank.get(claim.kind, len(order)))
    return (first, *(claim for claim in claims if claim is not first))


def _claim(kind: FindingKind, rule: str, variant: str = "", /, **parts: object) -> Finding:
    """Return a finding; what is text is a word of its sentence, all else a number."""
    words = {name: part for name, part in parts.items() if isinstance(part, str)}
    numbers = {name: part for name, part in parts.items() if name not in words}
    subject = Subject(algorithm=words.get("algorithm", ""))
    return Finding(kind, subject, numbers, rule, words, variant)


def _names(names: Sequence[str]) -> str:
    """Return some names and how many more there are."""
    return few(names, NAMED if len(names) > NAMED + 1 else len(names), "others")


def _risk(row: RankedRow) -> dict[str, float]:
    return {"risk": row.weighted, "low": row.interval[0], "high": row.interval[1]}


def _says_nothing_ahead(choice: Choice) -> RankedRow | None:
    """Return the empty or the complete graph if it has less risk than every algorithm."""
    least = choice.algorithms[0].weighted
    ahead = [
        row
        for row in choice.rows
        if row.name in (EMPTY, COMPLETE) and row.weighted < least - NO_DIFFERENCE
    ]
    return min(ahead, key=lambda row: row.weighted, default=None)


def _graph_that_says_nothing(choice: Choice) -> Iterator[Finding]:
    ahead = _says_nothing_ahead(choice)
    if ahead is None:
        return
    leader, n = choice.algorithms[0], len(choice.algorithms)
    yield _claim(
        FindingKind.NOTHING_AHEAD,
        "graph that says nothing",
        "one algorithm" if n == 1 else "",
        graph=ahead.name,
        graph_risk=ahead.weighted,
        n_algorithms=n,
        algorithm=leader.name,
        **_risk(leader),
    )


def _random_graphs(choice: Choice) -> Iterator[Finding]:
    rows = choice.algorithms
    beating = [row.name for row in rows if row.random.beaten]
    rule = "random graphs of its density"
    counted = {
        "n_algorithms": len(rows),
        "p_corrected": min(row.random.p_corrected or 1.0 for row in rows),
    }
    if not beating:
        leader, share = rows[0], rows[0].random.share_beaten
        yield _claim(
            FindingKind.NOT_BEYOND_RANDOM_GRAPHS,
            rule,
            "few" if share < FEW_BEATEN else "",
            algorithm=leader.name,
            share_beaten=share,
            **counted,
            **_risk(leader),
        )
        return
    yield _claim(
        FindingKind.BEATS_RANDOM_GRAPHS,
        rule,
        names=_names(beating),
        beat="beats" if len(beating) == 1 else "beat",
        n_beating=len(beating),
        **counted,
    )
    # The bar is low where a baseline that draws its order clears it.
    for row in choice.rows:
        if row.name == RANDOM_ORDER and row.role == "baseline" and row.random.p_value <= SHARE:
            yield _claim(
                FindingKind.RANDOM_ORDER_BEATS_THEM,
                rule,
                algorithm=row.name,
                p_value=row.random.p_value,
            )


def _best(choice: Choice) -> Iterator[Finding]:
    rows, remaining = choice.algorithms, choice.may_be_best
    n, rule = len(rows), "may be the best"
    if n < 2:
        return
    if _one_graph(choice, choice.ranking):
        yield _claim(FindingKind.ONE_GRAPH, rule, n_algorithms=n, **_risk(rows[0]))
        return
    if len(remaining) > 1:
        yield _claim(
            FindingKind.MAY_BE_BEST,
            rule,
            n_remaining=len(remaining),
            n_algorithms=n,
            names=_names(remaining),
        )
        return
    best = choice.row(remaining[0])
    about = {"algorithm": best.name, "n_algorithms": n, **_risk(best)}
    if best.random.beaten and _says_nothing_ahead(choice) is None:
        yield _claim(FindingKind.BEST, "best", **about)
    else:
        yield _claim(FindingKind.LEAST_RISK, rule, n_others=n - 1, **about)


def _density(choice: Choice) -> Iterator[Finding]:
    rows = choice.algorithms
    read_data = [row for row in choice.rows if row.name not in (EMPTY, COMPLETE)]
    distinct = list({choice.graphs[row.name]: row for row in read_data}.values())
    named = np.array([row.n_named for row in distinct], dtype=float)
    risks = np.array([row.weighted for row in distinct])
    if len(distinct) < LEAST_GRAPHS or np.ptp(named) == 0 or np.ptp(risks) == 0:
        return
    correlation, p_value = permuted_spearman(named, risks)
    if p_value > SHARE:
        return
    n_beating = sum(row.random.beaten for row in rows)
    yield _claim(
        FindingKind.DENSITY,
        "density",
        "" if n_beating else "none beats",
        more="more" if correlation < 0 else "fewer",
        spearman=correlation,
        p_value=p_value,
        n_beating=n_beating,
        n_algorithms=len(rows),
    )


def permuted_spearman(first: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    """Return Spearman's correlation and its two-sided permutation p-value.

    Examples
    --------
    >>> permuted_spearman(np.arange(8.0), np.arange(8.0))
    (1.0, 0.0002)
    """
    ranks, other_ranks = (stats.rankdata(each) - (len(each) + 1) / 2 for each in (first, second))
    scale = math.sqrt(float(ranks @ ranks) * float(other_ranks @ other_ranks))
    correlation = float(ranks @ other_ranks) / scale
    rng = stream(0, "permuted_spearman")
    permuted = rng.permuted(np.tile(other_ranks, (N_PERMUTATIONS, 1)), axis=1) @ ranks / scale
    as_large = int((np.abs(permuted) >= abs(correlation) - NO_DIFFERENCE).sum())
    return correlation, (1 + as_large) / (1 + N_PERMUTATIONS)


def _share_moved(choice: Choice) -> float:
    return next(
        each.share_moved
        for each in choice.cutoffs
        if each.least_effect == choice.tests.least_effect
    )


def _moved_of(choice: Choice) -> dict[str, set[str]]:
    """Return of each intervened column those that some of its conditions moved."""
    moved: dict[str, set[str]] = {name: set() for name in choice.intervened}
    for movement in choice.movements:
        moved[movement.target] |= set(movement.moved)
    return moved


def _descendants(choice: Choice) -> Iterator[Finding]:
    """Say that the tests call nearly everything, or next to nothing, a descendant."""
    share = _share_moved(choice)
    counts = [len(moved) for moved in _moved_of(choice).values()]
    if share >= MANY_MOVED:
        yield _claim(
            FindingKind.MANY_DESCENDANTS,
            "many descendants",
            fewest=min(counts),
            most=max(counts),
            n_others=len(choice.columns) - 1,
            share=share,
        )
    n_unmoved = counts.count(0)
    if n_unmoved / len(counts) >= MANY_UNMOVED:
        yield _claim(
            FindingKind.FEW_DESCENDANTS,
            "few descendants",
            n_unmoved=n_unmoved,
            n_intervened=len(counts),
        )


def _cutoffs(choice: Choice) -> Iterator[Finding]:
    names = choice.ranking
    if _one_graph(choice, names) or len(choice.cutoffs) < 2:
        return
    leaders = {each.least_effect: min(names, key=each.risks.__getitem__) for each in choice.cutoffs}
    if len(set(leaders.values())) == 1:
        cutoffs = ", ".join(f"{least:g}" for least in leaders)
        yield _claim(FindingKind.SAME_LEADER, "cut-off", algorithm=names[0], cutoffs=cutoffs)
    else:
        at_each = "; ".join(f"{least:g}: {name}" for least, name in leaders.items())
        yield _claim(FindingKind.LEADER_CHANGES, "cut-off", leaders=at_each)


def _equal_by_construction(choice: Choice) -> Iterator[Finding]:
    rows = choice.algorithms
    n_equal = sum(row.equal_by_construction for row in rows)
    if n_equal:
        rule = "equal by construction"
        kind = FindingKind.EQUAL_BY_CONSTRUCTION
        yield _claim(kind, rule, n_equal=n_equal, n_algorithms=len(rows))


def _second_opinion(choice: Choice) -> Iterator[Finding]:
    other = choice.second_opinion
    names = [name for name in choice.ranking if name in other.scores]
    if _one_graph(choice, names):
        return
    first = names[0]
    second = next(name for name in other.scores if name in names)
    tau = _tau(choice, names)
    # A word wins over a number of the same name.
    claim = Finding(
        FindingKind.SCORES_AGREE,
        Subject(algorithm=first),
        {"n_algorithms": len(names), "tau": tau},
        "second opinion",
        {"algorithm": first, "tau": "undefined" if math.isnan(tau) else f"{tau:.2f}"},
        "other order" if len(names) > 2 and tau < SIMILAR else "",
    )
    if _same_graph(choice, first, second):
        yield claim
    else:
        words = {**claim.words, "predicts_best": second}
        yield replace(claim, kind=FindingKind.SCORES_DIFFER, words=words, variant="")
        yield from _why_they_differ(choice, first, second)
    best = other.scores[second]
    if best.share_predicted is not None and best.share_predicted <= 0:
        yield _claim(
            FindingKind.NOTHING_PREDICTED,
            "second opinion",
            algorithm=second,
            score=best.value,
            nothing_changes=other.nothing_changes,
        )


def _tau(choice: Choice, names: Sequence[str]) -> float:
    scores = choice.second_opinion.scores
    return float(
        stats.kendalltau(
            [choice.row(name).weighted for name in names], [scores[name].value for name in names]
        ).statistic
    )


def _one_graph(choice: Choice, names: Sequence[str]) -> bool:
    """Return whether there are no two different graphs to compare."""
    return len({choice.graphs[name] for name in names}) < 2


def _same_graph(choice: Choice, first: str, second: str) -> bool:
    return first == second or choice.graphs[first] == choice.graphs[second]


def _why_they_differ(choice: Choice, first: str, second: str) -> Iterator[Finding]:
    """Name what makes the difference go away when it alone is taken away; else say nothing."""
    other, rule = choice.second_opinion, "second opinion"
    names = [name for name in choice.ranking if name in other.scores]
    without = next((name for name in other.undoubted if name in names), None)
    if other.doubts and without is not None and _same_graph(choice, without, first):
        yield _claim(
            FindingKind.FLAGGED_INTERVENTIONS,
            rule,
            n_flagged=len(other.doubts),
            names=_names(list(other.doubts)),
            algorithm=first,
        )
    for each in choice.cutoffs:
        leader = min(names, key=each.risks.__getitem__)
        stricter = each.least_effect > choice.tests.least_effect
        if stricter and _same_graph(choice, leader, second):
            least = each.least_effect
            yield _claim(FindingKind.SMALL_EFFECTS, rule, least_effect=least, algorithm=second)
            break
    gap = other.differences.get(first)
    if gap is not None and gap.low is not None and gap.high is not None and gap.high >= 0:
        yield _claim(
            FindingKind.TOO_FEW_EXPERIMENTS,
            rule,
            n_experiments=other.n_experiments,
            predicts_best=second,
            algorithm=first,
            difference=gap.value,
            low=gap.low,
            high=gap.high,
        )


_RULES: tuple[Callable[[Choice], Iterator[Finding]], ...] = (
    _best,
    _graph_that_says_nothing,
    _random_graphs,
    _density,
    _descendants,
    _cutoffs,
    _second_opinion,
    _equal_by_construction,
)


def next_step(choice: Choice) -> str:
    """Return what to do after a choice, in one sentence that follows from its findings."""
    # Those that are shown to beat random graphs and that none is shown to beat.
    eligible = [row for row in choice.algorithms if row.random.beaten and row.may_be_best]
    kinds = {claim.kind for claim in choice.claims}
    if not eligible:
        return _nothing_to_choose(choice, many=FindingKind.MANY_DESCENDANTS in kinds)
    other = choice.second_opinion
    leader = choice.ranking[0]
    predicts_best = next((name for name in other.scores if name in choice.ranking), leader)
    if other.doubts and choice.graphs[predicts_best] != choice.graphs[leader]:
        doubted = list(other.doubts)
        shown = ", ".join(doubted[:NAMED]) + (", …" if len(doubted) > NAMED else "")
        return (
            f"Before you choose between {leader} and {predicts_best}, check the flagged "
            f"conditions ({shown}); name others that leave the measured level alone by "
            "--not-acting."
        )
    first, *others = eligible
    beats = f"has the least risk of {len(eligible)} that beat" if others else "alone beats"
    doubtful = FindingKind.NOTHING_AHEAD in kinds
    take = "If you need a graph, take that of" if doubtful else "Take the graph of"
    return (
        f"{take} {first.name} (--out graphs writes it): it {beats} random graphs and may be the "
        "best."
    )


def _nothing_to_choose(choice: Choice, *, many: bool) -> str:
    stricter = [
        each.least_effect
        for each in choice.cutoffs
        if each.least_effect > choice.tests.least_effect and each.share_moved > 0
    ]
    if many and stricter:
        return (
            "Nothing can be chosen by these experiments, in which nearly everything moves: if "
            f"large effects alone matter, ask again with --least-effect {stricter[-1]:g}; else "
            "add experiments on more columns."
        )
    return (
        "Nothing can be chosen by these experiments: no algorithm both beats random graphs and "
        "may be the best. Experiments on more columns can show more."
    )
