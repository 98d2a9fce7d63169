"""Findings on a choice, by the rules of `judging.findings`, and what to do next."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from causalassay.common.seeding import stream
from causalassay.judging.findings import Finding, FindingKind, Subject
from causalassay.judging.p_values import holm
from causalassay.present.formatting import few

if TYPE_CHECKING:
    from causalassay.risk.choosing.result import Choice, LikelihoodOpinion, Movement, RankedRow

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

DEFAULTS = ("xgies", "boss", "xges")
"""The algorithms to take unless another one is better: the first of these that is ranked."""

STANDARD_ERRORS = 1.0
"""By how many of them another algorithm must be better than the default."""


def make_claims(choice: Choice) -> tuple[Finding, ...]:
    """Return the findings that the rules give; the first says what to take."""
    return tuple(claim for rule in _RULES for claim in rule(choice))


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


# What to take.


def _decision(choice: Choice) -> Iterator[Finding]:
    """Say which algorithm to take, or why these experiments cannot choose."""
    rows, n = choice.algorithms, len(choice.algorithms)
    opinion, default = choice.likelihoods, choice.default
    best = next((name for name in opinion.bic if name in choice.ranking), None)
    rule = "choice"
    if n == 1:
        yield _claim(FindingKind.TAKE_ONLY, rule, algorithm=rows[0].name)
    elif _one_graph(choice, choice.ranking):
        claim = _claim(FindingKind.ONE_GRAPH, "may be the best", n_algorithms=n, **_risk(rows[0]))
        yield replace(claim, subject=Subject(algorithm=default or best or rows[0].name))
    elif (why := _cannot_choose(choice)) is not None:
        yield why
    elif best is None and default:
        kind = FindingKind.TAKE_DEFAULT
        yield _claim(kind, rule, "no likelihood", algorithm=default, n_algorithms=n)
    elif best is None:
        kind = FindingKind.TAKE_LEAST_RISK
        yield _claim(kind, rule, algorithm=rows[0].name, n_algorithms=n, **_risk(rows[0]))
    elif default in opinion.bic:
        yield _against_default(choice)
    else:
        yield _best_bic(choice, best)


@dataclass(frozen=True)
class Challenge:
    """Whether the default stays, against the one with the best BIC.

    Parameters
    ----------
    taken : str
        The default, or the challenger if it gains more than one standard error.
    challenger : str
        The best one; where the default itself is the best, the next one.
    gain, error : float
        What the challenger gains in BIC, and the standard error of the paired difference.
    """

    taken: str
    challenger: str
    gain: float
    error: float


def challenge(opinion: LikelihoodOpinion, default: str, names: Collection[str]) -> Challenge:
    """Return whether the default stays, of the algorithms with these names."""
    others = [name for name in opinion.bic if name in names and name != default]
    challenger = next(iter(others), default)
    gain, error = opinion.over_default[challenger]
    is_better = gain > STANDARD_ERRORS * error + NO_DIFFERENCE
    return Challenge(challenger if is_better else default, challenger, gain, error)


def _against_default(choice: Choice) -> Finding:
    default, n = choice.default, len(choice.ranking)
    challenged = challenge(choice.likelihoods, default, choice.ranking)
    numbers = {"gain": challenged.gain, "error": challenged.error, "n_algorithms": n}
    if challenged.taken != default:
        kind = FindingKind.TAKE_OTHER
        return _claim(kind, "choice", algorithm=challenged.taken, default=default, **numbers)
    return _claim(
        FindingKind.TAKE_DEFAULT,
        "choice",
        algorithm=default,
        challenger=challenged.challenger,
        n_others=n - 1,
        **numbers,
    )


def _best_bic(choice: Choice, best: str) -> Finding:
    others = [(name, score) for name, score in choice.likelihoods.bic.items() if name != best]
    following = next(((name, one) for name, one in others if name in choice.ranking), None)
    if following is None:
        return _claim(FindingKind.TAKE_ONLY, "choice", algorithm=best)
    name, score = following
    return _claim(
        FindingKind.TAKE_BEST_BIC,
        "choice",
        algorithm=best,
        challenger=name,
        gain=score.behind,
        error=score.error,
        n_algorithms=len(choice.ranking),
    )


def _cannot_choose(choice: Choice) -> Finding | None:
    """Return why there is no choice; None if there is."""
    n, share = len(choice.algorithms), _share_moved(choice)
    kind, rule = FindingKind.CANNOT_CHOOSE, "choice"
    none_beats = not any(row.random.beaten for row in choice.algorithms)
    if share >= MANY_MOVED and none_beats and _could_beat(choice):
        return _claim(kind, rule, n_algorithms=n, share=share)
    pairs = choice.mutual_pairs
    if not pairs.found:
        return None
    numbers = {"n_pairs": len(pairs.found), "n_tested": pairs.n_tested}
    return _claim(kind, rule, "each other", n_algorithms=n, **numbers)


@dataclass(frozen=True)
class MutualPairs:
    """Pairs of targets that move each other.

    Parameters
    ----------
    found : tuple of (str, str)
        Those that do, tested together at a level of 5 %.
    n_tested : int
        All pairs of columns with experiments.
    p_value : float
        The smallest one, corrected for the number of pairs; nan without a pair.
    """

    found: tuple[tuple[str, str], ...]
    n_tested: int
    p_value: float


def find_mutual_pairs(movements: Sequence[Movement], least_effect: float = 0.0) -> MutualPairs:
    """Return the pairs of targets each of which moves the other.

    In an acyclic graph at most one of two columns descends from the other, so that at least one
    of the two tests sees chance alone: the larger of both p-values is that of the pair.

    Parameters
    ----------
    movements : sequence of Movement
    least_effect : float
        Smaller effects do not count.
    """
    on: dict[str, list[Movement]] = {}
    for movement in movements:
        on.setdefault(movement.target, []).append(movement)

    def p_value(target: str, other: str) -> float:
        seen = []
        for movement in on[target]:
            p_value, effect = movement.p_values[other], movement.effects[other]
            # An effect without a number is an infinite one.
            is_large = effect is None or abs(effect) >= least_effect
            if p_value is not None and is_large:
                seen.append(p_value)
        return min(1.0, len(on[target]) * min(seen, default=1.0))

    pairs = {pair: max(p_value(*pair), p_value(*pair[::-1])) for pair in combinations(on, 2)}
    corrected = holm(pairs)
    moving = tuple(pair for pair, corrected_p in corrected.items() if corrected_p <= LEVEL)
    return MutualPairs(moving, len(pairs), min(corrected.values(), default=math.nan))


def _no_acyclic_graph(choice: Choice) -> Iterator[Finding]:
    pairs = choice.mutual_pairs
    if pairs.found:
        yield _claim(
            FindingKind.NO_ACYCLIC_GRAPH,
            "no acyclic graph",
            n_pairs=len(pairs.found),
            n_tested=pairs.n_tested,
            p_value=pairs.p_value,
            names=_names([f"{first} with {second}" for first, second in pairs.found]),
        )


def combined_ranks(choice: Choice) -> dict[str, float]:
    """Return the mean rank of each algorithm by risk, BIC and held-out likelihood."""
    bic, held_out = choice.likelihoods.bic, choice.likelihoods.held_out
    names = [name for name in choice.ranking if name in bic and name in held_out]
    scores = (
        [choice.row(name).weighted for name in names],
        [bic[name].behind for name in names],
        [held_out[name].behind for name in names],
    )
    ranks = np.mean([stats.rankdata(score) for score in scores], axis=0) if names else []
    together = dict(zip(names, map(float, ranks), strict=True))
    return dict(sorted(together.items(), key=lambda item: item[1]))


# What that rests on.


def _could_beat(choice: Choice) -> bool:
    """Return whether columns can be exchanged in enough ways for any p-value to be small."""
    n_ways = math.factorial(len(choice.columns))
    return len(choice.algorithms) / n_ways <= SHARE


def _random_graphs(choice: Choice) -> Iterator[Finding]:
    rows = choice.algorithms
    beating = [row.name for row in rows if row.random.beaten]
    rule = "random graphs of its density"
    counted = {
        "n_algorithms": len(rows),
        "p_corrected": min(row.random.p_corrected or 1.0 for row in rows),
    }
    if not beating and not _could_beat(choice):
        yield _claim(
            FindingKind.NOT_BEYOND_RANDOM_GRAPHS,
            rule,
            "too few ways",
            algorithm=rows[0].name,
            n_columns=len(choice.columns),
            n_ways=math.factorial(len(choice.columns)),
            **counted,
        )
        return
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
    # Where nobody is out, nothing was found.
    if n < 2 or not 0 < len(remaining) < n or _one_graph(choice, choice.ranking):
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
    if best.random.beaten:
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
    _decision,
    _no_acyclic_graph,
    _best,
    _random_graphs,
    _density,
    _descendants,
    _cutoffs,
    _second_opinion,
    _equal_by_construction,
)


def next_step(choice: Choice) -> str:
    """Return what to do after a choice, in one sentence that follows from its findings."""
    kinds = {claim.kind for claim in choice.claims}
    stand_in = choice.default or next(iter(choice.ranking))
    if FindingKind.NO_ACYCLIC_GRAPH in kinds:
        return (
            "Measure controls in every batch, compare each experiment with its own, and check the "
            f"targets; if you need a graph now, take that of {stand_in}."
        )
    if choice.chosen is None:
        return _nothing_to_choose(choice, stand_in)
    other = choice.second_opinion
    predicts_best = next((name for name in other.scores if name in choice.ranking), choice.chosen)
    if other.doubts and choice.graphs[predicts_best] != choice.graphs[choice.chosen]:
        doubted = list(other.doubts)
        shown = ", ".join(doubted[:NAMED]) + (", …" if len(doubted) > NAMED else "")
        return (
            f"Before you take the graph of {choice.chosen}, check the flagged conditions "
            f"({shown}); name others that leave the measured level alone by --not-acting."
        )
    take = f"Take the graph of {choice.chosen} (--out graphs writes it)"
    if choice.row(choice.chosen).random.beaten:
        return f"{take}: it beats random graphs of its density."
    if not _could_beat(choice):
        return f"{take}, with care: so few columns cannot show that it beats random graphs."
    return f"{take}, with care: these experiments do not show that it beats random graphs."


def _nothing_to_choose(choice: Choice, stand_in: str) -> str:
    stricter = [
        each.least_effect
        for each in choice.cutoffs
        if each.least_effect > choice.tests.least_effect and each.share_moved > 0
    ]
    again = (
        f"If large effects alone matter, ask again with --least-effect {stricter[-1]:g}; else add"
        if stricter
        else "Add"
    )
    return f"{again} experiments on more columns; if you need a graph now, take that of {stand_in}."
