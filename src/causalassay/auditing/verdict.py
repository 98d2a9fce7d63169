"""From the numbers of an audit to a sentence, by a rule that is printed with it."""

from __future__ import annotations

import math

from causalassay.auditing.baselines import RANDOM_ORDER, SORTED_BY
from causalassay.auditing.result import (
    BaselineScore,
    ColumnSpread,
    GraphFit,
    Sortability,
    Verdict,
)

LEVEL = 0.025
"""Of each of the two tests, so that a benchmark without artefacts is called gameable in at most
5 % of the cases."""

ENOUGH_NODES = 5
"""The least number of nodes with more orders than one in the level."""

FIT_LEVEL = 0.05
WORDS = {"variance": "variance", "R2": "R²"}

RULE = (
    f"Gameable by a statistic: at most {LEVEL:.1%} of random assignments of the statistic to the "
    "nodes are as sortable (paths), and sorting by it and regressing gives an F1 that at most "
    f"{LEVEL:.1%} of random orders reach. Leaning: only one of the two. The graph fits: at most "
    f"{FIT_LEVEL:.0%} of its relabellings join pairs that depend as strongly."
)
NO_GRAPH_RULE = (
    "Without a graph no order can be called right or wrong. The columns count as standardised if "
    "their variances tie to 1e-9, and variance and R² as agreeing if Spearman's correlation of "
    "their orders is positive at the 5% level."
)


def judge(
    sortabilities: tuple[Sortability, ...],
    baselines: tuple[BaselineScore, ...],
    fit: GraphFit,
    spread: ColumnSpread,
    n_nodes: int,
) -> Verdict:
    """Return the verdict on data with a graph."""
    rising = {s.statistic: s for s in sortabilities if s.convention == "paths"}
    score = {b.algorithm: b for b in baselines}
    refusal = unjudged(rising["variance"].value, fit, n_nodes, RULE, _scores(score))
    if refusal is not None:
        return refusal
    sortable = {s for s in SORTED_BY if rising[s].p_rising <= LEVEL}
    winning = {s for s, name in SORTED_BY.items() if (score[name].p_order or 1.0) <= LEVEL}
    if sortable & winning:
        sentence = _gameable(sortable & winning, rising, score, spread)
        return Verdict("gameable", sentence, RULE)
    if sortable | winning:
        return Verdict("leaning", _leaning(sortable, winning, rising, score), RULE)
    return Verdict("not gameable", _not_gameable(rising, score, spread), RULE)


def unjudged(
    sortability: float, fit: GraphFit, n_nodes: int, rule: str, scores: str
) -> Verdict | None:
    """Return why no order can be judged, if none can: too small, or another graph's data."""
    if math.isnan(sortability):
        return Verdict("too small", "The graph has no edge, so there is no order to find.", rule)
    if n_nodes < ENOUGH_NODES:
        sentence = (
            f"With {n_nodes} columns no order is surprising: one of {math.factorial(n_nodes)} "
            f"is right by luck alone ({scores})."
        )
        return Verdict("too small", sentence, rule)
    if fit.p_value > FIT_LEVEL:
        sentence = (
            "The graph does not describe these data: the pairs it joins depend no more strongly "
            f"than the others (AUC {fit.auc:.2f}, reached by {fit.p_value:.0%} of relabelled "
            "graphs); check that its node names and the columns mean the same variables."
        )
        return Verdict("graph does not fit", sentence, rule)
    return None


def _gameable(
    by: set[str],
    rising: dict[str, Sortability],
    score: dict[str, BaselineScore],
    spread: ColumnSpread,
) -> str:
    if "variance" not in by:
        scale = (
            "the columns are standardised, so variance tells nothing"
            if spread.equal_variances
            else f"variance does not tell the order (sortability {rising['variance'].value:.2f})"
        )
        return (
            f"Gameable by R², whatever the units: {_reaches('R2', rising, score)}; {scale}, "
            "and no rescaling of the columns cures it."
        )
    sentence = f"Gameable by variance: {_reaches('variance', rising, score)}"
    if "R2" in by:
        return (
            f"{sentence}; standardising does not cure it, for "
            f"{_reaches('R2', rising, score, beside_random=False)}."
        )
    return f"{sentence}; R² does not help (sortability {rising['R2'].value:.2f})."


def _leaning(
    sortable: set[str],
    winning: set[str],
    rising: dict[str, Sortability],
    score: dict[str, BaselineScore],
) -> str:
    parts = [
        f"{WORDS[s]} grows along the causal order (sortability {rising[s].value:.2f}) "
        "but regressing along it does not beat random orders"
        for s in sorted(sortable)
    ]
    parts += [
        f"regressing along {WORDS[s]} beats random orders (F1 {score[SORTED_BY[s]].f1:.2f}) "
        f"though its sortability of {rising[s].value:.2f} is within chance"
        for s in sorted(winning)
    ]
    return f"Leaning, not clearly gameable: {'; '.join(parts)} ({_scores(score)})."


def _not_gameable(
    rising: dict[str, Sortability], score: dict[str, BaselineScore], spread: ColumnSpread
) -> str:
    standardised = " (the columns are standardised)" if spread.equal_variances else ""
    falling = "".join(
        f"; {WORDS[s]} falls along the causal order, so sorting it downwards might work"
        for s in SORTED_BY
        if rising[s].p_falling <= LEVEL
    )
    relatives = ""
    if rising["relatives"].p_rising <= LEVEL:
        relatives = (
            "; the number of correlated columns does grow along it "
            f"({rising['relatives'].value:.2f}), which is the shape of the graph and not its scale"
        )
    return (
        f"Not gameable by variance or R²{standardised}: neither the first (sortability "
        f"{rising['variance'].value:.2f}) nor the second ({rising['R2'].value:.2f}) grows along "
        "the causal order more than chance has it, and no order read off them beats random ones "
        f"({_scores(score)}){falling}{relatives}."
    )


def _reaches(
    statistic: str,
    rising: dict[str, Sortability],
    score: dict[str, BaselineScore],
    beside_random: bool = True,
) -> str:
    own, random = score[SORTED_BY[statistic]], score[RANDOM_ORDER]
    text = (
        f"sorting by {WORDS[statistic]} alone (sortability {rising[statistic].value:.2f}) "
        f"reaches F1 {own.f1:.2f} and SHD {own.shd:.0f}"
    )
    if not beside_random:
        return text
    return f"{text}, where random orders reach {random.f1:.2f} and {random.shd:.0f} on average"


def _scores(score: dict[str, BaselineScore]) -> str:
    by_variance, by_r2 = (score[name] for name in SORTED_BY.values())
    if math.isnan(by_variance.f1):
        return f"the baselines cannot be run: {by_variance.note}"
    return (
        f"F1 {by_variance.f1:.2f} by variance, {by_r2.f1:.2f} by R², "
        f"{score[RANDOM_ORDER].f1:.2f} on average in random order"
    )


def judge_columns(spread: ColumnSpread) -> Verdict:
    """Return the verdict on data without a graph."""
    low, high = spread.r2_range
    if spread.equal_variances:
        scale = "the columns are standardised, so variance tells nothing"
    else:
        scale = f"the variances span a factor of {spread.variance_ratio:.3g}"
    if spread.rank_agreement > 0 and spread.p_agreement <= FIT_LEVEL:
        link = (
            f", and their order agrees with that of R² (Spearman {spread.rank_agreement:.2f}), as "
            "in simulations where both grow along the causal order"
        )
    else:
        link = "" if spread.equal_variances else ", and their order is not that of R²"
    sentence = (
        f"No graph, so no verdict on the order: {scale}{link}; R² on the other columns runs from "
        f"{low:.2f} to {high:.2f}. Judge algorithms on these data beside var-sortnregress and "
        "r2-sortnregress."
    )
    return Verdict("no graph", sentence, NO_GRAPH_RULE)
