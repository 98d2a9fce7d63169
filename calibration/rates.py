"""From findings to rates: how often, with 95 % limits (Clopper and Pearson), beside the goal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.stats import beta

from calibration.audits import cells
from calibration.rows_on_disk import Job, Row

COVERS = "95 % interval covers"
GAMEABLE = ("gameable", "gameable backwards")
CAUSES = ("depends on variance order", "depends on variance ratios", "depends on units")

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


@dataclass(frozen=True)
class Rate:
    """How often something was found.

    Parameters
    ----------
    part : {"audit", "study"}
    cell : str
        The data, or the algorithm and the units of a study.
    what : str
    count, total : int
    goal : str
        Such as "at most 5 %"; empty where there is none.
    """

    part: str
    cell: str
    what: str
    count: int
    total: int
    goal: str = ""

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
        if not self.goal:
            return None
        side, number = self.goal.rsplit(" ", 2)[0], float(self.goal.split(" ")[-2]) / 100
        return self.rate <= number if side == "at most" else self.rate >= number


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
        kinds = [[kind for kind, _ in row["findings"]] for row in draws]
        found.append(_rate(name, "gameable, either way", kinds, GAMEABLE, _goal(name, free)))
        found.append(
            _rate(
                name,
                "gameable backwards",
                kinds,
                GAMEABLE[1:],
                "at least 95 %" if name == "transposed" else "",
            )
        )
        found.append(_rate(name, "leaning", kinds, ("leaning",)))
        for kind in ("no evidence", "too small", "undecided"):
            found.append(_rate(name, kind, kinds, (kind,)))
        goal = {"true": "at most 1 %", "permuted": "at least 80 %"}.get(cell.graph, "")
        found.append(_rate(name, "graph refuted", kinds, ("graph refuted",), goal))
    return found


def _goal(name: str, free: set[str]) -> str:
    if name in free:
        return "at most 5 %"
    return "at least 99 %" if name in ("raw", "50 nodes") else ""


def _rate(
    cell: str, what: str, kinds: list[list[str]], wanted: tuple[str, ...], goal: str = ""
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
        cell = f"{algorithm}, {size} units"

        def count(kinds: Iterable[str], part: list[Row] = part) -> int:
            return sum(bool(set(kinds) & set(row["findings"])) for row in part)

        def rate(what: str, kinds: Iterable[str], goal: str = "", cell: str = cell) -> Rate:
            return Rate("study", cell, what, count(kinds), len(part), goal)  # noqa: B023

        if algorithm in WRONG_CAUSES:
            found.append(rate("wrong cause", WRONG_CAUSES[algorithm], "at most 5 %"))
        sorter = "at least 95 %" if algorithm == "sorts by variance" else ""
        found.append(rate("depends on variance order", CAUSES[:1], sorter))
        found.append(rate("depends on variance ratios", CAUSES[1:2]))
        found.append(rate("depends on units", CAUSES[2:]))
        uniform = "at least 80 %" if algorithm == "uniform lead" and size >= 30 else ""
        nothing = algorithm in ("random graph", "joins everything")
        found.append(rate("robust", ["robust"], "at most 5 %" if nothing else uniform))
        for kind in ("lead lost", "no lead found", "undecided"):
            found.append(rate(kind, [kind]))
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
            Rate("study", f"{size} units", COVERS, sum(covers), len(covers), "at least 93 %")
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
            found.append(Rate("risk", cell, COVERS, count, len(part), "at least 93 %"))
    return found


def scheme_rates(rows: list[Row]) -> list[Rate]:
    """Return how often each scheme of a study is called gameable, by size."""
    found = []
    some = rows[0]["algorithm"]
    for size in sorted({row["size"] for row in rows}):
        part = [row["schemes"] for row in rows if row["size"] == size and row["algorithm"] == some]
        for scheme in part[0]:
            count = sum(kinds[scheme] in GAMEABLE for kinds in part)
            found.append(
                Rate("study", f"{scheme}, {size} units", "gameable, either way", count, len(part))
            )
    return found


def is_free(sortabilities: Mapping[str, float]) -> bool:
    """Return whether the mean sortability of every statistic is 1/2 give or take 0.02."""
    return all(abs(value - 0.5) <= 0.02 for value in np.array(list(sortabilities.values())))
