"""What a reproduction found: a line for each published value, and their counts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, assert_never

from causalassay.lab.papers.estimates import (
    Cases,
    Choice,
    Estimate,
    Extremes,
    NotRun,
    Ours,
    Several,
    joint_level,
)
from causalassay.lab.papers.paper import Paper
from causalassay.lab.papers.pictures import Picture
from causalassay.lab.papers.published import (
    BAD,
    FEWEST_BLOCKS,
    Outcome,
    PublishedValue,
    Size,
    agrees_with_our_spread,
    allowed_difference,
    chance_of_disagreement,
    is_close,
    judged,
)
from causalassay.present import Shown
from causalassay.present.formatting import Interval, counted, fixed, formatted

if TYPE_CHECKING:
    import pandas as pd

    from causalassay.present import Document


NOT_CONTRADICTED = "not contradicted"
"""How a number that agrees is worded where chance could have moved it far."""

_SOURCES = {"print": "", "notebook": " (authors' notebook)", "notes": " (our notes)"}


@dataclass(frozen=True)
class Line:
    """A published value with ours.

    Parameters
    ----------
    value : PublishedValue
        The value that the paper states.
    ours : Estimate, Several, Extremes, Cases, Choice or NotRun, optional
        None if it is not computable.
    outcome : str
        How the two compare, such as "agrees" or "not run".
    """

    value: PublishedValue
    ours: Ours | None
    outcome: Outcome

    @property
    def worded(self) -> str:
        """The outcome in words: a number may be not contradicted, a claim hold for a stand-in."""
        if self.of_stand_in:
            return f"stand-in: {self.of_stand_in}"
        if self.outcome == "agrees" and not is_close(self.value, self.ours):
            return NOT_CONTRADICTED
        return self.outcome

    @property
    def of_stand_in(self) -> Outcome | None:
        """How the claim comes out for an algorithm of ours in place of the paper's, if one is."""
        if self.outcome != "stand-in" or self.ours is None or isinstance(self.ours, NotRun):
            return None
        return judged(self.value, self.ours)

    @property
    def with_our_spread(self) -> str:
        """The outcome if the paper's spread is taken to be ours; empty if there is no choice."""
        agrees = agrees_with_our_spread(self.value, self.ours)
        return "" if agrees is None else "agrees" if agrees else "disagrees"

    @property
    def published(self) -> str:
        """What is published, and where it is from if not from print."""
        return self.value.shown + _SOURCES[self.value.source]

    @property
    def ours_cell(self) -> Interval | float | str:
        """Our number with its 99 % interval; in words what is no single number; nan without."""
        decimals = decimals_of(self.value.printed)
        match self.ours:
            case None | NotRun():
                return math.nan
            case Cases(checked, violated):
                return f"violated in {violated} of {checked}"
            case Choice(best, behind):
                return f"best: {best}; theirs less it: {formatted(_with_limits(behind, 3))}"
            case Extremes():
                return f"{_limits(self.ours.interval(), decimals)} (blocks)"
            case Estimate():
                return _with_limits(self.ours, decimals)
            case Several(estimates):
                noun = "numbers" if self.value.kind in {"number", "bound"} else "differences"
                return f"{len(estimates)} {noun}, all {_around(estimates, decimals)}"
        assert_never(self.ours)

    @property
    def ours_text(self) -> str:
        """Our number with its 99 % interval, in words."""
        return formatted(self.ours_cell, "digits")

    @property
    def why(self) -> str:
        """Why it does not agree or has no number, what is ours in a claim, and on which data."""
        parts = [f"on {self.value.other_data}"] if self.value.other_data else []
        if self.value.stand_in:
            parts.append(f"with {self.value.stand_in}")
        if self.value.ambiguous:
            parts.append(f"ambiguous: {self.value.ambiguous}")
        if isinstance(self.ours, NotRun):
            parts.append(self.ours.reason)
        elif isinstance(self.ours, Extremes) and self.outcome == "not run":
            needed = FEWEST_BLOCKS * self.ours.block
            parts.append(f"an extreme needs {needed} replicates: --size full")
        if lost := _lost(self.ours):
            parts.append(f"{counted(lost, 'draw')} without a number")
        if self.value.reason:
            parts.append(self.value.reason)
        elif self.value.remark:
            parts.append(self.value.remark)
        elif self.outcome in BAD:
            parts.append("no reason known")
        return "; ".join(parts)

    @property
    def chance(self) -> float:
        """How probable it is that chance alone makes it disagree."""
        if self.ours is None or self.outcome not in {"agrees", "disagrees"}:
            return 0.0
        return chance_of_disagreement(self.value, self.ours)

    def _allowed(self) -> float | None:
        """Return how far a single number of ours may be from the published one."""
        if self.value.kind != "number" or not isinstance(self.ours, Estimate):
            return None
        return allowed_difference(self.value, self.ours)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        ours = self.ours
        interval = ours.interval() if isinstance(ours, Estimate | Extremes) else (None, None)
        return {
            "item": self.value.item,
            "id": self.value.id,
            "kind": self.value.kind,
            "data": self.value.other_data,
            "stand-in": self.value.stand_in,
            "row": self.value.row,
            "column": self.value.column,
            "published": self.value.shown,
            "value": self.value.value,
            "quote": self.value.quote,
            "rounding and reading error": self.value.slack,
            "allowed difference": self._allowed(),
            "ours": ours.value if isinstance(ours, Estimate) else None,
            "low": interval[0],
            "high": interval[1],
            "shown": self.ours_text,
            "each": _each(ours, decimals_of(self.value.printed)),
            "draws": ours.draws if isinstance(ours, Estimate) else None,
            "without a number": _lost(ours),
            "outcome": self.outcome,
            "worded": self.worded,
            "with our spread": self.with_our_spread,
            "source": self.value.source,
            "why": self.why,
        }


@dataclass(frozen=True)
class Effort:
    """What a reproduction took.

    Parameters
    ----------
    seconds : float
        Of this call; rows and values of earlier calls are not computed again.
    runs : int
        Runs of algorithms in all its studies, those of earlier calls included.
    run_seconds : float
        What the algorithms of these runs took, one after the other.
    """

    seconds: float
    runs: int = 0
    run_seconds: float = 0.0


@dataclass(frozen=True, repr=False)
class Reproduction(Shown):
    """All lines of a run, and what it took."""

    paper: Paper
    size: Size
    lines: tuple[Line, ...]
    pictures: tuple[Picture, ...]
    effort: Effort

    @property
    def counts(self) -> Counter[str]:
        """Lines by outcome."""
        return Counter(line.outcome for line in self.lines)

    @property
    def items(self) -> list[str]:
        """The items that have lines, in the order of the paper."""
        named = {line.value.item for line in self.lines}
        return [item.name for item in self.paper.items if item.name in named]

    def lines_of(self, item: str) -> list[Line]:
        """Return the lines of an item."""
        return [line for line in self.lines if line.value.item == item]

    @property
    def sentences(self) -> list[str]:
        """The counts in words."""
        return count_sentences(self.lines)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "paper": self.paper.slug,
            "size": self.size,
            "counts": dict(self.counts),
            "seconds": round(self.effort.seconds, 1),
            "lines": [line.to_dict() for line in self.lines],
        }

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each published value."""
        import pandas as pd  # noqa: PLC0415

        return pd.DataFrame([line.to_dict() for line in self.lines])

    def document(self) -> Document:
        """Return what the reproduction shows."""
        from causalassay.lab.papers.document import reproduction_document  # noqa: PLC0415

        return reproduction_document(self)


def count_sentences(lines: Sequence[Line]) -> list[str]:
    """Return how many values agree, and how many disagreements chance alone gives."""
    counts = Counter(line.outcome for line in lines)
    numbers, claims = counts["agrees"] + counts["disagrees"], counts["holds"] + counts["fails"]
    sentences = []
    if numbers:
        weak = sum(line.worded == NOT_CONTRADICTED for line in lines)
        merely = f", {weak} of them merely not contradicted" if weak else ""
        sentences.append(f"Numbers: {counts['agrees']} of {numbers} agree{merely}.")
    if claims or counts["open"]:
        sentences.append(
            f"Claims: {counts['holds']} hold, {counts['fails']} fail, {counts['open']} open"
            f"{_of_our_data(lines)}."
        )
    if counts["stand-in"]:
        ours = Counter(line.of_stand_in for line in lines)
        sentences.append(
            f"Claims on an algorithm of ours in place of the paper's, counted for neither: "
            f"{ours['holds']} hold, {ours['fails']} fail, {ours['open']} open."
        )
    if others := counts["other data"]:
        sentences.append(f"Numbers not judged, for ours are from other data: {others}.")
    if left := counts["not run"] + counts["not computed"]:
        sentences.append(
            f"Without a number of ours: {left} ({counts['not run']} not run, "
            f"{counts['not computed']} not computable)."
        )
    if random := [line.chance for line in lines if line.chance]:
        sentences.append(
            f"Chance alone makes about {sum(random):.1f} of "
            f"{counted(len(random), 'random number')} disagree at this level (99 %)."
        )
    return sentences


def _of_our_data(lines: Sequence[Line]) -> str:
    """Return how many claims were judged on data of ours, in brackets, or nothing."""
    judged = Counter(
        line.outcome
        for line in lines
        if line.value.other_data and line.outcome in {"holds", "fails", "open"}
    )
    if not judged:
        return ""
    return (
        f" (of these {judged['holds']} hold, {judged['fails']} fail, {judged['open']} open "
        "on experiments of ours)"
    )


def decimals_of(printed: str) -> int:
    """Return how many decimals ours is shown with: two more than printed, at most 5.

    Examples
    --------
    >>> decimals_of("0.97"), decimals_of("61.945"), decimals_of("3/4")
    (4, 5, 3)
    """
    _, point, places = printed.partition(".")
    if not point:
        return 3
    return min(len(places.rstrip("%")) + 2, 5)


def _with_limits(ours: Estimate, decimals: int) -> Interval | str:
    if 0 < abs(ours.value) < 10**-decimals:
        return f"{ours.value:.1e}"
    known = ours.standard_error != 0 and not math.isinf(ours.standard_error)
    return Interval(ours.value, *(ours.interval() if known else (math.nan, math.nan)), decimals)


def _around(estimates: Sequence[Estimate], decimals: int) -> str:
    """Return what holds all their intervals, such as small p-values."""
    ends = [estimate.interval(joint_level(estimates)) for estimate in estimates]
    low, high = min(end[0] for end in ends), max(end[1] for end in ends)
    if 0 <= low <= high < 10**-decimals:
        return f"below {10**-decimals:g}"
    return f"in {_limits((low, high), decimals)}"


def _limits(limits: tuple[float, float], decimals: int) -> str:
    return f"[{fixed(limits[0], decimals)}, {fixed(limits[1], decimals)}]"


def _each(ours: Ours | None, decimals: int) -> str:
    """Return every number of several, each with its 99 % interval."""
    estimates = ours.estimates if isinstance(ours, Several) else ()
    return "; ".join(formatted(_with_limits(estimate, decimals)) for estimate in estimates)


def _lost(ours: Ours | None) -> int:
    if isinstance(ours, Choice):
        return ours.behind.lost
    if isinstance(ours, Extremes):
        return ours.lost
    return sum(each.lost for each in ours.estimates) if isinstance(ours, Estimate | Several) else 0
