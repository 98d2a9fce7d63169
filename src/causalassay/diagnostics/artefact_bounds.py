"""How much of the artefacts a benchmark's parameters imply before anything is simulated."""

from __future__ import annotations

import numpy as np


def pairwise_varsortability_bound(
    weights: tuple[float, float] = (0.5, 2.0),
    noise_sd: tuple[float, float] = (0.5, 2.0),
    root: bool = True,
) -> float:
    """Return a lower bound of the probability that an edge's effect varies more than its cause.

    For an edge A→B without common ancestor or other directed path it is the
    probability of ``(1 - W²) Var(A) < S_B²``, over random weights and noises.

    Parameters
    ----------
    weights : (float, float)
        Range of the uniform magnitude of W; the sign does not matter.
    noise_sd : (float, float)
        Range of the uniform standard deviations S of the noises; a fixed one
        is given as (sd, sd).
    root : bool
        True: A is a root, so ``Var(A) = S_A²``. False: nothing is known about
        A's variance and the bound is the probability of ``|W| > 1``.

    Notes
    -----
    For a weight of magnitude w < 1 put c = sqrt(1 - w²) and let S run from a
    to b. The effect varies less with probability (cb - a)² / (2c(b - a)²) if
    cb > a, else 0; its integral over w is elementary.

    References
    ----------
    Reisach, Seiler, Weichwald (2021), section 3.3 and appendix B: 2/3 for any
    cause and more than 0.93 for a root, with the default ranges.

    Examples
    --------
    >>> round(pairwise_varsortability_bound(), 4)
    0.9305
    >>> round(pairwise_varsortability_bound(root=False), 4)
    0.6667
    """
    low, high = _check_range("weights", weights)
    quiet, loud = _check_range("noise_sd", noise_sd)
    if not root:
        return _share_above(1.0, low, high)
    if quiet == loud:
        return 1.0
    # Beyond this weight even the loudest cause varies less than the quietest effect.
    last = np.sqrt(1.0 - (quiet / loud) ** 2)
    if low == high:
        return 1.0 - _less_variable(low, quiet, loud) if low < last else 1.0
    area = _integral(min(high, last), quiet, loud) - _integral(min(low, last), quiet, loud)
    return float(1.0 - area / (high - low))


def iscm_cev_bound(max_parents: int, max_weight: float, noise_variance: float = 1.0) -> float:
    """Return the largest share of a variance that parents can explain in a linear iSCM.

    Parameters
    ----------
    max_parents : int
        m, the largest number of parents of a node.
    max_weight : float
        w, the largest magnitude of a weight.
    noise_variance : float
        σ², the same for all nodes.

    Returns
    -------
    float
        ``1 - σ² / (m² w² + σ²)``.

    References
    ----------
    Ormaniec et al. (2024), theorem 2, proved in appendix C.3.

    Examples
    --------
    >>> iscm_cev_bound(2, 2.0)
    0.9411764705882353
    """
    if max_parents < 0 or max_weight < 0 or noise_variance <= 0:
        raise ValueError(
            "expected max_parents >= 0, max_weight >= 0 and noise_variance > 0, got "
            f"{max_parents}, {max_weight} and {noise_variance}"
        )
    return float(1.0 - noise_variance / (max_parents**2 * max_weight**2 + noise_variance))


def _check_range(name: str, bounds: tuple[float, float]) -> tuple[float, float]:
    low, high = bounds
    if not 0 < low <= high < np.inf:
        raise ValueError(f"{name}: expected (low, high) with 0 < low <= high, got {bounds}")
    return float(low), float(high)


def _share_above(threshold: float, low: float, high: float) -> float:
    """Return P[U > threshold] for U uniform from low to high."""
    if low == high:
        return float(low > threshold)
    return float(np.clip((high - threshold) / (high - low), 0.0, 1.0))


def _less_variable(weight: float, quiet: float, loud: float) -> float:
    c = np.sqrt(1.0 - weight**2)
    return float((c * loud - quiet) ** 2 / (2.0 * c * (loud - quiet) ** 2))


def _integral(weight: float, quiet: float, loud: float) -> float:
    """Return the antiderivative of `_less_variable` in the weight."""
    arc = np.arcsin(weight)
    loudest = loud**2 / 4.0 * (weight * np.sqrt(1.0 - weight**2) + arc)
    quietest = quiet**2 / 2.0 * arc
    return float((loudest - quiet * loud * weight + quietest) / (loud - quiet) ** 2)
