"""What the checks of every kind share: collecting breaches, and what a plug-in's class must be."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from numbers import Real
from typing import Any

Check = Callable[[], Iterator[str]]
"""Yields a sentence for each breach of the contract."""


def raise_breaches(plug_in: object, checks: Sequence[Check]) -> None:
    """Raise an AssertionError that lists every breach; return if there is none."""
    if isinstance(plug_in, type):
        raise TypeError(f"expected an instance, got the class: pass {plug_in.__name__}()")
    breaches: list[str] = []
    for check in checks:
        try:
            breaches += check()
        except Exception as reason:  # a breach like any other
            breaches.append(f"it raised {type(reason).__name__} on ordinary input: {reason}")
    if breaches:
        lines = "\n- ".join(dict.fromkeys(breaches))
        raise AssertionError(f"{type(plug_in).__name__} breaks the contract:\n- {lines}")


def class_breaches(plug_in: Any) -> Iterator[str]:
    """Yield why a plug-in is no frozen dataclass with a version, or cannot be hashed."""
    kind = type(plug_in)
    if not dataclasses.is_dataclass(kind) or not kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        yield "it is not a frozen dataclass: write @dataclass(frozen=True)"
    version = getattr(kind, "version", None)
    if version is None:
        yield "it has no `version: ClassVar[int]`, which is part of the key of every row"
    elif not isinstance(version, int) or isinstance(version, bool):
        yield f"its `version` is {version!r}, expected an int"
    try:
        hash(plug_in)
    except TypeError as reason:
        yield f"it cannot be hashed ({reason}): fields must be tuples rather than lists"


def number_breaches(value: Any, where: str) -> Iterator[str]:
    """Yield why a value is no number; nan is one."""
    if not isinstance(value, Real) or isinstance(value, bool):
        yield f"{where}: it returned {value!r}; return a float, nan where it is undefined"


def same_number(first: Any, second: Any) -> bool:
    """Tell whether two results are equal, up to rounding in another order of the nodes."""
    if not isinstance(first, Real) or not isinstance(second, Real):
        return True  # that it is no number is a breach of its own
    both_undefined = math.isnan(first) and math.isnan(second)
    return both_undefined or math.isclose(first, second, rel_tol=1e-6, abs_tol=1e-9)
