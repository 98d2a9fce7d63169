"""What a result was made from and with, so that it can be cited and made again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from causalassay.common.files import check_regular
from causalassay.present.document import Block, Column, Facts, Table


@dataclass(frozen=True)
class SourceFile:
    """A file that was read.

    Parameters
    ----------
    name : str
        As it was given, without its folder.
    role : {"data", "graph", "data and graph"}
    sha256 : str
        Of its bytes, in hexadecimal.
    """

    name: str
    role: str
    sha256: str


@dataclass(frozen=True)
class Provenance:
    """What a result was made from and with.

    Parameters
    ----------
    seed : int
    settings : mapping
        The options by name.
    files : tuple of SourceFile
    version : str
        Of causalassay.
    """

    seed: int
    settings: Mapping[str, object]
    files: tuple[SourceFile, ...]
    version: str

    def to_dict(self) -> dict[str, object]:
        """Return plain values for JSON."""
        return {
            "version": self.version,
            "seed": self.seed,
            "settings": dict(self.settings),
            "files": [vars(file) for file in self.files],
        }

    def blocks(self, command: str, date: str) -> tuple[Block, ...]:
        """Return what a page says of it.

        Parameters
        ----------
        command : str
            The command line that made the result.
        date : str
        """
        words = {None: "not given", True: "yes", False: "no"}
        settings = "; ".join(
            f"{name}: {words[value] if value is None or isinstance(value, bool) else value}"
            for name, value in self.settings.items()
        )
        facts = Facts(
            {
                "version": f"causalassay {self.version}",
                "command": command,
                "seed": self.seed,
                "settings": settings,
                "date": date,
            }
        )
        if not self.files:
            return (facts,)
        columns = (Column("name", "file"), Column("role", "role"), Column("sha256", "SHA-256"))
        rows = [(file.name, file.role, file.sha256) for file in self.files]
        return facts, Table("files", columns, rows, "Files that were read")


def provenance(seed: int, settings: Mapping[str, object], files: Mapping[Path, str]) -> Provenance:
    """Return what a result was made from: the hash of each file, by its role.

    Parameters
    ----------
    seed : int
    settings : mapping
    files : mapping of Path to role

    Examples
    --------
    >>> provenance(0, {"bootstrap": 200}, {}).to_dict()["seed"]
    0
    """
    hashed = tuple(SourceFile(path.name, role, sha256(path)) for path, role in files.items())
    return Provenance(seed, settings, hashed, version("causalassay"))


def sha256(path: Path) -> str:
    """Return the SHA-256 of a regular file in hexadecimal."""
    check_regular(path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def today() -> str:
    """Return the date in UTC."""
    return datetime.now(UTC).date().isoformat()
