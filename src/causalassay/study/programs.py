"""Whose code a study runs: programs, environments, and algorithms as bytes for workers."""

from __future__ import annotations

import hashlib
import json
import pickle
import shlex
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, replace
from multiprocessing import spawn
from typing import Any

from causalassay.contracts import Algorithm
from causalassay.discovery.command import Command
from causalassay.discovery.environment_algorithms import EnvironmentAlgorithm
from causalassay.discovery.python_files import PythonFile
from causalassay.environments.catalogue import EnvironmentDefinition
from causalassay.environments.installing import state
from causalassay.risk.fits import Refitted
from causalassay.study.plan import AlgorithmEntry, PickledAlgorithm, Study


@dataclass(frozen=True)
class Program:
    """A program that a study names, or a Python file.

    Parameters
    ----------
    line : str
        All of its words, with full paths, printable on one line; of a Python file its path and
        the class.
    digest : str
        SHA-256 of the line and of the content of the files that it names.
    """

    line: str
    digest: str


def programs_of(algorithms: Iterable[AlgorithmEntry]) -> list[Program]:
    r"""Return the programs and Python files that some algorithms of a study run, each once.

    Examples
    --------
    >>> command = Command(("no-such-program", "-c", "two\nlines"))
    >>> (program,) = programs_of([AlgorithmEntry("mine", "command", command)])
    >>> print(program.line)
    no-such-program -c 'two\nlines'
    """
    named = [entry.algorithm for entry in algorithms]
    running = [algorithm for algorithm in named if isinstance(algorithm, Command | PythonFile)]
    return list(dict.fromkeys(_program(algorithm) for algorithm in running))


def _program(algorithm: Command | PythonFile) -> Program:
    if isinstance(algorithm, PythonFile):
        line = f"{algorithm.path}:{algorithm.use.rpartition(':')[2]}"
        return _shown(line, [line, algorithm.sha256])
    first, *others = algorithm.full_words()
    words = [shutil.which(first) or first, *others]
    return _shown(shlex.join(words), [words, algorithm.files])


def _shown(line: str, named: object) -> Program:
    return Program(_printable(line), hashlib.sha256(json.dumps(named).encode()).hexdigest())


def _printable(text: str) -> str:
    """Return the text with every letter that could steer a terminal spelt out."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


# The environments that a study needs, and which of them are not installed here.


def needed_environments(algorithms: Iterable[AlgorithmEntry]) -> list[EnvironmentDefinition]:
    """Return the environments that algorithms run in, each once.

    Examples
    --------
    >>> from causalassay.discovery import make_algorithm
    >>> named = [AlgorithmEntry(name, name, make_algorithm(name)) for name in ("pc", "lingam-ica")]
    >>> [home.name for home in needed_environments(named)]
    ['lingam']
    """
    named = [entry.algorithm for entry in algorithms]
    homes = [each.home() for each in named if isinstance(each, EnvironmentAlgorithm)]
    return list({home.name: home for home in homes}.values())


def absent_environments(algorithms: Iterable[AlgorithmEntry]) -> list[EnvironmentDefinition]:
    """Return the environments, each once, whose algorithms would be skipped here.

    Examples
    --------
    >>> from causalassay.discovery import make_algorithm
    >>> absent_environments([AlgorithmEntry("pc", "pc", make_algorithm("pc"))])
    []
    """
    return [home for home in needed_environments(algorithms) if state(home).reason]


# A study as workers get it: they hold the truth, so no code of an algorithm is read there.

_OURS = "causalassay.discovery."
_STRANGERS = (
    "causalassay.discovery.causal_learn",
    "causalassay.discovery.command",
    "causalassay.discovery.environment_algorithms",
    "causalassay.discovery.python_files",
)
"""Modules of ours that run other people's code."""


def for_workers(study: Study) -> Study:
    """Return the study with its algorithms as bytes."""
    return replace(study, algorithms=tuple(_pickled(entry) for entry in study.algorithms))


def main_module() -> dict[str, Any]:
    """Return how another process imports the script that this one runs, if it runs one."""
    whole = spawn.get_preparation_data("causalassay")
    needed = ("sys_path", "dir", "orig_dir", "init_main_from_name", "init_main_from_path")
    return {name: whole[name] for name in needed if name in whole}


def _pickled(entry: AlgorithmEntry) -> AlgorithmEntry:
    if isinstance(entry.algorithm, PickledAlgorithm):
        return entry
    payload = pickle.dumps(entry.algorithm, protocol=5)
    algorithm = entry.algorithm
    home = algorithm.definition.environment if isinstance(algorithm, EnvironmentAlgorithm) else ""
    pickled = PickledAlgorithm(payload, entry.key, is_ours(algorithm), home)
    return replace(entry, algorithm=pickled)


def is_ours(algorithm: Algorithm | PickledAlgorithm) -> bool:
    """Return whether an algorithm runs no code but causalassay's.

    Examples
    --------
    >>> from causalassay.discovery import make_algorithm
    >>> is_ours(make_algorithm("pc")), is_ours(make_algorithm("command", program="true"))
    (True, False)
    """
    if isinstance(algorithm, PickledAlgorithm):
        return algorithm.ours
    if isinstance(algorithm, Refitted):
        return is_ours(algorithm.algorithm)
    module = type(algorithm).__module__
    return module.startswith(_OURS) and module not in _STRANGERS
