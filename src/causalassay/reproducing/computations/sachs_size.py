"""How large the data of Sachs et al. 2005 are."""

from __future__ import annotations

from typing import Literal

from causalassay.data import sachs
from causalassay.reproducing.estimates import Estimate, NotRun


def sachs_size(*, what: Literal["rows", "nodes", "edges"]) -> Estimate | NotRun:
    """Return the observational rows, the nodes, or the edges of the usual graph."""
    try:
        problem = sachs()
    except FileNotFoundError as absent:
        return NotRun(str(absent))
    rows, nodes = problem.data.observational_values.shape
    return Estimate({"rows": rows, "nodes": nodes, "edges": int(problem.graph.sum())}[what])
