"""Writes a reproduction: its table, its pictures, and pages to read and to commit."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from causalassay.report.reproduction.html_page import html_page
from causalassay.report.reproduction.overview import overview_svg
from causalassay.report.reproduction.page import markdown_page
from causalassay.report.reproduction.pictures import picture_svg
from causalassay.reproducing import Reproduction


def write_reproduction(found: Reproduction, folder: Path) -> list[Path]:
    """Write table.csv, page.md, page.html, overview.svg and a picture of each redrawn figure.

    Returns
    -------
    list of Path
    """
    folder.mkdir(parents=True, exist_ok=True)
    date = datetime.now(UTC).date().isoformat()
    drawings = {picture.item: picture_svg(picture) for picture in found.pictures}
    overview = overview_svg({item: found.lines_of(item) for item in found.items})
    texts = {
        "page.md": markdown_page(found, date),
        "page.html": html_page(found, overview, drawings, date),
        "overview.svg": overview,
        **{f"{item}.svg": svg for item, svg in drawings.items()},
    }
    table = folder / "table.csv"
    pd.DataFrame([line.to_dict() for line in found.lines]).to_csv(table, index=False)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [table, *(folder / name for name in texts)]
