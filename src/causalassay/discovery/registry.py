"""The algorithms by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from numpy.random import Generator
from numpy.typing import ArrayLike

from causalassay.common.annotations import check_fields
from causalassay.common.registry import (
    OWN_PACKAGE,
    Registry,
    RegistryEntry,
    dataclass_with_version,
    first_line,
    parameter_text,
    parameters,
)
from causalassay.common.seeding import as_generator
from causalassay.contracts import Algorithm, Estimate, Kind, Reads, check_rows
from causalassay.data.dataset import Dataset
from causalassay.discovery.python_classes import names_file
from causalassay.discovery.python_file import from_file
from causalassay.environments.catalogue import (
    AlgorithmDefinition,
    environment,
    environment_algorithms,
    is_own,
)
from causalassay.present.document import Column, Document, Table
from causalassay.present.formatting import shortened
from causalassay.present.shown import Shown

T = TypeVar("T")

_BUILT_IN = {
    "acor": "correlation_graphs:ACor",
    "boss": "boss:BOSS",
    "causal-learn-boss": "causal_learn:CausalLearnBOSS",
    "causal-learn-ges": "causal_learn:CausalLearnGES",
    "causal-learn-grasp": "causal_learn:CausalLearnGRaSP",
    "causal-learn-pc": "causal_learn:CausalLearnPC",
    "command": "command:Command",
    "direct-lingam": "direct_lingam:DirectLiNGAM",
    "empty": "trivial_baselines:Empty",
    "ges": "ges:GES",
    "ges-pooled": "ges:PooledGES",
    "gies": "gies:GIES",
    "golem-ev": "golem:GolemEV",
    "golem-nv": "golem:GolemNV",
    "granger-lasso": "granger_lasso:GrangerLasso",
    "grasp": "grasp:GRaSP",
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
    "xges": "xges:XGES",
    "xgies": "xges:XGIES",
}

_PACKAGES = {
    "avici": "avici",
    "cd-nod": "causal-learn",
    "corl": "gcastle",
    "exact-search": "causal-learn",
    "fci": "causal-learn",
    "gae": "gcastle",
    "mcsl": "gcastle",
    "multi-group-direct-lingam": "lingam",
    "pcmci": "tigramite",
    "rl": "gcastle",
}
"""Well-known algorithms that are not here: the package that has each."""

_OTHER_NAMES = {
    "dag-gnn": "gcastle-dag-gnn",
    "dagma": "dagma-linear",
    "gran-dag": "gcastle-gran-dag",
    "ica-lingam": "lingam-ica",
    "notears-mlp": "gcastle-notears-mlp",
    "pcmci+": "tigramite-pcmci-plus",
    "rcd": "lingam-rcd",
    "var-lingam": "lingam-var",
}
"""Well-known algorithms that run in environments: what they are called here."""


def _from_package(package: str) -> str:
    return (
        f"the package {package!r} has it: pip install {package}, then run it as a program with "
        "`command` or as a class in a file (docs/plugins.md)"
    )


def _in_environments() -> dict[str, str]:
    """Return the addresses of what environments have; only ours may stand for a built-in."""
    found = environment_algorithms()
    for name in found.keys() & _BUILT_IN.keys():
        home = environment(found[name].environment)
        if not is_own(home):
            raise ValueError(
                f"algorithm {name!r} is registered twice: it is built in, and in {home.folder}; "
                "rename it there, or uninstall its package"
            )
    module = "causalassay.discovery.environment_algorithms"
    return {name: f"{module}:{one.class_name}" for name, one in found.items()}


ALGORITHMS: Registry[type[Algorithm]] = Registry(
    "algorithm",
    "causalassay.algorithms",
    {name: f"causalassay.discovery.{own}" for name, own in _BUILT_IN.items()},
    dataclass_with_version,
    elsewhere={
        **{name: _from_package(package) for name, package in _PACKAGES.items()},
        **{name: f"did you mean {known!r}?" for name, known in _OTHER_NAMES.items()},
    },
    else_hint="`causalassay list algorithms` has all that are installed; install the package that "
    'brings it, or name a class in a file: "my_algorithm.py:MyClass"',
    more=_in_environments,
)
"""Classes of algorithms by name."""


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
    parameters : mapping
        Its hyperparameters with their defaults as text, or "required".
    missing : str
        Why it cannot run here, in one line; empty if it can.
    package : str
        The installed package that announced it; "causalassay" for ours.
    reads : str, optional
        Which regimes it looks at, one of `causalassay.contracts.Reads`.
    """

    name: str
    output: Kind | None = None
    scale_sensitive: bool | None = None
    description: str = ""
    assumptions: str = ""
    reference: str = ""
    licence: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict, hash=False)
    missing: str = ""
    package: str = OWN_PACKAGE
    reads: Reads | None = None


class AlgorithmList(list[AlgorithmRecord], Shown):
    """Records of algorithms that print as a table.

    Examples
    --------
    >>> AlgorithmList(record for record in algorithms() if record.name == "forest")
    no algorithms
    >>> AlgorithmList(record for record in algorithms() if "sorting" in record.name)
    name              output  hyperparameters
    random-sorting    dag     none
    variance-sorting  dag     none
    """

    def __repr__(self) -> str:
        if not self:
            return "no algorithms"
        lines = [_HEADINGS, *(_cells(record) for record in self)]
        name, output = (max(len(line[column]) for line in lines) for column in (0, 1))
        return "\n".join(
            f"{a:{name}}  {b:{output}}  {shortened(c, _LONGEST_CELL)}".rstrip() for a, b, c in lines
        )

    def document(self) -> Document:
        """Return the algorithms as a table."""
        columns = [Column(heading, heading) for heading in _HEADINGS]
        table = Table("algorithms", columns, [_cells(record) for record in self])
        return Document("Algorithms", "", [table], about=f"{len(self)} records")


_HEADINGS = ("name", "output", "hyperparameters")
_LONGEST_CELL = 100


def _cells(record: AlgorithmRecord) -> tuple[str, str, str]:
    if record.missing:
        return record.name, "", f"cannot run here: {record.missing}"
    return record.name, record.output or "", parameter_text(record.parameters) or "none"


def discover(
    name: str, data: ArrayLike | Dataset, rng: Generator | int, **hyperparameters: Any
) -> Estimate:
    """Run the algorithm of that name.

    Parameters
    ----------
    name : str
        One of `algorithms()`, or a class in a Python file, ``my_algorithm.py:MyClass``, with a
        path relative to the working folder.
    data : Dataset, or array_like of shape (n, d)
        An array is taken as observational values.
    rng : Generator or int
    **hyperparameters
        The fields of the algorithm's class; what is left out has its default.

    Returns
    -------
    Estimate

    Raises
    ------
    NotApplicable
        If the data lack what the algorithm needs.
    TypeError
        If an algorithm of another package returns something else than an estimate.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.random.default_rng(0).normal(size=(200, 3)).cumsum(axis=1)
    >>> discover("var-sortnregress", values, rng=1).graph.astype(int)
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 0, 0]])
    """
    generator = as_generator(rng)
    algorithm = make_algorithm(name, **hyperparameters)
    dataset = data if isinstance(data, Dataset) else Dataset.from_values(data)
    check_rows(dataset, getattr(algorithm, "rows", "independent"))
    estimate: Any = algorithm.discover(dataset, generator)
    if not isinstance(estimate, Estimate):
        raise TypeError(
            f"algorithm {name!r}{_origin(name)}: `discover` returned "
            f"{type(estimate).__name__}, expected an Estimate; tell its authors to run "
            "`check_algorithm`"
        )
    return estimate


def _origin(name: str) -> str:
    return "" if names_file(name) else f" of package {ALGORITHMS.package(name)!r}"


def make_algorithm(name: str, **hyperparameters: Any) -> Algorithm:
    """Return the algorithm of that name with its hyperparameters.

    Parameters
    ----------
    name : str
        One of `algorithms()`, or a class in a Python file, ``my_algorithm.py:MyClass``.
    **hyperparameters
        Fields of the algorithm's class.

    Examples
    --------
    >>> make_algorithm("r2-sortnregress", path_end=0.0)
    R2SortnRegress(path_end=0.0, regression='linear')
    """
    if names_file(name):
        return from_file(name, Path.cwd(), hyperparameters)
    kind: Any = ALGORITHMS[name]
    legal = list(parameters(kind))
    unknown = [key for key in hyperparameters if key not in legal]
    if unknown:
        takes = f"takes {', '.join(legal)}" if legal else "takes none"
        raise TypeError(f"{name}: no hyperparameter {unknown[0]!r}; it {takes}")
    check_fields(kind, hyperparameters)
    return kind(**hyperparameters)


def algorithms() -> AlgorithmList:
    """Return a record of every known algorithm, by name; ``missing`` says why one cannot run.

    The list prints as a table of names and hyperparameters.

    Examples
    --------
    >>> "var-sortnregress" in [record.name for record in algorithms() if not record.missing]
    True
    """
    entries = sorted(ALGORITHMS.entries(), key=lambda entry: entry.name)
    return AlgorithmList(_record(entry) for entry in entries)


def _record(entry: RegistryEntry[type[Algorithm]]) -> AlgorithmRecord:
    kind = entry.value
    if kind is None:
        return AlgorithmRecord(entry.name, missing=entry.missing, package=entry.package)
    output: Any = _stated(kind, "output", str)
    reads: Any = _stated(kind, "reads", str)
    return AlgorithmRecord(
        entry.name,
        output=output,
        scale_sensitive=_stated(kind, "scale_sensitive", bool),
        description=first_line(kind),
        assumptions=_stated(kind, "assumptions", str) or "",
        reference=_stated(kind, "reference", str) or "",
        licence=_stated(kind, "licence", str) or ("MIT" if entry.built_in else ""),
        parameters=parameters(kind),
        missing=_absent(kind),
        package=entry.package,
        reads=reads,
    )


def _absent(kind: Any) -> str:
    """Return why an algorithm of an environment cannot run here; empty for what can."""
    in_environment = isinstance(getattr(kind, "definition", None), AlgorithmDefinition)
    return kind.absent() if in_environment else ""


def _stated(kind: type[Algorithm], name: str, of_type: type[T]) -> T | None:
    """Return what a class says of itself; None for what has another type than it should."""
    value = getattr(kind, name, None)
    return value if isinstance(value, of_type) else None
