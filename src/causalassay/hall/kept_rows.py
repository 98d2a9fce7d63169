"""The rows of a hall in a folder, a file for each: a run that ended early goes on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from causalassay.hall.entry import Entry, Settings
from causalassay.hall.row import Row, row_of
from causalassay.replacing import replacing

FOLDER = "rows"
"""Below the folder of the results."""


def keep(folder: Path, row: Row) -> None:
    """Write a row, whole or not at all; one without a verdict never replaces one that has one."""
    path = _path(folder, row.name)
    if row.status != "ok" and (kept := read_row(path)) is not None and kept.status == "ok":
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as partial:
        partial.write_text(
            json.dumps(row.to_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n",
            encoding="utf-8",
        )


def kept(folder: Path, entry: Entry, key: str) -> Row | None:
    """Return the row of an entry that has the key and a verdict; None if there is none."""
    row = read_row(_path(folder, entry.name))
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
    places = {name: place for place, name in enumerate(order)}
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
