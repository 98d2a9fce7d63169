"""The conformance checks that every plug-in must pass.

>>> from causalassay.discovery import make_algorithm
>>> from causalassay.testing import check_algorithm
>>> check_algorithm(make_algorithm("var-sortnregress"))
"""

from typing import TYPE_CHECKING

from causalassay.common.on_demand import names_on_demand

if TYPE_CHECKING:
    from causalassay.testing.algorithms import check_algorithm, estimate_flaws
    from causalassay.testing.measures import check_artefact, check_diagnostic, check_metric
    from causalassay.testing.sources import check_graph_source, check_model_source

__all__ = [
    "check_algorithm",
    "check_artefact",
    "check_diagnostic",
    "check_graph_source",
    "check_metric",
    "check_model_source",
    "estimate_flaws",
]

__getattr__, __dir__ = names_on_demand(__name__)
