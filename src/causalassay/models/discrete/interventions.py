"""What an intervention does to discrete nodes: it gives each another law."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from causalassay.arrays import Vector
from causalassay.models.interventions import (
    Do,
    Intervention,
    LevelIntervention,
    Randomize,
    RandomizeLevels,
    Shift,
    check_intervention,
)

SUM_TOLERANCE = 1e-6
"""How far probabilities may be from a sum of 1; they are then divided by it."""


def check_level_intervention(
    intervention: LevelIntervention, n_levels: Sequence[int]
) -> dict[int, Vector]:
    """Return the probabilities that each node intervened upon gets, or raise.

    Examples
    --------
    >>> check_level_intervention((Do(1, 0),), [2, 3])
    {1: array([1., 0., 0.])}
    """
    if isinstance(intervention, tuple):
        plain: Intervention = tuple(
            Do(action.node, 0) if isinstance(action, RandomizeLevels) else action
            for action in intervention
        )
        check_intervention(plain, len(n_levels))
    else:
        check_intervention(intervention, len(n_levels))
    return {action.node: _law_of(action, n_levels[action.node]) for action in intervention}


def _law_of(action: Any, n_levels: int) -> Vector:
    match action:
        case Do(node, value, scale):
            if scale != "observed" or value not in range(n_levels):
                raise ValueError(
                    f"intervention: node {node} has {n_levels} levels, so it is set to a code "
                    f"from 0 to {n_levels - 1} on the observed scale, got {action}"
                )
            return np.eye(n_levels)[int(value)]
        case RandomizeLevels(node, None):
            return np.full(n_levels, 1 / n_levels)
        case RandomizeLevels(node, probabilities):
            law = np.array(probabilities, dtype=float)
            if law.shape != (n_levels,) or (law < 0).any() or abs(law.sum() - 1) > SUM_TOLERANCE:
                raise ValueError(
                    f"intervention: node {node} has {n_levels} levels, so it takes as many "
                    f"probabilities with a sum of 1, got {probabilities}"
                )
            return law
        case Randomize(node):
            raise TypeError(
                f"intervention: node {node} is discrete, and levels have no mean or variance; "
                f"write RandomizeLevels({node}) or RandomizeLevels({node}, probabilities)"
            )
        case Shift(node):
            raise TypeError(
                f"intervention: node {node} is discrete, and nothing can be added to a level; "
                f"write Do({node}, code) or RandomizeLevels({node}, probabilities)"
            )
        case _:
            raise TypeError(f"intervention: expected Do or RandomizeLevels, got {action!r}")
