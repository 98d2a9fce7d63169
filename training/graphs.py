"""Random DAGs in batches, shape (systems, nodes, nodes), each node after all of its parents.

The families are those of `causalassay.graphs.families`. Labels stand in a causal order here, so
every adjacency matrix is strictly upper triangular; `generators.shuffled` renames the nodes. The
network is blind to labels (its tests say so), and training skips that.
"""

from __future__ import annotations

import torch
from torch import Tensor

MOST_JOINED = 6
"""Earlier nodes that a new node of a scale-free graph can join."""


def erdos_renyi(n_nodes: int, n_edges: Tensor, generator: torch.Generator) -> Tensor:
    """Return graphs with exactly so many edges, all sets of pairs being equally likely.

    Parameters
    ----------
    n_nodes : int
        Nodes of every graph.
    n_edges : Tensor
        Edges of each graph, shape (systems,).
    generator : torch.Generator
        The source of randomness.
    """
    earlier, later = torch.triu_indices(n_nodes, n_nodes, 1, device=n_edges.device)
    size = (len(n_edges), len(earlier))
    score = torch.rand(size, generator=generator, device=n_edges.device)
    rank = score.argsort(1).argsort(1)
    graph = torch.zeros((len(n_edges), n_nodes, n_nodes), dtype=torch.bool, device=n_edges.device)
    graph[:, earlier, later] = rank < n_edges[:, None]
    return graph


def scale_free(
    n_nodes: int, edges_per_node: Tensor, hubs_in: Tensor, generator: torch.Generator
) -> Tensor:
    """Return graphs grown by preferential attachment.

    Parameters
    ----------
    n_nodes : int
        Nodes of every graph.
    edges_per_node : Tensor
        How many earlier nodes a new one joins, shape (systems,), at most `MOST_JOINED`.
    hubs_in : Tensor
        Where true, edges point from the new to the old node and attraction grows with the
        in-degree; elsewhere edges point along a random order and it grows with the degree.
    generator : torch.Generator
        The source of randomness.
    """
    device, n_systems = edges_per_node.device, len(edges_per_node)
    size = (n_systems, n_nodes, n_nodes)
    grown = torch.zeros(size, device=device)
    wanted = (torch.arange(MOST_JOINED, device=device) < edges_per_node[:, None]).float()
    attraction = torch.ones((n_systems, n_nodes), device=device)
    uniform = torch.rand(size, generator=generator, device=device).clamp_(1e-7, 1 - 1e-7)
    gumbel = -(-uniform.log()).log()
    for new in range(1, n_nodes):
        # The k largest of log attraction + Gumbel noise are k draws without replacement.
        key = attraction[:, :new].log() + gumbel[:, new, :new]
        found = key.topk(min(new, MOST_JOINED), 1).indices
        chosen = torch.zeros_like(key).scatter_(1, found, wanted[:, : found.shape[1]])
        grown[:, new, :new] = chosen
        attraction[:, :new] += chosen
        attraction[:, new] += torch.where(hubs_in, 0, edges_per_node.clamp(max=new))
    inward = grown.flip(1, 2)
    order = torch.rand((n_systems, n_nodes), generator=generator, device=device).argsort(1)
    anywhere = torch.triu(permuted(grown + grown.mT, order), 1)
    return torch.where(hubs_in[:, None, None], inward, anywhere) > 0


def chains(n_nodes: int, kept: Tensor, n_more: Tensor, generator: torch.Generator) -> Tensor:
    """Return long chains, of whose links a share is kept, with so many other edges at random.

    Parameters
    ----------
    n_nodes : int
        Nodes of every graph.
    kept : Tensor
        The probability of each link, shape (systems,).
    n_more : Tensor
        Other edges of each graph, before those that are links are counted once.
    generator : torch.Generator
        The source of randomness.
    """
    device = kept.device
    links = torch.rand((len(kept), n_nodes), generator=generator, device=device) < kept[:, None]
    next_node = torch.eye(n_nodes, dtype=torch.bool, device=device).roll(1, 1).triu(1)
    return (links[:, :, None] & next_node) | erdos_renyi(n_nodes, n_more, generator)


def hubs(n_nodes: int, joined: Tensor, n_more: Tensor, generator: torch.Generator) -> Tensor:
    """Return graphs with one node that a share of all others is joined to, and other edges.

    The hub stands anywhere in the order, so it has parents and children.

    Parameters
    ----------
    n_nodes : int
        Nodes of every graph.
    joined : Tensor
        The probability of each edge of the hub, shape (systems,).
    n_more : Tensor
        Other edges of each graph.
    generator : torch.Generator
        The source of randomness.
    """
    device, n_systems = joined.device, len(joined)
    hub = torch.randint(n_nodes, (n_systems, 1), generator=generator, device=device)
    is_hub = torch.arange(n_nodes, device=device) == hub
    drawn = torch.rand((n_systems, n_nodes), generator=generator, device=device) < joined[:, None]
    star = (is_hub[:, :, None] & drawn[:, None, :]) | (is_hub[:, None, :] & drawn[:, :, None])
    return star.triu(1) | erdos_renyi(n_nodes, n_more, generator)


def permuted(matrices: Tensor, order: Tensor) -> Tensor:
    """Return the matrices with rows and columns in the given order, shape (systems, nodes)."""
    n_nodes = matrices.shape[1]
    rows = matrices.gather(1, order[:, :, None].expand(-1, -1, n_nodes))
    return rows.gather(2, order[:, None, :].expand(-1, n_nodes, -1))
