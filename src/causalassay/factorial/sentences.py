"""What a table of scores says, in sentences: rankings, and where the measures disagree."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from causalassay.factorial.evaluation import CONSISTENT, EMPTY, FLOOR, MEASURES, ScoreRow
from causalassay.factorial.intervals import LEVEL, Mean, mean_of


class Preference(NamedTuple):
    """A pair of rows that two measures order differently, both beyond chance."""

    better: str
    worse: str
    by: str
    difference: Mean
    against: str
    other_difference: Mean


class Comparisons:
    """Paired differences between the rows of an evaluation, over its repeats.

    All that an evaluation says of them is corrected together (Bonferroni): with 5 % or less
    any of its claims on an order is wrong by chance, as far as the draw of the bias goes.

    Parameters
    ----------
    rows : sequence of ScoreRow
    """

    def __init__(self, rows: Sequence[ScoreRow]) -> None:
        n_algorithms = sum(row.role == "algorithm" for row in rows)
        among_algorithms = n_algorithms * (n_algorithms - 1) // 2
        n_claims = len(MEASURES) * among_algorithms + n_algorithms + 1
        self._level = 1 - (1 - LEVEL) / n_claims

    def sign(self, one: ScoreRow, other: ScoreRow, measure: str) -> int:
        """Return -1 where the first is shown to be smaller, 1 where larger, 0 if undecided."""
        difference = mean_of(one.by_repeat[measure] - other.by_repeat[measure], self._level)
        if difference.high < 0:
            return -1
        return 1 if difference.low > 0 else 0


def headline(rows: Sequence[ScoreRow]) -> str:
    """Return the sentence to read first."""
    named = {row.name: row for row in rows if row.role == "reference"}
    scored = _ranked([row for row in rows if row.role == "algorithm" and _scored(row)], "TV")
    if not scored:
        return "No algorithm could be judged."
    best, compared = scored[0], Comparisons(rows)
    tied = [row for row in scored if compared.sign(best, row, "TV") == 0]
    if compared.sign(best, named[EMPTY], "TV") >= 0:
        claim = "No algorithm is shown to be closer to the experiment than the empty graph"
    elif len(tied) == 1:
        claim = f"{best.name} comes closest to the experiment"
    else:
        claim = f"{len(tied)} of {len(scored)} algorithms may be closest to the experiment"
    compared_with = ((best, best.name), (named[EMPTY], "empty graph"), (named[FLOOR], "floor"))
    values = ", ".join(f"{name} {row.mean('TV').value:.2f}" for row, name in compared_with)
    return f"{claim} (TV: {values})."


def sentences(rows: Sequence[ScoreRow]) -> tuple[str, ...]:
    """Return the ranking that each measure gives, and where rankings contradict each other."""
    algorithms = [row for row in rows if row.role == "algorithm" and _scored(row)]
    if not algorithms:
        return ("No algorithm has a score: the table has the reasons.",)
    compared = Comparisons(rows)
    said = [f"{measure} ranks {_ranking(algorithms, measure, compared)}." for measure in MEASURES]
    contradictions = disagreements(algorithms, compared)
    if contradictions:
        said += [_disagreement(one) for one in contradictions]
    elif len(algorithms) > 1:
        said.append("No two measures order a pair of algorithms in opposite ways beyond chance.")
    return (*said, *_beside_references(rows, algorithms, compared))


def disagreements(rows: Sequence[ScoreRow], compared: Comparisons) -> tuple[Preference, ...]:
    """Return pairs that TV orders one way and SHD or SID the other, both beyond chance."""
    found = []
    for one, other in combinations(rows, 2):
        by_tv = compared.sign(one, other, "TV")
        for measure in ("SHD", "SID"):
            if by_tv * compared.sign(one, other, measure) < 0:
                better, worse = (one, other) if by_tv < 0 else (other, one)
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


def _scored(row: ScoreRow) -> bool:
    return row.mean("TV").n > 0


def _ranked(rows: Sequence[ScoreRow], measure: str) -> list[ScoreRow]:
    return sorted(rows, key=lambda row: row.mean(measure).value)


def _ranking(rows: Sequence[ScoreRow], measure: str, compared: Comparisons) -> str:
    ordered = _ranked(rows, measure)
    digits = 2 if measure == "TV" else 1
    text = ordered[0].name + _value(ordered[0], measure, digits)
    for before, row in zip(ordered, ordered[1:], strict=False):
        apart = compared.sign(before, row, measure) < 0
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


def _beside_references(
    rows: Sequence[ScoreRow], algorithms: Sequence[ScoreRow], compared: Comparisons
) -> list[str]:
    named = {row.name: row for row in rows if row.role == "reference"}
    empty, consistent = named[EMPTY], named[CONSISTENT]
    said = []
    if _scored(empty):
        better = [row.name for row in algorithms if compared.sign(row, empty, "TV") < 0]
        worse = [row.name for row in algorithms if compared.sign(row, empty, "TV") > 0]
        for names, side in ((better, "closer to"), (worse, "further from")):
            if names:
                verb = "is" if len(names) == 1 else "are"
                said.append(
                    f"{', '.join(names)} {verb} {side} the experiment's laws than the empty graph "
                    f"(TV {empty.mean('TV').value:.2f})."
                )
        if not better:
            said.append("No algorithm is shown to be closer than the empty graph.")
    if _scored(empty) and _scored(consistent) and compared.sign(consistent, empty, "TV") > 0:
        said.append(
            f"The consistent graph (SHD 0, SID 0) has a larger TV than the empty one "
            f"({consistent.mean('TV').value:.2f} against {empty.mean('TV').value:.2f}): with "
            "these rows estimating it costs more than it gains."
        )
    return said
