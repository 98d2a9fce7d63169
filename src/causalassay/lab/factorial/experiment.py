"""A factorial experiment: every subject under every combination of the treatments.

What its rows must satisfy is checked when it is made; every message names the column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
import pandas as pd

from causalassay.common.spelling import did_you_mean, listed, name_fault, shown
from causalassay.graphs.orders import Indices

Level = str | float


@dataclass(frozen=True, eq=False)
class FactorialExperiment:
    """Rows of subjects under all combinations of treatments, with outcomes and covariates.

    Parameters
    ----------
    frame : DataFrame
        One row per subject, combination of treatments and trial. Columns without a role are
        dropped.
    subject : str
        The column that names the subject.
    trial : str, or None
        The column that counts repeated runs of one subject and combination; None if each
        was run once.
    treatments : tuple of str
        Each has two or more levels, text or numbers. Every subject has every combination.
    outcomes : tuple of str
        Finite numbers.
    covariates : tuple of str
        Known before treatment: one value per subject. Text or numbers.
    biasing : str
        The covariate by which `bias` assigns treatments.
    provenance : mapping
        Where the rows come from: text, numbers, lists and tables.
    levels : mapping of str to sequence, optional
        The levels of treatments in their order; by default those that occur, rising.
    left_out : tuple of str
        Subjects that were dropped because they lack a combination; see `read_experiment`.

    Examples
    --------
    >>> frame = pd.DataFrame(
    ...     {"who": ["a", "a", "b", "b"], "age": [3, 3, 4, 4], "drug": [0, 1, 0, 1],
    ...      "pain": [5.0, 2.0, 6.0, 1.0]}
    ... )
    >>> trial = FactorialExperiment(frame, "who", None, ("drug",), ("pain",), ("age",), "age")
    >>> trial.n_subjects, trial.n_combinations, trial.levels
    (2, 2, {'drug': (0.0, 1.0)})
    """

    frame: pd.DataFrame
    subject: str
    trial: str | None
    treatments: tuple[str, ...]
    outcomes: tuple[str, ...]
    covariates: tuple[str, ...]
    biasing: str
    provenance: Mapping[str, Any] = field(default_factory=dict)
    levels: Mapping[str, Sequence[Level]] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        roles = self._roles()
        for role in ("treatments", "outcomes", "covariates"):
            if isinstance(getattr(self, role), str):
                raise TypeError(f"{role}: expected a tuple of names, got the text {roles[role]!r}")
            object.__setattr__(self, role, tuple(getattr(self, role)))
        check_roles(self.frame, roles)
        try:
            check_biasing(self.biasing, self.covariates)
        except ValueError as error:
            raise ValueError(f"biasing: {error}") from None
        named = [name for names in roles.values() for name in names]
        frame = self.frame[named].reset_index(drop=True)
        if frame.empty:
            raise ValueError("frame: expected at least 1 row, got none")
        frame[self.subject] = frame[self.subject].astype(str)
        check_values(frame, self.outcomes, self.covariates, self.subject)
        levels = levels_of(frame, self.treatments, self.levels)
        check_no_duplicates(frame, self.subject, self.trial, self.treatments)
        _refuse_incomplete(incomplete_subjects(frame, self.subject, levels))
        object.__setattr__(self, "frame", frame)
        object.__setattr__(self, "levels", levels)

    def _roles(self) -> dict[str, Sequence[str]]:
        return {
            "subject": (self.subject,),
            "trial": (self.trial,) if self.trial else (),
            "covariates": self.covariates,
            "treatments": self.treatments,
            "outcomes": self.outcomes,
        }

    @property
    def n_subjects(self) -> int:
        """The number of subjects."""
        return int(self.subject_numbers.max()) + 1

    @cached_property
    def subjects(self) -> pd.DataFrame:
        """The first row of each subject, in their order."""
        return self.frame.drop_duplicates(self.subject)

    @cached_property
    def subject_numbers(self) -> Indices:
        """The number of each row's subject, in the order of their first rows."""
        return pd.factorize(self.frame[self.subject])[0].astype("int64")

    @cached_property
    def treatment_codes(self) -> dict[str, Indices]:
        """For each treatment the position of each row's level."""
        return {name: level_codes(self.frame[name], levels) for name, levels in self.levels.items()}

    @cached_property
    def combinations(self) -> Indices:
        """The number of each row's combination, the last treatment's level changing fastest."""
        return combination_codes(self.frame, self.levels)

    @property
    def n_combinations(self) -> int:
        """The number of combinations of treatments."""
        return prod(len(levels) for levels in self.levels.values())


def _refuse_incomplete(lacking: Mapping[str, Mapping[str, Level]]) -> None:
    if lacking:
        name, settings = next(iter(lacking.items()))
        words = ", ".join(f"{treatment} = {level}" for treatment, level in settings.items())
        raise ValueError(
            f"subject {shown(name)} lacks {words} ({len(lacking)} subjects lack a combination); "
            "run them again, or leave such subjects out"
        )


def complete_rows(
    frame: pd.DataFrame,
    subject: str,
    treatments: Sequence[str],
    levels: Mapping[str, Sequence[Level]] | None = None,
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the rows of subjects that have every combination, and the names of the others.

    Examples
    --------
    >>> frame = pd.DataFrame({"who": ["a", "a", "b"], "drug": [0, 1, 1]})
    >>> kept, left_out = complete_rows(frame, "who", ["drug"])
    >>> len(kept), left_out
    (2, ('b',))
    """
    known = levels_of(frame, treatments, levels or {})
    left_out = tuple(incomplete_subjects(frame, subject, known))
    complete = frame[~frame[subject].astype(str).isin(left_out)]
    if complete.empty:
        raise ValueError(
            f"none of the {len(left_out)} subjects has every combination of the treatments; "
            "is a treatment missing, or one of its levels?"
        )
    return complete, left_out


def check_roles(frame: pd.DataFrame, roles: Mapping[str, Sequence[str]]) -> None:
    """Raise unless each role names columns of the frame, and each column has one role."""
    known = [str(column) for column in frame.columns]
    faults: list[str] = []
    for role, names in roles.items():
        for name in names:
            if name not in frame.columns:
                hint = did_you_mean(name, known)
                faults.append(f"{role}: there is no column {name!r}; {hint}")
            elif fault := name_fault(name):
                faults.append(f"{role}: the name of a column {fault}")
    for role in ("treatments", "outcomes", "covariates"):
        if not roles[role]:
            faults.append(f"{role}: expected at least 1 column, got none")
    if faults:
        raise ValueError("; ".join(faults))
    check_one_role(roles)


def check_one_role(roles: Mapping[str, Sequence[str]]) -> None:
    """Raise if a column is named twice.

    Examples
    --------
    >>> check_one_role({"outcomes": ("time", "size"), "covariates": ("size",)})
    Traceback (most recent call last):
    ValueError: column 'size' is named under outcomes and covariates; it has one role
    """
    holder: dict[str, str] = {}
    for role, names in roles.items():
        for name in names:
            if name in holder:
                raise ValueError(
                    f"column {name!r} is named under {holder[name]} and {role}; it has one role"
                )
            holder[name] = role


def check_biasing(name: str, covariates: Sequence[str]) -> None:
    """Raise unless the column by which treatments are assigned is a covariate.

    Examples
    --------
    >>> check_biasing("size", ("sizes",))
    Traceback (most recent call last):
    ValueError: 'size' is not a covariate; did you mean 'sizes'?
    """
    if name not in covariates:
        raise ValueError(f"{name!r} is not a covariate; {did_you_mean(name, covariates)}")


def check_values(
    frame: pd.DataFrame, outcomes: Sequence[str], covariates: Sequence[str], subject: str
) -> None:
    """Raise for missing values, outcomes that are no numbers or constant, and loose covariates."""
    for name in frame.columns:
        missing = frame[name].isna().to_numpy()
        if missing.any():
            raise ValueError(
                f"column {name!r}: {int(missing.sum())} values are missing, the first in row "
                f"{int(missing.argmax())} (from 0); remove those subjects or measure again"
            )
    for name in outcomes:
        column = frame[name]
        if not pd.api.types.is_numeric_dtype(column):
            raise ValueError(f"outcome {name!r}: expected numbers, got {shown(column.tolist()[0])}")
        if not np.isfinite(column.to_numpy(float)).all():
            raise ValueError(f"outcome {name!r}: expected finite numbers, got an infinite one")
        if column.nunique() == 1:
            raise ValueError(
                f"outcome {name!r}: always {shown(column.tolist()[0])}, so nothing can change it; "
                "leave it out"
            )
    numbers, names = pd.factorize(frame[subject])
    for name in covariates:
        check_covariate(frame, name, numbers, [str(name_of) for name_of in names])


def check_covariate(
    frame: pd.DataFrame, name: str, numbers: Indices, subjects: Sequence[str]
) -> None:
    """Raise if a covariate is constant over all subjects, or varies within one.

    Parameters
    ----------
    frame : DataFrame
    name : str
    numbers : Indices
        Of each row's subject.
    subjects : sequence of str
    """
    if frame[name].nunique() == 1:
        raise ValueError(
            f"covariate {name!r}: the same for all subjects ({shown(frame[name].tolist()[0])}); "
            "leave it out"
        )
    values = frame[name].to_numpy()
    _, first = np.unique(numbers, return_index=True)
    several = np.unique(numbers[values != values[first][numbers]])
    if len(several):
        raise ValueError(
            f"covariate {name!r}: varies within {len(several)} subjects, the first is "
            f"{shown(subjects[several[0]])}; a covariate precedes treatment, so name it as an "
            "outcome or leave it out"
        )


def levels_of(
    frame: pd.DataFrame, treatments: Sequence[str], stated: Mapping[str, Sequence[Level]]
) -> dict[str, tuple[Level, ...]]:
    """Return the levels of each treatment: those stated, else those that occur in rising order."""
    for name in stated:
        if name not in treatments:
            raise ValueError(
                f"levels: there is no treatment {name!r}; " + did_you_mean(name, treatments)
            )
    levels: dict[str, tuple[Level, ...]] = {}
    for name in treatments:
        occurring = [_plain(level) for level in sorted(frame[name].unique())]
        levels[name] = tuple(_plain(level) for level in stated.get(name, occurring))
        unknown = [level for level in occurring if level not in levels[name]]
        if unknown:
            raise ValueError(
                f"treatment {name!r}: {shown(unknown[0])} occurs but is not among its levels "
                f"{listed(levels[name])}"
            )
        if len(set(levels[name])) < max(2, len(levels[name])):
            raise ValueError(
                f"treatment {name!r}: expected 2 or more different levels, got "
                f"{listed(levels[name]) or 'none'}; leave it out, or run its other level"
            )
    return levels


def _plain(level: object) -> Level:
    return level if isinstance(level, str) else float(level)  # type: ignore[arg-type]


def check_no_duplicates(
    frame: pd.DataFrame, subject: str, trial: str | None, treatments: Sequence[str]
) -> None:
    """Raise if a subject has two rows of the same settings and trial."""
    key = [subject, *treatments, *([trial] if trial else [])]
    twice = frame.duplicated(key).to_numpy()
    if twice.any():
        row = frame.iloc[int(twice.argmax())]
        settings = ", ".join(f"{name} = {row[name]}" for name in key[1:])
        hint = "remove one" if trial else "remove one, or name the column that counts trials"
        raise ValueError(
            f"subject {shown(row[subject])} has more than one row of {settings} "
            f"({int(twice.sum())} such rows in all); {hint}"
        )


def incomplete_subjects(
    frame: pd.DataFrame, subject: str, levels: Mapping[str, Sequence[Level]]
) -> dict[str, dict[str, Level]]:
    """Return each subject that lacks a combination of treatments, with one that it lacks.

    Examples
    --------
    >>> frame = pd.DataFrame({"who": ["a", "a", "b"], "drug": [0, 1, 1]})
    >>> incomplete_subjects(frame, "who", {"drug": (0.0, 1.0)})
    {'b': {'drug': 0.0}}
    """
    sizes = tuple(len(each) for each in levels.values())
    cells = combination_codes(frame, levels)
    subjects, names = pd.factorize(frame[subject])
    present = np.zeros((len(names), prod(sizes)), dtype=bool)
    present[subjects, cells] = True
    lacking = {}
    for row in np.flatnonzero(~present.all(axis=1)).tolist():
        at = np.unravel_index(int(present[row].argmin()), sizes)
        lacking[str(names[row])] = {
            name: each[int(k)] for (name, each), k in zip(levels.items(), at, strict=True)
        }
    return lacking


def combination_codes(frame: pd.DataFrame, levels: Mapping[str, Sequence[Level]]) -> Indices:
    """Return the number of each row's combination, the last treatment's level changing fastest.

    Examples
    --------
    >>> frame = pd.DataFrame({"drug": [0, 1, 1], "diet": ["b", "a", "b"]})
    >>> combination_codes(frame, {"drug": (0.0, 1.0), "diet": ("a", "b")}).tolist()
    [1, 2, 3]
    """
    cells = np.zeros(len(frame), dtype=np.int64)
    for name, each in levels.items():
        cells = cells * len(each) + level_codes(frame[name], each)
    return cells


def level_codes(column: pd.Series, levels: Sequence[Level]) -> Indices:
    """Return the position of each entry among the levels.

    Examples
    --------
    >>> level_codes(pd.Series(["b", "a"]), ("b", "a")).tolist()
    [0, 1]
    """
    return np.asarray(pd.Categorical(column, categories=list(levels)).codes, dtype=np.int64)
