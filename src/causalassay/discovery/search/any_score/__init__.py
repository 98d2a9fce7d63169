"""The same searches by any local score, given as a function of a node and its parents.

Used for discrete data: `class_operators` by GES, `dag_climbing` by MMHC, and
`parents_along_order`, the search K2, by the audit of discrete data.
"""
