"""Published papers: our number beside the printed one.

>>> from causalassay.lab import papers
>>> "reisach2021" in papers.paper_slugs()
True
"""

from causalassay.lab.papers.estimates import Cases, Estimate, Extremes, NotRun, Several
from causalassay.lab.papers.paper import Paper, paper_slugs, read_paper
from causalassay.lab.papers.published import PublishedValue, outcome_of
from causalassay.lab.papers.result import Line, Reproduction
from causalassay.lab.papers.running import reproduce

__all__ = [
    "Cases",
    "Estimate",
    "Extremes",
    "Line",
    "NotRun",
    "Paper",
    "PublishedValue",
    "Reproduction",
    "Several",
    "outcome_of",
    "paper_slugs",
    "read_paper",
    "reproduce",
]
