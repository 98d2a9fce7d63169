"""The papers: folders with data, read and checked."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from causalassay.common.files import as_text
from causalassay.common.spelling import did_you_mean
from causalassay.lab.papers.computations import COMPUTATIONS
from causalassay.lab.papers.estimates import DATA_SETS
from causalassay.lab.papers.published import (
    Item,
    PaperSchema,
    PublishedSchema,
    PublishedValue,
    Size,
    StudySize,
    printed_number,
    with_quotes_of_rows,
)
from causalassay.lab.papers.study_values import (
    CHOICE,
    IF_THERE,
    STUDY,
    selection_mistakes,
    study_files,
)
from causalassay.study.language.mistakes import Location, Mistakes, StudyMistakes, read_tables
from causalassay.study.language.tables import StrictTable, validated

PAPER, PUBLISHED, NOTES = "paper.toml", "published.toml", "notes.md"
MOST_QUOTED = 25
"""Words of a quote."""

Schema = TypeVar("Schema", bound=StrictTable)


@dataclass(frozen=True)
class Paper:
    """A paper: what it is, its items, and its published values."""

    slug: str
    folder: Path
    about: PaperSchema
    items: tuple[Item, ...]
    studies: tuple[StudySize, ...]
    values: tuple[PublishedValue, ...]

    @property
    def notes(self) -> str:
        """What is unclear, and why ours differs where it does."""
        path = self.folder / NOTES
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def item(self, name: str) -> Item:
        """Return the item of that name."""
        return next(item for item in self.items if item.name == name)

    def values_of(self, item: str) -> tuple[PublishedValue, ...]:
        """Return the values of an item."""
        return tuple(value for value in self.values if value.item == item)

    def studies_of(self, items: Sequence[str]) -> tuple[StudySize, ...]:
        """Return the studies that some items need, each once."""
        tables = [v.ours for item in items for v in self.values_of(item)]
        tables += [item.picture for item in self.items if item.name in items]
        named = {file for table in tables for file in study_files(table)}
        named |= {file for table in tables for file in table.get(IF_THERE, [])}
        return tuple(study for study in self.studies if study.file in named)

    def minutes(self, items: Sequence[str], size: Size) -> float:
        """Return the estimated minutes of some items."""
        functions = sum(getattr(item.minutes, size) for item in self.items if item.name in items)
        studies = (study for study in self.studies_of(items) if study.replicates(size))
        return functions + sum(getattr(study.minutes, size) for study in studies)


def papers_folder() -> Path:
    """Return the folder of the papers that come with the package."""
    return Path(str(resources.files("causalassay.lab"))) / "papers"


def paper_slugs(folder: Path | None = None) -> list[str]:
    """Return the short names of the papers, such as reisach2021."""
    return sorted(path.parent.name for path in (folder or papers_folder()).glob(f"*/{PAPER}"))


def read_paper(slug: str, folder: Path | None = None) -> Paper:
    """Return a paper, or raise an error with every mistake of its files.

    Parameters
    ----------
    slug : str
        The short name of the paper, which is the name of its folder.
    folder : Path, optional
        That holds the papers; by default those of the package.

    Examples
    --------
    >>> paper = read_paper("reisach2021")
    >>> paper.about.year, paper.values_of("section-3.1")[0].value
    (2021, 0.75)
    """
    parent = folder or papers_folder()
    if slug not in (known := paper_slugs(parent)):
        raise ValueError(f"there is no paper {slug!r}; {did_you_mean(slug, known)}")
    about, stated = _File(parent / slug / PAPER), _File(parent / slug / PUBLISHED)
    head, body = about.top(PaperSchema), stated.top(PublishedSchema)
    paper = Paper(
        slug,
        parent / slug,
        head,
        about.each(Item, "items", head.items),
        about.each(StudySize, "studies", head.studies),
        stated.each(PublishedValue, "values", with_quotes_of_rows(body.values)),
    )
    if mistakes := _contradictions(paper):
        raise StudyMistakes(stated.source, mistakes)
    return paper


class _File:
    """A TOML file, whose tables are read one list at a time."""

    def __init__(self, path: Path) -> None:
        self.source = f"{path.parent.name}/{path.name}"
        self._tables = read_tables(as_text(path.read_bytes()), self.source)

    def top(self, schema: type[Schema]) -> Schema:
        """Return the whole file, its lists unread."""
        return self._all(schema, [(Location(""), self._tables)])[0]

    def each(self, schema: type[Schema], key: str, tables: Sequence[Any]) -> tuple[Schema, ...]:
        """Return the tables of a list, or raise an error with every mistake in them."""
        return self._all(
            schema, [(Location(f"{key}[{step}]"), table) for step, table in enumerate(tables)]
        )

    def _all(
        self, schema: type[Schema], tables: Sequence[tuple[Location, Any]]
    ) -> tuple[Schema, ...]:
        mistakes = Mistakes()
        read = [validated(schema, table, where, mistakes) for where, table in tables]
        if mistakes.lines:
            raise StudyMistakes(self.source, mistakes.lines)
        return tuple(table for table in read if table is not None)


def _contradictions(paper: Paper) -> list[str]:
    """Return what each file alone does not show to be wrong."""
    mistakes = Mistakes()
    counts = Counter(value.id for value in paper.values)
    for twice in (name for name, count in counts.items() if count > 1):
        mistakes.add(twice, f"{counts[twice]} values have this id")
    items = [item.name for item in paper.items]
    for study in paper.studies:
        for file in filter(None, (study.file, study.card)):
            if not (paper.folder / file).exists():
                mistakes.add(f"{PAPER}: studies", f"there is no file {file!r}")
        if study.data and study.data not in DATA_SETS:
            hint = did_you_mean(study.data, DATA_SETS)
            mistakes.add(f"{PAPER}: studies", f"there is no data set {study.data!r}; {hint}")
    for value in paper.values:
        if value.item not in items:
            mistakes.add(value.id, f"there is no item {value.item!r}; {PAPER} lists the items")
        for reason in _faults(value, [study.file for study in paper.studies]):
            mistakes.add(value.id, reason)
    return mistakes.lines


def _faults(value: PublishedValue, studies: Sequence[str]) -> list[str]:
    faults = _faults_of_what_is_printed(value)
    if bool(value.ours) == bool(value.reason):
        faults.append("expected either `ours` or a `reason` why it is not computed")
    if value.other_data and value.reason:
        faults.append("`other_data` says what ours is computed on; with a `reason` there is none")
    if value.stand_in and (value.reason or value.kind not in {"bound", "ordering"}):
        faults.append("`stand_in` says which algorithm a computed bound or ordering is about")
    if value.kind in {"bound", "ordering"} and value.ours and value.relation is None:
        faults.append(f"a {value.kind} needs a `relation`")
    if value.ours and (value.kind == CHOICE) != (value.ours.get("statistic") == CHOICE):
        faults.append('the kind "choice" and `statistic = "choice"` belong together')
    if value.ours and value.relation == "≈" and not value.margin:
        faults.append('the relation "≈" needs a `margin`, stated before the run')
    return faults + (_compute_faults(value, studies) if value.ours else [])


def _faults_of_what_is_printed(value: PublishedValue) -> list[str]:
    faults = []
    if value.kind in {"number", "bound", "choice"} and value.value is None and not _blank(value):
        faults.append(f"a {value.kind} needs a `value`, or a number in `printed`")
    printed = printed_number(value.printed)
    if value.kind in {"number", "choice"} and printed not in {None, value.value}:
        faults.append(f"`printed` is {printed:g} and `value` {value.number:g}; leave `value` out")
    if value.kind not in {"number", "choice"} and not value.claim:
        faults.append(f"a {value.kind} needs a `claim`")
    if len(value.quote.split()) > MOST_QUOTED:
        faults.append(f"the quote has {len(value.quote.split())} words, at most {MOST_QUOTED}")
    return faults


def _blank(value: PublishedValue) -> bool:
    """Tell whether the paper prints no number, such as a hyphen, and ours is not judged by it."""
    return value.kind == "number" and bool(value.printed and (value.other_data or value.reason))


def _compute_faults(value: PublishedValue, studies: Sequence[str]) -> list[str]:
    name = value.ours.get("compute")
    if name == STUDY:
        return selection_mistakes(value.parameters("full"), studies)
    if name not in COMPUTATIONS:
        return [f"there is no computation {name!r}; {did_you_mean(name, [STUDY, *COMPUTATIONS])}"]
    return [f"compute = {name!r}: {fault}" for fault in _argument_faults(name, value)]


def _argument_faults(name: str, value: PublishedValue) -> list[str]:
    """Say which arguments a computation lacks, and which it does not have, in our own words."""
    parameters = inspect.signature(COMPUTATIONS[name]).parameters
    stated = value.parameters("full")
    missing = [
        f"the argument {parameter.name!r} is missing"
        for parameter in parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind is not parameter.VAR_KEYWORD
        and parameter.name not in stated
    ]
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return missing
    unknown = [
        f"there is no argument {name!r}; {did_you_mean(name, list(parameters))}"
        for name in stated
        if name not in parameters
    ]
    return missing + unknown
