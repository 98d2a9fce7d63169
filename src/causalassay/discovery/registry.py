"""The algorithms by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, is_dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from numpy.random import Generator
from numpy.typing import ArrayLike

from causalassay.common.annotations import check_fields
from causalassay.common.definitions import names_file
from causalassay.common.registry import (
    OWN_PACKAGE,
    Registry,
    RegistryEntry,
    dataclass_with_version,
    first_line,
    parameter_text,
    parameters,
)
from causalassay.common.seeding import as_generator, seed_of
from causalassay.contracts import Algorithm, Estimate, Kind, Reads, check_rows
from causalassay.data.dataset import Dataset
from causalassay.data.files import as_dataset
from causalassay.discovery.loading import data_for
from causalassay.discovery.python_files import from_file
from causalassay.environments.catalogue import (
    AlgorithmDefinition,
    environment,
    environment_algorithms,
    is_own,
)
from causalassay.listing import addresses
from causalassay.present import Column, Document, Shown, Table
from causalassay.present.formatting import shortened

T = TypeVar("T")

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
    definitions = environment_algorithms()
    for name in definitions.keys() & addresses("algorithms").keys():
        home = environment(definitions[name].environment)
        if not is_own(home):
            raise ValueError(
                f"algorithm {name!r} is registered twice: it is built in, and in {home.folder}; "
                "rename it there, or uninstall its package"
            )
    module = "causalassay.discovery.environment_algorithms"
    return {name: f"{module}:{known.class_name}" for name, known in definitions.items()}


ALGORITHMS: Registry[type[Algorithm]] = Registry(
    "algorithm",
    "causalassay.algorithms",
    addresses("algorithms"),
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
        The name in study files.
    output : {"dag", "cpdag", "pdag", "summary"}, optional
        The kind of graph it promises.
    scale_sensitive : bool, optional
        Whether a change of units can change its view of the causal order.
    description, assumptions, reference, licence : str
        Texts from its declaration; empty where it has none.
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
    algorithm: str | Algorithm | type[Algorithm],
    data: ArrayLike | Dataset | str | PathLike[str],
    rng: Generator | int = 0,
    **hyperparameters: Any,
) -> Estimate:
    """Run an algorithm on data.

    Parameters
    ----------
    algorithm : str, Algorithm or class
        One of `algorithms()`; a class in a Python file, ``my_algorithm.py:MyClass``, with a
        path relative to the working folder; a class, or an instance of one.
    data : Dataset, array_like of shape (n, d), DataFrame, str or Path
        An array, a list of rows or a data frame is taken as observational values, a path is
        that of a data file; see `causalassay.data.as_dataset`.
    rng : Generator or int
        Where chance comes from. A seed is recorded in the estimate as ``info["seed"]``.
    **hyperparameters
        The fields of the algorithm's class; what is left out has its default, or the value of
        the instance.

    Returns
    -------
    Estimate
        With the names of the data's columns.

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
    >>> estimate = discover("var-sortnregress", values)
    >>> estimate.graph.astype(int)
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 0, 0]])
    >>> estimate.info["seed"], estimate.columns
    (0, ('x0', 'x1', 'x2'))
    """
    generator = as_generator(rng)
    chosen = as_algorithm(algorithm, **hyperparameters)
    dataset = as_dataset(data)
    check_rows(dataset, getattr(chosen, "rows", "independent"))
    estimate: Any = chosen.discover(data_for(chosen, dataset), generator)
    if not isinstance(estimate, Estimate):
        raise TypeError(
            f"algorithm {_origin(algorithm)}: `discover` returned "
            f"{type(estimate).__name__}, expected an Estimate: "
            '`return causalassay.Estimate(graph, "dag")`; causalassay.testing.check_algorithm '
            "tries the other promises, too"
        )
    seed = seed_of(rng)
    stated = {} if seed is None else {"seed": seed}
    return replace(estimate, info={**stated, **estimate.info}, columns=dataset.columns)


def _origin(algorithm: Any) -> str:
    if not isinstance(algorithm, str):
        return (algorithm if isinstance(algorithm, type) else type(algorithm)).__name__
    if names_file(algorithm):
        return repr(algorithm)
    return f"{algorithm!r} of package {ALGORITHMS.package(algorithm)!r}"


def as_algorithm(algorithm: str | Algorithm | type[Algorithm], **hyperparameters: Any) -> Algorithm:
    """Return whatever states an algorithm as an instance with its hyperparameters.

    Parameters
    ----------
    algorithm : str, Algorithm or class
        One of `algorithms()`, or a class in a Python file, ``my_algorithm.py:MyClass``; a
        class; or an instance, of which the hyperparameters given are replaced.
    **hyperparameters
        Fields of the algorithm's class.

    Examples
    --------
    >>> from causalassay.discovery import PC
    >>> as_algorithm("pc", alpha=0.05) == as_algorithm(PC, alpha=0.05) == PC(0.05)
    True
    >>> as_algorithm(PC(max_condition=1), alpha=0.05)
    PC(alpha=0.05, max_condition=1, stable=True, test='fisher-z')
    """
    if isinstance(algorithm, str):
        return make_algorithm(algorithm, **hyperparameters)
    kind: Any = algorithm if isinstance(algorithm, type) else type(algorithm)
    if not callable(getattr(kind, "discover", None)):
        raise TypeError(
            "algorithm: expected a name, a class with a method `discover(self, data, rng)`, an "
            f'instance of one, or "my_algorithm.py:MyClass", got {algorithm!r}'
        )
    name, has_fields = kind.__name__, is_dataclass(kind)
    if has_fields:
        _check_hyperparameters(kind, name, hyperparameters)
    if isinstance(algorithm, type):
        return algorithm(**hyperparameters)
    if hyperparameters and not has_fields:
        given = ", ".join(hyperparameters)
        raise TypeError(f"{name}: it is no dataclass, so set {given} when you make it")
    changed: Any = replace(algorithm, **hyperparameters) if hyperparameters else algorithm  # type: ignore[type-var]
    return changed


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
    _check_hyperparameters(kind, name, hyperparameters)
    return kind(**hyperparameters)


def _check_hyperparameters(kind: Any, name: str, hyperparameters: Mapping[str, Any]) -> None:
    legal = list(parameters(kind))
    unknown = [key for key in hyperparameters if key not in legal]
    if unknown:
        takes = f"takes {', '.join(legal)}" if legal else "takes none"
        raise TypeError(f"{name}: no hyperparameter {unknown[0]!r}; it {takes}")
    check_fields(kind, hyperparameters)


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
        missing=_absent(entry),
        package=entry.package,
        reads=reads,
    )


def _absent(entry: RegistryEntry[Any]) -> str:
    """Return why one of ours, or of an environment, cannot run here; empty for what can."""
    kind: Any = entry.value
    in_environment = isinstance(getattr(kind, "definition", None), AlgorithmDefinition)
    is_known = in_environment or entry.built_in
    return kind.absent() if is_known and hasattr(kind, "absent") else ""


def _stated(kind: type[Algorithm], name: str, of_type: type[T]) -> T | None:
    """Return what a class says of itself; None for what has another type than it should."""
    value = getattr(kind, name, None)
    return value if isinstance(value, of_type) else None
