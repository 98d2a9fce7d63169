"""The page of a reproduction in Markdown: counts, then a table for each item, then notes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version

from causalassay.reproducing import Reproduction

RULE = (
    "A number agrees if it lies in our 99 % interval, widened by its printed rounding and, where "
    "the paper gives one, its own standard error. A claim holds or fails if our 99 % interval "
    "lies wholly on one side; else it is open. The rule was stated before the run."
)
HEADS = ("what", "published", "ours [99 % interval]", "outcome", "why")


def markdown_page(found: Reproduction) -> str:
    """Return the page."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Reproduction) -> Iterator[str]:
    about = found.paper.about
    yield f"# {found.paper.slug}"
    yield ""
    yield f"{about.authors} ({about.year}): {about.title}. {about.doi}"
    yield ""
    yield " ".join(found.sentences)
    yield ""
    yield RULE
    yield ""
    today = datetime.now(UTC).date().isoformat()
    yield (
        f"Made on {today} by `causalassay reproduce {found.paper.slug} --{found.size}`, "
        f"causalassay {version('causalassay')}, in {found.seconds / 60:.1f} minutes."
    )
    drawn = {picture.item for picture in found.pictures}
    what = {item.name: item.what for item in found.paper.items}
    for item in found.items:
        yield f"\n## {item}\n"
        yield f"{_cell(what[item])}.\n"
        if item in drawn:
            yield f"![{item} redrawn: {_cell(what[item])}]({item}.svg)\n"
        yield f"| {' | '.join(HEADS)} |"
        yield "|---" * len(HEADS) + "|"
        for line in found.lines_of(item):
            cells = (line.value.place, line.value.shown, line.ours_text, line.outcome, line.why)
            yield f"| {' | '.join(map(_cell, cells))} |"
    if found.paper.notes:
        yield ""
        yield found.paper.notes.replace("\n# ", "\n## ").replace("# Notes", "## Notes", 1)


def _cell(text: str) -> str:
    """Return a text that stays one cell of a table."""
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
