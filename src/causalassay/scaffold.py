"""Templates that `causalassay new` writes: a working beginning, to be changed."""

from __future__ import annotations

import re
from pathlib import Path
from string import Template

ALGORITHM_FILES = {
    "pyproject.toml": """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "$name"
version = "0.1.0"
requires-python = ">=3.11"
dependencies = ["causalassay"]

# This line makes the algorithm known: ca.discover("$name", ...).
[project.entry-points."causalassay.algorithms"]
$name = "$module:$title"
""",
    "src/$module/__init__.py": '''\
"""A causal-discovery algorithm for causalassay."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causalassay.contracts import Estimate, NotApplicable


@dataclass(frozen=True)
class $title:
    """Join the pairs of columns whose absolute correlation exceeds a threshold."""

    threshold: float = 0.3
    version: ClassVar[int] = 1  # raise it when the results change
    output: ClassVar[str] = "pdag"
    scale_sensitive: ClassVar[bool] = False
    assumptions: ClassVar[str] = "say here what must hold of the data"
    reference: ClassVar[str] = "say here where it is described"

    def discover(self, data, rng):
        if data.observational is None:
            raise NotApplicable("it needs an observational condition")
        values = data.observational_values
        if (np.ptp(values, axis=0) == 0).any():
            raise NotApplicable("a column is constant; leave it out")
        graph = np.abs(np.atleast_2d(np.corrcoef(values, rowvar=False))) > self.threshold
        np.fill_diagonal(graph, False)
        return Estimate(graph, kind="pdag")
''',
    "tests/test_$module.py": """\
import numpy as np
import pytest

import causalassay as ca
from causalassay.testing import check_algorithm
from $module import $title


@pytest.mark.parametrize("threshold", [0.1, 0.3])
def test_it_keeps_the_contract(threshold):
    check_algorithm($title(threshold))


def test_it_is_found_by_name():
    values = np.random.default_rng(0).normal(size=(100, 3)).cumsum(axis=1)
    found = ca.discover("$name", values, np.random.default_rng(0), threshold=0.2)
    assert found.graph.any()
""",
    "README.md": """\
# $name

A causal-discovery algorithm for causalassay.

    pip install -e .
    pytest
    causalassay list algorithms
""",
}


def new_algorithm(name: str, folder: Path) -> list[Path]:
    """Write a plug-in package for an algorithm and return its files.

    Parameters
    ----------
    name : str
        Small letters, digits and hyphens, beginning with a letter: ``my-algorithm``.
    folder : Path
        Where the package's own folder, called `name`, is made; it must not exist.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = new_algorithm("my-algorithm", Path(folder))
    >>> sorted(file.name for file in files)
    ['README.md', '__init__.py', 'pyproject.toml', 'test_my_algorithm.py']
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise ValueError(
            f"name: expected small letters, digits and single hyphens, like my-algorithm; "
            f"got {name!r}"
        )
    root = folder / name
    if root.exists():
        raise FileExistsError(f"{root} exists already; choose another name or folder")
    words = {
        "name": name,
        "module": name.replace("-", "_"),
        "title": "".join(part.capitalize() for part in name.split("-")),
    }
    written = []
    for path, text in ALGORITHM_FILES.items():
        file = root / Template(path).substitute(words)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(Template(text).substitute(words), encoding="utf-8")
        written.append(file)
    return written
