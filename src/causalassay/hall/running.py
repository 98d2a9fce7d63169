"""Fills the hall: entry by entry, each row kept as soon as it is there."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

from causalassay.hall.entry import Entry, Settings
from causalassay.hall.kept_audits import FOLDER as UNDER_WAY
from causalassay.hall.kept_audits import KeptAudits
from causalassay.hall.kept_rows import keep, kept
from causalassay.hall.measuring import key_of, measure
from causalassay.hall.row import Row

OnProgress = Callable[[str, int, int], None]
"""Called with the name of an entry, and how many data sets are audited, of all."""


def fill(
    entries: Sequence[Entry],
    settings: Settings,
    folder: Path,
    *,
    again: bool = False,
    on_progress: OnProgress = lambda *_: None,
) -> list[Row]:
    """Return the rows of some entries; a row that is kept is not measured again.

    Parameters
    ----------
    entries : sequence of Entry
    settings : Settings
    folder : Path
        Of the results.
    again : bool
        Measure what is kept as well.
    on_progress : callable, optional

    Examples
    --------
    >>> import tempfile
    >>> from causalassay.hall.catalogue import entries
    >>> settings = Settings(draws=2, nodes=5, samples=100)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     only = [entries(settings)["linear-uumc"]]
    ...     [row.status for row in fill(only, settings, Path(folder))]
    ['ok']
    """
    totals = [1 if entry.is_one_data_set else settings.draws for entry in entries]
    before, rows = 0, []
    for entry, total in zip(entries, totals, strict=True):
        key = key_of(entry, settings)
        row = None if again else kept(folder, entry, key)
        if row is None:
            step = _Step(on_progress, entry.name, before, sum(totals))
            audits = KeptAudits(folder / UNDER_WAY / f"{entry.name}.jsonl", key)
            if again:
                audits.clear()
            row = measure(entry, settings, step, audits)
            keep(folder, row)
            audits.clear()
        elif (retold := _retold(row, entry, settings)) != row:
            row = retold
            keep(folder, row)
        rows.append(row)
        before += total
        on_progress(entry.name, before, sum(totals))
    return rows


@dataclasses.dataclass(frozen=True)
class _Step:
    """Counts data sets over all entries."""

    on_progress: OnProgress
    name: str
    before: int
    total: int

    def __call__(self, done: int, _: int) -> None:
        self.on_progress(self.name, self.before + done, self.total)


def _retold(row: Row, entry: Entry, settings: Settings) -> Row:
    """Return a kept row with the texts that its entry has now: no number depends on them."""
    texts = {name: getattr(entry, name) for name in ("what", "call", "note", "reference")}
    return dataclasses.replace(row, **texts, command=entry.command(settings))
