"""Nonlinear models with additive noise: families of functions, and schemes of scaling."""
