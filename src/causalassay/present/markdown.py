"""Documents as Markdown, for cards, documentation pages and chats."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from causalassay.common.files import write_text
from causalassay.common.spelling import visible
from causalassay.present import (
    Beside,
    Block,
    Code,
    Column,
    Document,
    Facts,
    Figure,
    Findings,
    Fold,
    GraphFigure,
    Marked,
    Prose,
    Rules,
    Section,
    Stated,
    Table,
    flattened,
)
from causalassay.present.charts import static_svg
from causalassay.present.formatting import formatted

_SIGNS = re.compile(r"([\\`*\[\]|])")


def document_markdown(document: Document) -> str:
    """Return a document as Markdown, with those of its pictures that are files."""
    claim = document.headline
    sentence = claim if isinstance(claim, str) else f"{claim.sentence} {claim.advice}".strip()
    parts = [f"# {escape(document.title)}", f"**{escape(sentence)}**"]
    if document.about:
        parts.append(escape(document.about))
    parts += blocks_markdown(document.blocks)
    if document.rules:
        parts += ["## Rules", *blocks_markdown([Rules(document.rules)])]
    if document.provenance:
        parts += ["## Provenance", *blocks_markdown(document.provenance)]
    return "\n\n".join(parts) + "\n"


def write_pictures(document: Document, page: Path) -> list[Path]:
    """Write the pictures that a page in Markdown shows, and return where they are.

    Parameters
    ----------
    document : Document
    page : Path
        Of the page, which need not be there.
    """
    paths = []
    for block in flattened([*document.blocks, *document.provenance]):
        if isinstance(block, Figure) and block.file:
            paths.append(page.parent / block.file)
            write_text(paths[-1], static_svg(block.spec(), block.alt, on_paper=True))
    return paths


def blocks_markdown(blocks: Sequence[Block]) -> list[str]:
    """Return the paragraphs of blocks."""
    return [part for block in blocks for part in _WRITERS[type(block)](block)]


def _code(block: Code) -> list[str]:
    """Return text between fences that it cannot close."""
    fence = "`" * max(3, _longest_run(block.text) + 1)
    lines = (visible(line) for line in block.text.split("\n"))
    return ["\n".join([fence, *lines, fence])]


def _longest_run(text: str) -> int:
    """Return how many backticks follow each other."""
    return max(map(len, re.findall("`+", text)), default=0)


def _list(items: Iterable[str]) -> list[str]:
    return ["\n".join(f"- {item}" for item in items)]


def _under(mark: str, block: Section | Fold) -> list[str]:
    return [f"{mark} {escape(block.title)}", *blocks_markdown(block.blocks)]


def _with_rules(finding: Stated) -> str:
    """Return a finding with the rules that led to it."""
    text = f"{finding.sentence} {finding.advice}".strip()
    rules = ", ".join(finding.rule_names)
    return f"{text} (rule: {rules})" if rules else text


def table_markdown(table: Table) -> list[str]:
    """Return the title of a table, the table, and its notes."""
    sides = ["---:" if column.side == "right" else "---" for column in table.columns]
    lines = [
        _line([escape(column.heading) for column in table.columns]),
        f"| {' | '.join(sides)} |",
        *(_line(list(map(_cell, row, table.columns))) for row in table.rows),
    ]
    about = table.caption or table.title
    notes = [f"Note: {escape(note)}." for note in table.notes]
    return [*([escape(about)] if about else []), "\n".join(lines), *notes]


def _cell(value: object, column: Column) -> str:
    marked = value if isinstance(value, Marked) else Marked(value)
    text = escape(f"{formatted(marked.value, column.format)}{marked.mark_text}")
    return f"[{text}]({_target(marked.link)})" if marked.link else text


def _fact(value: object) -> str:
    return _span(value.text) if isinstance(value, Code) else _cell(value, Column("", ""))


def _span(code: str) -> str:
    """Return code in a line; what holds backticks is between more of them."""
    line = visible(" ".join(code.split()))
    marks = "`" * (_longest_run(line) + 1)
    return f"{marks} {line} {marks}" if len(marks) > 1 else f"`{line}`"


def _image(figure: Figure) -> list[str]:
    """Return a picture that was written to a file, and its caption."""
    if not figure.file:
        return []
    caption = [escape(figure.caption)] if figure.caption else []
    return [f"![{escape(figure.alt)}]({_target(figure.file)})", *caption]


def _target(address: str) -> str:
    """Return an address that cannot end its brackets."""
    return quote(address, safe="/#?&=:%,;+@~!$")


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def escape(text: str) -> str:
    r"""Return text that a Markdown page shows as it is, on one line.

    Examples
    --------
    >>> print(escape("a|b <script> ![x](y) var_sortability"))
    a\|b &lt;script> !\[x\](y) var_sortability
    """
    return _SIGNS.sub(r"\\\1", visible(text).replace("&", "&amp;").replace("<", "&lt;"))


_WRITERS: Mapping[type[Block], Callable[[Any], list[str]]] = {
    Prose: lambda block: [escape(block.text)],
    Code: _code,
    Facts: lambda block: _list(
        f"{escape(name)}: {_fact(value)}" for name, value in block.items.items()
    ),
    Findings: lambda block: _list(escape(_with_rules(finding)) for finding in block.items),
    Rules: lambda block: _list(
        f"**{escape(name)}**: {escape(rule.text)}" for name, rule in block.items.items()
    ),
    Table: table_markdown,
    Section: lambda block: _under("##", block),
    Fold: lambda block: _under("###", block),
    Beside: lambda block: blocks_markdown(block.blocks),
    Figure: _image,
    GraphFigure: lambda _: [],
}
