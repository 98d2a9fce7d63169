"""How often an algorithm finds each edge when the rows are drawn again."""

from causalassay.resampling.bootstrap import AlgorithmFailed, draw_rows, edge_frequencies
from causalassay.resampling.result import EdgeFrequencies, PairFrequency

__all__ = ["AlgorithmFailed", "EdgeFrequencies", "PairFrequency", "draw_rows", "edge_frequencies"]
