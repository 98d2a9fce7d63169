"""What every result is shown with: documents of blocks, formats of numbers, and five renderers.

A document is what a result shows, before anybody decides where: a headline, blocks and provenance.
A cell of a table holds a value, never a formatted string: its column says how to write it.
This package knows documents and nothing of what they are about. Each result builds its own, in a
file `document.py` beside it.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, Protocol

from causalassay.common.files import check_regular
from causalassay.common.spelling import visible
from causalassay.present.formatting import Format, counted, shortened
from causalassay.present.formatting import Interval as Interval
from causalassay.present.formatting import PValue as PValue
from causalassay.present.formatting import Spread as Spread

Spec = Callable[[], dict[str, Any]]
"""Returns a Vega-Lite specification, such as Altair's `to_dict` does; called when it is drawn."""


class Stated(Protocol):
    """What a block shows of a finding, whatever it is about."""

    @property
    def label(self) -> str:
        """Its kind in a few words."""

    @property
    def sentence(self) -> str:
        """The claim."""

    @property
    def advice(self) -> str:
        """What follows from it; may be empty."""

    @property
    def rule_names(self) -> Sequence[str]:
        """The rules that led to it."""

    @property
    def number_texts(self) -> Mapping[str, str]:
        """The numbers that a reader may want to look up, by what they are."""


class StatedRule(Protocol):
    """What a block shows of a rule."""

    @property
    def text(self) -> str:
        """When it gives its findings, and how often it was wrong."""

    @property
    def rate_text(self) -> str:
        """How often it was wrong, or that this was not measured; a clause."""


@dataclass(frozen=True)
class Marked:
    """A value of a cell that stands out.

    Parameters
    ----------
    value : object
        As any cell has it.
    bold : bool
    warns : bool
        Whether it is something that nobody wants, such as failed runs.
    mark : str
        A word beside it, such as "baseline", or a sign, such as "*".
    hint : str
        A text for whoever points at it.
    link : str
        Where it leads, on pages: an anchor or a file.
    """

    value: object
    bold: bool = False
    warns: bool = False
    mark: str = ""
    hint: str = ""
    link: str = ""

    def __str__(self) -> str:
        return str(self.value)

    @property
    def has_word(self) -> bool:
        """Whether its mark is a word, not a sign."""
        return any(map(str.isalnum, self.mark))

    @property
    def mark_text(self) -> str:
        """What stands behind the value in plain text: a word in brackets, a sign as it is.

        Examples
        --------
        >>> Marked(1, mark="baseline").mark_text, Marked(1, mark="*").mark_text, Marked(1).mark_text
        (' (baseline)', ' *', '')
        """
        return f" ({self.mark})" if self.has_word else f" {self.mark}" if self.mark else ""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    key : str
        Its name in data frames and JSON.
    heading : str
    format : Format
        How its values are written.
    priority : int
        A terminal too narrow for all columns drops those with the lowest first; 9 is never
        dropped.
    align : {"", "left", "right"}
        Default: texts to the left, numbers to the right.
    hint : str
        What the column is, for whoever points at its heading.
    """

    key: str
    heading: str
    format: Format = "text"
    priority: int = 9
    align: Literal["", "left", "right"] = ""
    hint: str = ""

    @property
    def side(self) -> str:
        """Where its cells stand."""
        return self.align or ("left" if self.format == "text" else "right")


@dataclass(frozen=True)
class Prose:
    """A paragraph.

    Parameters
    ----------
    text : str
    look : {"", "aside", "notice", "strong"}
        What is less important, what must not be missed, and what comes first.
    """

    text: str
    look: Literal["", "aside", "notice", "strong"] = ""


@dataclass(frozen=True)
class Code:
    """Text that stands as it is, such as a study file or a command."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Facts:
    """Names with their texts; a text may also be `Code`, or `Marked` as a link."""

    items: Mapping[str, object]


@dataclass(frozen=True)
class Findings:
    """Findings, each with its rule and, on demand, its numbers."""

    items: Sequence[Stated]


@dataclass(frozen=True)
class Rules:
    """How rules decide, by name, and how often each was wrong."""

    items: Mapping[str, StatedRule]


@dataclass(frozen=True)
class Table:
    """Columns and rows of values.

    Parameters
    ----------
    id : str
        Letters and hyphens; unique in a document.
    columns : sequence of Column
    rows : sequence of rows
        Each a sequence of as many values as there are columns.
    title : str
        What it is, in a few words.
    caption : str
        How to read it.
    notes : sequence of str
        What a reader must know about single values.
    n_last : int
        So many rows at the end stand below a line: totals, or baselines.
    most : int
        Rows that a terminal prints, unless all are asked for; 0 is all.
    rest : str
        What a terminal says of the others.
    """

    id: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[object]]
    title: str = ""
    caption: str = ""
    notes: Sequence[str] = ()
    n_last: int = 0
    most: int = 0
    rest: str = "--each prints all"

    def records(self) -> list[dict[str, object]]:
        """Return the rows as mappings from keys of columns to plain values."""
        keys = [column.key for column in self.columns]
        return [dict(zip(keys, map(plain_cell, row), strict=True)) for row in self.rows]


@dataclass(frozen=True)
class Figure:
    """A chart.

    Parameters
    ----------
    id : str
        Letters, digits and hyphens; unique in a document.
    spec : callable
        Returns its Vega-Lite specification, with the width and height that it has in print.
    alt : str
        What it shows, in words and numbers.
    caption : str
        What the chart does not say itself; may be empty.
    wide : bool
        Whether it keeps its size, and scrolls by itself where the page is too narrow for it.
    file : str
        Where it was written, as seen from a page in Markdown; without it Markdown leaves it out.
    """

    id: str
    spec: Spec
    alt: str
    caption: str = ""
    wide: bool = False
    file: str = ""


@dataclass(frozen=True)
class GraphFigure:
    """The drawing of a graph.

    Parameters
    ----------
    id : str
    svg : callable
        Returns the drawing; called when it is shown.
    caption : str
    """

    id: str
    svg: Callable[[], str]
    caption: str


@dataclass(frozen=True)
class Fold:
    """Blocks that open on a click.

    Parameters
    ----------
    title : str
    blocks : sequence of Block
    option : str
        The option of a command that has a terminal print them; without one none does.
    printed : bool
        Whether they are on paper, too.
    id : str
        The anchor that leads to them; may be empty.
    """

    title: str
    blocks: Sequence[Block]
    option: str = ""
    printed: bool = False
    id: str = ""


@dataclass(frozen=True)
class Section:
    """Blocks under a heading; a terminal leaves the heading out.

    Parameters
    ----------
    id : str
    title : str
    blocks : sequence of Block
    option : str
        The option of a command that has a terminal print them; without one it always does.
    """

    id: str
    title: str
    blocks: Sequence[Block]
    option: str = ""


@dataclass(frozen=True)
class Beside:
    """A picture and a table that stand beside each other where there is room."""

    blocks: Sequence[Block]


Block = (
    Prose | Code | Facts | Findings | Rules | Table | Figure | GraphFigure | Fold | Section | Beside
)


@dataclass(frozen=True)
class Document:
    """What a result shows.

    Parameters
    ----------
    title : str
    headline : Stated or str
        The claim that a reader takes away.
    blocks : sequence of Block
    provenance : sequence of Block
        What it was made from and with. Pages end with it, LaTeX tables begin with it as
        comments, terminals leave it out.
    about : str
        How large what was looked at is, in a few words.
    rules : mapping
        The rules that led to its findings, by name.
    """

    title: str
    headline: Stated | str
    blocks: Sequence[Block] = ()
    provenance: Sequence[Block] = ()
    about: str = ""
    rules: Mapping[str, StatedRule] = field(default_factory=dict)

    def tables(self) -> list[Table]:
        """Return all tables, also those in sections and folds."""
        return [block for block in flattened(self.blocks) if isinstance(block, Table)]


def flattened(blocks: Sequence[Block]) -> list[Block]:
    """Return blocks with those inside sections and folds in their places.

    Examples
    --------
    >>> flattened([Section("a", "A", [Prose("b")])])
    [Prose(text='b', look='')]
    """
    every: list[Block] = []
    for block in blocks:
        every += flattened(block.blocks) if isinstance(block, Section | Fold | Beside) else [block]
    return every


def plain_cell(value: object) -> object:
    """Return the value of a cell without its marks; an interval as a list of three numbers.

    Examples
    --------
    >>> plain_cell(Marked(Interval(1, 0, 2), bold=True)), plain_cell(PValue(0.5))
    ([1, 0, 2], 0.5)
    """
    match value:
        case Marked():
            return plain_cell(value.value)
        case Interval():
            return [value.value, value.low, value.high]
        case PValue():
            return value.value
        case Spread():
            return [value.mean, value.deviation]
        case tuple():
            return [plain_cell(part) for part in value]
        case _:
            return value


LONGEST_LINE = 200
MOST_LINES = 10


class Shown(ABC):
    """A result that has a document.

    `repr` gives at most ten lines: what it is, its headline, and how to see the rest.
    """

    @abstractmethod
    def document(self) -> Document:
        """Return what the result shows."""

    def _repr_html_(self) -> str:
        from causalassay.present.html import fragment  # noqa: PLC0415  # only notebooks need it

        return fragment(self.document())

    def __repr__(self) -> str:
        document = self.document()
        claim = document.headline
        headline = claim if isinstance(claim, str) else claim.sentence
        lines = [
            f"{type(self).__name__}: {document.about or document.title}",
            headline,
            *(
                f"{table.title or table.id}: {counted(len(table.rows), 'row')}"
                for table in document.tables()
            ),
        ]
        return "\n".join(shortened(visible(line), LONGEST_LINE) for line in lines[:MOST_LINES])


@dataclass(frozen=True)
class SourceFile:
    """A file that was read.

    Parameters
    ----------
    name : str
        As it was given, without its folder.
    role : {"data", "graph", "data and graph"}
    sha256 : str
        Of its bytes, in hexadecimal.
    """

    name: str
    role: str
    sha256: str


@dataclass(frozen=True)
class Provenance:
    """What a result was made from and with.

    Parameters
    ----------
    seed : int
    settings : mapping
        The options by name.
    files : tuple of SourceFile
    version : str
        Of causalassay.
    """

    seed: int
    settings: Mapping[str, object]
    files: tuple[SourceFile, ...]
    version: str

    def to_dict(self) -> dict[str, object]:
        """Return plain values for JSON."""
        return {
            "version": self.version,
            "seed": self.seed,
            "settings": dict(self.settings),
            "files": [vars(file) for file in self.files],
        }

    def blocks(self, command: str, date: str) -> tuple[Block, ...]:
        """Return what a page says of it.

        Parameters
        ----------
        command : str
            The command line that made the result.
        date : str
        """
        words = {None: "not given", True: "yes", False: "no"}
        settings = "; ".join(
            f"{name}: {words[value] if value is None or isinstance(value, bool) else value}"
            for name, value in self.settings.items()
        )
        facts = Facts(
            {
                "version": f"causalassay {self.version}",
                "command": command,
                "seed": self.seed,
                "settings": settings,
                "date": date,
            }
        )
        if not self.files:
            return (facts,)
        columns = (Column("name", "file"), Column("role", "role"), Column("sha256", "SHA-256"))
        rows = [(file.name, file.role, file.sha256) for file in self.files]
        return facts, Table("files", columns, rows, "Files that were read")


def provenance(seed: int, settings: Mapping[str, object], files: Mapping[Path, str]) -> Provenance:
    """Return what a result was made from: the hash of each file, by its role.

    Parameters
    ----------
    seed : int
    settings : mapping
    files : mapping of Path to role

    Examples
    --------
    >>> provenance(0, {"bootstrap": 200}, {}).to_dict()["seed"]
    0
    """
    from importlib.metadata import version  # noqa: PLC0415  # takes 20 ms to import

    hashed = tuple(SourceFile(path.name, role, sha256(path)) for path, role in files.items())
    return Provenance(seed, settings, hashed, version("causalassay"))


def sha256(path: Path) -> str:
    """Return the SHA-256 of a regular file in hexadecimal."""
    check_regular(path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def today() -> str:
    """Return the date in UTC."""
    return datetime.now(UTC).date().isoformat()
