"""A study on the terminal: the short answer of at most 25 lines, and on demand all of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from causalassay.analysis import Analysis
from causalassay.analysis.document import (
    EACH_BY_ITSELF,
    NO_ROWS,
    ended_blocks,
    of_size,
    own_lines,
    own_section,
    score_blocks,
    study_rules,
    summary_blocks,
)
from causalassay.analysis.matrix import Cell, Column, Matrix, Row
from causalassay.analysis.summary import Ended, Summary
from causalassay.analysis.tables import BASELINE
from causalassay.common.spelling import did_you_mean, visible
from causalassay.judging.findings import PARTIAL_KINDS
from causalassay.metrics.registry import metric_name
from causalassay.present import Findings
from causalassay.present.formatting import all_of, as_sentence, counted, digits, in_words
from causalassay.present.terminal import FULL, print_blocks, print_rules
from causalassay.study.forecast import MissingRows

MOST_LINES = 24
"""And one more for where the report is."""
MOST_ROWS = 15
MOST_OWN = 2
"""Own algorithms that have a line of their own."""
MOST_LETTERS = 22
"""The longest name of an algorithm; a longer one is cut."""
MOST_IN_HEADING = 24
LIMITS_FROM = 110
"""Columns of a terminal that leave room for intervals."""
LEAST_FINDING, WHOLE_FINDING = 24, 37
"""Columns that findings need in a narrow terminal, and in a wide one."""
LONGEST_REASON = 110
MOST_SIZES = 6
"""Sizes that one line names."""
SIGNS = {"!": "artefact found", "?": "one of two tests passed"}
"""Behind the names of schemes."""
MOST_MISSING = 6
"""Algorithms of which the missing rows are counted one by one."""


def print_overview(analysis: Analysis, console: Console, planned: int = 0) -> None:
    """Print the headline, the matrix, and how many runs are not ok.

    Parameters
    ----------
    analysis : Analysis
    console : Console
    planned : int
        Runs of the complete study, where some are missing.
    """
    if not analysis.matrix.rows:
        console.print(NO_ROWS)
        return
    headline = Text(visible(analysis.headline), style="bold")
    mine = [Text(visible(line)) for line in list(own_lines(analysis))[:MOST_OWN]]
    last = [
        Text(line) for line in (*_other_sizes(analysis), failures_line(analysis.ended, planned))
    ]
    for most_rows in range(MOST_ROWS, 0, -1):
        texts = [headline, *mine, *_matrix(analysis.matrix, console.width, most_rows), *last]
        if sum(len(text.wrap(console, console.width)) for text in texts) <= MOST_LINES:
            break
    for text in texts:
        console.print(text)


def _other_sizes(analysis: Analysis) -> Iterator[str]:
    """Yield that the matrix is of one of several sizes, and how to see the others."""
    others = [size for size in analysis.all_sizes if size != analysis.size]
    if others:
        names = "; ".join(size.option for size in others[:MOST_SIZES])
        left = len(others) - MOST_SIZES
        more = f" and {counted(left, 'more size')}" if left > 0 else ""
        yield (
            f"Of {analysis.size.name} only ({analysis.size.option}); other sizes: {names}{more}. "
            f"summary --size {others[0].option} shows one, --full all."
        )


def print_summary(summary: Summary, console: Console, metric: str = "") -> None:
    """Print how the runs ended, who leads on each group, and what artefacts explain.

    Parameters
    ----------
    summary : Summary
    console : Console
    metric : str
        Show this one only; written as in studies or as in reports.
    """
    metric = _known_metric(summary, metric)
    if not len(summary.counts):
        console.print(NO_ROWS)
        return
    print_blocks([*ended_blocks(summary), *summary_blocks(summary, metric)], console)


def print_tables(analysis: Analysis, console: Console, metric: str = "") -> None:
    """Print how the runs ended, and for each size who leads and what artefacts explain.

    Parameters
    ----------
    analysis : Analysis
    console : Console
    metric : str
        As for `print_summary`.
    """
    metric = _known_metric(analysis.summary, metric)
    if not len(analysis.ended.counts):
        console.print(NO_ROWS)
        return
    if analysis.others:
        console.print(Text(EACH_BY_ITSELF, style="dim"))
    print_blocks([*ended_blocks(analysis.ended), *score_blocks(analysis, metric)], console)


def _known_metric(summary: Summary, metric: str) -> str:
    """Return the name of a metric in the study; empty if none was asked for."""
    if not metric:
        return ""
    known = {name: name for name in summary.metrics}
    known |= {metric_name(name): name for name in summary.metrics}
    if metric not in known:
        hint = did_you_mean(metric, summary.metrics)
        raise ValueError(f"metric: there is no {metric!r}; {hint}")
    return known[metric]


def print_sentences(analysis: Analysis, console: Console) -> None:
    """Print own algorithms against the others, all sentences, and the rules that made them."""
    for each in (analysis, *analysis.others):
        if mine := own_section(each):
            print_blocks([of_size(mine, each.size)], console)
        at = f": {each.size.name}" if each.size.name else ""
        console.print(Text(f"Verdict{at}", style="bold"))
        print_blocks([Findings(each.verdict.statements)], console)
    print_rules(study_rules(analysis), console, {FULL})


def failures_line(summary: Summary | Ended, planned: int = 0) -> str:
    """Return how many runs are not ok, and why most often; first how many are there of all."""
    lost = int((summary.counts["n"] - summary.counts["ok"]).sum())
    total = int(summary.counts["n"].sum())
    there = f"{total} of {counted(planned, 'planned run')} so far. " if planned else ""
    if not lost:
        return there + as_sentence(f"{all_of(total, 'run')} succeeded")
    most = max(summary.reasons.to_dict("records"), key=lambda row: row["n"])
    reason = (str(most["reason"]) or "no reason").removeprefix(f"{most['status']}: ")
    return (
        f"{there}{lost} of {counted(total, 'run')} are not ok, most often {most['n']} × "
        f"{_name(most['algorithm'])}: {most['status']}: "
        f"{_cut(reason, LONGEST_REASON).rstrip('.')}."
    )


def missing_rows_line(missing: MissingRows) -> str:
    """Return in one line how many rows are missing and of which algorithms; empty if none is.

    Examples
    --------
    >>> missing_rows_line(MissingRows({"pc": 2, "ges": 1}, 8))
    'Not complete: 3 of 8 rows missing (pc 2, ges 1). Run the study again to go on.'
    >>> missing_rows_line(MissingRows({}, 8))
    ''
    """
    if not missing.n_missing:
        return ""
    most = sorted(missing.by_algorithm.items(), key=lambda item: -item[1])
    named = [f"{name} {count}" for name, count in most[:MOST_MISSING]]
    left = len(most) - MOST_MISSING
    others = f" and {sum(count for _, count in most[MOST_MISSING:])} of {left} more"
    return (
        f"Not complete: {missing.n_missing} of {counted(missing.total, 'row')} missing "
        f"({', '.join(named)}{others if left > 0 else ''}). Run the study again to go on."
    )


def _matrix(matrix: Matrix, width: int, most_rows: int) -> Iterator[Text]:
    """Yield the lines of the matrix, none wider than the terminal."""
    rows = list(_rows(matrix.rows, most_rows))
    with_limits = width >= LIMITS_FROM
    scores = [[_score(cell, with_limits=with_limits) for cell in row.cells] for row in rows]
    headings = [f"{_cut(column.name, MOST_IN_HEADING)}{_sign(column)}" for column in matrix.columns]
    labels = [_label(row) for row in rows]
    name_width = max(map(cell_len, ["algorithm", *labels]))
    widths = [
        max(cell_len(heading), *(len(texts[index]) for texts in scores))
        for index, heading in enumerate(headings)
    ]
    shown = _columns(
        matrix, widths, width - name_width - (WHOLE_FINDING if with_limits else LEAST_FINDING)
    )
    left = width - name_width - sum(widths[i] + 1 for i in shown) - 1
    heads = [" " * (widths[i] - cell_len(headings[i])) + headings[i] for i in shown]
    head = f"{'algorithm':<{name_width}} {' '.join(heads)} finding"
    yield Text(head, style="underline", no_wrap=True, overflow="ellipsis")
    for row, label, texts in zip(rows, labels, scores, strict=True):
        text = Text(set_cell_size(label, name_width), "bold" if row.role == "mine" else "")
        for index in shown:
            style = "bold" if row.cells[index].best else ""
            text.append(f" {texts[index]:>{widths[index]}}", style)
        yield text.append(f" {_cut(row.finding, left)}", "")
    yield Text(_note(matrix, rows, shown), style="dim")


def _columns(matrix: Matrix, widths: Sequence[int], free: int) -> list[int]:
    """Return the columns to show, as many as fit: data as they came before rescaled ones."""
    everything = range(len(matrix.columns))
    order = sorted(everything, key=lambda index: matrix.columns[index].rescaled)
    shown: list[int] = []
    for index in order:
        free -= widths[index] + 1
        if free < 0 and shown:
            break
        shown.append(index)
    return sorted(shown)


def _rows(rows: Sequence[Row], most: int) -> Iterator[Row]:
    """Yield the rows to show: the first, and the user's own in any case."""
    left = {True: min(sum(row.role == "mine" for row in rows), most)}
    left[False] = most - left[True]
    for row in rows:
        left[row.role == "mine"] -= 1
        if left[row.role == "mine"] >= 0:
            yield row


def _note(matrix: Matrix, rows: Sequence[Row], shown: Sequence[int]) -> str:
    signs = ["(name) baseline", "* not distinguishable from the best"]
    used = {_sign(matrix.columns[index]) for index in shown}
    signs += [f"{sign} {meaning}" for sign, meaning in SIGNS.items() if sign in used]
    if any(row.role == "mine" for row in rows):
        signs.append("< yours")
    left_out = {
        "algorithm": len(matrix.rows) - len(rows),
        "scheme": len(matrix.columns) - len(shown),
    }
    more = in_words([counted(count, f"more {what}") for what, count in left_out.items() if count])
    better = f"Mean {metric_name(matrix.metric)}, {matrix.better} is better. {matrix.order}"
    rest = f" The whole table ({more}): summary --full." if more else ""
    # The page says the rest: what was not looked at.
    words = in_words(list(dict.fromkeys(artefact.word for artefact in matrix.artefacts)))
    looked_at = f" Looked at: {words}." if words else ""
    return f"{better} {'; '.join(signs)}.{looked_at}{rest}"


def _sign(column: Column) -> str:
    """Return what stands behind the name of a scheme: what the headline says of it."""
    if column.kind in PARTIAL_KINDS:
        return "?"
    return "!" * column.gamed


def _label(row: Row) -> str:
    name = _name(row.algorithm)
    return {BASELINE: f"({name})", "mine": f"{name} <"}.get(row.role, name)


def _name(algorithm: str) -> str:
    name = visible(algorithm)
    if cell_len(name) <= MOST_LETTERS:
        return name
    # Names of one algorithm's settings differ at their end.
    end = _cut(name[::-1], MOST_LETTERS // 2)[-2::-1]
    return _cut(name, MOST_LETTERS - cell_len(end)) + end


def _cut(text: str, most: int) -> str:
    """Return the part of a text that fits into the columns; some letters take two."""
    text = visible(text)
    return text if cell_len(text) <= most else f"{set_cell_size(text, most - 1)}…"


def _score(cell: Cell, *, with_limits: bool) -> str:
    text = digits(cell.mean)
    if math.isnan(cell.mean):
        return f"{text} "
    text += "*" if cell.best else " "
    if with_limits and not math.isnan(cell.low):
        text += f"±{digits(cell.interval.spread):<4}"
    return text
