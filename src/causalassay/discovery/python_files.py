"""Classes in Python files as algorithms: read as text first, run only where they discover."""

from __future__ import annotations

import traceback
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from numpy.random import Generator

from causalassay.common.code_files import CodeFile, code_file, is_installed
from causalassay.common.definitions import ALGORITHM, Definition, find_definition
from causalassay.contracts import Algorithm, Estimate
from causalassay.data.dataset import Dataset
from causalassay.processes.stages import loading

_NO_CODE = CodeFile("", "", b"")

_unused: dict[int, tuple[weakref.ref[PythonFile], Algorithm]] = {}
"""Objects that were made and have not run, by the id of whose class they are, and that itself."""

# A class in a Python file as an algorithm, without a package around it.


@dataclass(frozen=True)
class PythonFile:
    """Run a class of a Python file; the file is run where its algorithm is, and nowhere else.

    The text of the file, and of what it imports from its own folder, travels with the algorithm,
    so what runs is what was read, on any machine.

    Parameters
    ----------
    use : str
        ``my_algorithm.py:MyClass``, as it was asked for.
    sha256 : str
        The SHA-256 hash of the file.
    parameters : tuple of (name, value)
        What the class is made with.
    imports : tuple of (name, SHA-256)
        The modules that the file imports from its own folder, directly or through others.
    code : CodeFile
        What is run.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> text = '''
    ... import numpy as np
    ... from causalassay.contracts import Estimate
    ... class Chain:
    ...     def discover(self, data, rng):
    ...         return Estimate(np.eye(data.n_nodes, k=1, dtype=bool), "dag")
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "mine.py").write_text(text)
    ...     algorithm = from_file("mine.py:Chain", Path(folder), {})
    >>> data = Dataset.from_values([[0.0, 1.0], [1.0, 3.0]])
    >>> algorithm.discover(data, np.random.default_rng(0)).graph.astype(int)
    array([[0, 1],
           [0, 0]])
    """

    use: str
    sha256: str
    parameters: tuple[tuple[str, Any], ...] = ()
    imports: tuple[tuple[str, str], ...] = ()
    code: CodeFile = field(default=_NO_CODE, compare=False, repr=False)
    version: ClassVar[int] = 1

    @property
    def rows(self) -> Any:
        """Which rows the class is for."""
        return getattr(self.load(), "rows", "independent")

    def load(self) -> type[Any]:
        """Return the class; the file is run if it has not been in this process."""
        name = self.use.rpartition(":")[2]
        kind = getattr(self.code.module(), name, None)
        if not isinstance(kind, type):
            raise TypeError(f"{self.use}: {name!r} is not a class after the file has run")
        if not callable(getattr(kind, "discover", None)):
            raise TypeError(f"{self.use}: the class has no method `discover(self, data, rng)`")
        return kind

    def made(self) -> Algorithm:
        """Return a new object of the class."""
        made: Algorithm = self.load()(**dict(self.parameters))
        return made

    def make_first(self) -> None:
        """Make an object for the next run, so that a class that cannot be made is told now."""
        _unused[id(self)] = weakref.ref(self), self.made()

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Run an object of the class that knows nothing of earlier data."""
        owner, made = _unused.pop(id(self), (None, None))
        if made is None or owner is None or owner() is not self:
            with loading():
                made = self.made()
        return made.discover(data, rng)


def from_file(use: str, folder: Path, parameters: Mapping[str, Any]) -> PythonFile:
    """Return the algorithm that a class of a Python file is.

    Parameters
    ----------
    use : str
        ``my_algorithm.py:MyClass``.
    folder : Path
        What the path is relative to.
    parameters : mapping
        What the class is made with.

    Raises
    ------
    OSError, ValueError
        If there is no such class: see `find_definition`.
    TypeError
        If the class does not take these parameters.
    """
    text = find_definition(use, folder, ALGORITHM)
    text.check_parameters(list(parameters))
    return made_of(text, parameters)


def made_of(found: Definition, parameters: Mapping[str, Any]) -> PythonFile:
    """Return the algorithm that a class with these parameters is.

    Raises
    ------
    OSError, ValueError
        If what the file imports from its folder cannot be read.
    """
    code = code_file(found.path, found.source)
    stated = tuple(sorted(parameters.items()))
    return PythonFile(found.use, code.sha256, stated, code.digests, code)


# Where in a user's own code an error was raised.


def place_of_mistake(error: BaseException) -> str:
    """Return the file and line of the user's code at which an error was raised, else nothing.

    What is installed is nobody's own: of a call into a library the line that calls it counts.

    Examples
    --------
    >>> place_of_mistake(KeyError("never raised"))
    ''
    """
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if not is_installed(frame.filename):
            return f"{Path(frame.filename).name}, line {frame.lineno}"
    return ""
