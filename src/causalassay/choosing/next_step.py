"""What to do after a choice: one sentence, by the first rule of a table that applies."""

from __future__ import annotations

from collections.abc import Callable

from causalassay.choosing.result import Choice, RankedRow

NAMED = 3


def next_step(choice: Choice) -> str:
    """Return the closing sentence of a choice, which follows from its claims.

    Parameters
    ----------
    choice : Choice
        With its claims.
    """
    return next(said for rule in _STEPS if (said := rule(choice)) is not None)


def _eligible(choice: Choice) -> list[RankedRow]:
    """Return the algorithms that are shown to beat random graphs and that none is shown to beat."""
    return [row for row in choice.algorithms if row.random.beaten and row.may_be_best]


def _rules(choice: Choice) -> set[str]:
    return {claim.rule for claim in choice.claims}


def _raise_the_least_effect(choice: Choice) -> str | None:
    stricter = [
        each.least_effect
        for each in choice.cutoffs
        if each.least_effect > choice.tests.least_effect and each.share_moved > 0
    ]
    if _eligible(choice) or "many descendants" not in _rules(choice) or not stricter:
        return None
    return (
        "Nothing can be chosen by these experiments, in which nearly everything moves: if large "
        f"effects alone matter, ask again with --least-effect {stricter[-1]:g}; else add "
        "experiments on more columns."
    )


def _nothing(choice: Choice) -> str | None:
    if _eligible(choice):
        return None
    return (
        "Nothing can be chosen by these experiments: no algorithm both beats random graphs and "
        "may be the best. Experiments on more columns can show more."
    )


def _flags(choice: Choice) -> str | None:
    other = choice.second_opinion
    names = [name for name in other.scores if name in choice.ranking]
    if not other.doubts or not names or choice.graphs[names[0]] == choice.graphs[choice.ranking[0]]:
        return None
    doubted = list(other.doubts)
    shown = ", ".join(doubted[:NAMED]) + (", …" if len(doubted) > NAMED else "")
    return (
        f"Before you choose between {choice.ranking[0]} and {names[0]}, check the flagged "
        f"conditions ({shown}); name others that leave the measured level alone by --not-acting."
    )


def _take(choice: Choice) -> str | None:
    first, *others = _eligible(choice)
    least = "it alone beats" if not others else f"it has the least risk of {1 + len(others)} that"
    beat = "" if not others else " beat"
    doubtful = "graph that says nothing" in _rules(choice)
    take = "If you need a graph, take that of" if doubtful else "Take the graph of"
    return (
        f"{take} {first.name} (--out graphs writes it): {least}{beat} random graphs and may be "
        "the best."
    )


_STEPS: tuple[Callable[[Choice], str | None], ...] = (
    _raise_the_least_effect,
    _nothing,
    _flags,
    _take,
)
