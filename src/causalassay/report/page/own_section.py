"""The user's own algorithms against every other: paired differences by scheme."""

from __future__ import annotations

import math
from typing import Any

from causalassay.analysis import Analysis
from causalassay.analysis.comparison import compared_with_all, own_algorithms
from causalassay.analysis.names import metric_name, scheme_name
from causalassay.analysis.runs import SCHEME
from causalassay.report.numbers import decimal, signed
from causalassay.report.page.elements import section, table
from causalassay.report.page.markup import Html, join, tag

NOTE = (
    "Mean difference on the same problems with its 95 % interval, positive where it is better; "
    "then wins, ties and losses. Bold: distinguishable from 0, corrected for the number of "
    "opponents (paired t over units)."
)


def own_section(analysis: Analysis) -> Html:
    """Return a table for each algorithm that the study calls `mine`; nothing without any."""
    own = own_algorithms(analysis.runs)
    if not own or not analysis.matrix.rows:
        return join(())
    tables = (_table(analysis, name, index) for index, name in enumerate(own))
    return section("own", "Your algorithm against the others", tag("p", NOTE), *tables)


def _table(analysis: Analysis, name: str, index: int) -> Html:
    metric = analysis.matrix.metric
    frame = compared_with_all(analysis.runs, name)
    frame = frame[frame["metric"] == metric]
    # Schemes without a found artefact first: a narrow screen shows these.
    columns = sorted(analysis.matrix.columns, key=lambda column: not column.free)
    schemes = [column.scheme for column in columns]
    cells = {(row["opponent"], row[SCHEME]): row for row in frame.to_dict("records")}
    order = [row.algorithm for row in analysis.matrix.rows if row.algorithm != name]
    rows = ([other, *(_cell(cells.get((other, scheme))) for scheme in schemes)] for other in order)
    heads = ["against", *(scheme_name(scheme) for scheme in schemes)]
    return table(f"own-{index}", f"{name}: {metric_name(metric)} minus that of others", heads, rows)


def _cell(row: dict[Any, Any] | None) -> object:
    if row is None or not math.isfinite(row["gain"]):
        return "–"
    text: object = signed(row["gain"])
    if row["clear"]:
        text = tag("strong", text)
    limits = ""
    if math.isfinite(row["gain_low"]):
        limits = f"[{decimal(row['gain_low'])}, {decimal(row['gain_high'])}]"
    counts = f"{row['wins']}/{row['ties']}/{row['losses']}"
    return join((text, " ", tag("small", limits), " ", tag("small", counts, class_="aside")))
