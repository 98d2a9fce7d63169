"""A factorial experiment on a live PostgreSQL server; needs the extra ``postgres``."""
