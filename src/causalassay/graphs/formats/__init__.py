"""Graphs in files: what is read, and what is written."""
