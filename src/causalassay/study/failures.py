"""How many rows are not ok, and why most often, in a few words."""

from __future__ import annotations

from collections.abc import Mapping

NOT_OK = ("skipped", "failed", "timeout")
LONGEST_REASON = 80


def failures_text(counts: Mapping[str, int], reasons: Mapping[str, int]) -> str:
    """Return the statuses that are not ok with their counts, and the most frequent reason.

    Parameters
    ----------
    counts : mapping
        Rows by status.
    reasons : mapping
        Rows that are not ok by their reason.

    Examples
    --------
    >>> failures_text({"ok": 5, "failed": 1, "timeout": 2}, {"timeout: more than 5 s": 2, "": 1})
    '1 failed, 2 timeout, most often “timeout: more than 5 s” (2)'
    >>> failures_text({"ok": 5}, {})
    ''
    """
    parts = [f"{counts[name]} {name}" for name in NOT_OK if counts.get(name)]
    return ", ".join([*parts, *filter(None, [reason_text(reasons)])])


def reason_text(reasons: Mapping[str, int]) -> str:
    """Return the most frequent reason with its count; empty without reasons.

    Examples
    --------
    >>> reason_text({"raised KeyError: 'x'": 3, "timeout: more than 5 s": 1})
    "most often “raised KeyError: 'x'” (3)"
    """
    if not reasons:
        return ""
    reason, count = most_frequent(reasons)
    return f"most often “{_cut(reason or 'no reason')}” ({count})"


def most_frequent(reasons: Mapping[str, int]) -> tuple[str, int]:
    """Return the most frequent reason and its count; of equally frequent ones the first by name.

    Examples
    --------
    >>> most_frequent({"b": 2, "a": 2, "c": 1})
    ('a', 2)
    """
    return min(reasons.items(), key=lambda item: (-item[1], item[0]))


def _cut(reason: str) -> str:
    return reason if len(reason) <= LONGEST_REASON else f"{reason[: LONGEST_REASON - 1]}…"
