"""Reasons of rows that are not ok: as one line that can be shown anywhere, and counted."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Mapping

LONGEST_REASON = 500
"""Characters of a reason or a note; what is longer is cut."""

# C0, DEL and C1; the separators of lines and paragraphs; what turns the direction of writing;
# halves of a surrogate pair, which no UTF-8 file can hold.
_UNREADABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
_MEMORY_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_MOST_READ = 20 * LONGEST_REASON
_NO_ROOM = tuple(os.strerror(code) for code in (errno.ENOSPC, errno.EDQUOT))


def readable(text: str) -> str:
    r"""Return a text as one line of characters that show, cut where it is too long.

    Line breaks, control characters, halves of surrogate pairs and what turns the
    direction of writing become escapes that show; other characters stay.

    Examples
    --------
    >>> print(readable("one\ntwo \x1b[31m \udcff é"))
    one\ntwo \x1b[31m \udcff é
    """
    if len(text) <= LONGEST_REASON and text.isascii() and text.isprintable():
        return text  # nearly always, and each row that is stored asks
    shown = _UNREADABLE.sub(_escape, text[: LONGEST_REASON + 1])
    return shown if len(shown) <= LONGEST_REASON else shown[: LONGEST_REASON - 1] + "…"


def plain_lines(printed: bytes) -> str:
    r"""Return what a program printed as lines that can be shown anywhere.

    Of a line that was written over, as progress bars do, the last state stays. Colours are left
    out, other control characters become escapes.

    Examples
    --------
    >>> print(plain_lines(b"10 %\r20 %\r\x1b[1mloss\x1b[0m 0.5\n\x07end"))
    loss 0.5
    \x07end
    """
    text = _COLOURS.sub("", printed.decode("utf-8", "replace"))
    lines = (line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    return "\n".join("\t".join(map(_shown, line.split("\t"))) for line in lines)


def _shown(text: str) -> str:
    return _UNREADABLE.sub(_escape, text)


def encodable(text: str) -> str:
    r"""Return a text that UTF-8 can hold; only halves of surrogate pairs are changed.

    Examples
    --------
    >>> print(encodable("two\nlines \udcff"))
    two
    lines \udcff
    """
    return text.encode("utf-8", "backslashreplace").decode()


def reason_text(error: BaseException) -> str:
    """Return an error as a reason that is the same on each run.

    Examples
    --------
    >>> reason_text(ValueError("bad value at 0x7f00"))
    'raised ValueError: bad value at 0x…'
    """
    text = f"raised {type(error).__name__}: {_message(error)}".strip().rstrip(":")
    return _without_addresses(text)


def message_text(error: BaseException) -> str:
    """Return what an error says as a reason that is the same on each run.

    Examples
    --------
    >>> message_text(ValueError("too few rows"))
    'too few rows'
    """
    return _without_addresses(_message(error))


def is_about_room(reason: str) -> bool:
    """Return whether a reason is that a disk is full.

    Examples
    --------
    >>> is_about_room("raised OSError: [Errno 28] No space left on device: 'x.csv'")
    True
    """
    return any(text in reason for text in _NO_ROOM)


def _message(error: BaseException) -> str:
    try:
        return str(error)[:_MOST_READ]
    except BaseException as second:  # the error's class is a stranger's code, which may do anything
        return f"its message cannot be shown, since that raised {type(second).__name__}"


def _without_addresses(text: str) -> str:
    """Return a text without places in memory, which change from run to run."""
    return readable(_MEMORY_ADDRESS.sub("0x…", text))


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    code = ord(character)
    return _SHORT.get(character) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


# How many rows are not ok, and why most often, in a few words.

NOT_OK = ("skipped", "failed", "timeout")
_LONGEST_SHOWN = 80


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
    return ", ".join([*parts, *filter(None, [most_often(reasons)])])


def most_often(reasons: Mapping[str, int]) -> str:
    """Return the most frequent reason with its count; empty without reasons.

    Examples
    --------
    >>> most_often({"raised KeyError: 'x'": 3, "timeout: more than 5 s": 1})
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
    return reason if len(reason) <= _LONGEST_SHOWN else f"{reason[: _LONGEST_SHOWN - 1]}…"
