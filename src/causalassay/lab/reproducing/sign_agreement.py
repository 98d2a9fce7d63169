"""Whether estimated risks rank two algorithms as the true ones do, from the rows of a study."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from causalassay.common.arrays import Vector
from causalassay.common.spelling import did_you_mean
from causalassay.lab.reproducing.estimates import Estimate, NotRun, Ours, mean
from causalassay.risk.study_risk import FEWEST_SYSTEMS, LEAST_DIFFERENCE

TRUE, ESTIMATED = "oracle_risk", "weighted_risk"
ACOR = "ACor"
"""It is told the true number of edges, so its risks are numbers of the data in a study."""

SYSTEM = ["problem", "replicate"]
Pairs = tuple[Vector, Vector, int]


def with_acor(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a study, and a row for ACor on each data set."""
    acor = frame.drop_duplicates(SYSTEM).assign(algorithm=ACOR, status="ok")
    acor[TRUE], acor[ESTIMATED] = acor["acor_oracle_risk"], acor["acor_weighted_risk"]
    return pd.concat([frame, acor], ignore_index=True)


def chosen_rows(frame: pd.DataFrame, where: Mapping[str, Sequence[Any]]) -> pd.DataFrame:
    """Return the rows whose labels have some of the levels that are stated for them."""
    for label, levels in where.items():
        if label not in frame:
            labels = [str(name) for name in frame if "." in str(name)]
            raise ValueError(f"the study has no label {label!r}; {did_you_mean(label, labels)}")
        frame = frame[frame[label].isin(list(levels))]
    return frame


def risk_differences(frame: pd.DataFrame, selection: Mapping[str, Any]) -> Pairs:
    """Return true and estimated differences of the systems that have both, and how many lack one.

    Parameters
    ----------
    frame : DataFrame
    selection : table
        ``pair``: two algorithms, first less second; ``where``: which settings count.
    """
    rows = with_acor(chosen_rows(frame, selection.get("where", {})))
    risks = []
    for name in selection["pair"]:
        if name not in (known := [str(one) for one in rows["algorithm"].unique()]):
            raise ValueError(f"the study has no algorithm {name!r}; {did_you_mean(name, known)}")
        own = rows[rows["algorithm"] == name].set_index(SYSTEM)
        risks.append(own[[TRUE, ESTIMATED]].astype(float).where(own["status"] == "ok"))
    difference = risks[0] - risks[1]
    present = difference.dropna()
    return (
        present[TRUE].to_numpy(float),
        present[ESTIMATED].to_numpy(float),
        len(difference) - len(present),
    )


def agreeing_signs(frame: pd.DataFrame, selection: Mapping[str, Any]) -> tuple[Vector, int]:
    """Return for each system whose true risks differ by 0.1 or more whether signs agree.

    An estimated difference of 0 has no sign, so it does not agree. The second number is that of
    systems without a risk.
    """
    true, estimated, lost = risk_differences(frame, selection)
    counted = np.abs(true) >= LEAST_DIFFERENCE - 1e-9
    return (np.sign(true[counted]) == np.sign(estimated[counted])).astype(float), lost


def sign_share(frame: pd.DataFrame, selection: Mapping[str, Any]) -> Ours:
    """Return the share of agreeing signs."""
    return share_of(*agreeing_signs(frame, selection))


def sign_share_difference(
    frame: pd.DataFrame, left: Mapping[str, Any], right: Mapping[str, Any]
) -> Ours:
    """Return the share of some systems, or of one pair, less that of others."""
    one, other = agreeing_signs(frame, left), agreeing_signs(frame, right)
    return difference_of(one[0], other[0], one[1] + other[1])


def risk_gap_difference(
    frame: pd.DataFrame, left: Mapping[str, Any], right: Mapping[str, Any]
) -> Ours:
    """Return how much more true risks differ in some systems than in others, in the mean."""
    gaps = []
    for selection in (left, right):
        true, _, lost = risk_differences(frame, selection)
        gaps.append(mean(np.abs(true), lost))
    return unpaired(*gaps)


def share_of(signs: Vector, lost: int = 0) -> Ours:
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
    return Estimate(float(signs.mean()), math.sqrt(p * (1 - p) / (n + 4)), n, lost, (0.0, 1.0))


def difference_of(one: Vector, other: Vector, lost: int = 0) -> Ours:
    """Return the difference of two shares; its error is Agresti and Caffo's."""
    if min(len(one), len(other)) < FEWEST_SYSTEMS:
        return NotRun(f"{len(one)} and {len(other)} systems differ enough; 3 are needed of each")
    error = 0.0
    for signs in (one, other):
        p = (signs.sum() + 1) / (len(signs) + 2)
        error += p * (1 - p) / (len(signs) + 2)
    draws = min(len(one), len(other))
    return Estimate(float(one.mean() - other.mean()), math.sqrt(error), draws, lost, (-1.0, 1.0))


def unpaired(one: Estimate, other: Estimate) -> Estimate:
    """Return the difference of two independent estimates.

    Examples
    --------
    >>> unpaired(Estimate(2.0, 0.3, 10), Estimate(1.5, 0.4, 5))
    Estimate(value=0.5, standard_error=0.5, draws=5, lost=0, span=(-inf, inf))
    """
    error = math.hypot(one.standard_error, other.standard_error)
    draws = min(one.draws, other.draws)
    return Estimate(one.value - other.value, error, draws, one.lost + other.lost)
