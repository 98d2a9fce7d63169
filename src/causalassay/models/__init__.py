"""Models that can be sampled and intervened upon, and sources that draw them on a graph."""

from typing import TYPE_CHECKING

from causalassay.common.on_demand import names_on_demand

if TYPE_CHECKING:
    from causalassay.models.discrete.bif import read_bif
    from causalassay.models.discrete.scm import DiscreteSCM, Marginals
    from causalassay.models.discrete.sources import Dirichlet, Logistic
    from causalassay.models.discrete.tables import TooWide
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
    from causalassay.models.linear.scaling import iscm_implied, standardized_implied, transfer_noise
    from causalassay.models.linear.scm import LinearSCM
    from causalassay.models.linear.sources import (
        ISCM,
        SCM,
        SNR,
        UUMC,
        DaO,
        HalfExplained,
        Harmonized,
        ISCMWithRawNoise,
        RawWithISCMNoise,
        RawWithStandardizedNoise,
        Standardized,
    )
    from causalassay.models.noise import MixedNoise, Noise
    from causalassay.models.nonlinear.mechanisms import (
        MLP,
        AdditiveGaussianProcess,
        FourierFeatures,
        GaussianProcess,
        MultiIndex,
        Sigmoid,
    )
    from causalassay.models.nonlinear.scm import AdditiveNoiseSCM
    from causalassay.models.nonlinear.sources import (
        NonlinearISCM,
        NonlinearSCM,
        NonlinearSNR,
        NonlinearStandardized,
    )
    from causalassay.models.registry import Model, draw, source
    from causalassay.models.series.sources import (
        NoStationarySystem,
        SeriesISCM,
        SeriesSCM,
        SeriesStandardized,
        SeriesUUMC,
    )
    from causalassay.models.series.var import VAR

__all__ = [
    "ISCM",
    "ISCMWithRawNoise",
    "RawWithISCMNoise",
    "RawWithStandardizedNoise",
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
    "MixedNoise",
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

__getattr__, __dir__ = names_on_demand(__name__)
