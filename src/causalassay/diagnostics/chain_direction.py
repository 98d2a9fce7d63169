"""In which direction a causal chain points, guessed from the scale of its variables alone."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from causalassay.common.arrays import Vector, Weights, check_values

Rule = Literal["coefficients", "variances"]
Direction = Literal["left-to-right", "right-to-left", "undecided"]

_DIRECTION: dict[int, Direction] = {1: "left-to-right", 0: "undecided", -1: "right-to-left"}


def orient_chain(
    values: ArrayLike, rule: Rule = "coefficients", tolerance: float = 1e-9
) -> Direction:
    """Return the direction in which regression coefficients, or variances, tend to grow.

    Parameters
    ----------
    values : array_like, shape (n, d)
        Columns in the order of the chain, whose direction is unknown.
    rule : {"coefficients", "variances"}
        See `chain_leaning`.
    tolerance : float
        On the ratio of two numbers; closer ones tie.

    Returns
    -------
    {"left-to-right", "right-to-left", "undecided"}
        The papers flip a coin where it is undecided.

    References
    ----------
    Reisach, Seiler, Weichwald (2021), appendix F.2.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.random.default_rng(0).normal(size=(200, 5)).cumsum(axis=1)
    >>> orient_chain(values), orient_chain(values[:, ::-1])
    ('left-to-right', 'right-to-left')
    >>> orient_chain(values / values.std(axis=0), rule="variances")
    'undecided'
    """
    array = check_values(values)
    centred = array - array.mean(axis=0)
    covariance = centred.T @ centred / len(array)
    return _DIRECTION[int(chain_leaning(covariance, rule, tolerance))]


def chain_leaning(
    covariance: ArrayLike, rule: Rule = "coefficients", tolerance: float = 1e-9
) -> NDArray[np.int64]:
    """Return 1 for each chain that seems to point left to right, -1 right to left, 0 undecided.

    Parameters
    ----------
    covariance : array_like, shape (..., d, d)
        Of the variables in the order of the chain: of a sample, or exact.
    rule : {"coefficients", "variances"}
        "coefficients": compare how far the absolute coefficients of the
        regressions of X2 on X1, X3 on X2, ... increase with how far those of
        X_{d-1} on X_d, X_{d-2} on X_{d-1}, ... do. "variances": tell whether
        the variances increase from left to right. How far a sequence
        increases is its number of rising pairs less that of its falling pairs.
    tolerance : float
        Two numbers tie if they differ by at most this share of the larger.

    Returns
    -------
    ndarray of int, shape (...)

    References
    ----------
    Reisach, Seiler, Weichwald (2021), appendix F: the rule of F.1 is the case d = 3.

    Examples
    --------
    A→B→C with weights 1 and noise variances 1:

    >>> int(chain_leaning([[1, 1, 1], [1, 2, 2], [1, 2, 3]], rule="variances"))
    1
    """
    array = np.asarray(covariance, dtype=float)
    if array.ndim < 2 or array.shape[-1] != array.shape[-2] or array.shape[-1] == 0:
        raise ValueError(f"covariance: expected shape (..., d, d), got {array.shape}")
    variance = np.diagonal(array, axis1=-2, axis2=-1)
    if not (variance > 0).all():
        raise ValueError("covariance: a chain has no constant variable, but a variance is <= 0")
    match rule:
        case "coefficients":
            with_next = np.abs(np.diagonal(array, offset=1, axis1=-2, axis2=-1))
            rightward = with_next / variance[..., :-1]
            leftward = (with_next / variance[..., 1:])[..., ::-1]
            lead = _increase(rightward, tolerance) - _increase(leftward, tolerance)
        case "variances":
            lead = _increase(variance, tolerance)
        case _:
            raise ValueError(f'rule: expected "coefficients" or "variances", got {rule!r}')
    return np.sign(lead)


def _increase(sequence: Vector | Weights, tolerance: float) -> NDArray[Any]:
    """Return the rising less the falling pairs of non-negative numbers, over the last axis."""
    earlier, later = np.triu_indices(sequence.shape[-1], 1)
    first, second = sequence[..., earlier], sequence[..., later]
    margin = tolerance * np.maximum(first, second)
    rising = (second - first > margin).sum(axis=-1, dtype=np.int64)
    return rising - (first - second > margin).sum(axis=-1, dtype=np.int64)
