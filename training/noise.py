"""Laws of noise on tensors, with mean 0 and variance 1, as `causalassay.models.noise` has them.

A law is a whole number, an index of `LAWS`, so that every node of every system has its own
without a loop: all laws are computed from the same uniform draws and one is taken.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

LAWS = (
    "gaussian",
    "uniform",
    "laplace",
    "gumbel",
    "exponential",
    "mirrored exponential",
    "lognormal",
    "mirrored lognormal",
)

MIXTURE = {
    "gaussian": 0.6,
    "uniform": 0.1,
    "exponential": 0.05,
    "mirrored exponential": 0.05,
    "lognormal": 0.1,
    "mirrored lognormal": 0.1,
}
"""The law of a node where each has its own: the shares of `causalassay.models.noise.MIXTURE`."""

_GUMBEL_SCALE = math.sqrt(6) / math.pi
_EULER = 0.5772156649015329
_LOGNORMAL_SD = math.sqrt(math.e**2 - math.e)


def draw_laws(
    shares: dict[str, float], size: tuple[int, int], each_node: Tensor, generator: torch.Generator
) -> Tensor:
    """Draw the index of a law for each node of each system, shape (systems, nodes).

    Parameters
    ----------
    shares : dict of str to float
        How often a system has a law, where all its nodes have the same.
    size : (int, int)
        Systems and nodes.
    each_node : Tensor
        For each system, whether each of its nodes draws its own law, from `MIXTURE`.
    generator : torch.Generator
        The source of randomness, on the device of the result.
    """
    device = generator.device
    of_system = _choose(shares, (size[0], 1), generator, device)
    of_node = _choose(MIXTURE, size, generator, device)
    return torch.where(each_node[:, None], of_node, of_system)


def _choose(
    shares: dict[str, float],
    size: tuple[int, int],
    generator: torch.Generator,
    device: torch.device,
) -> Tensor:
    share = torch.tensor([shares.get(law, 0.0) for law in LAWS], device=device)
    bounds = share.cumsum(0) / share.sum()
    uniform = torch.rand(size, generator=generator, device=device)
    # A draw of almost 1 stays below the last law that has a share.
    last = max(LAWS.index(law) for law, part in shares.items() if part > 0)
    return torch.searchsorted(bounds, uniform, right=True).clamp_(max=last)


def draw_noise(laws: Tensor, n_rows: int, generator: torch.Generator) -> Tensor:
    """Draw noise of mean 0 and variance 1, shape (systems, nodes, rows).

    Parameters
    ----------
    laws : Tensor
        Indices of `LAWS`, shape (systems, nodes).
    n_rows : int
        Draws of each node.
    generator : torch.Generator
        The source of randomness, on the device of `laws`.
    """
    size = (*laws.shape, n_rows)
    normal = torch.randn(size, generator=generator, device=laws.device)
    uniform = torch.rand(size, generator=generator, device=laws.device)
    law = laws[:, :, None]
    # Inside (0, 1): the logarithms below are finite.
    uniform = uniform.mul_(1 - 2e-7).add_(1e-7)
    log_uniform = -uniform.log()  # standard exponential
    centred = uniform - 0.5
    drawn = torch.where(law == LAWS.index("uniform"), centred * math.sqrt(12), normal)
    exponential = log_uniform - 1
    drawn = torch.where(law == LAWS.index("exponential"), exponential, drawn)
    drawn = torch.where(law == LAWS.index("mirrored exponential"), -exponential, drawn)
    gumbel = -(log_uniform.log() + _EULER) * _GUMBEL_SCALE
    drawn = torch.where(law == LAWS.index("gumbel"), gumbel, drawn)
    tail = (1 - 2 * centred.abs()).log().neg_() * math.sqrt(0.5)
    laplace = torch.copysign(tail, centred)
    drawn = torch.where(law == LAWS.index("laplace"), laplace, drawn)
    lognormal = (normal.exp() - math.sqrt(math.e)) / _LOGNORMAL_SD
    drawn = torch.where(law == LAWS.index("lognormal"), lognormal, drawn)
    return torch.where(law == LAWS.index("mirrored lognormal"), -lognormal, drawn)
