"""A row of the hall: what an entry is, and what was found on it; as plain values too."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, Literal

from causalassay.auditing.result import plain_values
from causalassay.data.dataset import World
from causalassay.hall.entry import Group, Settings
from causalassay.judging.over_units import LEVEL
from causalassay.judging.scheme_findings import CLEAR, MATTERS

Status = Literal["ok", "skipped", "failed"]


@dataclass(frozen=True)
class Cell:
    """What sorting by one statistic gives.

    Parameters
    ----------
    statistic, word : str
        Its name in tables, and in sentences.
    kind : str
        The gravest finding on it: "gameable", "gameable backwards", "leaning", …
    sortability : float
        The mean over units.
    spread : float
        The standard deviation of the sortability over the draws; nan of one data set.
    p_rising, p_falling : float
        Of the sortability, pooled.
    f1_rising, f1_falling : float
        Of regression along the order by the statistic, the mean over units.
    f1_p_rising, f1_p_falling : float
        Of that F1 against random orders, pooled.
    gain_spread_rising, gain_spread_falling : float
        The standard deviation over the draws of F1 minus that of random orders; nan of one data
        set.
    """

    statistic: str
    word: str
    kind: str
    sortability: float
    spread: float
    p_rising: float
    p_falling: float
    f1_rising: float
    f1_falling: float
    f1_p_rising: float = math.nan
    f1_p_falling: float = math.nan
    gain_spread_rising: float = math.nan
    gain_spread_falling: float = math.nan


@dataclass(frozen=True)
class Row:
    """An entry with its verdict; without one the reason.

    Parameters
    ----------
    name, group, package, version, world, what, call, note, reference, command
        As the `Entry` has them; the version is that of the package.
    status : {"ok", "skipped", "failed"}
    reason : str
        Why there is no verdict.
    key : str
        Digits that change with all that the numbers depend on.
    settings : Settings
    date : str
        Of the measurement, in UTC.
    measured_with : str
        The version of causalassay.
    verdict, statistic, sentence, advice, graphs : str
        The main finding: its kind, what it is about, its texts; and the finding on the graphs.
    rules : tuple of str
        The names of the rules that led to the findings.
    cells : tuple of Cell
    random_f1 : float
        The mean F1 along random orders.
    n_draws, n_units : int
        Data sets, and those with different graphs.
    n_edges, n_nodes : float
        The means; a generator may draw constant columns, which are left out.
    """

    name: str
    group: Group
    package: str
    version: str
    world: World
    what: str
    call: str
    note: str
    reference: str
    command: str
    status: Status
    settings: Settings
    key: str
    date: str
    measured_with: str
    reason: str = ""
    verdict: str = ""
    statistic: str = ""
    sentence: str = ""
    advice: str = ""
    graphs: str = ""
    rules: tuple[str, ...] = ()
    cells: tuple[Cell, ...] = ()
    random_f1: float = math.nan
    n_draws: int = 0
    n_units: int = 0
    n_edges: float = math.nan
    n_nodes: float = math.nan

    def cell(self, statistic: str) -> Cell | None:
        """Return what sorting by a statistic gives; None if it was not tried."""
        return next((one for one in self.cells if one.statistic == statistic), None)

    @property
    def best_sorting(self) -> tuple[float, str]:
        """The largest mean F1 of the sorting baselines, and by what; nan without any."""
        reached = [
            (f1, f"{direction} {one.word}")
            for one in self.cells
            for f1, direction in ((one.f1_rising, "rising"), (one.f1_falling, "falling"))
            if not math.isnan(f1)
        ]
        return max(reached, key=lambda pair: pair[0], default=(math.nan, ""))

    @property
    def best_f1(self) -> float:
        """The largest mean F1 of the sorting baselines; nan without any."""
        return self.best_sorting[0]

    @property
    def won_by(self) -> tuple[Cell, ...]:
        """The statistics that the entry is gameable by, in either direction."""
        return tuple(one for one in self.cells if one.kind.startswith("gameable"))

    @property
    def is_borderline(self) -> bool:
        """Whether another seed may well give another verdict.

        A mean that the verdict rests on, a sortability or a gain in F1, is within two standard
        errors of the limit that the rule has.
        """
        if any(not self._near_a_limit(one) for one in self.won_by):
            return False
        return any(self._near_a_limit(one) for one in self.won_by or self.cells)

    def _near_a_limit(self, cell: Cell) -> bool:
        error = 2 * cell.spread / math.sqrt(max(self.n_units, 1))
        if min(abs(cell.sortability - limit) for limit in (CLEAR, 1 - CLEAR)) < error:
            return True
        return any(self._gain_decides(cell, direction) for direction in ("rising", "falling"))

    def _gain_decides(self, cell: Cell, direction: str) -> bool:
        """Whether the F1 test passes or not by a gain that is near its limit, and by that alone."""
        gain = getattr(cell, f"f1_{direction}") - self.random_f1
        error = 2 * getattr(cell, f"gain_spread_{direction}") / math.sqrt(max(self.n_units, 1))
        return getattr(cell, f"f1_p_{direction}") <= LEVEL and abs(gain - MATTERS) < error

    def to_dict(self) -> dict[str, Any]:
        """Return nested plain values for JSON; undefined numbers become None."""
        plain: dict[str, Any] = plain_values(dataclasses.asdict(self))
        return plain


def row_of(plain: dict[str, Any]) -> Row:
    """Return the row that `Row.to_dict` made plain.

    Raises
    ------
    KeyError, TypeError, ValueError
        If it is none.
    """
    fields = dict(plain)
    fields["settings"] = Settings(**fields["settings"])
    fields["rules"] = tuple(fields["rules"])
    fields["cells"] = tuple(Cell(**_numbers(one, Cell)) for one in fields["cells"])
    return Row(**_numbers(fields, Row))


def _numbers(plain: dict[str, Any], kind: type[Any]) -> dict[str, Any]:
    """Return fields with nan where JSON has None for a number."""
    wanted = {field.name for field in dataclasses.fields(kind) if field.type == "float"}
    return {
        name: math.nan if value is None and name in wanted else value
        for name, value in plain.items()
    }
