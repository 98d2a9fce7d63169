"""Searches over graphs and over orders of the variables, and the scores that guide them.

`equivalence_classes` is the search of GES and GIES; `gaussian_operators` and `any_score_search`
hold its operators for the Gaussian BIC (`gaussian_bic`) and for any other score. MMHC climbs by
`dag_climbing` or by `any_score_search`. `scores` has BIC and BDeu of tables, and all scores in one
form for the kernels of XGES (`extremely_greedy`, with `operator_table` and `class_changes`) and of
BOSS and GRaSP (`order_search`, with `grow_shrink_trees`).
"""
