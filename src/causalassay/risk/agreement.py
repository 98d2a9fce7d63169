"""Whether estimated risks rank two algorithms as the oracle does, over many systems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from causalassay.common.spelling import listed

if TYPE_CHECKING:
    import pandas as pd

LEAST_DESCENDANTS = 3
LEAST_DIFFERENCE = 0.1
FEWEST_SYSTEMS = 3
"""Below which Eigenmann et al. leave a cell of their picture empty."""

_DESCENDANTS = "intervened_descendants"


@dataclass(frozen=True)
class Agreement:
    """How often the sign of an estimated difference of risks is that of the true one.

    Parameters
    ----------
    first, second : str
        The algorithms.
    setting : tuple
        The values of the columns that the rows were grouped by.
    n_systems : int
        Systems whose true risks differ enough.
    share : float
        Of these, the share with the same sign; an estimated difference of 0 has none. nan
        of fewer than 3 systems.
    interval : (float, float)
        95 % of the share (Wilson).
    median_difference : float
        Of the true risks of these systems, first less second.
    """

    first: str
    second: str
    setting: tuple[Any, ...]
    n_systems: int
    share: float
    interval: tuple[float, float]
    median_difference: float


def agreement(
    rows: pd.DataFrame,
    by: Sequence[str] = (),
    estimated: str = "naive_risk",
    true: str = "oracle_risk",
    least_difference: float = LEAST_DIFFERENCE,
) -> tuple[Agreement, ...]:
    """Return the agreement of signs for each pair of algorithms.

    Parameters
    ----------
    rows : DataFrame
        The rows of a study, ``study_table(folder).frame``: ``problem``, ``replicate``,
        ``algorithm``, both risks, and ``intervened_descendants``. Systems in which
        the intervened nodes have fewer than 3 true descendants in total do not count.
    by : sequence of str
        Columns that make a setting, as ``samples``; the settings are told apart.
    estimated, true : str
        The columns of the risks.
    least_difference : float
        Of the true risks, for a system to count.

    References
    ----------
    Eigenmann, Mukherjee, Maathuis (2020), section 4.1, the conditions on settings, and figure 1.

    Examples
    --------
    In three of four systems the estimate ranks the two as the truth does.

    >>> import pandas as pd
    >>> rows = pd.DataFrame({
    ...     "problem": "p", "replicate": [0, 1, 2, 3] * 2, "algorithm": ["a"] * 4 + ["b"] * 4,
    ...     "naive_risk": [0.1, 0.2, 0.3, 0.6] + [0.5] * 4,
    ...     "oracle_risk": [0.2] * 4 + [0.4] * 4, "intervened_descendants": 5.0,
    ... })
    >>> agreement(rows)[0].share
    0.75
    """
    needed = ["problem", "replicate", "algorithm", estimated, true, _DESCENDANTS, *by]
    missing = [name for name in needed if name not in rows]
    if missing:
        raise ValueError(
            f"rows: there is no column {listed(missing)}; give the study the metrics "
            f"{estimated!r} and {true!r} and the diagnostic {_DESCENDANTS!r}"
        )
    kept = rows[rows[_DESCENDANTS] >= LEAST_DESCENDANTS].dropna(subset=[estimated, true])
    names = list(dict.fromkeys(kept["algorithm"]))
    found = []
    for setting, group in _settings(kept, by):
        risks = {
            name: group[group["algorithm"] == name].set_index(["problem", "replicate"])
            for name in names
        }
        for first, second in combinations(names, 2):
            difference = (
                risks[first][[estimated, true]] - risks[second][[estimated, true]]
            ).dropna()
            counted = difference[difference[true].abs() >= least_difference - 1e-9]
            found.append(_agreement(first, second, setting, counted[estimated], counted[true]))
    return tuple(found)


def _settings(rows: pd.DataFrame, by: Sequence[str]) -> list[tuple[tuple[Any, ...], pd.DataFrame]]:
    if not by:
        return [((), rows)]
    groups = rows.groupby(list(by), observed=True, sort=True)
    return [(tuple(key) if isinstance(key, tuple) else (key,), group) for key, group in groups]


def _agreement(
    first: str, second: str, setting: tuple[Any, ...], estimated: Any, true: Any
) -> Agreement:
    n_systems = len(true)
    if n_systems < FEWEST_SYSTEMS:
        return Agreement(first, second, setting, n_systems, math.nan, (math.nan,) * 2, math.nan)
    n_agreeing = int((np.sign(estimated) == np.sign(true)).sum())
    share = n_agreeing / n_systems
    median = float(np.median(true))
    return Agreement(first, second, setting, n_systems, share, _wilson(share, n_systems), median)


def _wilson(share: float, trials: int, z: float = 1.959964) -> tuple[float, float]:
    extra = z * z / trials
    middle = (share + extra / 2) / (1 + extra)
    reach = z * math.sqrt(share * (1 - share) / trials + extra / (4 * trials)) / (1 + extra)
    return max(0.0, middle - reach), min(1.0, middle + reach)
