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


STUDY_FILE = """\
# A study: which algorithms meet which problems, how often, and how they are scored.
#
#   causalassay run $name.toml --dry-run    says what would be done
#   causalassay run $name.toml              does it; run it again to go on after an interruption
#
# A line that begins with # and no blank is switched off: take the # away to try it
# (a block of such lines belongs together). All keys: docs/studies.md.

name = "$name"           # of the results, too: letters, digits, - and _
seed = 1                 # the same seed gives the same rows, on any number of workers
replicates = 3           # data sets drawn of each problem

# What is computed of each estimated graph: `causalassay list metrics`. A metric may be a table
# that says how undirected edges are scored: "as-is", "mean" over the class, or "favourable".
metrics = ["shd", "f1", "sid", "mec_shd"]

#diagnostics = ["var_sortability", "r2_sortability"]   # of each data set; left out: the usual ones

# Four baselines that need no idea stand beside the algorithms: empty, random order,
# variance order and R2 order. To leave them out:

#baselines = false

[limits]                 # of each task; what exceeds them is a row that says so
seconds = 60             # left out: 600; inf: no limit

#memory = "2 GB"         # left out: a share of this machine's memory

# ---- Problems. Each [[problems]] is a graph family with a model, or a data file.

[[problems]]             # the same random graphs under four schemes: who needs the artefacts?
samples = 1000           # observational rows

#name = "er2"            # left out: made of the family, its size and the model

#transform = ["standardize"]   # or "rescale", "shuffle-labels": done to the data once drawn

[problems.graph]
kind = "erdos-renyi"     # or scale-free, chain, forest, complete, bipartite
n_nodes = 10
edges_per_node = 2

[problems.model]         # kind is in the grid below; other keys are the model's parameters
noise = "gaussian"       # or exponential, gumbel, uniform, laplace, lognormal, student-t

# Only lists under `grid` vary, each with each. A list anywhere else is a value, such as a range.
[problems.grid]
model.kind = ["scm", "standardized", "iscm", "uumc"]

#graph.n_nodes = [10, 20]

# Values that go together stand in tables:

#together = [{samples = 100}, {samples = 1000, model = {noise = "laplace"}}]

# Interventions, each in a regime of its own beside the observational rows. Instead of
# `probability` one may list `targets = [0, 3]` or `targets = [[0], [1, 2]]`.

#[problems.interventions]
#action = "do"            # or "shift", "randomize"
#samples = 100            # rows of each regime
#probability = 0.5        # of each node to be intervened upon
#value = 2.0

# Draw again until a diagnostic falls into a bin; what is never accepted is skipped and told.

#[problems.accept]
#diagnostic = "r2_sortability"
#bin = [0.4, 0.6]
#most_draws = 100

# Settings drawn at random: each key uniformly from a list or a range.

#[[problems]]
#name = "random"
#settings = 5
#[problems.graph]
#kind = "erdos-renyi"
#edges_per_node = 1.5
#[problems.model]
#kind = "snr"
#[problems.random]
#graph.n_nodes = [5, 10, 20]
#samples = {low = 100, high = 1000, integer = true, log = true}
#model.snr = {low = 1, high = 5}

# A data file (CSV, TSV or Parquet) with its true graph (CSV); paths are relative to this file.

#[[problems]]
#name = "mine"
#[problems.data]
#file = "data.csv"
#graph = "graph.csv"
#bootstrap = true         # rows drawn anew for each replicate; or how many

# ---- Algorithms: `causalassay list algorithms`. Short: algorithms = ["pc", "ges"], at the top.

[[algorithms]]
use = "pc"

#name = "PC at 5 %"
#alpha = 0.05             # hyper-parameters by their names
#seconds = 10             # limits of its own

[[algorithms]]
use = "ges"

[[algorithms]]           # one entry for each value
use = "notears"
[algorithms.grid]
lambda1 = [0.0, 0.1]

# Hyper-parameters chosen for each problem on held-out systems of the same kind:

#[[algorithms]]
#use = "notears"
#name = "notears tuned"
#[algorithms.tune]
#criterion = "f1"         # a metric
#statistic = "median"     # over the systems; or "mean"
#systems = 5
#[algorithms.tune.grid]
#lambda1 = [0.0, 0.1, 0.2]
#threshold = [0.1, 0.3]
"""


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


def new_study(name: str, folder: Path) -> Path:
    """Write a study file that explains itself, and return its path.

    Parameters
    ----------
    name : str
        Letters, digits, hyphens and underscores; the file is called ``NAME.toml``.
    folder : Path
        Where it is written; a file that is there stays as it is.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     new_study("first-look", Path(folder)).name
    'first-look.toml'
    """
    if not re.fullmatch(r"[A-Za-z0-9_-]+", name):
        raise ValueError(f"name: expected letters, digits, - and _, like first-look; got {name!r}")
    file = folder / f"{name}.toml"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(Template(STUDY_FILE).substitute(name=name))
    except FileExistsError:
        raise FileExistsError(f"{file} exists already; choose another name or folder") from None
    return file
