"""Summary and verdict for the terminal: at most 100 columns, readable without colour."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pandas as pd
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from causalassay.analysis import Analysis
from causalassay.analysis.comparison import compared_with_all, own_algorithms
from causalassay.analysis.names import metric_name, scheme_name
from causalassay.analysis.runs import SCHEME, STATUSES
from causalassay.analysis.summary import Summary
from causalassay.analysis.verdict.statements import StudyVerdict
from causalassay.report.numbers import decimal, signed
from causalassay.spelling import did_you_mean

SIDE_BY_SIDE = 4
"""Groups that fit beside each other."""
MOST_LETTERS = 26
"""Of a name in one line; a longer one takes two."""
MOST_REASONS = 8
"""Reasons that are printed; the summary holds more."""

Row = dict[str, Any]
Cells = dict[tuple[str, Any], Row]


def render_summary(summary: Summary, console: Console, metric: str | None = None) -> None:
    """Print how the runs ended, who leads on each group, and what artefacts explain.

    Parameters
    ----------
    summary : Summary
    console : Console
        Of 100 columns or more.
    metric : str, optional
        Show this one only.
    """
    if metric is not None:
        metric = _metric(metric, summary.metrics)
    if not len(summary.counts):
        console.print("No rows yet.")
        return
    metrics = summary.metrics if metric is None else (metric,)
    console.print(_counts(summary))
    for line in _reasons(summary):
        console.print(line)
    for name in metrics:
        for table in _leaderboards(summary, name):
            console.print(table)
    if metrics:
        for table in _attributions(summary, metrics[0]):
            console.print(table)


def _metric(named: str, metrics: Sequence[str]) -> str:
    """Return the metric of a name, written as in studies or as in reports."""
    for metric in metrics:
        if named in (metric, metric_name(metric)):
            return metric
    raise ValueError(f"metric: there is no {named!r}; {did_you_mean(named, metrics)}")


def render_own(analysis: Analysis, console: Console) -> None:
    """Print the paired differences of each own algorithm to every other; nothing without any."""
    schemes = [column.scheme for column in analysis.matrix.columns]
    for own in own_algorithms(analysis.runs):
        metric = analysis.matrix.metric
        frame = compared_with_all(analysis.runs, own)
        cells, _ = _cells(
            frame[frame["metric"] == metric]
            .drop(columns="algorithm")
            .rename(columns={"opponent": "algorithm"}),
            (SCHEME,),
        )
        title = (
            f"{own}: {metric_name(metric)} minus that of others, 95 % interval, wins/ties/losses"
        )
        table = _table(analysis.summary, title, "positive is better for it")
        _add_columns(table, [_heading((scheme,)) for scheme in schemes], [])
        for row in analysis.matrix.rows:
            if row.algorithm != own:
                found = [cells[row.algorithm, (scheme,)] for scheme in schemes]
                table.add_row(Text(row.algorithm), *(Text(_gain(each)) for each in found))
        console.print(table)


def _gain(row: Row) -> str:
    if math.isnan(row["gain"]):
        return "–"
    limits = _limits(row, "gain", "gain_low", "gain_high", signed)
    return f"{limits} {row['wins']}/{row['ties']}/{row['losses']}"


def render_verdict(verdict: StudyVerdict, console: Console) -> None:
    """Print the sentences of a study's verdict, and then the rules that made them."""
    console.print("[bold]Verdict[/]")
    sentences = [f"- {each.text} (rule: {each.rule})" for each in verdict.statements]
    rules = [f"Rule {name}: {text}" for name, text in verdict.rules.items()]
    for line in (*sentences, *rules) or ["There is nothing to say yet."]:
        console.print(escape(line), highlight=False)


def _counts(summary: Summary) -> Table:
    baselines = (summary.counts["role"] == "baseline").any()
    table = _table(summary, "How the runs ended", "* a baseline" if baselines else "")
    absent = ["absent"] if summary.counts["absent"].any() else []
    columns = ["n", *STATUSES, *absent]
    _add_columns(table, [], ["rows" if name == "n" else name for name in columns])
    for row in _rows(summary.counts):
        table.add_row(_name(row), *(str(row[name]) for name in columns))
    return table


def _reasons(summary: Summary) -> Iterator[Text]:
    reasons = sorted(_rows(summary.reasons), key=lambda row: -row["n"])
    for row in reasons[:MOST_REASONS]:
        yield Text(f"{row['n']:>6} × {row['algorithm']}: {row['status']}: {row['reason']}")
    if len(reasons) > MOST_REASONS:
        rest = reasons[MOST_REASONS:]
        runs = sum(row["n"] for row in rest)
        yield Text(f"{runs:>6} × for {len(rest)} other reasons, which --json lists")
    yield Text()


def _leaderboards(summary: Summary, metric: str) -> Iterator[Table]:
    """Yield tables of algorithms × groups, the best of the first group at the top."""
    better = summary.better[summary.metrics.index(metric)]
    scores = summary.scores[summary.scores["metric"] == metric]
    cells, groups = _cells(scores, summary.by)
    for part in _parts(groups):
        title = f"{metric_name(metric)}, {better} is better: mean and 95 % interval"
        note = "* a baseline; not ok: runs left out of the means, per column where they differ"
        counted = {"not ok": "n_not_ok"}
        if scores["n_undefined"].any():
            note += ", scores undefined"
            counted["undefined"] = "n_undefined"
        table = _table(summary, title, note)
        _add_columns(table, [_heading(group) for group in part], list(counted))
        for name in _best_first(cells, part[0], better):
            rows = [cells[name, group] for group in part]
            table.add_row(
                _name(rows[0]),
                *(Text(_limits(row, "mean", "mean_low", "mean_high")) for row in rows),
                *(_counted(rows, column) for column in counted.values()),
            )
        yield table


def _attributions(summary: Summary, metric: str) -> Iterator[Table]:
    """Yield tables of algorithms × schemes: the score on the same graphs, the margin below."""
    better = summary.better[summary.metrics.index(metric)]
    schemes, margins = summary.attribution.schemes, summary.attribution.margins
    cells, groups = _cells(schemes[schemes["metric"] == metric], (SCHEME,))
    chosen = margins
    if len(margins):
        chosen = margins[(margins["metric"] == metric) & (margins["reference"] == "sorting")]
    against, _ = _cells(chosen, (SCHEME,))
    several = len(groups) > 1
    same = " on the same graphs" if several else ""
    apart = "~ not on the same graphs as the others; " if several else ""
    for part in _parts(groups):
        table = _table(
            summary,
            f"{metric_name(metric)}{same}; below, how much better than the best sorting baseline",
            f"* baseline; {apart}units: graphs and replicates",
        )
        _add_columns(table, [_heading(group) for group in part], ["units"])
        for name in _best_first(cells, part[0], better):
            rows = [cells[name, group] for group in part]
            pairs = [against.get((name, group)) for group in part]
            table.add_row(
                _name(rows[0]),
                *(
                    _score_and_margin(row, pair, several and not row["paired"])
                    for row, pair in zip(rows, pairs, strict=True)
                ),
                _counted(rows, "n_units"),
            )
        yield table


def _table(summary: Summary, title: str, caption: str) -> Table:
    table = Table(
        title=Text(title),
        caption=Text(caption + "\n"),
        title_justify="left",
        caption_justify="left",
        title_style="bold",
        box=None,
        padding=(0, 1, 0, 0),
        header_style="underline",
    )
    longest = max(len("algorithm"), *(len(name) + 1 for name in summary.counts["algorithm"]))
    table.add_column("algorithm", overflow="fold", width=min(longest, MOST_LETTERS))
    return table


def _add_columns(table: Table, estimates: Sequence[str], counts: Sequence[str]) -> None:
    """Add columns of numbers with limits, which may take two lines, and of counts."""
    for heading in estimates:
        table.add_column(Text(heading), justify="right", overflow="fold")
    for heading in counts:
        table.add_column(Text(heading), justify="right", no_wrap=True)


def _rows(frame: pd.DataFrame) -> list[Row]:
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def _cells(frame: pd.DataFrame, by: Sequence[str]) -> tuple[Cells, list[Any]]:
    """Return the rows by algorithm and group, and the groups in their order."""
    cells: Cells = {}
    for row in _rows(frame):
        cells[row["algorithm"], tuple(_known(row[name]) for name in by)] = row
    return cells, list(dict.fromkeys(group for _, group in cells))


def _known(value: Any) -> Any:
    """Return None for nan: two of them are not equal and would make two groups."""
    return None if isinstance(value, float) and math.isnan(value) else value


def _parts(groups: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(groups), SIDE_BY_SIDE):
        yield groups[start : start + SIDE_BY_SIDE]


def _best_first(cells: Cells, group: Any, better: str) -> list[str]:
    sign = -1 if better == "high" else 1

    def order(name: str) -> tuple[bool, float, str]:
        row = cells.get((name, group))
        mean = math.nan if row is None else row["mean"]
        return math.isnan(mean), 0.0 if math.isnan(mean) else sign * mean, name

    return sorted(dict.fromkeys(name for name, _ in cells), key=order)


def _heading(group: tuple[Any, ...]) -> str:
    return (
        ", ".join(scheme_name(value) if isinstance(value, str) else str(value) for value in group)
        or "all"
    )


def _name(row: Row) -> Text:
    return Text(row["algorithm"] + "*" * (row["role"] == "baseline"))


def _counted(rows: Sequence[Row], column: str) -> str:
    """Return the counts of the groups, once if all are equal."""
    counts = [str(row[column]) for row in rows]
    return counts[0] if len(set(counts)) == 1 else "/".join(counts)


def _score_and_margin(row: Row, margin: Row | None, apart: bool) -> Text:
    score = decimal(row["mean"]) + (" ~" if apart else "")
    below = "" if margin is None else _limits(margin, "mean", "low", "high", signed)
    return Text(f"{score}\n{below}")


def _limits(
    row: Row, value: str, low: str, high: str, show: Callable[[float], str] | None = None
) -> str:
    centre = (show or decimal)(row[value])
    if math.isnan(row[low]):
        return centre
    return f"{centre} [{decimal(row[low])},{decimal(row[high])}]"
