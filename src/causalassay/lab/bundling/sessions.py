"""When a study ran and with which versions: sessions.json and requirements.txt."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any, get_args

import pandas as pd
from pydantic import TypeAdapter

from causalassay.common.opening import read_text
from causalassay.discovery.registry import ALGORITHMS
from causalassay.environments.catalogue import EnvironmentDefinition
from causalassay.lab.bundling.archives import PACKAGE
from causalassay.study.needed_environments import needed_environments
from causalassay.study.plan import Purpose, Study
from causalassay.study.storage.reader import Choice, Session
from causalassay.study.storage.status import StudyStatus
from causalassay.study.tasks import Status

_LEFT_OUT = ("host", "text")
"""Of a session: rows have the machines, and the text is the study file of the bundle."""


def sessions_text(
    status: StudyStatus, sessions: Sequence[Session], choices: Sequence[Choice]
) -> str:
    """Return the file: the runs of the driver, and of tuning, whose rows are not in the bundle."""
    shown = [dataclasses.asdict(session) for session in sessions]
    content = {
        "sessions": [{k: v for k, v in one.items() if k not in _LEFT_OUT} for one in shown],
        "tuning": {
            "total": status.totals["tuning"],
            "counts": status.counts["tuning"],
            "reasons": status.reasons["tuning"],
        },
        "choices": [dataclasses.asdict(choice) for choice in choices],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


@dataclass(frozen=True)
class SessionsFile:
    """What the file says.

    Parameters
    ----------
    sessions : list of Session
    choices : list of Choice
    total : int
        Rows of tuning that the complete study has.
    counts, reasons : dict
        Of the rows of tuning, by status and by reason.
    """

    sessions: list[Session]
    choices: list[Choice]
    total: int
    counts: dict[str, int]
    reasons: dict[str, int]

    def status(self, study: Study, rows: pd.DataFrame) -> StudyStatus:
        """Return where a study stands that has these rows."""
        by_status = rows["status"].value_counts()
        failed = rows[rows["status"] != "ok"]["reason"].astype(object).fillna("").value_counts()
        counts = {name: int(by_status.get(name, 0)) for name in get_args(Status)}
        writes = [one.last_write for one in self.sessions if one.last_write]
        first = [one.first_write for one in self.sessions if one.first_write]
        totals: dict[Purpose, int] = {"tuning": self.total, "main": study.n_tasks["main"]}
        return StudyStatus(
            study.name,
            study.seed,
            None,
            self.sessions[-1].how or "killed",
            totals,
            {"main": counts, "tuning": self.counts},
            {},
            {
                "main": {str(reason): int(failed[reason]) for reason in sorted(failed.index)},
                "tuning": self.reasons,
            },
            None,
            min(first, default=None),
            max(writes, default=None),
        )


def read_sessions(path: Path, study: Study) -> SessionsFile:
    """Return what the file of a bundle says, or raise if it is not one."""
    try:
        content: dict[str, Any] = json.loads(read_text(path, "the sessions of a study"))
        shown = [one | {"host": "", "text": study.text} for one in content["sessions"]]
        stated = {"sessions": shown, "choices": content["choices"], **content["tuning"]}
        found = TypeAdapter(SessionsFile).validate_python(stated)
        times = [time for one in found.sessions for time in (one.started, one.last_write) if time]
        if not [datetime.fromisoformat(time) for time in times]:
            raise ValueError("no session")
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError(f"{path.name} cannot be read; it is not as it was bundled") from None
    return found


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_NOT_PACKAGES = ("python", "platform")


def lock_text(study: Study, sessions: Sequence[Session], wheel: str) -> str:
    """Return the requirements file of a study.

    Versions that the sessions recorded are those that ran. Of other packages, which were not
    recorded, it has the versions that are installed now, and says so.

    Parameters
    ----------
    study : Study
    sessions : sequence of Session
    wheel : str
        The name of the wheel of causalassay beside it.
    """
    recorded = sessions[-1].versions
    ran = {name: one for name, one in recorded.items() if name not in _NOT_PACKAGES}
    roots = [*ran, *(ALGORITHMS.package(entry.use) for entry in study.algorithms)]
    others = {name: one for name, one in installed_with(roots).items() if _plain(name) not in ran}
    others.pop(PACKAGE, None)
    ours = ran.pop(PACKAGE, "of an unknown version")
    lines = [
        f"# Python {recorded.get('python', 'of an unknown version')}",
        f"# {PACKAGE} {ours} when the study last ran; in the folder of this file:",
        f"./{wheel}",
        "# Recorded when the study last ran:",
        *_pins(ran),
        "# Installed when this bundle was made; not recorded during the run:",
        *_pins(others),
    ]
    return "\n".join([*lines, *_environments(study)]) + "\n" + _earlier(sessions)


def _environments(study: Study) -> list[str]:
    """Return comments on packages that have environments of their own, with their pins."""
    homes = needed_environments(study.algorithms)
    if not homes:
        return []
    said = "# Third-party packages, each in an environment of its own (causalassay run --install):"
    return [said, *(f"# {environment_text(home)}" for home in homes)]


def environment_text(home: EnvironmentDefinition) -> str:
    """Return an environment with its pins, its licence and the programs that it needs.

    Examples
    --------
    >>> from causalassay.environments.catalogue import environment
    >>> environment_text(environment("tetrad")).endswith("licence GPL-2.0; needs java")
    True
    """
    needs = f"; needs {', '.join(home.programs)}" if home.programs else ""
    return f"{home.name}: {' '.join(home.packages)}; licence {home.licence}{needs}"


def _earlier(sessions: Sequence[Session]) -> str:
    """Return comments on versions of earlier sessions that the last did not have."""
    last = sessions[-1].versions
    older = {
        f"# An earlier run of this study had {name}=={one}"
        for session in sessions[:-1]
        for name, one in session.versions.items()
        if name != "platform" and one != last.get(name)
    }
    return "".join(f"{line}\n" for line in sorted(older))


def _pins(versions: Mapping[str, str]) -> list[str]:
    return [f"{name}=={one}" for name, one in sorted(versions.items())]


def installed_with(roots: Iterable[str]) -> dict[str, str]:
    """Return the versions of packages and of all that they need, as far as they are installed.

    What is needed only for an extra, or not on this machine, is not there or not counted.

    Examples
    --------
    >>> "pyarrow" in installed_with(["causalassay"])
    True
    """
    found: dict[str, str] = {}
    waiting = [_plain(name) for name in roots]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            found[name] = version(name)
            needed = requires(name) or []
        except PackageNotFoundError:
            continue
        for line in needed:
            requirement, _, condition = line.partition(";")
            match = _NAME.match(requirement.strip())
            if match and "extra" not in condition:
                waiting.append(_plain(match.group()))
    return found


def _plain(name: str) -> str:
    """Return the name of a package as indices compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()
