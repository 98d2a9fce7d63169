"""Experiments on real software, run here: PostgreSQL and HTTP."""
