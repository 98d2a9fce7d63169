"""The page of measured error rates, its picture, and the rates that programs cite."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import altair as alt
import pandas as pd

from calibration.audits import cells
from calibration.rates import Rate
from calibration.studies import SIZES
from calibration.study_bank import N_UNITS

RATES = Path("src/causalassay/judging/measured_rates.json")
AUDIT_COLUMNS = (
    "gameable, either way",
    "gameable backwards",
    "leaning",
    "no evidence",
    "too small",
    "undecided",
    "graph refuted",
)
STUDY_COLUMNS = (
    "robust",
    "depends on variance order",
    "depends on variance ratios",
    "depends on units",
    "lead lost",
    "no lead found",
    "undecided",
)


def write(
    docs: Path, table: Sequence[Rate], sortabilities: Mapping[str, Mapping[str, float]]
) -> None:
    """Write docs/calibration.md, its picture, and the rates that verdicts cite."""
    goals = [rate for rate in table if rate.goal]
    _picture(goals).save(docs / "images" / "calibration.svg")
    parts = [
        _head(goals),
        _goals(goals),
        _audits(table, sortabilities),
        _studies(table),
    ]
    (docs / "calibration.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    RATES.write_text(json.dumps(_cited(table), indent=1, ensure_ascii=False) + "\n", "utf-8")


def percent(share: float) -> str:
    """Return a share as text.

    Examples
    --------
    >>> percent(0.0525), percent(0.001)
    ('5.2 %', '0.1 %')
    """
    return f"{100 * share:.1f} %"


def _with_limits(rate: Rate) -> str:
    low, high = rate.limits
    return f"{100 * rate.rate:.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def _head(goals: Sequence[Rate]) -> str:
    missed = [rate for rate in goals if not rate.met]
    verdict = f"{len(goals) - len(missed)} of {len(goals)} rates meet their goal."
    return f"""# How often the judge is wrong

{verdict} Measured by `make calibrate` on data whose nature is known; it resumes where it was \
stopped. [The rules](rules.md) say how each finding is made.

![Measured rates with 95 % limits beside their goals](images/calibration.svg)"""


def _goals(goals: Sequence[Rate]) -> str:
    lines = ["## Goals", "", "| data or algorithm | finding | goal | measured, % | met |"]
    lines.append("|---|---|---|---|---|")
    for rate in sorted(goals, key=lambda one: (one.met, one.part, one.goal)):
        met = "yes" if rate.met else "**no**"
        lines.append(f"| {rate.cell} | {rate.what} | {rate.goal} | {_with_limits(rate)} | {met} |")
    return "\n".join(lines)


def _audits(table: Sequence[Rate], sortabilities: Mapping[str, Mapping[str, float]]) -> str:
    known = {(rate.cell, rate.what): rate for rate in table if rate.part == "audit"}
    total = max(rate.total for rate in known.values())
    lines = [
        "## Audits",
        "",
        f"{total} audits of each kind of data, in percent with 95 % limits. The base is raw: "
        "Erdős–Rényi graphs with 2 edges per node, 20 nodes, 1000 rows, linear, Gaussian; each "
        "other row differs in one thing. *Statistics permuted*: the variances (R², entropies) "
        "were assigned to the columns at random, so nothing can be found. Series have 10 "
        "variables, links at lags 0 and 1. A data set can have several findings.",
        "",
        "| data | mean sortability | " + " | ".join(AUDIT_COLUMNS) + " |",
        "|" + "---|" * (len(AUDIT_COLUMNS) + 2),
    ]
    for name in cells():
        means = sortabilities.get(name, {})
        sortable = ", ".join(f"{key} {value:.2f}" for key, value in means.items())
        numbers = [_with_limits(known[name, what]) for what in AUDIT_COLUMNS]
        lines.append(f"| {name} | {sortable} | " + " | ".join(numbers) + " |")
    return "\n".join(lines)


def _studies(table: Sequence[Rate]) -> str:
    known = {(rate.cell, rate.what): rate for rate in table if rate.part == "study"}
    names = list(dict.fromkeys(cell for cell, what in known if what in STUDY_COLUMNS))
    sizes = ", ".join(f"{count} of {size} units" for size, count in SIZES.items())
    lines = [
        "## Studies",
        "",
        f"Studies drawn from a bank of {N_UNITS} units ({sizes}): raw data, other variances in "
        "order and at random, standardised, iSCM and UUMC on the same graphs (the base above). "
        "The algorithms have a known nature. *Uniform lead*: a random order whose F1 is raised by "
        "0.1. *OLS*: least squares along the true order, weights below 0.3 cut; it reads no "
        "variance to find an order, but its cut depends on units.",
        "",
        "| algorithm | " + " | ".join(STUDY_COLUMNS) + " |",
        "|" + "---|" * (len(STUDY_COLUMNS) + 1),
    ]
    for name in names:
        numbers = [_with_limits(known[name, what]) for what in STUDY_COLUMNS]
        lines.append(f"| {name} | " + " | ".join(numbers) + " |")
    lines += ["", "Schemes called gameable, and 95 % intervals of a lead that hold the true one:"]
    lines += ["", "| studies | what | measured, % |", "|---|---|---|"]
    for (cell, what), rate in known.items():
        if what in ("gameable, either way", "95 % interval covers"):
            lines.append(f"| {cell} | {what} | {_with_limits(rate)} |")
    return "\n".join(lines)


def _picture(goals: Sequence[Rate]) -> alt.Chart:
    rows = []
    for rate in goals:
        low, high = rate.limits
        bound = float(rate.goal.split(" ")[-2])
        rows.append(
            {
                "name": f"{rate.cell}: {rate.what}",
                "rate": 100 * rate.rate,
                "low": 100 * low,
                "high": 100 * high,
                "goal": bound,
                "side": "at most the mark" if rate.goal.startswith("at most") else "at least it",
            }
        )
    data = pd.DataFrame(rows)
    names = alt.Y("name:N", sort=list(data["name"]), title=None, axis=alt.Axis(labelLimit=400))
    x = alt.X("rate:Q", title="percent", scale=alt.Scale(domain=[0, 100]))
    base = alt.Chart(data)
    dots = base.mark_point(filled=True, size=40, color="#1f4e79").encode(y=names, x=x)
    limits = base.mark_rule(color="#1f4e79").encode(y=names, x="low:Q", x2="high:Q")
    marks = base.mark_tick(color="#c0392b", thickness=2, size=12).encode(y=names, x="goal:Q")
    side = alt.Facet("side:N", title=None, columns=1)
    layers = alt.layer(limits, dots, marks).properties(width=420)
    return layers.facet(side).resolve_scale(y="independent", x="independent")


def _cited(table: Sequence[Rate]) -> dict[str, str]:
    """Return for each rule the sentence of its measured error rate."""
    return {
        "two tests": _worst(
            table,
            lambda rate: (
                rate.part == "audit"
                and rate.what == "gameable, either way"
                and rate.goal.startswith("at most")
            ),
            "data without artefacts are called gameable in at most",
        ),
        "graph check": _worst(
            table,
            lambda rate: rate.what == "graph refuted" and rate.goal.startswith("at most"),
            "a true graph is refuted in at most",
        ),
        "variance order": _worst(
            table,
            lambda rate: rate.what == "wrong cause",
            "a wrong cause is named in at most",
        ),
        "robust": _worst(
            table,
            lambda rate: rate.what == "robust" and rate.goal.startswith("at most"),
            "an algorithm that ignores the data is called robust in at most",
        ),
    }


def _worst(table: Sequence[Rate], chosen, claim: str) -> str:  # type: ignore[no-untyped-def]
    worst = max((rate for rate in table if chosen(rate)), key=lambda rate: rate.rate)
    low, high = worst.limits
    return f"{claim} {percent(worst.rate)} [{percent(low)}, {percent(high)}] ({worst.cell})"
