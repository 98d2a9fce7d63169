"""What table, page and terminal say alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from causalassay.hall import Cell, Row
from causalassay.notebook import number

VARIANCE = "variance"

HEADINGS = {
    "package": "Generators of other packages",
    "ours": "Our schemes",
    "data set": "Data sets",
    "network": "Networks",
}
"""Of the groups, in the order of the tables."""

_GROUPS = {
    "package": "generators of other packages",
    "ours": "schemes of ours",
    "data set": "real data sets",
    "network": "networks",
}
KINDS = ("gameable", "gameable backwards", "leaning", "undecided", "too small", "no evidence")


def sortabilities(row: Row) -> tuple[str, str]:
    """Return the sortability by variance, and those by what else the world is sorted by."""
    by_variance = row.cell(VARIANCE)
    others = [one for one in row.cells if one.statistic != VARIANCE]
    told = [
        with_spread(one) if row.world == "continuous" else f"{with_spread(one)} ({one.word})"
        for one in others
    ]
    return with_spread(by_variance) if by_variance else "–", ", ".join(told) or "–"


def with_spread(cell: Cell) -> str:
    """Return a mean sortability and its standard deviation over the draws.

    Examples
    --------
    >>> numbers = dict(p_rising=1.0, p_falling=1.0, f1_rising=0.3, f1_falling=0.3)
    >>> with_spread(Cell("R2", "R²", "leaning", 0.625, 0.125, **numbers))
    '0.62 ± 0.12'
    """
    mean, spread = number(cell.sortability), number(cell.spread)
    return mean if spread == number(float("nan")) else f"{mean} ± {spread}"


def reached(row: Row) -> str:
    """Return the F1 of the best sorting baseline, by what it sorts, and of random orders."""
    best, by = row.best_sorting
    return f"{number(best)}{f' ({by})' if by else ''} / {number(row.random_f1)}"


def verdict(row: Row) -> str:
    """Return the verdict in a few words; without one its status."""
    if row.status != "ok":
        return row.status
    return told_verdict(row) + (" (borderline)" if row.is_borderline else "")


def told_verdict(row: Row) -> str:
    """Return by what an entry is gameable, in which direction; else the kind of its verdict."""
    forwards = [one.word for one in row.won_by if one.kind == "gameable"]
    backwards = [one.word for one in row.won_by if one.kind != "gameable"]
    told = [f"gameable by {joined(forwards)}"] if forwards else []
    if backwards:
        told.append(f"{'' if forwards else 'gameable '}backwards by {joined(backwards)}")
    if told:
        return ", ".join(told)
    cell = row.cell(row.statistic)
    if cell is None:
        return row.verdict
    return f"{row.verdict} by {'falling ' if _is_falling(cell) else ''}{cell.word}"


def _is_falling(cell: Cell) -> bool:
    """Tell in which direction the tests found more."""
    rising, falling = (cell.p_rising, cell.f1_p_rising), (cell.p_falling, cell.f1_p_falling)
    return min(falling) < min(rising)


def joined(words: Sequence[str]) -> str:
    """Return words with commas and an "and".

    Examples
    --------
    >>> joined(["variance", "R²"])
    'variance and R²'
    """
    return " and ".join([*([", ".join(words[:-1])] if words[:-1] else []), *words[-1:]])


def package(row: Row) -> str:
    """Return whose it is, with the version."""
    return f"{row.package} {row.version}".strip()


def claims(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a sentence on each group: how many are gameable, and all other verdicts."""
    for group, what in _GROUPS.items():
        own = [row for row in rows if row.group == group and row.status == "ok"]
        if not own:
            continue
        counts = Counter(row.verdict for row in own)
        won = counts["gameable"] + counts["gameable backwards"]
        others = [f"{counts[kind]} {kind}" for kind in KINDS[2:] if counts[kind]]
        near = sum(row.is_borderline for row in own)
        yield (
            f"{won} of {len(own)} {what} are gameable"
            + (f", {counts[KINDS[1]]} of them backwards" if counts[KINDS[1]] else "")
            + (f"; {', '.join(others)}" if others else "")
            + (f" ({near} of all borderline)." if near else ".")
        )


def slug(name: str) -> str:
    """Return the anchor that a heading of that name has.

    Examples
    --------
    >>> slug("Asia v1.2")
    'asia-v12'
    """
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", name).strip().lower())
