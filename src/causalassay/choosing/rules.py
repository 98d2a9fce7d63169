"""The rules by which numbers become sentences on a choice, and their bounds, in one table."""

from __future__ import annotations

from causalassay.judging.rule import Rule

LEVEL = 0.05
"""Of all claims on one page together."""

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

RULES = {
    "graph that says nothing": Rule(
        "whether the empty or the complete graph has less risk than every algorithm",
        "Compares the weighted risks of `empty` (nothing descends from anything) and `complete` "
        "(everything from everything) with the least one of the algorithms. A comparison of "
        "estimates; the interval of the difference stands beside it.",
    ),
    "random graphs of its density": Rule(
        "which algorithms beat random graphs with as many edges",
        "Random graphs join as many random pairs, as many of them undirected, the others along a "
        "random order. The p-value is the share of random graphs with at most the algorithm's "
        "weighted risk, corrected over the algorithms by Holm; shown to beat if it is at most "
        "0.05 / 3. A random graph is not fitted, so its weighted risk is its naive one.",
    ),
    "may be the best": Rule(
        "which algorithms the data cannot tell from the best one",
        "An algorithm is out if another one has less risk: if the lower end of the paired "
        "difference is above 0 at the one-sided level 0.05 / 3, shared by its comparisons with "
        "all others. The remaining ones hold the best one as often as the intervals cover.",
    ),
    "best": Rule(
        "that one algorithm is the best",
        "Given if every other algorithm is out by “may be the best”, this one beats random graphs "
        "of its density, and no graph that says nothing has less risk.",
        ("may be the best", "random graphs of its density", "graph that says nothing"),
    ),
    "density": Rule(
        "that the ranking follows density",
        "Spearman's correlation between the number of descendants that a graph names (of the "
        "intervened columns) and its weighted risk, over the different graphs that were found "
        "from the data, baselines included, 5 or more; two-sided permutation p-value at most "
        "0.05 / 3. With it is said how many algorithms beat random graphs of their density.",
        ("random graphs of its density",),
    ),
    "many descendants": Rule(
        "that the tests call nearly everything a descendant",
        "Given if at least 1/2 of all pairs of an intervened column and another one count as "
        "moved: a complete DAG has that many. Batch or side effects can do it, and so can many "
        "rows; the tests cannot tell.",
    ),
    "few descendants": Rule(
        "that most interventions move nothing",
        "Given if at least 1/2 of the intervened columns have no descendant by the tests; the "
        "empty graph loses nothing on them.",
    ),
    "cut-off": Rule(
        "whether the leader changes with the least effect",
        "Compares the algorithm with the least weighted risk at significance alone and at each "
        "cut-off on effect size. Estimates, without intervals.",
    ),
    "equal by construction": Rule(
        "which risks equal the naive one by construction",
        "An algorithm that reads no interventional rows finds the same graph with and without an "
        "experiment, so its cross-validated and weighted risks are its naive one.",
    ),
    "second opinion": Rule(
        "whether predicted distributions rank the algorithms alike",
        "Compares the two leaders, and the order of all algorithms by Kendall's tau (alike from "
        "0.5 on). Where the "
        "leaders differ, a cause is named only if the difference goes away without it: flagged "
        "interventions left out, or small effects. If the interval of the leaders' difference in "
        "prediction holds 0, that is said instead. Estimates; no error rate was measured.",
    ),
}
"""By name: what a rule says, and when."""
