"""Causal risk: compare an estimate with held-out experiments, without a true graph."""

from causalassay.risk.agreement import Agreement, agreement
from causalassay.risk.cutoffs import Bonferroni, Fixed, SimulatedMax
from causalassay.risk.descendant_tests import DescendantTests, estimate_descendants
from causalassay.risk.descendant_tests import Descendants, implied_descendants, true_descendants
from causalassay.risk.estimators import compare, estimate, oracle
from causalassay.risk.experiments import jaccard, mistakes
from causalassay.risk.result import Comparison, Difference, Risk
from causalassay.risk.uncertainty import Intervals, Scoring

__all__ = [
    "Agreement",
    "Bonferroni",
    "Comparison",
    "DescendantTests",
    "Descendants",
    "Difference",
    "Fixed",
    "Intervals",
    "Risk",
    "Scoring",
    "SimulatedMax",
    "agreement",
    "compare",
    "estimate",
    "estimate_descendants",
    "implied_descendants",
    "jaccard",
    "mistakes",
    "oracle",
    "true_descendants",
]
