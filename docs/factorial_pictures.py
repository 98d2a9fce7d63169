"""Draws images/factorial.svg and images/jdk.svg: python docs/factorial_pictures.py FOLDER.

FOLDER has jdk-results.csv. The second picture has the numbers of `causalassay domain jdk`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from causalassay.discovery import make_algorithm
from causalassay.lab.factorial import charts, evaluate, read_jdk
from causalassay.present.charts import static_svg
from causalassay.present.colours import light

IMAGES = Path(__file__).parent / "images"
INK, LINE, WASH, PAPER = light("page ink", "page soft", "page wash", "page paper")
(BLUE,) = light("falling")
STEPS = (
    ("Experiment", ("every subject under", "every combination,", "several trials")),
    ("Bias (Algorithm 1)", ("a covariate makes", "treatments likely;", "one row per subject")),
    ("Learn", ("an algorithm finds", "a graph from these", "rows alone")),
    ("Fit", ("tables or a linear", "model on the graph,", "from the same rows")),
    ("Set treatments", ("the model's laws of", "the outcomes under", "each treatment")),
)
BOX, GAP, TOP = 148, 22, 12


def flow() -> str:
    """Return the way from an experiment to a total variation."""
    width = len(STEPS) * (BOX + GAP) - GAP + 24
    parts = []
    for place, (title, lines) in enumerate(STEPS):
        x = 12 + place * (BOX + GAP)
        parts.append(_box(x, TOP, title, lines))
        if place:
            parts.append(_arrow((x - GAP, TOP + 45), (x - 3, TOP + 45)))
    first, last = 12 + BOX / 2, width - 12 - BOX / 2
    low = TOP + 128
    parts += [
        _path([(first, TOP + 90), (first, low), (width / 2 - 158, low)]),
        _path([(last, TOP + 90), (last, low), (width / 2 + 158, low)]),
        f'<rect x="{width / 2 - 155}" y="{low - 20}" width="310" height="40" rx="6" fill="none" '
        f'stroke="{BLUE}" stroke-width="2"/>',
        _text(width / 2, low + 5, "total variation, summed over all pairs", "middle", bold=True),
        _text(first + 8, low - 8, "true laws", "start"),
        _text(last - 8, low - 8, "predicted laws", "end"),
    ]
    return _svg(width, low + 34, parts, "From a factorial experiment to a total variation")


def _box(x: float, y: float, title: str, lines: tuple[str, ...]) -> str:
    rect = f'<rect x="{x}" y="{y}" width="{BOX}" height="90" rx="6" fill="{WASH}" stroke="{LINE}"/>'
    texts = [_text(x + BOX / 2, y + 20, title, "middle", bold=True)]
    texts += [_text(x + BOX / 2, y + 40 + 17 * k, one, "middle") for k, one in enumerate(lines)]
    return rect + "".join(texts)


def _text(x: float, y: float, words: str, anchor: str, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{INK}"{weight}>{words}</text>'


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> str:
    return _path([start, end])


def _path(points: list[tuple[float, float]]) -> str:
    way = "M" + "L".join(f"{x} {y}" for x, y in points)
    return f'<path d="{way}" fill="none" stroke="{LINE}" stroke-width="1.5" marker-end="url(#a)"/>'


def _svg(width: float, height: float, parts: list[str], title: str) -> str:
    head = (
        '<defs><marker id="a" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
        f'<path d="M0 0L8 4L0 8z" fill="{LINE}"/></marker></defs>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" font-size="13" '
        f'color="{INK}"><title>{title}</title><rect width="100%" height="100%" fill="{PAPER}"/>'
        f"{head}{''.join(parts)}</svg>\n"
    )


def jdk(folder: str) -> str:
    """Return the pictures of the page of `domain jdk`, two by two."""
    algorithms = {name: make_algorithm(name) for name in ("pc", "mmhc")}
    algorithms["ges"] = make_algorithm("ges", penalty_discount=1.0)
    result = evaluate(read_jdk(folder), algorithms, n_look_alikes=0)
    specs = [charts.scores(result.rows, measure) for measure in charts.TITLES]
    drawn = [static_svg(spec, "") for spec in (*specs, charts.effects(result.truth))]
    heights = [int(re.search(r'height="(\d+)"', one)[1]) for one in drawn]  # type: ignore[index]
    row = max(heights[:2]) + 24
    places = [(12, 12), (436, 12), (12, row), (436, row)]
    parts = [
        one.replace("<svg ", f'<svg x="{x}" y="{y}" ', 1)
        for one, (x, y) in zip(drawn, places, strict=True)
    ]
    return _svg(848, row + max(heights[2:]) + 12, parts, "What graphs reach on JDK")


if __name__ == "__main__":
    (IMAGES / "factorial.svg").write_text(flow(), encoding="utf-8")
    (IMAGES / "jdk.svg").write_text(jdk(sys.argv[1]), encoding="utf-8")
