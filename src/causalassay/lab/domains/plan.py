"""The plan of a factorial experiment and its journal: one line per measurement."""

from __future__ import annotations

import fcntl
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any, BinaryIO

from numpy.random import Generator

from causalassay.common.seeding import stream
from causalassay.common.spelling import listed

Level = str | int | float
Setting = dict[str, Level]
"""The level of each treatment."""


@dataclass(frozen=True)
class Subject:
    """One thing that is measured under every setting.

    Parameters
    ----------
    id : str
    covariates : mapping
        What is known before any treatment; the same names for all subjects.
    """

    id: str
    covariates: Mapping[str, Level]


@dataclass(frozen=True)
class Step:
    """One measurement of the plan: a subject under a setting, for the n-th time."""

    trial: int
    subject: Subject
    setting: Setting

    @property
    def key(self) -> str:
        """Return the name of the step, the same in every session."""
        return step_key(self.trial, self.subject.id, self.setting)


def step_key(trial: int, subject: str, setting: Mapping[str, Level]) -> str:
    """Return the name of a measurement."""
    return json.dumps([trial, subject, setting], sort_keys=True)


@dataclass(frozen=True)
class Plan:
    """A full factorial experiment: subjects x settings x trials.

    Parameters
    ----------
    domain : str
        Name of the system, as "postgres".
    subjects : tuple of Subject
    treatments : mapping of str to tuple
        The levels of each treatment, the untreated level first.
    outcomes : tuple of str
        Names of what a measurement gives.
    trials : int
        How often each combination is measured.
    seed : int
    blocked : tuple of str
        Treatments that are costly to change. They change as seldom as possible.
    settings : mapping
        What else must be equal if the experiment is to be resumed.

    Notes
    -----
    The order is randomised trial by trial, so that a slow drift of the machine meets all
    combinations alike. Within a trial all subjects and settings are shuffled together. Where
    treatments are blocked, their settings are shuffled first, and within each of them all
    subjects and remaining settings (a split-plot design).

    Examples
    --------
    >>> plan = Plan("demo", (Subject("a", {"size": 1}), Subject("b", {"size": 2})),
    ...             {"cache": ("off", "on")}, ("seconds",), trials=3, seed=0)
    >>> plan.n_measurements, len({step.key for step in plan.steps()})
    (12, 12)
    """

    domain: str
    subjects: tuple[Subject, ...]
    treatments: Mapping[str, tuple[Level, ...]]
    outcomes: tuple[str, ...]
    trials: int
    seed: int
    blocked: tuple[str, ...] = ()
    settings: Mapping[str, Level] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_subjects(self.subjects)
        _check_treatments(self.treatments, self.blocked)
        check_at_least(trials=(self.trials, 1), seed=(self.seed, 0))
        _check_names(self)

    @property
    def n_measurements(self) -> int:
        """Return the number of measurements."""
        return len(self.subjects) * len(_settings(self.treatments)) * self.trials

    def steps(self) -> Iterator[Step]:
        """Yield all measurements in the order of the plan."""
        for trial in range(self.trials):
            yield from self._trial_steps(trial, stream(self.seed, "order", trial))

    def _trial_steps(self, trial: int, rng: Generator) -> Iterator[Step]:
        free = {name: self.treatments[name] for name in self.treatments if name not in self.blocked}
        blocks = _settings({name: self.treatments[name] for name in self.blocked})
        for block in rng.permutation(len(blocks)):
            inner = list(product(self.subjects, _settings(free)))
            for number in rng.permutation(len(inner)):
                subject, setting = inner[number]
                both = blocks[block] | setting
                yield Step(trial, subject, {name: both[name] for name in self.treatments})

    def description(self) -> dict[str, object]:
        """Return what two sessions of one experiment have in common, as plain values."""
        subjects = [[subject.id, dict(subject.covariates)] for subject in self.subjects]
        return {
            "domain": self.domain,
            "subjects": len(self.subjects),
            "treatments": {name: list(levels) for name, levels in self.treatments.items()},
            "outcomes": list(self.outcomes),
            "trials": self.trials,
            "seed": self.seed,
            "blocked": list(self.blocked),
            **self.settings,
            "subjects_sha256": hashlib.sha256(json.dumps(subjects).encode()).hexdigest(),
        }


def _settings(treatments: Mapping[str, tuple[Level, ...]]) -> list[Setting]:
    """Return every combination of the levels."""
    return [dict(zip(treatments, levels, strict=True)) for levels in product(*treatments.values())]


def check_at_least(**counts: tuple[int, int]) -> None:
    """Raise unless each count, given with the least that it may be, is large enough."""
    for name, (count, least) in counts.items():
        if count < least:
            raise ValueError(f"{name}: expected at least {least}, got {count}")


def _check_subjects(subjects: tuple[Subject, ...]) -> None:
    if not subjects:
        raise ValueError("subjects: expected at least 1, got none")
    counts = Counter(subject.id for subject in subjects)
    twice = [name for name, count in counts.items() if count > 1]
    if twice:
        raise ValueError(f"subjects: each id once, got {listed(twice)} more than once")
    for subject in subjects:
        if set(subject.covariates) != set(subjects[0].covariates):
            raise ValueError(
                f"subject {subject.id!r}: expected the covariates "
                f"{listed(list(subjects[0].covariates))}, got {listed(list(subject.covariates))}"
            )


def _check_treatments(
    treatments: Mapping[str, tuple[Level, ...]], blocked: tuple[str, ...]
) -> None:
    if not treatments:
        raise ValueError("treatments: expected at least 1, got none")
    for name, levels in treatments.items():
        if len(set(levels)) < 2 or len(set(levels)) < len(levels):
            raise ValueError(
                f"treatment {name!r}: expected at least 2 different levels, got {listed(levels)}"
            )
    unknown = [name for name in blocked if name not in treatments]
    if unknown:
        raise ValueError(f"blocked: {listed(unknown)} is not a treatment")


def _check_names(plan: Plan) -> None:
    """Raise if two columns of the table would have one name."""
    names = ["subject", "trial", *plan.treatments, *plan.outcomes, *plan.subjects[0].covariates]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"names: each treatment, outcome and covariate once, got {listed(twice)}")


# The journal of an experiment: one line per measurement, so that an interruption loses none.

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
