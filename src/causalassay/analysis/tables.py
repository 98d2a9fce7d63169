"""The tables of a study, each built once: terminal, page, LaTeX and notebooks show these."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from causalassay.analysis.comparison import BEST_RULE, BestMarks, compared_with_all
from causalassay.analysis.runs import SCHEME, STATUSES, problem_name, scheme_name
from causalassay.metrics.registry import metric_name, metric_remark
from causalassay.present import Column, Interval, Marked, Table

if TYPE_CHECKING:
    from causalassay.analysis.analysis import Analysis
    from causalassay.analysis.matrix import Matrix
    from causalassay.analysis.summary import Ended, Summary
    from causalassay.study.storage.reader import Choice, Session

ALGORITHM = Column("algorithm", "algorithm")
BASELINE = "baseline"
LINE = "Baselines below the line."

Cells = Mapping[tuple[str, Any], Mapping[str, Any]]


def named(algorithm: str, role: str) -> Marked:
    """Return the cell of an algorithm; baselines and the user's own are marked."""
    return Marked(algorithm, mark="" if role == "listed" else role)


def baselines_last(table: Table) -> Table:
    """Return a table with its baselines below a line."""
    is_baseline = [isinstance(row[0], Marked) and row[0].mark == BASELINE for row in table.rows]
    rows = [row for row, last in zip(table.rows, is_baseline, strict=True) if not last]
    last = [row for row, last in zip(table.rows, is_baseline, strict=True) if last]
    return dataclasses.replace(table, rows=[*rows, *last], n_last=len(last) if rows else 0)


def matrix_table(matrix: Matrix) -> Table:
    """Return the mean of each algorithm on each scheme, and what was found of it."""
    columns = [
        ALGORITHM,
        *(Column(each.scheme, each.name, "digits", hint=each.finding) for each in matrix.columns),
        Column("not_ok", "not ok", "count", priority=1, hint="runs without a score"),
        Column("finding", "finding"),
    ]
    rows = [
        (
            named(row.algorithm, row.role),
            *(Marked(cell.interval, bold=cell.best) for cell in row.cells),
            Marked(row.n_lost, warns=row.n_lost > 0),
            row.finding,
        )
        for row in matrix.rows
    ]
    title = f"Mean {_about(matrix.metric, matrix.better)}, with its 95 % interval"
    caption = f"{title}. {matrix.order} Bold: not distinguishable from the best."
    remark = metric_remark(matrix.metric)
    notes = [BEST_RULE.removesuffix("."), *([remark] if remark else [])]
    return Table("matrix", columns, rows, title, caption, notes)


def score_table(
    summary: Summary,
    metric: str,
    order: Sequence[str] = (),
    marks: BestMarks | None = None,
) -> Table:
    """Return the mean of each algorithm in each group, in one metric.

    Parameters
    ----------
    summary : Summary
    metric : str
    order : sequence of str
        The order of the algorithms. Default: the best of the first group first.
    marks : BestMarks, optional
        Which algorithms may be the best, if the groups are schemes.
    """
    scores = summary.scores[summary.scores["metric"] == metric]
    cells, groups = by_group(scores, summary.by)
    counted = {"n_not_ok": "not ok"} | (
        {"n_undefined": "undefined"} if scores["n_undefined"].any() else {}
    )
    rows = []
    for name in order or best_first(cells, groups[0], summary.better[metric]):
        row: list[object] = []
        known = [cells.get((name, group)) for group in groups]
        for group, cell in zip(groups, known, strict=True):
            best = marks is not None and name in marks[metric, group[0]]
            row.append(mean_cell(cell, bold=best))
        for column in counted:
            count = sum(cell[column] for cell in known if cell is not None)
            row.append(Marked(count, warns=count > 0))
        role = next(cell["role"] for cell in known if cell is not None)
        rows.append((named(name, role), *row))
    columns = [
        ALGORITHM,
        *(Column(_key(group), _heading(group), "digits") for group in groups),
        *(Column(key.removeprefix("n_"), text, "count") for key, text in counted.items()),
    ]
    title = f"{_about(metric, summary.better[metric])}: mean and 95 % interval"
    caption = f"{title}; runs not ok are in no mean.{f' {BEST_RULE}' if marks else ''}"
    remark = metric_remark(metric)
    return Table(f"scores-{metric}", columns, rows, title, caption, [remark] if remark else [])


def attribution_table(summary: Summary, metric: str, order: Sequence[str] = ()) -> Table:
    """Return the mean on the same graphs, and the margin over the best sorting baseline."""
    schemes, margins = summary.attribution.schemes, summary.attribution.margins
    cells, groups = by_group(schemes[schemes["metric"] == metric], (SCHEME,))
    if len(margins):
        margins = margins[(margins["metric"] == metric) & (margins["reference"] == "sorting")]
    against, _ = by_group(margins, (SCHEME,))
    several = len(groups) > 1
    columns, rows = [ALGORITHM], []
    for group in groups:
        heading = _heading(group)
        columns.append(Column(_key(group), heading, "digits"))
        columns.append(Column(f"{_key(group)}_margin", f"{heading}: margin", "signed"))
    for name in order or best_first(cells, groups[0], summary.better[metric]):
        row: list[object] = []
        for group in groups:
            cell = cells[name, group]
            apart = several and not cell["paired"] and not math.isnan(cell["mean"])
            row.append(Marked(cell["mean"], mark="~" if apart else ""))
            row.append(mean_cell(against.get((name, group)), ("mean", "low", "high")))
        counts = [cells[name, group]["n_units"] for group in groups]
        alike = counts[0] if len(set(counts)) == 1 else tuple(counts)
        rows.append((named(name, cells[name, groups[0]]["role"]), *row, alike))
    columns.append(Column("n_units", "instances", "count", hint="graphs and replicates"))
    same = " on the same graphs" if several else ""
    about = _about(metric, summary.better[metric])
    title = f"{about}: mean{same}, and margin over the best sorting baseline"
    notes = ["~ not on the same graphs as the others"] if _has_mark(rows) else []
    return Table(f"schemes-{metric}", columns, rows, title, f"{title} (positive is better).", notes)


def own_table(analysis: Analysis, own: str, index: int = 0) -> Table:
    """Return one algorithm's paired differences to every other, in the metric of the matrix."""
    metric = analysis.matrix.metric
    frame = compared_with_all(analysis.runs, own)
    frame = frame[frame["metric"] == metric].drop(columns="algorithm")
    cells, _ = by_group(frame.rename(columns={"opponent": "algorithm"}), (SCHEME,))
    # Schemes without a found artefact first: a narrow screen shows these.
    free_first = sorted(analysis.matrix.columns, key=lambda column: not column.free)
    schemes = [column.scheme for column in free_first]
    columns = [Column("against", "against")]
    for scheme in schemes:
        columns.append(Column(scheme, scheme_name(scheme), "signed"))
        columns.append(Column(f"{scheme}_counts", "won / tied / lost", "count"))
    rows = []
    for row in analysis.matrix.rows:
        if row.algorithm == own:
            continue
        values: list[object] = []
        for scheme in schemes:
            cell = cells[row.algorithm, (scheme,)]
            limits = ("gain", "gain_low", "gain_high")
            values.append(mean_cell(cell, limits, bold=bool(cell["clear"])))
            counts = (cell["wins"], cell["ties"], cell["losses"])
            values.append(None if math.isnan(cell["gain"]) else counts)
        rows.append((named(row.algorithm, row.role), *values))
    title = f"{own}: {metric_name(metric)} minus that of others"
    caption = (
        f"{title}, positive where it is better: mean of paired differences with 95 % interval. "
        "Bold: distinguishable from 0, corrected for the number of opponents (paired t over "
        "instances)."
    )
    return Table(f"own-{index}", columns, rows, title, caption)


def count_table(summary: Summary | Ended) -> Table:
    """Return how many runs of each algorithm have each status."""
    counts = summary.counts
    statuses = [*STATUSES, *(["absent"] if counts["absent"].any() else [])]
    columns = [
        ALGORITHM,
        Column("n", "rows", "count"),
        *(Column(status, status, "count") for status in statuses),
    ]
    rows = [
        (
            named(row["algorithm"], row["role"]),
            row["n"],
            *(Marked(row[name], warns=name != "ok" and row[name] > 0) for name in statuses),
        )
        for row in counts.to_dict("records")
    ]
    return Table("counts", columns, rows, "How the runs ended", "Rows by algorithm and status")


def reason_table(summary: Summary | Ended, most: int = 0) -> Table:
    """Return why runs did not end well, the most frequent reason first; or the first of them."""
    texts = {name: Column(name, name) for name in ("algorithm", "status", "reason")}
    columns = [texts["algorithm"], texts["status"], Column("n", "rows", "count"), texts["reason"]]
    reasons = sorted(summary.reasons.to_dict("records"), key=lambda row: -row["n"])
    shown = reasons[:most] if most else reasons
    rows: list[tuple[object, ...]] = [tuple(row[column.key] for column in columns) for row in shown]
    if rest := reasons[len(shown) :]:
        others = f"{len(rest)} other reasons, which --json lists"
        rows.append((None, None, sum(row["n"] for row in rest), others))
    return Table("reasons", columns, rows, "Runs that did not end well, and why")


def choice_table(choices: Sequence[Choice]) -> Table:
    """Return the hyperparameters that tuning chose."""
    columns = (
        Column("algorithm", "algorithm"),
        Column("problem", "problem"),
        Column("chosen", "chosen (others are defaults)"),
        Column("criterion", "criterion", "digits"),
    )
    rows = [
        (
            choice.algorithm,
            problem_name(choice.problem),
            ", ".join(f"{name} = {value}" for name, value in choice.parameters.items())
            or "defaults",
            math.nan if choice.value is None else choice.value,
        )
        for choice in choices
    ]
    title = "Chosen on held-out systems of the same kind, by the criterion of the study file"
    return Table("choices", columns, rows, title)


def session_table(sessions: Sequence[Session]) -> Table:
    """Return when a driver worked on the study, and where."""
    columns = (
        Column("started", "started"),
        Column("ended", "ended"),
        Column("records", "records", "count"),
        Column("cpu", "CPU of the driver"),
    )
    rows = [
        (time_text(run.started), run.how or "not ended", run.records, run.cpu) for run in sessions
    ]
    return Table("sessions", columns, rows, "Each run of a driver on this study")


def time_text(time: str | None) -> str:
    """Return a stored time to the second.

    Examples
    --------
    >>> time_text("2026-11-15T12:02:50.938+00:00"), time_text(None)
    ('2026-11-15 12:02:50 UTC', '')
    """
    return f"{time[:10]} {time[11:19]} UTC" if time else ""


def _about(metric: str, better: str) -> str:
    return f"{metric_name(metric)}, {better} is better"


def mean_cell(
    cell: Mapping[str, Any] | None,
    columns: Sequence[str] = ("mean", "mean_low", "mean_high"),
    *,
    bold: bool = False,
) -> Marked:
    """Return a mean and its limits, from these columns; undefined where there is no cell."""
    if cell is None:
        return Marked(math.nan)
    return Marked(Interval(*(cell[name] for name in columns)), bold=bold)


def _has_mark(rows: Sequence[Sequence[object]]) -> bool:
    return any(isinstance(cell, Marked) and cell.mark == "~" for row in rows for cell in row[1:])


def by_group(frame: pd.DataFrame, by: Sequence[str]) -> tuple[Cells, list[tuple[Any, ...]]]:
    """Return the rows by algorithm and group, and the groups in their order."""
    cells: dict[tuple[str, Any], dict[str, Any]] = {}
    for row in frame.to_dict("records"):
        plain = {str(name): value for name, value in row.items()}
        cells[plain["algorithm"], tuple(_known(plain[name]) for name in by)] = plain
    return cells, list(dict.fromkeys(group for _, group in cells))


def _known(value: Any) -> Any:
    """Return None for nan: two of them are not equal and would make two groups."""
    return None if isinstance(value, float) and math.isnan(value) else value


def best_first(cells: Cells, group: Any, better: str) -> list[str]:
    """Return the algorithms by their mean in a group, those without one last."""
    sign = -1 if better == "high" else 1

    def order(name: str) -> tuple[bool, float, str]:
        cell = cells.get((name, group))
        mean = math.nan if cell is None else cell["mean"]
        return math.isnan(mean), 0.0 if math.isnan(mean) else sign * mean, name

    return sorted(dict.fromkeys(name for name, _ in cells), key=order)


def _key(group: tuple[Any, ...]) -> str:
    return ", ".join(map(str, group)) or "all"


def _heading(group: tuple[Any, ...]) -> str:
    return (
        ", ".join(scheme_name(value) if isinstance(value, str) else str(value) for value in group)
        or "all"
    )
