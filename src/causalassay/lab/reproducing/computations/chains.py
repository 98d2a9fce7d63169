"""In which direction random chains seem to point (Reisach 2021, appendix F)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import stats

from causalassay.common.seeding import stream
from causalassay.diagnostics import chain_leaning
from causalassay.lab.reproducing.estimates import LEVEL, Estimate, Several, mean, share

Scale = Literal["raw", "standardised", "harmonised"]
Rule = Literal["coefficients", "variances"]
Counted = Literal["right", "wrong", "correct"]

NOISE_SD = (0.5, 2.0)


def chain_covariances(
    n_nodes: int, weights: tuple[float, float], n: int, rng: Generator
) -> dict[str, NDArray[Any]]:
    """Return the exact covariances of random chains on three scales, each (n, d, d).

    Weights are uniform in magnitude with random signs, noise standard deviations uniform on
    0.5 to 2. "harmonised" divides each weight by the root of its square plus 1.

    Examples
    --------
    >>> drawn = chain_covariances(3, (0.5, 2.0), 4, np.random.default_rng(0))
    >>> list(drawn), drawn["raw"].shape
    (['raw', 'standardised', 'harmonised'], (4, 3, 3))
    """
    signs = rng.choice([-1, 1], size=(n, n_nodes - 1))
    weight = rng.uniform(*weights, size=(n, n_nodes - 1)) * signs
    noise = rng.uniform(*NOISE_SD, size=(n, n_nodes)) ** 2
    raw = covariances_of_chains(weight, noise)
    sd = np.sqrt(np.diagonal(raw, axis1=1, axis2=2))
    return {
        "raw": raw,
        "standardised": raw / sd[:, :, None] / sd[:, None, :],
        "harmonised": covariances_of_chains(weight / np.sqrt(weight**2 + 1), noise),
    }


def covariances_of_chains(weight: NDArray[Any], noise: NDArray[Any]) -> NDArray[Any]:
    """Return the exact covariances of chains from their weights and noise variances."""
    n, d = noise.shape
    covariance = np.zeros((n, d, d))
    covariance[:, 0, 0] = noise[:, 0]
    for k in range(1, d):
        step = weight[:, k - 1, None] * covariance[:, k - 1, :k]
        covariance[:, k, :k] = covariance[:, :k, k] = step
        covariance[:, k, k] = weight[:, k - 1] * step[:, k - 1] + noise[:, k]
    return covariance


@lru_cache(maxsize=16)
def _leanings(
    n_nodes: int, weights: tuple[float, float], draws: int, samples: int
) -> dict[tuple[str, str], NDArray[np.int64]]:
    """Return the direction of every chain by scale and rule; `samples` 0 is the population."""
    rng = stream(1, "chains", n_nodes, samples, *(round(1000 * one) for one in weights))
    found: dict[tuple[str, str], list[NDArray[np.int64]]] = {}
    for first in range(0, draws, 10_000):
        exact = chain_covariances(n_nodes, weights, min(10_000, draws - first), rng)
        for scale, covariance in exact.items():
            for rule in ("coefficients", "variances"):
                leaning = chain_leaning(_sampled(covariance, samples, scale, rng), rule)
                found.setdefault((scale, rule), []).append(leaning)
    return {key: np.concatenate(parts) for key, parts in found.items()}


def _sampled(covariance: NDArray[Any], samples: int, scale: str, rng: Generator) -> NDArray[Any]:
    """Return sample covariances of Gaussian data, on standardised data with variances 1."""
    if not samples:
        return covariance
    n, d, _ = covariance.shape
    root = np.linalg.cholesky(covariance)
    # Bartlett: the covariance of centred Gaussian rows without drawing the rows.
    lower = np.tril(rng.normal(size=(n, d, d)), -1)
    freedom = samples - 1 - np.arange(d)
    lower[:, range(d), range(d)] = np.sqrt(rng.chisquare(freedom, size=(n, d)))
    factor = root @ lower
    sample = factor @ factor.transpose(0, 2, 1) / samples
    if scale != "standardised":
        return sample
    sd = np.sqrt(np.diagonal(sample, axis1=1, axis2=2))
    return sample / sd[:, :, None] / sd[:, None, :]


def chain_orientation(  # noqa: PLR0913
    *,
    n_nodes: int,
    weights: Sequence[float],
    scale: Scale,
    rule: Rule,
    counted: Counted,
    draws: int,
    samples: int = 0,
) -> Estimate:
    """Return the percentage of chains that a rule orients right, wrong or, with a coin, correctly.

    Parameters
    ----------
    n_nodes : int
    weights : (float, float)
        Range of the magnitudes.
    scale, rule : str
    counted : {"right", "wrong", "correct"}
        "correct" counts an undecided chain as one half.
    draws : int
        Chains.
    samples : int
        Rows of a data set; 0 takes the exact covariance.
    """
    low, high = weights
    leaning = _leanings(n_nodes, (low, high), draws, samples)[scale, rule]
    if counted == "correct":
        if not leaning.any():
            return Estimate(50.0)
        return mean(50 + 50 * leaning.astype(float))
    sign = 1 if counted == "right" else -1
    return share(float((leaning == sign).sum()), draws, 100)


def chain_orientations(
    *, cells: Sequence[dict[str, Any]], above: float, draws: int, samples: int = 0
) -> Several:
    """Return how far the percentages of several cells lie above a limit."""
    found = [
        chain_orientation(**cell, counted="correct", draws=draws, samples=samples) for cell in cells
    ]
    return Several(
        tuple(Estimate(one.value - above, one.standard_error, one.draws) for one in found)
    )


def chance_limit(*, draws: int, law: Literal["normal", "binomial"], upper: bool) -> Estimate:
    """Return a limit of the 99 % interval of guessing, in per cent."""
    if law == "normal":
        low, high = stats.norm.interval(LEVEL, 0.5, 0.5 / np.sqrt(draws))
    else:
        low, high = (one / draws for one in stats.binom.interval(LEVEL, draws, 0.5))
    return Estimate(100 * float(high if upper else low))
