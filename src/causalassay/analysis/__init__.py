"""What the rows of a study say: scores with their uncertainty, comparisons, findings."""

from causalassay.analysis.analysis import Analysis, analyse, read
from causalassay.analysis.summary import Summary, summarize

__all__ = ["Analysis", "Summary", "analyse", "read", "summarize"]
