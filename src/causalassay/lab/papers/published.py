"""The published values of a paper, and when our number agrees with one.

The rule is fixed before any run.

Numbers
    With our estimate m and its standard error s, and the paper's own standard error S where
    its spread or its number of draws gives one: the value agrees if
    ``|m - value| <= q * sqrt(s^2 + S^2) + rounding + reading error``, q being the 99.5 %
    quantile (Student's, by our number of draws). The two errors are independent, so they add
    in quadrature. Where the paper prints a number r of draws and no spread, S is our spread
    at r draws, ``s * sqrt(R / r)``.
    An S that comes from few draws is itself uncertain: with the 10 draws of many tables about
    3 %, not 1 %, of true values disagree (`chance_of_disagreement`). The count under a table
    says so; the rule is not widened for it.
Exact numbers
    ``|m - value| <= rounding + 1e-9``, and the paper's S where it has one.
Extremes
    The printed minimum or maximum of r draws agrees if it lies, widened by its rounding,
    between the 0.5 % and 99.5 % quantiles of the extremes of our blocks of r draws.
Bounds and orderings
    Our 99 % interval of the number, or of the paired difference, lies wholly on the claimed
    side ("holds"), wholly on the other ("fails"), or on both ("open"). A claim about k
    numbers takes intervals of level 1 - 0.01 / k, holds if all do and fails if one does.
Identities
    Hold if no case violates them.
Choices
    A setting that the paper picked from a grid agrees if our score at it is not below our
    best score of the grid: the 99 % interval of the paired difference reaches 0. Our best is
    the best of many, so a choice as good as it disagrees a little more often than 1 in 100.
Other data
    Where an experiment of ours stands in for data that the paper's authors had, a number is
    another system's: it is shown beside theirs and not judged. A claim is judged as any other.
Stand-ins
    Where an algorithm of ours stands in for one of the paper's that cannot be had, a claim is
    judged for ours alone. It is worded "stand-in: holds", and counts neither for the paper's
    claim nor against it.
Not contradicted
    A random number that agrees is worded "not contradicted" if chance alone may move it by more
    than a tenth of what is printed (`is_close`): it says little then. The outcome stays "agrees".
Ambiguous
    A statement that can be read in two ways which come out differently is open, not failing.
Several numbers
    Of k numbers for one published value each takes the level 1 - 0.01 / k, as a claim's.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, Literal, assert_never, get_args

from pydantic import Field, model_validator
from scipy import stats

from causalassay.lab.papers.estimates import (
    LEVEL,
    Cases,
    Choice,
    Estimate,
    Extremes,
    NotRun,
    Ours,
    Several,
    joint_level,
)
from causalassay.study.language.tables import StrictTable

Size = Literal["fast", "full"]
Kind = Literal["number", "bound", "ordering", "identity", "choice"]
Relation = Literal["<", ">", "≤", "≥", "=", "≈"]
Source = Literal["print", "notebook", "notes"]


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

    ``data`` names the data set whose files the study reads, ``card`` a file of the same runs for a
    graphics card: its rows stand in place of those of ``file`` where they are, or can be computed.
    """

    file: Text
    data: Text = ""
    card: Text = ""
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


_NUMBER = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+|\d+/[1-9]\d*|\d*\.?\d+(?:e-?\d{1,2})?)")
_VALUED = ("number", "bound", "choice")
"""Kinds that have a value."""


def printed_number(printed: str) -> float | None:
    """Return what a paper prints as a number; None if it prints something else.

    Examples
    --------
    >>> printed_number(".50"), printed_number("5,000"), printed_number("3/4")
    (0.5, 5000.0, 0.75)
    >>> printed_number("1e-4"), printed_number("2-5"), printed_number("-")
    (0.0001, None, None)
    """
    return float(Fraction(printed.replace(",", ""))) if _NUMBER.fullmatch(printed) else None


def with_quotes_of_rows(tables: Sequence[Any]) -> list[Any]:
    """Return tables of values in which one without a quote has that of the one above it.

    Only in the same row of an item: elsewhere a forgotten quote would be another statement's.

    Examples
    --------
    >>> rows = [{"item": "table-1", "row": row} for row in ("ER", "ER", "SF")]
    >>> rows[0]["quote"] = "ER 0.94 0.97"
    >>> [row.get("quote") for row in with_quotes_of_rows(rows)]
    ['ER 0.94 0.97', 'ER 0.94 0.97', None]
    """
    completed: list[Any] = []
    above: Mapping[str, Any] = {}
    for table in tables:
        if isinstance(table, Mapping):  # what is no table is refused later
            above = {**_quote_of(above, table), **table}
        completed.append(above if isinstance(table, Mapping) else table)
    return completed


def _quote_of(above: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the quote of the value above, if it is in the row of a table."""
    in_row = "row" in table and all(table.get(key) == above.get(key) for key in ("item", "row"))
    return {"quote": above["quote"]} if in_row and "quote" in above else {}


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
        Of a number, a bound or a choice. If it is not stated it is what `printed` says, so that
        a correction is made once. A number that is not judged may be without: a hyphen.
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
        From the text. In a file the first value of a row has it for those below.
    ours : table
        ``compute`` names how; the rest are its parameters. A parameter that depends on the
        size is a table of ``fast`` and ``full``.
    other_data : str
        Which data of ours stand in for the paper's, such as "our HTTP experiment". A number
        from them is not judged; a claim is.
    stand_in : str
        Which algorithm of ours a claim is computed with in place of the paper's, and in place of
        which.
    reason : str
        Why it is not computed; then there is no `ours`.
    source : {"print", "notebook", "notes"}
        Whether the paper's text has it, or a figure of the authors' notebook, or only our notes
        on their method.
    ambiguous : str
        How else the statement can be read, if that comes out differently.
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
    stand_in: Text = ""
    source: Annotated[Source, Field(description=_one_of(Source))] = "print"
    ambiguous: Text = ""
    reason: Text = ""
    remark: Text = ""

    @model_validator(mode="before")
    @classmethod
    def _read_printed(cls, table: Any) -> Any:
        """Take the value from what is printed, unless it is stated."""
        if not isinstance(table, Mapping) or table.get("kind") not in _VALUED or "value" in table:
            return table
        printed = table.get("printed")
        return {**table, "value": printed_number(printed) if isinstance(printed, str) else None}

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
        return {
            key: sized(parameter, size) for key, parameter in self.ours.items() if key != "compute"
        }


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


# The rule of agreement.

Outcome = Literal[
    "agrees",
    "disagrees",
    "holds",
    "fails",
    "open",
    "stand-in",
    "other data",
    "not run",
    "not computed",
]

GOOD: tuple[Outcome, ...] = ("agrees", "holds")
BAD: tuple[Outcome, ...] = ("disagrees", "fails")

FEWEST_BLOCKS = 200
"""Blocks without which the outer half per cent of their extremes is not seen."""

ROUNDING_ERROR = 1e-9
"""Allowed even for an exact number of ours."""


def outcome_of(value: PublishedValue, ours: Ours) -> Outcome:
    """Return whether ours agrees with what is published.

    Examples
    --------
    >>> value = PublishedValue(id="v", item="table-1", kind="number", value=0.97,
    ...     rounding=0.005, quote="0.97", ours={"compute": "study"})
    >>> outcome_of(value, Estimate(0.973)), outcome_of(value, Estimate(0.98))
    ('agrees', 'disagrees')
    """
    if isinstance(ours, NotRun):
        return "not run"
    if value.other_data and value.kind in {"number", "choice"}:
        return "other data"
    if value.stand_in:
        return "stand-in"
    return judged(value, ours)


def judged(value: PublishedValue, ours: Estimate | Several | Extremes | Cases | Choice) -> Outcome:
    """Return how ours compares with what is published, whatever data or algorithm ours has.

    Examples
    --------
    >>> value = PublishedValue(id="v", item="figure-5a", kind="ordering", relation=">",
    ...     claim="AVICI is better on raw data", stand_in="amortized in place of AVICI",
    ...     quote="AVICI is better", ours={"compute": "study"})
    >>> outcome_of(value, Estimate(0.2, 0.01, 100)), judged(value, Estimate(0.2, 0.01, 100))
    ('stand-in', 'holds')
    """
    outcome = _compared(value, ours)
    return "open" if value.ambiguous and outcome == "fails" else outcome


def _compared(
    value: PublishedValue, ours: Estimate | Several | Extremes | Cases | Choice
) -> Outcome:
    match ours:
        case Cases():
            return "fails" if ours.violated else "holds"
        case Choice():
            return _agrees(ours.behind.interval()[1] >= 0)
        case Extremes():
            return _among(value, ours)
        case Estimate() | Several():
            level = joint_level(ours.estimates)
            if value.kind == "number":
                return _agrees(all(_near(value, each, level) for each in ours.estimates))
            sides = [_side(value, each.interval(level)) for each in ours.estimates]
            return "fails" if "fails" in sides else "open" if "open" in sides else "holds"
    assert_never(ours)


def _among(value: PublishedValue, ours: Extremes) -> Outcome:
    """Return whether a published extreme is among those of our blocks."""
    if len(ours.values) < FEWEST_BLOCKS:
        return "not run"
    low, high = ours.interval()
    return _agrees(low - value.slack <= value.number <= high + value.slack)


def _agrees(is_near: bool) -> Outcome:
    return "agrees" if is_near else "disagrees"


def _near(value: PublishedValue, ours: Estimate, level: float) -> bool:
    return abs(ours.value - value.number) <= allowed_difference(value, ours, level)


def allowed_difference(value: PublishedValue, ours: Estimate, level: float = LEVEL) -> float:
    """Return how far a published number may be from ours."""
    theirs = value.standard_error
    if theirs is None:
        drawn = value.replicates if value.replicates and ours.draws else 0
        theirs = ours.standard_error * math.sqrt(ours.draws / drawn) if drawn else 0.0
    both = math.hypot(ours.standard_error, theirs)
    return ours.quantile(level) * both + value.slack + ROUNDING_ERROR


CLOSE = 0.1
"""The share of a printed number by which chance may move one that is said to agree."""


def is_close(value: PublishedValue, ours: Ours | None) -> bool:
    """Return whether agreeing says something: chance may move the number by a tenth at most.

    Examples
    --------
    >>> value = PublishedValue(id="v", item="table-1", kind="number", value=0.5, quote="0.5",
    ...     rounding=0.05, ours={"compute": "study"})
    >>> is_close(value, Estimate(0.5, 0.01, 1000)), is_close(value, Estimate(0.5, 0.1, 1000))
    (True, False)
    """
    if value.kind != "number" or not isinstance(ours, Estimate | Several):
        return True
    level = joint_level(ours.estimates)
    by_chance = max(allowed_difference(value, each, level) for each in ours.estimates)
    return by_chance - value.slack - ROUNDING_ERROR <= CLOSE * abs(value.number) + ROUNDING_ERROR


def agrees_with_our_spread(value: PublishedValue, ours: Ours | None) -> bool | None:
    """Return whether a number agrees if the paper's spread is taken to be ours at its draws.

    None unless the paper prints a spread and a number of draws: only then is there a second way.
    The outcome does not depend on it.

    Examples
    --------
    >>> value = PublishedValue(id="v", item="table-1", kind="number", value=7.6, quote="7.6",
    ...     rounding=0.05, standard_error=1.0, replicates=10, ours={"compute": "study"})
    >>> ours = Estimate(10.5, 0.16, 2000)
    >>> outcome_of(value, ours), agrees_with_our_spread(value, ours)
    ('disagrees', True)
    """
    stated = value.standard_error is not None and value.replicates is not None
    if value.kind != "number" or not stated or not isinstance(ours, Estimate) or not ours.draws:
        return None
    return _near(value.model_copy(update={"standard_error": None}), ours, LEVEL)


def relative_difference(value: PublishedValue, ours: Ours) -> float | None:
    """Return ours less the published number, over what is allowed; None unless it is a number.

    Beyond -1 and 1 they disagree. Of several numbers of ours the farthest counts.

    Examples
    --------
    >>> value = PublishedValue(id="v", item="table-1", kind="number", value=0.97,
    ...     rounding=0.005, quote="0.97", ours={"compute": "study"})
    >>> round(relative_difference(value, Estimate(0.974)), 3)
    0.8
    """
    if value.kind != "number" or not isinstance(ours, Estimate | Several):
        return None
    level = joint_level(ours.estimates)
    relative = [
        (each.value - value.number) / allowed_difference(value, each, level)
        for each in ours.estimates
    ]
    return max(relative, key=abs)


def chance_of_disagreement(value: PublishedValue, ours: Ours) -> float:
    """Return how probable it is that a true number disagrees; 0 for an exact one and a claim.

    Examples
    --------
    >>> value = PublishedValue(id="v", item="table-1", kind="number", value=0.97, quote="0.97",
    ...     standard_error=0.01, replicates=10, ours={"compute": "study"})
    >>> round(chance_of_disagreement(value, Estimate(0.97, 0.001, draws=2000)), 3)
    0.03
    """
    if value.kind != "number":
        return 0.0
    if isinstance(ours, Extremes):
        return 1 - LEVEL
    if isinstance(ours, Several):
        return 0.0 if all(estimate.is_exact for estimate in ours.estimates) else 1 - LEVEL
    if not isinstance(ours, Estimate) or (ours.is_exact and value.standard_error is None):
        return 0.0
    if value.standard_error is None or value.replicates is None:
        return 1 - LEVEL
    return float(2 * stats.t.sf(ours.quantile(), max(value.replicates - 1, 1)))


def _side(value: PublishedValue, interval: tuple[float, float]) -> Outcome:
    """Return on which side of what is claimed an interval lies."""
    limit = value.number if value.kind == "bound" else 0.0
    low, high = interval[0] - limit, interval[1] - limit
    tiny = ROUNDING_ERROR
    match value.relation:
        case ">":
            within, outside = low > 0, high <= 0
        case "<":
            within, outside = high < 0, low >= 0
        case "≥":
            within, outside = low >= -tiny, high < -tiny
        case "≤":
            within, outside = high <= tiny, low > tiny
        case _:  # "≈" and "="
            margin = value.margin + tiny
            within, outside = -margin <= low and high <= margin, high < -margin or low > margin
    return "holds" if within else "fails" if outside else "open"
