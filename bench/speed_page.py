"""The page docs/speed.md, put together from the last result of each command."""

from __future__ import annotations

from pathlib import Path

from bench.runtime import cache_folder

SECTIONS = ("speed", "growth", "startup")
"""In the order of the page."""


def keep(name: str, section: str, picture: str = "") -> None:
    """Keep a section and its picture in the cache, for pages that are written later."""
    (_folder() / f"{name}.md").write_text(section)
    if picture:
        (_folder() / f"{name}.svg").write_text(picture)


def publish(out: Path) -> None:
    """Write speed.md and the pictures into a folder, with all sections that there are."""
    (out / "images").mkdir(parents=True, exist_ok=True)
    sections = [_folder() / f"{name}.md" for name in SECTIONS]
    text = "\n".join(section.read_text() for section in sections if section.exists())
    head = (
        "# Speed\n\nThis page compares the speed of causalassay with that of other packages, and "
        "shows how its cost grows. It is written by `python -m bench --out docs`; do not edit it "
        "by hand.\n\n"
    )
    (out / "speed.md").write_text(head + text)
    for name in SECTIONS:
        picture = _folder() / f"{name}.svg"
        if picture.exists():
            (out / "images" / picture.name).write_text(picture.read_text())


def _folder() -> Path:
    folder = cache_folder() / "sections"
    folder.mkdir(exist_ok=True)
    return folder
