"""The tables of a choice as texts, for the terminal, the page and notebooks."""

from __future__ import annotations

from causalassay.choosing.result import Choice, Density, Movement, RankedRow, SecondOpinion
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

FIRST, UNTOLD = " ←", " ~"
"""After the least score of the second opinion, and after those that may be as small.

The others are told from the least one by an interval of their paired difference, each for itself.
"""


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
    """Return the second score of a row, marked if it is the first or cannot be told from it."""
    other = choice.second_opinion
    score = other.scores.get(name)
    if score is None or score.value is None:
        return "–"
    return f"{score.value:.3f}{_mark(other, name)}"


def _mark(other: SecondOpinion, name: str) -> str:
    if name == next(iter(other.scores)):
        return FIRST
    gap = other.differences.get(name)
    told = gap is not None and gap.high is not None and gap.high < 0
    return UNTOLD if not told else ""


def opinion_legend(choice: Choice) -> str:
    """Return what the marks of the second opinion mean; empty if there is none."""
    other = choice.second_opinion
    if not other.scores:
        return ""
    known = other.nothing_changes
    nothing = "" if known is None else f"; “nothing changes” scores {known:.3f}"
    marks = [f"{FIRST.strip()} least"]
    if any(_mark(other, name) == UNTOLD for name in other.scores):
        marks.append(f"{UNTOLD.strip()} cannot be told from it")
    return f"second opinion: {', '.join(marks)}{nothing}"


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


def _share(share: float) -> str:
    """Return a share in percent; 100 only where it is all of them."""
    whole = f"{share:.0%}"
    return ">99%" if whole == "100%" and share < 1 else whole
