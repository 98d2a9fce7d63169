"""The causalassay that made a bundle, as a wheel in it: no package index has it.

A wheel is an archive of the package, its metadata and a list of both (PyPA specifications,
"Binary distribution format"). This one is written from the installed package, so no build tool is
needed and it does not matter what causalassay was installed from.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.resources import files
from pathlib import Path

from causalassay.bundling.archives import write_archive

PACKAGE = "causalassay"
WHEEL_NAME = re.compile(rf"{PACKAGE}-[\w.+!]+-py3-none-any\.whl")
"""What the wheel of any version is called."""

_WHEEL = f"Wheel-Version: 1.0\nGenerator: {PACKAGE}\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
# What pip wrote beside these says from where it installed, so it stays here.
_METADATA = ("METADATA", "entry_points.txt", "licenses/LICENSE")


def wheel_name() -> str:
    """Return what the wheel of this version is called."""
    return f"{PACKAGE}-{_version(_installed())}-py3-none-any.whl"


def write_wheel(folder: Path) -> Path:
    """Write the wheel of this package into a folder and return its path.

    Raises
    ------
    ValueError
        This package was not installed, so that its version and its needs are not known.
    """
    target = folder / wheel_name()
    write_archive(target, wheel_files())
    return target


def wheel_files() -> dict[str, bytes]:
    """Return what the wheel of this package holds, by name."""
    installed = _installed()
    contents = dict(_package_files(Path(str(files(PACKAGE)))))
    about = f"{PACKAGE}-{_version(installed)}.dist-info"
    for name in _METADATA:
        if text := installed.read_text(name):
            contents[f"{about}/{name}"] = text.encode()
    contents[f"{about}/WHEEL"] = _WHEEL.encode()
    record = f"{about}/RECORD"
    lines = [f"{name},{_record_digest(contents[name])},{len(contents[name])}" for name in contents]
    return contents | {record: "".join(f"{line}\n" for line in [*lines, f"{record},,"]).encode()}


def _installed() -> Distribution:
    try:
        return distribution(PACKAGE)
    except PackageNotFoundError:
        raise ValueError(
            "a bundle carries the causalassay that made it, and this one is not installed; run "
            "`pip install -e .` in the folder with its pyproject.toml"
        ) from None


def _version(installed: Distribution) -> str:
    return installed.version.replace("-", "_")


def _package_files(package: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the package, without what Python and numba compiled."""
    for path in sorted(package.rglob("*")):
        place = path.relative_to(package)
        hidden = any(part.startswith(".") or part == "__pycache__" for part in place.parts)
        if path.is_file() and not hidden and path.suffix != ".pyc":
            yield f"{PACKAGE}/{place.as_posix()}", path.read_bytes()


def _record_digest(content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
    return f"sha256={digest}"
