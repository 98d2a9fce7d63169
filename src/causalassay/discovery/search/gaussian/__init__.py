"""Searches by the Gaussian BIC, as kernels that share regressions between candidates.

`bic` is the score, from correlations. `class_operators` has the moves of GES and GIES
between equivalence classes; `dag_climbing` is the hill climbing of MMHC.
"""
