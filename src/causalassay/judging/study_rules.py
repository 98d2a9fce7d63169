"""The rules by which studies are judged."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from causalassay.judging.rule import Rule

STUDY_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "two tests over units": Rule(
            "gameable, gameable backwards, leaning, no evidence, too small: of a scheme, or of "
            "several files",
            "The two tests of an audit, with the p-values of the units added up (Edgington): "
            "random assignments are hardly ever as sortable, and random orders hardly ever reach "
            "the F1 along the statistic's order. All statistics and both directions are judged "
            "together at 5 %. Many units find what is too small to matter: with several, the "
            "first counts if the mean sortability is at least 0.6 (backwards at most 0.4), the "
            "second if the mean gain in F1 is at least 0.05. Leaning: one of the two. Too small: "
            "even a true order would not pass.",
            rests_on=("two tests",),
        ),
        "lead": Rule(
            "no lead found, undecided",
            "A lead on a scheme: the shares of random orders that reach the score, added up over "
            "the units (Edgington), are small, and the score is above that of a graph with as many "
            "edges of each kind at random places (sign flips). All claims on one algorithm are "
            "corrected together at 5 % (Holm), whatever others are listed. No lead found: on no "
            "scheme. Undecided: units are too few for even unanimous signs, or the rules below "
            "say nothing.",
        ),
        "robust": Rule(
            "robust",
            "A lead on every scheme without a found artefact. Schemes with shuffled labels do not "
            "count.",
            rests_on=("lead", "two tests over units"),
        ),
        "variance order": Rule(
            "depends on variance order",
            "Other variances in the same order against the very same variances at random: the "
            "score falls, and so does the share of true edges that are ordered rightly (sign "
            "flips, both). Correlations are equal, so only the order of variances can do it.",
            rests_on=("lead",),
        ),
        "variance ratios": Rule(
            "depends on variance ratios",
            "Raw data against other variances in the same order: the score changes (sign flips). "
            "Only ratios of variances differ, such as equal noise variances or what a threshold "
            "cuts.",
            rests_on=("lead",),
        ),
        "units": Rule(
            "depends on units",
            "The score changes between raw and standardised data, or between variances in order "
            "and at random (sign flips), and neither of the two rules above holds.",
            rests_on=("variance order", "variance ratios"),
        ),
        "lead lost": Rule(
            "lead lost",
            "A lead where an artefact was found; on a scheme without one the lead is smaller (sign "
            "flips) and none is found. Such schemes differ in more than one thing: no cause is "
            "named.",
            rests_on=("lead",),
        ),
        "firsts of metrics": Rule(
            "metrics disagree, metrics differ",
            "The listed algorithms with a score in at least 95 % of the problems are ordered by "
            "the mean of each metric. Two metrics disagree if they put different ones first and "
            "each is ahead of the other in its metric (sign flips), corrected over all such "
            "comparisons of the study (Holm).",
        ),
        "failures": Rule(
            "failures, incomplete",
            "Every row whose status is not ok is counted, and every row still to come.",
        ),
    }
)
"""Of findings on schemes and algorithms."""
