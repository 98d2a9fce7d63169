"""Three drawings of a graph as SVG: in layers, on a circle, as a matrix.

Frequencies of edges show as the thickness of lines, and as dashes where a direction is unsure.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency, Vector
from causalassay.graphs.orders import is_dag, topological_order
from causalassay.present.colours import light
from causalassay.present.drawing.layout import Layers, circle_order, layers_of
from causalassay.present.formatting import percent
from causalassay.present.markup import escaped

# Readable on white and on dark pages: what is written in ink stands on a light ground of its
# own, and what stands on the page's ground has the page's colour of text.
INK, LINE, GROUND, RIM = light("drawn ink", "drawn line", "drawn ground", "drawn rim")

BOX_HEIGHT = 24
ROW = 36
GAP = 54
"""Between two columns of boxes."""
MARGIN = 8
HEAD = 8
"""Length of an arrowhead."""
DOT = 5
DASHES = "7 4"
"""Lengths of a dash and of the gap after it."""
BEND = 0.15
"""How far an edge that has dots beside it is bent: 0 is straight, 2 through the middle."""
MATRIX = 360
"""Side of the picture of a matrix, in pixels."""
MOST_CELLS = 120
"""Of a side of that picture; a larger graph has several nodes in a cell."""

ROOM = 1.6
"""How much larger the circle is where lines are thick."""

AGREED = 0.9
"""Share of the bootstraps that join a pair, below which an edge is dashed."""

THIN = 1.3
"""Of a line that stands for no share."""
THINNEST, THICKEST = 0.6, 3.4
"""Of lines that stand for the shares 0 and 1."""
FAINTEST = 0.25
"""Opacity of a line that stands for the share 0."""

LETTER = 7.2
"""Width of a letter in pixels, generous for a sans-serif font of 12 pixels."""
MOST_LETTERS = 18

Point = tuple[float, float]


@dataclass(frozen=True)
class Stroke:
    """How one edge is drawn.

    Parameters
    ----------
    joined : float
        How often its pair is joined in any way; nan if it is not known.
    as_drawn : float
        How often it is joined as in the graph; nan if it is not known.

    Examples
    --------
    >>> unsure = Stroke(joined=1.0, as_drawn=0.5)
    >>> unsure.wide, unsure.dashed, unsure.words
    (3.4, True, ', joined 100 %, as drawn 50 %')
    """

    joined: float = math.nan
    as_drawn: float = math.nan

    @property
    def wide(self) -> float:
        """Thickness of the line."""
        known = not math.isnan(self.joined)
        return THINNEST + (THICKEST - THINNEST) * self.joined if known else THIN

    @property
    def dashed(self) -> bool:
        """Whether the bootstraps that join the pair often do it otherwise."""
        return self.as_drawn < AGREED * self.joined  # False for nan

    @property
    def attributes(self) -> str:
        """Opacity, the fainter the less often the pair is joined."""
        if math.isnan(self.joined):
            return ""
        return f' opacity="{FAINTEST + (1 - FAINTEST) * self.joined:.2f}"'

    @property
    def words(self) -> str:
        """What the title of the edge adds."""
        named = (("joined", self.joined), ("as drawn", self.as_drawn))
        return "".join(f", {name} {percent(one)}" for name, one in named if not math.isnan(one))


@dataclass(frozen=True, eq=False)
class Strokes:
    """How all edges are drawn.

    Parameters
    ----------
    joined, as_drawn : ndarray, shape (d, d), optional
        As in `Stroke`.
    """

    joined: NDArray[np.float64] | None = None
    as_drawn: NDArray[np.float64] | None = None

    @property
    def known(self) -> bool:
        """Whether a share is known of any edge."""
        return self.joined is not None and not bool(np.isnan(self.joined).all())

    def of(self, i: int, j: int) -> Stroke:
        """Return how the edge from i to j is drawn."""
        each = (self.joined, self.as_drawn)
        return Stroke(*(math.nan if shares is None else float(shares[i, j]) for shares in each))


LEGEND = (
    (Stroke(0.1), percent(0.1)),
    (Stroke(0.5), percent(0.5)),
    (Stroke(1.0), f"{percent(1)} of bootstraps join it"),
)
"""Of thickness."""

DASHED = (
    Stroke(1.0, 0.0),
    f"dashed: of those, fewer than {percent(AGREED)} as drawn",
)
"""Of dashes."""

PLAIN = Strokes()
"""Of a graph whose edges have no frequencies."""


def layered_picture(
    dag: Adjacency, names: Sequence[str], caption: str, strokes: Strokes = PLAIN
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
        title = f"{names[i]} → {names[j]}"
        parts.append(_arrow_rightwards(points, title, strokes.of(i, j)))
    for node, label in enumerate(labels):
        parts.append(_box((middle[node], centre[node]), widths[node], label, names[node]))
    size = (right[-1] + MARGIN, float(centre.max()) + BOX_HEIGHT / 2 + MARGIN)
    return _svg(*_with_legend(size, parts, strokes), caption)


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


def _arrow_rightwards(points: Sequence[Point], title: str, stroke: Stroke) -> str:
    """Return a curve that leaves and enters everything horizontally, with its head."""
    x, y = points[-1]
    stops = [*points[:-1], (x - HEAD, y)]
    path = f"M{_xy(stops[0])}"
    for (x0, y0), (x1, y1) in zip(stops, stops[1:], strict=False):
        half = (x0 + x1) / 2
        path += f"C{_xy((half, y0))} {_xy((half, y1))} {_xy((x1, y1))}"
    return _edge(title, stroke, _line(path, stroke), _head((x, y), 0.0, stroke.wide))


def circle_picture(
    graph: Adjacency, names: Sequence[str], caption: str, strokes: Strokes = PLAIN
) -> str:
    """Return a graph on a circle with straight edges, undirected ones without a head."""
    d = len(graph)
    labels = [shortened(name) for name in names]
    # Sideways names overlap where nodes are many; names along the radius never do.
    radial = d > 12 and max(map(len, labels)) > 3
    radius = max(60.0, 38 * d / (2 * math.pi), 56 * min(d, 12) / (2 * math.pi))
    radius *= ROOM if strokes.known else 1.0
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
            ends = (point_of[i], bend, point_of[j])
            title = f"{names[i]} {mark} {names[j]}"
            parts.append(_chord(ends, title, strokes.of(i, j), head=not graph[j, i]))
    for node, point in point_of.items():
        parts.append(_dot(point, angle[node], labels[node], names[node], radial=radial))
    return _svg(*_with_legend((2 * middle[0], 2 * middle[1]), parts, strokes), caption)


def _between(start: Point, end: Point, middle: Point, share: float) -> Point:
    """Return the midpoint of start and end, moved by a share towards the middle."""
    half = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    return half[0] + share * (middle[0] - half[0]), half[1] + share * (middle[1] - half[1])


def _chord(ends: tuple[Point, Point, Point], title: str, stroke: Stroke, *, head: bool) -> str:
    """Return an edge from the first to the last of three points, bent towards the other."""
    start, bend, end = ends
    leaving, arriving = _angle(start, bend), _angle(bend, end)
    tip = _moved(end, arriving, -DOT - 1.0)
    stop = _moved(tip, arriving, -HEAD) if head else end
    path = f"M{_xy(_moved(start, leaving, DOT))}Q{_xy(bend)} {_xy(stop)}"
    arrow = _head(tip, arriving, stroke.wide) if head else ""
    return _edge(title, stroke, _line(path, stroke), arrow)


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


def _head(tip: Point, angle: float, wide: float) -> str:
    side = max(3.5, wide + 1.5)
    back = [_moved(_moved(tip, angle, -HEAD), angle + math.pi / 2, by) for by in (-side, side)]
    points = " ".join(map(_xy, [tip, *back]))
    return f'<polygon points="{points}" fill="{LINE}"/>'


def _line(path: str, stroke: Stroke) -> str:
    dashes = f' stroke-dasharray="{DASHES}"' if stroke.dashed else ""
    return (
        f'<path d="{path}" fill="none" stroke="{LINE}" stroke-width="{stroke.wide:.1f}"{dashes}/>'
    )


def _edge(title: str, stroke: Stroke, line: str, head: str) -> str:
    """Return an edge with its title."""
    stated = _title(title + stroke.words) if title else ""
    return f"<g{stroke.attributes}>{stated}{line}{head}</g>"


def _with_legend(
    size: tuple[float, float], parts: list[str], strokes: Strokes
) -> tuple[tuple[float, float], list[str]]:
    """Return size and parts with lines below the picture that say what thickness means."""
    if not strokes.known:
        return size, parts
    rows = [LEGEND] if strokes.as_drawn is None else [LEGEND, (DASHED,)]
    y, widest = size[1] + 10, size[0]
    legend = []
    for row in rows:
        x = float(MARGIN)
        for stroke, label in row:
            line = _line(f"M{_xy((x, y))}H{x + 28:.1f}", stroke)
            legend.append(_edge("", stroke, line, ""))
            legend.append(
                f'<text x="{x + 33:.1f}" y="{y:.1f}" dy="0.35em" fill="currentColor">{label}</text>'
            )
            x += 50 + width(label)
        y, widest = y + 18, max(widest, x)
    return (widest, y - 4), [*parts, *legend]


def _moved(point: Point, angle: float, by: float) -> Point:
    return point[0] + by * math.cos(angle), point[1] + by * math.sin(angle)


def _title(text: str) -> str:
    return f"<title>{escaped(text)}</title>"


def _xy(point: Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"


def width(label: str) -> float:
    """Return about how many pixels a label takes.

    Examples
    --------
    >>> width("abc") < width("漢字漢")
    True
    """
    return LETTER * sum(map(_letters, label))


def shortened(name: str) -> str:
    """Return a name without its middle where it is long: its ends tell it from others.

    Examples
    --------
    >>> shortened("expression of gene A"), shortened("gene A")
    ('expressi…of gene A', 'gene A')
    """
    if sum(map(_letters, name)) <= MOST_LETTERS:
        return name
    head = _cut(name, MOST_LETTERS // 2 - 1)
    tail = _cut(name[::-1], MOST_LETTERS // 2)[::-1]
    return f"{head}…{tail}"


def _cut(text: str, most: int) -> str:
    """Return as much of the beginning of a text as fits into so many letters."""
    taken = 0
    for index, letter in enumerate(text):
        taken += _letters(letter)
        if taken > most:
            return text[:index]
    return text


def _letters(letter: str) -> int:
    """Return 2 for a letter of double width, as Chinese ones are, else 1."""
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
