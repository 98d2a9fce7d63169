"""The file of a bundle that says when the study ran: what the report has beside the rows."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

import pandas as pd
from pydantic import TypeAdapter

from causalassay.opening import read_text
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
