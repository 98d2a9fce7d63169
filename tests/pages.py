"""The pages of the documentation, cut into blocks of code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
MARK = re.compile(r"^<!-- not run: (?P<reason>.+) -->$")
SHELL = ("sh", "bash", "console", "indented")


@dataclass(frozen=True)
class Block:
    """A block of code.

    Parameters
    ----------
    page : str
        Relative to the repository.
    line : int
        Of its first line of code, from 1.
    language : str
        As stated after the fence; "indented" without a fence.
    text : str
    not_run : str
        The reason of the mark above it; empty without a mark.
    """

    page: str
    line: int
    language: str
    text: str
    not_run: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def commands(self) -> list[str]:
        """The lines of a shell block without prompts, comments and blanks."""
        lines = (
            re.sub(r"(^|\s+)#.*", "", line.removeprefix("$ ")) for line in self.text.splitlines()
        )
        return [line.strip() for line in lines if line.strip()]


def blocks_of(path: Path) -> list[Block]:
    """Return the blocks of a page: fenced ones, and those indented by four blanks."""
    page = str(path.relative_to(ROOT))
    lines = path.read_text(encoding="utf-8").splitlines()
    found = []
    place = 0
    while place < len(lines):
        start, before = place, lines[place - 1] if place else ""
        if fence := re.match(r"^```(\S*)", lines[place]):
            place = lines.index("```", place + 1)
            found.append((start + 1, fence[1], lines[start + 1 : place], before))
        elif lines[place].startswith("    ") and not before and not _in_a_directive(lines, place):
            while place + 1 < len(lines) and lines[place + 1].startswith("    "):
                place += 1
            body = [line[4:] for line in lines[start : place + 1]]
            above = next((line for line in reversed(lines[:start]) if line), "")
            found.append((start, "indented", body, above))
        place += 1
    return [
        Block(page, line + 1, language, "\n".join(body), _reason(above))
        for line, language, body, above in found
    ]


def files_shown_on(page: str) -> dict[str, str]:
    """Return the text of each file of which a page says ``Save this as `name` ``, by name."""
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    files = {}
    for block in blocks_of(ROOT / page):
        above = "\n".join(lines[max(0, block.line - 5) : block.line - 1])
        if named := re.search(r"Save this as `([^`]+)`", above):
            files[named[1]] = block.text + "\n"
    return files


def inline_commands(path: Path) -> list[str]:
    """Return what stands between backticks in running text and begins like a command."""
    text = re.sub(
        r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    return re.findall(r"`((?:causalassay|make|pip) [^`]+)`", text)


def _in_a_directive(lines: list[str], place: int) -> bool:
    """Tell whether an indented line sets options of mkdocstrings."""
    above = next((line for line in reversed(lines[:place]) if not line.startswith("    ")), "")
    return above.startswith(":::")


def _reason(line: str) -> str:
    mark = MARK.match(line)
    return mark["reason"] if mark else ""
