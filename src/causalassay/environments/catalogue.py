"""All environments that are known here: ours, and those that other packages announce."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from causalassay.common.spelling import did_you_mean
from causalassay.environments.definition import (
    AlgorithmDefinition,
    DefinitionMistake,
    EnvironmentDefinition,
    GeneratorDefinition,
    read_definition,
)

GROUP = "causalassay.environments"
"""Entry points: a name, and the package, such as ``mine.environment``, whose folder it is."""

_OURS = Path(__file__).parent / "known"


@dataclass(frozen=True)
class _Read:
    """What came of reading all files: the environments, and the mistakes, by name."""

    environments: Mapping[str, EnvironmentDefinition]
    mistakes: Mapping[str, str]


def environments() -> Mapping[str, EnvironmentDefinition]:
    """Return every environment by name; nothing of its packages is imported.

    Examples
    --------
    >>> environments()["lingam"].licence
    'MIT'
    """
    return _read_all().environments


def broken_environments() -> Mapping[str, str]:
    """Return why others cannot be used: one broken package must not hide the others.

    Examples
    --------
    >>> dict(broken_environments())
    {}
    """
    return _read_all().mistakes


@cache
def _read_all() -> _Read:
    named = {path.parent.name: path.parent for path in sorted(_OURS.glob("*/environment.toml"))}
    known = {name: read_definition(folder) for name, folder in named.items()}
    mistakes: dict[str, str] = {}
    for point in entry_points(group=GROUP):
        try:
            found = read_definition(_announced_folder(point))
            _check_new(found, known)
            known[found.name] = found
        except DefinitionMistake as mistake:
            mistakes[point.name] = str(mistake)
    return _Read(MappingProxyType(known), MappingProxyType(mistakes))


def _check_new(found: EnvironmentDefinition, known: Mapping[str, EnvironmentDefinition]) -> None:
    """Raise if a name of an announced environment is taken."""
    if found.name in known:
        raise DefinitionMistake(
            f"the environment {found.name!r} is there twice: {known[found.name].folder} and "
            f"{found.folder}; rename one"
        )
    for kind in ("algorithm", "generator"):
        taken = {one.name: other.name for other in known.values() for one in _things(other, kind)}
        for thing in _things(found, kind):
            if thing.name in taken:
                raise DefinitionMistake(
                    f"the {kind} {thing.name!r} is in two environments: "
                    f"{taken[thing.name]} and {found.name}; rename one"
                )


def _things(
    home: EnvironmentDefinition, kind: str
) -> Sequence[AlgorithmDefinition | GeneratorDefinition]:
    return home.algorithms if kind == "algorithm" else home.generators


def environment(name: str) -> EnvironmentDefinition:
    """Return the environment of that name.

    Examples
    --------
    >>> environment("lingma")
    Traceback (most recent call last):
    ValueError: there is no environment 'lingma'; did you mean 'lingam'?
    """
    if name in broken_environments():
        raise ValueError(broken_environments()[name])
    if name not in environments():
        hint = did_you_mean(name, sorted(environments()))
        raise ValueError(f"there is no environment {name!r}; {hint}")
    return environments()[name]


@cache
def environment_algorithms() -> Mapping[str, AlgorithmDefinition]:
    """Return the algorithms of all environments by name, but those that an extra has here.

    Examples
    --------
    >>> environment_algorithms()["lingam-ica"].environment
    'lingam'
    """
    return MappingProxyType(
        {
            algorithm.name: algorithm
            for one in environments().values()
            if not _has_module(one.extra)
            for algorithm in one.algorithms
        }
    )


@cache
def environment_generators() -> Mapping[str, GeneratorDefinition]:
    """Return the generators of all environments by name.

    Examples
    --------
    >>> environment_generators()["dagma-linear-gaussian"].world
    'continuous'
    """
    return MappingProxyType(
        {one.name: one for home in environments().values() for one in home.generators}
    )


def is_own(wanted: EnvironmentDefinition) -> bool:
    """Tell whether an environment is one of ours.

    Examples
    --------
    >>> is_own(environment("lingam"))
    True
    """
    return wanted.folder.parent == _OURS


def refresh() -> None:
    """Read the files and the entry points again."""
    _read_all.cache_clear()
    environment_algorithms.cache_clear()
    environment_generators.cache_clear()


def _has_module(name: str) -> bool:
    try:
        return bool(name) and find_spec(name) is not None
    except ValueError:  # it is in sys.modules, and was not imported from anywhere
        return False


def _announced_folder(point: EntryPoint) -> Path:
    """Return the folder of an announced environment; only its top package is looked for."""
    top, *below = point.module.split(".")
    spec = find_spec(top)
    if spec is None or not spec.submodule_search_locations:
        raise DefinitionMistake(
            f"the environment {point.name!r} is announced in {point.value!r}, and there is no "
            f"package {top!r}"
        )
    return Path(spec.submodule_search_locations[0], *below)
