"""The sentences of findings on an order: claim first, then the numbers."""

from __future__ import annotations

import numpy as np

from causalassay.judging.findings import Finding, Kind
from causalassay.judging.order_tests import OrderTest
from causalassay.judging.sequential import MonteCarlo

RULE = "two tests"


def order_finding(test: OrderTest, random_orders: np.ndarray) -> Finding | None:
    """Return what a test of one statistic in one direction found; None if nothing."""
    if test.sortable.below and test.winning.below:
        return _gameable(test, random_orders)
    if test.sortable.below or test.winning.below:
        return _leaning(test, random_orders)
    return None


def _gameable(test: OrderTest, random_orders: np.ndarray) -> Finding:
    word = test.artefact.word
    cure = as_sentence(test.artefact.cure)
    numbers = _numbers(test, random_orders)
    if test.backwards:
        claim = f"Gameable backwards by {word}: sorting in descending order beats random orders"
        why = f"Either the graph is transposed, or {word} falls along the causal order."
        advice = f"{why} {cure}".rstrip()
        return _finding("gameable backwards", test, f"{claim} ({numbers}).", advice)
    claim = f"Gameable by {word}: sorting by it beats random orders"
    return _finding("gameable", test, f"{claim} ({numbers}).", cure)


def _leaning(test: OrderTest, random_orders: np.ndarray) -> Finding:
    word, direction = test.artefact.word, "falls" if test.backwards else "grows"
    if test.sortable.below:
        claim = (
            f"{word} {direction} along the causal order, without evidence that sorting by it helps"
        )
    else:
        falling = "falling " if test.backwards else ""
        claim = f"sorting by {falling}{word} beats random orders, without evidence of sortability"
    return _finding("leaning", test, f"Leaning: {claim} ({_numbers(test, random_orders)}).")


def _finding(kind: Kind, test: OrderTest, sentence: str, advice: str = "") -> Finding:
    return Finding(kind, sentence, test.artefact.statistic, RULE, advice)


def _numbers(test: OrderTest, random_orders: np.ndarray) -> str:
    return (
        f"F1 {test.f1:.2f} against {random_orders[:, 0].mean():.2f}, p-value "
        f"{p_value_text(test.winning)}; sortability {test.sortability:.2f}, p-value "
        f"{p_value_text(test.sortable)}"
    )


def nothing_found(tests: list[OrderTest], random_orders: np.ndarray, tied: list[str]) -> Finding:
    """Return that no statistic passed a test, though a true order would have passed both.

    Parameters
    ----------
    tests : list of OrderTest
    random_orders : array of shape (n, 2)
    tied : list of str
        What sentences call the statistics that are the same in all columns.
    """
    advice = " ".join(
        f"{word[0].upper()}{word[1:]} is the same in all columns, so nothing sorts by it."
        for word in tied
    )
    if not tests:
        sentence = "No evidence that sorting gives the order away (nothing differs among columns)."
        return Finding("no evidence", sentence, rule="no evidence", advice=advice)
    words = either(list(dict.fromkeys(test.artefact.word for test in tests)))
    shares = [test.sortability for test in tests]
    low, high = min(shares), max(shares)
    limits = f"{low:.2f}" if f"{low:.2f}" == f"{high:.2f}" else f"{low:.2f} to {high:.2f}"
    sentence = (
        f"No evidence that sorting by {words} gives the order away (F1 at most "
        f"{max(test.f1 for test in tests):.2f} against {random_orders[:, 0].mean():.2f}; "
        f"sortability {limits})."
    )
    return Finding("no evidence", sentence, rule="no evidence", advice=advice)


def too_small(share: float, level: float) -> Finding:
    """Return that no test could have found anything.

    Parameters
    ----------
    share : float
        Of random orders that are as good as a true one.
    level : float
        Of each test.

    Examples
    --------
    >>> too_small(0.0833, 0.0125).sentence
    'Too small, or without signal: too many random orders are as good as a true one (8.3 %, at a
    level of 1.25 %).'
    """
    sentence = (
        "Too small, or without signal: too many random orders are as good as a true one "
        f"({100 * share:.1f} %, at a level of {100 * level:.3g} %)."
    )
    return Finding("too small", sentence, rule="too small")


def either(words: list[str]) -> str:
    """Return words as a list of alternatives.

    Examples
    --------
    >>> either(["a"]), either(["a", "b", "c"])
    ('a', 'a, b or c')
    """
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def as_sentence(phrase: str) -> str:
    """Return a phrase with a capital and a full stop; nothing of nothing.

    Examples
    --------
    >>> as_sentence("other units cure it"), as_sentence("")
    ('Other units cure it.', '')
    """
    return f"{phrase[0].upper()}{phrase[1:]}." if phrase else ""


def p_value_text(monte_carlo: MonteCarlo) -> str:
    """Return a p-value as text; one that more draws would make smaller as its bound.

    Examples
    --------
    >>> p_value_text(MonteCarlo(0.0234, False, True, 500))
    '0.023'
    >>> p_value_text(MonteCarlo(1 / 701, True, True, 700))
    'below 0.002'
    """
    if monte_carlo.p_value * (monte_carlo.draws + 1) <= 1:
        return f"below {np.ceil(1000 * monte_carlo.p_value) / 1000:.3f}"
    return f"{monte_carlo.p_value:.3f}"
