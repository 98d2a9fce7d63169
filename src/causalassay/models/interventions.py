"""What an experimenter can do to a node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Scale = Literal["observed", "latent"]
"""Of the data, or of the variable before internal standardisation (Ormaniec 2024, appendix B)."""


@dataclass(frozen=True)
class Do:
    """Set a node to a value.

    Examples
    --------
    >>> Do(2, 1.5)
    Do(node=2, value=1.5, scale='observed')
    """

    node: int
    value: float
    scale: Scale = "observed"


@dataclass(frozen=True)
class Shift:
    """Add a constant to a node; its causes and its noise stay at work.

    Examples
    --------
    >>> Shift(0, by=-1.0, scale="latent")
    Shift(node=0, by=-1.0, scale='latent')
    """

    node: int
    by: float
    scale: Scale = "observed"


@dataclass(frozen=True)
class Randomize:
    """Cut a node off its causes and draw it from the model's noise family.

    Examples
    --------
    >>> Randomize(1, mean=5.0, variance=1.0)
    Randomize(node=1, mean=5.0, variance=1.0, scale='observed')
    """

    node: int
    mean: float
    variance: float
    scale: Scale = "observed"


@dataclass(frozen=True)
class RandomizeLevels:
    """Cut a discrete node off its causes and draw its level.

    Parameters
    ----------
    node : int
    probabilities : tuple of float, optional
        Of each level, with a sum of 1; all alike by default.

    Examples
    --------
    >>> RandomizeLevels(1, probabilities=(0.2, 0.8))
    RandomizeLevels(node=1, probabilities=(0.2, 0.8))
    """

    node: int
    probabilities: tuple[float, ...] | None = None


Action = Do | Shift | Randomize
Intervention = tuple[Action, ...]
"""Several actions at once, at most one on a node; ``()`` is observation."""

LevelIntervention = tuple[Action | RandomizeLevels, ...]
"""The same where nodes may be discrete."""


def check_intervention(intervention: Intervention, n_nodes: int) -> Intervention:
    """Return `intervention` if a model of `n_nodes` nodes can undergo it, else raise."""
    if not isinstance(intervention, tuple):
        raise TypeError(
            "intervention: expected a tuple of Do, Shift and Randomize, "
            f"got {type(intervention).__name__}; for a single one write `(Do(0, 1.0),)`"
        )
    for action in intervention:
        _check_action(action, n_nodes)
    nodes = [action.node for action in intervention]
    twice = sorted({node for node in nodes if nodes.count(node) > 1})
    if twice:
        raise ValueError(f"intervention: only one action on a node, but several on {twice}")
    return intervention


def _check_action(action: Action, n_nodes: int) -> None:
    if not isinstance(action, Do | Shift | Randomize):
        raise TypeError(
            f"intervention: expected Do, Shift or Randomize, got {type(action).__name__}"
        )
    if not 0 <= action.node < n_nodes:
        raise ValueError(
            f"intervention: {action} names node {action.node}; nodes are 0 to {n_nodes - 1}"
        )
    if action.scale not in ("observed", "latent"):
        raise ValueError(f'intervention: scale is "observed" or "latent", got {action.scale!r}')
    if isinstance(action, Randomize) and action.variance < 0:
        raise ValueError(f"intervention: {action} has a negative variance")
