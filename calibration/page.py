"""The page of measured error rates, its picture, and the rates that programs cite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import altair as alt
import pandas as pd

from calibration.audits import N_AUDITS, cells
from calibration.cited_rates import cite
from calibration.rates import AUDIT_KINDS, COVERS, EITHER_WAY, ONE_TEST, POOL, Rate
from calibration.risk_coverage import N_SETS
from calibration.studies import SIZES
from calibration.study_bank import N_UNITS
from causalassay.analysis.runs import scheme_name
from causalassay.judging.findings import ALGORITHM_KINDS, FindingKind
from causalassay.present.formatting import in_words

AUDIT_COLUMNS = (EITHER_WAY, *(kind.label for kind in AUDIT_KINDS))
STUDY_COLUMNS = tuple(kind.label for kind in ALGORITHM_KINDS)


class Sizes(NamedTuple):
    """How much was measured.

    Parameters
    ----------
    audits : int
        Of each kind of data.
    instances : int
        In the bank that studies are drawn from.
    sets : int
        Data sets of each kind for the intervals of risks.
    """

    audits: int
    instances: int
    sets: int


FULL = Sizes(N_AUDITS, N_UNITS, N_SETS)


def short_of(sizes: Sizes) -> str:
    """Return in which ways a run is below the full size; empty if in none.

    Examples
    --------
    >>> short_of(FULL), short_of(FULL._replace(audits=20))
    ('', '20 audits of each kind of data (full size 400)')
    """
    what = ("audits of each kind of data", "instances in the bank", "data sets for each risk")
    parts = [
        f"{size} {name} (full size {full})"
        for size, name, full in zip(sizes, what, FULL, strict=True)
        if size < full
    ]
    return in_words(parts)


def write(
    docs: Path,
    table: Sequence[Rate],
    sortabilities: Mapping[str, Mapping[str, float]],
    sizes: Sizes,
) -> None:
    """Write docs/calibration.md, its picture, and the rates that verdicts cite."""
    goals = [rate for rate in table if rate.goal]
    _picture(goals).save(docs / "images" / "calibration.svg")
    parts = [
        _head(goals, sizes),
        _goals(goals),
        _audits(table, sortabilities),
        _pools(table),
        _studies(table),
        _risks(table),
    ]
    (docs / "calibration.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    cite(_cited(table))


def percent(share: float) -> str:
    """Return a share as text.

    Examples
    --------
    >>> percent(0.0525), percent(0.001)
    ('5.2 %', '0.1 %')
    """
    return f"{100 * share:.1f} %"


def with_limits(rate: Rate) -> str:
    """Return a share with its limits, in percent.

    Examples
    --------
    >>> with_limits(Rate("audit", "raw", "graph refuted", 1, 400))
    '0.2 [0.0, 1.4]'
    """
    low, high = rate.limits
    return f"{100 * rate.rate:.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def _head(goals: Sequence[Rate], sizes: Sizes) -> str:
    missed = [rate for rate in goals if not rate.met]
    verdict = f"{len(goals) - len(missed)} of {len(goals)} rates meet their goal."
    short = short_of(sizes)
    below = f"**This run is below the full size:** {short}. " if short else ""
    return f"""# How often the judge is wrong

{verdict} This page gives the measured error rates of the findings of audits and studies, on data \
and algorithms of known nature. `make calibrate` measures them and resumes where it was stopped. \
{below}[The rules](rules.md) explain how each finding is made. Brackets hold 95 % confidence \
intervals. `ges` and `gies` have the penalty of the BIC (`penalty_discount = 1`).

![Measured rates with 95 % confidence intervals, and their goals](images/calibration.svg)"""


def _goals(goals: Sequence[Rate]) -> str:
    lines = ["## Goals", "", "| data or algorithm | finding | goal | measured, % | met |"]
    lines.append("|---|---|---|---|---|")
    for rate in sorted(goals, key=lambda one: (one.met, one.part, one.goal)):
        met = "yes" if rate.met else "**no**"
        lines.append(f"| {rate.cell} | {rate.what} | {rate.goal} | {with_limits(rate)} | {met} |")
    return "\n".join(lines)


def _audits(table: Sequence[Rate], sortabilities: Mapping[str, Mapping[str, float]]) -> str:
    known = {(rate.cell, rate.what): rate for rate in table if rate.part == "audit"}
    total = max(rate.total for rate in known.values())
    lines = [
        "## Audits",
        "",
        f"The table shows how often each finding was made in {total} audits of each kind of data, "
        "in percent. The base case is raw data: Erdős–Rényi graphs with 2 edges per node, 20 "
        "nodes, 1000 rows, linear, Gaussian. Every other row differs in one respect. *Statistics "
        "permuted* means that the variances (R², entropies) were assigned to the columns at "
        "random, so there is nothing to find. Series have 10 variables, with links at lags 0 and "
        "1. A data set can have several findings.",
        "",
        "| data | mean sortability | " + " | ".join(AUDIT_COLUMNS) + " |",
        "|" + "---|" * (len(AUDIT_COLUMNS) + 2),
    ]
    for name in cells():
        means = sortabilities.get(name, {})
        named = {key.replace("R2", "R²"): value for key, value in means.items()}
        sortable = ", ".join(f"{key} {value:.2f}" for key, value in named.items())
        numbers = [with_limits(known[name, what]) for what in AUDIT_COLUMNS]
        lines.append(f"| {name} | {sortable} | " + " | ".join(numbers) + " |")
    return "\n".join(lines)


def _pools(table: Sequence[Rate]) -> str:
    known = {(rate.cell, rate.what): rate for rate in table if rate.part == "pool"}
    lines = [
        "## Several data sets judged together",
        "",
        f"The audits above in pools of {POOL}: how often the rule over instances called a pool "
        "gameable (where one artefact was put into the data: by that one), and how often only one "
        "of the two tests passed.",
        "",
        f"| data | gameable | {ONE_TEST} |",
        "|---|---|---|",
    ]
    for cell in dict.fromkeys(cell for cell, _ in known):
        winning, partly = (rate for (of, _), rate in known.items() if of == cell)
        lines.append(
            f"| {cell} | {with_limits(winning)} ({winning.what}; {winning.total} pools) "
            f"| {with_limits(partly)} |"
        )
    return "\n".join(lines)


def _studies(table: Sequence[Rate]) -> str:
    known = {(rate.cell, rate.what): rate for rate in table if rate.part == "study"}
    names = list(dict.fromkeys(cell for cell, what in known if what in STUDY_COLUMNS))
    sizes = ", ".join(f"{count} with {size} instances" for size, count in SIZES.items())
    lines = [
        "## Studies",
        "",
        f"The studies ({sizes}) were drawn from a bank of instances. An instance is a "
        "graph and a replicate. Each study has eight schemes on the same graphs (those of the base "
        "case above): raw data, other variances in order, the same at random, standardised, iSCM, "
        "UUMC, iSCM with Laplace noise and with mixed noise. It is known what each algorithm does. "
        "*Uniform lead* is the graph along a random order in which a tenth of all true edges are "
        "turned from the wrong direction to the right one: +0.2 in the direction score, about +0.1 "
        "in F1, the same skeleton. *OLS* is least squares along the true order, with weights below "
        "0.3 removed; it does not use variances to find an order, but its threshold depends on the "
        "units.",
        "",
        "| algorithm | " + " | ".join(STUDY_COLUMNS) + " |",
        "|" + "---|" * (len(STUDY_COLUMNS) + 1),
    ]
    for name in names:
        numbers = [with_limits(known[name, what]) for what in STUDY_COLUMNS]
        lines.append(f"| {name} | " + " | ".join(numbers) + " |")
    covered = "How often a scheme was called gameable, and a 95 % interval covered the true lead:"
    lines += ["", covered, "", "| studies | what | measured, % |", "|---|---|---|"]
    for (cell, what), rate in known.items():
        if what in (EITHER_WAY, COVERS):
            lines.append(f"| {_named(cell)} | {what} | {with_limits(rate)} |")
    return "\n".join(lines)


def _named(cell: str) -> str:
    """Return a scheme and a number of instances, or the number alone, as pages write it.

    Examples
    --------
    >>> _named("raw + rescale-in-order, 10 instances"), _named("10 instances")
    ('raw rescaled in order, 10 instances', '10 instances')
    """
    scheme, comma, instances = cell.partition(", ")
    return scheme_name(scheme) + comma + instances


def _picture(goals: Sequence[Rate]) -> alt.VConcatChart:
    """Return one line for each goal, with a dot and limits for each kind of data or study."""
    rows = []
    for rate in goals:
        if rate.goal is None:
            continue
        low, high = rate.limits
        rows.append(
            {
                "goal": f"{_subject(rate)}{rate.what} ({rate.goal})",
                "cell": rate.cell,
                "rate": 100 * rate.rate,
                "low": 100 * low,
                "high": 100 * high,
                "bound": float(rate.goal.percent),
                "most": rate.goal.side == "at most",
            }
        )
    data = pd.DataFrame(rows)
    place = data.groupby("goal").cumcount()
    count = data.groupby("goal")["goal"].transform("count")
    data["place"] = (place + 0.5) / count  # from 0 to 1 within the line of a goal
    return (
        alt.vconcat(
            _panel(data[data["most"]], (0, 10), "wrong, percent (lower is better)"),
            _panel(data[~data["most"]], (70, 100), "right, percent (higher is better)"),
        )
        .configure_view(stroke="#ddd")
        .configure(aria=False)
    )


def _risks(table: Sequence[Rate]) -> str:
    lines = [
        "## Risks",
        "",
        "How often the 95 % interval of the weighted causal risk covered the oracle risk of the "
        "same graph, with 12 variables in the setting of Eigenmann et al. (2020), section 4.",
        "",
        "| algorithm and data | measured, % |",
        "|---|---|",
    ]
    lines += [f"| {rate.cell} | {with_limits(rate)} |" for rate in table if rate.part == "risk"]
    return "\n".join(lines)


_WITHOUT = {
    EITHER_WAY: "no artefact: ",
    ONE_TEST: "no artefact: ",
    FindingKind.GRAPH_REFUTED.label: "true graph: ",
    FindingKind.ROBUST.label: "no direction: ",
}


def _subject(rate: Rate) -> str:
    """Return of what a goal speaks, where it is about one thing."""
    side = rate.goal.side if rate.goal else ""
    if rate.part == "pool":
        return "pools of 10, " + (_WITHOUT[rate.what] if side == "at most" else "")
    if rate.part == "audit":
        return {"transposed": "transposed: ", "labels permuted": "labels permuted: "}.get(
            rate.cell, "raw: " if side == "at least" else _WITHOUT[rate.what]
        )
    if rate.what == COVERS:
        return "risk: " if rate.part == "risk" else "lead: "
    if side == "at least":
        return f"{rate.cell.rsplit(',', 1)[0]}: "
    return _WITHOUT.get(rate.what, "")


def _panel(data: pd.DataFrame, domain: tuple[float, float], title: str) -> alt.LayerChart:
    base = alt.Chart(data).encode(
        y=alt.Y("goal:N", title=None, axis=alt.Axis(labelLimit=420)),
        yOffset=alt.YOffset("place:Q", scale=alt.Scale(domain=[0, 1])),
    )
    scale = alt.Scale(domain=list(domain), clamp=True)
    dots = base.mark_point(filled=True, size=25, color="#1f4e79").encode(
        x=alt.X("rate:Q", title=title, scale=scale)
    )
    limits = base.mark_rule(color="#1f4e79", opacity=0.5).encode(
        x=alt.X("low:Q", scale=scale), x2="high:Q"
    )
    bounds = base.mark_tick(color="#c0392b", thickness=2, size=50).encode(
        x=alt.X("bound:Q", scale=scale), yOffset=alt.YOffsetDatum(0.5)
    )
    step = alt.Step(60, **{"for": "position"})
    return alt.layer(limits, dots, bounds).properties(width=420, height=step)


WORST = "worst case: "


def _cited(table: Sequence[Rate]) -> dict[str, str]:
    """Return for each rule the sentence of its measured error rate."""
    wrong_cause = "a wrong cause was named in"
    claims: dict[str, tuple[str, str, str]] = {
        # rule: finding, side of its goal, claim
        "two tests": (
            EITHER_WAY,
            "at most",
            "data without artefacts were called gameable in",
        ),
        "two tests over instances": (
            f"{EITHER_WAY} (pools)",
            "at most",
            f"pools of {POOL} data sets without artefacts were called gameable in",
        ),
        "graph check": (FindingKind.GRAPH_REFUTED.label, "at most", "a true graph was refuted in"),
        "robust": (
            FindingKind.ROBUST.label,
            "at most",
            "an algorithm that knows no direction, or an artefact alone, was called robust in",
        ),
        "variance order": ("wrong cause", "at most", wrong_cause),
        "variance ratios": ("wrong cause", "at most", wrong_cause),
        "units": ("wrong cause", "at most", wrong_cause),
    }
    cited = {rule: _worst(table, *what) for rule, what in claims.items()}
    # The same rule finds that one test passed alone, which has a rate of its own.
    alone = _worst(table, f"{ONE_TEST} (pools)", "at most", "only one test passed in")
    if alone:
        cited["two tests over instances"] += f"; {alone.removeprefix(WORST)}"
    return {rule: text for rule, text in cited.items() if text}


def _worst(table: Sequence[Rate], what: str, side: str, claim: str) -> str:
    """Return the worst rate of a finding among those with a goal on one side."""
    pooled = what.endswith(" (pools)")
    rates = [
        rate
        for rate in table
        if rate.what == what.removesuffix(" (pools)")
        and (rate.part == "pool") == pooled
        and rate.goal
        and rate.goal.side == side
    ]
    if not rates:
        return ""
    worst = (max if side == "at most" else min)(rates, key=lambda rate: rate.rate)
    low, high = worst.limits
    measured = f"{percent(worst.rate)} [{percent(low)}, {percent(high)}]"
    return f"{WORST}{claim} {measured} ({worst.cell})"
