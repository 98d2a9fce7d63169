"""The page of real data and networks: where reality lies among simulators, and claims on it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np

from causalassay.judging.findings import GAMEABLE_KINDS, FindingKind
from causalassay.judging.p_values import combined
from causalassay.lab.hall import reality_chart
from causalassay.lab.hall.charts import R2, VARIANCE, drawn_rows
from causalassay.lab.hall.document import (
    counts,
    entry_blocks,
    provenance_blocks,
    slug,
)
from causalassay.lab.hall.entry import Settings
from causalassay.lab.hall.reality import LOHSE, RIVERS
from causalassay.lab.hall.row import Cell, Row
from causalassay.present import (
    Block,
    Column,
    Document,
    Facts,
    Figure,
    Fold,
    Interval,
    Marked,
    Prose,
    PValue,
    Section,
    Spread,
    Table,
)
from causalassay.present.formatting import counted, fixed, in_words

PICTURE = "hall-reality.svg"

REALITY = ("data set", "network")
"""The groups of rows that this page has; the others are on that of simulators."""

CLAIM_LEVEL = 0.05

DEVIATIONS = 2.0
"""A simulator reaches a data set that is within so many standard deviations of its draws' mean."""

CAPTION = (
    "A data set is a point with the 95 % of a bootstrap over its rows; a simulator is the mean of "
    "its draws. Of each river the values as stored and exponentiated (-exp) are shown: nobody "
    "says which scale is nature's."
)


def is_reality(row: Row) -> bool:
    """Tell whether a row belongs on this page."""
    return row.group in REALITY


def reality_document(
    rows: Sequence[Row], settings: Settings, command: str = "", *, results: str = ""
) -> Document:
    """Return what real data and networks show, among the simulators of the same folder.

    Parameters
    ----------
    rows : sequence of Row
        Also those of simulators, which the picture and the comparison need.
    settings : Settings
    command : str
        What made it.
    results : str
        Where the picture is, as seen from the page; see `hall_document`.
    """
    real = [row for row in rows if is_reality(row)]
    blocks: list[Block] = [
        *_picture(rows, results),
        *_likeness(rows),
        *_networks([row for row in real if row.group == "network"]),
        *_data_sets([row for row in real if row.group == "data set" and row.world != "series"]),
        *_claims(real),
    ]
    details = [Fold(row.name, entry_blocks(row), id=slug(row.name)) for row in real]
    provenance: list[Block] = [
        *provenance_blocks(real, settings, command),
        *_series([row for row in real if row.group == "data set" and row.world == "series"]),
        Section("each", "One by one", details),
    ]
    about = "real data as they are, rivers on two scales, and samples of discrete networks"
    title = "Hall of audits: real data and networks"
    return Document(title, _headline(real), blocks, provenance, about)


def _headline(rows: Sequence[Row]) -> str:
    """Return what is gameable: networks by entropy apart from their order in the file."""
    found = counts([row for row in rows if row.group == "data set" and row.world != "series"])
    cells = [cell for row in rows if row.group == "network" if (cell := row.cell("entropy"))]
    if cells:
        forward = sum(cell.kind == FindingKind.GAMEABLE for cell in cells)
        backward = sum(cell.kind == FindingKind.GAMEABLE_BACKWARDS for cell in cells)
        in_file = sum(
            cell.kind in GAMEABLE_KINDS
            for row in rows
            if row.group == "network" and (cell := row.cell("position"))
        )
        found.append(
            f"Of {counted(len(cells), 'network')} {forward + backward} can be won by sorting by "
            f"entropy ({backward} backwards), and {in_file} by the order of their nodes in the "
            "file, which shuffling removes."
        )
    return " ".join(found)


def _picture(rows: Sequence[Row], results: str) -> list[Figure]:
    real = [row for row in drawn_rows(rows) if is_reality(row)]
    if not real:
        return []
    simulators = [row for row in drawn_rows(rows) if not is_reality(row)]
    alt = (
        f"{counted(len(real), 'real data set')} with intervals among {len(simulators)} simulators, "
        "by sortability by variance and by R²"
    )
    spec = partial(reality_chart.plane, real, simulators)
    return [Figure("plane", spec, alt, CAPTION, wide=True, file=f"{results}{PICTURE}")]


# Which simulators reach the data sets.


def reached(simulator: Row, real: Row) -> bool:
    """Tell whether a data set is where draws of a simulator lie, by variance and by R² alike."""
    for statistic in (VARIANCE, R2):
        drawn, seen = simulator.cell(statistic), real.cell(statistic)
        if drawn is None or seen is None:
            return False
        width = DEVIATIONS * (0.0 if math.isnan(drawn.spread) else drawn.spread)
        if abs(seen.sortability - drawn.sortability) > width:
            return False
    return True


def likeness(rows: Sequence[Row]) -> list[tuple[Row, list[str]]]:
    """Return for each simulator which data sets it reaches; those that reach most come first."""
    real = [row for row in drawn_rows(rows) if is_reality(row)]
    simulators = [row for row in drawn_rows(rows) if not is_reality(row)]
    found = [(row, [data.name for data in real if reached(row, data)]) for row in simulators]
    return sorted(found, key=lambda pair: -len(pair[1]))


def _likeness(rows: Sequence[Row]) -> list[Block]:
    found, real = likeness(rows), [row for row in drawn_rows(rows) if is_reality(row)]
    if not found or not real:
        return []
    most = len(found[0][1])
    leaders = [row.name for row, names in found if len(names) == most]
    never = [row.name for row in real if not any(row.name in names for _, names in found)]
    shown = in_words(leaders[:6]) + (f" and {len(leaders) - 6} more" if len(leaders) > 6 else "")
    systems = len({system(row.name) for row in real})
    text = (
        f"Which simulator resembles reality most cannot be told from {systems} systems. Counted "
        f"is how many of {len(real)} data sets (rivers on both scales) lie within {DEVIATIONS:g} "
        "standard deviations of a simulator's draws, by variance and by R² at once: at most "
        f"{most}, by {shown}. "
        + (f"No simulator reaches {in_words(never)}. " if never else "")
        + "A simulator whose draws spread widely reaches more, and graphs differ in size and "
        "density from those of the draws, on which both statistics depend. The four rivers share "
        "a cause, that of water that adds up downstream, and are fewer than four witnesses. "
        "Variance depends on units: any data set can be moved left and right by choosing them."
    )
    return [Section("likeness", "Which simulator is most like reality", [Prose(text)])]


def system(name: str) -> str:
    """Return the system that a data set is of.

    Examples
    --------
    >>> system("danube-exp"), system("sachs")
    ('danube', 'sachs')
    """
    return next((river for river in RIVERS if name.startswith(river)), name)


# Tables.


def _networks(rows: Sequence[Row]) -> list[Block]:
    judged = [row for row in rows if row.cell("entropy") is not None]
    if not judged:
        return []
    columns = (
        Column("name", "name"),
        Column("verdict", "by entropy"),
        Column("n_nodes", "nodes", "count"),
        Column("n_edges", "edges", "count"),
        Column("entropy", "entropy-sortability", "fixed"),
        Column("p_rising", "p rising", "p-value"),
        Column("p_falling", "p falling", "p-value"),
        Column("rising", "sorting forward", "fixed"),
        Column("falling", "backward", "fixed"),
        Column("random", "random orders", "fixed"),
        Column("position", "by position in the file", "fixed", priority=1),
    )
    cells = []
    for row in judged:
        entropy, position = row.cell("entropy"), row.cell("position")
        assert entropy is not None  # chosen so
        cells.append(
            (
                Marked(row.name.removeprefix("network-"), link=f"#{slug(row.name)}"),
                Marked(entropy.kind.label, warns=entropy.kind in GAMEABLE_KINDS),
                row.n_nodes,
                row.n_edges,
                Spread(entropy.sortability, entropy.spread),
                PValue(entropy.p_rising),
                PValue(entropy.p_falling),
                entropy.direction_rising,
                entropy.direction_falling,
                row.random_direction,
                None if position is None else position.sortability,
            )
        )
    caption = (
        f"{_entropy_summary(judged)} Direction scores of choosing parents along the entropy, "
        "rising and falling. Nodes are those whose columns say something. A network is one "
        "instance, however many samples are drawn."
    )
    table = Table("networks", columns, cells, "Networks", caption)
    return [Section("networks", "Networks of experts and of data", [table])]


def _entropy_summary(rows: Sequence[Row]) -> str:
    cells = [cell for row in rows if (cell := row.cell("entropy")) is not None]
    shares = np.array([cell.sortability for cell in cells])
    won = [cell for cell in cells if cell.kind in GAMEABLE_KINDS]
    return (
        f"Entropy-sortability is {fixed(float(shares.mean()))} on average over "
        f"{counted(len(cells), 'network')}, from {fixed(float(shares.min()))} to "
        f"{fixed(float(shares.max()))}; {len(won)} "
        f"{'is' if len(won) == 1 else 'are'} gameable by entropy."
    )


def _series(rows: Sequence[Row]) -> list[Block]:
    """Return rivers read as series, which have no intervals and other tests."""
    text = (
        "Read as series: regressed on the past, too, up to lag 1. Left-out rows close gaps in "
        "time: of the rivers in Colorado no more than 3, 9 and 11 complete rows follow each other."
    )
    return [Section("series", "Rivers as series", [Prose(text), _table(rows)])] if rows else []


def _data_sets(rows: Sequence[Row]) -> list[Block]:
    judged = [row for row in rows if row.cell(VARIANCE) is not None]
    return [Section("data-sets", "Data sets", [_table(judged)])] if judged else []


def _table(rows: Sequence[Row]) -> Table:
    """Return verdicts with sortabilities by variance and by R²."""
    columns = (
        Column("name", "name"),
        Column("verdict", "verdict"),
        Column("variance", "by variance [95 %]", "fixed"),
        Column("p_variance", "p rising / falling", "fixed3"),
        Column("R2", "by R² [95 %]", "fixed"),
        Column("p_R2", "p rising / falling", "fixed3"),
        Column("direction", "direction score / random", "fixed"),
        Column("sorted_by", "best sorting", priority=1),
        Column("n_edges", "edges", "count", priority=1),
    )
    cells = [
        (
            Marked(row.name, link=f"#{slug(row.name)}"),
            Marked(row.label, warns=row.verdict in GAMEABLE_KINDS),
            *(
                text(cell)
                for cell in (row.cell(VARIANCE), row.cell(R2))
                for text in (_with_interval, _both_p_values)
            ),
            (row.best_direction, row.random_direction),
            row.best_sorting[1],
            row.n_edges,
        )
        for row in rows
    ]
    if any(row.world == "series" for row in rows):
        return Table("series-table", columns, cells, "Rivers as series")
    caption = (
        "Intervals take rows as independent; rows of rivers follow each other in time (correlation "
        "0.4 to 0.6 with the row before), so that theirs are too narrow."
    )
    return Table("data-sets-table", columns, cells, "Data sets", caption)


def _with_interval(cell: Cell | None) -> object:
    if cell is None or math.isnan(cell.low):
        return cell and cell.sortability
    return Interval(cell.sortability, cell.low, cell.high)


def _both_p_values(cell: Cell | None) -> object:
    return cell and (cell.p_rising, cell.p_falling)


# The claims of Lohse and Wahl on real series.

Tested = tuple[str, str, Callable[[Cell], float], Callable[[Cell], float]]

CLAIMS: tuple[Tested, ...] = (
    (VARIANCE, "high", lambda cell: cell.p_rising, lambda cell: cell.p_falling),
    (R2, "low", lambda cell: cell.p_falling, lambda cell: cell.p_rising),
)
"""A statistic, what is claimed of it, and the p-values of that and of its contrary."""

PUBLISHED = {
    "danube": (0.07, 0.82),
    "lower-colorado": (0.35, 0.61),
    "middle-colorado": (0.29, 0.94),
    "upper-colorado": (0.43, 0.95),
}
"""By variance and by R²: what the notebook River_Data.ipynb of their repository prints."""


def _claims(rows: Iterable[Row]) -> list[Block]:
    named = {row.name: row for row in rows}
    if not all(river in named for river in RIVERS):
        return []
    words = {VARIANCE: "variance", R2: "R²"}
    columns = (
        Column("claim", "claim"),
        Column("scale", "values"),
        *(Column(river, river, "fixed") for river in RIVERS),
        Column("p", "p of the claim", "p-value"),
        Column("p_contrary", "p of its contrary", "p-value"),
        Column("verdict", "verdict"),
    )
    cells = []
    level = CLAIM_LEVEL / (2 * 2 * len(CLAIMS))
    for statistic, side, claimed, contrary in CLAIMS:
        for ending, scale in (("", "as stored"), ("-exp", "exponentiated")):
            measured = [
                named[f"{river}{ending}"].cell(statistic)
                for river in RIVERS
                if f"{river}{ending}" in named
            ]
            known = [cell for cell in measured if cell is not None]
            if len(known) < len(RIVERS):
                continue
            p_values = [
                combined(np.array([p(cell) for cell in known])) for p in (claimed, contrary)
            ]
            cells.append(
                (
                    f"{side} {words[statistic]}-sortability",
                    scale,
                    *(cell.sortability for cell in known),
                    *map(PValue, p_values),
                    verdict_on(p_values[0], p_values[1], level),
                )
            )
    text = (
        "They write that the real data sets they looked at have high variance- and low "
        "R²-sortability. P-values are shares of random assignments of the statistic to the "
        "stations that are as far on that side, combined over the four rivers by Edgington's sum. "
        f"A test counts at {level:.4f}: {2 * 2 * len(CLAIMS)} tests, {CLAIM_LEVEL:g} together. So "
        "if no statistic had to do with the flow, a wrong word would stand here in at most 5 % of "
        f"such tables. {_reproduced(named)}"
    )
    table = Table("claims", columns, cells, "Claims on real series")
    reference = Facts({"claims of": LOHSE})
    return [Section("claims", "What was claimed of real series", [Prose(text), table, reference])]


def verdict_on(claim_p: float, contrary_p: float, level: float) -> str:
    """Return what two one-sided p-values say of a claim.

    Examples
    --------
    >>> verdict_on(0.001, 0.9, 0.01), verdict_on(0.9, 0.001, 0.01), verdict_on(0.2, 0.8, 0.01)
    ('holds here', 'the contrary holds here', 'not decided')
    """
    if claim_p <= level:
        return "holds here"
    return "the contrary holds here" if contrary_p <= level else "not decided"


def _reproduced(named: dict[str, Row]) -> str:
    """Return how far what their repository prints is from ours."""
    gaps = [
        abs(cell.sortability - stated)
        for river, pair in PUBLISHED.items()
        for statistic, stated in zip((VARIANCE, R2), pair, strict=True)
        if (cell := named[river].cell(statistic)) is not None
    ]
    agree = sum(gap <= 0.00501 for gap in gaps)  # half a unit of the last digit
    return (
        f"Of the {len(gaps)} sortabilities of rivers in their repository's notebook, {agree} are "
        "ours to the last printed digit, on values as stored."
    )
