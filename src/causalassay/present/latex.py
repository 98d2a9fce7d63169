r"""Tables as LaTeX: a ``tabular`` with booktabs, with what it is in comments above it.

Names are escaped, so that none is ever read as a command.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from causalassay.present import Column, Document, Facts, Marked, Table, flattened
from causalassay.present.formatting import UNDEFINED, Interval, PValue, formatted, p_parts

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # After the end of a row they would be read as its options.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "`": "{`}",
} | {sign: f"\\{sign}" for sign in "{}$&#_%"}


def escape(text: str) -> str:
    r"""Return a text that LaTeX prints as it is; a line's end becomes a space.

    Examples
    --------
    >>> escape("a_b%{}$")
    'a\\_b\\%\\{\\}\\$'
    >>> escape("\\input{x}"), escape("R²")
    ('\\textbackslash{}input\\{x\\}', '$R^2$')
    """
    plain = "".join(sign if sign.isprintable() else " " for sign in text)
    escaped = "".join(_SPECIAL.get(sign, sign) for sign in plain)
    # Two of these in a row would become one sign.
    apart = re.sub(r"([-',])(?=\1)", r"\1{}", escaped)
    return apart.replace("R²", "$R^2$").replace("²", "$^2$").replace(UNDEFINED, "--")


def table_latex(table: Table, about: Sequence[str] = ()) -> str:
    """Return a table; the last rows stand below a line.

    Parameters
    ----------
    table : Table
    about : sequence of str
        Lines of comment above it.
    """
    sides = "".join("r" if column.side == "right" else "l" for column in table.columns)
    lines = [
        *(f"% {' '.join(_plain(line).split())}" for line in about),
        r"% Needs \usepackage{booktabs}.",
        rf"\begin{{tabular}}{{{sides}}}",
        r"\toprule",
        " & ".join(escape(column.heading) for column in table.columns) + r" \\",
        r"\midrule",
    ]
    for index, row in enumerate(table.rows):
        if table.n_last and index == len(table.rows) - table.n_last and index:
            lines.append(r"\midrule")
        cells = (cell(value, column) for value, column in zip(row, table.columns, strict=True))
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def comments(document: Document) -> list[str]:
    """Return the sentence to cite and what the document was made from, as lines."""
    claim = document.headline
    if isinstance(claim, str):
        lines = [claim]
    else:
        verdict = f"Verdict: {claim.sentence} {claim.advice}".strip()
        lines = [f"{verdict} (rule: {', '.join(claim.rule_names)})"]
    for block in flattened(document.provenance):
        if isinstance(block, Facts):
            lines += [f"{name}: {value}" for name, value in block.items.items()]
        elif isinstance(block, Table):
            lines += ["; ".join(map(_named, block.columns, row)) for row in block.rows]
    return lines


def _named(column: Column, value: object) -> str:
    return f"{column.heading}: {formatted(value, column.format)}"


def cell(value: object, column: Column) -> str:
    r"""Return a value as a cell of a table has it.

    Examples
    --------
    >>> cell(Marked(-0.5, bold=True), Column("a", "a", "digits"))
    '\\textbf{$-$0.50}'
    >>> cell(Interval(0.5, 0.25, 0.75), Column("a", "a", "digits"))
    '0.50 {\\scriptsize [0.25, 0.75]}'
    """
    marked = value if isinstance(value, Marked) else Marked(value)
    inside = marked.value
    if isinstance(inside, Interval):
        text = number(formatted(inside.value, column.format))
        text = rf"\textbf{{{text}}}" if marked.bold else text
        if math.isnan(inside.low) or math.isnan(inside.value):
            return text
        how = "digits" if column.format == "signed" else column.format
        low, high = (number(formatted(end, how)) for end in (inside.low, inside.high))
        return rf"{text} {{\scriptsize [{low}, {high}]}}"
    text = formatted(inside, column.format)
    if isinstance(inside, PValue) or (column.format == "p-value" and isinstance(inside, float)):
        below, digits = p_parts(inside if isinstance(inside, PValue) else PValue(inside))
        text = f"$<${digits}" if below else number(digits)
    else:
        text = escape(text) if column.format == "text" else number(text)
    return rf"\textbf{{{text}}}" if marked.bold else text


def number(text: str) -> str:
    """Return a number with the signs of mathematics."""
    return (
        re.sub(r"[-+]", lambda sign: f"${sign[0]}$", text)
        .replace(UNDEFINED, "--")
        .replace("%", r"\%")
    )


def _plain(line: str) -> str:
    """Return a line without what would end a comment."""
    return "".join(sign if sign.isprintable() else " " for sign in line)
