"""Documents as Markdown, for cards, documentation pages and chats."""

from __future__ import annotations

import re
from collections.abc import Sequence

from causalassay.present.document import (
    Beside,
    Block,
    Code,
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
)
from causalassay.present.formatting import formatted
from causalassay.spelling import visible

_SIGNS = re.compile(r"([\\`*\[\]|])")


def document_markdown(document: Document) -> str:
    """Return a document as Markdown, without its pictures."""
    claim = document.headline
    said = claim if isinstance(claim, str) else f"{claim.sentence} {claim.advice}".strip()
    parts = [f"# {escape(document.title)}", f"**{escape(said)}**"]
    if document.about:
        parts.append(escape(document.about))
    parts += blocks_markdown(document.blocks)
    if document.rules:
        parts += ["## Rules", *blocks_markdown([Rules(document.rules)])]
    if document.provenance:
        parts += ["## Provenance", *blocks_markdown(document.provenance)]
    return "\n\n".join(parts) + "\n"


def blocks_markdown(blocks: Sequence[Block]) -> list[str]:
    """Return the paragraphs of blocks."""
    parts: list[str] = []
    for block in blocks:
        match block:
            case Prose():
                parts.append(escape(block.text))
            case Code():
                parts.append(f"```\n{block.text}\n```")
            case Facts():
                parts.append(
                    "\n".join(f"- {escape(k)}: {escape(str(v))}" for k, v in block.items.items())
                )
            case Findings():
                parts.append("\n".join(f"- {escape(_finding(one))}" for one in block.items))
            case Rules():
                parts.append(
                    "\n".join(
                        f"- **{escape(n)}**: {escape(r.text)}" for n, r in block.items.items()
                    )
                )
            case Table():
                parts += table_markdown(block)
            case Section():
                parts += [f"## {escape(block.title)}", *blocks_markdown(block.blocks)]
            case Beside():
                parts += blocks_markdown(block.blocks)
            case Fold():
                parts += [f"### {escape(block.title)}", *blocks_markdown(block.blocks)]
            case Figure() | GraphFigure():
                pass
    return parts


def _finding(finding: Stated) -> str:
    """Return a finding with the rules that led to it."""
    text = f"{finding.sentence} {finding.advice}".strip()
    rules = ", ".join(finding.rule_names)
    return f"{text} (rule: {rules})" if rules else text


def table_markdown(table: Table) -> list[str]:
    """Return the title of a table, the table, and its notes."""
    sides = ["---:" if column.side == "right" else "---" for column in table.columns]
    lines = [
        _line([column.heading for column in table.columns]),
        f"| {' | '.join(sides)} |",
        *(
            _line(
                [
                    _cell(value, column.format)
                    for value, column in zip(row, table.columns, strict=True)
                ]
            )
            for row in table.rows
        ),
    ]
    about = table.caption or table.title
    notes = [f"Note: {escape(note)}." for note in table.notes]
    return [*([escape(about)] if about else []), "\n".join(lines), *notes]


def _cell(value: object, how: object) -> str:
    marked = value if isinstance(value, Marked) else Marked(value)
    text = formatted(marked.value, how)  # type: ignore[arg-type]
    if marked.mark:
        text = f"{text} ({marked.mark})"
    return text


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(escape(cell) for cell in cells)} |"


def escape(text: str) -> str:
    r"""Return text that a Markdown page shows as it is, on one line.

    Examples
    --------
    >>> print(escape("a|b <script> ![x](y) var_sortability"))
    a\|b &lt;script> !\[x\](y) var_sortability
    """
    return _SIGNS.sub(r"\\\1", visible(text).replace("&", "&amp;").replace("<", "&lt;"))
