"""Causal risk: compare an estimate with held-out experiments, without a true graph."""

from typing import TYPE_CHECKING

from causalassay.common.on_demand import names_on_demand

if TYPE_CHECKING:
    from causalassay.risk.cross_validation import Intervals, Scoring
    from causalassay.risk.descendants import (
        Descendants,
        DescendantTests,
        estimate_descendants,
        implied_descendants,
        jaccard,
        mistakes,
        true_descendants,
    )
    from causalassay.risk.estimators import compare, estimate, oracle
    from causalassay.risk.result import Comparison, Difference, Risk
    from causalassay.risk.study_risk import Agreement, agreement
    from causalassay.risk.tests import Bonferroni, Fixed, SimulatedMax

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

__getattr__, __dir__ = names_on_demand(__name__)
