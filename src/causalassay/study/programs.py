"""Whose code a study runs: programs, environments, and algorithms as bytes for workers."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import shlex
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, replace
from multiprocessing import spawn
from pathlib import Path
from typing import Any

from causalassay.contracts import Algorithm
from causalassay.discovery.command import Command
from causalassay.discovery.environment_algorithms import EnvironmentAlgorithm
from causalassay.discovery.python_files import PythonFile
from causalassay.environments.catalogue import EnvironmentDefinition
from causalassay.environments.installing import state
from causalassay.risk.fits import Refitted
from causalassay.study.own_parts import OwnGraphs, OwnModel, OwnPart
from causalassay.study.plan import AlgorithmEntry, PickledAlgorithm, Study
from causalassay.study.problem_specs import Generated


@dataclass(frozen=True)
class Program:
    """A program that a study names, or a Python file.

    Parameters
    ----------
    line : str
        All of its words, with full paths, printable on one line; of a Python file its path, the
        class or function, and the files of its folder that it imports.
    digest : str
        SHA-256 of the line and of the content of the files that it names.
    """

    line: str
    digest: str


def programs_of(
    algorithms: Iterable[AlgorithmEntry], parts: Iterable[OwnPart] = ()
) -> list[Program]:
    r"""Return the programs and Python files that some parts of a study run, each once.

    Parameters
    ----------
    algorithms : iterable of AlgorithmEntry
    parts : iterable of OwnPart
        From `own_parts_of`.

    Examples
    --------
    >>> command = Command(("no-such-program", "-c", "two\nlines"))
    >>> (program,) = programs_of([AlgorithmEntry("mine", "command", command)])
    >>> print(program.line)
    no-such-program -c 'two\nlines'
    """
    named = [entry.algorithm for entry in algorithms]
    running = [algorithm for algorithm in named if isinstance(algorithm, Command | PythonFile)]
    return list(dict.fromkeys(_program(use) for use in (*running, *parts)))


def own_parts_of(study: Study, problems: Iterable[int] | None = None) -> list[OwnPart]:
    """Return the metrics, diagnostics, models and graph families in Python files.

    Parameters
    ----------
    study : Study
    problems : iterable of int, optional
        Whose models and graph families, by index; by default those of all.
    """
    indices = range(len(study.problems)) if problems is None else problems
    specs = [study.problems[index].spec for index in indices]
    sources = [part for spec in specs if isinstance(spec, Generated) for part in spec.sources]
    return [
        *(entry.own.part for entry in study.metrics if entry.own is not None),
        *(diagnostic.part for diagnostic in study.own_diagnostics),
        *(source.part for source in sources if isinstance(source, OwnGraphs | OwnModel)),
    ]


def imports_elsewhere(study: Study) -> dict[str, dict[str, str]]:
    """Return what the Python files of a study import that no key knows, by file.

    Neither in the folder of the file nor installed: each name with its place, empty if it was
    not found.
    """
    files: list[PythonFile | OwnPart] = [
        entry.algorithm for entry in study.algorithms if isinstance(entry.algorithm, PythonFile)
    ]
    files += own_parts_of(study)
    named = {one.use.rpartition(":")[0]: one.code for one in files}
    return {file: dict(code.elsewhere) for file, code in named.items() if code.elsewhere}


def _program(algorithm: Command | PythonFile | OwnPart) -> Program:
    if isinstance(algorithm, PythonFile | OwnPart):
        line = f"{algorithm.code.path}:{algorithm.use.rpartition(':')[2]}"
        if not algorithm.imports:
            return _shown(line, [line, algorithm.sha256])
        folder = Path(algorithm.code.path).parent
        beside = [os.path.relpath(module.path, folder) for module in algorithm.code.modules]
        whole = f"{line} with {', '.join(beside)}"
        return _shown(whole, [line, algorithm.sha256, algorithm.imports])
    first, *others = algorithm.full_words()
    words = [shutil.which(first) or first, *others]
    named = [words, algorithm.files, *([algorithm.imports] if algorithm.imports else [])]
    return _shown(shlex.join(words), named)


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
    ours, many = is_ours(algorithm), entry.computes_many
    pickled = PickledAlgorithm(payload, entry.key, ours, home, many)
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
