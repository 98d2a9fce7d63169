"""Scores with their uncertainty, comparisons and findings, from the rows of a study."""

from causalassay.analysis.analysis import Analysis, analyse, read
from causalassay.analysis.summary import Summary, summarize

__all__ = ["Analysis", "Summary", "analyse", "read", "summarize"]
