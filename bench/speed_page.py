"""The page docs/speed.md, put together from the last result of each command."""

from __future__ import annotations

import re
from pathlib import Path

from bench.runtime import cache_folder

HEADINGS = {
    "speed": "## Compared with other packages",
    "searches": "## Searches for the best score",
    "card": "## On a graphics card",
    "growth": "## How cost grows",
    "startup": "## Start-up",
}
"""The sections by name, in the order of the page; "card" is by hand, as a card is elsewhere."""
HEAD = (
    "# Speed\n\nThis page compares the speed of causalassay with that of other packages, and "
    "shows how its cost grows. It is written by `python -m bench --out docs`; do not edit it "
    "by hand.\n\n"
)


def keep(name: str, section: str, picture: str = "") -> None:
    """Keep a section and its picture in the cache, for pages that are written later."""
    (_folder() / f"{name}.md").write_text(section)
    if picture:
        (_folder() / f"{name}.svg").write_text(picture)


def publish(out: Path) -> None:
    """Write speed.md and the pictures into a folder.

    A section that no command has made here stays as it is on the page that is there.
    """
    (out / "images").mkdir(parents=True, exist_ok=True)
    page = out / "speed.md"
    sections = _sections(page.read_text() if page.exists() else "")
    for name in HEADINGS:
        kept, picture = _folder() / f"{name}.md", _folder() / f"{name}.svg"
        if kept.exists():
            sections[name] = kept.read_text()
        if picture.exists():
            (out / "images" / picture.name).write_text(picture.read_text())
    texts = [sections[name].rstrip("\n") + "\n" for name in HEADINGS if name in sections]
    page.write_text(HEAD + "\n".join(texts))


def _sections(text: str) -> dict[str, str]:
    """Return the sections of a page by their names."""
    names = {heading: name for name, heading in HEADINGS.items()}
    parts = re.split(r"(?m)^(?=## )", text)[1:]
    return {names[first]: part for part in parts if (first := part.partition("\n")[0]) in names}


def _folder() -> Path:
    folder = cache_folder() / "sections"
    folder.mkdir(exist_ok=True)
    return folder
