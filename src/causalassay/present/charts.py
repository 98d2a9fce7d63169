"""One look for all charts, and their drawing as SVG without a browser."""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from causalassay.present.colours import GROWING, SERIES, light
from causalassay.present.markup import escaped, printable

if TYPE_CHECKING:
    import altair as alt

INK, QUIET, PAPER, GRID, FRAME = light("ink", "quiet", "paper", "grid", "frame")
COLOURS = light(*SERIES)
"""Of series."""
RISING, FALLING = light("rising", "falling")
"""Two directions, seen on white and on dark."""

FONT = "Helvetica, Arial, Liberation Sans, sans-serif"
TEXT = 12
SMALL_WIDTH = 340
"""Pixels of a chart without its labels, three of which stand beside each other on a screen."""

_POINT = re.compile(r'(<path aria-label="([^"]*)" role="graphics-symbol"[^>]*)/>')
"""A mark that has a description, which whoever points at it shall see."""


def config(ink: str = INK, paper: str | None = PAPER, grid: str = GRID) -> dict[str, Any]:
    """Return the settings of every chart.

    Parameters
    ----------
    ink : str
        The colour of texts.
    paper : str, optional
        The colour behind; None shows what is there.
    grid : str
    """
    texts = {
        "labelFontSize": TEXT,
        "titleFontSize": TEXT,
        "titleFontWeight": "normal",
        "labelColor": ink,
        "titleColor": ink,
        "labelLimit": 0,
    }
    return {
        "background": paper,
        "font": FONT,
        "view": {"stroke": FRAME if paper else grid},
        "title": {
            "anchor": "start",
            "color": ink,
            "subtitleColor": ink,
            "fontSize": TEXT + 1,
            "subtitleFontSize": TEXT,
        },
        "axis": {
            **texts,
            "gridColor": grid,
            "domainColor": QUIET,
            "tickColor": QUIET,
            "titleLimit": 0,
        },
        "legend": {
            **texts,
            "orient": "top",
            "titleOrient": "left",
            "titlePadding": 8,
            "columnPadding": 8,
            "symbolSize": 70,
            "symbolStrokeWidth": 1.5,
            "symbolOpacity": 1,
        },
        "header": {**texts},
    }


TITLE_PADDING = 10
"""Pixels between the numbers of an axis and its title."""


def static_svg(spec: dict[str, Any], alt: str, *, on_paper: bool = False) -> str:
    """Return the drawing of a chart, whose texts take the colour of what is around it.

    Only attributes of SVG are used, no styles: a page's policy forbids those. Nothing is fetched.

    Parameters
    ----------
    spec : dict
        A Vega-Lite specification; settings of its own win over those of `config`.
    alt : str
    on_paper : bool
        Whether it is for a file of its own: dark texts on white.
    """
    import vl_convert  # noqa: PLC0415  # takes a while, and most results are never drawn

    themed = config() if on_paper else config("currentColor", None, *light("grid anywhere"))
    # A browser's font may be wider than the one that is measured with.
    themed["axis"] |= {"titlePadding": TITLE_PADDING}
    stated = spec.get("config", {})
    merged = {name: _merged(themed.get(name), stated.get(name)) for name in {*themed, *stated}}
    drawn = vl_convert.vegalite_to_svg(
        printable_spec(spec | {"config": merged}), allowed_base_urls=[]
    )
    start, _, rest = _POINT.sub(r"\1><title>\2</title></path>", drawn).partition(">")
    return f'{start} overflow="visible" role="img"><title>{escaped(alt)}</title>{rest}'


def printable_spec(value: Any) -> Any:
    """Return a specification whose texts can be printed.

    At a control character, vl-convert ends the whole process.
    """
    match value:
        case str():
            return printable(value)
        case dict():
            return {name: printable_spec(part) for name, part in value.items()}
        case list() | tuple():
            return [printable_spec(part) for part in value]
        case _:
            return value


def _merged(ours: Any, theirs: Any) -> Any:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours | theirs
    return ours if theirs is None else theirs


# What charts share. Altair takes a while to import, and most results are never drawn.

INK_OF_PAGE: dict[str, Any] = {"color": "currentColor"}
UNREAD: dict[str, Any] = INK_OF_PAGE | {"aria": False}
"""A mark that only repeats what others say: no screen reader reads it."""


def lazy_chart(chart: str, *arguments: object) -> Callable[[], dict[str, Any]]:
    """Return how to draw a chart, "module:function", whose module is imported when it is drawn.

    Examples
    --------
    >>> lazy_chart("builtins:dict", {"mark": "point"})()
    {'mark': 'point'}
    """

    def draw() -> dict[str, Any]:
        module, _, function = chart.partition(":")
        spec: dict[str, Any] = getattr(import_module(module), function)(*arguments)
        return spec

    return draw


def chart_of(*rows: Mapping[str, Any], many: Iterable[Mapping[str, Any]] = ()) -> alt.Chart:
    """Return a chart without marks, of rows that stand in its specification."""
    import altair as alt  # noqa: PLC0415  # as above

    return alt.Chart(alt.InlineData(values=[*rows, *many]))


def two_colours(field: str, domain: tuple[Any, Any], colours: tuple[str, str]) -> alt.Color:
    """Return one colour for each of two values of a field, without a legend."""
    import altair as alt  # noqa: PLC0415  # as above

    return alt.Color(field, scale=alt.Scale(domain=list(domain), range=list(colours)), legend=None)


def titled_spec(
    chart: Any,
    title: str,
    subtitle: str | list[str],
    *,
    offset: int | None = None,
    **properties: Any,
) -> dict[str, Any]:
    """Return the specification of a chart with its title, and its size or padding."""
    import altair as alt  # noqa: PLC0415  # as above

    above = alt.Undefined if offset is None else offset
    heading = alt.TitleParams(title, subtitle=subtitle, offset=above)
    spec: dict[str, Any] = chart.properties(title=heading, **properties).to_dict()
    return spec


# Charts that fit the width they are given. Labels are broken into lines and never cut. A chart of
# one view says ``"width": "container"``. A chart of panels cannot, so it carries in ``usermeta``
# what fitting it needs (``series``: the names in a legend that fills the width), and is made for a
# narrow screen. The script of a page fits it as `fitted`
# does, but measures texts in the reader's font, whose widths are only estimated here.

SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left")
DASHES = ((1, 0), (6, 2), (2, 2), (6, 2, 2, 2), (10, 3), (1, 3), (4, 4))
LETTER = 6.2
"""Mean width of a letter of `TEXT` pixels in Helvetica; other fonts are wider."""
LINE = 14
LONGEST_LINE = 22
SYMBOL = 27
"""Pixels of a legend's symbol and the space around it."""
NARROW = 350
"""Pixels that a screen of 420, or a column in print, leaves to a chart at least."""
WIDEST_PANEL = 320
BETWEEN_HEADINGS = 6
"""Pixels between the headings of two panels at least."""
_BREAKS = f"(.{{1,{LONGEST_LINE}}}$|.{{1,{LONGEST_LINE - 1}}}[-_ ,;:/=)]|.{{1,{LONGEST_LINE}}})"


def growing(count: int) -> list[str]:
    """Return so many colours from light to dark."""
    if count == 1:
        return [GROWING[3]]
    return [GROWING[round(i * (len(GROWING) - 1) / (count - 1))] for i in range(count)]


def wrapped(text: str) -> list[str]:
    """Return the lines of a label, as `breaking` has a chart break it.

    Examples
    --------
    >>> wrapped("direct-lingam"), wrapped("var-sortnregress (baseline)")
    (['direct-lingam'], ['var-sortnregress', '(baseline)'])
    """
    return [line.rstrip() for line in re.findall(_BREAKS, text)] or [text]


def breaking(text: str) -> str:
    """Return the Vega expression that breaks a text into lines."""
    pattern = _BREAKS.replace("\\", "\\\\")
    return f"split(slice(replace({text}, regexp('{pattern}', 'g'), '$1\\n'), 0, -1), '\\n')"


def width_of(labels: Sequence[Sequence[str]]) -> int:
    """Return the pixels that the longest line of some labels needs."""
    return math.ceil(LETTER * max((len(line) for lines in labels for line in lines), default=0))


def legend_columns(names: Sequence[Any], room: int) -> int:
    """Return how many series stand beside each other in a legend so many pixels wide.

    Its lines are as even as can be.

    Examples
    --------
    >>> schemes = ["raw", "standardized", "iscm", "uumc"]
    >>> legend_columns(schemes, 340), legend_columns(schemes, 220), legend_columns(["a" * 40], 250)
    (4, 2, 1)
    """
    lengths = [len(str(name)) for name in names]
    for lines in range(1, len(lengths) + 1):
        columns = math.ceil(len(lengths) / lines)
        widest = [max(lengths[first::columns]) for first in range(columns)]
        if sum(SYMBOL + LETTER * length for length in widest) < room:
            return columns
    return 1


@dataclass(frozen=True)
class PanelSizes:
    """What fitting a chart of panels needs to know.

    Parameters
    ----------
    across : int
        Panels that stand beside each other at most.
    margin : int
        Pixels beside the panels, apart from the labels: the axis, and space.
    narrowest : int
        Pixels of width that a panel needs.
    gap : int
        Pixels from one panel to the next.
    labels, headings : sequence of str
        The lines of text to the left of the panels, and above them.
    """

    across: int
    margin: int
    narrowest: int
    gap: int
    labels: Sequence[str]
    headings: Sequence[str]

    def to_meta(self) -> dict[str, Any]:
        """Return what a chart carries in ``usermeta``."""
        return {"panels": asdict(self)}


def arrangement(sizes: PanelSizes, width: int, *, wraps: bool) -> tuple[int, int]:
    """Return how many panels stand beside each other, and how wide each is.

    Examples
    --------
    >>> sizes = PanelSizes(4, 100, 90, 10, (), ())
    >>> arrangement(sizes, 400, wraps=True), arrangement(sizes, 1000, wraps=True)
    ((3, 90), (4, 215))
    >>> arrangement(PanelSizes(3, 69, 90, 10, ["label"], ["quite a long heading"]), 400, wraps=True)
    (2, 140)
    """
    free = width - sizes.margin - width_of([sizes.labels])
    heading = width_of([sizes.headings]) + BETWEEN_HEADINGS - sizes.gap
    fitting = free // (max(sizes.narrowest, heading) + sizes.gap)
    columns = max(1, min(sizes.across, fitting)) if wraps else sizes.across
    return columns, max(sizes.narrowest, min(free // columns - sizes.gap, WIDEST_PANEL))


def fitted(spec: dict[str, Any], width: int) -> dict[str, Any]:
    """Return a chart's specification for a width in pixels, labels and all."""
    fitted_spec = copy.deepcopy(spec)
    known = fitted_spec.get("usermeta", {}).get("panels")
    if known is None:
        return fitted_spec | {"width": width, "autosize": {"type": "fit-x", "contains": "padding"}}
    wraps = "columns" in fitted_spec
    columns, panel = arrangement(PanelSizes(**known), width, wraps=wraps)
    fitted_spec["spec"]["width"] = panel
    if series := fitted_spec["usermeta"].get("series"):
        _set_legends(fitted_spec["spec"], legend_columns(series, width))
    return fitted_spec | {"columns": columns} if wraps else fitted_spec


def _set_legends(part: Any, columns: int) -> None:
    """Give all legends in a part of a specification so many columns."""
    if isinstance(part, Mapping):
        legend = part.get("legend")
        if isinstance(legend, dict):
            legend["columns"] = columns
        for value in part.values():
            _set_legends(value, columns)
    elif isinstance(part, list):
        for value in part:
            _set_legends(value, columns)
