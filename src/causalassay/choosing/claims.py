"""Sentences on a choice, by the rules of `choosing.rules`; the first one is the headline."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from scipy import stats

from causalassay.choosing.candidates import COMPLETE, EMPTY
from causalassay.choosing.result import Choice, Claim, RankedRow
from causalassay.choosing.rules import (
    LEAST_GRAPHS,
    MANY_MOVED,
    MANY_UNMOVED,
    SHARE,
    SIMILAR,
)
from causalassay.seeding import stream

NAMED = 3
"""Names in a sentence; the rest is counted."""

N_PERMUTATIONS = 9999

NO_DIFFERENCE = 1e-9


def make_claims(choice: Choice) -> tuple[Claim, ...]:
    """Return the sentences that the rules give, the headline first."""
    found = [claim for rule in _RULES for claim in rule(choice)]
    order = HEADLINES if any(row.random.beaten for row in choice.algorithms) else SOBER_HEADLINES
    first = min(found, key=lambda claim: order.index(claim.rule) if claim.rule in order else 99)
    return (first, *(claim for claim in found if claim is not first))


HEADLINES = ("best", "graph that says nothing", "may be the best", "random graphs of its density")
"""Which claim is the headline: the first of these that there is."""

SOBER_HEADLINES = ("graph that says nothing", "random graphs of its density")
"""The same if no algorithm is shown to beat random graphs of its density."""


def _named(names: Sequence[str]) -> str:
    """Return some names and how many more there are."""
    if len(names) <= NAMED + 1:
        return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
    return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} others"


def _risk(row: RankedRow) -> str:
    return f"{row.weighted:.2f} [{row.interval[0]:.2f}, {row.interval[1]:.2f}]"


def _says_nothing_ahead(choice: Choice) -> RankedRow | None:
    """Return the empty or the complete graph if it has less risk than every algorithm."""
    least = choice.algorithms[0].weighted
    ahead = [
        row
        for row in choice.rows
        if row.name in (EMPTY, COMPLETE) and row.weighted < least - NO_DIFFERENCE
    ]
    return min(ahead, key=lambda row: row.weighted, default=None)


def _graph_that_says_nothing(choice: Choice) -> Iterator[Claim]:
    ahead = _says_nothing_ahead(choice)
    if ahead is None:
        return
    leader = choice.algorithms[0]
    n = len(choice.algorithms)
    against = "the algorithm" if n == 1 else f"all {n} algorithms"
    yield Claim(
        "graph that says nothing",
        f"The {ahead.name} graph, which says nothing, has less risk ({ahead.weighted:.2f}) than "
        f"{against} (least: {leader.name}, {_risk(leader)}).",
    )


def _random_graphs(choice: Choice) -> Iterator[Claim]:
    rows = choice.algorithms
    beaten = [row.name for row in rows if row.random.beaten]
    least = min(row.random.p_corrected or 1.0 for row in rows)
    rule = "random graphs of its density"
    if not beaten:
        leader = rows[0]
        yield Claim(
            rule,
            f"No evidence that any of {len(rows)} algorithms beats random graphs of its density "
            f"(smallest corrected p-value {least:.2g}); least risk: {leader.name}, "
            f"{_risk(leader)}.",
        )
    else:
        beats = "beats" if len(beaten) == 1 else "beat"
        yield Claim(
            rule,
            f"{_named(beaten)} {beats} random graphs of the same density "
            f"({len(beaten)} of {len(rows)} algorithms; smallest corrected p-value {least:.2g}).",
        )


def _best(choice: Choice) -> Iterator[Claim]:
    rows, remaining = choice.algorithms, choice.may_be_best
    if len(rows) < 2:
        return
    if _one_graph(choice, choice.ranking):
        yield Claim(
            "may be the best",
            f"All {len(rows)} algorithms found the same graph (risk {_risk(rows[0])}).",
        )
        return
    if len(remaining) > 1:
        yield Claim(
            "may be the best",
            f"The data cannot tell {len(remaining)} of {len(rows)} algorithms from the best one: "
            f"{_named(remaining)}.",
        )
        return
    best = choice.row(remaining[0])
    if best.random.beaten and _says_nothing_ahead(choice) is None:
        yield Claim(
            "best",
            f"{best.name} is the best of {len(rows)} algorithms on these experiments "
            f"(risk {_risk(best)}), and beats random graphs of its density.",
        )
        return
    yield Claim(
        "may be the best",
        f"{best.name} has less risk than the other {len(rows) - 1} algorithms ({_risk(best)}), "
        "which alone does not make it good.",
    )


def _density(choice: Choice) -> Iterator[Claim]:
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
    more = "more" if correlation < 0 else "fewer"
    beaten = sum(row.random.beaten for row in rows)
    shown = "none is" if not beaten else f"{beaten} of {len(rows)} are"
    yield Claim(
        "density",
        f"The ranking follows density: graphs that name {more} descendants have less risk "
        f"(Spearman {correlation:.2f}, p-value {p_value:.2g}); {shown} shown to beat random "
        "graphs.",
    )


def permuted_spearman(first: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    """Return Spearman's correlation and its two-sided permutation p-value.

    Examples
    --------
    >>> permuted_spearman(np.arange(8.0), np.arange(8.0))
    (1.0, 0.0002)
    """
    one, other = (stats.rankdata(each) - (len(each) + 1) / 2 for each in (first, second))
    scale = math.sqrt(float(one @ one) * float(other @ other))
    found = float(one @ other) / scale
    rng = stream(0, "permuted_spearman")
    permuted = rng.permuted(np.tile(other, (N_PERMUTATIONS, 1)), axis=1) @ one / scale
    as_large = int((np.abs(permuted) >= abs(found) - NO_DIFFERENCE).sum())
    return found, (1 + as_large) / (1 + N_PERMUTATIONS)


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


def _many_descendants(choice: Choice) -> Iterator[Claim]:
    share = _share_moved(choice)
    if share < MANY_MOVED:
        return
    counts = [len(moved) for moved in _moved_of(choice).values()]
    yield Claim(
        "many descendants",
        f"The tests call {min(counts)} to {max(counts)} of {len(choice.columns) - 1} columns "
        f"descendants ({share:.0%} of pairs): batch or side effects would do that, and dense "
        "graphs gain by it.",
    )


def _few_descendants(choice: Choice) -> Iterator[Claim]:
    moved = _moved_of(choice)
    unmoved = sum(not names for names in moved.values())
    if unmoved / len(moved) < MANY_UNMOVED:
        return
    yield Claim(
        "few descendants",
        f"{unmoved} of {len(moved)} intervened columns move no other column by the tests; sparse "
        "graphs gain by it.",
    )


def _cutoffs(choice: Choice) -> Iterator[Claim]:
    names = choice.ranking
    if _one_graph(choice, names) or len(choice.cutoffs) < 2:
        return
    leaders = {each.least_effect: min(names, key=each.risks.__getitem__) for each in choice.cutoffs}
    if len(set(leaders.values())) == 1:
        yield Claim(
            "cut-off",
            f"{names[0]} leads at every cut-off on effect size "
            f"({', '.join(f'{least:g}' for least in leaders)}).",
        )
        return
    said = "; ".join(f"{least:g}: {name}" for least, name in leaders.items())
    yield Claim("cut-off", f"The leader depends on the cut-off on effect size ({said}).")


def _equal_by_construction(choice: Choice) -> Iterator[Claim]:
    rows = choice.algorithms
    equal = [row for row in rows if row.equal_by_construction]
    if not equal:
        return
    yield Claim(
        "equal by construction",
        f"For {len(equal)} of {len(rows)} algorithms the weighted risk is the naive one by "
        "construction: they read no interventional rows.",
    )


def _second_opinion(choice: Choice) -> Iterator[Claim]:
    other = choice.second_opinion
    names = [name for name in choice.ranking if name in other.scores]
    if _one_graph(choice, names):
        return
    first = names[0]
    second = next(name for name in other.scores if name in names)
    tau = _tau(choice, names)
    same = _same_graph(choice, first, second)
    said = "undefined" if math.isnan(tau) else f"{tau:.2f}"
    agree = f"Kendall's tau over {len(names)} algorithms {said}"
    if same:
        unlike = len(names) > 2 and tau < SIMILAR
        but = ", but order the others differently" if unlike else ""
        yield Claim(
            "second opinion", f"Both scores put {first} first, risk and prediction{but} ({agree})."
        )
    else:
        yield Claim(
            "second opinion",
            f"The two scores differ: risk puts {first} first, prediction {second} ({agree}).",
        )
        yield from _why_they_differ(choice, first, second)
    best = other.scores[second]
    if best.skill is not None and best.skill >= 1:
        yield Claim(
            "second opinion",
            "No algorithm predicts the experiments better than “nothing changes” "
            f"({second}: {best.value:.3f}, nothing changes: {other.nothing_changes:.3f}).",
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


def _why_they_differ(choice: Choice, first: str, second: str) -> Iterator[Claim]:
    """Name what makes the difference go away when it alone is taken away; else say nothing."""
    other = choice.second_opinion
    names = [name for name in choice.ranking if name in other.scores]
    without = next((name for name in other.undoubted if name in names), None)
    if other.doubts and without is not None and _same_graph(choice, without, first):
        yield Claim(
            "second opinion",
            f"Without {len(other.doubts)} flagged interventions ({_named(list(other.doubts))}) "
            f"prediction puts {first} first, too: they make the difference.",
        )
    stricter = [each for each in choice.cutoffs if each.least_effect > choice.tests.least_effect]
    for each in stricter:
        leader = min(names, key=each.risks.__getitem__)
        if _same_graph(choice, leader, second):
            yield Claim(
                "second opinion",
                f"With effects of at least {each.least_effect:g} risk puts {second} first, too: "
                "smaller effects that the tests count make the difference.",
            )
            break
    gap = other.differences.get(first)
    if gap is not None and gap.low is not None and gap.high is not None and gap.high >= 0:
        yield Claim(
            "second opinion",
            f"{other.n_experiments} experiments are too few for prediction to tell {second} from "
            f"{first} (difference {gap.value:.3f} [{gap.low:.3f}, {gap.high:.3f}]).",
        )


_RULES: tuple[Callable[[Choice], Iterator[Claim]], ...] = (
    _best,
    _graph_that_says_nothing,
    _random_graphs,
    _density,
    _many_descendants,
    _few_descendants,
    _cutoffs,
    _second_opinion,
    _equal_by_construction,
)
