"""The rules of the judge by name: one table that the output, the pages and the tests share."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from causalassay.judging.rule import Rule
from causalassay.judging.study_rules import STUDY_RULES

DATA_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "two tests": Rule(
            "gameable, gameable backwards, leaning",
            "Gameable by a statistic: it passes two tests. First, the share of random assignments "
            "of its values to the nodes that are at least as sortable is at most the level. "
            "Second, the share of random orders whose F1 is at least that of regressing along the "
            "statistic's order is at most the level. Gameable backwards: the same with the values "
            "sorted from largest to smallest. Leaning: it passes only one of the two. The level "
            "is 5 % divided by the number of statistics and directions. Assignments and orders "
            "are drawn until a test is decided with a risk of 0.1 %, at most 20 000; with up to 8 "
            "columns all are counted.",
        ),
        "too small": Rule(
            "too small",
            "No statistic passed either test, and no order could pass both: more than the level "
            "of random assignments have sortability 1, or more than the level of random orders "
            "have at least the F1 of a true order. Also if the graph has no cause–effect pair.",
            rests_on=("two tests",),
        ),
        "no evidence": Rule(
            "no evidence",
            "No statistic passed either test, although a true order would have passed both. This "
            "does not say that there is no artefact.",
            rests_on=("two tests",),
        ),
        "what is missing": Rule(
            "undecided",
            "A test could not be run, and the sentence says what is missing. Also if each column "
            "holds at most 10 different whole numbers and was not declared discrete.",
        ),
        "no graph": Rule(
            "no graph",
            "Without a graph, no order is right or wrong. Columns count as standardised if their "
            "variances tie to within 1e-9. Variance and R² count as agreeing if the Spearman "
            "correlation of their orders is positive at 5 %.",
        ),
        "graph check": Rule(
            "graph refuted, graph not refuted, graph not checked",
            "The rule tests the independences that the graph implies given at most one column: "
            "between two nodes without a common ancestor, and between a node with one parent and "
            "its non-descendants given that parent. Refuted: at least one of them is rejected at "
            "1 %, corrected for all of them (Holm), and at least as many are rejected at 5 % each "
            "as under 95 % of relabelled graphs.",
        ),
    }
)
"""Of findings on one data set."""

RULES: Mapping[str, Rule] = MappingProxyType({**DATA_RULES, **STUDY_RULES})
"""All rules by name."""
