"""Data files that are known by their checksums: where they are looked for, and that they are right.

They are not part of the package. A name such as "sachs" in a report always means the same numbers.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

from causalassay.common.files import as_path, replacing

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
        Of its content.
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
