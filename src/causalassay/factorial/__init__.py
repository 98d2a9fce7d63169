"""Factorial experiments on real systems: biased into observational data, judged by their own truth."""
