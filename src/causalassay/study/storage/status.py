"""How far a study is, in words and as plain values."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from causalassay.study.plan import Purpose
from causalassay.study.reasons import most_often


@dataclass(frozen=True)
class StudyStatus:
    """Where a study stands.

    Parameters
    ----------
    name : str
    seed : int
    driver : str, optional
        Which driver works on it now.
    ended : str, optional
        How the last run ended, if none works on it.
    totals : mapping
        Rows of the complete study, by purpose.
    counts : mapping
        Stored rows, by purpose and status.
    algorithms : mapping
        Those of the main part, by algorithm and status.
    reasons : mapping
        Rows that are not ok, by purpose and reason.
    rate : float, optional
        Records per second of the last run.
    first_write, last_write : str, optional
        Times in UTC.
    """

    name: str
    seed: int
    driver: str | None
    ended: str | None
    totals: Mapping[Purpose, int]
    counts: Mapping[Purpose, Mapping[str, int]]
    algorithms: Mapping[str, Mapping[str, int]]
    reasons: Mapping[Purpose, Mapping[str, int]]
    rate: float | None
    first_write: str | None
    last_write: str | None

    @property
    def left(self) -> int:
        """Rows that are still to come."""
        done = sum(sum(counts.values()) for counts in self.counts.values())
        return sum(self.totals.values()) - done

    @property
    def seconds_left(self) -> float | None:
        """The time until the end at the present rate, of a study that runs."""
        return self.left / self.rate if self.driver and self.rate else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return dataclasses.asdict(self) | {"left": self.left, "seconds_left": self.seconds_left}

    def lines(self) -> list[str]:
        """Return what to print."""
        lines = [f"study {self.name}, seed {self.seed}: {self._state()}"]
        for purpose in ("tuning", "main"):
            total, counts = self.totals[purpose], self.counts[purpose]
            if total:
                lines.append(
                    f"{purpose}: {sum(counts.values())} of {total} rows ({_counts_text(counts)})"
                )
                if why := most_often(self.reasons[purpose]):
                    lines.append(f"  not ok, {why}")
        if self.seconds_left is not None:
            lines.append(f"{self.rate:.3g} rows per second, about {span(self.seconds_left)} left")
        if self.last_write is not None:
            lines.append(f"first row {self.first_write}, last row {self.last_write}")
        width = max((len(name) for name in self.algorithms), default=0)
        lines += [
            f"  {name:<{width}}  {_counts_text(counts)}" for name, counts in self.algorithms.items()
        ]
        return lines

    def _state(self) -> str:
        if self.driver:
            return f"running ({self.driver})"
        if self.left == 0:
            return "complete"
        return f"not complete, last run: {self.ended}; run it again to continue"


def _counts_text(counts: Mapping[str, int]) -> str:
    """Return counts in words, without the zeros."""
    return ", ".join(f"{count} {status}" for status, count in counts.items() if count) or "none yet"


def span(seconds: float) -> str:
    """Return a duration in the unit that fits.

    Examples
    --------
    >>> span(40), span(600), span(9000)
    ('40 s', '10 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
