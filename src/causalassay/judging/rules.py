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
            "Gameable by a statistic: it passes two tests. First, at most the level of random "
            "assignments of its values to the nodes are as sortable. Second, at most the level of "
            "random orders reach the F1 of regressing along its order. Gameable backwards: the "
            "same from the largest value to the smallest. Leaning: it passes one of the two. The "
            "level is 5 % divided by the number of statistics and directions. Assignments and "
            "orders are drawn until a test is decided with a risk of 0.1 %, at most 20 000; with "
            "up to 8 columns all are counted.",
        ),
        "too small": Rule(
            "too small",
            "No statistic passed either of the two tests, and no order could pass both: "
            "sortability 1, or the F1 along a true order, is reached by more than the level of "
            "random ones. Also if the graph has no pair of cause and effect.",
            rests_on=("two tests",),
        ),
        "no evidence": Rule(
            "no evidence",
            "No statistic passed either of the two tests, and a true order would have passed both. "
            "It does not say that there is no artefact.",
            rests_on=("two tests",),
        ),
        "what is missing": Rule(
            "undecided",
            "A test could not be made, and the sentence says what is missing. Also if each column "
            "holds at most 10 whole numbers and was not declared discrete.",
        ),
        "no graph": Rule(
            "no graph",
            "Without a graph no order is right or wrong. Columns count as standardised if their "
            "variances tie to 1e-9, and variance and R² as agreeing if Spearman's correlation of "
            "their orders is positive at 5 %.",
        ),
        "graph check": Rule(
            "graph refuted, graph not refuted, graph not checked",
            "Tested are the independences that the graph implies given at most one column: of two "
            "nodes without a common ancestor, and of a node with one parent and its "
            "non-descendants given that parent. Refuted: one of them is rejected at 1 %, corrected "
            "for all of them (Holm), and no fewer are rejected at 5 % each than under 95 % of "
            "relabelled graphs.",
        ),
    }
)
"""Of findings on one data set."""

RULES: Mapping[str, Rule] = MappingProxyType({**DATA_RULES, **STUDY_RULES})
"""All rules by name."""
