"""The sentences of findings on an order: claim first, then the numbers."""

from __future__ import annotations

import numpy as np

from causalassay.judging.findings import Finding
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
    cure = f"; {test.artefact.cure}" if test.artefact.cure else ""
    if test.backwards:
        sentence = (
            f"Gameable backwards by {word}: {_reaches(test, random_orders)}{cure}. Either the "
            f"graph is transposed, or {word} falls along the causal order."
        )
        return Finding("gameable backwards", sentence, test.artefact.statistic, RULE)
    sentence = f"Gameable by {word}: {_reaches(test, random_orders)}{cure}."
    return Finding("gameable", sentence, test.artefact.statistic, RULE)


def _leaning(test: OrderTest, random_orders: np.ndarray) -> Finding:
    word, direction = test.artefact.word, "falls" if test.backwards else "grows"
    if test.sortable.below:
        claim = (
            f"{word} {direction} along the causal order, but there is no evidence that regressing "
            "along it beats random orders"
        )
    else:
        claim = (
            f"regressing along {_sorted_by(test)} beats random orders, but there is no evidence "
            f"that {word} {direction} along the causal order"
        )
    numbers = f"S{_reaches(test, random_orders)[1:]}"
    return Finding("leaning", f"Leaning: {claim}. {numbers}.", test.artefact.statistic, RULE)


def _sorted_by(test: OrderTest) -> str:
    return f"{'falling' if test.backwards else 'rising'} {test.artefact.word}"


def _reaches(test: OrderTest, random_orders: np.ndarray) -> str:
    f1, shd = random_orders.mean(axis=0)
    return (
        f"sorting by {_sorted_by(test)} (sortability {test.sortability:.2f}, p-value "
        f"{p_value_text(test.sortable)}) reaches F1 {test.f1:.2f} and SHD {test.shd:.0f} (p-value "
        f"{p_value_text(test.winning)}), where random orders reach {f1:.2f} and {shd:.0f} on "
        "average"
    )


def tried_text(tests: list[OrderTest]) -> list[str]:
    """Return the numbers of each statistic that was tried, in both directions."""
    both = zip(tests[::2], tests[1::2], strict=True)
    return [
        f"sorting by {up.artefact.word} (sortability {up.sortability:.2f}) reaches F1 {up.f1:.2f} "
        f"rising and {down.f1:.2f} falling"
        for up, down in both
    ]


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
