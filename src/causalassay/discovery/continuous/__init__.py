"""The continuous optimisers: NOTEARS and GOLEM.

`moments` prepares the covariance and thresholds the weights. `notears_objective` and
`golem_objective` are the losses, with `matrix_exponential` and `matrix_inverse`. NOTEARS
minimises by L-BFGS-B: `lbfgsb`, with `lbfgsb_memory`, `cauchy_point` and `line_search`.
`notears_reference` is NOTEARS in the arithmetic of its authors' program.
"""
