"""What the rows of a study say, with their uncertainty."""

from causalassay.study.summary.rendering import render
from causalassay.study.summary.summarizing import Summary, summarize

__all__ = ["Summary", "render", "summarize"]
