"""Whether estimated risks rank two algorithms as the true ones do (Eigenmann 2020)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from causalassay import risk
from causalassay.arrays import Vector
from causalassay.discovery import make_algorithm
from causalassay.reproducing.computations.risk_systems import (
    Setting,
    descendant_rows,
    plan_of,
    risk_rows,
)
from causalassay.reproducing.estimates import Cases, Estimate, NotRun, Ours, Several, mean
from causalassay.risk.agreement import FEWEST_SYSTEMS, LEAST_DIFFERENCE
from causalassay.seeding import stream

Levels = Mapping[str, Sequence[Any]]
"""Which settings: from a part of a setting to its levels; parts that are absent have all."""

ONLY_FULL = "runs with --full only"


def agreeing_signs(rows: pd.DataFrame, pair: Sequence[str]) -> Vector:
    """Return for each system whose true risks differ by 0.1 or more whether signs agree.

    An estimated difference of 0 has no sign, so it does not agree.
    """
    first, second = (rows[rows["algorithm"] == name].set_index("replicate") for name in pair)
    true = first["oracle_risk"] - second["oracle_risk"]
    estimated = first["weighted_risk"] - second["weighted_risk"]
    counted = true.abs() >= LEAST_DIFFERENCE - 1e-9
    return (np.sign(true[counted]) == np.sign(estimated[counted])).to_numpy(float)


def share_of(signs: Vector) -> Ours:
    """Return a share; its error has 2 successes and 2 failures more, so 1 is not exact.

    Examples
    --------
    >>> found = share_of(np.ones(30))
    >>> found.value, round(found.standard_error, 3)
    (1.0, 0.04)
    """
    n = len(signs)
    if n < FEWEST_SYSTEMS:
        return NotRun(f"{n} systems differ by {LEAST_DIFFERENCE} in true risk; 3 are needed")
    p = (signs.sum() + 2) / (n + 4)
    return Estimate(float(signs.mean()), math.sqrt(p * (1 - p) / (n + 4)), n, span=(0.0, 1.0))


def difference_of(one: Vector, other: Vector) -> Ours:
    """Return the difference of two shares; its error is Agresti and Caffo's."""
    if min(len(one), len(other)) < FEWEST_SYSTEMS:
        return NotRun(f"{len(one)} and {len(other)} systems differ enough; 3 are needed of each")
    error = 0.0
    for signs in (one, other):
        p = (signs.sum() + 1) / (len(signs) + 2)
        error += p * (1 - p) / (len(signs) + 2)
    draws = min(len(one), len(other))
    return Estimate(float(one.mean() - other.mean()), math.sqrt(error), draws, span=(-1.0, 1.0))


def sign_share(
    *, systems: int, levels: Levels, pair: Sequence[str], only: Levels | None = None
) -> Ours:
    """Return the share of agreeing signs.

    Parameters
    ----------
    systems : int
        Random systems; 0 leaves it out.
    levels : table
        What settings are drawn from.
    pair : (str, str)
        Of "ges", "gies", "acor", "empty".
    only : table, optional
        Which of these systems count.
    """
    if not systems:
        return NotRun(ONLY_FULL)
    return share_of(agreeing_signs(_among(risk_rows(plan_of(levels), systems), only or {}), pair))


def sign_share_difference(
    *, systems: int, levels: Levels, pair: Sequence[str], left: Levels, right: Levels
) -> Ours:
    """Return the share among some settings less that among others."""
    rows = risk_rows(plan_of(levels), systems)
    one, other = (agreeing_signs(_among(rows, only), pair) for only in (left, right))
    return difference_of(one, other)


def cell_share_difference(
    *, systems: int, pair: Sequence[str], left: Levels, right: Levels
) -> Ours:
    """Return the share in systems of some settings less that in as many of others."""
    one, other = (
        agreeing_signs(risk_rows(plan_of(levels), systems), pair) for levels in (left, right)
    )
    return difference_of(one, other)


def pair_share_difference(
    *, systems: int, levels: Levels, left: Sequence[str], right: Sequence[str]
) -> Ours:
    """Return the share for one pair of algorithms less that for another."""
    rows = risk_rows(plan_of(levels), systems)
    return difference_of(agreeing_signs(rows, left), agreeing_signs(rows, right))


def oracle_risk_differences(
    *, systems: int, levels: Levels, pairs: Sequence[Sequence[str]]
) -> Ours:
    """Return the mean true risk of the first less that of the second, for each pair."""
    table = risk_rows(plan_of(levels), systems).pivot(
        index="replicate", columns="algorithm", values="oracle_risk"
    )
    found = tuple(mean((table[one] - table[other]).to_numpy(float)) for one, other in pairs)
    return found[0] if len(found) == 1 else Several(found)


def cell_difference(
    *, systems: int, cell: Levels, others: int, levels: Levels, pair: Sequence[str]
) -> Ours:
    """Return how much more true risks differ in a cell than elsewhere, in the mean."""
    if not systems:
        return NotRun(ONLY_FULL)
    here, there = (
        mean(_true_differences(risk_rows(plan_of(one), n), pair))
        for one, n in ((cell, systems), (levels, others))
    )
    error = math.hypot(here.standard_error, there.standard_error)
    return Estimate(here.value - there.value, error, min(here.draws, there.draws))


def _true_differences(rows: pd.DataFrame, pair: Sequence[str]) -> Vector:
    table = rows.pivot(index="replicate", columns="algorithm", values="oracle_risk")
    return (table[pair[0]] - table[pair[1]]).abs().to_numpy(float)


def _among(rows: pd.DataFrame, only: Levels) -> pd.DataFrame:
    for name, levels in only.items():
        rows = rows[rows[name].isin(list(levels))]
    return rows


def descendant_difference(
    *,
    systems: int,
    levels: Levels,
    measure: Literal["sensitivity", "false_positive_rate"],
    left: Levels,
    right: Levels,
) -> Estimate:
    """Return the mean of a measure of the t tests among some settings less that of others."""
    rows = descendant_rows(plan_of(levels), systems)
    one, other = (mean(_among(rows, only)[measure].to_numpy(float)) for only in (left, right))
    error = math.hypot(one.standard_error, other.standard_error)
    return Estimate(one.value - other.value, error, min(one.draws, other.draws))


def theorem_of_signs(*, draws: int) -> Cases:
    """Return where risks with true descendants and all nodes intervened upon are not the true ones.

    Then the estimated difference is the true one, so its sign is right.
    """
    violated = 0
    for draw in range(draws):
        rng = stream(1, "theorem", draw)
        truth, data = _small_system(1.0).draw(rng)
        for name in ("ges-pooled", "single-edge"):
            found = risk.estimate(
                make_algorithm(name), data, rng, truth, scoring=risk.Scoring(n_bootstrap=0)
            )
            violated += int(abs(found.weighted - risk.oracle(truth, found.graph)) > 1e-12)  # noqa: PLR2004
    return Cases(2 * draws, violated)


def weighted_formula(*, draws: int) -> Cases:
    """Return where the weighted risk is not the mean of the others by shares of nodes."""
    violated = 0
    for draw in range(draws):
        rng = stream(1, "weights", draw)
        setting = _small_system(0.5)
        _, data = setting.draw(rng)
        found = risk.estimate(
            make_algorithm("ges-pooled"), data, rng, scoring=risk.Scoring(n_bootstrap=0)
        )
        share = (len(data.regimes) - 1) / setting.n_nodes
        stated = share * found.naive + (1 - share) * found.cross_validated
        violated += int(abs(found.weighted - stated) > 1e-12)  # noqa: PLR2004
    return Cases(draws, violated)


def _small_system(probability: float) -> Setting:
    return Setting(8, 2.5, "linear", "gaussian", "do and shift", probability, 20)


def jaccard_formula(*, draws: int) -> Cases:
    """Return where the loss of two random sets is not their Jaccard distance."""
    violated = int(risk.jaccard(frozenset(), frozenset()) != 0)
    for draw in range(draws):
        rng = stream(1, "sets", draw)
        one, other = (frozenset(np.flatnonzero(rng.random(6) < 0.4).tolist()) for _ in range(2))  # noqa: PLR2004
        if one | other:
            stated = 1 - len(one & other) / len(one | other)
            violated += int(abs(risk.jaccard(one, other) - stated) > 1e-12)  # noqa: PLR2004
    return Cases(draws + 1, violated)


RISK_SIGNS: dict[str, Callable[..., Ours]] = {
    "sign-share": sign_share,
    "sign-share-difference": sign_share_difference,
    "cell-share-difference": cell_share_difference,
    "pair-share-difference": pair_share_difference,
    "oracle-risk-differences": oracle_risk_differences,
    "cell-difference": cell_difference,
    "descendant-difference": descendant_difference,
    "theorem-of-signs": theorem_of_signs,
    "weighted-formula": weighted_formula,
    "jaccard-formula": jaccard_formula,
}
