"""The published values of a paper as its files state them."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import Field

from causalassay.study.language.table_keys import StrictTable

Size = Literal["fast", "full"]
Kind = Literal["number", "bound", "ordering", "identity"]
Relation = Literal["<", ">", "≤", "≥", "=", "≈"]


class Minutes(StrictTable):
    """How long something takes on two quiet cores; an estimate."""

    fast: Annotated[float, Field(ge=0)] = 0.0
    full: Annotated[float, Field(ge=0)] = 0.0


class Item(StrictTable):
    """A table, a figure or a section.

    ``values`` says why there is none in the text; ``minutes`` is for what is computed by
    functions; ``picture`` names a drawing with its parameters.
    """

    name: str
    what: str
    values: str = ""
    minutes: Minutes = Minutes()
    picture: dict[str, Any] = {}


class StudySize(StrictTable):
    """A study file and how many replicates of it run; 0 leaves it out."""

    file: str
    fast: int = Field(ge=0)
    full: int = Field(ge=1)
    minutes: Minutes

    def replicates(self, size: Size) -> int:
        """Return the replicates of a size."""
        return self.fast if size == "fast" else self.full


class PaperSchema(StrictTable):
    """The file paper.toml: which paper, its items, and what runs for them."""

    title: str
    authors: str
    year: int
    doi: str
    text: str
    items: list[Item] = Field(min_length=1)
    studies: list[StudySize] = []


class PublishedValue(StrictTable):
    """One statement of the paper, and how ours is computed.

    Parameters
    ----------
    id, item : str
        Unique name, and the item it belongs to.
    kind : {"number", "bound", "ordering", "identity"}
    row, column, printed : str
        Where the paper has it, and how it looks there.
    value : float, optional
        Of a number or a bound.
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
    reason : str
        Why it is not computed; then there is no `ours`.
    remark : str
        What is unclear, or why ours differs. It explains a disagreement and never turns it
        into agreement.
    """

    id: str
    item: str
    kind: Kind
    row: str = ""
    column: str = ""
    printed: str = ""
    value: float | None = None
    relation: Relation | None = None
    margin: Annotated[float, Field(ge=0)] = 0.0
    claim: str = ""
    rounding: Annotated[float, Field(ge=0)] = 0.0
    reading_error: Annotated[float, Field(ge=0)] = 0.0
    standard_error: Annotated[float | None, Field(ge=0)] = None
    replicates: Annotated[int | None, Field(ge=1)] = None
    quote: str
    ours: dict[str, Any] = {}
    reason: str = ""
    remark: str = ""

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


class PublishedSchema(StrictTable):
    """The file published.toml."""

    values: list[PublishedValue] = Field(min_length=1)
