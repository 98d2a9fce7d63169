"""The tables of a choice as texts, for the terminal, the page and notebooks."""

from __future__ import annotations

from collections.abc import Mapping

from causalassay.choosing.result import Choice, Density, Movement, RankedRow
from causalassay.notebook import number, with_interval

RANKING_HEADS = (
    "algorithm",
    "edges",
    "weighted risk",
    "beats random graphs?",
    "share beaten",
    "may be best?",
    "second opinion",
)

BASELINE = ", baseline"
"""After the name of a row that is none of the algorithms."""

RANDOM_ORDER = "random complete DAG"
"""The row of complete DAGs along random orders: the mean of their risks, and the central 95 %."""

NO_DIFFERENCE = 1e-9


def ranking_rows(choice: Choice) -> list[tuple[str, ...]]:
    """Return a row of texts for each algorithm and baseline, by ascending risk."""
    rows = [(row.weighted, _ranked(row, choice)) for row in choice.rows]
    mean = choice.random_order.mean
    spread = with_interval(mean, choice.random_order.low, choice.random_order.high)
    n_columns = len(choice.columns)
    drawn = (
        f"{RANDOM_ORDER}{BASELINE}",
        str(n_columns * (n_columns - 1) // 2),
        spread,
        *[""] * (len(RANKING_HEADS) - 3),
    )
    return [texts for _, texts in sorted([*rows, (mean, drawn)], key=lambda each: each[0])]


def _ranked(row: RankedRow, choice: Choice) -> tuple[str, ...]:
    name = row.name if row.role == "algorithm" else f"{row.name}{BASELINE}"
    return (
        name,
        density_text(row.density),
        with_interval(row.weighted, *row.interval),
        random_text(row),
        _share(row.random.share_beaten),
        ("yes" if row.may_be_best else "no") if row.role == "algorithm" else "",
        opinion_text(choice, row.name),
    )


def opinion_text(choice: Choice, name: str) -> str:
    """Return the second score of a row, and its place among all that have one."""
    scores = {
        each: score.value
        for each, score in choice.second_opinion.scores.items()
        if score.value is not None
    }
    if name not in scores:
        return "–"
    place = 1 + sum(value < scores[name] - NO_DIFFERENCE for value in scores.values())
    return f"{scores[name]:.3f} (#{place})"


def density_text(density: Density) -> str:
    """Return the number of edges, and how many of them are undirected.

    Examples
    --------
    >>> density_text(Density(3, 2)), density_text(Density(3, 0))
    ('5 (2 —)', '3')
    """
    if not density.undirected:
        return str(density.edges)
    return f"{density.edges} ({density.undirected} —)"


def random_text(row: RankedRow) -> str:
    """Return whether an algorithm is shown to beat random graphs; empty for a baseline."""
    random = row.random
    if random.p_corrected is None:
        return ""
    return f"yes (p {number(random.p_corrected, 3)})" if random.beaten else "no evidence"


def movement_cell(movement: Movement, column: str) -> str:
    """Return the effect on a column: in brackets on the target, starred where it moved.

    Examples
    --------
    >>> one = Movement("drug", "a", 9, {"a": -2.0, "b": 0.5, "c": None}, {}, ("b",))
    >>> [movement_cell(one, name) for name in "abc"]
    ['[-2.0]', '+0.5*', '–']
    """
    effect = movement.effects[column]
    text = "–" if effect is None else f"{round(effect, 1) + 0.0:+.1f}"
    if column == movement.target:
        return f"[{text}]"
    return f"{text}*" if column in movement.moved else text


def reasons_together(reasons: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return names that share a reason beside each other, and their reason.

    Examples
    --------
    >>> reasons_together({"a": "too slow", "b": "no rows", "c": "too slow"})
    [('a, c', 'too slow'), ('b', 'no rows')]
    """
    together: dict[str, list[str]] = {}
    for name, why in reasons.items():
        together.setdefault(why, []).append(name)
    return [(", ".join(names), why) for why, names in together.items()]


def _share(share: float) -> str:
    """Return a share in percent; 100 only where it is all of them."""
    whole = f"{share:.0%}"
    return ">99%" if whole == "100%" and share < 1 else whole
