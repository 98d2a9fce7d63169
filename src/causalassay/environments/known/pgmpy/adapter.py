"""The algorithms of the package pgmpy."""
