"""Random models by name."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal, overload

from numpy.random import Generator

from causalassay.common.annotations import check_fields
from causalassay.common.arrays import Adjacency
from causalassay.common.seeding import as_generator
from causalassay.common.spelling import did_you_mean
from causalassay.graphs.lagged import LaggedGraph
from causalassay.models.discrete.scm import DiscreteSCM
from causalassay.models.linear.scm import LinearSCM
from causalassay.models.model import Model
from causalassay.models.nonlinear.scm import AdditiveNoiseSCM
from causalassay.models.registry import (
    MODELS,
    ModelSource,
    function_family,
    kinds_by_mechanism,
    mechanism_of,
    no_such_kind,
    parameter_names,
)
from causalassay.models.series.var import VAR

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
        raise ValueError(
            f"mechanism: there is no {mechanism!r}; {did_you_mean(mechanism, mechanisms)}"
        )
    meant = mechanism_of(kind, mechanism)
    if meant is None:
        raise ValueError(f"kind: {no_such_kind(kind, mechanism)}")
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
    own = {field.name for field in dataclasses.fields(family)}
    functions = family(**{name: parameters[name] for name in parameters if name in own})
    rest = {name: parameters[name] for name in parameters if name not in own}
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
        "half-explained" (Squires), "snr" (Eigenmann), "dao" (Andrews), "raw-iscm-noise" or
        "iscm-raw-noise" (Ormaniec); discrete ones: "dirichlet" and "logistic" (Garant and
        Jensen); or one of another package.
    graph : Adjacency, or LaggedGraph for series
    rng : Generator or int
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
