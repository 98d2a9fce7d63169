"""The tables of a study file: their keys, and what each key holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from causalassay.metrics.registry import DEFAULT_METRICS, Resolution
from causalassay.spelling import did_you_mean
from causalassay.study.language.mistakes import Mistakes, Place, shown
from causalassay.study.measures import DEFAULT_DIAGNOSTICS
from causalassay.study.plan import Statistic

MOST_MEMBERS = 1_000_000
"""Of one grid, or of settings drawn at random: more is taken for a mistake."""

LEAST_MEMORY = 1_000_000

_UNITS = {
    "b": 1,
    **{f"{letter}b": 1000**power for power, letter in enumerate("kmgt", 1)},
    **{f"{letter}ib": 1024**power for power, letter in enumerate("kmgt", 1)},
}


def memory_bytes(memory: Any) -> int:
    """Return bytes; raises a ValueError where `memory` is neither a number nor text with a unit.

    Examples
    --------
    >>> memory_bytes("1.5 GiB"), memory_bytes("500 MB"), memory_bytes(2_000_000_000)
    (1610612736, 500000000, 2000000000)
    """
    found = re.fullmatch(r"\s*(\d+\.?\d*)\s*([a-zA-Z]+)\s*", memory) if _is_text(memory) else None
    if found and found[2].lower() in _UNITS:
        size = int(float(found[1]) * _UNITS[found[2].lower()])
    elif isinstance(memory, int) and not isinstance(memory, bool):
        size = memory
    else:
        raise ValueError(
            f'got {shown(memory)}, expected bytes or text such as "2 GB", "500 MB", "1.5 GiB"'
        )
    if size < LEAST_MEMORY:
        raise ValueError(f'got {shown(memory)}, which no worker can do with; did you mean "2 GB"?')
    return size


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


class Table(BaseModel):
    """A table of the file: a key it does not know is a mistake, and nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class StudyTable(Table):
    """The whole file; what stands in its lists is validated table by table."""

    name: str = Field(
        pattern=r"^[A-Za-z0-9_-]+$",
        description="text of letters, digits, - and _ (it names a folder)",
    )
    seed: int = Field(ge=0, lt=2**63, description="an integer from 0 to 2^63 - 1")
    replicates: int = Field(ge=1, description="an integer of at least 1")
    metrics: list[Any] = Field(list(DEFAULT_METRICS), description="a list of metrics")
    diagnostics: list[Any] = Field(list(DEFAULT_DIAGNOSTICS), description="a list of names")
    baselines: bool = Field(True, description="true or false")
    limits: dict[str, Any] = Field({}, description="a table with seconds and memory")
    problems: list[Any] = Field(min_length=1, description="one or more tables [[problems]]")
    algorithms: list[Any] = Field([], description="a list of names and tables, or [[algorithms]]")


class LimitsTable(Table):
    """What one task may use; `seconds` may be inf, for no limit."""

    seconds: float | None = Field(None, gt=0, description="a positive number of seconds, or inf")
    memory: Annotated[int, BeforeValidator(memory_bytes)] | None = None


class MetricTable(Table):
    """A metric that is not scored in its own way."""

    name: str = Field(description="the name of a metric")
    resolution: Resolution | None = Field(
        None, description='"as-is", "mean" or "favourable": how an estimated class is scored'
    )


class ProblemHead(Table):
    """The keys of a problem that do not say what it is."""

    name: str | None = Field(
        None, min_length=1, pattern=r"^[^\x00-\x1f]+$", description="text on one line"
    )
    grid: dict[str, Any] | None = Field(None, description="a table with a list for each key")
    random: dict[str, Any] | None = Field(
        None, description="a table with a list or {low, high} for each key"
    )
    settings: int | None = Field(
        None, ge=1, le=MOST_MEMBERS, description=f"an integer from 1 to {MOST_MEMBERS}"
    )


class ProblemBody(Table):
    """The keys of one problem, once a grid is expanded."""

    samples: int | None = Field(None, ge=2, description="an integer of at least 2")
    transform: list[Any] = Field([], description="a list of transforms")
    graph: dict[str, Any] | None = Field(None, description="a table")
    model: dict[str, Any] | None = Field(None, description="a table")
    interventions: dict[str, Any] | None = Field(None, description="a table")
    accept: dict[str, Any] | None = Field(None, description="a table")
    data: dict[str, Any] | None = Field(None, description="a table")
    network: str | None = Field(None, description="the path of a BIF file")


class DataTable(Table):
    """A data file with its true graph."""

    file: str = Field(description="the path of a CSV, TSV or Parquet file")
    graph: str | None = Field(None, description="the path of a CSV file with the true graph")
    condition: str | None = Field(None, description="the name of a column")
    target: str | None = Field(None, description="the name of a column")
    observational: str | None = Field(None, description="the name of a condition")
    only_observational: bool = Field(False, description="true or false")
    bootstrap: bool | Annotated[int, Field(ge=2)] = Field(
        False, description="true, false or a number of rows of at least 2"
    )
    rows: Literal["independent", "series"] = Field(
        "independent", description='"independent" or "series"'
    )
    discrete: bool | list[str] | dict[str, list[str] | list[float]] = Field(
        False,
        description="true for all columns, a list of columns, or a table of their levels",
    )


class AlgorithmHead(Table):
    """The keys of an algorithm that are no hyper-parameters."""

    use: str = Field(description="the name of an algorithm, as `causalassay list` has it")
    name: str | None = Field(
        None, min_length=1, pattern=r"^[^\x00-\x1f]+$", description="text on one line"
    )
    grid: dict[str, Any] | None = Field(None, description="a table with a list for each key")
    tune: dict[str, Any] | None = Field(None, description="a table with criterion and grid")


class TuneTable(Table):
    """How hyper-parameters are chosen on held-out systems."""

    criterion: str | dict[str, Any] = Field(description="a metric, as a name or a table")
    statistic: Statistic = Field("median", description='"median" or "mean"')
    systems: int = Field(20, ge=1, description="an integer of at least 1")
    grid: dict[str, Any] = Field(min_length=1, description="a table with a list for each key")


class RangeTable(Table):
    """A range to draw from."""

    low: float = Field(allow_inf_nan=False, description="a number")
    high: float = Field(allow_inf_nan=False, description="a number")
    integer: bool = Field(False, description="true or false")
    log: bool = Field(False, description="true or false")


T = TypeVar("T", bound=Table)


def validated(kind: type[T], table: Any, place: Place, mistakes: Mistakes) -> T | None:
    """Return the table as its kind; None if it is none, and then every mistake is noted.

    Examples
    --------
    >>> mistakes = Mistakes()
    >>> validated(LimitsTable, {"second": 5}, Place("limits"), mistakes)
    >>> mistakes.lines
    ["limits.second: there is no such key; did you mean 'seconds'?"]
    """
    if not isinstance(table, Mapping):
        mistakes.add(place, f"got {shown(table)}, expected a table")
        return None
    try:
        return kind.model_validate(table)
    except ValidationError as error:
        for found in error.errors(include_url=False):
            _tell(kind, found, place, mistakes)
    return None


def _tell(kind: type[Table], found: Any, place: Place, mistakes: Mistakes) -> None:
    key = str(found["loc"][0])
    where = place.at(key)
    expected = kind.model_fields[key].description if key in kind.model_fields else ""
    match found["type"]:
        case "extra_forbidden":
            hint = did_you_mean(key, list(kind.model_fields))
            mistakes.add(where, f"there is no such key; {hint}", element=False)
        case "missing":
            mistakes.add(where, f"missing; expected {expected}")
        case "literal_error" if isinstance(found["input"], str):
            choices = re.findall(r"'([^']*)'", found["ctx"]["expected"])
            hint = did_you_mean(found["input"], choices)
            mistakes.add(where, f"there is no {found['input']!r}; {hint}")
        case "value_error":
            mistakes.add(where, str(found["ctx"]["error"]))
        case _:
            # Of a union every branch complains of its own part; the whole says more.
            mistakes.add(where, f"got {shown(found['input'])}, expected {expected}")
