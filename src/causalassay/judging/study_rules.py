"""The rules by which studies are judged: a fixed name, and how it decides."""

from __future__ import annotations

from causalassay.judging.order_tests import FAMILY_LEVEL
from causalassay.judging.over_units import LEVEL
from causalassay.judging.scheme_findings import CLEAR

STUDY_RULES = {
    "two tests over units": (
        "The two tests of an audit, their p-values added over the units (Edgington): a scheme is "
        "gameable by a statistic if random assignments are hardly ever as sortable, and random "
        "orders hardly ever reach the F1 along its order. All statistics and both directions are "
        f"judged together at {FAMILY_LEVEL:.0%}. With several units the mean sortability must "
        f"also be at least {CLEAR} (backwards at most {1 - CLEAR:.1f}). Leaning: one of the two "
        "tests, or both with less."
    ),
    "lead": (
        "Ahead of chance on a scheme: the ranks of the score among random orders of the same data, "
        "added over units, and the score against a graph with as many edges of each kind at "
        "random places, by sign flips; both. No lead found: on no scheme."
    ),
    "robust": "A lead on every scheme without a found artefact.",
    "variance order": (
        "Other variances in the same order against the very same variances at random: the score "
        "falls, and so does the order score. Correlations are equal, so nothing but the order of "
        "variances can have done it."
    ),
    "variance ratios": (
        "Raw data against other variances in the same order: the score changes. Only the ratios "
        "of variances differ."
    ),
    "units": (
        "Raw data against standardised ones, or variances in order against variances at random: "
        "the score changes, and neither of the two rules above says why."
    ),
    "lead lost": (
        "A lead where an artefact was found, a smaller one where none was, and no lead found "
        "there. These schemes differ in more than one thing, so no cause is named."
    ),
    "firsts of metrics": (
        "The listed algorithms with a score in at least 95 % of the problems are ordered by the "
        "mean of each metric. Two metrics disagree if they put different ones first and each is "
        "ahead of the other in its metric by sign flips, corrected over all such comparisons of "
        "the study (Holm)."
    ),
    "failures": "Every row whose status is not ok is counted, and every row still to come.",
}
"""Claims on one algorithm are corrected together (Holm), whatever others a study lists."""

TOGETHER = (
    f"All claims on one algorithm hold together with an error of at most {LEVEL:.0%} (Holm), "
    "whatever other algorithms are listed."
)
