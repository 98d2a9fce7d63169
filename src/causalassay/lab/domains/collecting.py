"""Running a factorial experiment: every subject under every setting, in random order."""

from __future__ import annotations

import math
import os
import platform
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pandas as pd
import psutil

from causalassay.lab.domains.plan import Plan, Record, Setting, Subject, now, open_journal
from causalassay.lab.factorial import FactorialExperiment

Measure = Callable[[Subject, Setting], Mapping[str, float]]
"""Measures one subject under one setting; raises `MeasurementFailed` where that cannot be done."""


class MeasurementFailed(Exception):  # noqa: N818  it is a result with a reason, not a mistake
    """One measurement could not be made; its message is the reason. The others go on."""


@dataclass(frozen=True)
class Collected:
    """The measurements of an experiment.

    Parameters
    ----------
    plan : Plan
    records : tuple of Record
        All measurements in the order of the plan, failed ones too.
    sessions : tuple of mapping
        When and on what kind of machine each part was measured.
    finished : str
        When the last measurement was made.
    """

    plan: Plan
    records: tuple[Record, ...]
    sessions: tuple[Mapping[str, str], ...]
    finished: str

    @property
    def failures(self) -> Counter[str]:
        """Return how many measurements failed, by reason."""
        return Counter(record.failed for record in self.records if record.outcomes is None)

    @property
    def left_out(self) -> dict[str, str]:
        """Return the subjects that miss a combination, with the first reason."""
        failed = [record for record in self.records if record.outcomes is None]
        return {record.subject: record.failed for record in reversed(failed)}

    def table(self) -> pd.DataFrame:
        """Return one row per measurement of the subjects that have every combination.

        The columns are subject, trial, the treatments, the outcomes and the covariates.
        """
        covariates = {subject.id: subject.covariates for subject in self.plan.subjects}
        left_out = self.left_out
        rows = [
            {"subject": record.subject, "trial": record.trial}
            | dict(record.setting)
            | {name: record.outcomes[name] for name in self.plan.outcomes}
            | dict(covariates[record.subject])
            for record in self.records
            if record.outcomes is not None and record.subject not in left_out
        ]
        if not rows:
            raise ValueError(
                f"no subject has every combination of treatments: {failure_text(self.failures)}"
            )
        return pd.DataFrame(rows).sort_values(
            ["subject", "trial", *self.plan.treatments], ignore_index=True
        )

    def experiment(
        self, biasing: str, extra: Mapping[str, object] | None = None
    ) -> FactorialExperiment:
        """Return the factorial experiment; columns that never vary are left out and listed.

        Parameters
        ----------
        biasing : str
            The covariate by which treatments will be assigned.
        extra : mapping, optional
            Further provenance, as the version of the server.
        """
        table = self.table()
        names = (*self.plan.outcomes, *self.plan.subjects[0].covariates)
        constant = {name: table[name].iloc[0] for name in names if table[name].nunique() == 1}
        return FactorialExperiment(
            frame=table,
            subject="subject",
            trial="trial",
            treatments=tuple(self.plan.treatments),
            outcomes=_without(self.plan.outcomes, constant),
            covariates=_without(self.plan.subjects[0].covariates, constant),
            biasing=biasing,
            provenance=self.provenance() | dict(extra or {}) | {"constant": constant},
            levels=self.plan.treatments,
            left_out=tuple(self.left_out),
        )

    def provenance(self) -> dict[str, object]:
        """Return how the data came about: the plan, the sessions, and what failed."""
        return {
            **self.plan.description(),
            "order": order_text(self.plan),
            "causalassay": version("causalassay"),
            "sessions": [dict(session) for session in self.sessions],
            "finished": self.finished,
            "measurements": len(self.records),
            "failed": dict(self.failures),
            "left_out": self.left_out,
        }


def _without(names: Iterable[str], dropped: Container[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name not in dropped)


def collect(
    plan: Plan,
    measure: Measure,
    journal: Path,
    on_progress: Callable[[int, int, int], None] = lambda *_: None,
) -> Collected:
    """Make every measurement of a plan that its journal does not hold yet.

    Any exception but `MeasurementFailed` ends the session; the journal keeps what was measured,
    and the next call goes on from there.

    Parameters
    ----------
    plan : Plan
    measure : callable
        Takes a subject and a setting; returns the outcomes by name.
    journal : Path
        File to append to.
    on_progress : callable
        Takes the numbers of measurements that are made, planned and failed.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> plan = Plan("demo", (Subject("a", {"size": 1}), Subject("b", {"size": 2})),
    ...             {"cache": (0, 1)}, ("seconds",), trials=1, seed=0)
    >>> with TemporaryDirectory() as folder:
    ...     collected = collect(plan, lambda subject, setting:
    ...         {"seconds": subject.covariates["size"] - setting["cache"] / 2},
    ...         Path(folder) / "journal.jsonl")
    >>> collected.table()[["subject", "cache", "seconds"]].to_numpy().tolist()
    [['a', 0, 1.0], ['a', 1, 0.5], ['b', 0, 2.0], ['b', 1, 1.5]]
    """
    with open_journal(journal, plan, host_facts()) as opened:
        failed = sum(record.outcomes is None for record in opened.records.values())
        on_progress(len(opened.records), plan.n_measurements, failed)
        for step in plan.steps():
            if step.key in opened.records:
                continue
            try:
                outcomes = measure(step.subject, step.setting)
                opened.add(step, _checked(outcomes, plan))
            except MeasurementFailed as error:
                failed += 1
                opened.add(step, None, str(error) or "no reason given")
            on_progress(len(opened.records), plan.n_measurements, failed)
        records = tuple(opened.records[step.key] for step in plan.steps())
        return Collected(plan, records, tuple(opened.sessions), now())


def _checked(outcomes: Mapping[str, float], plan: Plan) -> dict[str, float]:
    """Return the outcomes in the plan's order."""
    if set(outcomes) != set(plan.outcomes):
        raise ValueError(f"outcomes: expected {list(plan.outcomes)}, got {list(outcomes)}")
    values = {name: float(outcomes[name]) for name in plan.outcomes}
    undefined = [name for name, value in values.items() if not math.isfinite(value)]
    if undefined:
        raise MeasurementFailed(f"{undefined[0]} is not a finite number")
    return values


def failure_text(failures: Mapping[str, int]) -> str:
    """Return the reasons with their counts, the most frequent first.

    Examples
    --------
    >>> failure_text({"timeout": 2, "no memory": 5})
    '5 failed (no memory), 2 failed (timeout)'
    """
    counted = sorted(failures.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{count} failed ({reason})" for reason, count in counted)


def order_text(plan: Plan) -> str:
    """Return how the order was randomised, in one sentence."""
    if not plan.blocked:
        return "random within each trial: all subjects and settings shuffled together"
    names = ", ".join(plan.blocked)
    return (
        f"random within each trial: the levels of {names} in random order, "
        "and for each of them all subjects and other settings shuffled together"
    )


def host_facts() -> dict[str, str]:
    """Return what kind of machine this is, without names of it or of its users.

    Examples
    --------
    >>> sorted(host_facts())
    ['cpus', 'machine', 'memory_gb', 'python', 'system']
    """
    memory = psutil.virtual_memory().total / 2**30
    return {
        "system": platform.system(),
        "machine": platform.machine(),
        "cpus": str(os.cpu_count()),
        "memory_gb": f"{memory:.0f}",
        "python": platform.python_version(),
    }
