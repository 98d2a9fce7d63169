"""Models: graphs turned into something that can be sampled and intervened upon."""

from causalassay.models.bif import read_bif
from causalassay.models.discrete import DiscreteSCM, Marginals
from causalassay.models.discrete_sources import Dirichlet, Logistic
from causalassay.models.drawing import draw, source
from causalassay.models.elimination import TooWide
from causalassay.models.fitting import fit, fit_covariance
from causalassay.models.interventions import (
    Do,
    Intervention,
    LevelIntervention,
    Randomize,
    RandomizeLevels,
    Shift,
)
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
    "Dirichlet",
    "DiscreteSCM",
    "Do",
    "HalfExplained",
    "Harmonized",
    "Intervention",
    "LevelIntervention",
    "LinearSCM",
    "Logistic",
    "Marginals",
    "Model",
    "Noise",
    "Randomize",
    "RandomizeLevels",
    "Shift",
    "Standardized",
    "TooWide",
    "draw",
    "fit",
    "fit_covariance",
    "iscm_implied",
    "read_bif",
    "source",
    "standardized_implied",
    "transfer_noise",
]
