"""Data as entries: real data sets with their graphs, and networks that users name."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from causalassay.data import Dataset, Problem, chamber, sachs
from causalassay.data.known_files import CHAMBER, CHAMBER_GRAPH, SACHS, KnownFile
from causalassay.hall.entry import Draw, Entry, Settings, SourceAbsent, SourceFailed
from causalassay.models import read_bif
from causalassay.study.keys import file_sha256
from causalassay.study.problem_specs import Network
from causalassay.study.worker.problem_making import NoProblem, make


@dataclass(frozen=True)
class RealData:
    """A data set whose files are on this machine, or not.

    Parameters
    ----------
    read : callable
        Takes the folder of the files, or None: then it looks where it always does.
    files : tuple of KnownFile
    folder : Path, optional
    """

    read: Callable[[Path | None], Problem]
    files: tuple[KnownFile, ...]
    folder: Path | None

    @property
    def identity(self) -> Mapping[str, Any]:
        """The checksums of its files, which never change."""
        return {file.name: file.sha256 for file in self.files}

    @property
    def version(self) -> str:
        """None: the checksums say what it is."""
        return ""

    def draw(self, _settings: Settings, _number: int) -> Draw:
        """Return the observational rows and the graph."""
        try:
            problem = self.read(self.folder)
        except FileNotFoundError as reason:
            names = " and ".join(file.name for file in self.files)
            raise SourceAbsent(f"{names} not found: name the folder with --data FOLDER") from reason
        data = problem.data
        return Dataset.from_values(data.observational_values, data.columns), problem.graph


@dataclass(frozen=True)
class BayesianNetwork:
    """A discrete network in a BIF file: its graph is one, its samples are drawn.

    Parameters
    ----------
    file : Path
    sha256 : str
    """

    file: Path
    sha256: str

    @property
    def identity(self) -> Mapping[str, Any]:
        """The checksum of the file."""
        return {"sha256": self.sha256}

    @property
    def version(self) -> str:
        """None: the checksum says what it is."""
        return ""

    def draw(self, settings: Settings, number: int) -> Draw:
        """Return samples of the network and its graph."""
        spec = Network(self.sha256, self.file, settings.samples)
        try:
            problem = make(settings.seed, spec, "main", number).problem
        except NoProblem as reason:
            raise SourceFailed(str(reason)) from reason
        return problem.data, problem.graph


def real_data(folder: Path | None) -> Iterator[Entry]:
    """Yield the data sets that are known by their checksums.

    Examples
    --------
    >>> [entry.name for entry in real_data(None)]
    ['sachs', 'chamber']
    """
    yield Entry(
        "sachs",
        "data set",
        "",
        "continuous",
        "853 single-cell measurements of 11 proteins, with the usual 17-edge graph.",
        'ca.data.sachs("FOLDER")',
        RealData(sachs, (SACHS,), folder),
        "The observational condition alone.",
        "Sachs, Perez, Pe'er, Lauffenburger, Nolan (2005), doi:10.1126/science.1105809",
        "--data FOLDER",
    )
    yield Entry(
        "chamber",
        "data set",
        "",
        "continuous",
        "10 000 measurements of a light tunnel, a machine whose causes are known.",
        'ca.data.chamber("FOLDER")',
        RealData(chamber, (CHAMBER, CHAMBER_GRAPH), folder),
        "The reference condition alone.",
        "Gamella, Peters, Bühlmann (2025), arXiv:2404.11341",
        "--data FOLDER",
    )


def networks(files: Sequence[Path]) -> Iterator[Entry]:
    """Yield an entry for each BIF file; its name is the file's without the ending.

    Raises
    ------
    ValueError
        If a file is no network.
    """
    for file in files:
        model = read_bif(file)
        yield Entry(
            re.sub(r"[^\w.-]+", "-", file.stem),
            "network",
            "",
            "discrete",
            f"A discrete network of {len(model.names)} nodes.",
            f'ca.models.read_bif("{file.name}").sample(n, rng)',
            BayesianNetwork(file, file_sha256(file)),
            "All draws have the network's own graph, so that they are one unit.",
            "",
            f"--bif {shlex.quote(file.name)}",
        )
