"""What an environment is, as its file says: pins, licence, size, algorithms, generators."""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FILE, ADAPTER = "environment.toml", "adapter.py"

_WORLDS = ("continuous", "discrete", "series")
_OUTPUTS = ("dag", "cpdag", "pdag", "summary")
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
    default : value of that type, or None
        None stands for the package's own choice.
    what : str
        What it does, in a sentence.
    choices : tuple of str
        The values that text may have; empty if any.
    brief : value of that type, or None
        With which a check ends soon; None if the default does.
    """

    name: str
    kind: type
    default: Any
    what: str
    choices: tuple[str, ...] = ()
    brief: Any = None


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

    name: str
    class_name: str
    environment: str
    what: str
    assumptions: str
    reference: str
    data: tuple[str, ...]
    output: str
    scale_sensitive: bool
    parameters: tuple[ParameterDefinition, ...] = ()
    seedable: bool = True
    version: int = 1


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

    name: str
    environment: str
    what: str
    call: str
    reference: str
    world: str
    note: str = ""
    seedable: bool = True
    version: int = 1


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

    name: str
    folder: Path
    pins: tuple[str, ...]
    programs: tuple[str, ...]
    licence: str
    download_mb: int
    disk_mb: int
    algorithms: tuple[AlgorithmDefinition, ...] = field(repr=False)
    generators: tuple[GeneratorDefinition, ...] = field(repr=False, default=())
    python_below: str = ""
    extra: str = ""

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


def fingerprint(pins: tuple[str, ...]) -> str:
    """Return digits that change with some pins and with the version of Python.

    Examples
    --------
    >>> fingerprint(("a==1",)) == fingerprint(("a==2",))
    False
    """
    text = json.dumps([pins, sys.version_info[:2]])
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def read_definition(folder: Path) -> EnvironmentDefinition:
    """Return the environment of a folder.

    Raises
    ------
    DefinitionMistake
        If its file is none, or its adapter is absent.
    """
    path = folder / FILE
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        found = _environment(folder, table)
    except OSError as reason:
        raise DefinitionMistake(f"{path} cannot be read: {reason.strerror}") from reason
    except KeyError as missing:
        raise DefinitionMistake(f"{path}: the key {missing} is missing") from missing
    except (TypeError, ValueError, AttributeError) as reason:
        raise DefinitionMistake(f"{path}: {reason}") from reason
    if not found.adapter.is_file():
        raise DefinitionMistake(f"{found.adapter} is missing; an environment needs its adapter")
    return found


def _environment(folder: Path, table: Mapping[str, Any]) -> EnvironmentDefinition:
    name = _checked_name(table["name"])
    made = EnvironmentDefinition(
        name,
        folder,
        tuple(table["pins"]),
        tuple(table.get("programs", ())),
        str(table["licence"]),
        int(table["download_mb"]),
        int(table["disk_mb"]),
        tuple(_algorithm(name, one) for one in table.get("algorithms", ())),
        tuple(_generator(name, one) for one in table.get("generators", ())),
        table.get("python_below", ""),
        table.get("extra", ""),
    )
    if not (made.algorithms or made.generators):
        raise ValueError("expected [[algorithms]] or [[generators]], got neither")
    for parts in (made.algorithms, made.generators):
        counts = Counter(part.name for part in parts)
        if twice := [one for one, count in counts.items() if count > 1]:
            raise ValueError(f"name: {twice[0]!r} is there twice")
    return made


def _algorithm(environment: str, table: Mapping[str, Any]) -> AlgorithmDefinition:
    name = _checked_name(table["name"])
    data = tuple(table["data"])
    for world in data:
        _check_one_of(world, _WORLDS, f"{name}: data")
    _check_one_of(table["output"], _OUTPUTS, f"{name}: output")
    return AlgorithmDefinition(
        name,
        table.get("class", "".join(word.capitalize() for word in name.split("-"))),
        environment,
        table["what"],
        table["assumptions"],
        table["reference"],
        data,
        table["output"],
        bool(table["scale_sensitive"]),
        tuple(_parameter(key, one) for key, one in table.get("parameters", {}).items()),
        bool(table.get("seedable", True)),
        int(table.get("version", 1)),
    )


def _generator(environment: str, table: Mapping[str, Any]) -> GeneratorDefinition:
    name = _checked_name(table["name"])
    return GeneratorDefinition(
        name,
        environment,
        table["what"],
        table["call"],
        table["reference"],
        _check_one_of(table["world"], _WORLDS, f"{name}: world"),
        table.get("note", ""),
        bool(table.get("seedable", True)),
        int(table.get("version", 1)),
    )


def _parameter(name: str, table: Mapping[str, Any]) -> ParameterDefinition:
    default = table.get("default")
    if default is None:
        kind = _TYPES[_check_one_of(table["type"], tuple(_TYPES), f"{name}: type")]
    else:
        kind = type(default)
    brief = table.get("brief")
    if brief is not None and type(brief) is not kind:
        raise ValueError(f"{name}: brief: expected {kind.__name__}, got {brief!r}")
    choices = tuple(table.get("choices", ()))
    return ParameterDefinition(name, kind, default, table["what"], choices, brief)


def _checked_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"name: expected small letters, digits and hyphens, got {name!r}")
    return name


def _check_one_of(value: str, known: tuple[str, ...], where: str) -> str:
    if value not in known:
        raise ValueError(f"{where}: expected one of {', '.join(known)}, got {value!r}")
    return value
