"""The algorithms by name: built-ins from a table, strangers from entry points."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cache
from importlib import import_module, metadata
from types import MappingProxyType
from typing import Any

from numpy.random import Generator
from numpy.typing import ArrayLike

from causalassay.contracts import Algorithm, Estimate, Kind, check_rows
from causalassay.data.dataset import Dataset
from causalassay.spelling import did_you_mean

GROUP = "causalassay.algorithms"
"""The entry-point group in which other packages announce their algorithms."""

_OWN = {
    "acor": "correlation_graphs:ACor",
    "causal-learn-boss": "causal_learn:CausalLearnBOSS",
    "causal-learn-ges": "causal_learn:CausalLearnGES",
    "causal-learn-grasp": "causal_learn:CausalLearnGRaSP",
    "causal-learn-pc": "causal_learn:CausalLearnPC",
    "command": "command:Command",
    "direct-lingam": "direct_lingam:DirectLiNGAM",
    "empty": "trivial_baselines:Empty",
    "ges": "ges:GES",
    "gies": "gies:GIES",
    "golem-ev": "golem:GolemEV",
    "golem-nv": "golem:GolemNV",
    "granger-lasso": "granger_lasso:GrangerLasso",
    "mmhc": "mmhc:MMHC",
    "mse-gds": "mse_gds:MSEGDS",
    "notears": "notears:NOTEARS",
    "pc": "pc:PC",
    "r2-sortnregress": "sortnregress:R2SortnRegress",
    "random-sorting": "trivial_baselines:RandomSorting",
    "random-sortnregress": "sortnregress:RandomSortnRegress",
    "series-r2-sortnregress": "series_sortnregress:SeriesR2SortnRegress",
    "series-random-sortnregress": "series_sortnregress:SeriesRandomSortnRegress",
    "series-var-sortnregress": "series_sortnregress:SeriesVarSortnRegress",
    "single-edge": "correlation_graphs:SingleEdge",
    "var-sortnregress": "sortnregress:VarSortnRegress",
    "variance-sorting": "trivial_baselines:VarianceSorting",
}

BUILT_IN = MappingProxyType({name: f"causalassay.discovery.{own}" for name, own in _OWN.items()})
"""Name to ``module:Class``; the module is imported when the name is first used."""


@dataclass(frozen=True)
class AlgorithmRecord:
    """What there is to know about an algorithm before it runs.

    Parameters
    ----------
    name : str
    output : {"dag", "cpdag", "pdag", "summary"}, optional
        The kind of graph it promises.
    scale_sensitive : bool, optional
        Whether a change of units can change its view of the causal order.
    description, assumptions, reference, licence : str
    missing : str
        Why it cannot run here; empty if it can.
    """

    name: str
    output: Kind | None = None
    scale_sensitive: bool | None = None
    description: str = ""
    assumptions: str = ""
    reference: str = ""
    licence: str = ""
    missing: str = ""


def discover(
    name: str, data: ArrayLike | Dataset, rng: Generator, **hyperparameters: Any
) -> Estimate:
    """Run the algorithm of that name.

    Parameters
    ----------
    name : str
        One of `algorithms()`.
    data : Dataset, or array_like of shape (n, d)
        An array is taken as observational values.
    rng : Generator
    **hyperparameters
        The fields of the algorithm's class; what is left out has its default.

    Returns
    -------
    Estimate

    Raises
    ------
    NotApplicable
        If the data lack what the algorithm needs.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal(size=(200, 3)).cumsum(axis=1)
    >>> discover("var-sortnregress", values, rng).graph.astype(int)
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 0, 0]])
    """
    if not isinstance(rng, Generator):
        raise TypeError(
            f"rng: expected a numpy Generator, got {type(rng).__name__}; "
            "pass np.random.default_rng(seed)"
        )
    algorithm = make_algorithm(name, **hyperparameters)
    dataset = data if isinstance(data, Dataset) else Dataset.from_values(data)
    check_rows(dataset, getattr(algorithm, "rows", "independent"))
    return algorithm.discover(dataset, rng)


def make_algorithm(name: str, **hyperparameters: Any) -> Algorithm:
    """Return the algorithm of that name with its hyper-parameters.

    Parameters
    ----------
    name : str
        One of `algorithms()`.
    **hyperparameters
        Fields of the algorithm's class.

    Examples
    --------
    >>> make_algorithm("r2-sortnregress", path_end=0.0)
    R2SortnRegress(path_end=0.0, regression='linear')
    """
    known = places()
    if name not in known:
        raise ValueError(f"there is no algorithm {name!r}; {did_you_mean(name, sorted(known))}")
    found = load(known[name])
    legal = [field.name for field in dataclasses.fields(found)]
    unknown = [key for key in hyperparameters if key not in legal]
    if unknown:
        takes = f"takes {', '.join(legal)}" if legal else "takes none"
        raise TypeError(f"{name}: no hyper-parameter {unknown[0]!r}; it {takes}")
    return found(**hyperparameters)


def algorithms() -> list[AlgorithmRecord]:
    """Return a record of every known algorithm, by name; ``missing`` says why one cannot run.

    Examples
    --------
    >>> "var-sortnregress" in [record.name for record in algorithms() if not record.missing]
    True
    """
    return [_record(name, place) for name, place in sorted(places().items())]


def _record(name: str, place: str) -> AlgorithmRecord:
    try:
        found = load(place)
    except ImportError as error:
        return AlgorithmRecord(name, missing=str(error))
    return AlgorithmRecord(
        name,
        output=getattr(found, "output", None),
        scale_sensitive=getattr(found, "scale_sensitive", None),
        description=(found.__doc__ or "").strip().partition("\n")[0],
        assumptions=getattr(found, "assumptions", ""),
        reference=getattr(found, "reference", ""),
        licence=getattr(found, "licence", "MIT" if name in BUILT_IN else ""),
    )


@cache
def places() -> dict[str, str]:
    """Return name to ``module:Class`` of all algorithms; a name used twice is an error."""
    found = dict(BUILT_IN)
    for point in metadata.entry_points(group=GROUP):
        if point.name in found:
            raise ValueError(
                f"two algorithms are called {point.name!r}: {found[point.name]} and "
                f"{point.value}; uninstall one of the two packages or rename its entry point"
            )
        found[point.name] = point.value
    return found


def load(place: str) -> Any:
    """Return the class at ``module:Class``; an ImportError names the extra that it needs."""
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)
