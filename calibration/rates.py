"""From findings to rates: how often, with 95 % limits (Clopper and Pearson), beside the goal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy.stats import beta

from calibration.audits import Cell, cells
from calibration.rows_on_disk import Job, Row
from causalassay.data.dataset import World
from causalassay.judging.artefacts import Artefact, artefacts_of
from causalassay.judging.findings import (
    ALGORITHM_KINDS,
    GAMEABLE_KINDS,
    PARTIAL_KINDS,
    FindingKind,
)
from causalassay.judging.over_instances import OrderClaim, OrderEvidence, judge_orders

COVERS = "95 % interval covers"
EITHER_WAY = "gameable, either way"
AUDIT_KINDS = (
    FindingKind.GAMEABLE_BACKWARDS,
    FindingKind.SORTABLE_ONLY,
    FindingKind.GAIN_ONLY,
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
    "true skeleton, random directions": CAUSES,
    "correlation graph": CAUSES,
}
"""Of algorithms of known nature: the causes that it would be wrong to name. What thresholds or
penalises weights does depend on units and ratios; none of these sorts by variance."""


KNOWS_NO_DIRECTION = (
    "random graph",
    "joins everything",
    "true skeleton, random directions",
    "correlation graph",
    "sorts by falling kurtosis",
)
"""Algorithms that must not be called robust: they know no direction, or read it off an artefact."""


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
        if not draws:
            continue
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


POOL = 10
"""Data sets that are judged together."""
NOT_SORTABLE = (0.5, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0)
"""The evidence of a statistic that is the same in all columns of a data set."""
NOTHING_THERE = ("statistics permuted", "coin flip")
"""In the names of cells that have no artefact by construction."""
ONE_TEST = "one of the two tests"
WORLDS: tuple[World, ...] = ("continuous", "discrete", "series")


def pool_rates(rows: Mapping[Job, Row], free: Iterable[str]) -> list[Rate]:
    """Return the rates of the rule over instances: the audits of a cell in pools of ten."""
    free = set(free)
    found = []
    for name, cell in cells().items():
        draws = [row["evidence"] for (of, _), row in sorted(rows.items()) if of == name]
        pools = [draws[k : k + POOL] for k in range(0, len(draws) - POOL + 1, POOL)]
        judged = [judge_orders(pooled_evidence(pool)) for pool in pools if any(pool)]
        if not judged:
            continue
        nothing = name in free or any(part in name for part in NOTHING_THERE)
        wanted = Goal("at least", 95) if cell.found_by else None
        what = f"gameable by {cell.found_by}" if cell.found_by else EITHER_WAY
        winning = [_wins(claims, cell) for claims in judged]
        partly = [any(claim.kind in PARTIAL_KINDS for claim in claims) for claims in judged]
        named = f"{name}, pools of {POOL}"
        goal = ALMOST_NEVER if nothing else wanted
        found.append(Rate("pool", named, what, sum(winning), len(winning), goal))
        goal = ALMOST_NEVER if nothing else None
        found.append(Rate("pool", named, ONE_TEST, sum(partly), len(partly), goal))
    return found


def _wins(claims: tuple[OrderClaim, ...], cell: Cell) -> bool:
    """Tell whether a pool is called gameable, by the right statistic if there is one."""
    winning = [claim for claim in claims if claim.kind in GAMEABLE_KINDS]
    if cell.found_by:
        return any(claim.artefact.statistic == cell.found_by for claim in winning)
    return bool(winning)


def pooled_evidence(pool: list[dict[str, list[float]]]) -> dict[Artefact, OrderEvidence]:
    """Return the evidence of several audits, by artefact."""
    named = {statistic for evidence in pool for statistic in evidence}
    by_world = map(artefacts_of, WORLDS)
    artefacts = next(every for every in by_world if named <= {one.statistic for one in every})
    return {
        artefact: OrderEvidence(
            *np.array([one.get(artefact.statistic, NOT_SORTABLE) for one in pool]).T
        )
        for artefact in artefacts
    }


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
        nothing = algorithm in KNOWS_NO_DIRECTION
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
