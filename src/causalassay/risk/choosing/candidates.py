"""Which algorithms are ranked, and which graphs stand beside them as baselines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from causalassay.contracts import Algorithm
from causalassay.data import Dataset
from causalassay.discovery import algorithms as known_algorithms
from causalassay.discovery import make_algorithm
from causalassay.environments.catalogue import environment_algorithms
from causalassay.risk.estimators import named_algorithms
from causalassay.risk.fits import Fit

RANDOM_ORDER = "random-sortnregress"
"""It draws a causal order and then regresses: it reads the data, and knows nothing of causes."""

BASELINES = (
    "r2-sortnregress",
    RANDOM_ORDER,
    "single-edge",
    "var-sortnregress",
    "variance-sorting",
)
"""Algorithms that read the data and do not look for causes; run if no algorithm is named."""

GIVEN = ("empty", "random-sorting")
"""Algorithms that read nothing: fixed graphs and random graphs stand for them."""

WRAPPED = "causal-learn-"

EMPTY, COMPLETE = "empty", "complete"
"""Graphs that say nothing: no column descends from another, or every column from every other."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """What is run.

    Parameters
    ----------
    algorithms : mapping of str to Algorithm
        Among these one is chosen.
    baselines : mapping of str to Algorithm
        These are ranked beside them, and never chosen.
    not_run : mapping of str to str
        Why others are not.
    unset : tuple of str
        Those of them that lack nothing but a value for a parameter.
    """

    algorithms: Mapping[str, Algorithm]
    baselines: Mapping[str, Algorithm]
    not_run: Mapping[str, str]
    unset: tuple[str, ...] = ()


def find_candidates(
    asked: Mapping[str, str | Algorithm] | Sequence[str | Algorithm] | None,
) -> Candidates:
    """Return the algorithms that were asked for, by default all that can run here.

    Examples
    --------
    >>> list(find_candidates(["pc", "ges"]).algorithms)
    ['pc', 'ges']
    >>> sorted(find_candidates(None).baselines)[:2]
    ['r2-sortnregress', 'random-sortnregress']
    """
    if asked is not None:
        found = named_algorithms(asked)
        return Candidates({n: a for n, a in found.items() if n not in (EMPTY, COMPLETE)}, {}, {})
    chosen: dict[str, Algorithm] = {}
    baselines: dict[str, Algorithm] = {}
    not_run = {}
    unset = []
    # Of equal risks the first name leads: ours before those of a wrapped package.
    for record in sorted(known_algorithms(), key=lambda one: one.name.startswith(WRAPPED)):
        needed = [name for name, default in record.parameters.items() if default == "required"]
        # Those of environments are for whoever names them: what is installed decides nothing.
        if record.name in GIVEN or record.name in environment_algorithms():
            continue
        if record.missing:
            not_run[record.name] = record.missing
        elif needed:
            not_run[record.name] = f"it needs a value for {', '.join(needed)}; name it with one"
            unset.append(record.name)
        elif record.name in BASELINES:
            baselines[record.name] = make_algorithm(record.name)
        else:
            chosen[record.name] = make_algorithm(record.name)
    return Candidates(chosen, baselines, not_run, tuple(unset))


def graphs_that_say_nothing(dataset: Dataset, nodes: Sequence[int]) -> dict[str, Fit]:
    """Return the empty graph and the complete undirected one, as if algorithms had found them.

    In the second every column is a possible descendant of every other one.
    """
    n_nodes = dataset.n_nodes
    empty = np.zeros((n_nodes, n_nodes), dtype=bool)
    complete = ~np.eye(n_nodes, dtype=bool)
    return {
        EMPTY: Fit(empty, "dag", "no rows", dict.fromkeys(nodes, empty)),
        COMPLETE: Fit(complete, "cpdag", "no rows", dict.fromkeys(nodes, complete)),
    }
