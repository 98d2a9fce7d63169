"""From a table to a dataclass: its fields are the keys, their annotations the types."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any, Literal

from pydantic import PydanticUserError, TypeAdapter, ValidationError
from pydantic.errors import PydanticSchemaGenerationError

from causalassay.spelling import did_you_mean, listed
from causalassay.study.language.mistakes import Mistakes, Place, shown


def construct(
    kind: Any,
    table: Mapping[str, Any],
    called: str,
    place: Place,
    mistakes: Mistakes,
    make: Callable[..., Any] | None = None,
) -> Any:
    r"""Return the dataclass that a table describes; None if it describes none.

    Parameters
    ----------
    kind : type
        A dataclass.
    table : mapping
        Its fields, without those left at their defaults.
    called : str
        What the file calls `kind`.
    place : Place
    mistakes : Mistakes
        Every mistake is noted here, also those that the class itself finds.
    make : callable, optional
        Makes the value of the fields; by default `kind`.

    Examples
    --------
    >>> from causalassay.models import SCM
    >>> construct(SCM, {"noise_sd": 2, "weights": [1, 3]}, "scm", Place("model"), Mistakes())
    SCM(weights=(1.0, 3.0), signs='random', noise='gaussian', noise_sd=2.0)
    >>> mistakes = Mistakes()
    >>> construct(SCM, {"noise_sd": -1, "weight": [1, 3]}, "scm", Place("model"), mistakes)
    >>> print(*mistakes.lines, sep="\n")
    model.weight: 'scm' has no such parameter; it takes 'weights', 'signs', 'noise', 'noise_sd';
    did you mean 'weights'?
    model.noise_sd: expected a positive number, got -1.0
    """
    before = mistakes.noted
    fields = {field.name: field for field in dataclasses.fields(kind) if field.init}
    for key in table:
        if key not in fields:
            mistakes.add(place.at(key), unknown_parameter(key, called, list(fields)), element=False)
    good: dict[str, Any] = {}
    for name, field in fields.items():
        if name in table:
            _convert(kind, name, table[name], good, place, mistakes)
        elif _required(field):
            expected = words(_hints(kind).get(name, Any))
            mistakes.add(place.at(name), f"missing; {called!r} takes {expected}")
    if mistakes.noted == before:
        made, refusal = _tried(make or kind, good)
        if not refusal:
            return made
        _tell(refusal, fields, place, mistakes)
    unsure = [
        name for name in fields if name not in good and (name in table or _required(fields[name]))
    ]
    trial = {**{name: _stand_in(kind, fields[name]) for name in unsure}, **good}
    _tell_more(make or kind, trial, kind, place, mistakes)
    return None


def words(annotation: Any) -> str:
    """Return in words what an annotation admits.

    Examples
    --------
    >>> words(float | tuple[float, float]), words(tuple[str, ...] | None)
    ('a number or a list of 2 (a number each)', 'a list (text each)')
    """
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (types.UnionType, typing.Union):
        return " or ".join(words(one) for one in arguments if one is not types.NoneType)
    if origin is Literal:
        return "one of " + ", ".join(shown(one) for one in arguments)
    if origin is tuple:
        size = "" if arguments[-1] is Ellipsis else f" of {len(arguments)}"
        return f"a list{size} ({words(arguments[0])} each)"
    plain = {int: "an integer", float: "a number", bool: "true or false", str: "text"}
    return plain.get(annotation, getattr(annotation, "__name__", "a value"))


def frozen(value: Any) -> Any:
    """Return the value with tuples in place of lists."""
    return tuple(frozen(one) for one in value) if isinstance(value, list | tuple) else value


@cache
def _hints(kind: Any) -> dict[str, Any]:
    """Return the annotations of a class; none if they cannot be resolved."""
    try:
        return typing.get_type_hints(kind)
    except Exception:
        # A stranger's annotations may name what exists for the type checker only.
        return {}


@cache
def _adapter(kind: Any, name: str) -> TypeAdapter[Any] | None:
    if name not in _hints(kind):
        return None
    try:
        return TypeAdapter(_hints(kind)[name])
    except (PydanticSchemaGenerationError, PydanticUserError):
        return None


def _convert(
    kind: Any, name: str, value: Any, good: dict[str, Any], place: Place, mistakes: Mistakes
) -> None:
    """Put the value, as the field wants it, into `good`, or note why it cannot be."""
    adapter = _adapter(kind, name)
    if adapter is None:
        good[name] = frozen(value)
        return
    try:
        good[name] = adapter.validate_python(frozen(value), strict=True)
    except ValidationError:
        told = _mistyped(value, _hints(kind)[name])
        hint = "; state integer = true" if place.drawn and isinstance(value, float) else ""
        mistakes.add(place.at(name), told + hint)


def _mistyped(value: Any, annotation: Any) -> str:
    if typing.get_origin(annotation) is Literal and isinstance(value, str):
        return f"there is no {value!r}; {did_you_mean(value, typing.get_args(annotation))}"
    return f"got {shown(value)}, expected {words(annotation)}"


def unknown_parameter(
    key: str, called: str, legal: Collection[str], also: Collection[str] = ()
) -> str:
    """Return that there is no such parameter, what there is, and what is nearest.

    Examples
    --------
    >>> unknown_parameter("lamda", "golem", ["lambda1"], also=["seconds"])
    "'golem' has no such parameter; it takes 'lambda1'; did you mean 'lambda1'?"
    """
    takes = listed(legal) if legal else "none"
    hint = did_you_mean(key, [*legal, *also]) if legal or also else ""
    near = f"; {hint}" if hint.startswith("did you mean") else ""
    return f"{called!r} has no such parameter; it takes {takes}{near}"


def _required(field: dataclasses.Field[Any]) -> bool:
    missing = dataclasses.MISSING
    return field.default is missing and field.default_factory is missing


def _stand_in(kind: Any, field: dataclasses.Field[Any]) -> Any:
    """Return some value that a field may have: its default, or one of its type."""
    if not _required(field) and field.default not in (dataclasses.MISSING, None):
        return field.default
    annotation = _hints(kind).get(field.name)
    if typing.get_origin(annotation) in (types.UnionType, typing.Union):
        annotation = typing.get_args(annotation)[0]
    if typing.get_origin(annotation) is Literal:
        return typing.get_args(annotation)[0]
    plain: dict[Any, Any] = {int: 1000, float: 1.0, bool: False}
    return plain.get(annotation, ())


def _tell_more(
    make: Callable[..., Any], trial: dict[str, Any], kind: Any, place: Place, mistakes: Mistakes
) -> None:
    """Note every field that the class refuses: it names one at a time, so that one is replaced."""
    fields = {field.name: field for field in dataclasses.fields(kind)}
    replaced: set[str] = set()
    while True:
        _, refusal = _tried(make, trial)
        name = refusal.partition(": ")[0]
        # What it says of fields together may be due to the ones replaced.
        if name not in trial or name in replaced:
            return
        _tell(refusal, fields, place, mistakes)
        replaced.add(name)
        trial = {**trial, name: _stand_in(kind, fields[name])}


def _tried(make: Callable[..., Any], good: dict[str, Any]) -> tuple[Any, str]:
    """Return what is made, and why it is not."""
    try:
        return make(**good), ""
    except (ValueError, TypeError, ImportError) as refusal:
        return None, str(refusal) or type(refusal).__name__
    except Exception as refusal:
        # Whatever a stranger's class raises, the other tables shall be read.
        return None, f"raised {type(refusal).__name__}: {refusal}"


def _tell(refusal: str, fields: Collection[str], place: Place, mistakes: Mistakes) -> None:
    name, _, rest = refusal.partition(": ")
    if rest and name in fields:
        mistakes.add(place.at(name), rest)
    elif rest and place.keys[-1:] == (name,):
        mistakes.add(place, rest)
    elif refusal:
        mistakes.add(place, refusal)
