"""The tables of the page of a choice."""

from __future__ import annotations

from collections.abc import Mapping

from causalassay.choosing import Choice, PredictionScore
from causalassay.choosing.table_rows import RANKING_HEADS, ranking_rows
from causalassay.notebook import with_interval
from causalassay.report.page.elements import table
from causalassay.report.page.markup import Html, tag


def ranking_table(choice: Choice) -> Html:
    """Return the ranking with everything that stands beside it."""
    caption = (
        f"Weighted causal risk with {choice.level:.0%} intervals. P-values: Holm, over the "
        "algorithms. —: undirected edges. Second opinion: total variation of predictions, low is "
        "better, #: its place."
    )
    return table("ranking", caption, RANKING_HEADS, ranking_rows(choice))


def difference_table(choice: Choice) -> Html:
    """Return the paired differences of the algorithms, row less column."""
    names = choice.ranking
    known = {(each.first, each.second): each for each in choice.differences}
    rows = []
    for second in names[1:]:
        cells: list[object] = [second]
        for first in names[:-1]:
            each = known.get((first, second))
            if each is None:
                cells.append("")
                continue
            low, high = (0.0 - end for end in reversed(each.interval))
            shown = with_interval(0.0 - each.estimate, low, high)
            cells.append(tag("b", shown) if low > 0 else shown)
        rows.append(cells)
    caption = (
        "Weighted risk of the row less that of the column, with 95 % intervals of the paired "
        "difference, each for itself. Bold: above 0, so that the column has less risk."
    )
    return table("differences", caption, ("", *names[:-1]), rows)


def cutoff_table(choice: Choice) -> Html:
    """Return the risks at each cut-off on effect size."""
    heads = [
        "significance alone" if not each.least_effect else f"effect at least {each.least_effect:g}"
        for each in choice.cutoffs
    ]
    rows = [
        (row.name, *(f"{each.risks[row.name]:.2f}" for each in choice.cutoffs))
        for row in choice.rows
    ]
    shares = ("share of pairs moved", *(f"{each.share_moved:.0%}" for each in choice.cutoffs))
    caption = "Weighted risk if a column counts as moved only from some effect on."
    return table("cut-offs", caption, ("algorithm", *heads), [*rows, shares])


def opinion_table(choice: Choice) -> Html:
    """Return the scores of the second opinion, with and without flagged interventions."""
    other = choice.second_opinion
    rows = [
        (
            name,
            _score(score),
            "–" if score.skill is None else f"{score.skill:.2f}",
            _score(other.undoubted.get(name)),
        )
        for name, score in other.scores.items()
    ]
    heads = ("algorithm", "total variation", "skill", "without flagged interventions")
    caption = (
        f"Mean total variation between prediction and measurement over {other.n_experiments} "
        f"experiments. Floor: {_number(other.floor)}; nothing changes: "
        f"{_number(other.nothing_changes)}. Skill: 0 at the floor, 1 for “nothing changes”."
    )
    return table("second-opinion-scores", caption, heads, rows)


def reason_table(identity: str, caption: str, reasons: Mapping[str, str]) -> Html:
    """Return names and reasons."""
    return table(identity, caption, ("name", "reason"), reasons.items())


def _score(score: PredictionScore | None) -> str:
    if score is None or score.value is None:
        return "–"
    if score.low is None or score.high is None:
        return f"{score.value:.3f}"
    return with_interval(score.value, score.low, score.high, 3)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
