"""The values to which interventions set nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from causalassay.common.arrays import Vector, check_nodes


@dataclass(frozen=True, init=False)
class Quantile:
    """Interventions that set each node to quantiles of its observational law in the true model.

    Parameters
    ----------
    *levels : float
        Between 0 and 1, without either.

    Examples
    --------
    >>> Quantile(0.05, 0.95)
    Quantile(levels=(0.05, 0.95))
    """

    levels: tuple[float, ...]

    def __init__(self, *levels: float) -> None:
        if not levels or not all(0 < level < 1 for level in levels):
            raise ValueError(f"Quantile: expected numbers between 0 and 1, got {levels}")
        object.__setattr__(self, "levels", levels)


SettingsLike = Literal["quantile"] | Quantile | ArrayLike | Mapping[int, float]
LARGE = Quantile(0.95)
"""What ``at="quantile"`` means; the paper says "a large value based on the quantiles"."""


def settings_of(at: SettingsLike, mean: Vector, sd: Vector) -> NDArray[np.floating[Any]]:
    """Return the values of all interventions, shape (settings, d), nan for nodes without one.

    Parameters
    ----------
    at : "quantile", Quantile, array_like or mapping
        As for `tv_dag`.
    mean, sd : Vector, shape (d,)
        Of the normal observational laws whose quantiles are meant.

    Examples
    --------
    >>> settings_of(Quantile(0.5, 0.95), np.array([0.0, 1.0]), np.array([1.0, 2.0])).round(3)
    array([[0.   , 1.   ],
           [1.645, 4.29 ]])
    >>> settings_of({1: 3.0}, np.zeros(2), np.ones(2))
    array([[nan,  3.]])
    """
    d = len(mean)
    if isinstance(at, str):
        if at != "quantile":
            raise ValueError(f'at: expected "quantile", a Quantile or values, got {at!r}')
        at = LARGE
    if isinstance(at, Quantile):
        return mean + sd * ndtri(np.array(at.levels))[:, None]
    if isinstance(at, Mapping):
        values = np.full(d, np.nan)
        values[check_nodes(at.keys(), d, "at")] = per_node(list(at.values()), len(at), "at")
        return values[None]
    array = np.asarray(at, dtype=float)
    if array.ndim < 2:
        return per_node(array, d, "at")[None]
    if array.ndim > 2 or array.shape[1] != d or not len(array) or not np.isfinite(array).all():
        raise ValueError(
            f"at: expected finite values of shape (settings, {d}), got shape {array.shape}"
        )
    return array


def per_node(numbers: ArrayLike, n_nodes: int, name: str) -> Vector:
    """Return a number for every node from one for all or one for each, or raise."""
    array = np.asarray(numbers, dtype=float)
    if array.shape not in ((), (n_nodes,)) or not np.isfinite(array).all():
        raise ValueError(f"{name}: expected a finite number or {n_nodes} of them, got {numbers!r}")
    return np.broadcast_to(array, (n_nodes,))
