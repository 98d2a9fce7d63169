"""The continuous optimisers: NOTEARS and GOLEM.

`moments` prepares the covariance and thresholds the weights. `notears_objective`, which also has
NOTEARS in the arithmetic of its authors' program, and `golem_objective` are the losses, with
`matrix_functions`. NOTEARS minimises by L-BFGS-B: `lbfgsb`, with `quadratic_model`.
"""
