"""Why algorithms are not ranked, in few lines, and how to include them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from causalassay.choosing.result import Choice

UNKNOWN_TARGETS = "needs known targets"
"""In the reason of an algorithm that conditions of unknown target keep out."""

UNKNOWN = "its target is unknown"
"""The reason of a condition that is not tested."""

SHORT_REASONS = {
    UNKNOWN_TARGETS: "some conditions have unknown targets",
    "this algorithm is for series": "not for these data (they are for series)",
    "needs a value for": "need a setting",
}
"""A part of a reason, and what is said instead of it."""


def short_reasons(reasons: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return names that share a reason beside each other, and that reason in few words.

    Examples
    --------
    >>> short_reasons({"acor": "it needs a value for n_edges", "a": "no", "command": "it needs "
    ... "a value for program"})
    [('acor, command', 'need a setting'), ('a', 'no')]
    """
    together: dict[str, list[str]] = {}
    for name, why in reasons.items():
        short = next((said for part, said in SHORT_REASONS.items() if part in why), why)
        together.setdefault(short, []).append(name)
    return [(", ".join(names), why) for why, names in together.items()]


def reason_lines(choice: Choice) -> list[str]:
    """Return the lines of a terminal: one for all that simply do not belong here."""
    expected = (SHORT_REASONS["this algorithm is for series"], SHORT_REASONS["needs a value for"])
    found = short_reasons(choice.not_ranked)
    others = [f"{names}: {why}" for names, why in found if why not in expected]
    plain = [f"{why}: {names}" for names, why in found if why in expected]
    return [*others, *(["; ".join(plain)] if plain else [])]


def how_to_include(choice: Choice) -> str:
    """Return the options that let algorithms run which need known targets; empty if there are none.

    A condition of unknown target is left out by them.
    """
    names = [name for name, why in choice.not_ranked.items() if UNKNOWN_TARGETS in why]
    dropped = [name for name, why in choice.left_out.items() if UNKNOWN in why]
    if not names or not dropped:
        return ""
    options = " ".join(f"--drop-condition {shlex.quote(name)}" for name in dropped)
    return f"To include {', '.join(names)}: {options}"
