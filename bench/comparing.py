"""The words quick and full: all rows, then the table, the picture and every timing."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import machine, pages, programme
from bench.measuring import measure
from bench.places import cache_folder
from bench.rows import Row
from bench.session import Session
from bench.statistics import lines
from bench.table import section
from bench.timings import Effort, Result

Found = Sequence[tuple[Row, list[Result]]]


def chosen(only: Sequence[str], effort: Effort) -> list[Row]:
    """Return the rows that are to run, in order: those named, or all that the effort allows.

    Raises
    ------
    ValueError
        If there is no row of some name.
    """
    everything = programme.rows()
    known = {name for row in everything for name in (row.job, row.name)}
    if unknown := sorted(set(only) - known):
        raise ValueError(
            f"there is no row {', '.join(unknown)}; there are {', '.join(sorted(known))}"
        )
    if only:
        return [row for row in everything if row.job in only or row.name in only]
    return [row for row in everything if effort.long or not row.long]


def compare(effort: Effort, only: Sequence[str], tell: Callable[[str], None]) -> str:
    """Run the rows, keep what was found, and return the section of the page."""
    from bench.picture import ratios  # noqa: PLC0415 (Altair is slow to import)

    about = machine.facts()
    with TemporaryDirectory() as folder, Session(cache_folder()) as session:
        found = [
            (row, measure(row, session, effort, Path(folder), tell)) for row in chosen(only, effort)
        ]
        versions = session.versions()
    written = [line for row, results in found for line in lines(row, results, versions)]
    text = section(written, about, effort, absences(found))
    pages.keep("speed", text, ratios(written))
    tell(f"all timings: {_keep(found, about, versions)}")
    return text


def absences(found: Found) -> list[str]:
    """Return a sentence for each peer that did not run, recorded ones included."""
    missing = [
        f"{result.name} ({row.title}, d = {row.size}): {result.trouble}"
        for row, results in found
        for result in results
        if result.trouble
    ]
    return missing + [
        f"{one.name} ({row.title}, d = {row.size}): {one.why}"
        for row, _ in found
        for one in row.recorded
    ]


def _keep(found: Found, about: dict[str, str], versions: dict[str, str]) -> Path:
    """Write every timing beside the environments."""
    rows = {row.name: [asdict(result) for result in results] for row, results in found}
    record = {"machine": about, "versions": versions, "rows": rows}
    path = cache_folder() / f"timings-{about['date'].replace(' ', '-').replace(':', '')}.json"
    path.write_text(json.dumps(record, indent=1))
    return path
