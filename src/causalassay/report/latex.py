r"""LaTeX tables of a study: leaderboards, scores on the same graphs, and how the runs ended.

Each file is a ``tabular`` for ``\input`` inside a table of one's own; it needs
``\usepackage{booktabs}``. Names are escaped, so that none is ever read as a command.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from causalassay.analysis import Analysis
from causalassay.analysis.best_marks import RULE, best_marks
from causalassay.analysis.comparison import compared_with_all, own_algorithms
from causalassay.analysis.matrix import Matrix
from causalassay.analysis.names import metric_name, scheme_name
from causalassay.analysis.runs import SCHEME, STATUSES
from causalassay.analysis.summary import Summary
from causalassay.report.numbers import decimal

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
    >>> escape("\\input{x}")
    '\\textbackslash{}input\\{x\\}'
    """
    plain = "".join(sign if sign.isprintable() else " " for sign in text)
    escaped = "".join(_SPECIAL.get(sign, sign) for sign in plain)
    # Two of these in a row would become one sign.
    return re.sub(r"([-',])(?=\1)", r"\1{}", escaped)


def write_tables(analysis: Analysis, folder: Path) -> list[Path]:
    """Write the tables of a study to a folder and return the files.

    ``matrix.tex``: scores by scheme with what was found of each algorithm. ``counts.tex``: how
    the runs ended. For each metric ``leaderboard-….tex``, the means with 95 % limits on each
    scheme, and ``schemes-….tex``, the means on the same graphs with the margin over the best
    sorting baseline. For an algorithm that the study calls its own, ``mine-….tex``: its paired
    differences to every other.

    Parameters
    ----------
    analysis : Analysis
    folder : Path
        Made if it is not there; files of the same names are replaced.
    """
    folder.mkdir(parents=True, exist_ok=True)
    summary = analysis.summary
    texts = {"counts": counts_table(summary)}
    if len(summary.counts):
        texts["matrix"] = matrix_table(analysis.matrix)
    for metric in summary.metrics if len(summary.counts) else ():
        name = _free_name(f"leaderboard-{metric}", texts).removeprefix("leaderboard-")
        texts[f"leaderboard-{name}"] = leaderboard(analysis, metric)
        texts[f"schemes-{name}"] = schemes_table(analysis, metric)
    for own in own_algorithms(analysis.runs) if summary.metrics else ():
        texts[_free_name(f"mine-{own}", texts)] = own_table(analysis, own)
    written = []
    for name, text in texts.items():
        path = folder / f"{name}.tex"
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


def _free_name(wanted: str, taken: Collection[str]) -> str:
    name = re.sub(r"[^a-z0-9]+", "-", wanted.lower()).strip("-")
    while name in taken:
        name += "-2"
    return name


def matrix_table(matrix: Matrix) -> str:
    """Return the scores by scheme and what was found of each algorithm."""
    listed = sorted(matrix.rows, key=lambda row: row.role == "baseline")
    rows = [
        (
            row.algorithm,
            row.role == "baseline",
            [
                *(
                    _interval({"mean": cell.mean, "low": cell.low, "high": cell.high}, cell.best)
                    for cell in row.cells
                ),
                escape(row.finding),
            ],
        )
        for row in listed
    ]
    about = f"{_about(matrix.metric, matrix.better)}: mean and 95 % limits. {matrix.order} {RULE}"
    return _tabular(about, [*(column.name for column in matrix.columns), "finding"], rows)


def own_table(analysis: Analysis, own: str) -> str:
    """Return one algorithm's paired differences to every other, in the metric of the matrix."""
    metric = analysis.matrix.metric
    frame = compared_with_all(analysis.runs, own)
    frame = frame[frame["metric"] == metric].rename(columns={"algorithm": "own"})
    cells = _by_algorithm_and_scheme(frame.rename(columns={"opponent": "algorithm"}))
    schemes = [column.scheme for column in analysis.matrix.columns]
    rows = [
        (row.algorithm, row.role == "baseline", [_gain(cells[row.algorithm, s]) for s in schemes])
        for row in sorted(analysis.matrix.rows, key=lambda row: row.role == "baseline")
        if row.algorithm != own
    ]
    about = (
        f"{metric_name(metric)} of {own} minus that of each other algorithm, positive where it is "
        "better: mean of paired differences, 95 % limits, wins/ties/losses. Bold: "
        "distinguishable from 0, corrected for the number of opponents."
    )
    return _tabular(about, [scheme_name(scheme) for scheme in schemes], rows)


def _gain(row: dict[str, Any]) -> str:
    if not math.isfinite(row["gain"]):
        return "--"
    text = _signed(row["gain"])
    if row["clear"]:
        text = rf"\textbf{{{text}}}"
    counts = f"{row['wins']}/{row['ties']}/{row['losses']}"
    limits = ""
    if math.isfinite(row["gain_low"]):
        limits = f"{{[}}{number(row['gain_low'])}, {number(row['gain_high'])}{{]}} "
    return rf"{text} {{\scriptsize {limits}{counts}}}"


def counts_table(summary: Summary) -> str:
    """Return how many runs of each algorithm have each status."""
    counts = summary.counts
    columns = ["n", *STATUSES, *(["absent"] if counts["absent"].any() else [])]
    rows = [
        (row["algorithm"], row["role"] == "baseline", [str(row[name]) for name in columns])
        for row in counts.to_dict("records")
    ]
    heads = ["rows" if name == "n" else name for name in columns]
    return _tabular("How the runs ended.", heads, rows)


def leaderboard(analysis: Analysis, metric: str) -> str:
    """Return the mean of each algorithm on each scheme; bold: not told from the best."""
    summary = analysis.summary
    scores = summary.scores[summary.scores["metric"] == metric]
    scores = scores.rename(columns={"mean_low": "low", "mean_high": "high"})
    cells = _by_algorithm_and_scheme(scores)
    schemes = list(dict.fromkeys(scores[SCHEME]))
    marks = best_marks(analysis.runs)
    rows = [
        (
            name,
            baseline,
            [
                *(_interval(cells.get((name, s)), name in marks[metric, s]) for s in schemes),
                str(sum(cells[name, s]["n_not_ok"] for s in schemes if (name, s) in cells)),
            ],
        )
        for name, baseline in _ordered(analysis, scores)
    ]
    better = _better(summary, metric)
    about = f"{_about(metric, better)}: mean and 95 % limits; runs not ok. {RULE}"
    return _tabular(about, [*map(scheme_name, schemes), "not ok"], rows)


def schemes_table(analysis: Analysis, metric: str) -> str:
    """Return the mean on the same graphs and the margin over the best sorting baseline."""
    summary = analysis.summary
    means = summary.attribution.schemes
    means = means[means["metric"] == metric]
    margins = summary.attribution.margins
    if len(margins):
        margins = margins[(margins["metric"] == metric) & (margins["reference"] == "sorting")]
    cells, apart = _by_algorithm_and_scheme(means), _by_algorithm_and_scheme(margins)
    schemes = list(dict.fromkeys(means[SCHEME]))
    rows = []
    for name, baseline in _ordered(analysis, means):
        words = []
        for scheme in schemes:
            row, margin = cells.get((name, scheme)), apart.get((name, scheme))
            words.append("--" if row is None else number(row["mean"]))
            words.append("--" if margin is None else _signed(margin["mean"]))
        rows.append((name, baseline, words))
    about = (
        f"{_about(metric, _better(summary, metric))}: mean on the same graphs, and how much "
        "better than the best sorting baseline (positive is better)."
    )
    return _tabular(about, [part for s in schemes for part in (scheme_name(s), "margin")], rows)


def _about(metric: str, better: str) -> str:
    return f"{metric_name(metric)}, {better} is better"


def number(value: float) -> str:
    """Return a number with three digits or so; what is undefined as a dash.

    Examples
    --------
    >>> number(0.1234), number(12.34), number(1234.5), number(-0.5), number(float("nan"))
    ('0.12', '12.3', '1234', '$-$0.50', '--')
    """
    return decimal(value).replace("-", "$-$") if math.isfinite(value) else "--"


def _signed(value: float) -> str:
    return f"$+${number(value)}" if value >= 0 else number(value)


def _interval(row: Mapping[str, Any] | None, bold: bool) -> str:
    if row is None or not math.isfinite(row["mean"]):
        return "--"
    mean = number(row["mean"])
    mean = rf"\textbf{{{mean}}}" if bold else mean
    if not math.isfinite(row["low"]):
        return mean
    return rf"{mean} {{\scriptsize [{number(row['low'])}, {number(row['high'])}]}}"


def _better(summary: Summary, metric: str) -> str:
    return summary.better[summary.metrics.index(metric)]


def _by_algorithm_and_scheme(frame: pd.DataFrame) -> dict[tuple[str, str], dict[str, Any]]:
    return {
        (row["algorithm"], row[SCHEME]): {str(name): value for name, value in row.items()}
        for row in frame.to_dict("records")
    }


def _ordered(analysis: Analysis, frame: pd.DataFrame) -> list[tuple[str, bool]]:
    """Return the algorithms as the matrix has them, baselines last, and whether each is one."""
    known = set(frame["algorithm"])
    rows = [(row.algorithm, row.role == "baseline") for row in analysis.matrix.rows]
    return sorted((row for row in rows if row[0] in known), key=lambda row: row[1])


def _tabular(
    about: str, heads: Sequence[str], rows: Sequence[tuple[str, bool, Sequence[str]]]
) -> str:
    """Return a table; baselines stand below a line."""
    lines = [
        f"% {' '.join(about.split())} Baselines below the line. Needs \\usepackage{{booktabs}}.",
        rf"\begin{{tabular}}{{l{'r' * len(heads)}}}",
        r"\toprule",
        " & ".join(["algorithm", *map(escape, heads)]) + r" \\",
        r"\midrule",
    ]
    after_listed = False
    for name, baseline, words in rows:
        if baseline and after_listed:
            lines.append(r"\midrule")
        after_listed = not baseline
        lines.append(" & ".join([escape(name), *words]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])
