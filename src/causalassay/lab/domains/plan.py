"""The plan of a factorial experiment: who is measured, under what, and in which order."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

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
        if self.trials < 1:
            raise ValueError(f"trials: expected at least 1, got {self.trials}")
        if self.seed < 0:
            raise ValueError(f"seed: expected at least 0, got {self.seed}")
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
            for place in rng.permutation(len(inner)):
                subject, setting = inner[place]
                both = blocks[block] | setting
                yield Step(trial, subject, {name: both[name] for name in self.treatments})

    def description(self) -> dict[str, object]:
        """Return what two sessions of one experiment have in common, as plain values."""
        subjects = [[one.id, dict(one.covariates)] for one in self.subjects]
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
