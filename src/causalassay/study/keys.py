"""Keys: what a thing is, written so that equal things have equal text."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from typing import Any

KEY_LENGTH = 20
"""Hexadecimal digits of a key: 80 bits, so two of 10^6 tasks collide once in 10^12 studies."""


def canonical(thing: Any) -> Any:
    """Return what JSON can hold: a dataclass as its name, version and fields not at default.

    A field that is added later with a default changes no key, and neither do
    the module a class lives in nor fields declared with ``compare=False``.

    Examples
    --------
    >>> from causalassay.models import SCM
    >>> canonical(SCM(noise="laplace"))
    {'is': 'SCM', 'version': 1, 'noise': 'laplace'}
    """
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        named: dict[str, Any] = {"is": type(thing).__qualname__}
        version = getattr(type(thing), "version", None)
        if isinstance(version, int):
            named["version"] = version
        return named | {name: canonical(value) for name, value in changed_fields(thing).items()}
    if isinstance(thing, Mapping):
        return {str(name): canonical(value) for name, value in thing.items()}
    if isinstance(thing, list | tuple):
        return [canonical(value) for value in thing]
    if thing is None or isinstance(thing, str | bool | int | float):
        return thing
    raise TypeError(f"a key is made of plain values and dataclasses, got {type(thing).__name__}")


def changed_fields(thing: Any) -> dict[str, Any]:
    """Return the fields of a dataclass whose value is not the default, in their order.

    Examples
    --------
    >>> from causalassay.models import SCM
    >>> changed_fields(SCM(weights=(0.5, 2.0), noise_sd=2.0))
    {'noise_sd': 2.0}
    """
    return {
        field.name: getattr(thing, field.name)
        for field in dataclasses.fields(thing)
        if field.compare and getattr(thing, field.name) != _default(field)
    }


def digest(*parts: Any) -> str:
    """Return the key of things in a row.

    Examples
    --------
    >>> digest("a", 1) == digest("a", 1), digest("a", 1) == digest("a", 2)
    (True, False)
    """
    text = json.dumps(canonical(parts), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:KEY_LENGTH]


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default
