"""The sentences of findings on an order: claim first, then the numbers."""

from __future__ import annotations

import numpy as np

from causalassay.judging.findings import Finding
from causalassay.judging.order_tests import OrderTest
from causalassay.judging.sequential import MonteCarlo


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
            f"Gameable backwards by {word}: {_reaches(test, random_orders)}{cure}. Perhaps the "
            "graph is transposed."
        )
        return Finding("gameable backwards", sentence, test.artefact.statistic)
    sentence = f"Gameable by {word}: {_reaches(test, random_orders)}{cure}."
    return Finding("gameable", sentence, test.artefact.statistic)


def _leaning(test: OrderTest, random_orders: np.ndarray) -> Finding:
    word, direction = test.artefact.word, "falls" if test.backwards else "grows"
    if test.sortable.below:
        claim = (
            f"{word} {direction} along the causal order, but no evidence that regressing along it "
            "beats random orders"
        )
    else:
        claim = (
            f"regressing along {_sorted_by(test)} beats random orders, but no evidence that "
            f"{word} {direction} along the causal order"
        )
    numbers = _reaches(test, random_orders)
    return Finding("leaning", f"Leaning: {claim} ({numbers}).", test.artefact.statistic)


def _sorted_by(test: OrderTest) -> str:
    return f"{'falling' if test.backwards else 'rising'} {test.artefact.word}"


def _reaches(test: OrderTest, random_orders: np.ndarray) -> str:
    f1, shd = random_orders.mean(axis=0)
    return (
        f"sorting by {_sorted_by(test)} (sortability {test.sortability:.2f}, "
        f"{share(test.sortable)} of random assignments) reaches F1 {test.f1:.2f} and SHD "
        f"{test.shd:.0f}, where random orders reach {f1:.2f} and {shd:.0f} on average and "
        f"{share(test.winning)} as much"
    )


def share(monte_carlo: MonteCarlo) -> str:
    """Return a Monte Carlo p-value as text.

    Examples
    --------
    >>> share(MonteCarlo(0.0234, False, True, 500))
    '2.3 %'
    >>> share(MonteCarlo(1 / 701, True, True, 700))
    'less than 0.2 %'
    """
    percent = 100 * monte_carlo.p_value
    if monte_carlo.p_value * (monte_carlo.draws + 1) <= 1:
        return f"less than {max(percent, 0.1):.1g} %"
    return f"{percent:.1f} %"
