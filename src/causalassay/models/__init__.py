"""Models: graphs turned into something that can be sampled and intervened upon."""

from causalassay.models.dao import DaO
from causalassay.models.drawing import draw, source
from causalassay.models.fitting import fit, fit_covariance
from causalassay.models.interventions import Do, Intervention, Randomize, Shift
from causalassay.models.linear import LinearSCM
from causalassay.models.model import Model
from causalassay.models.noise import Noise
from causalassay.models.scaling import iscm_implied, standardized_implied, transfer_noise
from causalassay.models.sources import (
    ISCM,
    SCM,
    SNR,
    UUMC,
    HalfExplained,
    Harmonized,
    Standardized,
)

__all__ = [
    "ISCM",
    "SCM",
    "SNR",
    "UUMC",
    "DaO",
    "Do",
    "HalfExplained",
    "Harmonized",
    "Intervention",
    "LinearSCM",
    "Model",
    "Noise",
    "Randomize",
    "Shift",
    "Standardized",
    "draw",
    "fit",
    "fit_covariance",
    "iscm_implied",
    "source",
    "standardized_implied",
    "transfer_noise",
]
