"""Compiled search by the Gaussian BIC."""
