"""Long names in several lines."""

from __future__ import annotations

import re

from causalassay.spelling import cut


def in_lines(name: str, letters: int, most_lines: int) -> list[str]:
    """Return a name in lines of at most so many letters, broken after spaces, _, - and dots.

    Only what does not fit into all lines is cut.

    Examples
    --------
    >>> in_lines("total_unit_test_time", 12, 2)
    ['total_unit_', 'test_time']
    >>> in_lines("jar size", 12, 2), in_lines("abcdefghij", 4, 2)
    (['jar size'], ['abcd', 'efg…'])
    """
    lines = [""]
    for part in re.findall(r"[^\s_.\-]*[\s_.\-]?", name):
        pieces = [part[k : k + letters] for k in range(0, len(part), letters)]
        for piece in pieces:
            if len((lines[-1] + piece).rstrip()) > letters:
                lines.append("")
            lines[-1] += piece
    kept = lines[: most_lines - 1]
    last = "".join(lines[most_lines - 1 :])
    return [line.strip() for line in (*kept, cut(last, letters) if last else "") if line.strip()]
