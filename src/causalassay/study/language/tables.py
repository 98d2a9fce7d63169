"""The schemas of the tables of a study file, and the engine that checks tables against them.

Tables with keys of their own have a schema here; the tables of graphs, models and algorithms have
the fields of a dataclass (`construct`). Both are checked by pydantic, and every mistake is noted.
"""

from __future__ import annotations

import dataclasses
import re
import typing
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    create_model,
)

from causalassay.common.annotations import expectation, hints
from causalassay.common.spelling import RefusedValue, did_you_mean, name_fault
from causalassay.metrics.registry import Resolution
from causalassay.study.language.mistakes import Location, Mistakes, toml_text, unknown_parameter
from causalassay.study.plan import Statistic

MOST_MEMBERS = 1_000_000
"""Members of one grid, or settings drawn at random: more is taken for a mistake."""

MOST_REPLICATES = 1_000_000
"""Replicates of a problem, or held-out systems of a tuning."""

MOST_SAMPLES = 1_000_000_000
"""Rows of a data set."""

LARGEST_INTEGER = 1_000_000_000
"""Of any parameter: a number of nodes, lags, steps or rows beyond it is taken for a mistake."""

MOST_THREADS = 1024
"""Threads of an algorithm."""

MOST_TOGETHER = 1_000_000
"""Tasks of one call."""

MOST_CHOICES = 10_000
"""Values of one list to draw from."""

LEAST_MEMORY = 1_000_000
"""Bytes that a worker needs; a smaller number has most likely lost its unit."""

_UNITS = {
    "b": 1,
    **{f"{letter}b": 1000**power for power, letter in enumerate("kmgt", 1)},
    **{f"{letter}ib": 1024**power for power, letter in enumerate("kmgt", 1)},
}


def memory_bytes(memory: Any) -> int:
    """Return the bytes of a number, or of text with a unit.

    Examples
    --------
    >>> memory_bytes("1.5 GiB"), memory_bytes("500 MB"), memory_bytes(2_000_000_000)
    (1610612736, 500000000, 2000000000)
    """
    text = memory if isinstance(memory, str) else ""
    match = re.fullmatch(r"\s*(\d+\.?\d*)\s*([a-zA-Z]+)\s*", text)
    if match and match[2].lower() in _UNITS:
        size = int(float(match[1]) * _UNITS[match[2].lower()])
    elif isinstance(memory, int) and not isinstance(memory, bool):
        size = memory
    else:
        raise ValueError(
            f'got {toml_text(memory)}, expected bytes or text such as "2 GB", "500 MB", "1.5 GiB"'
        )
    if size < LEAST_MEMORY:
        raise ValueError(
            f'got {toml_text(memory)}, too little for any worker; did you mean "2 GB"?'
        )
    return size


def printed_name(name: Any) -> Any:
    """Return a name that can be shown; what is no text is left to its schema."""
    fault = name_fault(name) if isinstance(name, str) else ""
    if fault:
        raise ValueError(f"the name {fault}")
    return name


_PrintedName = Annotated[str, BeforeValidator(printed_name)]


class StrictTable(BaseModel):
    """A table of the file: an unknown key is a mistake, and no value is converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class StudySchema(StrictTable):
    """The whole file; the tables in its lists have schemas of their own."""

    name: str = Field(
        pattern=r"^[A-Za-z0-9_-]{1,100}$",
        description="text of at most 100 letters, digits, - and _ (it names a folder)",
    )
    seed: int = Field(ge=0, lt=2**63, description="an integer from 0 to 2^63 - 1")
    replicates: int = Field(
        ge=1, le=MOST_REPLICATES, description=f"an integer from 1 to {MOST_REPLICATES}"
    )
    metrics: list[Any] = Field([], description="a list of metrics")
    diagnostics: list[Any] = Field([], description="a list of names")
    baselines: bool = Field(True, description="true or false")
    controls: bool = Field(True, description="true or false")
    limits: dict[str, Any] = Field({}, description="a table with seconds, load_seconds and memory")
    problems: list[Any] = Field(min_length=1, description="one or more tables [[problems]]")
    algorithms: list[Any] = Field([], description="a list of names and tables, or [[algorithms]]")


class LimitsSchema(StrictTable):
    """What one task may use; `seconds` and `load_seconds` may be inf, for no limit."""

    seconds: float | None = Field(None, gt=0, description="a positive number of seconds, or inf")
    load_seconds: float | None = Field(
        None, gt=0, description="a positive number of seconds, or inf"
    )
    memory: Annotated[int, BeforeValidator(memory_bytes)] | None = None


class NeedsSchema(StrictTable):
    """What each task of an algorithm reserves while it runs."""

    threads: int = Field(1, ge=1, le=MOST_THREADS, description=f"from 1 to {MOST_THREADS}")
    gpus: float = Field(0.0, gt=0, le=1, description="a number above 0, at most 1: part of a GPU")
    at_most: int | None = Field(None, ge=1, description="an integer from 1")


class CallSchema(StrictTable):
    """How many tasks an algorithm computes in one call, if it computes many at once."""

    batch: int | None = Field(
        None, ge=1, le=MOST_TOGETHER, description=f"an integer from 1 to {MOST_TOGETHER}"
    )


class MetricSchema(StrictTable):
    """A metric, with a resolution that is not its default."""

    name: str = Field(description="the name of a metric")
    resolution: Resolution | None = Field(
        None, description='"as-is", "mean" or "favourable": how an estimated class is scored'
    )


class ProblemHeadSchema(StrictTable):
    """The keys of a problem that name it or make many of it."""

    name: _PrintedName | None = Field(None, min_length=1, description="text on one line")
    grid: dict[str, Any] | None = Field(None, description="a table with a list for each key")
    random: dict[str, Any] | None = Field(
        None, description="a table with a list or {low, high} for each key"
    )
    settings: int | None = Field(
        None, ge=1, le=MOST_MEMBERS, description=f"an integer from 1 to {MOST_MEMBERS}"
    )


class ProblemSchema(StrictTable):
    """The keys of one problem, after its grid is expanded or its setting drawn."""

    samples: int | None = Field(
        None, ge=2, le=MOST_SAMPLES, description=f"an integer from 2 to {MOST_SAMPLES}"
    )
    transform: list[Any] = Field([], description="a list of transforms")
    graph: dict[str, Any] | None = Field(None, description="a table")
    model: dict[str, Any] | None = Field(None, description="a table")
    interventions: dict[str, Any] | None = Field(None, description="a table")
    accept: dict[str, Any] | None = Field(None, description="a table")
    data: dict[str, Any] | None = Field(None, description="a table")
    network: str | None = Field(None, description="the path of a BIF file")


class DataSchema(StrictTable):
    """A data file with its true graph, or a folder of files with theirs."""

    file: str | None = Field(None, description="the path of a text, Parquet, Feather or NumPy file")
    files: str | None = Field(
        None, description='the path of a folder, or a pattern such as "sets/*.csv"'
    )
    graph: str | None = Field(None, description="the path of a file with the true graph")
    graphs: str | None = Field(
        None, description='the path of a folder of graphs, or a pattern such as "sets/*.dot"'
    )
    condition: str | None = Field(None, description="the name of a column")
    target: str | None = Field(None, description="the name of a column")
    observational: str | None = Field(None, description="the name of a condition")
    only_observational: bool = Field(False, description="true or false")
    bootstrap: bool | Annotated[int, Field(ge=2, le=MOST_SAMPLES)] = Field(
        False, description=f"true, false or a number of rows from 2 to {MOST_SAMPLES}"
    )
    rows: Literal["independent", "series"] = Field(
        "independent", description='"independent" or "series"'
    )
    discrete: bool | list[str] | dict[str, list[str] | list[float]] = Field(
        [],
        description="true for all columns, a list of columns, or a table of their levels",
    )
    drop: list[str] | None = Field(None, description="a list of columns to leave out")
    separator: str | None = Field(None, description="the separator of a text file's fields")
    transpose: bool = Field(False, description="true or false")


class AlgorithmSchema(StrictTable):
    """The keys of an algorithm that are no hyperparameters."""

    use: str = Field(description="the name of an algorithm, as `causalassay list` has it")
    name: _PrintedName | None = Field(None, min_length=1, description="text on one line")
    grid: dict[str, Any] | None = Field(None, description="a table with a list for each key")
    tune: dict[str, Any] | None = Field(None, description="a table with criterion and grid")
    mine: bool = Field(False, description="true for the algorithm that reports compare with all")
    held_out_folds: int | None = Field(None, ge=2, description="an integer from 2")


class TuneSchema(StrictTable):
    """How hyperparameters are chosen on held-out systems."""

    criterion: str | dict[str, Any] = Field(description="a metric, as a name or a table")
    statistic: Statistic = Field("median", description='"median" or "mean"')
    systems: int = Field(
        20, ge=1, le=MOST_REPLICATES, description=f"an integer from 1 to {MOST_REPLICATES}"
    )
    grid: dict[str, Any] = Field(min_length=1, description="a table with a list for each key")


class RangeSchema(StrictTable):
    """A range to draw from."""

    low: float = Field(allow_inf_nan=False, description="a number")
    high: float = Field(allow_inf_nan=False, description="a number")
    integer: bool = Field(False, description="true or false")
    log: bool = Field(False, description="true or false")


Schema = TypeVar("Schema", bound=StrictTable)


def validated(
    schema: type[Schema], table: Any, location: Location, mistakes: Mistakes
) -> Schema | None:
    """Return the table if it fits its schema; else note every mistake and return None.

    Examples
    --------
    >>> mistakes = Mistakes()
    >>> validated(LimitsSchema, {"second": 5}, Location("limits"), mistakes)
    >>> mistakes.lines
    ["limits.second: there is no such key; did you mean 'seconds'?"]
    """
    if not isinstance(table, Mapping):
        mistakes.add(location, f"got {toml_text(table)}, expected a table")
        return None
    try:
        return schema.model_validate(table)
    except ValidationError as error:
        _note_all(schema, error, table, location, mistakes)
    return None


def valid_part(
    schema: type[Schema],
    table: Mapping[str, Any],
    location: Location,
    mistakes: Mistakes,
    owner: str = "",
) -> Schema:
    """Return the table without its mistaken keys, so that those do not hide other mistakes.

    For a schema whose keys are all optional.
    """
    try:
        return schema.model_validate(table)
    except ValidationError as error:
        mistaken = _note_all(schema, error, table, location, mistakes, owner)
    return schema.model_validate({key: table[key] for key in table if key not in mistaken})


def _note_all(
    schema: type[BaseModel],
    error: ValidationError,
    table: Mapping[str, Any],
    location: Location,
    mistakes: Mistakes,
    owner: str = "",
) -> set[str]:
    """Note one mistake for each key that has some, and return these keys."""
    # Each branch of a union complains of its own part; one line about the whole is clearer.
    first: dict[str, Any] = {}
    for problem in error.errors(include_url=False):
        first.setdefault(str(problem["loc"][0]), problem)
    fields = {field.alias or name: field for name, field in schema.model_fields.items()}
    for key, problem in first.items():
        where, field = location.at(key), fields.get(key)
        expected = field.description if field else ""
        match problem["type"]:
            case "extra_forbidden":
                hint = did_you_mean(key, list(fields))
                message = f"there is no such key; {hint}"
                if owner:
                    message = unknown_parameter(key, owner, list(fields))
                mistakes.add(where, message, element=False)
            case "missing" if len(problem["loc"]) == 1:  # else of an element of the value
                mistakes.add(where, f"missing; expected {expected}")
            case "literal_error" if field and isinstance(table[key], str):
                hint = did_you_mean(table[key], _choices(field.annotation))
                mistakes.add(where, f"there is no {table[key]!r}; {hint}")
            case "value_error":
                mistakes.add(where, str(problem["ctx"]["error"]))
            case _:
                hint = _type_hint(table[key], problem["type"], where)
                mistakes.add(where, f"got {toml_text(table[key])}, expected {expected}{hint}")
    return set(first)


def _type_hint(value: Any, problem: str, where: Location) -> str:
    """Return what the author of a value of a wrong type may have meant, or nothing."""
    if where.drawn and isinstance(value, float) and problem == "int_type":
        return "; state integer = true"
    single = problem in {"int_type", "float_type", "string_type", "bool_type"}
    if where.table and isinstance(value, list | tuple) and single:
        return f"; a list varies only under `grid`: grid.{'.'.join(where.keys)} = [...]"
    return ""


def _choices(annotation: Any) -> list[str]:
    """Return the texts that an annotation lists, also as a part of a union."""
    arguments = typing.get_args(annotation)
    if typing.get_origin(annotation) is Literal:
        return list(arguments)
    return [choice for argument in arguments for choice in _choices(argument)]


# From a table to a dataclass: its keys are the fields, their annotations the types.


def construct(
    kind: Any, table: Mapping[str, Any], owner: str, location: Location, mistakes: Mistakes
) -> Any:
    r"""Return the dataclass that a table describes; None if the table has a mistake.

    Parameters
    ----------
    kind : type
        A dataclass.
    table : mapping
        Its fields, without those left at their defaults.
    owner : str
        What the file calls `kind`.
    location : Location
    mistakes : Mistakes
        Every mistake is noted here, also those that the class itself finds.

    Examples
    --------
    >>> from causalassay.models import SCM
    >>> construct(SCM, {"noise_sd": 2, "weights": [1, 3]}, "scm", Location("model"), Mistakes())
    SCM(weights=(1.0, 3.0), signs='random', noise='gaussian', noise_sd=2.0)
    >>> mistakes = Mistakes()
    >>> construct(SCM, {"noise_sd": -1, "weight": [1, 3]}, "scm", Location("model"), mistakes)
    >>> print(*mistakes.lines, sep="\n")
    model.weight: 'scm' has no such parameter; it takes 'weights', 'signs', 'noise', 'noise_sd';
    did you mean 'weights'?
    model.noise_sd: expected a positive number, got -1.0
    """
    before = mistakes.noted
    schema = schema_of(kind)
    part = valid_part(schema, frozen(table), location, mistakes, owner)
    fields = {name: field.alias or name for name, field in schema.model_fields.items()}
    values = {fields[name]: getattr(part, name) for name in part.model_fields_set}
    required = _required(kind)
    for name in required:
        if name not in table:
            expected = expectation(hints(kind).get(name, Any), toml_text)
            mistakes.add(location.at(name), f"missing; {owner!r} takes {expected}")
    # A class names one field that it refuses: it is asked again with that key left out.
    while True:
        try:
            result = kind(**dict.fromkeys(required, _ABSENT) | values)
        except Exception as error:
            name, reason = _blame(error)
            if name in values:
                mistakes.add(location.at(name), reason)
                del values[name]
                continue
            # With a key left out, what the class says of several fields may be due to that.
            if mistakes.noted == before:
                known = name in fields.values()
                here = known or location.keys[-1:] == (name,)
                where = location.at(name) if known else location
                mistakes.add(where, reason if here else _refusal(error))
            return None
        return result if mistakes.noted == before else None


@cache
def schema_of(kind: Any) -> type[StrictTable]:
    """Return the schema of a dataclass's fields, each of which may be left out.

    A whole number becomes a float where a number is wanted; nothing else is converted. An
    annotation of a plug-in that pydantic does not know, such as its own protocol, admits all.
    """
    annotations = hints(kind)
    fields: dict[str, Any] = {}
    for number, field in enumerate(field for field in dataclasses.fields(kind) if field.init):
        annotation = annotations.get(field.name, Any)
        admitted: Any = Annotated[_known(annotation), AfterValidator(_bounded)]
        expected = expectation(annotation, toml_text)
        # The name is an alias: as an attribute it could hide one of pydantic's own.
        fields[f"field{number}"] = admitted, Field(None, alias=field.name, description=expected)
    return create_model(kind.__name__, __base__=StrictTable, **fields)


@cache
def _known(annotation: Any) -> Any:
    try:
        TypeAdapter(annotation)
    except Exception:  # a stranger's annotation may raise anything
        return Any
    return annotation


def _bounded(value: Any) -> Any:
    """Refuse an integer that is taken for a mistake."""
    if _largest(value) > LARGEST_INTEGER:
        expected = f"an integer of at most {LARGEST_INTEGER}"
        raise ValueError(f"got {toml_text(value)}, expected {expected}")
    return value


def frozen(value: Any) -> Any:
    """Return the value with tuples in place of lists.

    Examples
    --------
    >>> frozen([1, [2, 3]]), frozen({"a": [1]})
    ((1, (2, 3)), {'a': (1,)})
    """
    if isinstance(value, Mapping):
        return {key: frozen(inner) for key, inner in value.items()}
    return tuple(map(frozen, value)) if isinstance(value, list | tuple) else value


def _largest(value: Any) -> int:
    """Return the largest integer in a value, without sign; 0 where there is none."""
    if isinstance(value, tuple):
        return max(map(_largest, value), default=0)
    return abs(value) if isinstance(value, int) else 0


def _required(kind: Any) -> list[str]:
    missing = dataclasses.MISSING
    fields = [field for field in dataclasses.fields(kind) if field.init]
    return [
        field.name
        for field in fields
        if field.default is missing and field.default_factory is missing
    ]


class _Absent:
    """In the place of a required value that is missing or mistaken: using it is an error.

    So a class checks what the file states, in the order of its checks, and nothing made up;
    a check that needs the absent value ends them.
    """

    def _end(self, *_: Any) -> Any:
        raise TypeError("the value is absent")

    __bool__ = __eq__ = __repr__ = _end
    __hash__ = object.__hash__


_ABSENT = _Absent()


def _blame(error: Exception) -> tuple[str, str]:
    """Return the parameter that a class refuses, and why; no parameter if it does not say."""
    return (error.parameter, error.reason) if isinstance(error, RefusedValue) else ("", "")


def _refusal(error: Exception) -> str:
    if isinstance(error, ValueError | TypeError | ImportError):
        return str(error) or type(error).__name__
    # Whatever a plug-in's class raises, the other tables are still read.
    return f"raised {type(error).__name__}: {error}"
