"""A row of the hall: what an entry is, and what was found on it; and the files of rows."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from causalassay.common.files import write_text
from causalassay.data.dataset import World
from causalassay.judging.findings import GAMEABLE_KINDS, FindingKind
from causalassay.judging.over_instances import CLEAR, MATTERS
from causalassay.judging.p_values import LEVEL
from causalassay.lab.hall.entry import Group, Settings
from causalassay.present import Shown
from causalassay.present.formatting import in_words
from causalassay.present.json_values import plain_values

if TYPE_CHECKING:
    from causalassay.present import Document

Status = Literal["ok", "skipped", "failed"]

FOLDER = "rows"
"""The folder of the files of rows, below that of the results."""


@dataclass(frozen=True)
class Cell:
    """What sorting by one statistic gives.

    Parameters
    ----------
    statistic, word : str
        Its name in tables, and in sentences.
    kind : FindingKind
        The gravest finding on it.
    sortability : float
        The mean over instances.
    spread : float
        The standard deviation of the sortability over the draws; nan of one data set.
    p_rising, p_falling : float
        P-values of the sortability, pooled.
    direction_rising, direction_falling : float
        The mean direction score, over instances, of regression along the order by the statistic.
    direction_p_rising, direction_p_falling : float
        P-values of that score against random orders, pooled.
    gain_spread_rising, gain_spread_falling : float
        The standard deviation over the draws of that score minus that of random orders; nan of one
        data set.
    low, high : float
        95 % of the bootstrap over the rows of one data set; nan of several, and of a series.
    """

    statistic: str
    word: str
    kind: FindingKind
    sortability: float
    spread: float
    p_rising: float
    p_falling: float
    direction_rising: float
    direction_falling: float
    direction_p_rising: float = math.nan
    direction_p_falling: float = math.nan
    gain_spread_rising: float = math.nan
    gain_spread_falling: float = math.nan
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True, repr=False)
class Row(Shown):
    """An entry with its verdict; without one the reason.

    Parameters
    ----------
    name, group, package, version, world, what, call, note, reference, command
        As the `Entry` has them; the version is that of the package.
    status : {"ok", "skipped", "failed"}
        Whether there is a verdict, and if not, whether it was tried.
    reason : str
        Why there is no verdict.
    key : str
        Digits that change with all that the numbers depend on.
    settings : Settings
        How much was drawn.
    date : str
        Of the measurement, in UTC.
    measured_with : str
        The version of causalassay.
    verdict : FindingKind, or None
        The kind of the main finding.
    statistic, sentence, advice, graphs : str
        What the main finding is about, and its texts; and the finding on the graphs.
    rules : tuple of str
        The names of the rules that led to the findings.
    cells : tuple of Cell
        What sorting by each statistic gives.
    random_direction : float
        The mean direction score along random orders.
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
    verdict: FindingKind | None = None
    statistic: str = ""
    sentence: str = ""
    advice: str = ""
    graphs: str = ""
    rules: tuple[str, ...] = ()
    cells: tuple[Cell, ...] = ()
    random_direction: float = math.nan
    n_draws: int = 0
    n_units: int = 0
    n_edges: float = math.nan
    n_nodes: float = math.nan

    def cell(self, statistic: str) -> Cell | None:
        """Return what sorting by a statistic gives; None if it was not tried."""
        return next((cell for cell in self.cells if cell.statistic == statistic), None)

    @property
    def best_sorting(self) -> tuple[float, str]:
        """The largest mean direction score of sorting, and by what; nan without any."""
        reached = [
            (score, f"{direction} {cell.word}")
            for cell in self.cells
            for score, direction in (
                (cell.direction_rising, "rising"),
                (cell.direction_falling, "falling"),
            )
            if not math.isnan(score)
        ]
        return max(reached, key=lambda pair: pair[0], default=(math.nan, ""))

    @property
    def best_direction(self) -> float:
        """The largest mean direction score of the sorting baselines; nan without any."""
        return self.best_sorting[0]

    @property
    def won_by(self) -> tuple[Cell, ...]:
        """The statistics that the entry is gameable by, in either direction."""
        return tuple(cell for cell in self.cells if cell.kind in GAMEABLE_KINDS)

    @property
    def label(self) -> str:
        """The verdict in a few words, with all that it is gameable by; without one the status."""
        if self.verdict is None:
            return self.status
        forwards = [cell.word for cell in self.won_by if cell.kind == FindingKind.GAMEABLE]
        backwards = [cell.word for cell in self.won_by if cell.kind != FindingKind.GAMEABLE]
        ways = [f"{FindingKind.GAMEABLE.label} by {in_words(forwards)}"] if forwards else []
        if backwards:
            kind = "backwards" if forwards else FindingKind.GAMEABLE_BACKWARDS.label
            ways.append(f"{kind} by {in_words(backwards)}")
        cell = self.cell(self.statistic)
        if ways or cell is None:
            return ", ".join(ways) or self.verdict.label
        rising, falling = (
            (cell.p_rising, cell.direction_p_rising),
            (cell.p_falling, cell.direction_p_falling),
        )
        direction = "falling " if min(falling) < min(rising) else ""
        return self.verdict.label_by(f"{direction}{cell.word}")

    @property
    def is_borderline(self) -> bool:
        """Whether another seed may well give another verdict.

        A mean that the verdict rests on, a sortability or a gain in direction score, is within two
        standard errors of the limit that the rule has.
        """
        if any(not self._near_a_limit(cell) for cell in self.won_by):
            return False
        return any(self._near_a_limit(cell) for cell in self.won_by or self.cells)

    def _near_a_limit(self, cell: Cell) -> bool:
        error = 2 * cell.spread / math.sqrt(max(self.n_units, 1))
        if min(abs(cell.sortability - limit) for limit in (CLEAR, 1 - CLEAR)) < error:
            return True
        return any(self._gain_decides(cell, direction) for direction in ("rising", "falling"))

    def _gain_decides(self, cell: Cell, direction: str) -> bool:
        """Whether the second test passes or not by a gain near its limit, and by that alone."""
        gain = getattr(cell, f"direction_{direction}") - self.random_direction
        error = 2 * getattr(cell, f"gain_spread_{direction}") / math.sqrt(max(self.n_units, 1))
        return getattr(cell, f"direction_p_{direction}") <= LEVEL and abs(gain - MATTERS) < error

    def to_dict(self) -> dict[str, Any]:
        """Return nested plain values for JSON; undefined numbers become None."""
        plain: dict[str, Any] = plain_values(dataclasses.asdict(self))
        return plain | {"verdict": plain["verdict"] or ""}

    def document(self) -> Document:
        """Return what the row says."""
        from causalassay.lab.hall.document import row_document  # noqa: PLC0415

        return row_document(self)


def row_of(plain: dict[str, Any]) -> Row:
    """Return the row that `Row.to_dict` made plain, now or when kinds had no ids.

    Raises
    ------
    KeyError, TypeError, ValueError
        If it is none.
    """
    fields = dict(plain)
    fields["settings"] = Settings(**fields["settings"])
    fields["rules"] = tuple(fields["rules"])
    fields["verdict"] = kind_of(fields["verdict"]) if fields["verdict"] else None
    fields["cells"] = tuple(
        Cell(**_numbers(cell | {"kind": kind_of(cell["kind"])}, Cell)) for cell in fields["cells"]
    )
    return Row(**_numbers(fields, Row))


def _numbers(plain: dict[str, Any], kind: type[Any]) -> dict[str, Any]:
    """Return fields with nan where JSON has None for a number."""
    wanted = {field.name for field in dataclasses.fields(kind) if field.type == "float"}
    return {
        name: math.nan if value is None and name in wanted else value
        for name, value in plain.items()
    }


def kind_of(text: str) -> FindingKind:
    """Return the kind of a finding; files written before kinds had ids have words.

    Examples
    --------
    >>> kind_of("no evidence") is kind_of("no-evidence")
    True
    """
    return FindingKind(text.replace(" ", "-"))


def keep(folder: Path, row: Row) -> None:
    """Write a row, whole or not at all; one without a verdict never replaces one that has one."""
    path = _path(folder, row.name)
    if row.status != "ok" and (stored := read_row(path)) is not None and stored.status == "ok":
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(row.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)
    write_text(path, f"{text}\n")


def kept(folder: Path, name: str, key: str) -> Row | None:
    """Return the row of an entry that has the key and a verdict; None if there is none."""
    row = read_row(_path(folder, name))
    return row if row is not None and row.key == key and row.status == "ok" else None


def kept_rows(folder: Path) -> list[Row]:
    """Return all rows of a folder, by name; files that hold none are passed over."""
    files = sorted((folder / FOLDER).glob("*.json"))
    return [row for file in files if (row := read_row(file)) is not None]


def all_rows(
    folder: Path, fresh: Sequence[Row], settings: Settings, order: Sequence[str]
) -> tuple[list[Row], list[str]]:
    """Return the rows of a folder with those of this run, and the names of rows left out.

    Parameters
    ----------
    folder : Path
    fresh : sequence of Row
        Of this run: they take the place of what was kept under their names.
    settings : Settings
        Rows that were measured with others are left out: one table has one kind of draws.
    order : sequence of str
        The names of all entries; rows of other names, such as networks of earlier runs, come last.
    """
    named = {row.name: row for row in [*kept_rows(folder), *fresh]}
    fitting = [row for row in named.values() if row.settings == settings]
    places = {name: rank for rank, name in enumerate(order)}
    fitting.sort(key=lambda row: (places.get(row.name, len(places)), row.name))
    return fitting, sorted(set(named) - {row.name for row in fitting})


def read_row(path: Path) -> Row | None:
    """Return the row that a file holds; None if there is none, or if it is of an older format."""
    try:
        return row_of(json.loads(path.read_text(encoding="utf-8")))
    except (FileNotFoundError, KeyError, TypeError, ValueError):
        return None


def _path(folder: Path, name: str) -> Path:
    return folder / FOLDER / f"{name}.json"
