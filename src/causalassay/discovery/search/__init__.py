"""Searches over graphs and over orders of the variables, and the scores that guide them.

`equivalence_classes` is the search of GES and GIES; `gaussian/` and `any_score/` hold its
operators, and the hill climbing of MMHC, for the Gaussian BIC and for any other score.
`family_scores` has all scores in one form for the kernels of XGES (`extremely_greedy`, with
`operator_table`, `class_changes` and `deletions`), BOSS (`best_orders`) and GRaSP (`tucks`); the
last two share `grow_shrink_trees` and `order_search`. `discrete_scores` has BIC and BDeu of tables.
`variable_orders` is the search of NOTEARS without its optimiser, `exogenous_order` that of
DirectLiNGAM.
"""
