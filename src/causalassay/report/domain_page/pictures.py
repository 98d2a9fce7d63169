"""Pictures of an evaluation: scores of all graphs by each measure, and effects as a heat map."""

from __future__ import annotations

import math

from causalassay.auditing.pictures.plot import (
    FALLING,
    RISING,
    WIDTH,
    Axis,
    bottom_axis,
    dot,
    line,
    svg,
    text,
)
from causalassay.drawing.svg import LETTER
from causalassay.factorial import Evaluation, ScoreRow
from causalassay.factorial.truth import ALPHA
from causalassay.notebook import escaped
from causalassay.report.domain_page.labels import in_lines

TOP, ROW = 44, 30
LINE_HIGH = 13
LEFT, RIGHT = 188, WIDTH - 46
"""Of the axis: names stand on its left, numbers on its right."""
NAMES, CELL = 112, 41
GRAPH_ROOM, TREATMENT_ROOM = (27, 2), (15, 3)
"""For the name of a graph and of a treatment: letters and lines."""
OUTCOME_LETTERS = 20

TITLES = {
    "TV": "Total variation from the experiment",
    "SHD": "SHD from the consistent graph",
    "SID": "SID from the consistent graph",
}


def score_picture(result: Evaluation, measure: str) -> str:
    """Return all graphs by one measure, in the order of total variation, with intervals.

    Parameters
    ----------
    result : Evaluation
    measure : {"TV", "SHD", "SID"}
    """
    by_tv = sorted(
        (row for row in result.rows if row.mean("TV").n), key=lambda row: row.mean("TV").value
    )
    shown = [row for row in by_tv if row.mean(measure).n]
    means = [row.mean(measure) for row in shown]
    ends = [one.value if math.isnan(one.high) else one.high for one in means]
    x = Axis(0.0, max([*ends, 1e-9]) * 1.06, LEFT, RIGHT)
    bottom = TOP + ROW * len(by_tv)
    parts = [
        text(0, 14, TITLES[measure], bold=True),
        text(0, 32, "mean over repeats and its 95 % interval; blue: an algorithm"),
        *bottom_axis(x, bottom, TOP),
    ]
    for place, row in enumerate(by_tv):
        parts += _score(row, measure, x, TOP + ROW * place)
    return svg(bottom + 22, parts, f"{TITLES[measure]}: {_in_words(shown, measure)}")


def _score(row: ScoreRow, measure: str, x: Axis, top: float) -> list[str]:
    mean = row.mean(measure)
    colour = FALLING if row.role == "algorithm" else "currentColor"
    y = top + ROW / 2
    parts = _name(row.name, LEFT - 12, y + 4, GRAPH_ROOM, colour)
    if math.isnan(mean.value):
        return [*parts, text(x.start + 4, y + 4, "no graph")]
    digits = 2 if measure == "TV" else 1
    value = f"{mean.value:.{digits}f}"
    words = f"{row.name}: {value}"
    parts.append(text(WIDTH - 2, y + 4, value, anchor="end", colour=colour))
    if not math.isnan(mean.low):
        parts.append(line([(x(mean.low), y), (x(mean.high), y)], colour=colour, width=2.5))
        words += f", 95 % {mean.low:.{digits}f} to {mean.high:.{digits}f}"
    return [*parts, dot(x(mean.value), y, words, colour=colour, hollow=row.role != "algorithm")]


def _name(
    name: str, right: float, y: float, room: tuple[int, int], colour: str = "currentColor"
) -> list[str]:
    """Return a name that ends at the right, in several lines where it is long."""
    lines = in_lines(name, *room)
    first = y - LINE_HIGH * (len(lines) - 1) / 2
    return [
        text(right, first + LINE_HIGH * k, one, anchor="end", colour=colour)
        for k, one in enumerate(lines)
    ]


def _in_words(rows: list[ScoreRow], measure: str) -> str:
    return ", ".join(f"{row.name} {row.mean(measure).value:.2f}" for row in rows)


def effect_picture(result: Evaluation) -> str:
    """Return how far each treatment moves each outcome, as a heat map with numbers."""
    truth = result.truth
    own = truth.experiment
    effects, moved = truth.effects, truth.p_values <= ALPHA
    most = max(float(effects.max()), 1e-9)
    wide = (WIDTH - NAMES) / len(own.outcomes)
    most_lines = max(1, int(wide // (LINE_HIGH + 1)))
    labels = [in_lines(name, OUTCOME_LETTERS, most_lines) for name in own.outcomes]
    head = TOP + 8 + LETTER * max(len(one) for label in labels for one in label)
    parts = [
        text(0, 14, "What each treatment does to each outcome", bold=True),
        text(0, 32, "TV between last and first level; star: it moves it (test)"),
    ]
    for k, label in enumerate(labels):
        first = NAMES + wide * (k + 0.5) + 4 - LINE_HIGH * (len(label) - 1) / 2
        for place, one in enumerate(label):
            parts.append(text(first + LINE_HIGH * place, head - 6, one, turned=True))
    for j, name in enumerate(own.treatments):
        y = head + CELL * j
        parts += _name(name, NAMES - 8, y + CELL / 2 + 4, TREATMENT_ROOM)
        for k, outcome in enumerate(own.outcomes):
            value = float(effects[j, k])
            title = f"{name} → {outcome}: TV {value:.3f}, p-value {truth.p_values[j, k]:.2g}"
            left = NAMES + wide * k
            parts.append(_cell(left, y, wide, value / most, title))
            star = "*" if moved[j, k] else ""
            middle = left + wide / 2
            parts.append(text(middle, y + CELL / 2 + 4, f"{value:.3f}{star}", anchor="middle"))
    return svg(
        head + CELL * len(own.treatments) + 8, parts, "Effects of the treatments on the outcomes"
    )


def _cell(left: float, top: float, wide: float, share: float, title: str) -> str:
    return (
        f"<g><title>{escaped(title)}</title>"
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{wide - 2:.1f}" height="{CELL - 2}" '
        f'fill="{RISING}" fill-opacity="{0.04 + 0.56 * share:.2f}"/></g>'
    )
