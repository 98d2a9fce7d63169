"""What reproductions show: outcomes, what disagrees, figures redrawn, every value, and notes."""

from __future__ import annotations

import os
import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.metadata import version
from typing import Any, get_args

from causalassay.lab.papers.paper import Paper
from causalassay.lab.papers.pictures import Picture
from causalassay.lab.papers.published import BAD, Outcome
from causalassay.lab.papers.result import Line, Reproduction, count_sentences
from causalassay.present import Block, Column, Document, Figure, Fold, Marked, Prose, Section, Table
from causalassay.present.formatting import counted

VALUES = "--values"
"""The option that prints every value."""

PACKAGES = ("causalassay", "numpy", "scipy", "numba", "pandas")
"""Whose versions a page states."""

OVERVIEW = "Each table and figure: how far our numbers are from the printed ones; all outcomes."

RULE = (
    "A number agrees if it differs from ours by no more than chance and rounding allow: 2.6 "
    "standard errors, ours and the paper's own added as variances, plus half a unit of its last "
    "digit, and the error of reading it off a figure. A claim holds or fails if our 99 % interval "
    "lies wholly on one side; else, and if it can be read in two ways, it is open. A number that "
    "chance may move by more than a tenth is merely not contradicted. A number from "
    "other data than the paper's is shown and not judged. What is computed with an algorithm of "
    "ours in place of the paper's is said of ours alone. The rule was stated before the first "
    "run; the notes name what was decided later."
)

Groups = Mapping[str, Sequence[Line]]
"""The lines of each item, or of each paper."""


def reproduction_document(
    reproduction: Reproduction, date: str = "", *, notes: bool = True
) -> Document:
    """Return what the reproduction of a paper shows.

    Parameters
    ----------
    reproduction : Reproduction
    date : str
    notes : bool
        Whether the paper's notes are part of it; they are text in Markdown.
    """
    paper = reproduction.paper
    groups = {item: reproduction.lines_of(item) for item in reproduction.items}
    what = {item.name: item.what for item in paper.items}
    bad = [line for line in reproduction.lines if line.outcome in BAD]
    figures = [_figure(picture, what) for picture in reproduction.pictures]
    each = [
        Fold(item, [_table(item, lines, f"{item}: {what[item]}")], VALUES, printed=True)
        for item, lines in groups.items()
    ]
    blocks: list[Block] = [
        overview_figure(groups),
        outcome_table("item", groups),
        *([_table("disagreeing", bad, "What disagrees or fails", items=True)] if bad else []),
        *([Section("figures", "Figures, redrawn", figures)] if figures else []),
        Section("values", "Every value", each),
    ]
    provenance: list[Block] = [
        Prose(_citation(paper)),
        Prose(_made_by(reproduction, date)),
        Section("rule", "How it is decided", [Prose(RULE)]),
    ]
    if notes and paper.notes:
        provenance.append(Section("notes", "Notes", _notes(paper.notes)))
    about = f"{counted(len(reproduction.lines), 'published value')}, size {reproduction.size}"
    headline = " ".join(count_sentences(reproduction.lines))
    return Document(_title(reproduction), headline, blocks, provenance, about)


def overview_document(reproductions: Sequence[Reproduction]) -> Document:
    """Return how several papers came out."""
    groups = {reproduction.paper.slug: reproduction.lines for reproduction in reproductions}
    every = [line for lines in groups.values() for line in lines]
    blocks: list[Block] = [overview_figure(groups), outcome_table("paper", groups)]
    about = counted(len(every), "published value")
    return Document("All papers", " ".join(count_sentences(every)), blocks, about=about)


def papers_document(papers: Sequence[Paper]) -> Document:
    """Return the items of papers, with the number of their values and the estimated minutes."""
    tables = [_items_table(paper) for paper in papers]
    last = Prose("Minutes are estimates for two cores. Run one: causalassay reproduce SLUG")
    return Document("Papers", "", [*tables, last])


def listed_items(paper: Paper) -> list[dict[str, Any]]:
    """Return each item with the number of its values and the estimated minutes."""
    return _items_table(paper).records()[:-1]


def _items_table(paper: Paper) -> Table:
    columns = (
        Column("item", "item"),
        Column("what", "what"),
        Column("values", "values", "count"),
        Column("computable", "computable", "count"),
        Column("minutes fast", "min, size fast", "fixed1"),
        Column("minutes full", "min, size full", "fixed1"),
    )
    rows = [_item_row(paper, [item.name], item.name, item.what) for item in paper.items]
    every = _item_row(paper, [item.name for item in paper.items], "all", "")
    title = f"{paper.slug}: {paper.about.authors} ({paper.about.year})"
    return Table(paper.slug, columns, [*rows, every], title, n_last=1)


def _item_row(paper: Paper, items: Sequence[str], name: str, what: str) -> tuple[object, ...]:
    values = [value for item in items for value in paper.values_of(item)]
    computable = sum(not value.reason for value in values)
    minutes = paper.minutes(items, "fast"), paper.minutes(items, "full")
    return (name, what, len(values), computable, *minutes)


def outcome_table(what: str, groups: Groups) -> Table:
    """Return how many values of each group came out how; outcomes that never came are left out."""
    counts = {name: Counter(line.outcome for line in lines) for name, lines in groups.items()}
    every = sum(counts.values(), Counter[Outcome]())
    outcomes = [outcome for outcome in get_args(Outcome) if every[outcome]]
    columns = [Column(what, what), *(Column(outcome, outcome, "count") for outcome in outcomes)]
    rows = [
        [name, *(count[outcome] or None for outcome in outcomes)] for name, count in counts.items()
    ]
    last = ["all", *(every[outcome] for outcome in outcomes)]
    return Table("outcomes", columns, [*rows, last], f"Values by {what} and outcome", n_last=1)


def _table(identity: str, lines: Sequence[Line], title: str, *, items: bool = False) -> Table:
    """Return published values with ours; on request with their items.

    Where the paper prints a spread of few draws, a second column takes ours in its place.
    """
    second = any(line.with_our_spread for line in lines)
    columns = (
        *([Column("item", "item")] if items else []),
        Column("what", "what"),
        Column("published", "published"),
        Column("ours", "ours [99 % interval]", "digits", align="left"),
        Column("outcome", "outcome"),
        *([Column("our spread", "with our spread")] if second else []),
        Column("why", "remark"),
    )
    rows = [
        (
            *([line.value.item] if items else []),
            line.value.place,
            line.published,
            line.ours_cell,
            Marked(line.worded, warns=line.outcome in BAD),
            *([line.with_our_spread] if second else []),
            line.why,
        )
        for line in lines
    ]
    return Table(f"values-{_anchor(identity)}", columns, rows, title)


def overview_figure(groups: Groups) -> Figure:
    """Return all outcomes in one picture."""
    return Figure("overview", partial(_chart, groups), OVERVIEW, wide=True, file="overview.svg")


def _figure(picture: Picture, what: Mapping[str, str]) -> Figure:
    item = picture.item
    return Figure(
        _anchor(item),
        partial(_chart, picture),
        f"{item} redrawn: {what[item]}",
        picture.caption,
        wide=picture.data["panel"].nunique() > 1,
        file=f"{item}.svg",
    )


def _chart(of: Groups | Picture) -> dict[str, Any]:
    from causalassay.lab.papers import charts  # noqa: PLC0415  # only if it is drawn

    return charts.redrawn(of) if isinstance(of, Picture) else charts.overview(of)


def _anchor(item: str) -> str:
    return item.replace(".", "-")


def _title(reproduction: Reproduction) -> str:
    """Return the paper, and how many of its items there are if not all."""
    n_items, n_every = len(reproduction.items), len(_items_with_values(reproduction))
    some = f" ({n_items} of {counted(n_every, 'item')})" if n_items < n_every else ""
    return f"{reproduction.paper.slug} reproduced{some}"


def _items_with_values(reproduction: Reproduction) -> list[str]:
    paper = reproduction.paper
    return [item.name for item in paper.items if paper.values_of(item.name)]


def _citation(paper: Paper) -> str:
    about = paper.about
    return f"{about.authors} ({about.year}): {about.title}. doi:{about.doi}"


def _made_by(reproduction: Reproduction, date: str) -> str:
    """Return the command, the versions and the time taken."""
    chosen = reproduction.items
    if len(chosen) == len(_items_with_values(reproduction)):
        chosen = []
    options = "".join(f" --item {name}" for name in chosen)
    command = f"causalassay reproduce {reproduction.paper.slug} --size {reproduction.size}{options}"
    versions = ", ".join(f"{package} {version(package)}" for package in PACKAGES)
    effort = reproduction.effort
    studies = (
        f" Its studies have {counted(effort.runs, 'run')}, whose algorithms took "
        f"{counted(round(effort.run_seconds / 60), 'minute')} in all."
        if effort.runs
        else ""
    )
    return (
        f"Made{f' on {date}' if date else ''} by {command} with {versions}, Python "
        f"{platform.python_version()}, on {os.cpu_count()} cores. This call took "
        f"{effort.seconds / 60:.1f} minutes; what earlier calls had computed was not computed "
        f"again.{studies}"
    )


def _notes(text: str) -> list[Prose]:
    """Return each line of the notes as a paragraph, without Markdown's marks."""
    lines = (line.lstrip("# -").replace("**", "").replace("`", "") for line in text.splitlines())
    return [Prose(line) for line in lines if line and line != "Notes"]
