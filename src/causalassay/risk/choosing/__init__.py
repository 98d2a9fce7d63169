"""Which algorithm to take for one's own experiments, without a true graph."""

from causalassay.judging.findings import RULES
from causalassay.risk.choosing.choose import choose
from causalassay.risk.choosing.result import (
    Choice,
    CutoffRanking,
    Density,
    FoundGraph,
    LikelihoodOpinion,
    LikelihoodScore,
    Movement,
    MovementTests,
    PairDifference,
    PredictionScore,
    RandomGraphs,
    RankedRow,
    SecondOpinion,
)

__all__ = [
    "RULES",
    "Choice",
    "CutoffRanking",
    "Density",
    "FoundGraph",
    "LikelihoodOpinion",
    "LikelihoodScore",
    "Movement",
    "PairDifference",
    "PredictionScore",
    "RandomGraphs",
    "RankedRow",
    "SecondOpinion",
    "MovementTests",
    "choose",
]
