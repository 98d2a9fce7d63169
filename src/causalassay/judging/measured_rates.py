"""How often each rule was wrong when it was measured; `make calibrate` writes the numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType


@cache
def measured_rates() -> Mapping[str, str]:
    """Return the measured error rate of each rule that has one, in words, by the rule's name.

    Examples
    --------
    >>> "graph check" in measured_rates()
    True
    """
    text = files(__package__).joinpath("measured_rates.json").read_text(encoding="utf-8")
    return MappingProxyType(json.loads(text))


def with_rate(name: str, decides: str) -> str:
    """Return how a rule decides, and how often that was wrong.

    Examples
    --------
    >>> with_rate("no such rule", "It decides.")
    'It decides.'
    """
    rate = measured_rates().get(name)
    return f"{decides} Measured: {rate}." if rate else decides
