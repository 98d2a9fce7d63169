"""From a table to a dataclass: its keys are the fields, their annotations the types."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping
from typing import Any, Literal

from causalassay.common.annotations import Misfit, conform, expectation, hints
from causalassay.common.spelling import did_you_mean
from causalassay.study.language.mistakes import Location, Mistakes, toml_text, unknown_parameter
from causalassay.study.language.tables import LARGEST_INTEGER

Fields = Mapping[str, dataclasses.Field[Any]]


def construct(
    kind: Any,
    table: Mapping[str, Any],
    owner: str,
    location: Location,
    mistakes: Mistakes,
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
    fields = {field.name: field for field in dataclasses.fields(kind) if field.init}
    for key in table:
        if key not in fields:
            mistakes.add(
                location.at(key), unknown_parameter(key, owner, list(fields)), element=False
            )
    values: dict[str, Any] = {}
    for name, field in fields.items():
        if name in table:
            _convert(kind, name, table[name], values, location, mistakes)
        elif _required(field):
            expected = expectation(hints(kind).get(name, Any), toml_text)
            mistakes.add(location.at(name), f"missing; {owner!r} takes {expected}")
    # A class names one field that it refuses: it is asked again with that key left out.
    while True:
        made, refusal = _attempt(kind, fields, values)
        name, _, reason = refusal.partition(": ")
        if reason and name in values:
            mistakes.add(location.at(name), reason)
            del values[name]
            continue
        # With a key left out, what the class says of several fields may be due to that.
        if refusal and mistakes.noted == before:
            _note_refusal(refusal, fields, location, mistakes)
        return made if mistakes.noted == before else None


def _convert(
    kind: Any,
    name: str,
    value: Any,
    values: dict[str, Any],
    location: Location,
    mistakes: Mistakes,
) -> None:
    """Put the value, as the field wants it, into `values`, or note why it cannot be."""
    annotation = hints(kind).get(name, Any)
    try:
        fitting = conform(frozen(value), annotation)
    except Misfit:
        message = _mistyped(value, annotation)
        hint = "; state integer = true" if location.drawn and isinstance(value, float) else ""
        mistakes.add(location.at(name), message + hint)
        return
    if _largest(fitting) > LARGEST_INTEGER:
        expected = f"an integer of at most {LARGEST_INTEGER}"
        mistakes.add(location.at(name), f"got {toml_text(value)}, expected {expected}")
        return
    values[name] = fitting


def frozen(value: Any) -> Any:
    """Return the value with tuples in place of lists.

    Examples
    --------
    >>> frozen([1, [2, 3]]), frozen({"a": [1]})
    ((1, (2, 3)), {'a': (1,)})
    """
    if isinstance(value, Mapping):
        return {key: frozen(one) for key, one in value.items()}
    return tuple(frozen(one) for one in value) if isinstance(value, list | tuple) else value


def _largest(value: Any) -> int:
    """Return the largest integer in a value, without sign; 0 where there is none."""
    if isinstance(value, tuple):
        return max(map(_largest, value), default=0)
    return abs(value) if isinstance(value, int) else 0


def _mistyped(value: Any, annotation: Any) -> str:
    if typing.get_origin(annotation) is Literal and isinstance(value, str):
        return f"there is no {value!r}; {did_you_mean(value, typing.get_args(annotation))}"
    return f"got {toml_text(value)}, expected {expectation(annotation, toml_text)}"


def _required(field: dataclasses.Field[Any]) -> bool:
    missing = dataclasses.MISSING
    return field.default is missing and field.default_factory is missing


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


def _attempt(kind: Any, fields: Fields, values: Mapping[str, Any]) -> tuple[Any, str]:
    """Return the dataclass of the values, and why it is refused."""
    required = {name: _ABSENT for name, field in fields.items() if _required(field)}
    try:
        made = kind(**{**required, **values})
    except (ValueError, TypeError, ImportError) as refusal:
        return None, str(refusal) or type(refusal).__name__
    except Exception as refusal:
        # Whatever a plug-in's class raises, the other tables are still read.
        return None, f"raised {type(refusal).__name__}: {refusal}"
    return made, ""


def _note_refusal(refusal: str, fields: Fields, location: Location, mistakes: Mistakes) -> None:
    name, _, reason = refusal.partition(": ")
    if reason and name in fields:
        mistakes.add(location.at(name), reason)
    elif reason and location.keys[-1:] == (name,):
        mistakes.add(location, reason)
    else:
        mistakes.add(location, refusal)
