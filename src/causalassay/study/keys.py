"""Keys: digests of what an object is, so that equal objects have equal keys."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from causalassay.common.files import check_regular

KEY_LENGTH = 20
"""Hexadecimal digits of a key: 80 bits, so two of 10^6 tasks collide once in 10^12 studies."""

_PLAIN = frozenset({type(None), str, bool, int, float})


def canonical(value: Any) -> Any:
    """Return what JSON can hold: a dataclass as its name, version and fields not at default.

    A field that is added later with a default changes no key, and neither do
    the module a class lives in nor fields declared with ``compare=False``.

    Examples
    --------
    >>> from causalassay.models import SCM
    >>> canonical(SCM(noise="laplace"))
    {'is': 'SCM', 'version': 1, 'noise': 'laplace'}
    """
    if type(value) in _PLAIN:  # nearly always, and each row asks for its key
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        named: dict[str, Any] = {"is": type(value).__qualname__}
        version = getattr(type(value), "version", None)
        if isinstance(version, int):
            named["version"] = version
        return named | {name: canonical(part) for name, part in changed_fields(value).items()}
    if isinstance(value, Mapping):
        return {str(name): canonical(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [canonical(part) for part in value]
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise TypeError(f"a key is made of plain values and dataclasses, got {type(value).__name__}")


def changed_fields(instance: Any) -> dict[str, Any]:
    """Return the fields of a dataclass whose value is not the default, in their order.

    Examples
    --------
    >>> from causalassay.models import SCM
    >>> changed_fields(SCM(weights=(0.5, 2.0), noise_sd=2.0))
    {'noise_sd': 2.0}
    """
    return {
        field.name: getattr(instance, field.name)
        for field in dataclasses.fields(instance)
        if field.compare and getattr(instance, field.name) != _default(field)
    }


def digest(*parts: Any) -> str:
    """Return the key of some values in their order.

    Examples
    --------
    >>> digest("a", 1) == digest("a", 1), digest("a", 1) == digest("a", 2)
    (True, False)
    """
    text = json.dumps(canonical(parts), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:KEY_LENGTH]


def file_sha256(path: Path) -> str:
    """Return the checksum of a file, which stands for it in keys."""
    check_regular(path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default
