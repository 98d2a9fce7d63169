"""A factorial experiment: every subject under every combination of the treatments."""

from __future__ import annotations

import json
import math
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from causalassay.common.files import check_regular, read_text
from causalassay.common.spelling import did_you_mean, listed, shown
from causalassay.data.text_tables import check_header_and_size
from causalassay.graphs.orders import Indices
from causalassay.lab.factorial import checks
from causalassay.lab.factorial.checks import Level

_EXPECTED = "an experiment file (.toml)"
_KEYS = ("subject", "trial", "treatments", "outcomes", "covariates", "biasing", "rows")
_OPTIONAL = ("trial", "rows")


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
        checks.check_roles(self.frame, roles)
        if self.biasing not in self.covariates:
            raise ValueError(
                f"biasing: {self.biasing!r} is not a covariate; "
                + did_you_mean(self.biasing, self.covariates)
            )
        named = [name for names in roles.values() for name in names]
        frame = self.frame[named].reset_index(drop=True)
        if frame.empty:
            raise ValueError("frame: expected at least 1 row, got none")
        frame[self.subject] = frame[self.subject].astype(str)
        checks.check_values(frame, self.outcomes, self.covariates, self.subject)
        levels = checks.levels_of(frame, self.treatments, self.levels)
        checks.check_no_duplicates(frame, self.subject, self.trial, self.treatments)
        _refuse_incomplete(checks.incomplete_subjects(frame, self.subject, levels))
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
        return {
            name: checks.level_codes(self.frame[name], one) for name, one in self.levels.items()
        }

    @cached_property
    def combinations(self) -> Indices:
        """The number of each row's combination, the last treatment's level changing fastest."""
        cells = np.zeros(len(self.frame), dtype=np.int64)
        for name, codes in self.treatment_codes.items():
            cells = cells * len(self.levels[name]) + codes
        return cells

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
    known = checks.levels_of(frame, treatments, levels or {})
    left_out = tuple(checks.incomplete_subjects(frame, subject, known))
    kept = frame[~frame[subject].astype(str).isin(left_out)]
    if kept.empty:
        raise ValueError(
            f"none of the {len(left_out)} subjects has every combination of the treatments; "
            "is a treatment missing, or one of its levels?"
        )
    return kept, left_out


def read_experiment(path: Path | str, *, leave_out_incomplete: bool = False) -> FactorialExperiment:
    """Return the experiment that a file ``NAME.toml`` describes; its rows are in ``NAME.csv``.

    Parameters
    ----------
    path : Path or str
        The TOML file. It names `subject`, `trial` (may be absent), `outcomes`, `covariates`,
        `biasing`, the levels of each treatment under ``[treatments]``, and under
        ``[provenance]`` whatever is worth knowing. `rows`, if stated, is checked.
    leave_out_incomplete : bool
        Drop subjects that lack a combination instead of raising; they are named in
        ``left_out``.

    Examples
    --------
    >>> read_experiment("absent.toml")
    Traceback (most recent call last):
    FileNotFoundError: absent.toml: there is no such file
    """
    path = Path(path)
    tables = _read_description(path)
    levels = {name: tuple(one) for name, one in tables["treatments"].items()}
    frame = _read_rows(path.with_suffix(".csv"), tables)
    left_out: tuple[str, ...] = ()
    try:
        if leave_out_incomplete:
            frame, left_out = complete_rows(frame, tables["subject"], tuple(levels), levels)
        return FactorialExperiment(
            frame=frame,
            subject=tables["subject"],
            trial=tables.get("trial"),
            treatments=tuple(levels),
            outcomes=tuple(tables["outcomes"]),
            covariates=tuple(tables["covariates"]),
            biasing=tables["biasing"],
            provenance=tables.get("provenance", {}),
            levels=levels,
            left_out=left_out,
        )
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path}: {error}") from error


def write_experiment(path: Path | str, experiment: FactorialExperiment) -> Path:
    """Write ``NAME.csv`` and then ``NAME.toml``; return the path of the latter.

    Each file appears whole or not at all: an interrupted call leaves what was there.

    Examples
    --------
    >>> import tempfile
    >>> frame = pd.DataFrame(
    ...     {"who": ["a", "a", "b", "b"], "age": [3, 3, 4, 4], "drug": [0, 1, 0, 1],
    ...      "pain": [5.0, 2.0, 6.0, 1.0]}
    ... )
    >>> trial = FactorialExperiment(frame, "who", None, ("drug",), ("pain",), ("age",), "age")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     read_experiment(write_experiment(Path(folder) / "trial.toml", trial)).outcomes
    ('pain',)
    """
    path = Path(path)
    if path.suffix != ".toml":
        raise ValueError(f"{path}: expected a name that ends in .toml")
    _replace(path.with_suffix(".csv"), experiment.frame.to_csv(index=False))
    _replace(path, _description(experiment))
    return path


def _description(experiment: FactorialExperiment) -> str:
    roles = {
        "subject": experiment.subject,
        **({"trial": experiment.trial} if experiment.trial else {}),
        "outcomes": list(experiment.outcomes),
        "covariates": list(experiment.covariates),
        "biasing": experiment.biasing,
        "rows": len(experiment.frame),
    }
    lines = [f"{key} = {as_toml(value)}" for key, value in roles.items()]
    for title, table in (
        ("treatments", experiment.levels),
        ("provenance", experiment.provenance),
    ):
        lines += ["", f"[{title}]"]
        lines += [f"{as_key(key)} = {as_toml(value)}" for key, value in table.items()]
    return "\n".join(lines) + "\n"


def _replace(path: Path, text: str) -> None:
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _read_description(path: Path) -> dict[str, Any]:
    text = read_text(path, _EXPECTED)
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path}: not TOML ({error})") from error
    unknown = [key for key in tables if key not in (*_KEYS, "provenance")]
    if unknown:
        raise ValueError(
            f"{path}: there is no key {unknown[0]!r}; {did_you_mean(unknown[0], _KEYS)}"
        )
    for key in _KEYS:
        if key not in tables and key not in _OPTIONAL:
            raise ValueError(f"{path}: {key} is missing")
    _check_types(path, tables)
    return tables


def _check_types(path: Path, tables: dict[str, Any]) -> None:
    kinds = {"subject": str, "trial": str, "biasing": str, "outcomes": list, "covariates": list}
    for key, kind in kinds.items():
        if key in tables and not isinstance(tables[key], kind):
            words = "text" if kind is str else "a list of names"
            raise ValueError(f"{path}: {key}: expected {words}, got {shown(tables[key])}")
    for name in ("outcomes", "covariates"):
        if not all(isinstance(one, str) for one in tables[name]):
            raise ValueError(f"{path}: {name}: expected names, got {listed(tables[name])}")
    treatments = tables["treatments"]
    if not isinstance(treatments, dict) or not all(
        isinstance(levels, list) and _alike(levels) for levels in treatments.values()
    ):
        raise ValueError(
            f"{path}: treatments: expected a table of levels, all text or all numbers, such as "
            f"debug = [0, 1]; got {shown(treatments)}"
        )
    if not isinstance(tables.get("provenance", {}), dict):
        raise ValueError(f"{path}: provenance: expected a table, got {shown(tables['provenance'])}")


def _alike(levels: list[Any]) -> bool:
    """Tell whether levels are all text or all numbers."""
    return all(isinstance(one, str) for one in levels) or all(
        isinstance(one, int | float) for one in levels
    )


def _read_rows(path: Path, tables: dict[str, Any]) -> pd.DataFrame:
    check_regular(path, "the rows of the experiment (.csv)")
    check_header_and_size(path)
    try:
        # Text as it stands: a server named "None" or "NA" is no missing value.
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
    except (ValueError, pd.errors.ParserError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: cannot be read as CSV ({error})") from error
    if "rows" in tables and len(frame) != tables["rows"]:
        raise ValueError(
            f"{path}: has {len(frame)} rows, but {path.with_suffix('.toml').name} says "
            f"{tables['rows']}; the two files do not belong together"
        )
    text = [tables["subject"]]
    text += [
        name
        for name, levels in tables["treatments"].items()
        if any(isinstance(level, str) for level in levels)
    ]
    for name in frame.columns:
        if name not in text:
            frame[name] = _numbers(frame[name])
    return frame


def _numbers(column: pd.Series) -> pd.Series:
    """Return a column as numbers if every entry is one, else as it is."""
    try:
        return pd.to_numeric(column)
    except ValueError:
        return column


# Values as TOML text: the standard library reads TOML but does not write it.


def as_toml(value: Any) -> str:
    r"""Return a value as TOML writes it: text, numbers, truth values, lists and tables of these.

    Anything else is written as its text, such as a date or a path.

    Examples
    --------
    >>> print(as_toml({"levels": [0, 1.5], "of": 'a "b"', "done": True}))
    {"levels" = [0, 1.5], "of" = "a \"b\"", "done" = true}
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real):
        number = float(value)
        return repr(number) if math.isfinite(number) else str(number)
    if isinstance(value, Mapping):
        inner = ", ".join(f"{as_key(name)} = {as_toml(one)}" for name, one in value.items())
        return f"{{{inner}}}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(as_toml(one) for one in value)}]"
    # A JSON string is a TOML string, but for one character that JSON leaves as it is.
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def as_key(name: str) -> str:
    """Return a name as a TOML key, always in quotes.

    Examples
    --------
    >>> as_key("page cost")
    '"page cost"'
    """
    return as_toml(str(name))
