"""The files of factorial experiments: rows as CSV with a description in TOML, and the JDK's."""

from __future__ import annotations

import hashlib
import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import pandas as pd

from causalassay.common.files import check_regular, is_packed, read_text, write_text
from causalassay.common.spelling import did_you_mean, listed, shown
from causalassay.data.text_tables import check_header_and_size
from causalassay.lab.factorial.experiment import FactorialExperiment, complete_rows

_EXPECTED = "an experiment file (.toml)"
_KEYS = ("subject", "trial", "treatments", "outcomes", "covariates", "biasing", "rows")
_OPTIONAL = ("trial", "rows")


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
    levels = {name: tuple(each) for name, each in tables["treatments"].items()}
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
    write_text(path.with_suffix(".csv"), experiment.frame.to_csv(index=False))
    write_text(path, _description(experiment))
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
        if not all(isinstance(entry, str) for entry in tables[name]):
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
    return all(isinstance(level, str) for level in levels) or all(
        isinstance(level, int | float) for level in levels
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
        inner = ", ".join(f"{as_key(name)} = {as_toml(entry)}" for name, entry in value.items())
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


# The Java Development Kit experiment of Garant and Jensen 2016.

FILE_NAME = "jdk-results.csv"

TREATMENTS = ("debug", "obfuscate", "optimize", "parallelgc")
OUTCOMES = (
    "num_bytecode_ops",
    "total_unit_test_time",
    "allocated_bytes",
    "jar_file_size_bytes",
    "compile_time_ms",
)
COVARIATES = ("source_ncss", "test_classes", "test_functions", "test_ncss", "test_javadocs")
BIASING = "test_javadocs"


def read_jdk(path: Path | str) -> FactorialExperiment:
    """Return the JDK experiment: 473 Java projects under 16 settings, five trials of each.

    A subject is a project that is compiled and whose unit tests are run. The treatments are
    debugging symbols, obfuscation, optimisation and the parallel garbage collector.

    Parameters
    ----------
    path : Path or str
        The file jdk-results.csv, or its folder.

    References
    ----------
    Garant and Jensen 2016, section 5.1.1; the number of "Javadoc" comments in the test code is
    their biasing covariate.

    Examples
    --------
    >>> read_jdk("absent")
    Traceback (most recent call last):
    FileNotFoundError: absent: there is no such file
    """
    path = Path(path)
    file = path / FILE_NAME if path.is_dir() else path
    check_regular(file, f"the file {FILE_NAME} or its folder")
    check_header_and_size(file)
    try:
        frame = pd.read_csv(file, compression="gzip" if is_packed(file) else None)
    except (ValueError, pd.errors.ParserError, UnicodeDecodeError) as error:
        raise ValueError(f"{file}: cannot be read as CSV ({error})") from error
    try:
        return FactorialExperiment(
            frame,
            subject="repo_name",
            trial="trial",
            treatments=TREATMENTS,
            outcomes=OUTCOMES,
            covariates=COVARIATES,
            biasing=BIASING,
            provenance={
                "source": "Garant and Jensen 2016, JDK domain",
                "file": file.name,
                "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
            },
        )
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from error
