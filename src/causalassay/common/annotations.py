"""Whether a value fits an annotation: one engine for study files and for calls in Python.

Annotations are those of dataclasses and functions that users fill in: plain types, Literal,
unions and tuples of them. What it does not know, such as a plug-in's own protocol, admits all.
"""

from __future__ import annotations

import inspect
import operator
import types
import typing
from collections.abc import Callable, Mapping
from functools import cache, wraps
from numbers import Integral, Real
from typing import Any, Literal, ParamSpec, TypeVar

import numpy as np

from causalassay.common.spelling import check_choice, cut

P = ParamSpec("P")
R = TypeVar("R")

_LONGEST_VALUE = 60
_PLAIN = {int: "an integer", float: "a number", bool: "true or false", str: "text"}


class Misfit(TypeError):
    """A value does not fit an annotation."""


def expectation(annotation: Any, text: Callable[[Any], str] = repr) -> str:
    """Return in words what an annotation admits, but for None.

    Parameters
    ----------
    annotation : type
    text : callable
        How a choice is written.

    Examples
    --------
    >>> expectation(float | tuple[float, float]), expectation(tuple[str, ...] | None)
    ('a number or a list of 2 (a number each)', 'a list (text each)')
    """
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (types.UnionType, typing.Union):
        return " or ".join(
            expectation(option, text) for option in arguments if option is not types.NoneType
        )
    if origin is Literal:
        return "one of " + ", ".join(text(option) for option in arguments)
    if origin is tuple:
        size = "" if arguments[-1] is Ellipsis else f" of {len(arguments)}"
        return f"a list{size} ({expectation(arguments[0], text)} each)"
    return _PLAIN.get(annotation, getattr(annotation, "__name__", "a value"))


@cache
def hints(owner: Any) -> Mapping[str, Any]:
    """Return the annotations of a class or a function; none if they cannot be resolved."""
    try:
        return typing.get_type_hints(owner)
    except Exception:
        # A plug-in's annotations may name what exists for the type checker only.
        return {}


def conform(value: Any, annotation: Any) -> Any:
    """Return the value as the annotation has it, or raise `Misfit`.

    A whole number becomes a float where a number is wanted, and a list becomes a tuple.
    Nothing else is converted: text is no number, and neither is true.

    Examples
    --------
    >>> conform([1, 2], tuple[float, float]), conform(3, int | None)
    ((1.0, 2.0), 3)
    >>> conform(True, int)
    Traceback (most recent call last):
    causalassay.common.annotations.Misfit
    """
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (types.UnionType, typing.Union):
        return _conform_to_one(value, arguments)
    if origin is Literal:
        return _if(
            any(type(value) is type(option) and value == option for option in arguments), value
        )
    if origin is tuple:
        return _conform_all(value, arguments)
    if annotation in _RULES:
        return _RULES[annotation](value)
    try:
        return _if(isinstance(value, origin or annotation), value)
    except Misfit:
        raise
    except TypeError:  # of Any, a protocol, a type variable
        return value


def check_fields(kind: Any, values: Mapping[str, Any]) -> None:
    """Raise an error that names the first value that does not fit its field.

    A TypeError, or a ValueError with the nearest choice for text that is none of the choices.

    Examples
    --------
    >>> from causalassay.discovery.pc import PC
    >>> check_fields(PC, {"alpha": "x"})
    Traceback (most recent call last):
    TypeError: alpha: expected a number, got 'x'
    """
    for name, value in values.items():
        annotation = hints(kind).get(name, Any)
        try:
            conform(value, annotation)
        except Misfit:
            choices = typing.get_args(annotation)
            if isinstance(value, str) and typing.get_origin(annotation) is Literal:
                check_choice(name, value, choices)
            expected = expectation(annotation) + (" or None" if types.NoneType in choices else "")
            shown = cut(repr(value), _LONGEST_VALUE)
            raise TypeError(f"{name}: expected {expected}, got {shown}") from None


def typed(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function raise a TypeError that names an argument of a wrong type.

    Examples
    --------
    >>> @typed
    ... def half(number: float) -> float:
    ...     return number / 2
    >>> half("x")
    Traceback (most recent call last):
    TypeError: number: expected a number, got 'x'
    """
    signature = inspect.signature(function)

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        check_fields(function, signature.bind(*args, **kwargs).arguments)
        return function(*args, **kwargs)

    return checked


def _if(fits: bool, value: Any) -> Any:
    if not fits:
        raise Misfit
    return value


def _whole(value: Any) -> int:
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise Misfit
    return operator.index(value)


def _number(value: Any) -> float:
    if not isinstance(value, Real) or isinstance(value, bool):
        raise Misfit
    try:
        return float(value)
    except OverflowError:
        raise Misfit from None


_RULES: dict[Any, Callable[[Any], Any]] = {
    int: _whole,
    float: _number,
    bool: lambda value: bool(_if(isinstance(value, bool | np.bool_), value)),
    str: lambda value: _if(isinstance(value, str), value),
    types.NoneType: lambda value: _if(value is None, value),
}


def _conform_to_one(value: Any, annotations: tuple[Any, ...]) -> Any:
    """Fit one of several annotations, if possible the one of the value's own type."""
    for annotation in sorted(annotations, key=lambda annotation: annotation is not type(value)):
        try:
            return conform(value, annotation)
        except Misfit:
            continue
    raise Misfit


def _conform_all(values: Any, annotations: tuple[Any, ...]) -> tuple[Any, ...]:
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if not isinstance(values, list | tuple):
        raise Misfit
    if annotations[-1:] == (Ellipsis,):
        annotations = annotations[:1] * len(values)
    if len(values) != len(annotations):
        raise Misfit
    return tuple(conform(value, wanted) for value, wanted in zip(values, annotations, strict=True))
