"""Discrete models: probability tables, exact interventional laws, BIF files."""
