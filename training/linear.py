"""Linear systems in batches: the schemes of `causalassay.models.linear`, on tensors.

Weights have shape (systems, nodes, nodes) and are strictly upper triangular: nodes stand in a
causal order. Nothing loops over systems; one loop goes along the order.
"""

from __future__ import annotations

import torch
from torch import Tensor

from training.noise import draw_noise


def raw_weights(
    graph: Tensor, low: Tensor, high: Tensor, signs: Tensor, generator: torch.Generator
) -> Tensor:
    """Draw a weight for each edge: a uniform magnitude with a sign.

    Parameters
    ----------
    graph : Tensor
        Adjacency matrices.
    low, high : Tensor
        The range of the magnitudes of each system.
    signs : Tensor
        Of each system: 0, each weight has its own random sign; 1, all are positive; 2, all share
        one random sign.
    generator : torch.Generator
        The source of randomness.
    """
    device, size = graph.device, graph.shape
    span = (high - low)[:, None, None]
    magnitude = low[:, None, None] + span * torch.rand(size, generator=generator, device=device)
    own = torch.rand(size, generator=generator, device=device) < 0.5
    shared = torch.rand((len(graph), 1, 1), generator=generator, device=device) < 0.5
    kind = signs[:, None, None]
    negative = torch.where(kind == 0, own, (kind == 2) & shared)
    return torch.where(negative, -magnitude, magnitude) * graph


def uumc_weights(graph: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Draw the weights of each node in the unit ball, and the variance that its radius leaves.

    `rescaled` by `standardized` makes the UUMC model of them.
    """
    device = graph.device
    n_parents = graph.sum(1)
    size = n_parents.shape
    radius = torch.rand(size, generator=generator, device=device) ** (1 / n_parents.clamp(min=1))
    radius = radius * (n_parents > 0)
    direction = torch.randn(graph.shape, generator=generator, device=device) * graph
    length = direction.square().sum(1).sqrt().clamp(min=1e-12)
    return direction * (radius / length)[:, None, :], 1 - radius.square()


def dao_weights(
    graph: Tensor, explained: Tensor, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Draw models of unit variances whose parents explain so much, in a uniform direction.

    The direction is uniform for parents made uncorrelated, as DaO's is.

    Parameters
    ----------
    graph : Tensor
        Adjacency matrices.
    explained : Tensor
        The share of each node's variance that its parents explain, if it has any.
    generator : torch.Generator
        The source of randomness.
    """
    n_systems, n_nodes, _ = graph.shape
    device = graph.device
    normal = torch.randn(graph.shape, generator=generator, device=device) * graph
    columns = [torch.zeros((n_systems, n_nodes), device=device)]
    correlation = torch.eye(n_nodes, device=device).repeat(n_systems, 1, 1)
    for node in range(1, n_nodes):
        parents = graph[:, :node, node].float()
        direction = normal[:, :node, node]
        length = direction.square().sum(1, keepdim=True).clamp(min=1e-12)
        uncorrelated = direction * (explained[:, node : node + 1] / length).sqrt()
        # Rows and columns of other nodes are those of the identity: they get no weight.
        among = correlation[:, :node, :node] * parents[:, :, None] * parents[:, None, :]
        among = among + torch.diag_embed(1 - parents)
        factor, _ = torch.linalg.cholesky_ex(among)
        weights = torch.linalg.solve_triangular(
            factor.mT, uncorrelated[:, :, None], upper=True
        ).squeeze(2)
        with_earlier = torch.bmm(correlation[:, :node, :node], weights[:, :, None]).squeeze(2)
        correlation[:, :node, node] = with_earlier
        correlation[:, node, :node] = with_earlier
        columns.append(torch.nn.functional.pad(weights, (0, n_nodes - node)))
    has_parents = graph.any(1)
    return torch.stack(columns, 2), torch.where(has_parents, 1 - explained, 1.0)


def onion_shares(graph: Tensor, generator: torch.Generator) -> Tensor:
    """Draw DaO's explained shares: Beta(k/2, (p - i + 1)/2) for k parents at position i of p."""
    n_systems, n_nodes, _ = graph.shape
    device = graph.device
    n_parents = graph.sum(1)[:, :, None]
    left = torch.arange(n_nodes + 1, 1, -1, device=device)[None, :, None]
    # Chi-squared draws of k and of p - i + 1 degrees of freedom.
    size = (n_systems, n_nodes, n_nodes + 1)
    square = torch.randn(size, generator=generator, device=device).square()
    other = torch.randn(size, generator=generator, device=device).square()
    unit = torch.arange(n_nodes + 1, device=device)
    signal = (square * (unit < n_parents)).sum(2)
    noise = (other * (unit < left)).sum(2)
    return signal / (signal + noise)


def harmonized(weights: Tensor, variance: Tensor, scale_noise: Tensor) -> tuple[Tensor, Tensor]:
    """Divide incoming weights by √(Σ w² + 1), and the noise too where `scale_noise` says so."""
    square = weights.square().sum(1) + 1
    scaled = torch.where(scale_noise[:, None], variance / square, variance)
    return weights / square.sqrt()[:, None, :], scaled


UNCHANGED, STANDARDIZED, EXPLAINED = 0, 1, 2
"""What `rescaled` does to a system."""


def rescaled(
    weights: Tensor, variance: Tensor, rule: Tensor, explained: Tensor
) -> tuple[Tensor, Tensor]:
    """Rescale models node by node along the causal order, with the variances of the law.

    Parameters
    ----------
    weights, variance : Tensor
        Of the models, before.
    rule : Tensor
        Of each system: `UNCHANGED`; `STANDARDIZED`, weights and noise are divided by the
        standard deviation of the node, as in the iSCM and in UUMC; `EXPLAINED`, the node gets
        variance 1, of which its parents explain a share (nodes without parents keep their noise).
    explained : Tensor
        That share, for each node of each system.
    """
    n_systems, n_nodes, _ = weights.shape
    device = weights.device
    covariance = torch.zeros((n_systems, n_nodes, n_nodes), device=device)
    standardize, explain = rule == STANDARDIZED, rule == EXPLAINED
    factors, scales = [], []
    for node in range(n_nodes):
        column = weights[:, :node, node]
        product = torch.bmm(covariance[:, :node, :node], column[:, :, None]).squeeze(2)
        signal = (column * product).sum(1)
        noise = variance[:, node]
        total = signal + noise
        standard = torch.where(standardize, total.clamp(min=1e-30).rsqrt(), 1.0)
        share = explained[:, node]
        to_explain = explain & (signal > 0)
        factor = torch.where(to_explain, (share / signal.clamp(min=1e-30)).sqrt(), standard)
        scale = torch.where(to_explain, (1 - share) / noise, standard.square())
        with_earlier = product * factor[:, None]
        covariance[:, :node, node] = with_earlier
        covariance[:, node, :node] = with_earlier
        covariance[:, node, node] = factor.square() * signal + scale * noise
        factors.append(factor)
        scales.append(scale)
    return weights * torch.stack(factors, 1)[:, None, :], variance * torch.stack(scales, 1)


def sampled(
    weights: Tensor, variance: Tensor, laws: Tensor, n_rows: int, generator: torch.Generator
) -> Tensor:
    """Draw data, shape (systems, nodes, rows).

    Parameters
    ----------
    weights, variance : Tensor
        Of the models.
    laws : Tensor
        Of the noise of each node, see `noise.LAWS`.
    n_rows : int
        Rows of each system.
    generator : torch.Generator
        The source of randomness.
    """
    noise = draw_noise(laws, n_rows, generator) * variance.sqrt()[:, :, None]
    identity = torch.eye(weights.shape[1], device=weights.device)
    total = torch.linalg.solve_triangular(
        identity - weights, identity.expand_as(weights), upper=True, unitriangular=True
    )
    return torch.bmm(total.mT, noise)
