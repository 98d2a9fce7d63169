"""Functions that compute what no study can: exact numbers, identities, chains."""

from __future__ import annotations

from collections.abc import Callable

from causalassay.lab.reproducing.computations.chain_correlations import CHAIN_CORRELATIONS
from causalassay.lab.reproducing.computations.chains import (
    chain_orientation,
    chain_orientations,
    chance_limit,
)
from causalassay.lab.reproducing.computations.gradient_step import GRADIENT_STEP
from causalassay.lab.reproducing.computations.iscm_theorems import ISCM_THEOREMS
from causalassay.lab.reproducing.computations.look_alikes import LOOK_ALIKES
from causalassay.lab.reproducing.computations.noise_transfer import NOISE_TRANSFER
from causalassay.lab.reproducing.computations.real_systems import REAL_SYSTEMS, sachs_size
from causalassay.lab.reproducing.computations.risk_identities import RISK_IDENTITIES
from causalassay.lab.reproducing.computations.three_models import THREE_MODELS
from causalassay.lab.reproducing.computations.three_node_losses import dag_count, truth_is_optimal
from causalassay.lab.reproducing.computations.uumc_laws import UUMC_LAWS
from causalassay.lab.reproducing.computations.uumc_sortability import (
    dao_with_slip,
    uumc_var_sortability,
)
from causalassay.lab.reproducing.computations.variance_along_order import variance_increase
from causalassay.lab.reproducing.computations.varsortability_examples import VARSORTABILITY_EXAMPLES
from causalassay.lab.reproducing.estimates import Ours

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
