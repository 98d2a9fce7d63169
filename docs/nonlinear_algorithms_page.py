"""Writes the tables of docs/nonlinear-algorithms.md and draws images/nonlinear-algorithms.svg.

for part in "" -large -sparse; do
    causalassay run examples/studies/nonlinear-algorithms$part.toml
done
python docs/nonlinear_algorithms_page.py examples/studies
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t as student

from causalassay.analysis import Analysis, read
from causalassay.present.charts import COLOURS, static_svg
from causalassay.present.formatting import counted

PAGE = Path(__file__).with_name("nonlinear-algorithms.md")
PICTURE = Path(__file__).parent / "images" / "nonlinear-algorithms.svg"
STUDIES = ("", "-large", "-sparse")
MECHANISMS = ("gp-additive", "gp", "mlp")
KINDS = ("raw", "standardised", "iSCM")
SORTABILITIES = {
    "var_sortability": "variance",
    "r2_sortability": "R²",
    "score_sortability": "score",
}
ALGORITHMS = (
    "cam",
    "resit",
    "nogam",
    "score",
    "pc fast-kci",
    "score-sort",
    "var-sort additive",
    "r2-sort additive",
    "random-sort additive",
)
"""In the order of the tables: algorithms, then sorting with the same pruning."""
ALT = (
    "Mean F1 of each algorithm on raw, standardised and iSCM data for three mechanisms, and below "
    "the variance, R² and score-sortability of the same data"
)
_PART = re.compile(r"(<!-- ([\w-]+): .* -->\n)(?:.*\n)*?(<!-- end of \2 -->)")


def rows_of(analysis: Analysis) -> pd.DataFrame:
    """Return the rows of the page's algorithms, with mechanism and kind as the page names them.

    Replicates that a study did not finish are left out.
    """
    frame = analysis.table.frame
    chosen = frame[frame["algorithm"].astype(str).isin(ALGORITHMS)].copy()
    standardised = chosen["scheme"].astype(str).str.endswith("standardized")
    is_iscm = chosen["model.kind"].astype(str) == "iscm"
    chosen["kind"] = np.where(is_iscm, "iSCM", np.where(standardised, "standardised", "raw"))
    chosen["mechanism"] = chosen["model.mechanism"].astype(str)
    chosen["algorithm"] = chosen["algorithm"].astype(str)
    cells = chosen.groupby("replicate").size()
    return chosen[chosen["replicate"].isin(cells.index[cells == cells.max()])]


def scores(frame: pd.DataFrame) -> str:
    """Return for each mechanism F1 with its interval, and SID, and what standardising takes."""
    parts = []
    for mechanism in MECHANISMS:
        heads = [f"`{mechanism}`", *KINDS, "standardised − raw"]
        parts += ["\n" if parts else "", _line(heads), _line(["---"] * len(heads))]
        of_mechanism = frame[frame["mechanism"] == mechanism]
        for name in _present(frame):
            rows = of_mechanism[of_mechanism["algorithm"] == name]
            by_kind = {kind: rows[rows["kind"] == kind].set_index("replicate") for kind in KINDS}
            cells = [f"{_share(one['f1'])}, {one['sid'].mean():.0f}" for one in by_kind.values()]
            change = by_kind["standardised"]["f1"] - by_kind["raw"]["f1"]
            parts.append(_line([f"`{name}`", *cells, _difference(change)]))
    return "".join(parts)


def sortabilities(frame: pd.DataFrame) -> str:
    """Return the mean of each sortability with its interval."""
    heads = ["data", *SORTABILITIES.values()]
    lines = [_line(heads), _line(["---"] * len(heads))]
    for mechanism in MECHANISMS:
        for kind in KINDS:
            one = _data_sets(frame, mechanism, kind)
            cells = [_share(one[name]) for name in SORTABILITIES]
            lines.append(_line([f"`{mechanism}` {kind}", *cells]))
    return "".join(lines)


def leads(frame: pd.DataFrame) -> str:
    """Return how far each algorithm is before the better of the three sortings, paired."""
    heads = ["F1 − the best sorting", *(f"`{m}` {k}" for m in MECHANISMS for k in KINDS)]
    lines = [_line(heads), _line(["---"] * len(heads))]
    sortings = [name for name in _present(frame) if "sort" in name and "random" not in name]
    for name in _present(frame):
        if "sort" in name:
            continue
        cells = []
        for mechanism in MECHANISMS:
            for kind in KINDS:
                here = frame[(frame["mechanism"] == mechanism) & (frame["kind"] == kind)]
                f1 = here.pivot(index="replicate", columns="algorithm", values="f1")
                best = f1[sortings].mean().idxmax()
                cells.append(_difference(f1[name] - f1[best]))
        lines.append(_line([f"`{name}`", *cells]))
    return "".join(lines)


def means(frame: pd.DataFrame) -> str:
    """Return the mean F1 with its interval, all kinds in one table, and sortabilities below."""
    heads = ["mean F1", *(f"`{m}` {k}" for m in MECHANISMS for k in KINDS)]
    lines = [_line(heads), _line(["---"] * len(heads))]
    cells = [(m, k) for m in MECHANISMS for k in KINDS]
    for name in _present(frame):
        rows = frame[frame["algorithm"] == name]
        of_cell = [
            rows[(rows["mechanism"] == m) & (rows["kind"] == k)]["f1"].mean() for m, k in cells
        ]
        lines.append(_line([f"`{name}`", *(f"{mean:.2f}" for mean in of_cell)]))
    for name, word in SORTABILITIES.items():
        of_cell = [_data_sets(frame, m, k)[name].mean() for m, k in cells]
        lines.append(_line([f"{word}-sortability", *(f"{mean:.2f}" for mean in of_cell)]))
    return "".join(lines)


def sentences(analysis: Analysis) -> str:
    """Return what the report says of the schemes and of the algorithms."""
    of_schemes = [finding.text for finding in analysis.findings.schemes.values()]
    of_algorithms = [
        finding.text
        for row in analysis.matrix.rows
        if row.algorithm in ALGORITHMS
        for finding in row.statements
    ]
    return "".join(f"- {one}\n" for one in (analysis.headline, *of_schemes, *of_algorithms))


def counts(analyses: Sequence[Analysis]) -> str:
    """Return how many runs there are and which did not end well."""
    lines = []
    for analysis in analyses:
        frame, finished = analysis.table.frame, rows_of(analysis)
        lost = frame[frame["status"] != "ok"]
        lines.append(
            f"- {frame['graph.n_nodes'].iloc[0]} nodes, "
            f"{counted(frame['graph.edges_per_node'].iloc[0], 'edge')} per node: "
            f"{finished['replicate'].nunique()} instances in each cell, "
            f"{len(frame)} runs with the baselines, {len(lost)} of them without a graph.\n"
        )
    return "".join(lines)


def picture(frame: pd.DataFrame) -> str:
    """Return the dots of F1, and below those of the sortabilities, as SVG."""
    scored = [
        _mark(mechanism, kind, name, rows["f1"])
        for (mechanism, kind, name), rows in frame.groupby(["mechanism", "kind", "algorithm"])
    ]
    measured = [
        _mark(mechanism, kind, word, _data_sets(frame, mechanism, kind)[name])
        for mechanism in MECHANISMS
        for kind in KINDS
        for name, word in SORTABILITIES.items()
    ]
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "vconcat": [
            _panels(scored, _present(frame), "mean F1", 10, chance=None),
            _panels(measured, list(SORTABILITIES.values()), "sortability", 10, chance=0.5),
        ],
        "config": {"aria": False},
    }
    return static_svg(spec, ALT, on_paper=True)


def _panels(
    values: list[dict[str, Any]], order: list[str], title: str, step: int, chance: float | None
) -> dict[str, Any]:
    y = {"field": "name", "type": "nominal", "sort": order, "title": None}
    x = {"type": "quantitative", "scale": {"domain": [0, 1]}, "title": title}
    legend = {"legend": {"title": None} if chance is None else None}
    kind = {"field": "kind", "type": "nominal", "sort": list(KINDS)}
    colour = kind | {"scale": {"domain": list(KINDS), "range": list(COLOURS[:3])}} | legend
    shape = kind | {"scale": {"domain": list(KINDS)}} | legend
    layers: list[dict[str, Any]] = [
        {
            "mark": {"type": "rule"},
            "encoding": {
                "y": y,
                "yOffset": kind,
                "x": x | {"field": "low"},
                "x2": {"field": "high"},
                "color": colour,
            },
        },
        {
            "mark": {"type": "point", "filled": True, "size": 35},
            "encoding": {
                "y": y,
                "yOffset": kind,
                "x": x | {"field": "mean"},
                "color": colour,
                "shape": shape,
            },
        },
    ]
    if chance is not None:
        rule = {"mark": {"type": "rule", "strokeDash": [3, 3]}, "encoding": {"x": {"datum": 0.5}}}
        layers.insert(0, rule)
    return {
        "data": {"values": values},
        "facet": {
            "column": {
                "field": "mechanism",
                "type": "nominal",
                "sort": list(MECHANISMS),
                "title": None,
            }
        },
        "spec": {"width": 175, "height": {"step": step}, "layer": layers},
    }


def _mark(mechanism: str, kind: str, name: str, values: pd.Series) -> dict[str, Any]:
    low, high = _ends_of_share(values)
    ends = {"mean": round(values.mean(), 3), "low": round(low, 3), "high": round(high, 3)}
    return {"mechanism": mechanism, "kind": kind, "name": name, **ends}


def _data_sets(frame: pd.DataFrame, mechanism: str, kind: str) -> pd.DataFrame:
    """Return one row of each data set."""
    rows = frame[(frame["mechanism"] == mechanism) & (frame["kind"] == kind)]
    return rows.drop_duplicates("replicate")


def _present(frame: pd.DataFrame) -> list[str]:
    return [name for name in ALGORITHMS if (frame["algorithm"] == name).any()]


def _half_width(values: pd.Series) -> float:
    """Return half of the 95 % interval of a mean over instances, by Student's law."""
    n = values.count()
    return float(student.ppf(0.975, n - 1) * values.std(ddof=1) / np.sqrt(n))


def _ends_of_share(values: pd.Series) -> tuple[float, float]:
    """Return the interval of a mean of numbers from 0 to 1, cut off at these."""
    mean, half = values.mean(), _half_width(values)
    return max(0.0, mean - half), min(1.0, mean + half)


def _share(values: pd.Series) -> str:
    low, high = _ends_of_share(values)
    return f"{values.mean():.2f} [{low:.2f}, {high:.2f}]"


def _difference(values: pd.Series) -> str:
    mean, half = values.mean(), _half_width(values)
    return f"{mean:+.2f} [{mean - half:.2f}, {mean + half:.2f}]"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def main(folder: str) -> None:
    """Write the parts of the page and the picture."""
    analyses = [read(Path(folder) / f"nonlinear-algorithms{part}-results") for part in STUDIES]
    small, large, sparse = map(rows_of, analyses)
    parts = {
        "scores": scores(small),
        "sortabilities": sortabilities(small),
        "leads": leads(small),
        "large": means(large),
        "sparse": means(sparse),
        "sentences": sentences(analyses[0]),
        "counts": counts(analyses),
    }
    text = PAGE.read_text(encoding="utf-8")
    written = _PART.sub(lambda part: part[1] + parts[part[2]] + part[3], text)
    PAGE.write_text(written, encoding="utf-8")
    PICTURE.write_text(f"{picture(small)}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
