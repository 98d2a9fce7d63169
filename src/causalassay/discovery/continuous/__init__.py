"""Continuous optimisation of weights: the objectives of NOTEARS and GOLEM, and L-BFGS-B."""
