"""Ways to choose an algorithm, and how good the choices are."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import norm, rankdata

from calibration.choice_systems import ALGORITHMS
from calibration.rows_on_disk import Row
from causalassay.common.seeding import stream

Choice = Mapping[str, float]
"""Algorithms and the probability that each is taken: those that tie share it."""

WITHIN = 1.05
MEASURES = {"sid": "SID", "oracle": "oracle risk"}


def least(numbers: Mapping[str, float | None]) -> Choice:
    """Return those of the least number; what has none, or nan, is not taken.

    Examples
    --------
    >>> least({"a": 2.0, "b": 1.0, "c": None, "d": 1.0})
    {'b': 0.5, 'd': 0.5}
    """
    known = {name: one for name, one in numbers.items() if one is not None and not math.isnan(one)}
    best = min(known.values()) + 1e-9
    tied = [name for name, one in known.items() if one <= best]
    return dict.fromkeys(tied, 1 / len(tied))


def mean_rank(*scores: Mapping[str, float]) -> Choice:
    """Return those of the least mean rank, among those that have every score.

    Examples
    --------
    >>> mean_rank({"a": 1.0, "b": 2.0, "c": 3.0}, {"c": 0.1, "b": 0.2, "a": 0.3, "d": 0.0})
    {'a': 0.333..., 'b': 0.333..., 'c': 0.333...}
    """
    names = [name for name in scores[0] if all(name in other for other in scores)]
    ranks = [rankdata([one[name] for name in names]) for one in scores]
    return least(dict(zip(names, np.mean(ranks, axis=0).tolist(), strict=True)))


CHOOSE = "choose"
"""The rule of `causalassay choose`, as the table calls it."""


def rules() -> dict[str, Callable[[Row], Choice]]:
    """Return the ways to choose, by name."""
    always = {f"always {name}": _always(name) for name in ALGORITHMS}
    return {
        CHOOSE: lambda row: {row["taken"]: 1.0},
        "interventional BIC": lambda row: least(row["bic"]),
        "combined rank": lambda row: mean_rank(row["risk"], row["bic"], _held_out(row)),
        "weighted risk": lambda row: least(row["risk"]),
        "held-out likelihood": lambda row: least(_held_out(row)),
        "its rank, mean over experiments": _held_out_ranks,
        "risk and likelihood (mean rank)": lambda row: mean_rank(row["risk"], _held_out(row)),
        "predictions": lambda row: least(row["prediction"]),
        "at random": lambda row: least(dict.fromkeys(row["sid"], 0.0)),
        **always,
    }


def _held_out(row: Row) -> dict[str, float]:
    return {name: float(np.mean(each)) for name, each in row["held_out"].items()}


def _held_out_ranks(row: Row) -> Choice:
    names = list(row["held_out"])
    by_experiment = np.array([row["held_out"][name] for name in names]).T
    ranks = np.mean([rankdata(each) for each in by_experiment], axis=0)
    return least(dict(zip(names, ranks.tolist(), strict=True)))


def _always(name: str) -> Callable[[Row], Choice]:
    return lambda _: {name: 1.0}


class Worth(NamedTuple):
    """How good a rule's choices are.

    Parameters
    ----------
    share : float
        Of the systems, where the choice is at most 1.05 times the best.
    limits : (float, float)
        Wilson's, 95 %.
    regret : float
        Mean of the choice's value less the best.
    regret_limits : (float, float)
        95 %, by bootstraps of the systems.
    n_systems : int
    """

    share: float
    limits: tuple[float, float]
    regret: float
    regret_limits: tuple[float, float]
    n_systems: int


def worth(rows: Sequence[Row], rule: Callable[[Row], Choice], measure: str) -> Worth:
    """Return how good a rule is by SID or by oracle risk."""
    close = np.array([_expected(row, rule, measure, _is_close) for row in rows])
    regrets = np.array([_expected(row, rule, measure, _regret) for row in rows])
    share = float(close.mean())
    return Worth(
        share, wilson(share, len(rows)), float(regrets.mean()), mean_limits(regrets), len(rows)
    )


def regret_difference(
    rows: Sequence[Row],
    first: Callable[[Row], Choice],
    second: Callable[[Row], Choice],
    measure: str,
) -> tuple[float, tuple[float, float]]:
    """Return the mean regret of the first less that of the second, with 95 % limits, paired."""
    values = np.array(
        [
            _expected(row, first, measure, _regret) - _expected(row, second, measure, _regret)
            for row in rows
        ]
    )
    return float(values.mean()), mean_limits(values)


def _expected(
    row: Row,
    rule: Callable[[Row], Choice],
    measure: str,
    gain: Callable[[float, float], float],
) -> float:
    values = row[measure]
    best = min(values.values())
    # What failed on a system, and is taken always, is as bad there as the worst.
    worst = max(values.values())
    return sum(share * gain(values.get(name, worst), best) for name, share in rule(row).items())


def _is_close(value: float, best: float) -> float:
    return float(value <= WITHIN * best + 1e-9)


def _regret(value: float, best: float) -> float:
    return value - best


def wilson(share: float, total: int) -> tuple[float, float]:
    """Return Wilson's 95 % limits of a share.

    Examples
    --------
    >>> low, high = wilson(0.5, 100)
    >>> round(low, 3), round(high, 3)
    (0.404, 0.596)
    """
    z = float(norm.ppf(0.975))
    middle = (share + z**2 / (2 * total)) / (1 + z**2 / total)
    reach = z / (1 + z**2 / total) * math.sqrt(share * (1 - share) / total + (z / total / 2) ** 2)
    return max(0.0, middle - reach), min(1.0, middle + reach)


N_BOOTSTRAP = 4000


def mean_limits(values: np.ndarray) -> tuple[float, float]:
    """Return the 95 % limits of a mean over systems, by bootstraps of the systems."""
    rng = stream(0, "bootstrap of systems")
    drawn = rng.integers(len(values), size=(N_BOOTSTRAP, len(values)))
    low, high = np.quantile(values[drawn].mean(axis=1), (0.025, 0.975))
    return float(low), float(high)
