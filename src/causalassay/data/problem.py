"""A data set together with the truth about it, and two such problems that many papers use.

Their files are no part of the package and are known by their checksums: a name such as "sachs"
in a report always means the same numbers.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

import numpy as np

from causalassay.common.arrays import Adjacency, as_graph
from causalassay.common.files import as_path, replacing
from causalassay.data.dataset import Dataset
from causalassay.data.files import read
from causalassay.graphs import read_graph
from causalassay.graphs.lagged import LaggedGraph
from causalassay.present import Document, Shown

if TYPE_CHECKING:
    from causalassay.models import VAR, Model


@dataclass(frozen=True, eq=False)
class Problem(Shown):
    """Data, the graph that generated them, and the model if it is known.

    Parameters
    ----------
    data : Dataset
        What algorithms see.
    graph : Adjacency, shape (d, d)
        The truth, its nodes in the order of the data's columns. The problem
        holds a read-only copy. Of a series it is the summary of the links,
        in which both entries of a pair mean feedback.
    model : Model, optional
        The model that generated the data, if it is known.
    name : str
        What reports call it.
    lagged : LaggedGraph, optional
        For a series, the lags of the links, if they are known.

    Examples
    --------
    >>> import numpy as np
    >>> data = Dataset.from_values([[0.0, 1.0], [2.0, 4.5]])
    >>> problem = Problem(data, np.array([[False, True], [False, False]]), name="pair")
    >>> problem
    Problem(data=Dataset(2 rows, 2 columns, 1 regime), name='pair')
    """

    data: Dataset
    graph: Adjacency = field(repr=False)
    model: Model | VAR | None = field(default=None, repr=False)
    name: str = ""
    lagged: LaggedGraph | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        graph = as_graph(self.graph).copy()
        if len(graph) != self.data.n_nodes:
            raise ValueError(
                f"graph: the data have {self.data.n_nodes} columns but the graph has "
                f"{len(graph)} nodes; give it one node per column, in the same order"
            )
        graph.setflags(write=False)
        object.__setattr__(self, "graph", graph)
        if self.lagged is not None:
            self._check_lagged(self.lagged)

    @classmethod
    def of_series(
        cls, data: Dataset, lagged: LaggedGraph, model: VAR | None = None, name: str = ""
    ) -> Problem:
        """Return the problem of a series; its graph is the summary of the lagged one.

        Examples
        --------
        >>> import numpy as np
        >>> links = np.zeros((2, 2, 2), dtype=bool)
        >>> links[1, 0, 1] = True
        >>> data = Dataset.from_values([[0.0, 1.0], [2.0, 4.5]], rows="series")
        >>> Problem.of_series(data, LaggedGraph(links)).graph.astype(int)
        array([[0, 1],
               [0, 0]])
        """
        return cls(data, lagged.summary, model, name, lagged)

    def _check_lagged(self, lagged: LaggedGraph) -> None:
        if self.data.world != "series":
            raise ValueError(
                "lagged: the rows of the data are independent, so nothing acts over time; "
                'create the data with rows="series", or leave the lagged graph out'
            )
        if not np.array_equal(lagged.summary, self.graph):
            raise ValueError("lagged: its summary is not the graph; pass `lagged.summary` as graph")

    def document(self) -> Document:
        """Return what the problem shows."""
        from causalassay.data.document import problem_document  # noqa: PLC0415  # for notebooks

        return problem_document(self)


# Files that are known by their checksums: where they are looked for, and that they are right.

ENVIRONMENT = "CAUSALASSAY_DATA"

_SECONDS_TO_ANSWER = 60
_MOST_BYTES = 10_000_000


@dataclass(frozen=True)
class KnownFile:
    """A file that is known by its checksum.

    Parameters
    ----------
    of : str
        The data set that it belongs to; errors begin with it.
    name : str
        What it is called.
    sha256 : str
        The SHA-256 hash of its content.
    served : bool
        Whether the data set's function can download it.
    """

    of: str
    name: str
    sha256: str
    served: bool = False


SACHS = KnownFile(
    "sachs",
    "sachs.csv",
    "f641dc641fe4eb8773e4edde7fb68c6b57238f37bf7e5e1db2e7500d56716c93",
    served=True,
)
CHAMBER = KnownFile(
    "chamber",
    "chamber.csv",
    "a0b78f63f8a67c83a0b037db7c34842a98d67dc179c37d324e7ee80708fbeab9",
)
CHAMBER_GRAPH = KnownFile(
    "chamber",
    "chamber-graph.csv",
    "b98b223687dd5ba0fcb30b39cf617f45433bab0585d8c114cf28dedd3eabf95e",
)


def locate(known: KnownFile, path: str | Path | None = None, download: str | None = None) -> Path:
    """Return the path of the verified file, fetching it if it must.

    Parameters
    ----------
    known : KnownFile
    path : str or Path, optional
        The file or its folder; nothing else is searched then. By default the folder that the
        environment variable CAUSALASSAY_DATA names, then ``$XDG_CACHE_HOME/causalassay``.
    download : str, optional
        Where to fetch it from if it is not found.

    Examples
    --------
    >>> locate(SACHS, "no/such/folder")
    Traceback (most recent call last):
    FileNotFoundError: sachs: there is no file no/such/folder...
    """
    if path is not None and download is not None:
        raise ValueError(
            f"{known.of}: pass either the path of the file or a URL to download, not both"
        )
    if path is not None:
        file = as_path(path)
        file = file / known.name if file.is_dir() else file
        if not file.is_file():
            raise FileNotFoundError(
                f"{known.of}: there is no file {file}; pass the path of {known.name} or its folder"
            )
        return _verified(file, known)
    cached = _cache_folder() / known.name
    folder = os.environ.get(ENVIRONMENT)
    for file in [Path(folder) / known.name, cached] if folder else [cached]:
        if file.is_file():
            return _verified(file, known)
    if download is None:
        by_web = ", or pass a URL that serves it as `download`" if known.served else ""
        raise FileNotFoundError(
            f"{known.of}: {known.name} was not found; pass its path or folder as `path`, or set "
            f"the environment variable {ENVIRONMENT} to its folder (now {folder!r}){by_web}"
        )
    return _fetch(download, cached, known)


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "causalassay"


def _verified(path: Path, known: KnownFile) -> Path:
    """Return the path if its content is the known one, else raise."""
    with path.open("rb") as file:  # in pieces: it may be any file
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != known.sha256:
        again = "download it again" if known.served else f"get {known.name} again"
        raise ValueError(
            f"{known.of}: {path} has sha256 {digest}, expected {known.sha256}; {again}, or use "
            "causalassay.data.read for other versions of the data"
        )
    return path


def _unfetched(known: KnownFile, url: str, reason: str) -> ConnectionError:
    return ConnectionError(
        f"{known.of}: {url} could not be fetched: {reason}; check the URL, or get the file by "
        "other means and pass its path"
    )


def _fetch(url: str, destination: Path, known: KnownFile) -> Path:
    """Download to `destination`, which appears only once its content is verified."""
    if urlsplit(url).scheme not in ("http", "https"):
        raise ValueError(f"{known.of}: download: expected an http or https URL, got {url!r}")
    try:
        with urlopen(url, timeout=_SECONDS_TO_ANSWER) as response:
            content = response.read(_MOST_BYTES)
    except HTTPError as error:
        error.close()  # it holds the connection; Python 3.14 warns of one that is left open
        raise _unfetched(known, url, f"the server answered {error.code} ({error.reason})") from None
    except (OSError, HTTPException) as error:
        raise _unfetched(known, url, str(error) or type(error).__name__) from error
    digest = hashlib.sha256(content).hexdigest()
    if digest != known.sha256:
        raise ValueError(
            f"{known.of}: {url} served {len(content)} bytes with sha256 {digest} that begin with "
            f"{content[:40]!r}, expected sha256 {known.sha256}; nothing was kept, try another URL"
        )
    destination.parent.mkdir(parents=True, exist_ok=True)
    with replacing(destination) as partial:
        partial.write_bytes(content)
    return destination


# The protein-signalling experiments of Sachs et al. 2005.

CONSENSUS = {
    "erk": ("akt",),
    "mek": ("erk",),
    "pip3": ("pip2",),
    "pka": ("akt", "erk", "jnk", "mek", "p38", "raf"),
    "pkc": ("jnk", "mek", "p38", "pka", "raf"),
    "plc": ("pip2", "pip3"),
    "raf": ("mek",),
}
"""The effects of each cause in the usual 17-edge graph."""


def sachs(path: str | Path | None = None, download: str | None = None) -> Problem:
    """Return the 7466 single-cell measurements of Sachs et al. 2005 with the consensus graph.

    There are 11 proteins under 9 conditions, of which "cd3_cd28" (853 rows) is
    observational. "icam2" and "ly" act on nothing that was measured, so their
    targets are unknown; "g0076" and "pma" both act on pkc.

    Parameters
    ----------
    path : str or Path, optional
        The file sachs.csv or its folder. By default it is looked for in the
        folder that the environment variable CAUSALASSAY_DATA names, then among
        earlier downloads.
    download : str, optional
        Where to fetch it from (http or https) if it is not found. It is kept
        in ``$XDG_CACHE_HOME/causalassay``, by default ``~/.cache/causalassay``.

    Raises
    ------
    FileNotFoundError
        If it is nowhere.
    ValueError
        If a file's sha256 is not the one that this package knows: "sachs" in a
        report always means the same numbers.

    References
    ----------
    Sachs, Perez, Pe'er, Lauffenburger, Nolan 2005, doi:10.1126/science.1105809.

    Examples
    --------
    >>> problem = sachs("data/sachs.csv")  # doctest: +SKIP
    >>> problem.data.observational_values.shape, int(problem.graph.sum())  # doctest: +SKIP
    ((853, 11), 17)
    >>> sachs("no/such/folder")
    Traceback (most recent call last):
    FileNotFoundError: sachs: there is no file no/such/folder...
    """
    file = locate(SACHS, path, download)
    data = read(file, target="target", condition="condition", observational="cd3_cd28")
    return Problem(data, _consensus_graph(data), name="sachs")


def _consensus_graph(data: Dataset) -> Adjacency:
    graph = np.zeros((data.n_nodes, data.n_nodes), dtype=bool)
    for cause, effects in CONSENSUS.items():
        for effect in effects:
            graph[data.index(cause), data.index(effect)] = True
    return graph


# The light tunnel of Gamella, Peters and Bühlmann 2025, a machine whose causes are known.


def chamber(path: str | Path | None = None) -> Problem:
    """Return the 30 000 measurements of a light tunnel with the graph of its causes.

    There are 20 variables under 21 conditions. "reference" (10 000 rows) is observational; each
    of the others (1000 rows) acts on one variable. Those called "t_..." and "v_..." change the
    exposure time or reference voltage of a sensor, so their target is that sensor. Under
    "v_angle_1_strong" and "v_angle_2_strong" the target is constant.

    Parameters
    ----------
    path : str or Path, optional
        The file chamber.csv or its folder; chamber-graph.csv is beside it. By default they
        are looked for in the folder that the environment variable CAUSALASSAY_DATA names, then in
        ``$XDG_CACHE_HOME/causalassay``.

    Raises
    ------
    FileNotFoundError
        If a file is nowhere.
    ValueError
        If a file's sha256 is not the one that this package knows.

    References
    ----------
    Gamella, Peters, Bühlmann 2025, Causal chambers as a real-world physical testbed for AI
    methodology, arXiv:2404.11341. Data set lt_interventions_standard_v1, CC BY 4.0, without the
    columns that never vary.

    Examples
    --------
    >>> problem = chamber("data/chamber.csv")  # doctest: +SKIP
    >>> problem.data.observational_values.shape, int(problem.graph.sum())  # doctest: +SKIP
    ((10000, 20), 39)
    >>> chamber("no/such/folder")
    Traceback (most recent call last):
    FileNotFoundError: chamber: there is no file no/such/folder...
    """
    file = locate(CHAMBER, path)
    data = read(file, "target", "condition", "reference", discrete=False)
    graph, _ = read_graph(locate(CHAMBER_GRAPH, file.parent), columns=data.columns)
    return Problem(data, graph, name="chamber")
