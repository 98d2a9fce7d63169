"""Sparse regressions: lasso paths, along an order, over time, by support vectors."""
