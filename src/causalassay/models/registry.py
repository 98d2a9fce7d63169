"""Model sources by mechanism and kind."""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from typing import Any, ClassVar, Literal, Protocol

from numpy.random import Generator

from causalassay.common.registry import Registry, dataclass_with_version
from causalassay.common.registry import parameters as fields_with_defaults
from causalassay.common.spelling import did_you_mean, listed
from causalassay.models.nonlinear.mechanisms import FAMILIES


class ModelSource(Protocol):
    """A frozen dataclass whose fields are the parameters of a random model."""

    version: ClassVar[int]
    """Raised when behaviour changes: it is part of the cache key."""

    def draw(self, graph: Any, rng: Generator) -> Any:
        """Draw a model on a graph: a `Model` on a DAG, or that of a series on a LaggedGraph."""
        ...


_NONLINEAR = {
    "scm": "nonlinear.sources:NonlinearSCM",
    "standardized": "nonlinear.sources:NonlinearStandardized",
    "iscm": "nonlinear.sources:NonlinearISCM",
    "snr": "nonlinear.sources:NonlinearSNR",
}

_BUILT_IN: dict[str, dict[str, str]] = {
    "linear": {
        "scm": "linear.sources:SCM",
        "standardized": "linear.sources:Standardized",
        "iscm": "linear.sources:ISCM",
        "uumc": "linear.sources:UUMC",
        "harmonized": "linear.sources:Harmonized",
        "half-explained": "linear.sources:HalfExplained",
        "snr": "linear.sources:SNR",
        "dao": "linear.sources:DaO",
        "raw-iscm-noise": "linear.sources:RawWithISCMNoise",
        "iscm-raw-noise": "linear.sources:ISCMWithRawNoise",
    },
    **dict.fromkeys(FAMILIES, _NONLINEAR),
    "var": {
        "scm": "series.sources:SeriesSCM",
        "standardized": "series.sources:SeriesStandardized",
        "iscm": "series.sources:SeriesISCM",
        "uumc": "series.sources:SeriesUUMC",
    },
    "discrete": {
        "dirichlet": "discrete.sources:Dirichlet",
        "logistic": "discrete.sources:Logistic",
    },
}


def _prepared(name: str, value: Any) -> type[ModelSource]:
    if not all(name.partition(".")):
        raise TypeError(f"a model is registered as mechanism.kind, got {name!r}")
    return dataclass_with_version(name, value)


MODELS: Registry[type[ModelSource]] = Registry(
    "model",
    "causalassay.models",
    {
        f"{mechanism}.{kind}": f"causalassay.models.{address}"
        for mechanism, kinds in _BUILT_IN.items()
        for kind, address in kinds.items()
    },
    _prepared,
)
"""Model sources by ``mechanism.kind``. The mechanism "var" makes series on a lagged graph,
"discrete" makes levels; every other one makes independent rows of continuous columns."""


def kinds_by_mechanism() -> dict[str, tuple[str, ...]]:
    """Return the kinds that each mechanism has.

    Examples
    --------
    >>> kinds_by_mechanism()["gp"]
    ('scm', 'standardized', 'iscm', 'snr')
    """
    kinds: dict[str, tuple[str, ...]] = {}
    for name in MODELS:
        mechanism, dot, kind = name.partition(".")
        if dot:
            kinds[mechanism] = (*kinds.get(mechanism, ()), kind)
    return kinds


def mechanism_of(kind: str, stated: str | None) -> str | None:
    """Return the mechanism meant: the one stated, else "linear", else the only one with the kind.

    None if the kind does not exist there.

    Examples
    --------
    >>> mechanism_of("iscm", None), mechanism_of("iscm", "gp"), mechanism_of("uumc", "gp")
    ('linear', 'gp', None)
    """
    having = [
        name
        for name, kinds in kinds_by_mechanism().items()
        if kind in kinds and stated in (None, name)
    ]
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
    mechanisms = kinds_by_mechanism()
    having = [name for name, kinds in mechanisms.items() if kind in kinds]
    if mechanism is None or not having:
        known = [
            one for name, kinds in mechanisms.items() if mechanism in (None, name) for one in kinds
        ]
        return f"there is no model {kind!r}; {did_you_mean(kind, list(dict.fromkeys(known)))}"
    others, here = " or ".join(having), listed(mechanisms[mechanism])
    return f"{kind!r} is for {others} models; mechanism {mechanism!r} has {here}"


def function_family(kind: str, mechanism: str) -> Any:
    """Return the class of the functions that a nonlinear kind draws; None where it has none.

    Examples
    --------
    >>> function_family("iscm", "mlp"), function_family("iscm", "linear")
    (<class '...MLP'>, None)
    """
    fields: Any = dataclasses.fields(MODELS[f"{mechanism}.{kind}"])  # type: ignore[arg-type]
    takes_functions = any(field.name == "mechanism" for field in fields)
    return FAMILIES.get(mechanism) if takes_functions else None


def model_parameters(kind: str, mechanism: str) -> dict[str, str]:
    """Return the parameters of a kind with a mechanism, the mechanism's first, with defaults.

    Examples
    --------
    >>> model_parameters("logistic", "discrete")
    {'weight': '0.375'}
    """
    own = fields_with_defaults(MODELS[f"{mechanism}.{kind}"])
    family = function_family(kind, mechanism)
    if family is None:
        return own
    del own["mechanism"]
    return {**fields_with_defaults(family), **own}


def parameter_names(kind: str, mechanism: str) -> list[str]:
    """Return the parameters of a kind with a mechanism, the mechanism's first.

    Examples
    --------
    >>> parameter_names("snr", "sigmoid")
    ['weights', 'signs', 'noise', 'snr', 'sample_size', 'ddof']
    """
    return list(model_parameters(kind, mechanism))


def named(source: ModelSource) -> tuple[str, str]:
    """Return the mechanism and the kind that name a source.

    Examples
    --------
    >>> from causalassay.models import UUMC, NonlinearISCM
    >>> named(UUMC()), named(NonlinearISCM(FAMILIES["mlp"]()))
    (('linear', 'uumc'), ('mlp', 'iscm'))
    """
    names = _names_of(source)
    if names is None:
        raise TypeError(f"{type(source).__name__} is not a known model source")
    return names


def makes(source: ModelSource, mechanism: Literal["var", "discrete"]) -> bool:
    """Tell whether a source makes series ("var") or levels ("discrete").

    Examples
    --------
    >>> from causalassay.models import SCM, SeriesSCM
    >>> makes(SeriesSCM(), "var"), makes(SCM(), "var")
    (True, False)
    """
    names = _names_of(source)
    return names is not None and names[0] == mechanism


def _names_of(source: ModelSource) -> tuple[str, str] | None:
    family: Any = type(getattr(source, "mechanism", None))
    return _names(type(source), family)


@lru_cache(maxsize=256)
def _names(kind_class: type[Any], family: type[Any]) -> tuple[str, str] | None:
    def differs(name: str) -> bool:
        return MODELS.addresses[name].partition(":")[2] != kind_class.__qualname__

    # Entries called like the class come first, so that no package is imported in vain.
    for name in sorted(MODELS, key=differs):
        entry = MODELS.entry(name)
        mechanism, _, kind = name.partition(".")
        if entry.value is kind_class and function_family(kind, mechanism) in (None, family):
            return mechanism, kind
    return None
