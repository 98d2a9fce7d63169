"""What the hall shows: counts, the picture, a table for each group, each entry, and how it is made.

The terminal, the pages and the table of numbers come from here.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from causalassay.data.dataset import World
from causalassay.judging.artefacts import ARTEFACTS
from causalassay.judging.findings import GAMEABLE_KINDS, ORDER_KINDS, RULES, FindingKind
from causalassay.judging.over_instances import CLEAR, MATTERS
from causalassay.lab.hall import charts
from causalassay.lab.hall.entry import Entry, Group, Settings
from causalassay.lab.hall.row import Cell, Row
from causalassay.present import (
    Block,
    Code,
    Column,
    Document,
    Facts,
    Figure,
    Fold,
    Marked,
    Prose,
    Section,
    Spread,
    Table,
)
from causalassay.present.formatting import as_sentence, counted, fixed

if TYPE_CHECKING:
    import pandas as pd

PICTURE, NUMBERS = "hall.svg", "hall.csv"

GROUPS: dict[Group, tuple[str, str, str]] = {
    "package": (
        "Generators of other packages",
        "generator of other packages",
        "generators of other packages",
    ),
    "ours": ("Our schemes", "scheme of ours", "schemes of ours"),
    "data set": ("Data sets", "real data set", "real data sets"),
    "network": ("Networks", "network", "networks"),
}
"""The heading of each group, and what sentences call one and several; as the tables are ordered."""

STATISTICS = {artefact.statistic: f"by {artefact.word}" for artefact in ARTEFACTS.values()}
"""The headings of sortabilities."""

WORLDS: dict[World, str] = {
    "continuous": "continuous columns",
    "discrete": "discrete columns",
    "series": "time series",
}

MOST_NAMED = 20

MEANINGS = {
    "gameable": "sorting beats random orders, and the statistic follows the causal order.",
    FindingKind.SORTABLE_ONLY.label: "the statistic follows the causal order; sorting by it was "
    "not seen to direct edges better.",
    FindingKind.GAIN_ONLY.label: "sorting directs edges better, and the statistic was not seen to "
    "follow the causal order.",
    "no evidence": "this does not mean that nothing is there: a sortability from "
    f"{1 - CLEAR:g} to {CLEAR:g}, or a gain in direction score below {MATTERS:g}, does not count.",
    "not looked at": "any statistic of a column that has no column in the tables, and patterns of "
    "several columns.",
    "borderline": "a sortability or a gain in direction score that decides is within two standard "
    "errors of a limit of the rule: another seed may give another verdict.",
    "sortability": "the mean over the draws and their standard deviation. At 0.5 the statistic "
    "says nothing of the causal order; at 1 it rises along every path, at 0 it falls. Series are "
    "counted by pairs. It depends on the number of edges.",
    "direction score": "true edges directed rightly minus wrongly, by all true edges, of Lasso "
    "regression along the order by a statistic, rising or falling; the best of these means, "
    "against random orders.",
}
CAPTION = (
    "Right of the vertical dashed line, variance rises along the causal order; above the "
    "horizontal one, R² does. Discrete columns and series have other statistics: they are in the "
    "tables only."
)


def hall_document(  # noqa: PLR0913  what it shows, and where it is
    rows: Sequence[Row],
    settings: Settings,
    command: str = "",
    *,
    results: str = "",
    missing: Sequence[str] = (),
    linked: bool = False,
) -> Document:
    """Return what the hall shows.

    Parameters
    ----------
    rows : sequence of Row
        In the order of the tables; at least one.
    settings : Settings
    command : str
        What made it.
    results : str
        Where the picture and the numbers are, as seen from the page, with a slash at its end;
        empty if they are beside it.
    missing : sequence of str
        The names of entries that have no row.
    linked : bool
        Whether the pages of the documentation are beside it.
    """
    groups = {group: [row for row in rows if row.group == group] for group in GROUPS}
    groups = {group: members for group, members in groups.items() if members}
    without = {row.name: f"{row.status}: {row.reason}" for row in rows if row.verdict is None}
    blocks: list[Block] = [
        *_picture(rows, results),
        *(
            Section(_anchor(group), GROUPS[group][0], group_tables(group, members))
            for group, members in groups.items()
        ),
        *([Section("without-verdict", "Without a verdict", [Facts(without)])] if without else []),
    ]
    provenance: list[Block] = [
        _citation(rows, settings),
        Section("how", "How it is made", _how(settings, command, results, linked)),
        Section("rules", "Rules", [_rules(rows)]),
        *_missing(missing),
        *(
            Section(
                f"{_anchor(group)}-each",
                f"{GROUPS[group][0]}, one by one",
                [Fold(row.name, entry_blocks(row), id=slug(row.name)) for row in members],
            )
            for group, members in groups.items()
        ),
    ]
    return Document("Hall of audits", " ".join(counts(rows)), blocks, provenance, _about(rows))


def provenance_blocks(rows: Sequence[Row], settings: Settings, command: str) -> list[Block]:
    """Return how rows are cited, what made them, what words mean, and the rules behind them."""
    facts: dict[str, object] = {"command": Code(command)} if command else {}
    facts |= MEANINGS
    return [
        _citation(rows, settings),
        Section("how", "How it is made", [Facts(facts)]),
        Section("rules", "Rules", [_rules(rows)]),
    ]


def row_document(row: Row) -> Document:
    """Return what one row shows."""
    headline = f"{row.sentence} {row.advice}".strip() or f"{row.status}: {row.reason}"
    return Document(
        f"Hall of audits, {row.name}", headline, entry_blocks(row), about=f"{row.name}, {row.label}"
    )


def counts(rows: Sequence[Row]) -> list[str]:
    """Return a sentence on each group: how many are gameable, and all other verdicts."""
    return [
        sentence
        for group, (_, singular, plural) in GROUPS.items()
        if (sentence := counts_of([row for row in rows if row.group == group], singular, plural))
    ]


def counts_of(rows: Sequence[Row], singular: str, plural: str) -> str:
    """Return how many rows are gameable, and all other verdicts; empty without a verdict."""
    judged = [row for row in rows if row.verdict is not None]
    if not judged:
        return ""
    kinds = Counter(row.verdict for row in judged)
    backwards = kinds[FindingKind.GAMEABLE_BACKWARDS]
    others = [
        f"{kinds[kind]} {kind.label}"
        for kind in ORDER_KINDS
        if kinds[kind] and kind not in GAMEABLE_KINDS
    ]
    near = sum(row.is_borderline for row in judged)
    return (
        f"{sum(kinds[kind] for kind in GAMEABLE_KINDS)} of "
        f"{counted(len(judged), singular, plural)} {'is' if len(judged) == 1 else 'are'} gameable"
        + (f", {backwards} of them backwards" if backwards else "")
        + (f"; {', '.join(others)}" if others else "")
        + (f" ({near} of all borderline)." if near else ".")
    )


def group_tables(group: Group, rows: Sequence[Row]) -> list[Table]:
    """Return the verdicts of a group, a table for each world: worlds have other statistics."""
    tables = []
    for world, columns in WORLDS.items():
        members = [row for row in rows if row.world == world]
        title = f"{GROUPS[group][0]}: {columns}"
        if members:
            tables.append(_table(f"{_anchor(group)}-{world}", title, members))
    return tables


def _table(identity: str, title: str, rows: Sequence[Row]) -> Table:
    statistics = [name for name in STATISTICS if any(row.cell(name) for row in rows)]
    columns = (
        Column("name", "name"),
        Column("verdict", "verdict"),
        *(Column(name, STATISTICS[name], "fixed", 6) for name in statistics),
        Column("direction", "direction score / random", "fixed", 5),
        Column("sorted_by", "best sorting", priority=3),
        Column("n_edges", "edges", "count", 1),
        Column("package", "package", priority=1),
        Column("date", "date", priority=0, align="right"),
    )
    cells = [
        (
            Marked(row.name, link=f"#{slug(row.name)}"),
            Marked(
                row.label,
                warns=row.verdict in GAMEABLE_KINDS,
                mark="borderline" if row.is_borderline else "",
            ),
            *(cell and Spread(cell.sortability, cell.spread) for cell in map(row.cell, statistics)),
            (row.best_direction, row.random_direction),
            row.best_sorting[1],
            row.n_edges,
            package(row),
            row.date,
        )
        for row in rows
    ]
    caption = (
        f"{title}. Mean sortability by each statistic and its standard deviation over the draws "
        "(0.5 is chance), and the direction score of the best sorting beside that of random orders."
    )
    return Table(identity, columns, cells, title, caption)


def package(row: Row) -> str:
    """Return whose it is, with the version."""
    return f"{row.package} {row.version}".strip()


def _about(rows: Sequence[Row]) -> str:
    """Return how much was drawn."""
    groups, settings = {row.group for row in rows}, rows[0].settings
    sizes = []
    if groups & {"package", "ours"}:
        sizes.append(
            f"{settings.draws} data sets of each generator with {settings.nodes} columns and "
            f"{settings.samples} rows, each on a graph of its own; constant columns left out"
        )
    if "network" in groups:
        sizes.append(
            f"{settings.draws} data sets of each network with {settings.samples} rows, all on its "
            "one graph"
        )
    return "; ".join(sizes) or "data sets as they are"


def _picture(rows: Sequence[Row], results: str) -> list[Figure]:
    drawn = charts.drawn_rows(rows)
    if not drawn:
        return []
    alt = (
        f"{len(drawn)} generators and data sets, placed by their mean sortability by variance and "
        "by R²; colours show the verdict"
    )
    spec = partial(charts.by_variance_and_r2, rows)
    return [Figure("sortability", spec, alt, CAPTION, wide=True, file=f"{results}{PICTURE}")]


def _how(settings: Settings, command: str, results: str, linked: bool) -> list[Block]:
    draws = (
        f"{settings.draws} of each generator, with the defaults of its package and the seed "
        f"{settings.seed}. Each draw has a seed and a graph of its own. A data set is audited as "
        "it is."
    )
    same = (
        "the same as that of the command audit on the files of the draws: --keep FOLDER writes "
        "them, and prints the command that audits them."
    )
    facts: dict[str, object] = {"command": Code(command)} if command else {}
    facts |= {"draws": draws, "verdict": same, **MEANINGS}
    facts["all numbers, with p-values"] = Marked(NUMBERS, link=f"{results}{NUMBERS}")
    if linked:
        facts["more on audits"] = Marked("Audit your benchmark", link="audit.md")
        facts["more on rules"] = Marked("Rules", link="rules.md")
    return [Facts(facts)]


def _rules(rows: Sequence[Row]) -> Facts:
    """Return how each rule decides, and how often it was wrong or that this is not known."""
    named = dict.fromkeys(name for row in rows for name in row.rules)
    return Facts(
        {name: f"{RULES[name].decides} {as_sentence(RULES[name].rate_text)}" for name in named}
    )


def _citation(rows: Sequence[Row], settings: Settings) -> Facts:
    first, dates = rows[0], sorted({row.date for row in rows})
    cited = (
        f"hall of audits of causalassay {first.measured_with}, {first.name}"
        f"{f' ({package(first)})' if package(first) else ''}, seed {settings.seed}, {first.date}"
    )
    facts = {
        "measured with": ", ".join(sorted({f"causalassay {row.measured_with}" for row in rows})),
        "measured on": dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}",
        "seed": settings.seed,
        "to cite a row": f"name its generator, its versions, the seed and the date, such as: "
        f"{cited}. The same command gives the same row.",
    }
    return Facts(facts)


def entry_blocks(row: Row) -> list[Block]:
    """Return what an entry is, and all that was found on it."""
    facts: dict[str, object] = {"call": Code(row.call)}
    if row.verdict is None:
        facts[row.status] = row.reason
    else:
        facts["verdict"] = f"{row.sentence} {row.advice}".strip()
        for cell in row.won_by:
            if cell.statistic != row.statistic:
                is_rising = cell.kind == FindingKind.GAMEABLE
                score = cell.direction_rising if is_rising else cell.direction_falling
                facts[f"also {cell.kind.label} by {cell.word}"] = (
                    f"direction score {fixed(score)} against {fixed(row.random_direction)}; "
                    f"sortability {fixed(cell.sortability)}"
                )
        facts["graphs"] = f"{row.graphs} {row.n_edges:.1f} edges on average."
        if row.group == "package" and row.n_nodes < row.settings.nodes:
            facts["columns"] = f"{row.n_nodes:.1f} on average; constant ones are left out."
        if row.n_units < row.n_draws:
            facts["instances"] = (
                f"{row.n_units}, for draws on one graph are one ({counted(row.n_draws, 'draw')})."
            )
    if row.reference:
        facts["reference"] = row.reference
    facts["command"] = Code(row.command)
    return [Prose(f"{row.what} {row.note}".strip()), Facts(facts)]


def _missing(names: Sequence[str]) -> list[Section]:
    """Return what is not measured: some by name, many as a number."""
    if not names:
        return []
    named = ", ".join(names) if len(names) <= MOST_NAMED else f"{len(names)} entries"
    text = Prose(f"{named}: the command above measures what is missing.")
    return [Section("missing", "Not measured yet", [text])]


def entries_document(entries: Iterable[Entry]) -> Document:
    """Return what there is to measure."""
    columns = [Column(name, name) for name in ("name", "package", "world", "what")]
    rows = [
        (entry.name, entry.package or entry.group, entry.world, entry.what) for entry in entries
    ]
    return Document("Entries of the hall", "", [Table("entries", columns, rows)])


_BEFORE = ("name", "group", "package", "version", "world", "status", "reason", "verdict")
_AFTER = (
    "random_direction",
    "best_direction",
    "is_borderline",
    "n_draws",
    "n_units",
    "n_nodes",
    "n_edges",
)


def hall_frame(rows: Sequence[Row]) -> pd.DataFrame:
    """Return a row for each entry with all its numbers; what was not measured is nan."""
    import pandas as pd  # noqa: PLC0415

    records = []
    for row in rows:
        plain = row.to_dict() | {
            "best_direction": row.best_direction,
            "is_borderline": row.is_borderline,
        }
        record = {name: plain[name] for name in (*_BEFORE, "statistic")}
        measured = {cell["statistic"]: cell for cell in plain["cells"]}
        for statistic in STATISTICS:
            for name in list(Cell.__dataclass_fields__)[2:]:
                value = measured.get(statistic, {}).get(name)
                record[f"{statistic.replace(' ', '_')}_{name}"] = value
        record |= {name: plain[name] for name in (*_AFTER, "date", "measured_with")}
        records.append(record | plain["settings"] | {"command": row.command})
    return pd.DataFrame(records)


def hall_csv(rows: Sequence[Row]) -> str:
    """Return all numbers with the digits that matter; what was not measured is empty."""
    text: str = hall_frame(rows).to_csv(index=False, float_format="%.6g", lineterminator="\n")
    return text


def results_from(page: Path, folder: Path) -> str:
    """Return where the results are, as seen from a page.

    Examples
    --------
    >>> results_from(Path("docs/hall.md"), Path("docs/hall-results"))
    'hall-results/'
    >>> results_from(Path("hall/hall.md"), Path("hall"))
    ''
    """
    way = Path(os.path.relpath(folder.absolute(), page.absolute().parent)).as_posix()
    return "" if way == "." else f"{way}/"


def slug(name: str) -> str:
    """Return the anchor that a heading of that name has.

    Examples
    --------
    >>> slug("Asia v1.2")
    'asia-v12'
    """
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", name).strip().lower())


def _anchor(group: Group) -> str:
    return f"group-{slug(group)}"
