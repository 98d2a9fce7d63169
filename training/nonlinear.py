"""Nonlinear systems in batches, standardised inside: additive noise, random smooth functions.

Every function is a sum over hidden units, Σ_h out_h · act_h(a_h · x + c_h), and the families of
`causalassay.models.nonlinear` are laws of these numbers: cosines for draws of Gaussian processes
(here 52, there 100 to 500), over all parents together or one parent each; a network of sigmoids;
a sigmoid of each parent; three bent directions. Each system has one family.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

FAMILIES = ("gp", "gp-additive", "mlp", "multi-index", "sigmoid")

N_UNITS = 52
"""Hidden units of a function; the family "sigmoid" has one for each node before it."""


class Functions(NamedTuple):
    """The numbers of all functions of a batch."""

    inward: Tensor
    """Shape (systems, nodes, units, nodes): the last axis is the parent."""
    phase: Tensor
    outward: Tensor
    is_cosine: Tensor


def draw_functions(graph: Tensor, family: Tensor, generator: torch.Generator) -> Functions:
    """Draw the functions of all nodes.

    Parameters
    ----------
    graph : Tensor
        Adjacency matrices, strictly upper triangular, of at most 52 nodes.
    family : Tensor
        An index of `FAMILIES` for each system.
    generator : torch.Generator
        The source of randomness.
    """
    n_systems, n_nodes, _ = graph.shape
    device = graph.device
    size = (n_systems, n_nodes, N_UNITS)
    parents = graph.mT[:, :, None, :].float()

    def uniform(*shape: int) -> Tensor:
        return torch.rand(shape, generator=generator, device=device)

    def signed(*shape: int) -> Tensor:
        drawn = uniform(*shape) * 3 - 1.5  # -1.5 to 1.5
        return drawn + torch.copysign(torch.full_like(drawn, 0.5), drawn)  # ±(0.5 to 2)

    def is_(name: str) -> Tensor:
        return (family == FAMILIES.index(name))[:, None, None]

    length = torch.exp(math.log(0.7) + math.log(10) * uniform(n_systems, n_nodes, 1))
    normal = torch.randn((*size, n_nodes), generator=generator, device=device)
    # One parent for each unit: that with the largest of independent uniform draws.
    key = uniform(*size, n_nodes) * parents
    one = torch.nn.functional.one_hot(key.argmax(3), n_nodes) * parents
    eye = torch.eye(N_UNITS, n_nodes, device=device)
    cosine = normal / length[..., None]
    weights = signed(*size, n_nodes)
    inward = torch.where(is_("gp")[..., None], cosine * parents, weights * parents)
    inward = torch.where(is_("gp-additive")[..., None], cosine * one, inward)
    inward = torch.where(is_("mlp")[..., None], inward / 2, inward)
    inward = torch.where(is_("sigmoid")[..., None], 0.325 * eye * parents, inward)
    process = is_("gp") | is_("gp-additive")
    unit = torch.arange(N_UNITS, device=device)
    bent = is_("multi-index")
    shift = torch.where(bent & (unit == 2), -math.pi / 2, 0.0)
    phase = torch.where(process, 2 * math.pi * uniform(*size), shift)
    height = torch.randn(size, generator=generator, device=device) * math.sqrt(2 / N_UNITS)
    of_weights = signed(*size) * torch.where(is_("mlp"), 0.5, 1.0)
    of_weights = torch.where(is_("sigmoid"), 5 * (signed(*size).abs() * 4 / 3 + 1 / 3), of_weights)
    of_weights = of_weights * torch.where(is_("sigmoid"), _sign(n_systems, generator), 1.0)
    outward = torch.where(process, height, of_weights)
    outward = torch.where(bent, (unit < 3).float(), outward)
    is_cosine = process | (bent & (unit >= 1))
    return Functions(inward, phase, outward, is_cosine.expand(n_systems, 1, N_UNITS))


def _sign(n_systems: int, generator: torch.Generator) -> Tensor:
    drawn = torch.rand((n_systems, 1, 1), generator=generator, device=generator.device)
    return torch.where(drawn < 0.5, -1.0, 1.0)


def sampled(graph: Tensor, functions: Functions, noise: Tensor, explained: Tensor) -> Tensor:
    """Draw data, shape (systems, nodes, rows), each node standardised before its children.

    Parameters
    ----------
    graph : Tensor
        Adjacency matrices.
    functions : Functions
        From `draw_functions`.
    noise : Tensor
        With unit variance, shape (systems, nodes, rows).
    explained : Tensor
        The share of each node's variance that its parents explain; where negative, the noise
        has variance 1 before the node is standardised, as in `NonlinearISCM`.
    """
    values = torch.empty_like(noise)
    values[:, 0] = _standard(noise[:, 0])
    is_cosine = functions.is_cosine.mT
    as_drawn = (explained < 0)[:, :, None]
    share = torch.where(graph.any(1), explained.clamp(min=0), 0.0)[:, :, None]
    of_signal, of_noise = share.sqrt(), (1 - share).sqrt()
    for node in range(1, graph.shape[1]):
        angle = torch.baddbmm(
            functions.phase[:, node, :, None],
            functions.inward[:, node, :, :node],
            values[:, :node],
        )
        bent = torch.where(is_cosine, angle.cos(), angle.tanh())
        signal = torch.bmm(functions.outward[:, node : node + 1], bent).squeeze(1)
        variance, mean = torch.var_mean(signal, 1, correction=0, keepdim=True)
        # A node without parents has a constant signal, which falls away here.
        scale = of_signal[:, node] * variance.clamp(min=1e-12).rsqrt()
        scale = torch.where(as_drawn[:, node], 1.0, scale)
        child = torch.addcmul((signal - mean) * scale, noise[:, node], of_noise[:, node])
        values[:, node] = _standard(child)
    return values


def _standard(values: Tensor) -> Tensor:
    """Standardise along the rows; a constant becomes 0."""
    variance, mean = torch.var_mean(values, 1, correction=0, keepdim=True)
    return (values - mean) * variance.clamp(min=1e-12).rsqrt()
