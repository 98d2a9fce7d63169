"""Diagnostics: whether simple statistics of the columns reveal the causal order of a problem."""

from causalassay.diagnostics.explained_variance import (
    Determination,
    RankDeficientWarning,
    cause_explained_variance,
    determination,
    r2,
)
from causalassay.diagnostics.series import (
    lagged_values,
    series_pair_weights,
    series_r2,
    series_r2_sortability,
    series_var_sortability,
)
from causalassay.diagnostics.sortability import (
    PairWeights,
    aligned_share,
    alignment,
    entropies,
    entropy_sortability,
    pair_weights,
    r2_sortability,
    relatives,
    relatives_sortability,
    snr_sortability,
    var_sortability,
)
from causalassay.diagnostics.standardized_models import (
    chain_leaning,
    identified_edges,
    iscm_cev_bound,
    orient_chain,
    pairwise_varsortability_bound,
)

__all__ = [
    "Determination",
    "PairWeights",
    "RankDeficientWarning",
    "aligned_share",
    "alignment",
    "cause_explained_variance",
    "chain_leaning",
    "determination",
    "identified_edges",
    "entropies",
    "entropy_sortability",
    "iscm_cev_bound",
    "lagged_values",
    "orient_chain",
    "pair_weights",
    "pairwise_varsortability_bound",
    "r2",
    "r2_sortability",
    "relatives",
    "relatives_sortability",
    "series_pair_weights",
    "series_r2",
    "series_r2_sortability",
    "series_var_sortability",
    "snr_sortability",
    "var_sortability",
]
