"""What a table of scores says, in sentences: rankings, and where the measures disagree."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from causalassay.factorial.evaluation import CONSISTENT, EMPTY, MEASURES, ScoreRow
from causalassay.factorial.intervals import Mean, mean_of


class Preference(NamedTuple):
    """A pair of rows that two measures order differently, both beyond chance."""

    better: str
    worse: str
    by: str
    difference: Mean
    against: str
    other_difference: Mean


def sentences(rows: Sequence[ScoreRow]) -> tuple[str, ...]:
    """Return the ranking that each measure gives, and where rankings contradict each other."""
    algorithms = [row for row in rows if row.role == "algorithm" and _scored(row)]
    if not algorithms:
        return ("No algorithm has a score: the table has the reasons.",)
    said = [f"{measure} ranks {_ranking(algorithms, measure)}." for measure in MEASURES]
    contradictions = disagreements(algorithms)
    if contradictions:
        said += [_disagreement(one) for one in contradictions]
    elif len(algorithms) > 1:
        said.append("No two measures order a pair of algorithms in opposite ways beyond chance.")
    return (*said, *_beside_references(rows, algorithms))


def disagreements(rows: Sequence[ScoreRow]) -> tuple[Preference, ...]:
    """Return pairs that TV orders one way and SHD or SID the other, both intervals beyond 0."""
    found = []
    for one, other in combinations(rows, 2):
        by_tv = _difference(one, other, "TV")
        for measure in ("SHD", "SID"):
            structural = _difference(one, other, measure)
            if _sign(by_tv) * _sign(structural) < 0:
                better, worse = (one, other) if by_tv.value < 0 else (other, one)
                found.append(
                    Preference(
                        better.name,
                        worse.name,
                        "TV",
                        _difference(better, worse, "TV"),
                        measure,
                        _difference(better, worse, measure),
                    )
                )
    return tuple(found)


def _difference(one: ScoreRow, other: ScoreRow, measure: str) -> Mean:
    """Return the mean paired difference over repeats, smaller is better."""
    return mean_of(one.by_repeat[measure] - other.by_repeat[measure])


def _sign(difference: Mean) -> int:
    if difference.high < 0:
        return -1
    return 1 if difference.low > 0 else 0


def _scored(row: ScoreRow) -> bool:
    return row.mean("TV").n > 0


def _ranking(rows: Sequence[ScoreRow], measure: str) -> str:
    ordered = sorted(rows, key=lambda row: row.mean(measure).value)
    digits = 2 if measure == "TV" else 1
    text = ordered[0].name + _value(ordered[0], measure, digits)
    for before, row in zip(ordered, ordered[1:], strict=False):
        apart = _sign(_difference(before, row, measure)) < 0
        text += f"{', then ' if apart else ' / '}{row.name}{_value(row, measure, digits)}"
    return f"{text}; a slash: undecided" if " / " in text else text


def _value(row: ScoreRow, measure: str, digits: int) -> str:
    return f" ({row.mean(measure).value:.{digits}f})"


def _disagreement(one: Preference) -> str:
    return (
        f"{one.by} prefers {one.better} to {one.worse} (difference {_signed(one.difference, 2)}), "
        f"{one.against} prefers {one.worse} ({_signed(one.other_difference, 1)})."
    )


def _signed(mean: Mean, digits: int) -> str:
    return f"{mean.value:+.{digits}f}, 95 % {mean.low:+.{digits}f} to {mean.high:+.{digits}f}"


def _beside_references(rows: Sequence[ScoreRow], algorithms: Sequence[ScoreRow]) -> list[str]:
    named = {row.name: row for row in rows if row.role == "reference"}
    empty, consistent = named[EMPTY], named[CONSISTENT]
    said = []
    if _scored(empty):
        better = [row.name for row in algorithms if _sign(_difference(row, empty, "TV")) < 0]
        worse = [row.name for row in algorithms if _sign(_difference(row, empty, "TV")) > 0]
        for names, side in ((better, "closer to"), (worse, "further from")):
            if names:
                verb = "is" if len(names) == 1 else "are"
                said.append(
                    f"{', '.join(names)} {verb} {side} the experiment's laws than the empty graph "
                    f"(TV {empty.mean('TV').value:.2f})."
                )
        if not better:
            said.append("No algorithm is shown to be closer than the empty graph.")
    if _scored(empty) and _scored(consistent):
        gap = _difference(consistent, empty, "TV")
        if _sign(gap) > 0:
            said.append(
                f"The consistent graph (SHD 0, SID 0) has a larger TV than the empty one "
                f"({consistent.mean('TV').value:.2f} against {empty.mean('TV').value:.2f}): with "
                "these rows estimating it costs more than it gains."
            )
    return said
