"""The section of docs/your-data.md on how well algorithms are chosen, and its picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import altair as alt
import pandas as pd

from calibration.choice_rules import (
    CHOOSE,
    MEASURES,
    Choice,
    Worth,
    regret_difference,
    rules,
    wilson,
    worth,
)
from calibration.choice_systems import ALGORITHMS, WORLDS
from calibration.cited_rates import cite
from calibration.rows_on_disk import Row

FIRST, DETAILS = "choice-proof", "choice-proof details"
"""What the marks of the two parts are called: one under the headline, one after the words."""

KINDS: dict[str, Callable[[Row], bool]] = {
    **{world: lambda row, of=world: row["kind"]["world"] == of for world in WORLDS},
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
    """Write the picture, the tables between the marks of docs/your-data.md, and the cited rate."""
    page = docs / "your-data.md"
    first = [_headline(rows), _overall(rows)]
    details = [_against(rows), _where_left(rows), _by_kind(rows), _beside(rows)]
    text = filled(page.read_text(encoding="utf-8"), FIRST, first)
    text = filled(text, DETAILS, details)
    picture(rows).save(docs / "images" / "choice.svg")
    page.write_text(text, encoding="utf-8")
    cite({"choice": _cited(rows)})


def marks(name: str) -> tuple[str, str]:
    """Return the lines between which a part stands.

    Examples
    --------
    >>> marks("choice-proof")
    ('<!-- choice-proof: begin -->', '<!-- choice-proof: end -->')
    """
    return f"<!-- {name}: begin -->", f"<!-- {name}: end -->"


def filled(text: str, name: str, parts: Sequence[str]) -> str:
    """Return the text with these parts between its marks of that name."""
    begin, end = marks(name)
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise ValueError(f"docs/your-data.md: expected the marks {begin} and {end}")
    return before + "\n\n".join([begin, *parts, end]) + after


def ways(rows: Sequence[Row]) -> dict[str, Callable[[Row], Choice]]:
    """Return the rules, then the fixed algorithms by ascending SID regret."""
    every = rules()
    fixed = {name: rule for name, rule in every.items() if name.startswith("always ")}
    known = {one for row in rows for one in row["sid"]}
    ran = [name for name in fixed if name.removeprefix("always ") in known]
    ran.sort(key=lambda name: worth(rows, every[name], "sid").regret)
    return {name: rule for name, rule in every.items() if name not in fixed} | {
        name: fixed[name] for name in ran
    }


def best_fixed(rows: Sequence[Row]) -> dict[str, str]:
    """Return by each measure the fixed algorithm with the least regret, in hindsight."""
    fixed = {name: rule for name, rule in ways(rows).items() if name.startswith("always ")}
    return {
        measure: min(fixed, key=lambda name, of=measure: worth(rows, fixed[name], of).regret)
        for measure in MEASURES
    }


def _headline(rows: Sequence[Row]) -> str:
    every = rules()
    differences = []
    for measure, name in best_fixed(rows).items():
        digits = 1 if measure == "sid" else 3
        value, limits = regret_difference(rows, every[CHOOSE], every[name], measure)
        own, its = (worth(rows, every[one], measure).regret for one in (CHOOSE, name))
        verdict = (
            "less" if limits[1] < 0 else "more" if limits[0] > 0 else "not shown to be less or more"
        )
        differences.append(
            f"by {MEASURES[measure]} {own:.{digits}f} against {its:.{digits}f} of {name} "
            f"(difference {_with_limits(value, limits, digits)}: {verdict})"
        )
    return (
        f"Mean regret of `choose` on {len(rows)} systems beside the best fixed algorithm in "
        f"hindsight: {'; '.join(differences)}.\n\n"
        "Regret is the value of the chosen algorithm less that of the best one of "
        f"{len(ALGORITHMS)} on the same system; low is better, 0 is perfect. Brackets are 95 % "
        "intervals by bootstraps of the systems. “Within 5 %” is the share of systems, in percent, "
        "where the chosen one was within 5 % of the best (Wilson's intervals).\n\n"
        "![Mean regret by way of choosing, for SID and for oracle risk](images/choice.svg)"
    )


def _overall(rows: Sequence[Row]) -> str:
    lines = [
        "| chosen by | SID regret | risk regret | SID within 5 % | risk within 5 % |",
        "|---|---|---|---|---|",
    ]
    best = best_fixed(rows)
    for name, rule in ways(rows).items():
        by_sid, by_risk = (worth(rows, rule, measure) for measure in MEASURES)
        cells = [
            _with_limits(by_sid.regret, by_sid.regret_limits, 1),
            _with_limits(by_risk.regret, by_risk.regret_limits, 3),
            _percent(by_sid),
            _percent(by_risk),
        ]
        bold = "**" if name == CHOOSE else ""
        of = [MEASURES[measure] for measure, one in best.items() if one == name]
        label = f"{name} (best fixed by {' and '.join(of)})" if of else name
        lines.append(f"| {bold}{label}{bold} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _against(rows: Sequence[Row]) -> str:
    """Return the paired differences of regret between `choose` and every other way."""
    every = ways(rows)
    lines = [
        "The same systems meet every way of choosing, so regrets can be compared in pairs. "
        "Negative differences favour `choose`; brackets are 95 % bootstrap intervals of the mean "
        "difference.",
        "",
        "| regret of `choose` less that of | SID | risk |",
        "|---|---|---|",
    ]
    for other, rule in every.items():
        if other != CHOOSE:
            cells = [
                _with_limits(*regret_difference(rows, every[CHOOSE], rule, measure), digits)
                for measure, digits in (("sid", 1), ("oracle", 3))
            ]
            lines.append(f"| {other} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _left(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row["taken"] != row["default"]]


def _where_left(rows: Sequence[Row]) -> str:
    """Return what came of leaving the default."""
    left = _left(rows)
    if not left:
        return "The default was never left."
    lines = [
        f"The default was left in {len(left)} of {len(rows)} systems. The graph taken there had",
        "",
        "| by | a lower value | the same | a higher value |",
        "|---|---|---|---|",
    ]
    for measure, title in MEASURES.items():
        gains = [row[measure][row["taken"]] - row[measure][row["default"]] for row in left]
        counts = (
            sum(gain < -1e-9 for gain in gains),
            sum(abs(gain) <= 1e-9 for gain in gains),
            sum(gain > 1e-9 for gain in gains),
        )
        lines.append(f"| {title} | " + " | ".join(map(str, counts)) + " |")
    return "\n".join(lines)


def _cited(rows: Sequence[Row]) -> str:
    """Return how often leaving the default was wrong, in words."""
    left = _left(rows)
    wrong = sum(row["oracle"][row["taken"]] > row["oracle"][row["default"]] + 1e-9 for row in left)
    low, high = wilson(wrong / len(left), len(left)) if left else (0.0, 1.0)
    return (
        f"the one taken in place of the default had more true risk in {wrong} of {len(left)} "
        f"systems [{100 * low:.1f} %, {100 * high:.1f} %], of {len(rows)} simulated ones"
    )


SHOWN = (CHOOSE, "interventional BIC", "combined rank", "weighted risk", "held-out likelihood")
"""The rules of the table by kinds of systems."""


def _by_kind(rows: Sequence[Row]) -> str:
    every = ways(rows)
    names = list(dict.fromkeys([*SHOWN, *best_fixed(rows).values(), "always boss"]))
    lines = [
        "Mean regret by kind of system, SID / oracle risk:",
        "",
        "| systems | " + " | ".join(names) + " |",
        "|" + "---|" * (len(names) + 1),
    ]
    for kind, belongs in KINDS.items():
        part = [row for row in rows if belongs(row)]
        if part:
            cells = [
                " / ".join(
                    f"{worth(part, every[name], measure).regret:.{digits}f}"
                    for measure, digits in (("sid", 1), ("oracle", 3))
                )
                for name in names
            ]
            lines.append(f"| {kind} ({len(part)}) | " + " | ".join(cells) + " |")
    return "\n".join(lines)


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


def picture(rows: Sequence[Row]) -> alt.HConcatChart:
    """Return bars with intervals, a panel for each measure."""
    every = ways(rows)
    fixed = [name for name in every if name.startswith("always ")][:4]
    names = [name for name in every if not name.startswith("always ")] + fixed
    panels = []
    for measure, title in MEASURES.items():
        records = []
        for name in names:
            found = worth(rows, every[name], measure)
            low, high = found.regret_limits
            group = "choose" if name == CHOOSE else "fixed" if name in fixed else "rule"
            records.append(
                {"rule": name, "regret": found.regret, "low": low, "high": high, "group": group}
            )
        base = alt.Chart(pd.DataFrame(records)).encode(
            y=alt.Y("rule:N", sort=names, title=None, axis=alt.Axis(labelLimit=220))
        )
        colours = alt.Scale(
            domain=["choose", "rule", "fixed"], range=["#4c78a8", "#9ecae9", "#bab0ac"]
        )
        bars = base.mark_bar(height=14).encode(
            x=alt.X("regret:Q", title=f"mean {title} regret (low is better)"),
            color=alt.Color("group:N", scale=colours, legend=None),
        )
        limits = base.mark_rule(strokeWidth=1.5, color="#222").encode(x="low:Q", x2="high:Q")
        panels.append(alt.layer(bars, limits).properties(width=230))
    padding = {"left": 40, "right": 10, "top": 5, "bottom": 5}
    chart: alt.HConcatChart = (
        alt.hconcat(*panels)
        .configure(aria=False, background="white", padding=padding)
        .configure_view(stroke="#ddd")
    )
    return chart


def _percent(found: Worth) -> str:
    low, high = found.limits
    return f"{100 * found.share:.0f} [{100 * low:.0f}, {100 * high:.0f}]"


def _with_limits(value: float, limits: tuple[float, float], digits: int) -> str:
    return f"{value:.{digits}f} [{limits[0]:.{digits}f}, {limits[1]:.{digits}f}]"
