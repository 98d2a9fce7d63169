"""Tables of an evaluation as texts, for the terminal and for pages alike."""

from __future__ import annotations

import math
from collections.abc import Sequence

from causalassay.factorial.evaluation import (
    CONSISTENT,
    EMPTY,
    FLOOR,
    RANDOM_ORDER,
    RANDOMISED,
    UNUSABLE,
    WITHOUT_COVARIATE,
    ScoreRow,
)
from causalassay.factorial.intervals import Mean, mean_of
from causalassay.factorial.lookalikes import LookAlikeRow
from causalassay.factorial.specification import SUMMARIES, SpecificationRow
from causalassay.factorial.whole_evaluation import Evaluation

MEANINGS = {
    CONSISTENT: "covariate → treatments and what depends on it; treatment → what it moves",
    WITHOUT_COVARIATE: "the same without edges from the covariate to outcomes",
    EMPTY: "no effects at all",
    RANDOM_ORDER: "a random causal order, then regression",
    RANDOMISED: "no graph: shares in as many rows with random treatments",
    FLOOR: "no graph: every subject run once under each treatment",
}
"""What each row to compare with is."""

SCORE_HEADS = ("graph", "edges", "SHD", "SID", "TV [95 %]")
SPECIFICATION_HEADS = (
    "edges of one treatment",
    "SHD",
    "SID",
    "TV from the consistent model",
    "TV from the experiment",
)
LOOK_ALIKE_HEADS = (
    "source",
    "out-degree",
    "strength",
    "SHD",
    "SID",
    "TV",
    "real − synthetic TV [95 %]",
)

_CHANGES = {"over": "to all outcomes", "under": "to none"}


def with_limits(mean: Mean, digits: int) -> str:
    """Return a mean with its interval, a dash if it is undefined.

    Examples
    --------
    >>> with_limits(Mean(1.25, 1.0, 1.5, 9), 2), with_limits(Mean(1.0, math.nan, math.nan, 1), 0)
    ('1.25 [1.00, 1.50]', '1')
    """
    if math.isnan(mean.value):
        return "–"
    value = f"{mean.value:.{digits}f}"
    if math.isnan(mean.low) or mean.low == mean.high:
        return value
    return f"{value} [{mean.low:.{digits}f}, {mean.high:.{digits}f}]"


def score_table(rows: Sequence[ScoreRow]) -> list[tuple[str, ...]]:
    """Return a row of texts for each algorithm and each graph to compare with."""
    return [
        (
            row.name,
            with_limits(row.mean("edges"), 1),
            with_limits(row.mean("SHD"), 1),
            with_limits(row.mean("SID"), 1),
            with_limits(row.mean("TV"), 2),
        )
        for row in rows
    ]


def notes(rows: Sequence[ScoreRow]) -> dict[str, str]:
    """Return by name what rows to compare with are, and why repeats failed.

    What failed for all alike, because the biased data could not be used, is said once.
    """
    found, unusable = {}, ""
    for row in rows:
        parts = [MEANINGS[row.name]] if row.role == "reference" else []
        own = [reason for reason in row.reasons if not reason.startswith(UNUSABLE)]
        total = len(row.by_repeat["TV"])
        if own:
            parts.append(f"failed in {row.n_failed} of {total} repeats: {' | '.join(own)}")
        elif row.n_failed:
            unusable = f"{row.n_failed} of {total} left out: {row.reasons[0]}"
        if parts:
            found[row.name] = "; ".join(parts)
    return found | ({"repeats": unusable} if unusable else {})


def specification_table(rows: Sequence[SpecificationRow]) -> list[tuple[str, ...]]:
    """Return minimum, median and maximum over treatments of each change."""
    return [
        (
            _CHANGES[row.change],
            _three(row.structure("SHD"), 1),
            _three(row.structure("SID"), 1),
            _three([row.variation()[name].value for name in SUMMARIES], 2),
            _three([row.variation(of_truth=True)[name].value for name in SUMMARIES], 2),
        )
        for row in rows
    ]


def _three(values: Sequence[float], digits: int) -> str:
    return " · ".join("–" if math.isnan(one) else _short(one, digits) for one in values)


def _short(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    return text.removesuffix(".0") if digits == 1 else text


def by_treatment_table(rows: Sequence[SpecificationRow]) -> list[tuple[str, ...]]:
    """Return what each change costs for each treatment."""
    return [
        (
            name,
            _CHANGES[row.change],
            f"{row.shd[j]:.0f}",
            f"{row.sid[j]:.0f}",
            with_limits(mean_of(row.tv[:, j]), 2),
            with_limits(mean_of(row.tv_of_truth[:, j]), 2),
        )
        for row in rows
        for j, name in enumerate(row.treatments)
    ]


def look_alike_table(rows: Sequence[LookAlikeRow]) -> list[tuple[str, ...]]:
    """Return how hard each kind of synthetic experiment is."""
    return [
        (
            row.drawn.source,
            str(row.drawn.out_degree),
            f"{row.drawn.strength:g}",
            with_limits(_plain(row, "SHD"), 1),
            with_limits(_plain(row, "SID"), 1),
            with_limits(_plain(row, "TV"), 2),
            with_limits(row.harder, 2),
        )
        for row in rows
    ]


def _plain(row: LookAlikeRow, measure: str) -> Mean:
    mean = mean_of(row.by_experiment[measure])
    return mean._replace(low=math.nan, high=math.nan)


def look_alike_sentences(rows: Sequence[LookAlikeRow]) -> tuple[str, ...]:
    """Return how many kinds are easier than the real experiment, and how many harder."""
    if not rows:
        return ()
    easier = sum(row.harder.low > 0 for row in rows)
    harder = sum(row.harder.high < 0 for row in rows)
    open_ = len(rows) - easier - harder
    return (
        f"By TV {harder} of {len(rows)} synthetic kinds are harder than the real experiment, "
        f"{easier} are easier, {open_} cannot be told apart (each at 95 %).",
    )


def double_notes(result: Evaluation) -> list[str]:
    """Return which columns were left out because they equal another one."""
    return [
        f"{name} is left out: in every row it has the same level as {other}."
        for name, other in result.doubles.items()
    ]


def about(result: Evaluation) -> str:
    """Return what was judged, and how."""
    own, settings = result.truth.experiment, result.truth.settings
    return (
        f"{own.n_subjects} subjects, {len(own.frame)} rows; biased by {own.biasing} "
        f"(beta {settings.beta:g}, {result.truth.scales[own.biasing].n_levels} bins), "
        f"{result.repeats} repeats; outcomes in {settings.levels} levels, {settings.fit}. "
        f"TV is summed over {len(own.treatments)} × {len(own.outcomes)} pairs."
    )
