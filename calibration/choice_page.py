"""The section of docs/your-data.md on how well algorithms are chosen, and its picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import altair as alt
import pandas as pd

from calibration.choice_rules import (
    MEASURES,
    Choice,
    Worth,
    regret_difference,
    rules,
    wilson,
    worth,
)
from calibration.choice_systems import ALGORITHMS
from calibration.rows_on_disk import Row

FIRST, DETAILS = "choice-proof", "choice-proof details"
"""What the marks of the two parts are called: one under the headline, one after the words."""

READ_EXPERIMENTS = ("ges-pooled", "gies")
BY_EXPERIMENTS = ("weighted risk", "predictions", "both (mean rank)")
WITHOUT_ALGORITHM = ("BIC", "at random")
BESIDE = (*WITHOUT_ALGORITHM, "always ges", "always gies")

KINDS: dict[str, Callable[[Row], bool]] = {
    "linear": lambda row: row["kind"]["mechanism"] == "linear",
    "nonlinear": lambda row: row["kind"]["mechanism"] != "linear",
    "raw": lambda row: row["kind"]["scheme"] == "scm",
    "iSCM": lambda row: row["kind"]["scheme"] == "iscm",
    "1 edge per node": lambda row: row["kind"]["edges_per_node"] == 1,
    "2 edges per node": lambda row: row["kind"]["edges_per_node"] == 2,
    "3 edges per node": lambda row: row["kind"]["edges_per_node"] == 3,
    "3 experiments": lambda row: row["kind"]["n_experiments"] == 3,
    "6 experiments": lambda row: row["kind"]["n_experiments"] == 6,
    "10 experiments": lambda row: row["kind"]["n_experiments"] == 10,
    "set (do)": lambda row: row["kind"]["action"] == "do",
    "shifted": lambda row: row["kind"]["action"] == "shift",
}


def write(docs: Path, rows: Sequence[Row]) -> None:
    """Write the picture, and the tables between the marks of docs/your-data.md."""
    shown = Shown.of(rows)
    page = docs / "your-data.md"
    first = [_headline(rows), _overall(rows, shown)]
    details = [
        _against(rows, shown),
        _observational_only(rows),
        *_by_kind(rows, shown),
        _beside(rows),
    ]
    text = _filled(page.read_text(encoding="utf-8"), FIRST, first)
    text = _filled(text, DETAILS, details)
    picture(rows, shown).save(docs / "images" / "choice.svg")
    page.write_text(text, encoding="utf-8")


def marks(name: str) -> tuple[str, str]:
    """Return the lines between which a part stands.

    Examples
    --------
    >>> marks("choice-proof")
    ('<!-- choice-proof: begin -->', '<!-- choice-proof: end -->')
    """
    return f"<!-- {name}: begin -->", f"<!-- {name}: end -->"


def _filled(text: str, name: str, parts: Sequence[str]) -> str:
    begin, end = marks(name)
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise ValueError(f"docs/your-data.md: expected the marks {begin} and {end}")
    return before + "\n\n".join([begin, *parts, end]) + after


class Shown(NamedTuple):
    """The rules of the tables, and the best algorithm on average by each measure."""

    rules: dict[str, Callable[[Row], Choice]]
    fixed: dict[str, str]

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Shown:
        """Return experiments, what stands beside them, and the best fixed choices in hindsight."""
        every = rules()
        candidates = [name for name in ALGORITHMS if any(name in row["sid"] for row in rows)]
        fixed = {
            measure: min(
                (f"always {name}" for name in candidates),
                key=lambda name, of=measure: worth(rows, every[name], of).regret,
            )
            for measure in MEASURES
        }
        beside = [
            name
            for name in BESIDE
            if name.removeprefix("always ") in candidates or name in WITHOUT_ALGORITHM
        ]
        names = dict.fromkeys((*BY_EXPERIMENTS, *beside, *fixed.values()))
        return cls({name: every[name] for name in names}, fixed)

    def label(self, name: str) -> str:
        """Return the name of a rule, with what it is the best fixed choice by."""
        best_by = [MEASURES[measure] for measure, best in self.fixed.items() if best == name]
        return f"{name} (best fixed choice by {' and '.join(best_by)})" if best_by else name


def _headline(rows: Sequence[Row]) -> str:
    return (
        f"The table shows the share of {len(rows)} systems, in percent, where the chosen algorithm "
        "was within 5 % of the best one, with 95 % Wilson intervals; and the mean regret, the "
        "chosen algorithm's value less the best one's.\n\n"
        "![Share of systems where the chosen algorithm was within 5 % of the best, by way of "
        "choosing](images/choice.svg)"
    )


def _overall(rows: Sequence[Row], shown: Shown) -> str:
    lines = [
        "| chosen by | SID within 5 % | SID regret | risk within 5 % | risk regret |",
        "|---|---|---|---|---|",
    ]
    for name, rule in shown.rules.items():
        by_sid, by_risk = (worth(rows, rule, measure) for measure in MEASURES)
        cells = [
            _percent(by_sid),
            _with_limits(by_sid.regret, by_sid.regret_limits, 1),
            _percent(by_risk),
            _with_limits(by_risk.regret, by_risk.regret_limits, 3),
        ]
        lines.append(f"| {shown.label(name)} | " + " | ".join(cells) + " |")
    lines.append("| the best in hindsight | 100 | 0 | 100 | 0 |")
    return "\n".join(lines)


def _against(rows: Sequence[Row], shown: Shown) -> str:
    """Return the paired differences of regret between each rule and the fixed choices."""
    fixed = dict.fromkeys(["always ges", *shown.fixed.values()])
    lines = [
        "The same systems meet every way of choosing, so regrets can be compared in pairs. "
        "Negative differences favour the experiments; brackets are 95 % intervals of the mean "
        "difference.",
        "",
        "| regret of | less that of | SID | risk |",
        "|---|---|---|---|",
    ]
    every = rules()
    for name in BY_EXPERIMENTS:
        for other in fixed:
            cells = [
                _with_limits(*regret_difference(rows, every[name], every[other], measure), digits)
                for measure, digits in (("sid", 1), ("oracle", 3))
            ]
            lines.append(f"| {name} | {other} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _by_kind(rows: Sequence[Row], shown: Shown) -> list[str]:
    tables = []
    for measure, title in MEASURES.items():
        lines = [
            f"By kind of system, within 5 % by {title}, percent:",
            "",
            "| systems | " + " | ".join(shown.rules) + " |",
            "|" + "---|" * (len(shown.rules) + 1),
        ]
        for kind, belongs in KINDS.items():
            part = [row for row in rows if belongs(row)]
            cells = [_percent(worth(part, rule, measure)) for rule in shown.rules.values()]
            lines.append(f"| {kind} ({len(part)}) | " + " | ".join(cells) + " |")
        tables.append("\n".join(lines))
    return tables


def _observational_only(rows: Sequence[Row]) -> str:
    """Return the first table again, where no candidate reads experiments."""
    scores = ("risk", "prediction", "bic", *MEASURES)
    kept = [
        row
        | {
            score: {name: one for name, one in row[score].items() if name not in READ_EXPERIMENTS}
            for score in scores
        }
        for row in rows
    ]
    return (
        "If no candidate reads experiments (without "
        f"{' and '.join(READ_EXPERIMENTS)}), the best is the best of the others:\n\n"
        + _overall(kept, Shown.of(kept))
    )


def _beside(rows: Sequence[Row]) -> str:
    """Return how often experiments were doubted in error, and how often intervals cover."""
    n_experiments = sum(row["kind"]["n_experiments"] for row in rows)
    doubted = sum(row["doubts"] for row in rows) / n_experiments
    covers = [hit for row in rows if row["kind"]["n_experiments"] < 10 for hit in row["covers"]]
    covered = sum(covers) / len(covers)
    low, high = wilson(doubted, n_experiments)
    least, most = wilson(covered, len(covers))
    return (
        "Two checks of the second opinion on the same systems. All these interventions act on "
        "their target, so every flag is an error: "
        f"{100 * doubted:.1f} % [{100 * low:.1f}, {100 * high:.1f}] of {n_experiments} experiments "
        "were flagged. The 95 % interval of a difference between two algorithms held the "
        f"difference over all 10 columns in {100 * covered:.1f} % [{100 * least:.1f}, "
        f"{100 * most:.1f}] of {len(covers)} cases with 3 or 6 experiments."
    )


def picture(rows: Sequence[Row], shown: Shown) -> alt.FacetChart:
    """Return bars with intervals, a panel for each measure."""
    records = []
    for name, rule in shown.rules.items():
        for measure, title in MEASURES.items():
            found = worth(rows, rule, measure)
            records.append(
                {
                    "rule": name,
                    "measure": f"within 5 % of the best by {title}",
                    "group": "experiments" if name in BY_EXPERIMENTS else "otherwise",
                    "share": 100 * found.share,
                    "low": 100 * found.limits[0],
                    "high": 100 * found.limits[1],
                }
            )
    order = list(shown.rules)
    base = alt.Chart().encode(y=alt.Y("rule:N", sort=order, title=None))
    bars = base.mark_bar(height=14).encode(
        x=alt.X("share:Q", title="percent of systems", scale=alt.Scale(domain=[0, 100])),
        color=alt.Color(
            "group:N",
            title="chosen",
            scale=alt.Scale(domain=["experiments", "otherwise"], range=["#4c78a8", "#bab0ac"]),
            legend=alt.Legend(
                orient="bottom",
                labelExpr="datum.value == 'experiments' ? 'by experiments' : 'otherwise'",
            ),
        ),
    )
    limits = base.mark_rule(strokeWidth=1.5, color="#222").encode(x="low:Q", x2="high:Q")
    return (
        alt.layer(bars, limits, data=pd.DataFrame(records))
        .properties(width=250)
        .facet(
            column=alt.Column(
                "measure:N",
                title=None,
                sort=[f"within 5 % of the best by {title}" for title in MEASURES.values()],
            )
        )
        .configure(aria=False, background="white")
        .configure_view(stroke="#ddd")
    )


def _percent(found: Worth) -> str:
    low, high = found.limits
    return f"{100 * found.share:.0f} [{100 * low:.0f}, {100 * high:.0f}]"


def _with_limits(value: float, limits: tuple[float, float], digits: int) -> str:
    return f"{value:.{digits}f} [{limits[0]:.{digits}f}, {limits[1]:.{digits}f}]"
