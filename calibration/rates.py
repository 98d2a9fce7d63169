"""From findings to rates: how often, with 95 % limits (Clopper and Pearson), beside the goal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy.stats import beta

from calibration.audits import cells
from calibration.rows_on_disk import Job, Row
from causalassay.judging.findings import ALGORITHM_KINDS, GAMEABLE_KINDS, FindingKind

COVERS = "95 % interval covers"
EITHER_WAY = "gameable, either way"
AUDIT_KINDS = (
    FindingKind.GAMEABLE_BACKWARDS,
    FindingKind.LEANING,
    FindingKind.NO_EVIDENCE,
    FindingKind.TOO_SMALL,
    FindingKind.UNDECIDED,
    FindingKind.GRAPH_REFUTED,
)
"""Of an audit, those whose rates are counted one by one."""
CAUSES = (FindingKind.VARIANCE_ORDER, FindingKind.VARIANCE_RATIOS, FindingKind.UNITS)

WRONG_CAUSES = {
    "random graph": CAUSES,
    "joins everything": CAUSES,
    "sorts by R²": CAUSES,
    "sorts by falling R²": CAUSES,
    "ges": CAUSES,
    "true order, OLS": CAUSES[:1],
    "true order, lasso": CAUSES[:1],
    "uniform lead": CAUSES[:1],
}
"""Of algorithms of known nature: the causes that it would be wrong to name. What thresholds or
penalises weights does depend on units and ratios; none of these sorts by variance."""


class Goal(NamedTuple):
    """What a rate is to be.

    Parameters
    ----------
    side : {"at most", "at least"}
    percent : int
    """

    side: Literal["at most", "at least"]
    percent: int

    def __str__(self) -> str:
        return f"{self.side} {self.percent} %"


ALMOST_NEVER = Goal("at most", 5)
GRAPH_GOALS = {"true": Goal("at most", 1), "permuted": Goal("at least", 80)}
"""Of refuted graphs."""


@dataclass(frozen=True)
class Rate:
    """How often something was found.

    Parameters
    ----------
    part : {"audit", "study"}
    cell : str
        The data, or the algorithm and the number of instances of a study.
    what : str
    count, total : int
    goal : Goal, optional
    """

    part: str
    cell: str
    what: str
    count: int
    total: int
    goal: Goal | None = None

    @property
    def rate(self) -> float:
        """The share."""
        return self.count / self.total

    @property
    def limits(self) -> tuple[float, float]:
        """The 95 % limits of the share."""
        low = beta.ppf(0.025, self.count, self.total - self.count + 1) if self.count else 0.0
        full = self.count == self.total
        high = 1.0 if full else beta.ppf(0.975, self.count + 1, self.total - self.count)
        return float(low), float(high)

    @property
    def met(self) -> bool | None:
        """Whether the goal is met by the rate itself; None without a goal."""
        if self.goal is None:
            return None
        bound = self.goal.percent / 100
        return self.rate <= bound if self.goal.side == "at most" else self.rate >= bound


def audit_rates(rows: Mapping[Job, Row], free: Iterable[str]) -> list[Rate]:
    """Return the rates of the audits.

    Parameters
    ----------
    rows : mapping
        From `audits.run`.
    free : iterable of str
        The cells that are free of artefacts.
    """
    free = set(free)
    found = []
    for name, cell in cells().items():
        draws = [row for (of, _), row in rows.items() if of == name]
        kinds = [[stored_kind(kind) for kind, _ in row["findings"]] for row in draws]
        goals = {
            FindingKind.GAMEABLE_BACKWARDS: Goal("at least", 95) if name == "transposed" else None,
            FindingKind.GRAPH_REFUTED: GRAPH_GOALS.get(cell.graph),
        }
        found.append(_rate(name, EITHER_WAY, kinds, GAMEABLE_KINDS, _goal(name, free)))
        for kind in AUDIT_KINDS:
            found.append(_rate(name, kind.label, kinds, (kind,), goals.get(kind)))
    return found


def stored_kind(stored: str) -> FindingKind:
    """Return the kind of a finding on disk: its id, or the words that earlier runs wrote.

    Examples
    --------
    >>> stored_kind("no-evidence") == stored_kind("no evidence")
    True
    """
    return FindingKind(stored.replace(" ", "-"))


def _goal(name: str, free: set[str]) -> Goal | None:
    if name in free:
        return ALMOST_NEVER
    return Goal("at least", 99) if name in ("raw", "50 nodes") else None


def _rate(
    cell: str,
    what: str,
    kinds: list[list[FindingKind]],
    wanted: tuple[FindingKind, ...],
    goal: Goal | None = None,
) -> Rate:
    count = sum(bool(set(wanted) & set(one)) for one in kinds)
    return Rate("audit", cell, what, count, len(kinds), goal)


def study_rates(rows: list[Row]) -> list[Rate]:
    """Return the rates of the studies, from `studies.run`."""
    found = []
    groups: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["algorithm"], row["size"]), []).append(row)
    for (algorithm, size), part in groups.items():
        cell = f"{algorithm}, {size} instances"

        def count(kinds: Iterable[FindingKind], part: list[Row] = part) -> int:
            return sum(bool(set(kinds) & set(row["findings"])) for row in part)

        def rate(what: str, kinds: Iterable[FindingKind], goal: Goal | None = None) -> Rate:
            return Rate("study", cell, what, count(kinds), len(part), goal)  # noqa: B023

        if algorithm in WRONG_CAUSES:
            found.append(rate("wrong cause", WRONG_CAUSES[algorithm], ALMOST_NEVER))
        leads = algorithm == "uniform lead" and size >= 30
        nothing = algorithm in ("random graph", "joins everything")
        sorts = algorithm == "sorts by variance"
        goals = {
            FindingKind.ROBUST: ALMOST_NEVER
            if nothing
            else Goal("at least", 80)
            if leads
            else None,
            FindingKind.VARIANCE_ORDER: Goal("at least", 95) if sorts else None,
        }
        for kind in ALGORITHM_KINDS:
            found.append(rate(kind.label, [kind], goals.get(kind)))
    return found


def coverage(rows: list[Row]) -> list[Rate]:
    """Return how often the 95 % interval of a lead holds the mean of the bank, by size."""
    found = []
    for size in sorted({row["size"] for row in rows}):
        # Intervals of width 0 (an algorithm that never varies) tell nothing.
        covers = [
            hit
            for row in rows
            if row["size"] == size and row["algorithm"] != "joins everything"
            for hit in row["covers"].values()
        ]
        found.append(
            Rate(
                "study", f"{size} instances", COVERS, sum(covers), len(covers), Goal("at least", 93)
            )
        )
    return found


def risk_rates(rows: Mapping[Job, Row]) -> list[Rate]:
    """Return how often intervals of risks cover, from `risk_coverage.run`."""
    found = []
    for name in dict.fromkeys(cell for cell, _ in rows):
        part = [row["covers"] for (cell, _), row in rows.items() if cell == name]
        for algorithm in part[0]:
            count = sum(covers[algorithm] for covers in part)
            cell = f"{algorithm}, {name}"
            found.append(Rate("risk", cell, COVERS, count, len(part), Goal("at least", 93)))
    return found


def scheme_rates(rows: list[Row]) -> list[Rate]:
    """Return how often each scheme of a study is called gameable, by size."""
    found = []
    some = rows[0]["algorithm"]
    for size in sorted({row["size"] for row in rows}):
        part = [row["schemes"] for row in rows if row["size"] == size and row["algorithm"] == some]
        for scheme in part[0]:
            count = sum(kinds[scheme] in GAMEABLE_KINDS for kinds in part)
            found.append(Rate("study", f"{scheme}, {size} instances", EITHER_WAY, count, len(part)))
    return found


def is_free(sortabilities: Mapping[str, float]) -> bool:
    """Return whether the mean sortability of every statistic is 1/2 give or take 0.02."""
    return all(abs(value - 0.5) <= 0.02 for value in np.array(list(sortabilities.values())))
