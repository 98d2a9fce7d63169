"""The page docs/speed.md, put together from what each word found last."""

from __future__ import annotations

from pathlib import Path

from bench.places import cache_folder

WORDS = ("speed", "growth", "startup")
"""The sections, in the order of the page."""


def keep(word: str, section: str, picture: str = "") -> None:
    """Keep what a word found in the cache, for pages that are written later."""
    (_folder() / f"{word}.md").write_text(section)
    if picture:
        (_folder() / f"{word}.svg").write_text(picture)


def publish(out: Path) -> None:
    """Write speed.md and the pictures into a folder, with all sections that there are."""
    (out / "images").mkdir(parents=True, exist_ok=True)
    sections = [_folder() / f"{word}.md" for word in WORDS]
    text = "\n".join(section.read_text() for section in sections if section.exists())
    head = "# Speed\n\nWritten by `python -m bench --out docs`; do not edit by hand.\n\n"
    (out / "speed.md").write_text(head + text)
    for word in WORDS:
        picture = _folder() / f"{word}.svg"
        if picture.exists():
            (out / "images" / picture.name).write_text(picture.read_text())


def _folder() -> Path:
    folder = cache_folder() / "sections"
    folder.mkdir(exist_ok=True)
    return folder
