"""Published papers: our number beside the printed one.

>>> from causalassay import reproducing
>>> "reisach2021" in reproducing.paper_slugs()
True
"""

from causalassay.lab.reproducing.agreement import outcome_of
from causalassay.lab.reproducing.estimates import Cases, Estimate, Extremes, NotRun, Several
from causalassay.lab.reproducing.paper import Paper, paper_slugs, read_paper
from causalassay.lab.reproducing.published import PublishedValue
from causalassay.lab.reproducing.result import Line, Reproduction
from causalassay.lab.reproducing.running import reproduce

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
