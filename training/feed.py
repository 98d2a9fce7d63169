"""The batches of training: each depends on the seed, the prior and the number of its step.

To draw models takes many small operations along the causal order, to draw data few large ones. So
models are drawn for many steps at once: a round has a fixed number of steps, and of each frame one
or two numbers of nodes. A run that resumes in the middle of a round draws its models once more.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from training import features, generators
from training.generators import Part, Systems
from training.priors import Frame, Prior

ROUND = 96
"""Steps of a round."""


@dataclass(frozen=True)
class Batch:
    """Features in their frame, and what is to be learned from them."""

    features: Tensor
    graph: Tensor
    counted: Tensor


class Group(NamedTuple):
    """Batches of one round whose models are drawn together."""

    frame: Frame
    n_nodes: int
    n_batches: int


class Feed:
    """Draws the batch of any step.

    Parameters
    ----------
    prior : Prior
        What is drawn.
    seed : int
        Of all draws.
    batch : float
        Multiplies the systems of a batch.
    device : torch.device
        Where it is drawn.
    """

    def __init__(self, prior: Prior, seed: int, batch: float, device: torch.device) -> None:
        self.prior, self.seed, self.scale, self.device = prior, seed, batch, device
        self._round = -1
        self._groups: list[Group] = []
        self._turns: list[tuple[int, int]] = []
        self._models: dict[int, list[Systems]] = {}

    def n_systems(self, frame: Frame) -> int:
        """Return how many systems a batch of a frame has: an even number, half may be nonlinear."""
        return 2 * max(1, round(frame.systems * self.scale / 2))

    @torch.no_grad()
    def batch(self, step: int) -> tuple[Frame, Batch]:
        """Return the batch of a step and its frame."""
        number, position = divmod(step, ROUND)
        if number != self._round:
            self._round, self._models = number, {}
            self._groups, self._turns = planned(self.prior, self._rng(0, number))
        group_number, turn = self._turns[position]
        group = self._groups[group_number]
        if group_number not in self._models:
            generator = self._generator(self._rng(1, number, group_number))
            n_systems = self.n_systems(group.frame) * group.n_batches
            self._models[group_number] = generators.draw_systems(
                self.prior, group.n_nodes, n_systems, generator
            )
        rng = self._rng(2, step)
        generator = self._generator(rng)
        parts = []
        for systems in self._models[group_number]:
            n_rows = generators.draw_rows(self.prior, rng)
            own = generators.every(systems, turn, group.n_batches)
            parts += generators.sampled(own, n_rows, generator)
        return group.frame, described(parts, group.frame, self.prior.blind_to_scale)

    def _rng(self, *place: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, zlib.crc32(self.prior.name.encode()), *place])

    def _generator(self, rng: np.random.Generator) -> torch.Generator:
        return torch.Generator(self.device).manual_seed(int(rng.integers(2**62)))


def planned(prior: Prior, rng: np.random.Generator) -> tuple[list[Group], list[tuple[int, int]]]:
    """Draw the groups of a round, and for each step its group and its turn in it.

    Each frame has its share of the steps; in half of them, where it may have systems of fewer
    nodes, these have one other number of nodes.
    """
    groups = []
    shares = {str(number): frame.share for number, frame in enumerate(prior.frames)}
    for name, n_steps in generators.shared_out(shares, ROUND).items():
        frame = prior.frames[int(name)]
        fewer = n_steps // 2 if frame.fewest < frame.nodes else 0
        groups.append(Group(frame, frame.nodes, n_steps - fewer))
        if fewer:
            n_nodes = int(rng.integers(frame.fewest, frame.nodes))
            groups.append(Group(frame, n_nodes, fewer))
    turns = [(number, turn) for number, group in enumerate(groups) for turn in range(group[2])]
    return groups, [turns[k] for k in rng.permutation(len(turns)).tolist()]


@torch.no_grad()
def described(parts: list[Part], frame: Frame, blind_to_scale: bool) -> Batch:
    """Return the features of systems; those that are not finite do not count."""
    pairs = torch.cat([features.of_columns(part.columns, blind_to_scale) for part in parts])
    counted = pairs.isfinite().all(3).all(2).all(1)
    fill = frame.nodes - pairs.shape[1]
    pairs = functional.pad(pairs.nan_to_num(0.0, 0.0, 0.0), (0, 0, 0, fill, 0, fill))
    return Batch(pairs, torch.cat([part.graph for part in parts]), counted)
