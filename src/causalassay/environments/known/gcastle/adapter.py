"""The algorithms of the package gcastle."""
