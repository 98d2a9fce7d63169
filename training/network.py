"""The network as functions of its parameters, a dictionary of tensors under their file's names.

Its input are features of ordered pairs of columns. A block multiplies matrices over the nodes,
channel by channel: two steps i → m → j, and what m tells of both i and j. So it does not depend
on the order of the columns. The last layer scores each ordered pair; of i → j, j → i and no edge
a softmax makes probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from training import weights

EPSILON = 1e-5

Parameters = dict[str, Tensor]
Block = Callable[..., Tensor]

_LINEAR = ("maps", "gate", "out", "up", "down")
_OF_BLOCK = tuple(
    f"{layer}.{part}"
    for layer in ("norm1", "norm2", "norm3", *_LINEAR)
    for part in ("weight", "bias")
)


@dataclass(frozen=True)
class Size:
    """How large a network is.

    Parameters
    ----------
    width : int
        Numbers that it keeps for each ordered pair.
    channels : int
        Matrices in each of the two products of a block.
    blocks : int
        Blocks.
    """

    width: int = 96
    channels: int = 48
    blocks: int = 10

    def __post_init__(self) -> None:
        for name in ("width", "channels", "blocks"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}: expected at least 1, got {getattr(self, name)}")

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of each parameter."""
        return weights.shapes(self.width, self.channels, self.blocks)

    def n_parameters(self) -> int:
        """Return how many numbers are trained."""
        return sum(math.prod(shape) for shape in self.shapes().values())


def initial(size: Size, seed: int, device: torch.device) -> Parameters:
    """Draw the parameters that training begins with.

    They are drawn on the CPU, so that they are the same for every device.
    """
    generator = torch.Generator().manual_seed(seed)
    parameters = {}
    for name, shape in size.shapes().items():
        if len(shape) == 2:
            sd = 1 / math.sqrt(shape[1])
            if name.endswith(("out.weight", "down.weight")):
                sd /= math.sqrt(2 * size.blocks)
            value = torch.randn(shape, generator=generator) * sd
        else:
            is_scale = "norm" in name and name.endswith("weight")
            value = torch.ones(shape) if is_scale else torch.zeros(shape)
        parameters[name] = value.to(device).requires_grad_()
    return parameters


def block(x: Tensor, left: Tensor, dtype: torch.dtype, *parameters: Tensor) -> Tensor:
    """Return what a block makes of x, shape (systems, nodes, nodes, width).

    A function of tensors alone: one compiled version serves all blocks of all networks.

    Parameters
    ----------
    x : Tensor
        In single precision.
    left : Tensor
        For each node 1/√d, or 0 if it only fills the frame: it then passes nothing on.
    dtype : torch.dtype
        Of the matrix products.
    parameters : Tensor
        Those of `_OF_BLOCK`.
    """
    p = dict(zip(_OF_BLOCK, parameters, strict=True))

    def linear(name: str, value: Tensor) -> Tensor:
        weight, bias = p[f"{name}.weight"], p[f"{name}.bias"]
        return functional.linear(value, weight.to(dtype), bias.to(dtype))

    def norm(name: str, value: Tensor) -> Tensor:
        weight, bias = p[f"{name}.weight"], p[f"{name}.bias"]
        return functional.layer_norm(value.float(), weight.shape, weight, bias, EPSILON).to(dtype)

    n_systems, n_nodes, _, width = x.shape
    u = norm("norm1", x)
    values, gates = linear("maps", u).chunk(2, 3)
    a, b, c, e = (values * torch.sigmoid(gates)).chunk(4, 3)
    scale = left.to(dtype)
    first = torch.cat((a * scale[:, None], (c * scale[:, None, None]).transpose(1, 2)), 3)
    second = torch.cat((b, e), 3)
    shape = (-1, n_nodes, n_nodes)
    product = torch.bmm(
        first.permute(0, 3, 1, 2).reshape(shape), second.permute(0, 3, 1, 2).reshape(shape)
    )
    product = product.reshape(n_systems, -1, n_nodes, n_nodes).permute(0, 2, 3, 1)
    gated = torch.sigmoid(linear("gate", u)) * linear("out", norm("norm2", product))
    x = x + gated.float()
    hidden = functional.silu(linear("up", norm("norm3", x)))
    return x + linear("down", hidden).float()


def scores(
    features: Tensor,
    n_nodes: int,
    parameters: Parameters,
    dtype: torch.dtype = torch.float32,
    run_block: Block = block,
) -> Tensor:
    """Return the score of each ordered pair, shape (systems, nodes, nodes).

    Parameters
    ----------
    features : Tensor
        Shape (systems, nodes, nodes, 13); nodes past `n_nodes` only fill a frame.
    n_nodes : int
        How many nodes the systems have.
    parameters : dict of str to Tensor
        Of the network.
    dtype : torch.dtype
        Of the matrix products.
    run_block : callable
        `block`, or what a compiler made of it.
    """
    position = torch.arange(features.shape[1], device=features.device)
    left = (position < n_nodes).float() / math.sqrt(n_nodes)
    x = functional.linear(features, parameters["embed.weight"], parameters["embed.bias"])
    number = 0
    while f"block{number}.maps.weight" in parameters:
        own = [parameters[f"block{number}.{name}"] for name in _OF_BLOCK]
        x = run_block(x, left, dtype, *own)
        number += 1
    weight, bias = parameters["head_norm.weight"], parameters["head_norm.bias"]
    x = functional.layer_norm(x, weight.shape, weight, bias, EPSILON)
    return functional.linear(x, parameters["head.weight"], parameters["head.bias"]).squeeze(3)


def probabilities(score: Tensor) -> Tensor:
    """Return the probability of i→j for each ordered pair; the diagonal is 0.

    It is exp(s_ij) / (1 + exp(s_ij) + exp(s_ji)).
    """
    chance = (score - _log_total(score)).exp()
    return chance * (1 - torch.eye(score.shape[1], device=score.device))


def loss(score: Tensor, graph: Tensor, counted: Tensor) -> Tensor:
    """Return the mean cross-entropy over the unordered pairs of the systems that count.

    Parameters
    ----------
    score : Tensor
        From `scores`.
    graph : Tensor
        True adjacency matrices; may have fewer nodes than the frame of the scores.
    counted : Tensor
        Whether each system counts.
    """
    n_nodes = graph.shape[1]
    score = score[:, :n_nodes, :n_nodes]
    of_pair = _log_total(score) / 2 - torch.where(graph, score, 0.0)
    of_system = (of_pair * (1 - torch.eye(n_nodes, device=score.device))).sum((1, 2))
    n_pairs = n_nodes * (n_nodes - 1) / 2
    mean = torch.where(counted, of_system, 0.0).sum() / counted.sum().clamp(min=1)
    return mean / n_pairs


def _log_total(score: Tensor) -> Tensor:
    """Return log(1 + exp(s_ij) + exp(s_ji))."""
    return torch.logaddexp(torch.logaddexp(score, score.mT), torch.zeros_like(score))
