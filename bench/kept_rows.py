"""The last results of each row, kept in the cache so that a long run can be made row by row."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.rows.row import Row
from bench.runtime import cache_folder
from bench.timings import Result, Timing


@dataclass(frozen=True)
class KeptRow:
    """What came of a row, ours first, when, and with which versions of the peers."""

    row: Row
    results: list[Result]
    date: str
    versions: Mapping[str, str]


def keep_row(kept: KeptRow) -> None:
    """Write what came of a row, in the place of what came of it before."""
    record = {
        "date": kept.date,
        "versions": dict(kept.versions),
        "results": [asdict(result) for result in kept.results],
    }
    _path(kept.row).write_text(json.dumps(record, indent=1))


def kept_rows(rows: Iterable[Row]) -> list[KeptRow]:
    """Return what is kept of some rows, in their order."""
    return [_read(row) for row in rows if _path(row).exists()]


def _read(row: Row) -> KeptRow:
    record = json.loads(_path(row).read_text())
    results = [_result(fields) for fields in record["results"]]
    return KeptRow(row, results, record["date"], record["versions"])


def _result(fields: dict[str, Any]) -> Result:
    timings = {int(seed): Timing(**timing) for seed, timing in fields.pop("timings").items()}
    return Result(**fields, timings=timings)


def _path(row: Row) -> Path:
    folder = cache_folder() / "rows"
    folder.mkdir(exist_ok=True)
    return folder / f"{row.name}.json"
