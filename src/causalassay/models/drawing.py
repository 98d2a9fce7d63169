"""Models by name."""

from __future__ import annotations

import dataclasses
from typing import Any

from numpy.random import Generator

from causalassay.arrays import Adjacency
from causalassay.graphs.lagged import LaggedGraph
from causalassay.models.series_sources import SeriesISCM, SeriesSCM, SeriesStandardized
from causalassay.models.series_uumc import SeriesUUMC
from causalassay.models.sources import (
    ISCM,
    SCM,
    SNR,
    UUMC,
    HalfExplained,
    Harmonized,
    Standardized,
)
from causalassay.spelling import did_you_mean

SeriesSource = SeriesSCM | SeriesStandardized | SeriesISCM | SeriesUUMC
Source = SCM | Standardized | ISCM | UUMC | Harmonized | HalfExplained | SNR | SeriesSource

SOURCES: dict[str, dict[str, type[Source]]] = {
    "linear": {
        "scm": SCM,
        "standardized": Standardized,
        "iscm": ISCM,
        "uumc": UUMC,
        "harmonized": Harmonized,
        "half-explained": HalfExplained,
        "snr": SNR,
    },
    "var": {
        "scm": SeriesSCM,
        "standardized": SeriesStandardized,
        "iscm": SeriesISCM,
        "uumc": SeriesUUMC,
    },
}
"""By mechanism, then by kind."""


def mechanism_of(kind: str, mechanism: str | None = None) -> str:
    """Return the mechanism: as stated, or "linear" where it has the kind, or the one that has it.

    Examples
    --------
    >>> mechanism_of("scm"), mechanism_of("scm", "var")
    ('linear', 'var')
    """
    if mechanism is not None:
        return _known("mechanism", mechanism, SOURCES)
    having = [name for name, kinds in SOURCES.items() if kind in kinds]
    if len(having) == 1 or "linear" in having:
        return "linear" if "linear" in having else having[0]
    if having:
        raise ValueError(f"mechanism: {kind!r} is one of {having}; state which")
    every = dict.fromkeys(kind for kinds in SOURCES.values() for kind in kinds)
    return _known("kind", kind, every)


def source(kind: str, *, mechanism: str | None = None, **parameters: Any) -> Source:
    """Return the source that a kind and its parameters name.

    Examples
    --------
    >>> source("snr", snr=3.0).snr
    3.0
    """
    kinds = SOURCES[mechanism_of(kind, mechanism)]
    chosen = kinds[_known("kind", kind, kinds)]
    fields = [field.name for field in dataclasses.fields(chosen)]
    for name in parameters:
        if name not in fields:
            raise TypeError(f"{kind!r} takes {', '.join(fields)}; {name!r} does not apply")
    return chosen(**parameters)


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
        "half-explained" (Squires) or "snr" (Eigenmann).
    graph : Adjacency, or LaggedGraph for series
    rng : Generator
    mechanism : str, optional
        "linear", or "var" for series ("scm", "standardized", "iscm" and "uumc"). Left out,
        "linear" where it has the kind, else the one that has it.
    **parameters
        Fields of the kind's class, such as ``weights=(0.5, 2.0)``,
        ``noise="gaussian"``, ``noise_sd=1.0``; one that does not apply is an error.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.graphs import chain
    >>> draw("iscm", chain(5), np.random.default_rng(0), noise="laplace")
    LinearSCM(5 nodes, 4 edges, laplace noise)
    """
    chosen: Any = source(kind, mechanism=mechanism, **parameters)
    return chosen.draw(graph, rng)


def _known(what: str, name: str, table: dict[str, Any]) -> str:
    if name not in table:
        raise ValueError(f"{what}: there is no {name!r}; {did_you_mean(name, table)}")
    return name
