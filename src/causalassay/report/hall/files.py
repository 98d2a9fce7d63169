"""Writes the page, the picture and the table of a hall."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from causalassay.hall import Row, Settings
from causalassay.replacing import replacing
from causalassay.report.hall.page import hall_page
from causalassay.report.hall.picture import hall_svg
from causalassay.report.hall.table import hall_csv


@dataclass(frozen=True)
class Written:
    """The files of a hall.

    Parameters
    ----------
    page, picture, table : Path
    """

    page: Path
    picture: Path
    table: Path


def write_hall(  # noqa: PLR0913, PLR0917  what it shows, and where it goes
    rows: Sequence[Row],
    settings: Settings,
    folder: Path,
    page: Path | None,
    command: str,
    known: Sequence[str] = (),
) -> Written:
    """Write page, picture and table.

    Parameters
    ----------
    rows : sequence of Row
    settings : Settings
    folder : Path
        Of the results; the picture and the table go there.
    page : Path, optional
        By default ``hall.md`` in the folder.
    command : str
        What made the page.
    known : sequence of str
        The names of all entries: the page says which have no row.
    """
    page = folder / "hall.md" if page is None else page
    written = Written(page, folder / "hall.svg", folder / "hall.csv")
    texts = {
        written.picture: hall_svg(rows),
        written.table: hall_csv(rows),
        page: hall_page(
            rows,
            settings,
            command,
            results_from(page, folder),
            missing=without_row(known, rows),
            linked=(page.parent / "rules.md").is_file(),
        ),
    }
    for path, content in texts.items():
        with replacing(path) as partial:
            partial.write_text(content, encoding="utf-8")
    return written


def without_row(known: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """Return the names of entries that have no row."""
    measured = {row.name for row in rows}
    return [name for name in known if name not in measured]


def results_from(page: Path, folder: Path) -> str:
    """Return where the results are, as seen from a page.

    Examples
    --------
    >>> results_from(Path("docs/hall.md"), Path("docs/hall-results"))
    'hall-results/'
    >>> results_from(Path("hall/hall.md"), Path("hall"))
    ''
    """
    way = Path(os.path.relpath(folder.absolute(), page.absolute().parent)).as_posix()
    return "" if way == "." else f"{way}/"
