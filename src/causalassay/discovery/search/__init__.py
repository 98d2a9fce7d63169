"""Searches over graphs and over orders of the variables, and the scores that guide them.

`equivalence_classes` is the search of GES and GIES; `gaussian/` and `any_score/` hold its
operators, and the hill climbing of MMHC, for the Gaussian BIC and for any other score.
`discrete_scores` has BIC and BDeu of tables. `variable_orders` is the search of NOTEARS without
its optimiser, `exogenous_order` that of DirectLiNGAM.
"""
