"""The conformance checks that every plug-in must pass.

>>> from causalassay.discovery import make_algorithm
>>> from causalassay.testing import check_algorithm
>>> check_algorithm(make_algorithm("var-sortnregress"))
"""

from causalassay.testing.algorithms import check_algorithm, estimate_flaws
from causalassay.testing.artefacts import check_artefact
from causalassay.testing.diagnostics import check_diagnostic
from causalassay.testing.graphs import check_graph_source
from causalassay.testing.metrics import check_metric
from causalassay.testing.models import check_model_source

__all__ = [
    "check_algorithm",
    "check_artefact",
    "check_diagnostic",
    "check_graph_source",
    "check_metric",
    "check_model_source",
    "estimate_flaws",
]
