"""What an experimenter can do to a node."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Scale = Literal["observed", "latent"]
"""The scale of the data, or of the variable before internal standardisation (Ormaniec 2024,
appendix B)."""


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
    """Add a constant to a node; its causes and its noise still act on it.

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
        The number of the node.
    probabilities : tuple of float, optional
        The probability of each level, with a sum of 1; equal by default.

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


@dataclass(frozen=True)
class At:
    """Act on a node of a series from one row up to another; for series only.

    Parameters
    ----------
    action : Do, Shift or Randomize
        What is done in each of these steps.
    start : int
        The first row.
    stop : int, optional
        The row after the last; None: to the end.

    Examples
    --------
    >>> At(Do(2, 1.5), start=10, stop=20).node
    2
    """

    action: Action
    start: int = 0
    stop: int | None = None

    def __post_init__(self) -> None:
        if self.start < 0 or (self.stop is not None and self.stop <= self.start):
            raise ValueError(
                f"At: expected 0 <= start < stop, got start={self.start}, stop={self.stop}"
            )

    @property
    def node(self) -> int:
        """The node acted upon."""
        return self.action.node

    def lasts(self, row: int) -> bool:
        """Tell whether it is at work in a row."""
        return self.start <= row and (self.stop is None or row < self.stop)


SeriesIntervention = tuple[Action | At, ...]
"""Actions at all times, or at stated ones; at most one on a node at a time."""


Change = Action | RandomizeLevels | At
"""Whatever can be done to a node of some model."""


def on_node(change: Change, node: int) -> Change:
    """Return the same act upon another node.

    Examples
    --------
    >>> on_node(At(Do(0, 1.0), 5), 3)
    At(action=Do(node=3, value=1.0, scale='observed'), start=5, stop=None)
    """
    if isinstance(change, At):
        return replace(change, action=replace(change.action, node=node))
    return replace(change, node=node)


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
        raise ValueError(
            f"intervention: expected at most one action per node, got several on {twice}"
        )
    return intervention


def on_observed_scale(action: Action, latent_mean: float, latent_sd: float) -> Action:
    """Return an action on the scale of the data, where observed = (latent - mean) / sd.

    References
    ----------
    Ormaniec et al. 2024, appendix B.

    Examples
    --------
    >>> on_observed_scale(Do(0, 5.0, "latent"), latent_mean=1.0, latent_sd=2.0)
    Do(node=0, value=2.0, scale='observed')
    """
    if action.scale == "observed":
        return action
    match action:
        case Do(node, value):
            return Do(node, (value - latent_mean) / latent_sd)
        case Shift(node, by):
            return Shift(node, by / latent_sd)
        case Randomize(node, centre, variance):
            return Randomize(node, (centre - latent_mean) / latent_sd, variance / latent_sd**2)


def applied(action: Action, variance: float, intercept: float) -> tuple[bool, float, float]:
    """Return whether a node is cut off its causes, and its noise variance and intercept after it.

    Parameters
    ----------
    action : Do, Shift or Randomize
        On the scale of the data.
    variance, intercept : float
        The noise variance and the intercept of the node before the intervention.

    Examples
    --------
    >>> applied(Do(0, 3.0), 1.0, 0.5), applied(Shift(0, by=2.0), 1.0, 0.5)
    ((True, 0.0, 3.0), (False, 1.0, 2.5))
    """
    match action:
        case Do(_, value):
            return True, 0.0, value
        case Shift(_, by):
            return False, variance, intercept + by
        case Randomize(_, mean, spread):
            return True, spread, mean


def check_series_intervention(
    intervention: SeriesIntervention, n_nodes: int
) -> tuple[Intervention, tuple[At, ...]]:
    """Return the actions at all times and those at stated ones, or raise."""
    if not isinstance(intervention, tuple):
        raise TypeError(
            "intervention: expected a tuple of Do, Shift, Randomize and At, "
            f"got {type(intervention).__name__}; for a single one write `(At(Do(0, 1.0), 10, 20),)`"
        )
    always = tuple(change for change in intervention if not isinstance(change, At))
    windows = tuple(change for change in intervention if isinstance(change, At))
    check_intervention(always, n_nodes)
    for window in windows:
        _check_action(window.action, n_nodes)
        rows = [window.start, *(other.start for other in windows)]
        at_once = [
            other for other in windows if any(other.lasts(r) and window.lasts(r) for r in rows)
        ]
        if [change.node for change in (*always, *at_once)].count(window.node) > 1:
            raise ValueError(
                f"intervention: only one action on a node at a time, but {window} meets another "
                f"on node {window.node}; make their times disjoint"
            )
    actions = (*always, *(window.action for window in windows))
    if any(action.scale == "latent" for action in actions):
        raise ValueError('intervention: a series has no latent scale; take scale="observed"')
    return always, windows


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
