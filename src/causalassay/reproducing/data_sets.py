"""Real data that papers need: others' are found on this machine, our own are in the package."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import pandas as pd

from causalassay.data import sachs
from causalassay.data.known_files import KnownFile, locate
from causalassay.factorial import FactorialExperiment, read_experiment, read_jdk
from causalassay.graphs import write_graph

JDK = KnownFile(
    "jdk",
    "jdk-results.csv",
    "9556515d2f4c0911a6bda06bf32ef6f1aee5f366d3248e9e5b4cb3496ebc67a4",
)

System = Literal["jdk", "postgres", "http"]
"""A real system that was experimented on: JDK by the paper's authors, the others by us."""

_OUR_EXPERIMENTS = "papers/garant2016/experiments"


def check_system(system: System) -> None:
    """Raise FileNotFoundError unless its experiment is on this machine; ours always are."""
    if system == "jdk":
        locate(JDK)


def experiment_on(system: System) -> FactorialExperiment:
    """Return the experiment on a system.

    Examples
    --------
    >>> experiment_on("http").provenance["system"]
    'web servers on loopback'
    """
    return read_jdk(locate(JDK)) if system == "jdk" else _our_experiment(system)


def _our_experiment(name: str) -> FactorialExperiment:
    packed = resources.files("causalassay").joinpath(_OUR_EXPERIMENTS)
    with TemporaryDirectory() as folder:
        description = Path(folder) / f"{name}.toml"
        description.write_bytes(packed.joinpath(f"{name}.toml").read_bytes())
        rows = gzip.decompress(packed.joinpath(f"{name}.csv.gz").read_bytes())
        description.with_suffix(".csv").write_bytes(rows)
        return read_experiment(description)


def put_sachs(folder: Path) -> None:
    """Write the observational rows and the usual graph of Sachs et al. 2005 to a folder."""
    problem = sachs()
    data = problem.data
    folder.mkdir(parents=True, exist_ok=True)
    rows = pd.DataFrame(data.observational_values, columns=list(data.columns))
    rows.to_csv(folder / "sachs-observational.csv", index=False)
    write_graph(folder / "sachs-graph.csv", problem.graph, data.columns)


DATA_SETS: dict[str, Callable[[Path], None]] = {"sachs": put_sachs}
"""From the name that a study's `data` states to what puts its files into a folder."""
