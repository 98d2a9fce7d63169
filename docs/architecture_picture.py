"""Draws docs/images/architecture.svg: the rooms in the order of the import contract.

python docs/architecture_picture.py
"""

from __future__ import annotations

import tomllib
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "images" / "architecture.svg"

ROOMS = {
    "common": ("arrays, seeding, files,", "names, kernels"),
    "processes": ("a call under limits,", "blind; it survives it"),
    "environments": ("packages of others,", "each by itself"),
    "graphs": ("DAGs, CPDAGs, orders,", "separation, files"),
    "present": ("documents, renderers,", "charts, drawings"),
    "models": ("linear, nonlinear,", "discrete, series"),
    "data": ("data sets, regimes,", "problems, files"),
    "contracts": ("the protocols of", "every plug-in kind"),
    "diagnostics": ("sortabilities, R², bounds", ""),
    "discovery": ("the algorithms;", "they never see the truth"),
    "metrics": ("estimate against truth", ""),
    "resampling": ("how often each edge", "is found again"),
    "testing": ("conformance checks", "for plug-ins"),
    "judging": ("numbers to findings,", "by rules with names"),
    "auditing": ("one data set against", "the sorting baselines"),
    "risk": ("estimates against", "experiments; choose"),
    "study": ("enumerate, run,", "store, resume"),
    "analysis": ("rows to scores, verdict,", "the page of a study"),
    "lab": ("hall, papers, factorial,", "live systems, bundles"),
    "cli": ("parses and prints", ""),
}
"""What is in each room, on two lines. The test compares the names with the contract."""

WIDTH, HEIGHT, GAP, COLUMNS = 150, 66, 26, 5
PITCH = HEIGHT + 10
"""From the top of a box to the top of the one below, in the same layer."""


def layers() -> list[list[str]]:
    """Return the layers of the import contract, lowest first, each as its rooms."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    rows = contracts["tool"]["importlinter"]["contracts"][0]["layers"]
    return [row.split(" | ") for row in reversed(rows)]


def rooms() -> list[list[str]]:
    """Return the layers that hold rooms; single modules are drawn nowhere."""
    kept = [[name for name in layer if name in ROOMS] for layer in layers()]
    return [layer for layer in kept if layer]


def picture() -> str:
    """Return the picture: one box per room, an arrow to each layer from the one before."""
    boxes, arrows = [], []
    columns = rooms()
    top, above = 14.0, 0.0
    for start in range(0, len(columns), COLUMNS):
        row = columns[start : start + COLUMNS]
        high = max(_height(layer) for layer in row)
        middle = top + high / 2
        for column, layer in enumerate(row):
            left = GAP + column * (WIDTH + GAP)
            first = middle - _height(layer) / 2
            boxes += [_box(name, left, first + k * PITCH) for k, name in enumerate(layer)]
            if column:
                arrows.append(_arrow(left - GAP, middle, left - 3, middle))
            elif start:
                arrows.append(_turn(above, top - 1.5 * GAP, middle))
        above = middle
        top += high + 3 * GAP
    height = top - 2 * GAP
    width = GAP + COLUMNS * (WIDTH + GAP)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="11">'
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" '
        'markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#555"/></marker></defs>'
        f'<rect width="{width}" height="{height}" fill="#fff"/>{"".join(arrows + boxes)}</svg>\n'
    )


def _box(name: str, left: float, top: float) -> str:
    first, second = ROOMS[name]
    x = left + WIDTH / 2
    return (
        f'<rect x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}" rx="6" fill="#eef3f7" '
        f'stroke="#44617b"/><text x="{x}" y="{top + 20}" text-anchor="middle" font-size="14" '
        f'font-weight="bold" fill="#1d3345">{name}</text>'
        f'<text x="{x}" y="{top + 39}" text-anchor="middle" fill="#333">{escape(first)}</text>'
        f'<text x="{x}" y="{top + 54}" text-anchor="middle" fill="#333">{escape(second)}</text>'
    )


def _arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    return (
        f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#555" stroke-width="1.4" '
        'marker-end="url(#tip)"/>'
    )


def _turn(above: float, between: float, middle: float) -> str:
    """Return the line from the end of a row of boxes to the beginning of the next."""
    right = GAP + COLUMNS * WIDTH + (COLUMNS - 1) * GAP
    path = f"M{right} {above}H{right + GAP / 2}V{between}H{GAP / 2}V{middle}H{GAP - 3}"
    return f'<path d="{path}" fill="none" stroke="#555" stroke-width="1.4" marker-end="url(#tip)"/>'


def _height(layer: list[str]) -> float:
    return len(layer) * PITCH - (PITCH - HEIGHT)


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
