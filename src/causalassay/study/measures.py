"""The numbers that a study records of each problem: diagnostics, and one of its making.

What chance and what sorting reach is in `judging.order_measures`.
"""

from __future__ import annotations

from causalassay.diagnostics.registry import DIAGNOSTICS

N_DRAWS = "n_draws"
"""How many problems were drawn until one fell into its bin."""

DEFAULT_DIAGNOSTICS = (
    "var_sortability",
    "r2_sortability",
    "snr_sortability",
    "relatives_sortability",
    "n_edges",
    N_DRAWS,
)

DISCRETE_DIAGNOSTICS = ("entropy_sortability", "n_edges", N_DRAWS)
"""What is recorded of discrete tables: codes of levels have no variance."""

SERIES_DIAGNOSTICS = (
    "var_sortability_pairs",
    "r2_sortability_pairs",
    "r2_summary_sortability_pairs",
    "n_edges",
    N_DRAWS,
)
"""What is recorded of each series, unless a study says otherwise."""


def measure_key(name: str) -> str:
    """Return what a store calls a measure: its name, with the version unless that is the first.

    Examples
    --------
    >>> measure_key("r2_sortability"), measure_key("n_draws")
    ('r2_sortability', 'n_draws')
    """
    # The others are the number of draws and the measures of orders, which have one version.
    version = DIAGNOSTICS[name].version if name in DIAGNOSTICS else 1
    return name if version == 1 else f"{name}@{version}"
