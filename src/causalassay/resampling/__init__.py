"""How often an algorithm finds each edge when the rows are drawn again."""

from causalassay.resampling.bootstrap import draw_rows, edge_frequencies
from causalassay.resampling.result import EdgeFrequencies, PairFrequency

__all__ = ["EdgeFrequencies", "PairFrequency", "draw_rows", "edge_frequencies"]
