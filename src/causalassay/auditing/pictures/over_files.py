"""What sorting reaches on each of several files, and how sortable they are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from causalassay.auditing.order_evidence import Measured, random_f1
from causalassay.auditing.pictures.plot import (
    FALLING,
    RISING,
    WIDTH,
    Axis,
    bottom_axis,
    dot,
    left_axis,
    line,
    svg,
    text,
)

if TYPE_CHECKING:
    from causalassay.auditing.result import Audit

LEFT, RIGHT, TOP, SIDE = 46, WIDTH - 24, 48, 260
ROW = 46


def reached_by_file(
    audits: Mapping[str, Audit], measured: Mapping[str, Measured], word: str
) -> str:
    """Return the F1 along a statistic against that of random orders, two points for each file.

    Parameters
    ----------
    audits : mapping of str to Audit
    measured : mapping of str to Measured
        Of the files that could be tested.
    word : str
        What the picture calls the statistic.
    """
    x, y = Axis(0.0, 1.0, LEFT, RIGHT), Axis(0.0, 1.0, TOP + SIDE, TOP)
    title = f"F1 along {word}, against random orders"
    parts = [
        text(0, 14, title, bold=True),
        text(0, 32, "rising", colour=RISING),
        text(44, 32, "falling", colour=FALLING),
        text(95, 32, "one point per file; above the line is better"),
        *left_axis(y, LEFT, RIGHT),
        *bottom_axis(x, TOP + SIDE, TOP),
        line([(x(0), y(0)), (x(1), y(1))], opacity="0.6", dashes="4 3"),
    ]
    for name, numbers in measured.items():
        base = random_f1(audits[name])
        for colour, gain, hollow in ((FALLING, numbers[6], True), (RISING, numbers[5], False)):
            said = f"{name}: F1 {base + gain:.2f}, random orders {base:.2f}"
            parts.append(dot(x(base), y(base + gain), said, colour=colour, hollow=hollow))
    parts.append(text((LEFT + RIGHT) / 2, TOP + SIDE + 32, "random orders (mean)", anchor="middle"))
    return svg(TOP + SIDE + 40, parts, f"{title}, {len(measured)} files")


def sortability_by_file(measured: Mapping[str, Mapping[str, Measured]]) -> str:
    """Return the sortability of each file by each statistic, with the means.

    Parameters
    ----------
    measured : mapping of str to mapping
        By the word of the statistic, then by file.
    """
    x = Axis(0.0, 1.0, 8, WIDTH - 12)
    bottom = TOP + ROW * len(measured)
    title = "Sortability of each file"
    parts = [
        text(0, 14, title, bold=True),
        text(0, 32, "1/2 is chance; the bar is the mean"),
        *bottom_axis(x, bottom, TOP - 4),
        line([(x(0.5), TOP - 4), (x(0.5), bottom)], opacity="0.6", dashes="4 3"),
    ]
    for place, (word, files) in enumerate(measured.items()):
        y = TOP + ROW * place + 28
        values = {name: one[0] for name, one in files.items() if not math.isnan(one[0])}
        if not values:
            continue
        mean = sum(values.values()) / len(values)
        parts += [
            text(8, y - 14, word),
            text(WIDTH - 12, y - 14, f"mean {mean:.2f}", anchor="end"),
            *(
                dot(x(value), y, f"{name}: {value:.2f}", colour=FALLING, hollow=True)
                for name, value in values.items()
            ),
            line([(x(mean), y - 9), (x(mean), y + 9)], colour=RISING, width=3),
        ]
    return svg(bottom + 22, parts, title)
