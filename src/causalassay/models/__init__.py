"""Models: graphs turned into something that can be sampled and intervened upon."""

from causalassay.models.additive import AdditiveNoiseSCM
from causalassay.models.bif import read_bif
from causalassay.models.dao import DaO
from causalassay.models.discrete import DiscreteSCM, Marginals
from causalassay.models.discrete_sources import Dirichlet, Logistic
from causalassay.models.drawing import draw, source
from causalassay.models.elimination import TooWide
from causalassay.models.fitting import fit, fit_covariance
from causalassay.models.interventions import (
    At,
    Do,
    Intervention,
    LevelIntervention,
    Randomize,
    RandomizeLevels,
    Shift,
)
from causalassay.models.linear import LinearSCM
from causalassay.models.mechanisms import (
    MLP,
    AdditiveGaussianProcess,
    FourierFeatures,
    GaussianProcess,
    MultiIndex,
    Sigmoid,
)
from causalassay.models.model import Model
from causalassay.models.noise import Noise
from causalassay.models.nonlinear import (
    NonlinearISCM,
    NonlinearSCM,
    NonlinearSNR,
    NonlinearStandardized,
)
from causalassay.models.scaling import iscm_implied, standardized_implied, transfer_noise
from causalassay.models.series_sources import SeriesISCM, SeriesSCM, SeriesStandardized
from causalassay.models.series_uumc import NoStationarySystem, SeriesUUMC
from causalassay.models.sources import (
    ISCM,
    SCM,
    SNR,
    UUMC,
    HalfExplained,
    Harmonized,
    Standardized,
)
from causalassay.models.var import VAR

__all__ = [
    "ISCM",
    "SCM",
    "SNR",
    "UUMC",
    "DaO",
    "VAR",
    "At",
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
    "NoStationarySystem",
    "Noise",
    "Randomize",
    "SeriesISCM",
    "SeriesSCM",
    "SeriesStandardized",
    "SeriesUUMC",
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
    "AdditiveNoiseSCM",
    "MLP",
    "AdditiveGaussianProcess",
    "FourierFeatures",
    "GaussianProcess",
    "MultiIndex",
    "Sigmoid",
    "NonlinearISCM",
    "NonlinearSCM",
    "NonlinearSNR",
    "NonlinearStandardized",
]
