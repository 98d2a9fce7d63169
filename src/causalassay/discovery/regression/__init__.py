"""Sparse and smooth regressions, mostly of each variable on those before it in an order.

`lasso_along_order` (sort and regress, DirectLiNGAM) and `lagged_lasso` (series) choose the
penalty by BIC with `bic_lasso`; `cross_validated_lasso` (DirectLiNGAM) by held-out rows.
`least_angle_path` has the steps of the lasso path that both take. `support_vectors` is the
nonlinear regression of sort and regress and of MSE-GDS.

`additive_model` (CAM, RESIT, sort and regress) regresses on smooth functions: `spline_columns`
has the functions of all columns and their cross products, `smoothing` chooses how smooth each
term is, `further_terms` says what one more term would add, `boosted_selection` which columns to
regress on where there are many.
"""

from typing import Literal

RegressionKind = Literal["linear", "support-vector"]
"""Least squares, or support vector regression, which needs the extra ``nonlinear``."""
SortedRegressionKind = Literal["linear", "support-vector", "additive"]
"""The same, or an additive model of smooth functions: where columns are sorted beforehand."""
