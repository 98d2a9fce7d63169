"""Models by name: what each must be able to do, the sources by mechanism and kind, and draws."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, ClassVar, Literal, Protocol, overload

from numpy.random import Generator

from causalassay.common.annotations import check_fields
from causalassay.common.arrays import Adjacency, Values
from causalassay.common.registry import Registry, dataclass_with_version
from causalassay.common.registry import parameters as fields_with_defaults
from causalassay.common.seeding import as_generator
from causalassay.common.spelling import RefusedValue, did_you_mean, listed
from causalassay.graphs.lagged import LaggedGraph
from causalassay.models.discrete.scm import DiscreteSCM
from causalassay.models.interventions import Intervention
from causalassay.models.linear.scm import LinearSCM
from causalassay.models.nonlinear.mechanisms import FAMILIES
from causalassay.models.nonlinear.scm import AdditiveNoiseSCM
from causalassay.models.series.var import VAR


class Model(Protocol):
    """A structural causal model: a graph that can be sampled and intervened upon."""

    @property
    def graph(self) -> Adjacency:
        """The causal DAG."""
        ...

    def sample(self, n_samples: int, rng: Generator, intervention: Intervention = ()) -> Values:
        """Draw rows from the observational or an interventional law."""
        ...


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
        "raw-standardized-noise": "linear.sources:RawWithStandardizedNoise",
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
            known_kind
            for name, kinds in mechanisms.items()
            if mechanism in (None, name)
            for known_kind in kinds
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
    of_kind = fields_with_defaults(MODELS[f"{mechanism}.{kind}"])
    family = function_family(kind, mechanism)
    if family is None:
        return of_kind
    del of_kind["mechanism"]
    return {**fields_with_defaults(family), **of_kind}


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


# Random models by name.

LinearKind = Literal[
    "scm",
    "standardized",
    "iscm",
    "uumc",
    "harmonized",
    "half-explained",
    "snr",
    "dao",
    "raw-iscm-noise",
    "raw-standardized-noise",
    "iscm-raw-noise",
]
NonlinearMechanism = Literal["gp", "gp-additive", "mlp", "multi-index", "rff", "sigmoid"]


def source(kind: str, *, mechanism: str | None = None, **parameters: Any) -> ModelSource:
    """Return the source that a kind, a mechanism and their parameters name.

    Examples
    --------
    >>> source("snr", snr=3.0)
    SNR(weights=(1.0, 3.0), signs='shared', noise='gaussian', snr=3.0, sample_size=None, ddof=1)
    >>> source("iscm", mechanism="gp", length_scale=2.0, sample_size=1000).mechanism
    GaussianProcess(length_scale=2.0, output_scale=1.0, n_features=500)
    """
    mechanisms = kinds_by_mechanism()
    if mechanism is not None and mechanism not in mechanisms:
        raise RefusedValue(
            "mechanism", f"there is no {mechanism!r}; {did_you_mean(mechanism, mechanisms)}"
        )
    meant = mechanism_of(kind, mechanism)
    if meant is None:
        raise RefusedValue("kind", f"{no_such_kind(kind, mechanism)}")
    legal = parameter_names(kind, meant)
    for name in parameters:
        if name not in legal:
            raise TypeError(f"{kind!r} takes {', '.join(legal)}; {name!r} does not apply")
    return _make(meant, kind, parameters)


def _make(mechanism: str, kind: str, parameters: Mapping[str, Any]) -> ModelSource:
    """Return a source; of a nonlinear one some parameters are its functions'."""
    kind_class: Any = MODELS[f"{mechanism}.{kind}"]
    family: Any = function_family(kind, mechanism)
    check_fields(kind_class, parameters)
    if family is None:
        return kind_class(**parameters)
    check_fields(family, parameters)
    of_family = parameters.keys() & {field.name for field in dataclasses.fields(family)}
    functions = family(**{name: parameters[name] for name in of_family})
    rest = {name: value for name, value in parameters.items() if name not in of_family}
    return kind_class(mechanism=functions, **rest)


@overload
def draw(
    kind: Literal["dirichlet", "logistic"],
    graph: Adjacency,
    rng: Generator | int,
    *,
    mechanism: Literal["discrete"] | None = None,
    **parameters: Any,
) -> DiscreteSCM: ...
@overload
def draw(
    kind: LinearKind,
    graph: Adjacency,
    rng: Generator | int,
    *,
    mechanism: Literal["linear"] | None = None,
    **parameters: Any,
) -> LinearSCM: ...
@overload
def draw(
    kind: Literal["scm", "standardized", "iscm", "snr"],
    graph: Adjacency,
    rng: Generator | int,
    *,
    mechanism: NonlinearMechanism,
    **parameters: Any,
) -> AdditiveNoiseSCM: ...
@overload
def draw(
    kind: Literal["scm", "standardized", "iscm", "uumc"],
    graph: LaggedGraph,
    rng: Generator | int,
    *,
    mechanism: Literal["var"],
    **parameters: Any,
) -> VAR: ...
@overload
def draw(
    kind: str,
    graph: Adjacency | LaggedGraph,
    rng: Generator | int,
    *,
    mechanism: str | None = None,
    **parameters: Any,
) -> Model: ...
def draw(
    kind: str,
    graph: Adjacency | LaggedGraph,
    rng: Generator | int,
    *,
    mechanism: str | None = None,
    **parameters: Any,
) -> Any:
    """Draw a random model on a graph.

    Parameters
    ----------
    kind : str
        "scm", "standardized", "iscm", "uumc", "harmonized" (Mooij),
        "half-explained" (Squires), "snr" (Eigenmann), "dao" (Andrews), "raw-iscm-noise",
        "raw-standardized-noise" or "iscm-raw-noise" (Ormaniec); discrete ones: "dirichlet" and
        "logistic" (Garant and Jensen); or one of another package.
    graph : Adjacency, or LaggedGraph for series
        The model has a node for each of its nodes.
    rng : Generator or int
        The source of randomness; an int is a seed.
    mechanism : str, optional
        "linear", or a nonlinear one, for the kinds "scm", "standardized", "iscm" and
        "snr": "gp", "gp-additive", "mlp", "multi-index", "rff", "sigmoid"; or "var" for
        series, for "scm", "standardized", "iscm" and "uumc"; or "discrete". Left out, it
        is "linear" where that has the kind, else the one that has it.
    **parameters
        Fields of the kind's class, such as ``weights=(0.5, 2.0)``,
        ``noise="gaussian"``, ``noise_sd=1.0``, and of the mechanism's, such as
        ``length_scale=1.0``; one that does not apply is an error.

    Returns
    -------
    LinearSCM, AdditiveNoiseSCM, DiscreteSCM, VAR, or another package's model

    Examples
    --------
    >>> from causalassay.graphs import chain
    >>> draw("iscm", chain(5), 0, noise="laplace")
    LinearSCM(5 nodes, 4 edges, laplace noise)
    >>> draw("iscm", chain(5), 0, mechanism="gp")
    AdditiveNoiseSCM(5 nodes, 4 edges, gaussian noise)
    >>> draw("dirichlet", chain(5), 0, levels=3)
    DiscreteSCM(5 nodes, 4 edges, 3 to 3 levels)
    """
    generator = as_generator(rng)
    model = source(kind, mechanism=mechanism, **parameters).draw(graph, generator)
    if not hasattr(model, "graph") or not callable(getattr(model, "sample", None)):
        name = f"{mechanism_of(kind, mechanism)}.{kind}"
        raise TypeError(
            f"model {name!r} of package {MODELS.package(name)!r}: `draw` returned "
            f"{type(model).__name__}, expected a model with `graph` and "
            "`sample(n_samples, rng, intervention=())`; tell its authors to run "
            "`check_model_source`"
        )
    return model
