"""What an environment is, as its file says, and all that are known here.

These are ours, and those that other packages announce.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from causalassay.common.spelling import RefusedValue, did_you_mean

# What an environment is, as its file says: pins, licence, size, algorithms, generators.

FILE, ADAPTER = "environment.toml", "adapter.py"

World = Literal["continuous", "discrete", "series"]
Output = Literal["dag", "cpdag", "pdag", "summary"]

_NO_OTHER_KEYS = {"extra": "forbid"}
"""How pydantic reads a table of a file."""

_TYPES: dict[str, type] = {"int": int, "float": float, "bool": bool, "str": str}
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")


class DefinitionMistake(ValueError):
    """A file of an environment says something that cannot be; the message says where."""


@dataclass(frozen=True)
class ParameterDefinition:
    """A parameter of an algorithm.

    Parameters
    ----------
    name : str
    kind : type
        ``int``, ``float``, ``bool`` or ``str``.
    what : str
        What it does, in a sentence.
    default : value of that type, or None
        None stands for the package's own choice.
    choices : tuple of str
        The values that text may have; empty if any.
    brief : value of that type, or None
        With which a check ends soon; None if the default does.
    """

    __pydantic_config__ = _NO_OTHER_KEYS

    name: str
    kind: type
    what: str
    default: Any = None
    choices: tuple[str, ...] = ()
    brief: Any = None

    def __post_init__(self) -> None:
        if self.brief is not None and type(self.brief) is not self.kind:
            raise RefusedValue("brief", f"expected {self.kind.__name__}, got {self.brief!r}")


@dataclass(frozen=True)
class AlgorithmDefinition:
    """An algorithm of an environment.

    Parameters
    ----------
    name : str
        In studies.
    class_name : str
        Of the dataclass that stands for it; a part of the keys of its rows.
    environment : str
    what, assumptions, reference : str
    data : tuple of str
        "continuous", "discrete" or "series".
    output : {"dag", "cpdag", "pdag", "summary"}
    scale_sensitive : bool
    parameters : tuple of ParameterDefinition
    seedable : bool
        Whether the same seed gives the same graph.
    version : int
        Raised when its graphs change, with the pins too: it is a part of the keys of rows.
    """

    __pydantic_config__ = _NO_OTHER_KEYS

    name: str
    class_name: str
    environment: str
    what: str
    assumptions: str
    reference: str
    data: tuple[World, ...]
    output: Output
    scale_sensitive: bool
    parameters: tuple[ParameterDefinition, ...] = ()
    seedable: bool = True
    version: int = 1

    def __post_init__(self) -> None:
        _check_name(self.name)


@dataclass(frozen=True)
class GeneratorDefinition:
    """A simulator of an environment, with the defaults of its package.

    Parameters
    ----------
    name : str
    environment : str
    what : str
    call : str
        The package's own call, as code; what it does not name is left at its default.
    reference : str
    world : {"continuous", "discrete", "series"}
    note : str
        What had to be chosen, because the package has no default.
    seedable : bool
        Whether the same seed gives the same draw.
    version : int
        Raised when its draws change, with the pins too.
    """

    __pydantic_config__ = _NO_OTHER_KEYS

    name: str
    environment: str
    what: str
    call: str
    reference: str
    world: World
    note: str = ""
    seedable: bool = True
    version: int = 1

    def __post_init__(self) -> None:
        _check_name(self.name)


@dataclass(frozen=True)
class EnvironmentDefinition:
    """Packages that can live together, and what they are there for.

    Parameters
    ----------
    name : str
    folder : Path
        Where its file and its adapter are.
    pins : tuple of str
        What pip installs, also ``--no-deps``; empty: the environment sees our packages and has
        none of its own.
    programs : tuple of str
        Which must be on the path besides, such as ``java``.
    licence : str
        Of the package it is there for.
    download_mb, disk_mb : int
        About what is downloaded, and what it takes on disk.
    algorithms : tuple of AlgorithmDefinition
    generators : tuple of GeneratorDefinition
        One of the two may be empty.
    python_below : str
        The first version of Python that its packages do not run on; empty if none is known.
    extra : str
        A module that does the same work here if it can be imported; the environment is then
        not asked.
    """

    __pydantic_config__ = _NO_OTHER_KEYS

    name: str
    folder: Path
    pins: tuple[str, ...]
    licence: str
    download_mb: int
    disk_mb: int
    programs: tuple[str, ...] = ()
    algorithms: tuple[AlgorithmDefinition, ...] = field(repr=False, default=())
    generators: tuple[GeneratorDefinition, ...] = field(repr=False, default=())
    python_below: str = ""
    extra: str = ""

    def __post_init__(self) -> None:
        _check_name(self.name)
        if not (self.algorithms or self.generators):
            raise ValueError("expected [[algorithms]] or [[generators]], got neither")
        for parts in (self.algorithms, self.generators):
            counts = Counter(part.name for part in parts)
            if twice := [name for name, count in counts.items() if count > 1]:
                raise RefusedValue("name", f"{twice[0]!r} is there twice")

    @property
    def adapter(self) -> Path:
        """The script that runs in the environment."""
        return self.folder / ADAPTER

    @property
    def packages(self) -> tuple[str, ...]:
        """The pins without options of pip's."""
        return tuple(pin for pin in self.pins if not pin.startswith("-"))

    @property
    def fingerprint(self) -> str:
        """Digits that change with the pins and with the version of Python."""
        return fingerprint(self.pins)

    @property
    def install_command(self) -> str:
        """What a user types to have it."""
        return f"causalassay env install {self.name}"


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise RefusedValue("name", f"expected small letters, digits and hyphens, got {name!r}")


def fingerprint(pins: tuple[str, ...]) -> str:
    """Return digits that change with some pins and with the version of Python.

    Examples
    --------
    >>> fingerprint(("a==1",)) == fingerprint(("a==2",))
    False
    """
    text = json.dumps([pins, sys.version_info[:2]])
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def read_definition(folder: Path, *, check: bool = True) -> EnvironmentDefinition:
    """Return the environment of a folder.

    Parameters
    ----------
    folder : Path
    check : bool
        Whether its file is compared with what a file can say. Ours need not be: a test does it.

    Raises
    ------
    DefinitionMistake
        If its file is none, with all of its mistakes, or its adapter is absent.
    """
    path = folder / FILE
    try:
        table = _with_derived(tomllib.loads(path.read_text(encoding="utf-8")), folder)
        definition = _checked(table) if check else _built(table)
    except OSError as reason:
        raise DefinitionMistake(f"{path} cannot be read: {reason.strerror}") from reason
    except (TypeError, ValueError, AttributeError) as reason:
        raise DefinitionMistake(f"{path}: {reason}") from reason
    if not definition.adapter.is_file():
        raise DefinitionMistake(
            f"{definition.adapter} is missing; an environment needs its adapter"
        )
    return definition


def _with_derived(table: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return the table of a file as `EnvironmentDefinition` has it, with what follows from it."""
    home = {"environment": str(table.get("name", ""))}
    algorithms = [
        {
            "class_name": entry.pop("class", _class_name(str(entry.get("name", "")))),
            **entry,
            **home,
            "parameters": [
                {"kind": _kind(parameter), **parameter, "name": name}
                for name, parameter in entry.get("parameters", {}).items()
            ],
        }
        for entry in table.get("algorithms", ())
    ]
    generators = [{**entry, **home} for entry in table.get("generators", ())]
    return {**table, "folder": folder, "algorithms": algorithms, "generators": generators}


def _class_name(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("-"))


def _kind(parameter: dict[str, Any]) -> object:
    """Return the type of a parameter: that of its default, or of which the file has the name."""
    default, name = parameter.get("default"), parameter.pop("type", "")
    return _TYPES.get(name, name) if default is None else type(default)


def _built(table: dict[str, Any]) -> EnvironmentDefinition:
    """Return the definition of a table that has no mistakes."""
    algorithms = []
    for entry in table.pop("algorithms"):
        parameters = tuple(
            ParameterDefinition(**{**each, "choices": tuple(each.get("choices", ()))})
            for each in entry.pop("parameters")
        )
        data = tuple(entry.pop("data"))
        algorithms.append(AlgorithmDefinition(**entry, data=data, parameters=parameters))
    generators = tuple(GeneratorDefinition(**entry) for entry in table.pop("generators"))
    lists: dict[str, Any] = {key: tuple(table.pop(key, ())) for key in ("pins", "programs")}
    return EnvironmentDefinition(
        **table, **lists, algorithms=tuple(algorithms), generators=generators
    )


def _checked(table: dict[str, Any]) -> EnvironmentDefinition:
    """Return the definition of a table, or raise with all of its mistakes."""
    # Takes a while, and is only for the files of others.
    from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415

    try:
        return TypeAdapter(EnvironmentDefinition).validate_python(table)
    except ValidationError as error:
        raise ValueError("; ".join(dict.fromkeys(map(_mistake, error.errors())))) from None


def _mistake(details: Mapping[str, Any]) -> str:
    """Return what one entry of pydantic's list of mistakes says."""
    *above, key = [str(part) for part in details["loc"]] or [""]
    where = "".join(f"{part}." for part in above)
    match details["type"]:
        case "missing":
            return f"{where}{key}: the key {key!r} is missing"
        case "unexpected_keyword_argument":
            return f"{where}{key}: there is no key {key!r}"
        case "value_error":
            text = str(details["msg"]).removeprefix("Value error, ")
            return f"{where}{key}.{text}" if key else text
    expected = str(details["msg"]).removeprefix("Input should be ")
    return f"{where}{key}: expected {expected}, got {details['input']!r}"


# All environments that are known here: ours, and those that other packages announce.

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
    known = {name: read_definition(folder, check=False) for name, folder in named.items()}
    mistakes: dict[str, str] = {}
    for point in entry_points(group=GROUP):
        try:
            announced = read_definition(_announced_folder(point))
            _check_new(announced, known)
            known[announced.name] = announced
        except DefinitionMistake as mistake:
            mistakes[point.name] = str(mistake)
    return _Read(MappingProxyType(known), MappingProxyType(mistakes))


def _check_new(new: EnvironmentDefinition, known: Mapping[str, EnvironmentDefinition]) -> None:
    """Raise if a name of an announced environment is taken."""
    if new.name in known:
        raise DefinitionMistake(
            f"the environment {new.name!r} is there twice: {known[new.name].folder} and "
            f"{new.folder}; rename one"
        )
    for kind in ("algorithm", "generator"):
        taken = {name: home.name for home in known.values() for name in _names(home, kind)}
        for name in _names(new, kind):
            if name in taken:
                raise DefinitionMistake(
                    f"the {kind} {name!r} is in two environments: "
                    f"{taken[name]} and {new.name}; rename one"
                )


def _names(home: EnvironmentDefinition, kind: str) -> list[str]:
    parts = home.algorithms if kind == "algorithm" else home.generators
    return [part.name for part in parts]


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
            for home in environments().values()
            if not _has_module(home.extra)
            for algorithm in home.algorithms
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
        {
            generator.name: generator
            for home in environments().values()
            for generator in home.generators
        }
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
