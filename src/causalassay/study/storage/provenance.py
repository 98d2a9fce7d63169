"""What can change the bits of a row: the machine and the versions of what computes it."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

PACKAGES = (
    "causalassay",
    "numpy",
    "scipy",
    "numba",
    "llvmlite",
    "gadjid",
    "cliquepicking",
    "scikit-learn",
    "causal-learn",
    "pandas",
    "pebble",
    "distributed",
)


def versions() -> dict[str, str]:
    """Return the versions of Python, the platform and the packages that are installed.

    Examples
    --------
    >>> versions()["numpy"].split(".")[0]
    '2'
    """
    installed = {"python": platform.python_version(), "platform": platform.platform()}
    for package in PACKAGES:
        try:
            installed[package] = version(package)
        except PackageNotFoundError:
            continue
    return installed


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Return what differs between two machines or installations, as short texts.

    Examples
    --------
    >>> changes({"numpy": "2.1.0", "scipy": "1.17"}, {"numpy": "2.2.0", "scipy": "1.17"})
    ['numpy 2.1.0, now 2.2.0']
    """
    return [
        f"{name} {before.get(name, 'absent')}, now {after.get(name, 'absent')}"
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    ]


def now() -> str:
    """Return the time, in UTC and to the millisecond, so that texts sort as times do."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
