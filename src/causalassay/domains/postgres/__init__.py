"""A factorial experiment on a live PostgreSQL server: ``pip install causalassay[postgres]``."""
