"""Eigenmann et al. 2020: what holds exactly for estimated risks (section 3.2)."""

from __future__ import annotations

import numpy as np

from causalassay import risk
from causalassay.common.seeding import stream
from causalassay.data import Problem
from causalassay.discovery import make_algorithm
from causalassay.graphs.sources import ErdosRenyi
from causalassay.lab.papers.estimates import Cases, computation
from causalassay.models import SNR
from causalassay.study.problem_specs import Generated, Interventions
from causalassay.study.worker.problem_making import make

N_NODES = 8


@computation
def weighted_formula(*, draws: int) -> Cases:
    """Return where the weighted risk is not the mean of the others by shares of nodes."""
    n_targets, violated = N_NODES // 2, 0
    for draw in range(draws):
        estimated = risk.estimate(
            make_algorithm("ges-pooled", penalty_discount=1.0),
            _small_system(n_targets, draw).data,
            stream(1, "weights", draw),
            scoring=risk.Scoring(n_bootstrap=0),
        )
        share = n_targets / N_NODES
        stated = share * estimated.naive + (1 - share) * estimated.cross_validated
        violated += int(abs(estimated.weighted - stated) > 1e-12)  # noqa: PLR2004
    return Cases(draws, violated)


def _small_system(n_targets: int, number: int) -> Problem:
    targets = tuple((node,) for node in range(n_targets))
    spec = Generated(
        ErdosRenyi(N_NODES, 1.25, exact=False),
        SNR(signs="random", sample_size=100),
        100,
        Interventions("randomize", 20, targets=targets, value=5.0),
    )
    return make(1, spec, "main", number).problem


@computation
def jaccard_formula(*, draws: int) -> Cases:
    """Return where the loss of two random sets is not their Jaccard distance."""
    violated = int(risk.jaccard(frozenset(), frozenset()) != 0)
    for draw in range(draws):
        rng = stream(1, "sets", draw)
        first, other = (frozenset(np.flatnonzero(rng.random(6) < 0.4).tolist()) for _ in range(2))  # noqa: PLR2004
        if first | other:
            stated = 1 - len(first & other) / len(first | other)
            violated += int(abs(risk.jaccard(first, other) - stated) > 1e-12)  # noqa: PLR2004
    return Cases(draws + 1, violated)
