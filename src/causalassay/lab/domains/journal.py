"""The journal of an experiment: one line per measurement, so that an interruption loses none."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from causalassay.lab.domains.plan import Plan, Step, step_key

_BEGIN = b'{"plan": '


@dataclass(frozen=True)
class Record:
    """One line: what a measurement gave, or why it failed.

    Parameters
    ----------
    trial : int
    subject : str
    setting : mapping
    outcomes : mapping or None
        None if the measurement failed.
    failed : str
        The reason, empty if it did not fail.
    """

    trial: int
    subject: str
    setting: Mapping[str, Any]
    outcomes: Mapping[str, float] | None
    failed: str = ""

    @property
    def key(self) -> str:
        """Return the key of the step that was measured."""
        return step_key(self.trial, self.subject, self.setting)


@dataclass
class Journal:
    """An open journal: what earlier sessions measured, and a place for more."""

    file: BinaryIO
    records: dict[str, Record] = field(default_factory=dict)
    sessions: list[dict[str, str]] = field(default_factory=list)

    def add(self, step: Step, outcomes: Mapping[str, float] | None, failed: str = "") -> None:
        """Append one measurement; it is in the hands of the system when this returns."""
        record = Record(step.trial, step.subject.id, step.setting, outcomes, failed)
        self.write(vars(record))
        self.records[record.key] = record

    def write(self, line: Mapping[str, object]) -> None:
        """Append one line."""
        self.file.write(json.dumps(line).encode() + b"\n")
        self.file.flush()


@contextmanager
def open_journal(path: Path, plan: Plan, host: Mapping[str, str]) -> Iterator[Journal]:
    """Open the journal of a plan, a new one or one that an earlier session left.

    A torn last line is dropped. A journal of another plan, a damaged one and one that another
    process writes are refused.

    Parameters
    ----------
    path : Path
    plan : Plan
    host : mapping
        What this session runs on; written down for the provenance.
    """
    with path.open("a+b") as file:
        _lock(file, path)
        _drop_torn_line(file, path)
        journal = Journal(file)
        _read(journal, path, plan)
        session = {"started": now(), **host}
        journal.sessions.append(session)
        journal.write({"session": session})
        yield journal


def n_measured(path: Path, plan: Plan) -> int:
    """Return how many measurements of a plan its journal holds; 0 where there is none yet.

    A journal that `open_journal` would refuse is refused here as well.
    """
    if not path.exists():
        return 0
    text = path.read_bytes()
    _check_begin(text, path)
    journal = Journal(BytesIO(_whole_lines(text)))
    _read(journal, path, plan)
    return len(journal.records)


def now() -> str:
    """Return the date and time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _lock(file: BinaryIO, path: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ValueError(
            f"{path}: another process is collecting into this journal; wait for it or stop it"
        ) from None


def _drop_torn_line(file: BinaryIO, path: Path) -> None:
    """Cut what a killed session left behind the last whole line."""
    file.seek(0)
    text = file.read()
    _check_begin(text, path)
    file.truncate(len(_whole_lines(text)))


def _check_begin(text: bytes, path: Path) -> None:
    if not text.startswith(_BEGIN[: len(text)]):
        raise ValueError(f"{path}: not a journal of an experiment; choose another folder")


def _whole_lines(text: bytes) -> bytes:
    return text[: text.rfind(b"\n") + 1]


def _read(journal: Journal, path: Path, plan: Plan) -> None:
    """Read what is there, or begin the journal."""
    journal.file.seek(0)
    lines = journal.file.read().splitlines()
    if not lines:
        journal.write({"plan": plan.description()})
        return
    _check_plan(_parsed(lines[0], 1, path).get("plan"), path, plan)
    known = {step.key for step in plan.steps()}
    for number, line in enumerate(lines[1:], start=2):
        values = _parsed(line, number, path)
        if "session" in values:
            journal.sessions.append(values["session"])
            continue
        record = _record(values, number, path, plan)
        if record.key not in known:
            raise ValueError(f"{path}, line {number}: this measurement is not in the plan")
        journal.records[record.key] = record


def _parsed(line: bytes, number: int, path: Path) -> dict[str, Any]:
    try:
        values = json.loads(line)
    except ValueError:
        values = None
    if not isinstance(values, dict):
        raise ValueError(f"{path}, line {number}: not a line of a journal; move the file away")
    return values


def _record(values: dict[str, Any], number: int, path: Path, plan: Plan) -> Record:
    try:
        record = Record(**values)
    except TypeError:
        raise ValueError(f"{path}, line {number}: not a measurement; move the file away") from None
    if record.outcomes is not None and set(record.outcomes) != set(plan.outcomes):
        raise ValueError(f"{path}, line {number}: other outcomes than the plan's")
    return record


def _check_plan(written: object, path: Path, plan: Plan) -> None:
    """Raise if a journal belongs to another plan, naming what differs."""
    if not isinstance(written, dict):
        raise ValueError(f"{path}: not a journal of an experiment; choose another folder")
    expected = json.loads(json.dumps(plan.description()))
    for name in [*expected, *written]:
        if written.get(name) != expected.get(name):
            what = (
                "the subjects differ"
                if name == "subjects_sha256"
                else (
                    f"{name} was {json.dumps(written.get(name))} there and is "
                    f"{json.dumps(expected.get(name))} here"
                )
            )
            raise ValueError(
                f"{path}: the journal of another experiment ({what}); "
                "resume with the same options, or choose another folder"
            )
