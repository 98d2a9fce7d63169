"""The protein-signalling experiments of Sachs et al. 2005."""

from __future__ import annotations

import hashlib
import os
import tempfile
from http.client import HTTPException
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import numpy as np

from causalassay.arrays import Adjacency
from causalassay.data.dataset import Dataset
from causalassay.data.problem import Problem
from causalassay.data.reading import read

FILE_NAME = "sachs.csv"
SHA256 = "f641dc641fe4eb8773e4edde7fb68c6b57238f37bf7e5e1db2e7500d56716c93"
ENVIRONMENT = "CAUSALASSAY_DATA"

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

_SECONDS_TO_ANSWER = 60
_MOST_BYTES = 10_000_000


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
    if path is not None and download is not None:
        raise ValueError("sachs: pass either the path of the file or a URL to download, not both")
    data = read(
        _locate(path, download), target="target", condition="condition", observational="cd3_cd28"
    )
    return Problem(data, _consensus_graph(data), name="sachs")


def _consensus_graph(data: Dataset) -> Adjacency:
    graph = np.zeros((data.n_nodes, data.n_nodes), dtype=bool)
    for cause, effects in CONSENSUS.items():
        for effect in effects:
            graph[data.index(cause), data.index(effect)] = True
    return graph


def _locate(path: str | Path | None, download: str | None) -> Path:
    """Return the path of the verified file, fetching it if it must."""
    if path is not None:
        file = Path(path) / FILE_NAME if Path(path).is_dir() else Path(path)
        if not file.is_file():
            raise FileNotFoundError(
                f"sachs: there is no file {file}; pass the path of {FILE_NAME} or its folder"
            )
        return _verified(file)
    cached = _cache_folder() / FILE_NAME
    folder = os.environ.get(ENVIRONMENT)
    for file in [Path(folder) / FILE_NAME, cached] if folder else [cached]:
        if file.is_file():
            return _verified(file)
    if download is None:
        raise FileNotFoundError(
            f"sachs: {FILE_NAME} was not found; pass its path or folder as `path`, or set the "
            f"environment variable {ENVIRONMENT} to its folder (now {folder!r}), or pass a URL "
            "that serves it as `download`"
        )
    return _fetch(download, cached)


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "causalassay"


def _verified(path: Path) -> Path:
    """Return the path if its content is the known one, else raise."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != SHA256:
        raise ValueError(
            f"sachs: {path} has sha256 {digest}, expected {SHA256}; download it again, or use "
            "causalassay.data.read for other versions of the data"
        )
    return path


def _fetch(url: str, destination: Path) -> Path:
    """Download to `destination`, which appears only once its content is verified."""
    if urlsplit(url).scheme not in ("http", "https"):
        raise ValueError(f"sachs: download: expected an http or https URL, got {url!r}")
    try:
        with urlopen(url, timeout=_SECONDS_TO_ANSWER) as response:
            content = response.read(_MOST_BYTES)
    except (OSError, HTTPException) as error:
        raise ConnectionError(
            f"sachs: {url} could not be fetched: {error}; check the URL, or get the file by "
            "other means and pass its path"
        ) from error
    digest = hashlib.sha256(content).hexdigest()
    if digest != SHA256:
        raise ValueError(
            f"sachs: {url} served {len(content)} bytes with sha256 {digest} that begin with "
            f"{content[:40]!r}, expected sha256 {SHA256}; nothing was kept, try another URL"
        )
    destination.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=destination.parent, delete=False) as partial:
        partial.write(content)
    return Path(partial.name).replace(destination)
