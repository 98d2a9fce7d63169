"""Published papers: our number beside the printed one.

>>> from causalassay import reproducing
>>> "reisach2021" in reproducing.paper_slugs()
True
"""

from causalassay.reproducing.agreement import outcome_of
from causalassay.reproducing.estimates import Cases, Estimate, Extremes, NotRun, Several
from causalassay.reproducing.paper import Paper, paper_slugs, read_paper
from causalassay.reproducing.published import PublishedValue
from causalassay.reproducing.result import Line, Reproduction
from causalassay.reproducing.running import reproduce

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
