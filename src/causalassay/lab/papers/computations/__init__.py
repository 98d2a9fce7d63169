"""Functions that compute what no study can: exact numbers, identities, chains."""

from __future__ import annotations

from collections.abc import Callable

from causalassay.lab.papers.computations.eigenmann2020 import RISK_IDENTITIES
from causalassay.lab.papers.computations.garant2016 import (
    LOOK_ALIKES,
    REAL_SYSTEMS,
    THREE_MODELS,
    sachs_size,
)
from causalassay.lab.papers.computations.herman2025 import (
    UUMC_LAWS,
    dao_with_slip,
    uumc_var_sortability,
)
from causalassay.lab.papers.computations.ormaniec2024 import (
    CHAIN_CORRELATIONS,
    ISCM_THEOREMS,
    NOISE_TRANSFER,
)
from causalassay.lab.papers.computations.reisach2021 import (
    GRADIENT_STEP,
    VARSORTABILITY_EXAMPLES,
    chain_orientation,
    chain_orientations,
    chance_limit,
    dag_count,
    truth_is_optimal,
    variance_increase,
)
from causalassay.lab.papers.estimates import Ours

COMPUTATIONS: dict[str, Callable[..., Ours]] = {
    "chain-orientation": chain_orientation,
    "chain-orientations": chain_orientations,
    "chance-limit": chance_limit,
    "dao-with-slip": dao_with_slip,
    "sachs-size": sachs_size,
    "three-node-dag-count": dag_count,
    "truth-is-optimal": truth_is_optimal,
    "uumc-var-sortability": uumc_var_sortability,
    "variance-increase": variance_increase,
    **VARSORTABILITY_EXAMPLES,
    **GRADIENT_STEP,
    **THREE_MODELS,
    **REAL_SYSTEMS,
    **LOOK_ALIKES,
    **RISK_IDENTITIES,
    **UUMC_LAWS,
    **CHAIN_CORRELATIONS,
    **ISCM_THEOREMS,
    **NOISE_TRANSFER,
}
"""From the name that `compute` states to the function; the rest of the table is its parameters."""
