"""Models by name."""

from __future__ import annotations

import dataclasses
from typing import Any

from numpy.random import Generator

from causalassay.arrays import Adjacency
from causalassay.graphs.lagged import LaggedGraph
from causalassay.models.discrete.sources import Dirichlet, Logistic
from causalassay.models.linear.dao import DaO
from causalassay.models.linear.sources import (
    ISCM,
    SCM,
    SNR,
    UUMC,
    HalfExplained,
    Harmonized,
    Standardized,
)
from causalassay.models.nonlinear.mechanisms import FAMILIES
from causalassay.models.nonlinear.sources import (
    NonlinearISCM,
    NonlinearSCM,
    NonlinearSNR,
    NonlinearStandardized,
)
from causalassay.models.series.sources import SeriesISCM, SeriesSCM, SeriesStandardized
from causalassay.models.series.uumc import SeriesUUMC
from causalassay.spelling import did_you_mean, listed

Linear = SCM | Standardized | ISCM | UUMC | Harmonized | HalfExplained | SNR | DaO
Nonlinear = NonlinearSCM | NonlinearStandardized | NonlinearISCM | NonlinearSNR
SeriesSource = SeriesSCM | SeriesStandardized | SeriesISCM | SeriesUUMC
DiscreteSource = Dirichlet | Logistic
Source = Linear | Nonlinear | SeriesSource | DiscreteSource

NONLINEAR: dict[str, type[Source]] = {
    "scm": NonlinearSCM,
    "standardized": NonlinearStandardized,
    "iscm": NonlinearISCM,
    "snr": NonlinearSNR,
}

SOURCES: dict[str, dict[str, type[Source]]] = {
    "linear": {
        "scm": SCM,
        "standardized": Standardized,
        "iscm": ISCM,
        "uumc": UUMC,
        "harmonized": Harmonized,
        "half-explained": HalfExplained,
        "snr": SNR,
        "dao": DaO,
    },
    **dict.fromkeys(FAMILIES, NONLINEAR),
    "var": {
        "scm": SeriesSCM,
        "standardized": SeriesStandardized,
        "iscm": SeriesISCM,
        "uumc": SeriesUUMC,
    },
    "discrete": {"dirichlet": Dirichlet, "logistic": Logistic},
}
"""By mechanism, then by kind."""


def source(kind: str, *, mechanism: str | None = None, **parameters: Any) -> Source:
    """Return the source that a kind, a mechanism and their parameters name.

    Examples
    --------
    >>> source("snr", snr=3.0).snr
    3.0
    >>> source("iscm", mechanism="gp", length_scale=2.0, sample_size=1000).mechanism
    GaussianProcess(length_scale=2.0, output_scale=1.0, n_features=500)
    """
    if mechanism is not None and mechanism not in SOURCES:
        raise ValueError(
            f"mechanism: there is no {mechanism!r}; {did_you_mean(mechanism, SOURCES)}"
        )
    found = mechanism_of(kind, mechanism)
    if found is None:
        raise ValueError(f"kind: {no_such_kind(kind, mechanism)}")
    legal = parameter_names(kind, found)
    for name in parameters:
        if name not in legal:
            raise TypeError(f"{kind!r} takes {', '.join(legal)}; {name!r} does not apply")
    chosen: Any = SOURCES[found][kind]
    if found not in FAMILIES:
        return chosen(**parameters)
    family: Any = FAMILIES[found]
    own = {field.name for field in dataclasses.fields(family)}
    function = family(**{name: parameters.pop(name) for name in own & parameters.keys()})
    return chosen(mechanism=function, **parameters)


def draw(
    kind: str,
    graph: Adjacency | LaggedGraph,
    rng: Generator,
    *,
    mechanism: str | None = None,
    **parameters: Any,
) -> Any:
    """Draw a random model on a graph.

    Parameters
    ----------
    kind : str
        "scm", "standardized", "iscm", "uumc", "harmonized" (Mooij),
        "half-explained" (Squires), "snr" (Eigenmann) or "dao" (Andrews); discrete ones:
        "dirichlet" and "logistic" (Garant and Jensen).
    graph : Adjacency, or LaggedGraph for series
    rng : Generator
    mechanism : str, optional
        "linear", or a nonlinear one, for the kinds "scm", "standardized", "iscm" and
        "snr": "gp", "gp-additive", "mlp", "multi-index", "rff", "sigmoid"; or "var" for
        series, for "scm", "standardized", "iscm" and "uumc"; or "discrete". Left out, it
        is "linear" where that has the kind, else the one that has it.
    **parameters
        Fields of the kind's class, such as ``weights=(0.5, 2.0)``,
        ``noise="gaussian"``, ``noise_sd=1.0``, and of the mechanism's, such as
        ``length_scale=1.0``; one that does not apply is an error.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> draw("iscm", chain(5), np.random.default_rng(0), noise="laplace")
    LinearSCM(5 nodes, 4 edges, laplace noise)
    >>> draw("iscm", chain(5), np.random.default_rng(0), mechanism="gp")
    AdditiveNoiseSCM(5 nodes, 4 edges, gaussian noise)
    >>> draw("dirichlet", chain(5), np.random.default_rng(0), levels=3)
    DiscreteSCM(5 nodes, 4 edges, 3 to 3 levels)
    """
    chosen: Any = source(kind, mechanism=mechanism, **parameters)
    return chosen.draw(graph, rng)


def mechanism_of(kind: str, stated: str | None) -> str | None:
    """Return the mechanism meant: the one stated, else "linear", else the only one with the kind.

    None if the kind does not exist there.

    Examples
    --------
    >>> mechanism_of("iscm", None), mechanism_of("iscm", "gp"), mechanism_of("uumc", "gp")
    ('linear', 'gp', None)
    """
    having = [name for name, kinds in SOURCES.items() if kind in kinds and stated in (None, name)]
    return "linear" if "linear" in having else having[0] if len(having) == 1 else None


def no_such_kind(kind: str, mechanism: str | None) -> str:
    """Return why there is no such kind, and what there is.

    Examples
    --------
    >>> no_such_kind("icsm", None)
    "there is no model 'icsm'; did you mean 'iscm'?"
    >>> no_such_kind("uumc", "gp")
    "'uumc' is for linear or var models; mechanism 'gp' has 'scm', 'standardized', 'iscm', 'snr'"
    """
    having = [name for name, kinds in SOURCES.items() if kind in kinds]
    if mechanism is None or not having:
        known = [
            one for name, kinds in SOURCES.items() if mechanism in (None, name) for one in kinds
        ]
        return f"there is no model {kind!r}; {did_you_mean(kind, list(dict.fromkeys(known)))}"
    others, here = " or ".join(having), listed(SOURCES[mechanism])
    return f"{kind!r} is for {others} models; mechanism {mechanism!r} has {here}"


def parameter_names(kind: str, mechanism: str) -> list[str]:
    """Return the parameters of a kind with a mechanism, the mechanism's first.

    Examples
    --------
    >>> parameter_names("snr", "sigmoid")
    ['weights', 'signs', 'noise', 'snr', 'sample_size', 'ddof']
    """
    fields = [field.name for field in dataclasses.fields(SOURCES[mechanism][kind])]
    if mechanism not in FAMILIES:
        return fields
    own = [field.name for field in dataclasses.fields(FAMILIES[mechanism])]
    return [*own, *(name for name in fields if name != "mechanism")]


def named(source: Source) -> tuple[str, str]:
    """Return the mechanism and the kind that name a source.

    Examples
    --------
    >>> named(UUMC()), named(NonlinearISCM(FAMILIES["mlp"]()))
    (('linear', 'uumc'), ('mlp', 'iscm'))
    """
    for mechanism, kinds in SOURCES.items():
        family = FAMILIES.get(mechanism)
        if family is None or type(getattr(source, "mechanism", None)) is family:
            for kind, known in kinds.items():
                if type(source) is known:
                    return mechanism, kind
    raise TypeError(f"{type(source).__name__} is no known model source")
