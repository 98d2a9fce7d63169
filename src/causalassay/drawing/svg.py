"""Three drawings of a graph as SVG: in layers, on a circle, as a matrix."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from causalassay.arrays import Adjacency, Vector
from causalassay.drawing.circle import circle_order
from causalassay.drawing.labels import shortened, width
from causalassay.drawing.layers import Layers, layers_of
from causalassay.graphs.orders import is_dag, topological_order
from causalassay.notebook import escaped

# Readable on white and on dark pages: what is written in ink stands on a light ground of its
# own, and what stands on the page's ground has the page's colour of text.
INK, LINE, GROUND, RIM = "#1f2933", "#7b8794", "#e8eef4", "#52606d"

BOX_HEIGHT = 24
ROW = 36
GAP = 54
"""Between two columns of boxes."""
MARGIN = 8
HEAD = 8
"""Length of an arrowhead."""
DOT = 5
BEND = 0.15
"""How far an edge that has dots beside it is bent: 0 is straight, 2 through the middle."""
MATRIX = 360
"""Side of the picture of a matrix, in pixels."""
MOST_CELLS = 120
"""Of a side of that picture; a larger graph has several nodes in a cell."""

THIN = 1.3
"""Of a line that stands for no share."""
THINNEST, THICKEST = 0.6, 3.4
"""Of lines that stand for the shares 0 and 1."""
FAINTEST = 0.25
"""Opacity of a line that stands for the share 0."""
ROOM = 1.6
"""How much larger the circle is where lines are thick."""

Point = tuple[float, float]
Shares = NDArray[np.float64] | None
"""Of each edge i→j or i—j, shape (d, d): thicker lines for larger shares; nan is not known."""


def layered_picture(
    dag: Adjacency, names: Sequence[str], caption: str, shares: Shares = None
) -> str:
    """Return a DAG in columns from left to right, every edge pointing to the right."""
    layers = layers_of(dag)
    labels = [shortened(name) for name in names]
    widths = [max(width(label) + 12, 26) for label in labels]
    left, right = _columns(layers, widths)
    column_of = {item: k for k, column in enumerate(layers.columns) for item in column}
    centre = MARGIN + BOX_HEIGHT / 2 + ROW * layers.height
    ports = _ports(layers, centre)
    middle = [(left[column_of[node]] + right[column_of[node]]) / 2 for node in range(len(dag))]
    parts = []
    for (i, j), route in layers.routes.items():
        start, stop = ports[i, j]
        bends = [(side[column_of[k]], centre[k]) for k in route[1:-1] for side in (left, right)]
        points = [
            (middle[i] + widths[i] / 2, centre[i] + start),
            *bends,
            (middle[j] - widths[j] / 2, centre[j] + stop),
        ]
        share = share_of(shares, i, j)
        parts.append(_arrow_rightwards(points, f"{names[i]} → {names[j]}", share))
    for node, label in enumerate(labels):
        parts.append(_box((middle[node], centre[node]), widths[node], label, names[node]))
    size = (right[-1] + MARGIN, float(centre.max()) + BOX_HEIGHT / 2 + MARGIN)
    return _svg(*_with_legend(size, parts, shares), caption)


def _columns(layers: Layers, widths: Sequence[float]) -> tuple[list[float], list[float]]:
    """Return where each column begins and ends."""
    left, right = [], []
    x = float(MARGIN)
    for column in layers.columns:
        left.append(x)
        x += max(widths[item] for item in column if item < len(widths))
        right.append(x)
        x += GAP
    return left, right


def _ports(layers: Layers, centre: Vector) -> dict[tuple[int, int], tuple[float, float]]:
    """Return how far from the middle of its boxes each edge begins and ends.

    Edges at one side of a box are spread in the order of where they come from or
    go to, so that their ends neither merge nor cross.
    """
    offsets = {edge: [0.0, 0.0] for edge in layers.routes}
    for end in (0, 1):
        beside: dict[int, list[tuple[float, tuple[int, int]]]] = {}
        for edge, route in layers.routes.items():
            beside.setdefault(edge[end], []).append((centre[route[1 if end == 0 else -2]], edge))
        for edges in beside.values():
            step = min(6.0, (BOX_HEIGHT - 8) / max(len(edges) - 1, 1))
            for k, (_, edge) in enumerate(sorted(edges)):
                offsets[edge][end] = step * (k - (len(edges) - 1) / 2)
    return {edge: (start, stop) for edge, (start, stop) in offsets.items()}


def _arrow_rightwards(points: Sequence[Point], title: str, share: float) -> str:
    """Return a curve that leaves and enters everything horizontally, with its head."""
    x, y = points[-1]
    stops = [*points[:-1], (x - HEAD, y)]
    path = f"M{_xy(stops[0])}"
    for (x0, y0), (x1, y1) in zip(stops, stops[1:], strict=False):
        half = (x0 + x1) / 2
        path += f"C{_xy((half, y0))} {_xy((half, y1))} {_xy((x1, y1))}"
    wide = _thickness(share)
    return _edge(title, share, _line(path, wide), _head((x, y), 0.0, wide))


def circle_picture(
    graph: Adjacency, names: Sequence[str], caption: str, shares: Shares = None
) -> str:
    """Return a graph on a circle with straight edges, undirected ones without a head."""
    d = len(graph)
    labels = [shortened(name) for name in names]
    # Sideways names overlap where nodes are many; names along the radius never do.
    radial = d > 12 and max(map(len, labels)) > 3
    radius = max(60.0, 38 * d / (2 * math.pi), 56 * min(d, 12) / (2 * math.pi))
    radius *= 1.0 if shares is None else ROOM
    reach = max(map(width, labels)) + DOT + 6
    sideways, upwards = radius + reach, radius + (reach if radial else 22)
    angle = {node: 2 * math.pi * k / d - math.pi / 2 for k, node in enumerate(circle_order(graph))}
    point_of = {
        node: (MARGIN + sideways + radius * math.cos(a), MARGIN + upwards + radius * math.sin(a))
        for node, a in angle.items()
    }
    parts = []
    middle = (MARGIN + sideways, MARGIN + upwards)
    for i, j in np.argwhere(graph).tolist():
        beside = abs(math.remainder(angle[i] - angle[j], 2 * math.pi)) < 2 * math.pi / d + 1e-9
        if not graph[j, i] or i < j:
            mark = "—" if graph[j, i] else "→"
            bend = _between(point_of[i], point_of[j], middle, 0.0 if beside else BEND)
            share = share_of(shares, i, j)
            ends = (point_of[i], bend, point_of[j])
            title = f"{names[i]} {mark} {names[j]}"
            parts.append(_chord(ends, title, share, head=not graph[j, i]))
    for node, point in point_of.items():
        parts.append(_dot(point, angle[node], labels[node], names[node], radial=radial))
    return _svg(*_with_legend((2 * middle[0], 2 * middle[1]), parts, shares), caption)


def _between(start: Point, end: Point, middle: Point, share: float) -> Point:
    """Return the midpoint of start and end, moved by a share towards the middle."""
    half = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    return half[0] + share * (middle[0] - half[0]), half[1] + share * (middle[1] - half[1])


def _chord(ends: tuple[Point, Point, Point], title: str, share: float, *, head: bool) -> str:
    """Return an edge from the first to the last of three points, bent towards the other."""
    start, bend, end = ends
    leaving, arriving = _angle(start, bend), _angle(bend, end)
    tip = _moved(end, arriving, -DOT - 1.0)
    stop = _moved(tip, arriving, -HEAD) if head else end
    path = f"M{_xy(_moved(start, leaving, DOT))}Q{_xy(bend)} {_xy(stop)}"
    wide = _thickness(share)
    arrow = _head(tip, arriving, wide) if head else ""
    return _edge(title, share, _line(path, wide), arrow)


def _angle(start: Point, end: Point) -> float:
    return math.atan2(end[1] - start[1], end[0] - start[0])


def _dot(point: Point, angle: float, label: str, name: str, *, radial: bool) -> str:
    """Return a node as a dot with its label outside the circle."""
    rightwards = math.cos(angle)
    x, y = _moved(point, angle, DOT + 5.0)
    turn = ""
    if radial:
        anchor = "start" if rightwards >= 0 else "end"
        degrees = math.degrees(angle) + (0 if rightwards >= 0 else 180)
        turn = f' transform="rotate({degrees:.1f} {_xy((x, y))})"'
    elif abs(rightwards) < 0.2:
        anchor = "middle"
        y += 4 * math.sin(angle)
    else:
        anchor = "start" if rightwards > 0 else "end"
    text = (
        f'<text x="{x:.1f}" y="{y:.1f}" dy="0.35em" text-anchor="{anchor}" '
        f'fill="currentColor"{turn}>{escaped(label)}</text>'
    )
    circle = f'<circle cx="{point[0]:.1f}" cy="{point[1]:.1f}" r="{DOT}" fill="{RIM}"/>'
    return f"<g>{_title(name)}{circle}{text}</g>"


def matrix_picture(graph: Adjacency, names: Sequence[str], caption: str) -> str:
    """Return the adjacency matrix, a square for each edge from the row to the column.

    The nodes of a DAG are in a topological order, so that all squares are above the
    diagonal; those of another graph are in their own.
    """
    order = topological_order(graph) if is_dag(graph) else np.arange(len(graph))
    cells, nodes_a_cell = _condensed(graph[np.ix_(order, order)])
    side = MATRIX / len(cells)
    path = "".join(
        f"M{_xy((MARGIN + side * start, MARGIN + side * row))}h{side * length:.1f}v{side:.1f}"
        f"h{-side * length:.1f}z"
        for row, start, length in _runs(cells)
    )
    square = (
        f'<rect x="{MARGIN}" y="{MARGIN}" width="{MATRIX}" height="{MATRIX}" fill="{GROUND}" '
        f'stroke="{RIM}"/>'
    )
    words = "rows to columns" + (", causes first" if is_dag(graph) else "")
    if nodes_a_cell > 1:
        words += f"; a square stands for {nodes_a_cell} × {nodes_a_cell} nodes"
    below = (
        f'<text x="{MARGIN}" y="{MATRIX + MARGIN + 18}" fill="currentColor">{escaped(caption)}: '
        f"{escaped(words)}</text>"
    )
    first, last = names[int(order[0])], names[int(order[-1])]
    title = f"{caption}; from {first} to {last}"
    parts = [square, f'<path d="{path}" fill="{INK}"/>', below]
    wide = max(MATRIX, width(f"{caption}: {words}"))
    return _svg((wide + 2 * MARGIN, MATRIX + 2 * MARGIN + 24), parts, title)


def _condensed(graph: Adjacency) -> tuple[Adjacency, int]:
    """Return the matrix with at most `MOST_CELLS` rows, and how many nodes a row stands for."""
    nodes = -(-len(graph) // MOST_CELLS)
    n_cells = -(-len(graph) // nodes)
    padded = np.zeros((n_cells * nodes, n_cells * nodes), dtype=bool)
    padded[: len(graph), : len(graph)] = graph
    cells: Adjacency = np.any(padded.reshape(n_cells, nodes, n_cells, nodes), axis=(1, 3))
    return cells, nodes


def _runs(cells: Adjacency) -> Iterable[tuple[int, int, int]]:
    """Yield the row, the start and the length of each run of cells that are set."""
    for row, line in enumerate(cells):
        change = np.flatnonzero(np.diff(np.concatenate([[0], line.astype(np.int8), [0]])))
        for start, stop in change.reshape(-1, 2).tolist():
            yield row, start, stop - start


def _svg(size: tuple[float, float], parts: Iterable[str], title: str) -> str:
    wide, high = (math.ceil(side) for side in size)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{wide}" height="{high}" '
        f'viewBox="0 0 {wide} {high}" font-family="sans-serif" font-size="12">'
        f"{_title(title)}{''.join(parts)}</svg>"
    )


def _box(middle: Point, wide: float, label: str, name: str) -> str:
    x, y = middle
    rect = (
        f'<rect x="{x - wide / 2:.1f}" y="{y - BOX_HEIGHT / 2:.1f}" width="{wide:.1f}" '
        f'height="{BOX_HEIGHT}" rx="6" fill="{GROUND}" stroke="{RIM}"/>'
    )
    text = (
        f'<text x="{x:.1f}" y="{y:.1f}" dy="0.35em" text-anchor="middle" fill="{INK}">'
        f"{escaped(label)}</text>"
    )
    return f"<g>{_title(name)}{rect}{text}</g>"


def _head(tip: Point, angle: float, wide: float = THIN) -> str:
    side = max(3.5, wide + 1.5)
    back = [_moved(_moved(tip, angle, -HEAD), angle + math.pi / 2, by) for by in (-side, side)]
    points = " ".join(map(_xy, [tip, *back]))
    return f'<polygon points="{points}" fill="{LINE}"/>'


def _line(path: str, wide: float = THIN) -> str:
    return f'<path d="{path}" fill="none" stroke="{LINE}" stroke-width="{wide:.1f}"/>'


def _edge(title: str, share: float, line: str, head: str) -> str:
    """Return an edge with its title, the fainter the smaller its share is."""
    faint = "" if math.isnan(share) else f' opacity="{FAINTEST + (1 - FAINTEST) * share:.2f}"'
    stated = _title(title + _percent(share)) if title else ""
    return f"<g{faint}>{stated}{line}{head}</g>"


def share_of(shares: Shares, i: int, j: int) -> float:
    """Return the share of an edge, nan where it is not known."""
    return math.nan if shares is None else float(shares[i, j])


def _thickness(share: float) -> float:
    return THIN if math.isnan(share) else THINNEST + (THICKEST - THINNEST) * share


def _percent(share: float) -> str:
    return "" if math.isnan(share) else f", {share:.0%}"


def _with_legend(
    size: tuple[float, float], parts: list[str], shares: Shares
) -> tuple[tuple[float, float], list[str]]:
    """Return size and parts with lines below the picture that say what thickness means."""
    if shares is None or bool(np.isnan(shares).all()):
        return size, parts
    y = size[1] + 10
    x = float(MARGIN)
    legend = []
    for share in (0.1, 0.5, 1.0):
        line = _line(f"M{_xy((x, y))}H{x + 24:.1f}", _thickness(share))
        label = f"{share:.0%}" if share < 1 else "100% of the bootstraps"
        legend.append(_edge("", share, line, ""))
        legend.append(
            f'<text x="{x + 29:.1f}" y="{y:.1f}" dy="0.35em" fill="currentColor">{label}</text>'
        )
        x += 46 + width(label)
    return (max(size[0], x), y + 14), [*parts, *legend]


def _moved(point: Point, angle: float, by: float) -> Point:
    return point[0] + by * math.cos(angle), point[1] + by * math.sin(angle)


def _title(text: str) -> str:
    return f"<title>{escaped(text)}</title>"


def _xy(point: Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"
