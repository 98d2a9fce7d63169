"""What the continuous optimisers share: a covariance matrix before, a threshold after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Values, Weights
from causalassay.common.spelling import RefusedValue
from causalassay.contracts import Estimate, NotApplicable
from causalassay.data.dataset import Dataset
from causalassay.discovery.statistics import check_continuous, observational_values
from causalassay.graphs.orders import Indices, acyclic_threshold, threshold

Device = Literal["cpu", "torch", "cuda"]
"""What computes: kernels of ours, torch on the processor, or torch on a graphics card."""


def check_device(device: str) -> None:
    """Refuse what is no device."""
    if device not in get_args(Device):
        raise RefusedValue("device", f"expected 'cpu', 'torch' or 'cuda', got {device!r}")


def torch_device(device: str) -> str:
    """Return what torch calls a device of ours.

    Examples
    --------
    >>> torch_device("torch"), torch_device("cuda")
    ('cpu', 'cuda')
    """
    return "cpu" if device == "torch" else device


class Moments(NamedTuple):
    """The covariance (ddof 0) of the observational values, in an order of the columns' own.

    A continuous optimiser follows a path of thousands of steps on which
    rounding errors grow to anything, so that the same columns in another order
    can end elsewhere. Sorted by their own values they always come in one order.
    """

    covariance: NDArray[np.float64]
    columns: Indices
    """``columns[k]`` is the column that row and column k of the covariance belong to."""
    n_samples: int


def own_order_moments(data: Dataset) -> Moments:
    """Return the moments of the observational values.

    Raises
    ------
    NotApplicable
        If no condition is known to be observational, or a column is discrete
        or constant in it.

    Examples
    --------
    >>> data = Dataset.from_values([[0.0, 1.0], [2.0, 3.0], [1.0, 2.0]])
    >>> own_order_moments(data).covariance.round(3)
    array([[0.667, 0.667],
           [0.667, 0.667]])
    """
    values = observational_values(data)
    check_continuous(data, values)
    columns = _own_order(values)
    sorted_values = np.ascontiguousarray(values[:, columns], dtype=np.float64)
    sorted_values -= sorted_values.mean(axis=0)
    return Moments(sorted_values.T @ sorted_values / len(values), columns, len(values))


def _own_order(values: Values) -> Indices:
    return np.array(sorted(range(values.shape[1]), key=lambda j: values[:, j].tobytes()))


def is_singular(covariance: Weights) -> bool:
    """Return whether some column is, up to rounding, a linear combination of others.

    Examples
    --------
    >>> is_singular(np.ones((2, 2))), is_singular(np.eye(2))
    (True, False)
    """
    scale = np.sqrt(covariance.diagonal())
    try:
        factor = np.linalg.cholesky(covariance / scale / scale[:, None])
    except np.linalg.LinAlgError:
        return True
    least = float(np.square(factor.diagonal()).min())
    return least <= 10 * len(covariance) * float(np.finfo(float).eps)


def solver_on(device: str) -> Any:
    """Return the module with the solvers, for "torch" or "cuda".

    Raises
    ------
    NotApplicable
        If torch is not installed, or sees no such device.
    """
    try:
        from causalassay.discovery.continuous import batch_solver  # noqa: PLC0415  torch is optional
    except ImportError as error:
        raise NotApplicable(
            f"device = {device!r} needs torch: install the extra causalassay[gpu], or leave device "
            "out to compute on the CPU"
        ) from error
    if not batch_solver.is_there(torch_device(device)):
        raise NotApplicable(
            f"device = {device!r}: torch sees none here; in a study reserve one with gpus = 1, or "
            "leave device out to compute on the CPU"
        )
    return batch_solver


def thresholded(
    own_order_weights: Weights, columns: Indices, at: float, info: Mapping[str, Any]
) -> Estimate:
    """Return the weights in the data's order and the graph of those of at least `at`.

    While there is a cycle its weakest edges go, too: the threshold is raised
    until none is left, and ``info["threshold"]`` says how far.

    References
    ----------
    Reisach, Seiler, Weichwald (2021), appendix K.2.

    Examples
    --------
    >>> weights = np.array([[0.0, 0.5], [0.4, 0.0]])
    >>> estimate = thresholded(weights, np.array([1, 0]), 0.3, {})
    >>> estimate.graph.astype(int), estimate.info["threshold"]
    (array([[0, 0],
           [1, 0]]), 0.5)
    """
    weights = np.empty_like(own_order_weights)
    weights[np.ix_(columns, columns)] = own_order_weights
    used = acyclic_threshold(weights, at)
    return Estimate(threshold(weights, used), "dag", weights, info={**info, "threshold": used})
