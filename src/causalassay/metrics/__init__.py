"""Metrics that compare an estimated graph with the true one."""

from causalassay.metrics.adjustment import (
    ancestor_aid,
    ancestor_aid_normalized,
    oset_aid,
    oset_aid_normalized,
    parent_aid,
    parent_aid_normalized,
)
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
from causalassay.metrics.interventional import tv_dag, tv_matrix
from causalassay.metrics.laws import Categorical, Normal, Samples
from causalassay.metrics.ordering import order_score, ordered_share
from causalassay.metrics.random_guess import chance, f1_chance
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
from causalassay.metrics.settings import Quantile
from causalassay.metrics.sid import sid, sid_normalized, sid_penalized
from causalassay.metrics.sid_bounds import SidBounds, mec_sid, sid_bounds
from causalassay.metrics.skeleton_fit import n_guessed, skeleton_p
from causalassay.metrics.variation import Distance, normal_total_variation, total_variation

__all__ = [
    "Categorical",
    "Distance",
    "FavourableThreshold",
    "MeanScore",
    "Members",
    "Normal",
    "Quantile",
    "Repair",
    "Samples",
    "ShdParts",
    "SidBounds",
    "ancestor_aid",
    "ancestor_aid_normalized",
    "chance",
    "f1",
    "f1_chance",
    "favourable_resolution",
    "favourable_threshold",
    "fpr",
    "mean_over_members",
    "mec_shd",
    "mec_sid",
    "members",
    "n_guessed",
    "normal_total_variation",
    "order_score",
    "ordered_share",
    "oset_aid",
    "oset_aid_normalized",
    "parent_aid",
    "parent_aid_normalized",
    "precision",
    "recall",
    "repair",
    "shd",
    "shd_double",
    "shd_normalized",
    "shd_parts",
    "sid",
    "sid_bounds",
    "sid_normalized",
    "sid_penalized",
    "skeleton_f1",
    "skeleton_fpr",
    "skeleton_p",
    "skeleton_precision",
    "skeleton_recall",
    "skeleton_shd",
    "total_variation",
    "tv_dag",
    "tv_matrix",
]
