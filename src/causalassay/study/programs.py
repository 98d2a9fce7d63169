"""The programs that a study would run, and what stands for them."""

from __future__ import annotations

import hashlib
import json
import shlex
import shutil
from collections.abc import Iterable
from dataclasses import dataclass

from causalassay.discovery.command import Command
from causalassay.study.plan import AlgorithmEntry


@dataclass(frozen=True)
class Program:
    """A program that a study names.

    Parameters
    ----------
    line : str
        All of its words, with full paths, printable on one line.
    digest : str
        SHA-256 of the line and of the content of the files that it names.
    """

    line: str
    digest: str


def programs_of(algorithms: Iterable[AlgorithmEntry]) -> list[Program]:
    r"""Return the programs that some algorithms of a study run, each once.

    Examples
    --------
    >>> command = Command(("no-such-program", "-c", "two\nlines"))
    >>> (program,) = programs_of([AlgorithmEntry("mine", "command", command)])
    >>> print(program.line)
    no-such-program -c 'two\nlines'
    """
    commands = [entry.algorithm for entry in algorithms if isinstance(entry.algorithm, Command)]
    return list(dict.fromkeys(_program(command) for command in commands))


def _program(command: Command) -> Program:
    first, *others = command.full_words()
    words = [shutil.which(first) or first, *others]
    named = json.dumps([words, command.files])
    line = _printable(shlex.join(words))
    return Program(line, hashlib.sha256(named.encode()).hexdigest())


def _printable(text: str) -> str:
    """Return the text with every letter that could steer a terminal spelt out."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )
