"""The rules by which numbers become sentences on a choice, and their bounds, in one table."""

from __future__ import annotations

from collections.abc import Iterable

from causalassay.judging.rules import RULES

LEVEL = 0.05
"""Of all claims on one page together."""

FAMILIES = 3
"""Kinds of claims that are tested: random graphs, the best, density. Each gets a third."""

SHARE = LEVEL / FAMILIES

MANY_MOVED = 0.5
"""Share of pairs from which on the tests call nearly everything a descendant.

A complete DAG has just as many descendants; no acyclic graph has more.
"""

MANY_UNMOVED = 0.5
"""Share of intervened columns without any descendant from which on saying little pays."""

LEAST_GRAPHS = 5
"""Different graphs from which on a correlation over them can be significant."""

SIMILAR = 0.5
"""Kendall's tau from which on two scores order the algorithms alike."""


def rules_of(named: Iterable[str]) -> dict[str, str]:
    """Return how rules decide, with those that they rest on, and how often each was wrong.

    Examples
    --------
    >>> list(rules_of(["best"]))
    ['best', 'may be the best', 'random graphs of its density', 'graph that says nothing']
    >>> " Measured: " in rules_of(["density"])["density"]
    True
    """
    every = dict.fromkeys(name for rule in named for name in (rule, *RULES[rule].rests_on))
    return {name: RULES[name].text for name in every}
