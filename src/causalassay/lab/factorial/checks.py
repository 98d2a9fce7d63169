"""What the rows of a factorial experiment must satisfy; every message names the column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
import pandas as pd

from causalassay.common.spelling import did_you_mean, listed, name_fault, shown
from causalassay.graphs.orders import Indices

Level = str | float


def check_roles(frame: pd.DataFrame, roles: Mapping[str, Sequence[str]]) -> None:
    """Raise unless each role names columns of the frame, and each column has one role."""
    holder: dict[str, str] = {}
    for role, names in roles.items():
        for name in names:
            if name not in frame.columns:
                known = [str(one) for one in frame.columns]
                raise ValueError(
                    f"{role}: there is no column {name!r}; " + did_you_mean(name, known)
                )
            if fault := name_fault(name):
                raise ValueError(f"{role}: the name of a column {fault}")
            if name in holder:
                raise ValueError(
                    f"column {name!r} is named under {holder[name]} and {role}; it has one role"
                )
            holder[name] = role
    for role in ("treatments", "outcomes", "covariates"):
        if not roles[role]:
            raise ValueError(f"{role}: expected at least 1 column, got none")


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
        check_covariate(frame, name, numbers, [str(one) for one in names])


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
        occurring = [_plain(one) for one in sorted(frame[name].unique())]
        levels[name] = tuple(_plain(one) for one in stated.get(name, occurring))
        unknown = [one for one in occurring if one not in levels[name]]
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
    sizes = tuple(len(one) for one in levels.values())
    cells = combination_codes(frame, levels)
    subjects, names = pd.factorize(frame[subject])
    present = np.zeros((len(names), prod(sizes)), dtype=bool)
    present[subjects, cells] = True
    lacking = {}
    for row in np.flatnonzero(~present.all(axis=1)).tolist():
        at = np.unravel_index(int(present[row].argmin()), sizes)
        lacking[str(names[row])] = {
            name: one[int(k)] for (name, one), k in zip(levels.items(), at, strict=True)
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
    for name, one in levels.items():
        cells = cells * len(one) + level_codes(frame[name], one)
    return cells


def level_codes(column: pd.Series, levels: Sequence[Level]) -> Indices:
    """Return the position of each entry among the levels.

    Examples
    --------
    >>> level_codes(pd.Series(["b", "a"]), ("b", "a")).tolist()
    [0, 1]
    """
    return np.asarray(pd.Categorical(column, categories=list(levels)).codes, dtype=np.int64)
