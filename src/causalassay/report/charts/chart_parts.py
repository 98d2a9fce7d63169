"""What all charts are made of: data, rows of algorithms, lanes, and series with a legend."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

from causalassay.report.charts import theme


def row_height(series: int, labels: Sequence[Sequence[str]]) -> int:
    """Return the pixels of a row: of its series, or of the label with the most lines."""
    return max(series + 6, theme.LINE * max(map(len, labels), default=1) + 4)


def inline(data: pd.DataFrame) -> alt.InlineData:
    """Return a table as the data of a chart: one record of columns, which it takes apart.

    That is half the size of a record for each row.
    """
    return alt.InlineData(values=[{str(name): _plain(data[name]) for name in data}])


def finished(
    chart: Any, data: pd.DataFrame, baselines: Sequence[str] = (), **properties: Any
) -> Any:
    """Return a chart of `inline` data with the baselines' names as a parameter, and its look."""
    apart = alt.FlattenTransform(flatten=[str(name) for name in data])
    return (
        chart.add_params(alt.param(name="baselines", value=list(baselines)))
        .properties(transform=[apart], **properties)
        .configure(**theme.config())
    )


def _plain(column: pd.Series[Any]) -> list[Any]:
    """Return a column as plain values; what is not a finite number is None."""
    return [
        None if isinstance(value, float) and not math.isfinite(value) else value
        for value in column.tolist()
    ]


def tooltip(*fields: str) -> list[alt.Tooltip]:
    """Return what appears beside a mark that is pointed at."""
    return [alt.Tooltip(field=field) for field in fields]


def _names_axis(most_lines: int) -> alt.Axis:
    """Return the axis that shows algorithms: whole names, baselines marked."""
    settings: dict[str, Any] = {
        "title": None,
        "labelExpr": theme.LABEL,
        "labelLineHeight": theme.LINE,
        # The first line stands at the middle of the row; half of the others' height lifts it.
        "labelOffset": {
            "condition": [
                {"test": f"length({theme.LABEL}) == {n}", "value": (1 - n) * theme.LINE / 2}
                for n in range(2, most_lines + 1)
            ],
            "value": 0,
        },
        "ticks": False,
        "domain": False,
        "grid": True,
        "tickBand": "extent",
        "labelPadding": 6,
    }
    return alt.Axis(**settings)


def rows_of(names: Sequence[str], labels: Sequence[Sequence[str]]) -> alt.Y:
    """Return the vertical channel: a row for each algorithm, from the top; its lines of label."""
    scale = alt.Scale(paddingInner=0, paddingOuter=0)
    axis = _names_axis(max(map(len, labels), default=1))
    return alt.Y("algorithm:N", sort=list(names), axis=axis, scale=scale)


def lanes(field: str, names: Sequence[Any]) -> alt.YOffset:
    """Return the channel that puts the series of a row below each other."""
    scale = alt.Scale(paddingInner=0, paddingOuter=0.4)
    return alt.YOffset(f"{field}:N", sort=list(names), scale=scale)


@dataclass(frozen=True)
class Series:
    """What colours and shapes distinguish.

    Parameters
    ----------
    field : str
        Column.
    names : sequence
        Its values in their order.
    room : int
        Pixels that the legend may take on a narrow screen.
    title : str
        Of the legend; none if empty.
    grows : bool
        The values are sizes: from light to dark.
    """

    field: str
    names: Sequence[Any]
    room: int
    title: str = ""
    grows: bool = False

    def colour(self) -> alt.Color:
        """Return the channel of colour."""
        grown = theme.growing(len(self.names)) if self.grows else None
        return alt.Color(**self._channel(grown or theme.picked(theme.COLOURS, self.names)))

    def shape(self) -> alt.Shape:
        """Return the channel of shape."""
        return alt.Shape(**self._channel(theme.picked(theme.SHAPES, self.names)))

    def dash(self) -> alt.StrokeDash:
        """Return the channel of dashed lines."""
        return alt.StrokeDash(**self._channel(theme.picked(theme.DASHES, self.names)))

    def _channel(self, values: Sequence[Any]) -> dict[str, Any]:
        taken = round(theme.LETTER * len(self.title))
        columns = theme.legend_columns(self.names, self.room - taken)
        return {
            "shorthand": f"{self.field}:N",
            "scale": alt.Scale(domain=list(self.names), range=list(values)),
            "legend": alt.Legend(title=self.title or None, columns=columns),
        }
