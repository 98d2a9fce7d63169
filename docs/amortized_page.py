"""Writes the tables of docs/amortized.md and draws its pictures, from docs/amortized-results.

python -m calibration.pretrained --data DATA_FOLDER    # writes scores.json
causalassay run examples/studies/amortized.toml
python docs/amortized_page.py examples/studies/amortized-results    # writes judge.json first
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import altair as alt
import numpy as np

from causalassay.analysis import Analysis, read
from causalassay.analysis.comparison import mean_with_interval
from causalassay.metrics.charts import reliability_spec
from causalassay.metrics.probabilities import Reliability, of_sums
from causalassay.present.charts import COLOURS, INK, QUIET, SHAPES, TEXT, chart_of, static_svg
from causalassay.present.formatting import UNDEFINED, Interval, counted, fixed, in_words, signed

DOCS = Path(__file__).parent
PAGE = DOCS / "amortized.md"
RESULTS = DOCS / "amortized-results"

BROAD = "amortized broad"
NETWORKS = tuple(f"amortized {name}" for name in ("raw", "standardized", "iscm", "uumc", "broad"))
RIVALS = ("boss", "direct-lingam", "grasp")
OTHERS = ("boss", "grasp", "ges", "direct-lingam", "notears")
BASELINES = ("var-sortnregress", "r2-sortnregress", "random-sortnregress")

SCHEMES = {"standardized": "standardised", "iscm": "iSCM", "uumc": "UUMC"}
NOISES = ("gaussian", "uniform", "exponential")
LAWS = {"gaussian": "Gaussian", "uniform": "uniform", "exponential": "exponential"}
SIZES = (10, 20, 50)
FUNCTIONS = ("gp", "mlp", "rff")
MOST_CALIBRATION_ERROR = 0.03
"""In distribution: a goal."""

EXACT = 9
"""Decimals that no machine computes differently."""

_PART = re.compile(r"(<!-- (\w+): .* -->\n)(?:.*\n)*?(<!-- end of \2 -->)")


# ---- what was measured ----


@dataclass(frozen=True)
class Goal:
    """A difference of means and what it says of a goal.

    Parameters
    ----------
    difference : Interval
        Ours minus theirs on the same graphs, with 95 % limits.
    rival : str
    high_is_good : bool
    """

    difference: Interval
    rival: str
    high_is_good: bool = True

    @property
    def verdict(self) -> str:
        """Whether the whole interval is on the good side, with 0, or on the bad one."""
        low, high = self.difference.low, self.difference.high
        if not self.high_is_good:
            low, high = -high, -low
        return "met" if low >= 0 else "not met" if high < 0 else "open"

    def __str__(self) -> str:
        limits = f"[{self.difference.low:.2f}, {self.difference.high:.2f}]"
        return f"{self.difference.value:+.2f} {limits}"


@dataclass(frozen=True)
class Scores:
    """The scores of each cell and algorithm, graph by graph."""

    content: dict[str, Any]

    def of(self, cell: str, algorithm: str, metric: str = "f1") -> dict[int, float]:
        """Return the scores by the number of the graph; empty if there are none."""
        kept = self.content["cells"].get(cell, {}).get(algorithm, {})
        pairs = zip(kept.get("graphs", []), kept.get(metric, []), strict=True)
        return {k: value for k, value in pairs if value is not None}

    def mean(self, cell: str, algorithm: str, metric: str = "f1") -> float:
        """Return the mean; nan if there is none."""
        values = list(self.of(cell, algorithm, metric).values())
        return round(fmean(values), EXACT) if values else np.nan

    def paired(self, cell: str, pair: tuple[str, str], metric: str = "f1") -> Interval:
        """Return the mean difference of two algorithms on the graphs that both have."""
        return self.paired_over([cell], pair, metric)

    def paired_over(
        self, cells: Sequence[str], pair: tuple[str, str], metric: str = "f1"
    ) -> Interval:
        """Return the same of several cells that meet the same graphs: graphs are what varies."""
        apart = []
        for cell in cells:
            first, second = (self.of(cell, name, metric) for name in pair)
            apart.append({k: first[k] - second[k] for k in set(first) & set(second)})
        shared = sorted(set.intersection(*(set(one) for one in apart)))
        means = np.array([fmean(one[k] for one in apart) for k in shared])
        mean = mean_with_interval(means, np.arange(len(shared)))
        return Interval(*(round(end, EXACT) for end in (mean.value, mean.low, mean.high)))

    def goal(
        self, cell: str, rivals: Iterable[str], metric: str = "f1", *, high_is_good: bool = True
    ) -> Goal:
        """Return the difference of the broad network and the rival that leaves it least."""
        apart = {name: self.paired(cell, (BROAD, name), metric) for name in rivals}
        known = {name: one for name, one in apart.items() if not np.isnan(one.value)}
        best = (min if high_is_good else max)(known, key=lambda name: known[name].value)
        return Goal(known[best], best, high_is_good)

    def bins(self, cells: Iterable[str], algorithm: str = BROAD) -> Reliability:
        """Return the probabilities of several cells beside the shares of true edges."""
        of_cells = [self.content["cells"].get(cell, {}).get(algorithm, {}) for cell in cells]
        sums = [np.array(kept["bins"]) for kept in of_cells if "bins" in kept]
        return of_sums(np.sum(sums, axis=0) if sums else np.zeros((3, 10)))

    def counts(self, cells: Iterable[str], algorithm: str = BROAD) -> str:
        """Return on how many graphs it ran in each cell: one number, or the fewest and most."""
        sizes = {len(self.of(cell, algorithm)) for cell in cells} or {0}
        return f"{min(sizes)}" if len(sizes) == 1 else f"{min(sizes)} to {max(sizes)}"


def linear(scheme: str, noise: str = "gaussian", n_nodes: int = 20, n_rows: int = 1000) -> str:
    """Return the name of a cell of linear data."""
    return f"{scheme} {noise} d={n_nodes} n={n_rows}"


def nonlinear(function: str) -> str:
    """Return the name of a cell of nonlinear data."""
    return f"iscm {function} gaussian d=20 n=1000"


def cross_cells() -> dict[str, tuple[str, str]]:
    """Return the cells of the cross table: the group and the name of each column."""
    return {
        linear("scm"): ("Gaussian", "raw"),
        **{
            linear(kind, noise): (LAWS[noise], name)
            for noise in NOISES
            for kind, name in SCHEMES.items()
        },
        **{nonlinear(function): ("nonlinear iSCM", function) for function in FUNCTIONS},
    }


ALARM = "iscm gaussian alarm d=37 n=1000"


def elsewhere_cells() -> dict[str, str]:
    """Return the cells of other sizes, of a known graph and of real data, with their names."""
    return {
        "iscm gaussian er-1 d=5 n=1000": "d = 5",
        **{linear("iscm", n_nodes=d): f"d = {d}" for d in (10, 20, 50, 100)},
        **{linear("iscm", n_rows=n): f"n = {n}" for n in (50, 200, 10_000)},
        ALARM: "ALARM's graph",
        "sachs": "Sachs",
        "chamber": "light tunnel",
    }


def goal_cells() -> dict[str, tuple[str, str, int]]:
    """Return the cells of the goals: scheme, noise and size of each."""
    return {
        linear(kind, noise, size): (name, noise, size)
        for kind, name in SCHEMES.items()
        for noise in NOISES
        for size in SIZES
    }


def in_distribution() -> list[str]:
    """Return the cells whose systems the broad network was trained on."""
    known = [linear(kind, noise, d) for kind in SCHEMES for noise in NOISES for d in SIZES]
    return [cell for cell in known if not cell.startswith("standardized")] + [
        nonlinear(function) for function in FUNCTIONS if function != "rff"
    ]


def calibration_cells() -> dict[str, list[str]]:
    """Return groups of cells in which probabilities are judged together."""
    return {
        "in distribution": in_distribution(),
        "standardised": [cell for cell in goal_cells() if cell.startswith("standardized")],
        "rff functions": [nonlinear("rff")],
        "ALARM's graph": [ALARM],
        "d = 100": [linear("iscm", n_nodes=100)],
        "Sachs": ["sachs"],
        "light tunnel": ["chamber"],
    }


# ---- the parts of the page ----


def claims(found: Scores) -> str:
    """Return what the page says first: the goals, and what each narrow network learnt."""
    goals = {cell: found.goal(cell, RIVALS) for cell in goal_cells()}
    apart = {
        seen: {cell: goal for cell, goal in goals.items() if (cell in in_distribution()) == seen}
        for seen in (True, False)
    }
    gaussian = [cell for cell in goals if "gaussian" in cell]
    shd = [found.goal(cell, RIVALS, "mec_shd", high_is_good=False) for cell in gaussian]
    nonlinear_goals = [
        found.goal(nonlinear(name), _native(found, nonlinear(name))) for name in FUNCTIONS
    ]
    ahead = [
        f"{_signed(goal.difference)} to {goal.rival} with `{function}`"
        for function, goal in zip(FUNCTIONS, nonlinear_goals, strict=True)
    ]
    narrow_pair = ("amortized standardized", "amortized uumc")
    on = {
        kind: found.paired_over([linear(kind, noise) for noise in NOISES], narrow_pair)
        for kind in ("standardized", "uumc")
    }
    raw = {kind: found.mean(linear(kind), "amortized raw") for kind in ("scm", "standardized")}
    error = {name: found.bins(cells) for name, cells in calibration_cells().items()}
    inside, sachs, tunnel = (error[name] for name in ("in distribution", "Sachs", "light tunnel"))
    lines = [
        f"**F1 against the best of {in_words(RIVALS)}**, the goal of the broad network: "
        f"{_verdicts(apart[True].values())}, of {len(apart[True])} kinds of linear data like those "
        "of its training (iSCM and UUMC).",
        f"**Standardised data are where it fails**: {_verdicts(apart[False].values())}, of "
        f"{len(apart[False])}. {_missed(apart[False])} Its training leaves them out, because they "
        "give the causal order away.",
        "**On linear Gaussian data it finds no better equivalence class than a search**: SHD "
        f"between CPDAGs no worse than that of the best is {_verdicts(shd)}, of {len(shd)}.",
        "**On nonlinear iSCM data it is ahead of every native algorithm** with "
        f"{[_ahead(goal) for goal in nonlinear_goals].count('met')} of {len(FUNCTIONS)} families "
        f"of functions: F1 {'; '.join(ahead)}, the best of the others.",
        "**A network learns the artefact that it is trained on.** At equal steps, the F1 of the "
        "network trained on standardised data less that of the one trained on UUMC is "
        f"{_signed(on['standardized'])} on standardised data and {_signed(on['uumc'])} on UUMC, "
        "where the artefact is gone (three laws of noise).",
        f"**The network trained on raw data has F1 {raw['scm']:.2f} on raw data and "
        f"{raw['standardized']:.2f} on standardised data**, from the same graphs and the same law "
        f"of weights: it reads units. Our judge says of it: *{_finding('amortized raw')}*.",
        "**The broad network's probabilities can be believed in distribution, and not on Sachs**: "
        f"calibration error {inside.calibration_error:.4f} in distribution, "
        f"{tunnel.calibration_error:.2f} on the light tunnel, {sachs.calibration_error:.2f} on "
        "Sachs.",
    ]
    return "".join(f"- {line}\n" for line in lines)


def cross(found: Scores) -> str:
    """Return the cross table: mean F1 of each algorithm on each kind of data."""
    return _cross(found, "f1")


def skeletons(found: Scores) -> str:
    """Return the cross table of skeleton F1."""
    return _cross(found, "skeleton_f1")


def directions(found: Scores) -> str:
    """Return the cross table of direction scores."""
    return _cross(found, "direction_score")


def _cross(found: Scores, metric: str) -> str:
    heads = ["", *(f"{group}, {name}" for group, name in cross_cells().values())]
    lines = [_line(heads), _line(["---"] * len(heads))]
    for algorithm in (*NETWORKS, *OTHERS, *BASELINES):
        means = [found.mean(cell, algorithm, metric) for cell in cross_cells()]
        lines.append(_line([f"`{algorithm}`", *(_number(mean) for mean in means)]))
    return "".join(lines)


def goals(found: Scores) -> str:
    """Return the table of goals, a line for each kind of data."""
    heads = ["data", "d", "F1", "best rival", "difference", "goal", "skeleton F1 less boss's"]
    heads += ["goal", "MEC SHD less the best rival's", "goal"]
    lines = [_line(heads), _line(["---"] * len(heads))]
    for cell, (scheme, noise, size) in goal_cells().items():
        f1, skeleton = (
            found.goal(cell, RIVALS),
            found.goal(cell, ["boss"], "skeleton_f1"),
        )
        cells = [f"{scheme}, {LAWS[noise]}", f"{size}", _number(found.mean(cell, BROAD))]
        cells += [f"{f1.rival} {found.mean(cell, f1.rival):.2f}", str(f1), f1.verdict]
        cells += [str(skeleton), skeleton.verdict]
        if noise == "gaussian":
            shd = found.goal(cell, RIVALS, "mec_shd", high_is_good=False)
            limits = f"[{shd.difference.low:.1f}, {shd.difference.high:.1f}]"
            cells += [f"{shd.difference.value:+.1f} {limits} ({shd.rival})", shd.verdict]
        else:
            cells += ["", ""]
        lines.append(_line(cells))
    return "".join(lines)


def counts(found: Scores) -> str:
    """Return how many of the goals are met, and which are not."""
    cells = goal_cells()
    gaussian = [cell for cell, (_, noise, _) in cells.items() if noise == "gaussian"]
    f1 = {cell: found.goal(cell, RIVALS) for cell in cells}
    skeleton = {cell: found.goal(cell, ["boss"], "skeleton_f1") for cell in cells}
    shd = {cell: found.goal(cell, RIVALS, "mec_shd", high_is_good=False) for cell in gaussian}
    error = found.bins(in_distribution()).calibration_error
    lines = [
        f"F1 at least that of the best of {in_words(RIVALS)}: {_verdicts(f1.values())}, of "
        f"{len(f1)}. {_missed(f1)}",
        f"Skeleton F1 no worse than boss's: {_verdicts(skeleton.values())}, of {len(skeleton)}. "
        f"{_missed(skeleton)}",
        "SHD between CPDAGs on Gaussian data no worse than that of the best: "
        f"{_verdicts(shd.values())}, of {len(shd)}. {_missed(shd)}",
        f"Calibration error in distribution at most {MOST_CALIBRATION_ERROR}: "
        f"{'met' if error <= MOST_CALIBRATION_ERROR else 'not met'} ({error:.4f}, "
        f"{counted(found.bins(in_distribution()).n_cases, 'ordered pair')}).",
    ]
    for function in FUNCTIONS:
        one = found.goal(nonlinear(function), _native(found, nonlinear(function)))
        theirs = found.mean(nonlinear(function), one.rival)
        lines.append(
            f"Nonlinear iSCM data, `{function}`, ahead of every native algorithm: {_ahead(one)} "
            f"(F1 {found.mean(nonlinear(function), BROAD):.2f}; the best is {one.rival} with "
            f"{theirs:.2f}; difference {one})."
        )
    return "".join(f"- {line.strip()}\n" for line in lines)


def functions(found: Scores) -> str:
    """Return mean F1 and skeleton F1 of every algorithm on nonlinear data, the best first."""
    cells = [nonlinear(function) for function in FUNCTIONS]
    names = {name for cell in cells for name in found.content["cells"].get(cell, {})}
    heads = ["", *FUNCTIONS, "graphs"]
    lines = [_line(heads), _line(["---"] * len(heads))]
    for name in sorted(names, key=lambda name: -found.mean(cells[0], name)):
        numbers = [
            f"{_number(found.mean(cell, name))}, {_number(found.mean(cell, name, 'skeleton_f1'))}"
            for cell in cells
        ]
        lines.append(_line([f"`{name}`", *numbers, found.counts(cells, name)]))
    return "".join(lines)


def sizes(found: Scores) -> str:
    """Return F1 and skeleton F1 by the number of nodes and of rows, on Gaussian iSCM data."""
    named = {
        "d = 5 (1 edge per node)": "iscm gaussian er-1 d=5 n=1000",
        **{f"d = {d}": linear("iscm", n_nodes=d) for d in (10, 20, 50, 100)},
        **{f"n = {n}": linear("iscm", n_rows=n) for n in (50, 200, 10_000)},
    }
    return _beside(found, named)


def _beside(found: Scores, named: dict[str, str]) -> str:
    heads = ["data", "broad", *RIVALS, "broad less the best", "graphs", "seconds of broad"]
    lines = [_line(heads), _line(["---"] * len(heads))]
    for name, cell in named.items():
        if cell not in found.content["cells"]:
            continue
        numbers = [
            f"{_number(found.mean(cell, each))}, {_number(found.mean(cell, each, 'skeleton_f1'))}"
            for each in (BROAD, *RIVALS)
        ]
        count = found.counts([cell])
        goal = found.goal(cell, RIVALS)
        apart = f"{goal.difference.value:+.2f}" if count == "1" else str(goal)
        seconds = found.content["cells"][cell][BROAD]["seconds"]
        lines.append(_line([name, *numbers, f"{apart} ({goal.rival})", count, f"{seconds:.2g}"]))
    return "".join(lines)


def real(found: Scores) -> str:
    """Return the scores on graphs and data of the world."""
    return _beside(
        found,
        {"ALARM's graph, iSCM": ALARM, "Sachs, observational rows": "sachs"}
        | {"light tunnel, reference rows": "chamber"},
    )


def elsewhere(found: Scores) -> str:
    """Return mean F1 of every algorithm of the cross table at other sizes and on real data."""
    heads = ["", *elsewhere_cells().values()]
    lines = [_line(heads), _line(["---"] * len(heads))]
    for algorithm in (*NETWORKS, *OTHERS, *BASELINES):
        means = [found.mean(cell, algorithm) for cell in elsewhere_cells()]
        shown = [UNDEFINED if np.isnan(mean) else _number(mean) for mean in means]
        lines.append(_line([f"`{algorithm}`", *shown]))
    return "".join(lines)


def reliabilities(found: Scores) -> str:
    """Return the calibration error of groups of cells, of the broad network."""
    heads = ["data", "calibration error", "ordered pairs", "edges"]
    heads += ["error between 0.1 and 0.9", "pairs there", "share of edges above 0.9"]
    lines = [_line(heads), _line(["---"] * len(heads))]
    for name, cells in calibration_cells().items():
        bins = found.bins(cells)
        if not bins.n_cases:
            continue
        edges = int(np.rint(np.nansum(bins.share * bins.counts)))
        unsure = Reliability(bins.counts[1:-1], bins.probability[1:-1], bins.share[1:-1])
        sure = UNDEFINED if not bins.counts[-1] else f"{bins.share[-1]:.2f}"
        cells_of_row = [name, f"{bins.calibration_error:.4f}", f"{bins.n_cases}", f"{edges}"]
        cells_of_row += [_number(unsure.calibration_error), f"{unsure.n_cases}", sure]
        lines.append(_line(cells_of_row))
    return "".join(lines)


def narrow(found: Scores) -> str:
    """Return the calibration error of each network on each scheme."""
    heads = ["trained on", *(f"{name}" for name in ("raw", *SCHEMES.values()))]
    lines = [_line(heads), _line(["---"] * len(heads))]
    for name in NETWORKS:
        errors = [found.bins([linear(kind)], name).calibration_error for kind in ("scm", *SCHEMES)]
        lines.append(_line([name.removeprefix("amortized "), *(_number(one, 3) for one in errors)]))
    return "".join(lines)


def judge(_: Scores) -> str:
    """Return what the report of the study says of the schemes and of each network."""
    said = _judged()
    heads = ["algorithm", *said["schemes"], "finding"]
    lines = [_line(heads), _line(["---"] * len(heads))]
    for name, row in said["algorithms"].items():
        numbers = [fixed(mean) for mean in row["f1"].values()]
        lines.append(_line([f"`{name}`", *numbers, row["finding"]]))
    sentences = said["statements"] + [
        text
        for row in said["algorithms"].values()
        if row["role"] != "baseline"
        for text in row["sentences"]
    ]
    return "".join(lines) + "\n" + "".join(f"- {text}\n" for text in sentences)


def _judged() -> dict[str, Any]:
    said: dict[str, Any] = json.loads((RESULTS / "judge.json").read_text(encoding="utf-8"))
    return said


def _finding(algorithm: str) -> str:
    return str(_judged()["algorithms"][algorithm]["finding"])


def cards(found: Scores) -> str:
    """Return how each network was trained, from its card."""
    heads = ["prior", "steps", "systems", "minutes", "nodes", "rows", "what it saw"]
    lines = [_line(heads), _line(["---"] * len(heads))]
    for name, card in found.content["cards"].items():
        nodes, rows = (" to ".join(str(end) for end in card[what]) for what in ("nodes", "rows"))
        size = [f"{card['steps']}", f"{card['systems'] / 1e6:.1f} million", f"{card['minutes']:g}"]
        # Cards that were written with the weights have no space before the sign.
        schemes = "; ".join(card["schemes"]).replace(" %", "%").replace("%", " %")
        saw = f"{schemes}. {card['graphs']}"
        lines.append(_line([f"`{name}`", *size, nodes, rows, saw]))
    return "".join(lines)


def audits(found: Scores) -> str:
    """Return what the judge says of the systems of each prior, from its card."""
    heads = ["prior", "its systems", "what the judge says"]
    lines = [_line(heads), _line(["---"] * len(heads))]
    for name, card in found.content["cards"].items():
        for part, one in (card["audit"] or {"parts": {}})["parts"].items():
            lines.append(_line([f"`{name}`", part, one["sentence"]]))
    return "".join(lines)


def commands(found: Scores) -> str:
    """Return the commands that made the weights, the device, the day and the seed."""
    kept = found.content["cards"].values()
    lines = list(dict.fromkeys(card["command"] for card in kept))
    devices, dates, seeds = (
        in_words(sorted({str(card[what]) for card in kept})) for what in ("device", "date", "seed")
    )
    typed = "\n".join(lines)
    return (
        f"<!-- not run: it needs a GPU and torch -->\n```sh\n{typed}\n```\n\n"
        f"Device: one {devices}; {dates}; seed {seeds}.\n"
    )


def made(found: Scores) -> str:
    """Return with which seed and on how many graphs the page was made."""
    d20, d50 = (linear("iscm", n_nodes=size) for size in (20, 50))
    cells = found.content["cells"]
    failed = [
        f"`{name}` on {cell}: {counted(len(kept['failed']), 'graph')} ({kept['failed'][0]})"
        for cell, of_cell in cells.items()
        for name, kept in of_cell.items()
        if "failed" in kept
    ]
    runs = sum(len(kept["graphs"]) for of_cell in cells.values() for kept in of_cell.values())
    text = (
        f"{runs} runs with the seed {found.content['seed']}, which nothing else uses: "
        f"{found.counts(cross_cells())} graphs of each kind in the cross table "
        f"({found.counts(cross_cells(), 'notears')} for notears), "
        f"{found.counts(goal_cells())} in the goals, "
        f"{found.counts([linear('iscm', n_nodes=100)])} at d = 100. Median CPU seconds of "
        f"one run with d = 20 and d = 50: broad {_seconds(found, d20, d50, BROAD)}, boss "
        f"{_seconds(found, d20, d50, 'boss')}, grasp {_seconds(found, d20, d50, 'grasp')}, "
        f"direct-lingam {_seconds(found, d20, d50, 'direct-lingam')}.\n"
    )
    return text + "".join(f"\n- failed: {one}" for one in failed) + ("\n" if failed else "")


def page(text: str, found: Scores) -> str:
    """Return the text of the page with its parts as they are to be."""
    return _PART.sub(lambda part: part[1] + globals()[part[2]](found) + part[3], text)


# ---- pictures ----


def cross_picture(found: Scores) -> dict[str, Any]:
    """Return the heat map of mean F1: rows are algorithms, columns kinds of data."""
    blocks = (NETWORKS, OTHERS, BASELINES)
    columns = {cell: f"{group}|{test}" for cell, (group, test) in cross_cells().items()}
    groups = list(dict.fromkeys(group for group, _ in cross_cells().values()))
    rows = [
        {"x": columns[cell], "y": _row_name(name), "f1": round(mean, 3)}
        | {"shown": f"{mean:.2f}".removeprefix("0")}
        for name in (name for names in blocks for name in names)
        for cell in columns
        if not np.isnan(mean := found.mean(cell, name))
    ]
    across = _with_gaps([[x for x in columns.values() if x.startswith(f"{g}|")] for g in groups])
    down = _with_gaps([[_row_name(name) for name in names] for names in blocks])
    bare: dict[str, Any] = {"ticks": False, "domain": False, "grid": False}
    x = alt.X(
        "x:N",
        scale=alt.Scale(domain=across, padding=0),
        title=None,
        axis=alt.Axis(orient="top", labelAngle=-45, labelExpr="split(datum.label, '|')[1]", **bare),
    )
    y = alt.Y(
        "y:N",
        scale=alt.Scale(domain=down, padding=0),
        title=None,
        axis=alt.Axis(labelExpr="indexof(datum.label, '|') < 0 ? datum.label : ''", **bare),
    )
    colours = alt.Scale(scheme="viridis", domain=[0.2, 1.0], clamp=True)
    base = chart_of(many=rows).encode(x=x, y=y)
    squares = base.mark_rect(aria=False).encode(color=alt.Color("f1:Q", scale=colours, legend=None))
    numbers = base.mark_text(fontSize=11, aria=False).encode(
        text="shown:N",
        color=alt.condition("datum.f1 > 0.7", alt.value("black"), alt.value("white")),
    )
    heads = [{"x": x, "head": x.partition("|")[0]} for x in _middles(across, groups)]
    titles = (
        chart_of(many=heads)
        .mark_text(fontSize=TEXT + 1, fontWeight="bold", color=INK, aria=False)
        .encode(x=x, text="head:N", y=alt.value(-76))
    )
    size = {"width": 36 * len(across), "height": 20 * len(down)}
    spec: dict[str, Any] = alt.layer(squares, numbers, titles).properties(**size).to_dict()
    spec["config"] = {"view": {"stroke": None}}
    return spec


def _row_name(algorithm: str) -> str:
    prior = algorithm.removeprefix("amortized ")
    if prior == algorithm:
        return f"{algorithm} (baseline)" if algorithm in BASELINES else algorithm
    told = {"scm": "raw", **SCHEMES}.get(prior, prior)
    return "broad network" if prior == "broad" else f"network trained on {told}"


def _with_gaps(blocks: Sequence[Sequence[str]]) -> list[str]:
    """Return all names, with an empty one between two blocks."""
    kept = [name for k, names in enumerate(blocks) for name in (f"|{' ' * k}", *names)]
    return kept[1:]


def _middles(across: Sequence[str], groups: Sequence[str]) -> list[str]:
    """Return the column in the middle of each group."""
    members = [[x for x in across if x.startswith(f"{group}|")] for group in groups]
    return [names[(len(names) - 1) // 2] for names in members]


def goals_picture(found: Scores) -> dict[str, Any]:
    """Return the differences of the broad network and the best rival, with intervals."""
    verdicts = ("met", "open", "not met")
    rows = [
        {"scheme": scheme, "data": f"{LAWS[noise]}, d = {size}", "verdict": goal.verdict}
        | {"rival": goal.rival, "value": round(goal.difference.value, 4)}
        | {"low": round(goal.difference.low, 4), "high": round(goal.difference.high, 4)}
        for cell, (scheme, noise, size) in goal_cells().items()
        for goal in [found.goal(cell, RIVALS)]
    ]
    order = [f"{LAWS[noise]}, d = {size}" for noise in NOISES for size in SIZES]
    colour = alt.Color(
        "verdict:N",
        title="the goal is",
        scale=alt.Scale(domain=list(verdicts), range=[COLOURS[2], COLOURS[1], COLOURS[0]]),
    )
    shape = alt.Shape(
        "verdict:N",
        title="the goal is",
        scale=alt.Scale(domain=list(verdicts), range=list(SHAPES[:3])),
    )
    ends = [min(row["low"] for row in rows), max(row["high"] for row in rows)]
    panels = []
    for place, scheme in enumerate(SCHEMES.values()):
        own = [row for row in rows if row["scheme"] == scheme]
        y = alt.Y("data:N", sort=order, title=None, axis=alt.Axis(labels=place == 0, ticks=False))
        x = alt.X("value:Q", title="difference of F1", scale=alt.Scale(domain=ends))
        base = chart_of(many=own).encode(y=y, color=colour)
        zero = chart_of({"at": 0}).mark_rule(color=QUIET, strokeDash=[4, 3]).encode(x="at:Q")
        points = base.mark_point(filled=True, size=60, opacity=1).encode(x=x, shape=shape)
        spans = base.mark_rule(strokeWidth=1.5).encode(x="low:Q", x2="high:Q")
        labels = base.mark_text(dy=-8, dx=3, fontSize=10, align="left").encode(
            text="rival:N", x=alt.value(0), color=alt.value(INK)
        )
        panels.append(
            alt.layer(zero, spans, points, labels).properties(width=170, height=260, title=scheme)
        )
    spec: dict[str, Any] = alt.hconcat(*panels, spacing=10).to_dict()
    return spec


def calibration_picture(found: Scores) -> dict[str, Any]:
    """Return the reliability of the broad network in and out of distribution."""
    chosen = ("in distribution", "standardised", "rff functions", "light tunnel")
    cells = calibration_cells()
    bins = {name: found.bins(cells[name]) for name in chosen}
    return reliability_spec({name: one for name, one in bins.items() if one.n_cases})


PICTURES = {
    "amortized-cross": (cross_picture, "Mean F1 of networks, searches and baselines"),
    "amortized-goals": (goals_picture, "F1 of the broad network less that of the best rival"),
    "amortized-calibration": (calibration_picture, "Share of true edges against probability"),
}


# ---- words ----


def _native(found: Scores, cell: str) -> list[str]:
    return [name for name in found.content["cells"][cell] if not name.startswith("amortized")]


def _ahead(goal: Goal) -> str:
    """Being ahead asks for more than being level: the whole interval above 0."""
    if goal.difference.low > 0:
        return "met"
    return "not met" if goal.difference.high < 0 else "open"


def _verdicts(all_goals: Iterable[Goal]) -> str:
    kinds = [goal.verdict for goal in all_goals]
    return in_words([f"{word} in {kinds.count(word)}" for word in ("met", "open", "not met")])


def _missed(all_goals: dict[str, Goal]) -> str:
    """Return the cells whose goal is not met, in words."""
    cells = goal_cells()
    missed = [
        f"{scheme} {LAWS[noise]} d = {size} ({goal.difference.value:{_form(goal)}} to {goal.rival})"
        for cell, goal in all_goals.items()
        if goal.verdict == "not met"
        for scheme, noise, size in [cells[cell]]
    ]
    return f"Not met: {'; '.join(missed)}." if missed else ""


def _form(goal: Goal) -> str:
    return "+.2f" if goal.high_is_good else "+.1f"


def _signed(value: Interval) -> str:
    return f"{signed(value.value)} [{value.low:.2f}, {value.high:.2f}]"


def _seconds(found: Scores, small: str, large: str, name: str) -> str:
    cells = found.content["cells"]
    return " and ".join(f"{cells[cell][name]['seconds']:.2g}" for cell in (small, large))


def _number(value: float, decimals: int = 2) -> str:
    return UNDEFINED if np.isnan(value) else f"{value:.{decimals}f}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def judgement(analysis: Analysis) -> dict[str, Any]:
    """Return of a study what the page says of it: means of F1, findings and sentences."""
    matrix = analysis.matrix
    return {
        "schemes": [column.name for column in matrix.columns],
        "statements": [finding.text for finding in analysis.findings.schemes.values()],
        "algorithms": {
            row.algorithm: {
                "f1": {
                    column.name: round(cell.mean, 4)
                    for cell, column in zip(row.cells, matrix.columns, strict=True)
                },
                "role": row.role,
                "finding": row.finding,
                "sentences": [statement.text for statement in row.statements],
            }
            for row in matrix.rows
        },
    }


def scores() -> Scores:
    """Return the scores that stand beside the page."""
    return Scores(json.loads((RESULTS / "scores.json").read_text(encoding="utf-8")))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        said = json.dumps(judgement(read(sys.argv[1])), indent=1, ensure_ascii=False)
        (RESULTS / "judge.json").write_text(said + "\n", encoding="utf-8")
    measured = scores()
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), measured), encoding="utf-8")
    for name, (draw, words) in PICTURES.items():
        drawn = static_svg(draw(measured), words, on_paper=True)
        (DOCS / "images" / f"{name}.svg").write_text(drawn, encoding="utf-8")
