"""Results as JSON has them: plain values, undefined numbers as null."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from enum import Enum
from typing import Any

from causalassay.present import (
    Block,
    Code,
    Document,
    Facts,
    Findings,
    Marked,
    Prose,
    Table,
    flattened,
    plain_cell,
)
from causalassay.present.formatting import Interval, PValue


def plain_values(value: Any) -> Any:
    """Return nested values as JSON has them; undefined numbers become None.

    Examples
    --------
    >>> plain_values({"a": (1.0, math.nan), "p": PValue(0.5)})
    {'a': [1.0, None], 'p': 0.5}
    """
    match value:
        case Enum():
            plain = value.value
        case str() | None | bool() | int():
            plain = value
        case float():
            plain = value if math.isfinite(value) else None
        case Mapping():
            plain = {str(plain_values(key)): plain_values(item) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            plain = [plain_values(item) for item in value]
        case _:
            plain = plain_values(_opened(value))
    return plain


def _opened(value: Any) -> Any:
    """Return what an object holds."""
    if isinstance(value, Interval | PValue | Marked):
        return plain_cell(value)
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"JSON has no {type(value).__name__}")


def document_values(document: Document) -> dict[str, Any]:
    """Return a document as plain values: its sentences, facts and tables, without pictures."""
    headline = document.headline
    return {
        "title": document.title,
        "headline": headline if isinstance(headline, str) else headline.sentence,
        "about": document.about,
        "blocks": [_block(block) for block in flattened(document.blocks) if _has_values(block)],
        "provenance": [_block(block) for block in flattened(document.provenance)],
    }


def _has_values(block: Block) -> bool:
    return isinstance(block, Prose | Code | Facts | Findings | Table)


def _block(block: Block) -> dict[str, Any]:
    match block:
        case Table():
            heads = {column.key: column.heading for column in block.columns}
            rows = plain_values(block.records())
            return {"table": block.id, "title": block.title, "columns": heads, "rows": rows}
        case Findings():
            return {"findings": plain_values(list(block.items))}
        case Facts():
            return {"facts": plain_values(dict(block.items))}
        case _:
            return {"text": getattr(block, "text", "")}
