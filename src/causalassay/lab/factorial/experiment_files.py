"""The files of factorial experiments: rows as CSV with a description in TOML, and the JDK's."""

from __future__ import annotations

import hashlib
import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
from pydantic import AfterValidator, Field, ValidationInfo, create_model, field_validator

from causalassay.common.files import check_regular, is_packed, read_text, write_text
from causalassay.data.text_tables import check_header_and_size
from causalassay.lab.factorial.experiment import (
    FactorialExperiment,
    Level,
    check_biasing,
    check_one_role,
    complete_rows,
)
from causalassay.study.language.mistakes import Location, Mistakes, StudyMistakes
from causalassay.study.language.tables import StrictTable, validated

_EXPECTED = "an experiment file (.toml)"

Columns = Annotated[
    list[str], Field(min_length=1, description="a list of one or more names of columns")
]


class ExperimentSchema(StrictTable):
    """The whole file. A column has one role, and the biasing one is a covariate."""

    subject: str = Field(description="text, the column that names the subject")
    trial: str | None = Field(None, description="text, the column that counts repeated runs")
    outcomes: Columns
    covariates: Columns
    biasing: str = Field(description="text, the name of a covariate")
    treatments: dict[str, Any] = Field(
        min_length=1, description="a table of levels, such as debug = [0, 1]"
    )
    rows: int | None = Field(None, ge=0, description="the number of rows of the CSV file")
    provenance: dict[str, Any] = Field({}, description="a table")

    @field_validator("trial", "outcomes", "covariates", "treatments")
    @classmethod
    def _one_role(cls, value: Any, info: ValidationInfo) -> Any:
        check_one_role({**_roles(info.data), **_roles({str(info.field_name): value})})
        return value

    @field_validator("biasing")
    @classmethod
    def _is_covariate(cls, value: str, info: ValidationInfo) -> str:
        if "covariates" in info.data:  # else there is a mistake in them, and it is told
            check_biasing(value, info.data["covariates"])
        return value


def _roles(fields: Mapping[str, Any]) -> dict[str, Sequence[str]]:
    """Return the columns of each role among the fields of a file."""
    return {
        role: (names,) if isinstance(names, str) else tuple(names)
        for role in ("subject", "trial", "outcomes", "covariates", "treatments")
        if (names := fields.get(role))
    }


def _all_different(levels: list[Any]) -> list[Any]:
    if len(set(levels)) < len(levels):
        raise ValueError(f"expected different levels, got {as_toml(levels)}")
    return levels


Levels = Annotated[
    Annotated[list[str], Field(min_length=2)] | Annotated[list[float], Field(min_length=2)],
    AfterValidator(_all_different),
    Field(description="a list of two or more levels, all text or all numbers, such as [0, 1]"),
]


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
    stated, levels = _read_description(path)
    frame = _read_rows(path.with_suffix(".csv"), stated, levels)
    left_out: tuple[str, ...] = ()
    try:
        if leave_out_incomplete:
            frame, left_out = complete_rows(frame, stated.subject, tuple(levels), levels)
        return FactorialExperiment(
            frame=frame,
            subject=stated.subject,
            trial=stated.trial,
            treatments=tuple(levels),
            outcomes=tuple(stated.outcomes),
            covariates=tuple(stated.covariates),
            biasing=stated.biasing,
            provenance=stated.provenance,
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


def _read_description(path: Path) -> tuple[ExperimentSchema, dict[str, tuple[Level, ...]]]:
    """Return what a file says, and the levels of each treatment; raise with all its mistakes."""
    text = read_text(path, _EXPECTED)
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path}: not TOML ({error})") from error
    mistakes = Mistakes()
    stated = validated(ExperimentSchema, tables, Location(""), mistakes)
    levels = _read_levels(tables.get("treatments"), mistakes)
    match mistakes.lines:
        case []:
            assert stated is not None
            return stated, levels
        case [line]:
            raise ValueError(f"{path}: {line}")
        case lines:
            raise StudyMistakes(str(path), lines)


def _read_levels(treatments: Any, mistakes: Mistakes) -> dict[str, tuple[Level, ...]]:
    """Return the levels of each treatment; what is no table is left to `ExperimentSchema`."""
    if not isinstance(treatments, dict):
        return {}
    # The names are aliases: as attributes they could hide some of pydantic's own.
    fields: dict[str, Any] = {
        f"field{number}": (Levels, Field(alias=name)) for number, name in enumerate(treatments)
    }
    schema = create_model("Treatments", __base__=StrictTable, **fields)
    read = validated(schema, treatments, Location("treatments"), mistakes)
    found = () if read is None else read.model_dump(by_alias=True).items()
    return {name: tuple(levels) for name, levels in found}


def _read_rows(
    path: Path, stated: ExperimentSchema, levels: Mapping[str, Sequence[Level]]
) -> pd.DataFrame:
    check_regular(path, "the rows of the experiment (.csv)")
    check_header_and_size(path)
    try:
        # Text as it stands: a server named "None" or "NA" is no missing value.
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
    except (ValueError, pd.errors.ParserError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: cannot be read as CSV ({error})") from error
    if stated.rows is not None and len(frame) != stated.rows:
        raise ValueError(
            f"{path}: has {len(frame)} rows, but {path.with_suffix('.toml').name} says "
            f"{stated.rows}; the two files do not belong together"
        )
    text = {stated.subject, *(name for name, each in levels.items() if isinstance(each[0], str))}
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
