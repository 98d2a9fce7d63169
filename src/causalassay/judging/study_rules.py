"""The rules by which studies are judged."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from causalassay.judging.rule import Rule

STUDY_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "two tests over units": Rule(
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
        "lead": Rule(
            "no lead found, undecided",
            "A lead on a scheme: the shares of random orders that score at least as well, added "
            "up over the units (Edgington), are small, and the score is above that of a graph "
            "with as many edges of each kind at random places (sign flips). All claims about one "
            "algorithm are corrected together at 5 % (Holm), whatever other algorithms are "
            "listed. No lead found: no lead on any scheme. Undecided: there are too few units "
            "even if all signs agree, or none of the rules below applies.",
        ),
        "robust": Rule(
            "robust",
            "A lead on every scheme where no artefact was found. Schemes with shuffled labels do "
            "not count.",
            rests_on=("lead", "two tests over units"),
        ),
        "variance order": Rule(
            "depends on variance order",
            "Columns are rescaled to other variances: the same ones, once in the order of the raw "
            "variances and once in random order. In random order the score is lower, and so is "
            "the share of true edges that are ordered correctly (sign flips, both). The "
            "correlations are equal, so only the order of the variances can be the cause.",
            rests_on=("lead",),
        ),
        "variance ratios": Rule(
            "depends on variance ratios",
            "The score changes between raw data and columns rescaled to other variances in the "
            "same order (sign flips). Only the ratios of variances differ, such as equal noise "
            "variances or what a threshold cuts.",
            rests_on=("lead",),
        ),
        "units": Rule(
            "depends on units",
            "The score changes between raw and standardised data, or between rescaled variances "
            "in order and in random order (sign flips), and neither of the two rules above holds.",
            rests_on=("variance order", "variance ratios"),
        ),
        "lead lost": Rule(
            "lead lost",
            "A lead on a scheme where an artefact was found; on a scheme without one the lead is "
            "smaller (sign flips) and no lead is found. Such schemes differ in more than one "
            "respect, so no cause is named.",
            rests_on=("lead",),
        ),
        "firsts of metrics": Rule(
            "metrics disagree, metrics differ",
            "The listed algorithms with a score in at least 95 % of the problems are ranked by "
            "the mean of each metric. Two metrics disagree if they rank different algorithms "
            "first and each of these is ahead of the other in its metric (sign flips), corrected "
            "over all such comparisons in the study (Holm).",
        ),
        "failures": Rule(
            "failures, incomplete",
            "Every row whose status is not ok is counted, and so is every row not yet computed.",
        ),
    }
)
"""Of findings on schemes and algorithms."""
