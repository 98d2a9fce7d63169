"""Writes a reproduction: its table, and a page for the documentation."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from causalassay.report.reproduction.page import markdown_page
from causalassay.report.reproduction.pictures import picture_svg
from causalassay.reproducing import Reproduction


def write_reproduction(found: Reproduction, folder: Path) -> list[Path]:
    """Write table.csv, page.md and a picture of each redrawn figure; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    table, page = folder / "table.csv", folder / "page.md"
    pd.DataFrame([line.to_dict() for line in found.lines]).to_csv(table, index=False)
    page.write_text(markdown_page(found), encoding="utf-8")
    drawn = [folder / f"{picture.item}.svg" for picture in found.pictures]
    for path, picture in zip(drawn, found.pictures, strict=True):
        path.write_text(picture_svg(picture), encoding="utf-8")
    return [table, page, *drawn]
