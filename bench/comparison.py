"""The commands quick, full and searches: rows, then the table, the picture and every timing."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import machine, rows, speed_page
from bench.kept_rows import KeptRow, keep_row, kept_rows
from bench.markdown_table import SEARCHES as WORDS_ON_SEARCHES
from bench.markdown_table import section
from bench.measurement import measure
from bench.rows.row import Row
from bench.rows.searches import COMPARED
from bench.runtime import cache_folder
from bench.session import Session
from bench.table_lines import lines
from bench.timings import SEARCHES, Effort, Result

Results = Sequence[tuple[Row, list[Result]]]


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

    about = machine.facts()
    with TemporaryDirectory() as folder, Session(cache_folder()) as session:
        results_by_row = [
            (row, measure(row, session, effort, Path(folder), tell)) for row in chosen(only, effort)
        ]
        versions = session.versions()
    table = [line for row, results in results_by_row for line in lines(row, results, versions)]
    text = section(table, about, effort, absences(results_by_row))
    speed_page.keep("speed", text, ratios(table))
    tell(f"all timings: {_keep(results_by_row, about, versions)}")
    return text


def compare_searches(only: Sequence[str], tell: Callable[[str], None]) -> str:
    """Run searches for the best score; return the section with what is kept of all of them."""
    from bench.search_picture import picture  # noqa: PLC0415 (Altair is slow to import)

    about = machine.facts()
    with TemporaryDirectory() as folder, Session(cache_folder(), SEARCHES.clock) as session:
        for row in chosen(only or COMPARED, SEARCHES):
            date = machine.facts()["date"]
            results = measure(row, session, SEARCHES, Path(folder), tell)
            keep_row(KeptRow(row, results, date, session.versions()))
    kept = kept_rows(chosen(COMPARED, SEARCHES))
    table = [line for one in kept for line in lines(one.row, one.results, one.versions)]
    dates = sorted(one.date for one in kept)
    about["date"] = " to ".join(dict.fromkeys([dates[0], dates[-1]]))
    missing = absences([(one.row, one.results) for one in kept])
    text = section(table, about, SEARCHES, missing, WORDS_ON_SEARCHES)
    speed_page.keep("searches", text, picture({one.row.name: one.results for one in kept}))
    return text


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


def _keep(results_by_row: Results, about: dict[str, str], versions: dict[str, str]) -> Path:
    """Write every timing beside the environments."""
    timings = {row.name: [asdict(result) for result in results] for row, results in results_by_row}
    record = {"machine": about, "versions": versions, "rows": timings}
    path = cache_folder() / f"timings-{about['date'].replace(' ', '-').replace(':', '')}.json"
    path.write_text(json.dumps(record, indent=1))
    return path
