"""The rules that lead from numbers to findings: one table for the output, the pages and the tests.

How often each rule was wrong is in ``measured_rates.json``, which `make calibrate` writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType


@dataclass(frozen=True)
class Rule:
    """A rule that leads from numbers to findings.

    Parameters
    ----------
    name : str
    says : str
        Which findings it gives.
    decides : str
        When it gives them.
    rests_on : tuple of str
        Rules that its text speaks of.
    rate_of : str
        The rule whose measured error rate holds for this one as well; often empty.
    """

    name: str
    says: str
    decides: str
    rests_on: tuple[str, ...] = ()
    rate_of: str = ""

    @property
    def rate(self) -> str:
        """How often it was wrong when that was measured, in words; empty if it was not."""
        return _measured_rates().get(self.name, "")

    @property
    def text(self) -> str:
        """When it gives its findings, and how often it was wrong."""
        return f"{self.decides} Measured: {self.rate}." if self.rate else self.decides

    @property
    def rate_text(self) -> str:
        """How often it was wrong, or that this was not measured.

        Examples
        --------
        >>> RULES["lead"].rate_text
        'its error rate was not measured'
        """
        if self.rate:
            return f"measured: {self.rate}"
        if self.rate_of:
            return f"it rests on “{self.rate_of}”, {RULES[self.rate_of].rate_text}"
        return "its error rate was not measured"


@cache
def _measured_rates() -> Mapping[str, str]:
    text = files(__package__).joinpath("measured_rates.json").read_text(encoding="utf-8")
    return MappingProxyType(json.loads(text))


_RULES = (
    # Of findings on one data set.
    Rule(
        "two tests",
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
    Rule(
        "too small",
        "too small",
        "No statistic passed either test, and no order could pass both: more than the level "
        "of random assignments have sortability 1, or more than the level of random orders "
        "have at least the F1 of a true order. Also if the graph has no cause–effect pair.",
        rests_on=("two tests",),
        rate_of="two tests",
    ),
    Rule(
        "no evidence",
        "no evidence",
        "No statistic passed either test, although a true order would have passed both. This "
        "does not say that there is no artefact.",
        rests_on=("two tests",),
        rate_of="two tests",
    ),
    Rule(
        "what is missing",
        "undecided",
        "A test could not be run, and the sentence says what is missing. Also if each column "
        "holds at most 10 different whole numbers and was not declared discrete.",
    ),
    Rule(
        "no graph",
        "no graph",
        "Without a graph, no order is right or wrong. Columns count as standardised if their "
        "variances tie to within 1e-9. Variance and R² count as agreeing if the Spearman "
        "correlation of their orders is positive at 5 %.",
    ),
    Rule(
        "graph check",
        "graph refuted, graph not refuted, graph not checked",
        "The rule tests the independences that the graph implies given at most one column: "
        "between two nodes without a common ancestor, and between a node with one parent and "
        "its non-descendants given that parent. Refuted: at least one of them is rejected at "
        "1 %, corrected for all of them (Holm), and at least as many are rejected at 5 % each "
        "as under 95 % of relabelled graphs.",
    ),
    # Of findings on schemes and algorithms.
    Rule(
        "two tests over units",
        "gameable, gameable backwards, leaning, no evidence, too small: for a scheme, or for "
        "several files",
        "The two tests of an audit, with the p-values of the units added up (Edgington): "
        "random assignments are rarely as sortable, and random orders rarely have an F1 as "
        "high as along the statistic's order. All statistics and both directions are judged "
        "together at 5 %. Many units can detect effects too small to matter. With several "
        "units, the first test therefore counts only if the mean sortability is at least 0.6 "
        "(backwards: at most 0.4), the second only if the mean gain in F1 is at least 0.05. "
        "Leaning: only one of the two. Too small: even a true order would not pass.",
        rests_on=("two tests",),
    ),
    Rule(
        "lead",
        "no lead found, undecided",
        "A lead on a scheme: the shares of random orders that score at least as well, added "
        "up over the units (Edgington), are small, and the score is above that of a graph "
        "with as many edges of each kind at random places (sign flips). All claims about one "
        "algorithm are corrected together at 5 % (Holm), whatever other algorithms are "
        "listed. No lead found: no lead on any scheme. Undecided: there are too few units "
        "even if all signs agree, or none of the rules below applies.",
    ),
    Rule(
        "robust",
        "robust",
        "A lead on every scheme where no artefact was found. Schemes with shuffled labels do "
        "not count.",
        rests_on=("lead", "two tests over units"),
    ),
    Rule(
        "variance order",
        "depends on variance order",
        "Columns are rescaled to other variances: the same ones, once in the order of the raw "
        "variances and once in random order. In random order the score is lower, and so is "
        "the share of true edges that are ordered correctly (sign flips, both). The "
        "correlations are equal, so only the order of the variances can be the cause.",
        rests_on=("lead",),
    ),
    Rule(
        "variance ratios",
        "depends on variance ratios",
        "The score changes between raw data and columns rescaled to other variances in the "
        "same order (sign flips). Only the ratios of variances differ, such as equal noise "
        "variances or what a threshold cuts.",
        rests_on=("lead",),
    ),
    Rule(
        "units",
        "depends on units",
        "The score changes between raw and standardised data, or between rescaled variances "
        "in order and in random order (sign flips), and neither of the two rules above holds.",
        rests_on=("variance order", "variance ratios"),
    ),
    Rule(
        "lead lost",
        "lead lost",
        "A lead on a scheme where an artefact was found; on a scheme without one the lead is "
        "smaller (sign flips) and no lead is found. Such schemes differ in more than one "
        "respect, so no cause is named.",
        rests_on=("lead",),
    ),
    Rule(
        "firsts of metrics",
        "metrics disagree, metrics differ",
        "The listed algorithms with a score in at least 95 % of the problems are ranked by "
        "the mean of each metric. Two metrics disagree if they rank different algorithms "
        "first and each of these is ahead of the other in its metric (sign flips), corrected "
        "over all such comparisons in the study (Holm).",
    ),
    Rule(
        "failures",
        "failures, incomplete",
        "Every row whose status is not ok is counted, and so is every row not yet computed.",
    ),
    # Of findings on a choice.
    Rule(
        "graph that says nothing",
        "whether the empty or the complete graph has less risk than every algorithm",
        "Compares the weighted risks of `empty` (nothing descends from anything) and `complete` "
        "(everything from everything) with the least one of the algorithms. A comparison of "
        "estimates, and called so unless the interval of every paired difference lies below 0.",
    ),
    Rule(
        "random graphs of its density",
        "which algorithms beat random graphs with as many edges",
        "Random graphs are the algorithm's own with its columns exchanged at random: as many edges "
        "and the same shape, but no knowledge of the data. The p-value is the share of random "
        "graphs with at most the algorithm's weighted risk, corrected over the algorithms by Holm; "
        "shown to beat if it is at most 0.05 / 3. A random graph is not fitted, so its weighted "
        "risk is its naive one. Beating random graphs shows that a graph is related to the data, "
        "not that it is causal.",
    ),
    Rule(
        "may be the best",
        "which algorithms the data cannot tell from the best one",
        "An algorithm is out if another one has less risk: if the lower end of the paired "
        "difference is above 0 at the one-sided level 0.05 / 3, shared by its comparisons with "
        "all others. The remaining ones hold the best one as often as the intervals cover.",
    ),
    Rule(
        "best",
        "that one algorithm is the best",
        "Given if every other algorithm is out by “may be the best”, this one beats random graphs "
        "of its density, and no graph that says nothing has less risk.",
        ("may be the best", "random graphs of its density", "graph that says nothing"),
    ),
    Rule(
        "density",
        "that the ranking follows density",
        "Spearman's correlation between the number of descendants that a graph names (of the "
        "intervened columns) and its weighted risk, over the different graphs that were found "
        "from the data, baselines included, 5 or more; two-sided permutation p-value at most "
        "0.05 / 3. With it is said how many algorithms beat random graphs of their density.",
        ("random graphs of its density",),
    ),
    Rule(
        "many descendants",
        "that the tests call nearly everything a descendant",
        "Given if at least 1/2 of all pairs of an intervened column and another one count as "
        "moved: a complete DAG has that many. Batch or side effects can do it, and so can many "
        "rows; the tests cannot tell.",
    ),
    Rule(
        "few descendants",
        "that most interventions move nothing",
        "Given if at least 1/2 of the intervened columns have no descendant by the tests; the "
        "empty graph loses nothing on them.",
    ),
    Rule(
        "cut-off",
        "whether the leader changes with the least effect",
        "Compares the algorithm with the least weighted risk at significance alone and at each "
        "cut-off on effect size. Estimates, without intervals.",
    ),
    Rule(
        "equal by construction",
        "which risks equal the naive one by construction",
        "An algorithm that reads no interventional rows finds the same graph with and without an "
        "experiment, so its cross-validated and weighted risks are its naive one.",
    ),
    Rule(
        "second opinion",
        "whether predicted distributions rank the algorithms alike",
        "Compares the two leaders, and the order of all algorithms by Kendall's tau (alike from "
        "0.5 on). Where the "
        "leaders differ, a cause is named only if the difference goes away without it: flagged "
        "interventions left out, or small effects. If the interval of the leaders' difference in "
        "prediction holds 0, that is said instead. Estimates; no error rate was measured.",
    ),
    # Of findings on an evaluation.
    Rule(
        "paired repeats",
        "which graph is closer to an experiment, and where measures disagree",
        "One graph comes before another by a measure if the interval of their paired differences "
        "over repeats excludes 0. All intervals of an evaluation together hold with 95 % "
        "(Bonferroni, Student's t), as far as the draw of the bias goes.",
    ),
)

RULES: Mapping[str, Rule] = MappingProxyType({rule.name: rule for rule in _RULES})
"""All rules by name."""
