"""The programs that a study would run, and what stands for them."""

from __future__ import annotations

import hashlib
import json
import shlex
import shutil
from collections.abc import Iterable
from dataclasses import dataclass

from causalassay.discovery.command import Command
from causalassay.discovery.python_files import PythonFile
from causalassay.study.plan import AlgorithmEntry


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
    running = [one for one in named if isinstance(one, Command | PythonFile)]
    return list(dict.fromkeys(_program(one) for one in running))


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
