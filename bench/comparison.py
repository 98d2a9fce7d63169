"""The commands quick, full and searches: rows, then the table, the picture and every timing."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench import machine, rows, speed_page
from bench.markdown_table import SEARCHES as WORDS_ON_SEARCHES
from bench.markdown_table import section
from bench.measurement import measure
from bench.rows.row import Row
from bench.rows.searches import COMPARED
from bench.runtime import cache_folder
from bench.session import Session
from bench.table_lines import Line, lines
from bench.timings import SEARCHES, Effort, Result

Results = Sequence[tuple[Row, list[Result]]]


@dataclass(frozen=True)
class Run:
    """What came of a run, on which machine, with which versions of the peers."""

    results: Results
    about: dict[str, str]
    versions: dict[str, str]

    @property
    def table(self) -> list[Line]:
        """The lines of all rows."""
        return [line for row, some in self.results for line in lines(row, some, self.versions)]

    @property
    def timings(self) -> dict[str, list[dict[str, Any]]]:
        """Every timing, by the name of the row."""
        return {row.name: [asdict(result) for result in some] for row, some in self.results}


def chosen(only: Sequence[str], effort: Effort) -> list[Row]:
    """Return the rows that are to run, in order: those named, or all that the effort allows.

    Rows whose scores are counted seed by seed run only if named, or in the command searches.

    Raises
    ------
    ValueError
        If there is no row of some name.
    """
    everything = rows.all_rows()
    known = {name for row in everything for name in (row.job, row.name)}
    if unknown := sorted(set(only) - known):
        raise ValueError(
            f"there is no row {', '.join(unknown)}; there are {', '.join(sorted(known))}"
        )
    if only:
        return [row for row in everything if row.job in only or row.name in only]
    return [row for row in everything if not row.counted and (effort.long or not row.long)]


def compare(effort: Effort, only: Sequence[str], tell: Callable[[str], None]) -> str:
    """Run the rows, keep the results, and return the section of the page."""
    from bench.ratio_picture import ratios  # noqa: PLC0415 (Altair is slow to import)

    run = _run(effort, only, tell)
    text = section(run.table, run.about, effort, absences(run.results))
    speed_page.keep("speed", text, ratios(run.table))
    return text


def compare_searches(only: Sequence[str], tell: Callable[[str], None]) -> str:
    """Run the searches for the best score, keep the results, and return their section."""
    from bench.search_picture import picture  # noqa: PLC0415 (Altair is slow to import)

    run = _run(SEARCHES, only or COMPARED, tell)
    text = section(run.table, run.about, SEARCHES, absences(run.results), WORDS_ON_SEARCHES)
    speed_page.keep("searches", text, picture(run.timings))
    return text


def _run(effort: Effort, only: Sequence[str], tell: Callable[[str], None]) -> Run:
    """Run the rows, and write every timing beside the environments."""
    about = machine.facts()
    with TemporaryDirectory() as folder, Session(cache_folder(), effort.clock) as session:
        results = [
            (row, measure(row, session, effort, Path(folder), tell)) for row in chosen(only, effort)
        ]
        run = Run(results, about, session.versions())
    record = {"machine": about, "versions": run.versions, "rows": run.timings}
    path = cache_folder() / f"timings-{about['date'].replace(' ', '-').replace(':', '')}.json"
    path.write_text(json.dumps(record, indent=1))
    tell(f"all timings: {path}")
    return run


def absences(results_by_row: Results) -> list[str]:
    """Return a sentence for each peer that did not run, recorded ones included."""
    missing = [
        f"{result.name} ({row.title}, d = {row.size}): {result.trouble}"
        for row, results in results_by_row
        for result in results
        if result.trouble
    ]
    return missing + [
        f"{one.name} ({row.title}, d = {row.size}): {one.why}"
        for row, _ in results_by_row
        for one in row.recorded
    ]
