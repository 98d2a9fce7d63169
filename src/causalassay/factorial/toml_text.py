"""Values as TOML text: the standard library reads TOML but does not write it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any


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
        inner = ", ".join(f"{as_key(name)} = {as_toml(one)}" for name, one in value.items())
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
