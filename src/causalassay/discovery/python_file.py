"""A class in a Python file as an algorithm, without a package around it."""

from __future__ import annotations

import hashlib
import sys
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

from numpy.random import Generator

from causalassay.contracts import Estimate
from causalassay.data.dataset import Dataset
from causalassay.discovery.python_classes import ClassText, find_class


@dataclass(frozen=True)
class PythonFile:
    """Run a class of a Python file; the file is run where its algorithm is, and nowhere else.

    The text of the file travels with the algorithm, so what runs is what was read, on any
    machine. What it imports from its own folder is found there, and is no part of the key.

    Parameters
    ----------
    use : str
        ``my_algorithm.py:MyClass``, as it was asked for.
    sha256 : str
        Of the file.
    parameters : tuple of (name, value)
        What the class is made with.

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
    path: str = field(default="", compare=False, repr=False)
    """Of the file on the machine where it was read."""
    text: bytes = field(default=b"", compare=False, repr=False)
    """The packed file. As it is, "__main__" in it would be taken for the driver's script."""
    version: ClassVar[int] = 1

    @property
    def rows(self) -> Any:
        """Which rows the class is for."""
        return getattr(self.load(), "rows", "independent")

    def load(self) -> type[Any]:
        """Return the class; the file is run if it has not been in this process."""
        name = self.use.rpartition(":")[2]
        kind = getattr(self._module(), name, None)
        if not isinstance(kind, type):
            raise TypeError(f"{self.use}: {name!r} is not a class after the file has run")
        if not callable(getattr(kind, "discover", None)):
            raise TypeError(f"{self.use}: the class has no method `discover(self, data, rng)`")
        return kind

    def discover(self, data: Dataset, rng: Generator) -> Estimate:
        """Run the class on the data."""
        estimate: Estimate = self.load()(**dict(self.parameters)).discover(data, rng)
        return estimate

    def _module(self) -> ModuleType:
        name = f"causalassay_file_{self.sha256}"
        if name in sys.modules:
            return sys.modules[name]
        module = ModuleType(name)
        module.__file__ = self.path
        folder = str(Path(self.path).parent)
        if folder not in sys.path:
            sys.path.append(folder)  # last: a file there must not hide an installed module
        sys.modules[name] = module  # dataclasses look for their module there
        try:
            exec(compile(zlib.decompress(self.text), self.path, "exec"), module.__dict__)
        except BaseException:
            del sys.modules[name]
            raise
        return module


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
        If there is no such class: see `find_class`.
    TypeError
        If the class does not take these parameters.
    """
    found = find_class(use, folder)
    found.check_parameters(list(parameters))
    return made_of(found, parameters)


def made_of(found: ClassText, parameters: Mapping[str, Any]) -> PythonFile:
    """Return the algorithm that a class with these parameters is."""
    return PythonFile(
        found.use,
        hashlib.sha256(found.source).hexdigest(),
        tuple(sorted(parameters.items())),
        found.path,
        zlib.compress(found.source),
    )
