"""Numbers that compare an estimated graph with the true one."""

from causalassay.metrics.edges import (
    f1,
    fpr,
    precision,
    recall,
    skeleton_f1,
    skeleton_fpr,
    skeleton_precision,
    skeleton_recall,
)
from causalassay.metrics.hamming import (
    ShdParts,
    mec_shd,
    shd,
    shd_double,
    shd_normalized,
    shd_parts,
    skeleton_shd,
)
from causalassay.metrics.resolution import (
    FavourableThreshold,
    MeanScore,
    Members,
    Repair,
    favourable_resolution,
    favourable_threshold,
    mean_over_members,
    members,
    repair,
)

__all__ = [
    "FavourableThreshold",
    "MeanScore",
    "Members",
    "Repair",
    "ShdParts",
    "f1",
    "favourable_resolution",
    "favourable_threshold",
    "fpr",
    "mean_over_members",
    "mec_shd",
    "members",
    "precision",
    "recall",
    "repair",
    "shd",
    "shd_double",
    "shd_normalized",
    "shd_parts",
    "skeleton_f1",
    "skeleton_fpr",
    "skeleton_precision",
    "skeleton_recall",
    "skeleton_shd",
]
