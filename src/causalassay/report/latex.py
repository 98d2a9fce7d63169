r"""LaTeX tables of a study: leaderboards, scores on the same graphs, and how the runs ended.

Each file is a ``tabular`` for ``\input`` inside a table of one's own; it needs
``\usepackage{booktabs}``. Names are escaped, so that none is ever read as a command.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

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


def write_tables(summary: Summary, folder: Path) -> list[Path]:
    """Write the tables of a study to a folder and return the files.

    ``counts.tex``: how the runs ended. For each metric ``leaderboard-….tex``, the
    means with 95 % limits on each scheme, and ``schemes-….tex``, the means on the
    same graphs with the margin over the best sorting baseline.

    Parameters
    ----------
    summary : Summary
        By scheme.
    folder : Path
        Made if it is not there; files of the same names are replaced.
    """
    if tuple(summary.by) != (SCHEME,):
        raise ValueError(
            f"expected a summary by scheme, got one by {list(summary.by)}; call summarize(table)"
        )
    folder.mkdir(parents=True, exist_ok=True)
    texts = {"counts": counts_table(summary)}
    for metric in summary.metrics if len(summary.counts) else ():
        name = re.sub(r"[^a-z0-9]+", "-", metric.lower()).strip("-")
        while f"leaderboard-{name}" in texts:
            name += "-2"
        texts[f"leaderboard-{name}"] = leaderboard(summary, metric)
        texts[f"schemes-{name}"] = schemes_table(summary, metric)
    written = []
    for name, text in texts.items():
        path = folder / f"{name}.tex"
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


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


def leaderboard(summary: Summary, metric: str) -> str:
    """Return the mean of each algorithm on each scheme, the best of a column in bold."""
    scores = summary.scores[summary.scores["metric"] == metric]
    scores = scores.rename(columns={"mean_low": "low", "mean_high": "high"})
    cells = _by_algorithm_and_scheme(scores)
    best = _best(scores, _better(summary, metric))
    schemes = list(dict.fromkeys(scores[SCHEME]))
    rows = [
        (
            name,
            baseline,
            [
                *(_interval(cells.get((name, s)), bold=best.get(s)) for s in schemes),
                str(sum(cells[name, s]["n_not_ok"] for s in schemes if (name, s) in cells)),
            ],
        )
        for name, baseline in _ordered(scores, schemes[0], _better(summary, metric))
    ]
    about = f"{metric}, {_better(summary, metric)} is better: mean and 95 % limits; runs not ok."
    return _tabular(about, [*schemes, "not ok"], rows)


def schemes_table(summary: Summary, metric: str) -> str:
    """Return the mean on the same graphs and the margin over the best sorting baseline."""
    means = summary.attribution.schemes
    means = means[means["metric"] == metric]
    margins = summary.attribution.margins
    if len(margins):
        margins = margins[(margins["metric"] == metric) & (margins["reference"] == "sorting")]
    cells, apart = _by_algorithm_and_scheme(means), _by_algorithm_and_scheme(margins)
    schemes = list(dict.fromkeys(means[SCHEME]))
    rows = []
    for name, baseline in _ordered(means, schemes[0], _better(summary, metric)):
        words = []
        for scheme in schemes:
            row, margin = cells.get((name, scheme)), apart.get((name, scheme))
            words.append("--" if row is None else number(row["mean"]))
            words.append("--" if margin is None else _signed(margin["mean"]))
        rows.append((name, baseline, words))
    about = (
        f"{metric}, {_better(summary, metric)} is better: mean on the same graphs, and how much "
        "better than the best sorting baseline (positive is better)."
    )
    return _tabular(about, [part for s in schemes for part in (s, "margin")], rows)


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


def _interval(row: dict[str, Any] | None, *, bold: float | None) -> str:
    if row is None or not math.isfinite(row["mean"]):
        return "--"
    mean = number(row["mean"])
    mean = rf"\textbf{{{mean}}}" if row["mean"] == bold else mean
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


def _best(frame: pd.DataFrame, better: str) -> dict[str, float]:
    means = frame.groupby(SCHEME)["mean"]
    best = means.max() if better == "high" else means.min()
    return {str(scheme): float(value) for scheme, value in best.items()}


def _ordered(frame: pd.DataFrame, scheme: str, better: str) -> list[tuple[str, bool]]:
    """Return the algorithms, the best on a scheme first, and whether each is a baseline."""
    roles = dict(zip(frame["algorithm"], frame["role"] == "baseline", strict=True))
    first = frame[frame[SCHEME] == scheme].set_index("algorithm")["mean"]
    sign = -1 if better == "high" else 1

    def order(name: str) -> tuple[bool, bool, float]:
        mean = float(first.get(name, math.nan))
        return roles[name], math.isnan(mean), 0.0 if math.isnan(mean) else sign * mean

    return [(name, roles[name]) for name in sorted(roles, key=order)]


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
