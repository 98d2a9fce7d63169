"""Families of nonlinear functions from which a model draws one for each node with parents."""

from types import MappingProxyType

from causalassay.models.nonlinear.mechanisms.function import Function, Mechanism
from causalassay.models.nonlinear.mechanisms.gaussian_process import (
    AdditiveGaussianProcess,
    FourierFeatures,
    GaussianProcess,
)
from causalassay.models.nonlinear.mechanisms.networks import MultiIndex
from causalassay.models.nonlinear.mechanisms.networks import MLP
from causalassay.models.nonlinear.mechanisms.networks import Sigmoid

Family = (
    type[GaussianProcess]
    | type[AdditiveGaussianProcess]
    | type[FourierFeatures]
    | type[MLP]
    | type[MultiIndex]
    | type[Sigmoid]
)

FAMILIES: MappingProxyType[str, Family] = MappingProxyType(
    {
        "gp": GaussianProcess,
        "gp-additive": AdditiveGaussianProcess,
        "mlp": MLP,
        "multi-index": MultiIndex,
        "rff": FourierFeatures,
        "sigmoid": Sigmoid,
    }
)
"""By the name of the mechanism."""

__all__ = [
    "FAMILIES",
    "MLP",
    "AdditiveGaussianProcess",
    "Family",
    "FourierFeatures",
    "Function",
    "GaussianProcess",
    "Mechanism",
    "MultiIndex",
    "Sigmoid",
]
