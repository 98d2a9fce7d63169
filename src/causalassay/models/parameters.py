"""What model sources share: the types of their fields, one check for all, and common draws."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Vector
from causalassay.common.spelling import RefusedValue
from causalassay.models.noise import as_noise

Range = tuple[float, float]
Signs = Literal["random", "positive", "shared"]
"""The signs of weights: each its own, all positive, or one random sign per graph."""


def check_parameters(source: Any) -> None:
    """Raise an error that names the first field of a source whose value cannot be meant.

    A field is checked by its name, which means the same in every source.

    Parameters
    ----------
    source : dataclass
        A source of models, or a family of functions.

    Examples
    --------
    >>> from causalassay.models import SNR
    >>> SNR(snr=-1.0)
    Traceback (most recent call last):
    causalassay.RefusedValue: snr: expected a positive number, got -1.0
    """
    for field in dataclasses.fields(source):
        value = getattr(source, field.name)
        if field.name == "sample_size":
            _check_sample_size(value, optional=field.default is None)
        elif field.name in _CHECKS:
            _CHECKS[field.name](field.name, value)


def draw_weights(n_edges: int, magnitude: Range, signs: Signs, rng: Generator) -> Vector:
    """Draw one weight for each edge: uniform magnitudes first, then signs."""
    drawn = rng.uniform(*magnitude, n_edges)
    match signs:
        case "random":
            drawn *= rng.choice((-1.0, 1.0), n_edges)
        case "shared":
            drawn *= rng.choice((-1.0, 1.0))
    return drawn


def draw_variance(n_nodes: int, noise_sd: float | Range, rng: Generator) -> Vector:
    """Return the noise variance of each node; from a range each draws its standard deviation."""
    sd = rng.uniform(*noise_sd, n_nodes) if isinstance(noise_sd, tuple) else noise_sd
    return np.broadcast_to(np.square(sd), (n_nodes,))


def _check_range(name: str, limits: Range) -> None:
    if len(limits) != 2 or not 0 < limits[0] <= limits[1] < math.inf:
        raise RefusedValue(name, f"expected (low, high) with 0 < low <= high, got {limits}")


def _check_positive(name: str, number: float) -> None:
    if not 0 < number < math.inf:
        raise RefusedValue(name, f"expected a positive number, got {number}")


def _check_scale(name: str, scale: float | Range) -> None:
    if isinstance(scale, tuple):
        _check_range(name, scale)
    else:
        _check_positive(name, scale)


def _check_count(name: str, count: int) -> None:
    if count < 1:
        raise RefusedValue(name, f"expected at least 1, got {count}")


def _check_signs(name: str, signs: str) -> None:
    if signs not in ("random", "positive", "shared"):
        raise ValueError(f'{name}: expected "random", "positive" or "shared", got {signs!r}')


def _check_ddof(name: str, ddof: int) -> None:
    if ddof not in (0, 1):
        raise RefusedValue(name, f"expected 0 or 1, got {ddof}")


def _check_radius(name: str, radius: float) -> None:
    if not 0 < radius < 1:
        raise RefusedValue(name, f"expected a number between 0 and 1, got {radius}")


def _check_sample_size(size: int | None, optional: bool) -> None:
    if size is None and optional:
        return
    if size is None or size < 2:
        exact = ", or None for the exact moments;" if optional else ","
        raise RefusedValue("sample_size", f"expected at least 2{exact} got {size}")


_CHECKS: dict[str, Callable[[str, Any], object]] = {
    "weights": _check_range,
    "signs": _check_signs,
    "noise": lambda _, noise: as_noise(noise),
    "noise_sd": _check_scale,
    "snr": _check_positive,
    "ddof": _check_ddof,
    "radius": _check_radius,
    "length_scale": _check_scale,
    "output_scale": _check_scale,
    "n_features": _check_count,
    "n_hidden": _check_count,
    "weight": _check_positive,
    "equivalent_sample_size": _check_positive,
    "most_attempts": _check_count,
}
