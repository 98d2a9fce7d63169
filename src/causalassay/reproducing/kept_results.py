"""What functions computed, kept between calls: after Ctrl-C nothing is computed twice.

A result is named by the function, its parameters and a checksum of the package's files, so that
an edit of any of them never meets an old number.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from causalassay.replacing import replacing
from causalassay.reproducing.estimates import Cases, Estimate, Extremes, NotRun, Ours, Several

FOLDER = "computed"
"""Below the results of a paper."""

Result = Ours | pd.DataFrame

_KINDS = {kind.__name__: kind for kind in (Estimate, Several, Extremes, Cases)}
_PICTURE = "picture"

_ENDINGS = (".py", ".csv", ".csv.gz")
_SHOWING = ("bundling", "cli", "hall", "present", "report")
"""Packages that no number depends on."""
_SHOWN = ("document.py", "charts.py", "recorded.csv")
"""How it is shown, and what came out, is no part of how it is computed."""


@dataclasses.dataclass(frozen=True)
class KeptResults:
    """The results of functions in a folder, a file for each.

    Parameters
    ----------
    folder : Path
    checksum : str
        Of the code that computes them.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kept = KeptResults(Path(folder), "1")
    ...     first = kept.get("cases", {"draws": 2}, lambda draws: Cases(draws, 0))
    ...     kept.get("cases", {"draws": 2}, lambda draws: Cases(draws, 1))
    Cases(checked=2, violated=0)
    """

    folder: Path
    checksum: str

    def get(
        self, name: str, parameters: Mapping[str, Any], compute: Callable[..., Result]
    ) -> Result:
        """Return the result of a function, computed if it is not there.

        A value that could not be computed is not kept: next time its data may be there.
        """
        path = self._path(name, parameters)
        if (kept := _kept(path)) is not None:
            return kept
        found = compute(**parameters)
        if (plain := _plain(found)) is not None:
            self.folder.mkdir(parents=True, exist_ok=True)
            text = json.dumps(plain, default=_number)
            with replacing(path) as partial:
                partial.write_text(f"{_checksum(text)}\n{text}", encoding="utf-8")
        return found

    def has(self, name: str, parameters: Mapping[str, Any]) -> bool:
        """Tell whether a result is there."""
        return _kept(self._path(name, parameters)) is not None

    def _path(self, name: str, parameters: Mapping[str, Any]) -> Path:
        text = json.dumps([name, parameters, self.checksum], sort_keys=True)
        return self.folder / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:20]}.json"


@lru_cache(maxsize=1)
def package_checksum() -> str:
    """Return a checksum of the package's code and data, and of the libraries that compute."""
    root = Path(str(resources.files("causalassay")))
    found = hashlib.sha256()
    for library in ("numpy", "scipy", "pandas"):
        found.update(version(library).encode())
    for path in sorted(path for ending in _ENDINGS for path in root.rglob(f"*{ending}")):
        place = path.relative_to(root)
        if place.parts[0] not in _SHOWING and path.name not in _SHOWN:
            found.update(str(place).encode())
            found.update(path.read_bytes())
    return found.hexdigest()


def _plain(found: Result) -> dict[str, Any] | None:
    """Return what JSON can hold of a result; None if it is not to be kept."""
    if isinstance(found, pd.DataFrame):
        return {"kind": _PICTURE, "columns": {name: found[name].tolist() for name in found}}
    if isinstance(found, NotRun) or type(found).__name__ not in _KINDS:
        return None
    return {"kind": type(found).__name__, **dataclasses.asdict(found)}


def _kept(path: Path) -> Result | None:
    """Return what a file holds; None if there is none, or if it was damaged or edited."""
    try:
        checksum, _, text = path.read_text(encoding="utf-8").partition("\n")
    except (FileNotFoundError, UnicodeDecodeError):
        return None
    return _read(json.loads(text)) if checksum == _checksum(text) else None


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _number(value: Any) -> Any:
    """Return a numpy scalar as Python's number, for JSON."""
    return value.item()


def _read(plain: dict[str, Any]) -> Result:
    kind = plain.pop("kind")
    if kind == _PICTURE:
        return pd.DataFrame(plain["columns"])
    fields: dict[str, Any] = {
        key: tuple(one) if isinstance(one, list) else one  # JSON has no tuples
        for key, one in plain.items()
    }
    if kind == "Several":
        each = [{**one, "span": tuple(one["span"])} for one in fields["estimates"]]
        fields["estimates"] = tuple(Estimate(**one) for one in each)
    return _KINDS[kind](**fields)
