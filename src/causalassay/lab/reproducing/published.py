"""The published values of a paper as its files state them."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from causalassay.study.language.tables import StrictTable

Size = Literal["fast", "full"]
Kind = Literal["number", "bound", "ordering", "identity", "choice"]
Relation = Literal["<", ">", "≤", "≥", "=", "≈"]


def _one_of(choices: Any) -> str:
    return "one of " + ", ".join(get_args(choices))


Text = Annotated[str, Field(description="text")]
NotNegative = Annotated[float, Field(ge=0, description="a number from 0")]
Table = Annotated[dict[str, Any], Field(description="a table")]
Tables = Annotated[list[Any], Field(description="a list of tables")]


class Minutes(StrictTable):
    """How long something takes on two quiet cores; an estimate."""

    fast: NotNegative = 0.0
    full: NotNegative = 0.0


_Minutes = Annotated[Minutes, Field(description="a table of fast and full, in minutes")]


class Item(StrictTable):
    """A table, a figure or a section.

    ``values`` says why there is none in the text; ``minutes`` is for what is computed by
    functions; ``picture`` says how it is redrawn: ``draw``, ``x``, ``y``, and ``compute`` with
    its parameters, as of a value.
    """

    name: Text
    what: Text
    values: Text = ""
    minutes: _Minutes = Minutes()
    picture: Table = {}


class StudySize(StrictTable):
    """A study file and how many replicates of it run; 0 leaves it out.

    ``data`` names the data set whose files the study reads.
    """

    file: Text
    data: Text = ""
    fast: int = Field(ge=0, description="replicates, or 0 for none")
    full: int = Field(ge=1, description="replicates")
    minutes: _Minutes

    def replicates(self, size: Size) -> int:
        """Return the replicates of a size."""
        return self.fast if size == "fast" else self.full


class PaperSchema(StrictTable):
    """The file paper.toml; the tables in its lists have schemas of their own."""

    title: Text
    authors: Text
    year: int = Field(description="a year")
    doi: Text
    text: Text
    items: Tables
    studies: Tables = []


class PublishedSchema(StrictTable):
    """The file published.toml; each of its tables is a `PublishedValue`."""

    values: Tables


class PublishedValue(StrictTable):
    """One statement of the paper, and how ours is computed.

    Parameters
    ----------
    id, item : str
        Unique name, and the item it belongs to.
    kind : {"number", "bound", "ordering", "identity", "choice"}
        "choice" is a setting that was picked from a grid.
    row, column, printed : str
        Where the paper has it, and how it looks there.
    value : float, optional
        Of a number, a bound or a choice. A number that is not judged may be without: a hyphen.
    relation : {"<", ">", "≤", "≥", "=", "≈"}, optional
        Of a bound (ours to the value) or an ordering (left to right).
    margin : float
        Of "≈": stated before the run.
    claim : str
        A bound, an ordering or an identity in our words.
    rounding, reading_error : float
        Half a unit of the last printed digit; of a value read off a figure.
    standard_error, replicates : float and int, optional
        The paper's own error, or its number of draws.
    quote : str
        From the text.
    ours : table
        ``compute`` names how; the rest are its parameters. A parameter that depends on the
        size is a table of ``fast`` and ``full``.
    other_data : str
        Which data of ours stand in for the paper's, such as "our HTTP experiment". A number
        from them is not judged; a claim is.
    reason : str
        Why it is not computed; then there is no `ours`.
    remark : str
        What is unclear, or why ours differs. It explains a disagreement and never turns it
        into agreement.
    """

    id: Text
    item: Text
    kind: Annotated[Kind, Field(description=_one_of(Kind))]
    row: Text = ""
    column: Text = ""
    printed: Text = ""
    value: Annotated[float | None, Field(description="a number")] = None
    relation: Annotated[Relation | None, Field(description=_one_of(Relation))] = None
    margin: NotNegative = 0.0
    claim: Text = ""
    rounding: NotNegative = 0.0
    reading_error: NotNegative = 0.0
    standard_error: Annotated[float | None, Field(ge=0, description="a number from 0")] = None
    replicates: Annotated[int | None, Field(ge=1, description="an integer from 1")] = None
    quote: Text
    ours: Table = {}
    other_data: Text = ""
    reason: Text = ""
    remark: Text = ""

    @property
    def number(self) -> float:
        """The value of a number or a bound."""
        assert self.value is not None
        return self.value

    @property
    def slack(self) -> float:
        """How far the printed digits may be from the paper's number."""
        return self.rounding + self.reading_error

    @cached_property
    def shown(self) -> str:
        """What a table shows as published."""
        return self.claim or self.printed or f"{self.number:g}"

    @cached_property
    def place(self) -> str:
        """Row and column, or the name without its item."""
        named = ", ".join(part for part in (self.row, self.column) if part)
        return named or self.id.removeprefix(f"{self.item}/")

    def parameters(self, size: Size) -> dict[str, Any]:
        """Return the parameters of its computation at a size."""
        return {key: sized(one, size) for key, one in self.ours.items() if key != "compute"}


def sized(value: Any, size: Size) -> Any:
    """Return a parameter at a size: of ``{fast = 100, full = 1000}`` one of the two.

    Examples
    --------
    >>> sized({"fast": 100, "full": 1000}, "full"), sized([0.5, 2.0], "fast")
    (1000, [0.5, 2.0])
    """
    if isinstance(value, dict) and set(value) == {"fast", "full"}:
        return value[size]
    return value
