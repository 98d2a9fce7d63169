"""Systems of a prior and their data, in batches on one device.

Nodes stand in a causal order: the network is blind to labels. `shuffled` renames them, for those
who look at the data in another way.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from training import graphs, linear, nonlinear
from training.noise import LAWS, draw_laws, draw_noise
from training.priors import ONE_LAW, Prior

MOST_AT_ONCE = 500_000_000
"""Numbers in the largest tensor of a draw, 2 GB; larger draws are made in pieces."""


class Part(NamedTuple):
    """Systems with the same number of rows."""

    columns: Tensor
    """Data, shape (systems, nodes, rows)."""
    graph: Tensor


def draw(
    prior: Prior, n_nodes: int, n_systems: int, rng: np.random.Generator, generator: torch.Generator
) -> list[Part]:
    """Draw a batch: linear and nonlinear systems, each kind with its own number of rows.

    Parameters
    ----------
    prior : Prior
        What kinds of systems.
    n_nodes, n_systems : int
        Nodes of each system, systems in all.
    rng : numpy.random.Generator
        For numbers that shapes depend on.
    generator : torch.Generator
        For all others, on the device where the data are made.
    """
    n_nonlinear = round(prior.nonlinear * n_systems)
    parts = []
    for size, draw_part in (
        (n_systems - n_nonlinear, draw_linear),
        (n_nonlinear, draw_nonlinear),
    ):
        n_rows = draw_rows(prior, rng)
        per_system = n_nodes * n_rows if draw_part is draw_linear else nonlinear.N_UNITS * n_rows
        most = max(1, MOST_AT_ONCE // per_system)
        for begin in range(0, size, most):
            parts.append(draw_part(prior, n_nodes, min(most, size - begin), n_rows, generator))
    return parts


def draw_rows(prior: Prior, rng: np.random.Generator) -> int:
    """Draw the number of rows, its logarithm uniform."""
    low, high = prior.rows
    return round(math.exp(rng.uniform(math.log(low), math.log(high))))


def draw_linear(
    prior: Prior, n_nodes: int, n_systems: int, n_rows: int, generator: torch.Generator
) -> Part:
    """Draw linear systems of all schemes of a prior, and data."""
    graph_parts, weights, variances = [], [], []
    for scheme, size in shared_out(prior.schemes, n_systems).items():
        complete = scheme == "onion"
        graph = draw_graphs(prior, n_nodes, size, generator, complete)
        weight, variance = draw_model(scheme, graph, prior.wide, generator)
        graph_parts.append(graph)
        weights.append(weight)
        variances.append(variance)
    laws = _laws(prior, (n_systems, n_nodes), generator)
    columns = linear.sampled(
        torch.cat(weights), torch.cat(variances), laws, n_rows, generator
    )
    return Part(columns, torch.cat(graph_parts))


def draw_nonlinear(
    prior: Prior, n_nodes: int, n_systems: int, n_rows: int, generator: torch.Generator
) -> Part:
    """Draw nonlinear systems, standardised inside, and data."""
    device = generator.device
    graph = draw_graphs(prior, n_nodes, n_systems, generator)
    family = torch.randint(
        len(nonlinear.FAMILIES), (n_systems,), generator=generator, device=device
    )
    functions = nonlinear.draw_functions(graph, family, generator)
    noise = draw_noise(_laws(prior, (n_systems, n_nodes), generator), n_rows, generator)
    explained = draw_shares(graph, generator)
    as_drawn = torch.rand((n_systems, 1), generator=generator, device=device) < 0.25
    explained = torch.where(as_drawn, -1.0, explained)
    return Part(nonlinear.sampled(graph, functions, noise, explained), graph)


def shuffled(part: Part, generator: torch.Generator) -> Part:
    """Return the systems with their nodes renamed at random."""
    size = part.graph.shape[:2]
    order = torch.rand(size, generator=generator, device=part.graph.device).argsort(1)
    columns = part.columns.gather(1, order[:, :, None].expand_as(part.columns))
    return Part(columns, graphs.permuted(part.graph, order))


def shared_out(shares: dict[str, float], total: int) -> dict[str, int]:
    """Divide a total by shares into whole numbers, leaving out what gets none.

    Examples
    --------
    >>> shared_out({"a": 0.5, "b": 0.25, "c": 0.25}, 7)
    {'a': 4, 'b': 1, 'c': 2}
    """
    names, bounds = list(shares), np.cumsum(list(shares.values()))
    ends = [round(total * bound / bounds[-1]) for bound in bounds]
    starts = [0, *ends[:-1]]
    sizes = zip(names, starts, ends, strict=True)
    return {name: end - start for name, start, end in sizes if end > start}


_NARROW_GRAPHS = {"er": 0.5, "sf-in": 0.25, "sf-any": 0.25}
_WIDE_GRAPHS = {
    "er": 0.45,
    "sf-in": 0.15,
    "sf-any": 0.15,
    "chain": 0.1,
    "hub": 0.1,
    "complete": 0.05,
}


def draw_graphs(
    prior: Prior, n_nodes: int, n_systems: int, generator: torch.Generator, complete: bool = False
) -> Tensor:
    """Draw the graphs of a prior, or complete graphs."""
    shares = _WIDE_GRAPHS if prior.wide else _NARROW_GRAPHS
    sizes = {"complete": n_systems} if complete else shared_out(shares, n_systems)
    drawn = [
        _family(name, n_nodes, size, prior.wide, generator) for name, size in sizes.items()
    ]
    order = torch.rand(n_systems, generator=generator, device=generator.device).argsort()
    return torch.cat(drawn)[order]  # so that no scheme or law goes with a family


def _family(
    name: str, n_nodes: int, n_systems: int, wide: bool, generator: torch.Generator
) -> Tensor:
    device, most = generator.device, (n_nodes - 1) / 2

    def uniform(low: float, high: float) -> Tensor:
        drawn = torch.rand(n_systems, generator=generator, device=device)
        return low + (high - low) * drawn

    def edges(per_node: Tensor) -> Tensor:
        return (per_node.clamp(max=most) * n_nodes).round().long()

    match name:
        case "er" if wide:  # from 0.3 to 6 edges per node, most of them few
            per_node = torch.exp(uniform(math.log(0.3), math.log(6)))
            return graphs.erdos_renyi(n_nodes, edges(per_node), generator)
        case "er":
            return graphs.erdos_renyi(n_nodes, edges(uniform(1, 4)), generator)
        case "sf-in" | "sf-any":
            per_node = uniform(1, 5).long().clamp(max=4)
            hubs_in = torch.full((n_systems,), name == "sf-in", device=device)
            return graphs.scale_free(n_nodes, per_node, hubs_in, generator)
        case "chain":
            return graphs.chains(n_nodes, uniform(0.6, 1.2), edges(uniform(0, 1)), generator)
        case "hub":
            return graphs.hubs(n_nodes, uniform(0.2, 1), edges(uniform(0, 1.5)), generator)
        case _:
            upper = torch.ones((n_nodes, n_nodes), dtype=torch.bool, device=device).triu(1)
            return upper.expand(n_systems, n_nodes, n_nodes)


_RANGES = ((0.5, 2.0), (0.5, 2.0), (0.5, 2.0), (0.25, 1.0), (0.5, 1.5), (1.0, 3.0))
"""Of the magnitudes of weights: three of the narrow priors' systems in six have the first."""


def draw_model(
    scheme: str, graph: Tensor, wide: bool, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Draw the weights and the noise variances of a scheme.

    Parameters
    ----------
    scheme : str
        "scm", "iscm" and "uumc" are `SCM`, `ISCM` and `UUMC` of the package; "harmonized"
        scales the noise or not; "explained" gives each node a drawn share of variance that its
        parents explain, as `SNR` and `HalfExplained` do with one share for all;
        "explained-evenly" does so with DaO's even directions, "onion" is `DaO`.
    graph : Tensor
        Adjacency matrices.
    wide : bool
        Whether weights and noise vary as in the broad prior.
    generator : torch.Generator
        The source of randomness.
    """
    n_systems, n_nodes, _ = graph.shape
    size = (n_systems, n_nodes)
    standardize = torch.full((n_systems,), linear.STANDARDIZED, device=graph.device)
    unused = torch.zeros(size, device=graph.device)
    match scheme:
        case "uumc":
            weights, variance = linear.uumc_weights(graph, generator)
            return linear.rescaled(weights, variance, standardize, unused)
        case "onion":
            return linear.dao_weights(graph, linear.onion_shares(graph, generator), generator)
        case "explained-evenly":
            return linear.dao_weights(graph, draw_shares(graph, generator), generator)
    low, high = _ranges(n_systems, wide, generator)
    chance = torch.rand(n_systems, generator=generator, device=graph.device)
    signs = (chance > 0.8).long() + (chance > 0.9).long()
    weights = linear.raw_weights(graph, low, high, signs, generator)
    variance = _noise_variance(size, wide, generator)
    match scheme:
        case "scm":
            return weights, variance
        case "iscm":
            return linear.rescaled(weights, variance, standardize, unused)
        case "explained":
            explain = torch.full_like(standardize, linear.EXPLAINED)
            one = torch.ones_like(variance)
            return linear.rescaled(weights, one, explain, draw_shares(graph, generator))
        case "harmonized":
            half = torch.rand(n_systems, generator=generator, device=graph.device) < 0.5
            return linear.harmonized(weights, variance, half)
        case _:
            raise ValueError(f"there is no scheme {scheme!r}")


def draw_shares(graph: Tensor, generator: torch.Generator) -> Tensor:
    """Draw the share of each node's variance that its parents explain, from weak to nearly all.

    The ratio of signal to noise is a level of the system, from 0.15 to 50, times the number of
    parents. It varies from node to node, in half of the systems not at all. With the same ratio
    for any number of parents R² would fall along the causal order: in an Erdős–Rényi graph early
    nodes have many children, which tell of them, and late ones many parents.
    """
    device, n_systems, n_nodes = generator.device, len(graph), graph.shape[1]

    def uniform() -> Tensor:
        return torch.rand((n_systems, 1), generator=generator, device=device)

    level = math.log(0.15) + uniform() * math.log(50 / 0.15)
    spread = (3 * uniform() - 1.5).clamp(min=0)
    varied = torch.randn((n_systems, n_nodes), generator=generator, device=device)
    ratio = level + spread * varied + graph.sum(1).clamp(min=1).log()
    return torch.sigmoid(ratio).clamp(max=0.9995)


def _ranges(n_systems: int, wide: bool, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    device = generator.device
    if wide:
        drawn = torch.rand((2, n_systems), generator=generator, device=device)
        low = torch.exp(math.log(0.1) + math.log(15) * drawn[0])
        return low, low + torch.exp(math.log(0.3) + math.log(15) * drawn[1])
    number = torch.randint(len(_RANGES), (n_systems,), generator=generator, device=device)
    low, high = torch.tensor(_RANGES, device=device).T
    return low[number], high[number]


def _noise_variance(size: tuple[int, int], wide: bool, generator: torch.Generator) -> Tensor:
    """Draw noise variances: in half of the systems all are 1."""
    device = generator.device
    equal = torch.rand((size[0], 1), generator=generator, device=device) < 0.5
    if wide:
        sd = torch.exp(0.7 * torch.randn(size, generator=generator, device=device))
    else:
        sd = 0.5 + 1.5 * torch.rand(size, generator=generator, device=device)
    return torch.where(equal, 1.0, sd.square())


def _laws(prior: Prior, size: tuple[int, int], generator: torch.Generator) -> Tensor:
    chance = torch.rand(size[0], generator=generator, device=generator.device)
    return draw_laws(ONE_LAW, size, chance < prior.own_laws, generator)


class Setting(NamedTuple):
    """A kind of system to test on: Erdős–Rényi graphs with exactly so many edges per node."""

    scheme: str
    law: str
    n_nodes: int = 20
    n_rows: int = 1000
    edges_per_node: float = 2.0


def draw_setting(setting: Setting, n_systems: int, generator: torch.Generator) -> Part:
    """Draw systems with the package's defaults: weights of ±0.5 to 2, noise of variance 1."""
    device, n_nodes = generator.device, setting.n_nodes
    n_edges = torch.full((n_systems,), round(setting.edges_per_node * n_nodes), device=device)
    graph = graphs.erdos_renyi(n_nodes, n_edges, generator)
    ones = torch.ones((n_systems, n_nodes), device=device)
    rule = torch.full((n_systems,), linear.STANDARDIZED, device=device)
    if setting.scheme == "uumc":
        weights, variance = linear.uumc_weights(graph, generator)
    else:
        low = torch.full((n_systems,), 0.5, device=device)
        signs = torch.zeros_like(n_edges)
        weights, variance = linear.raw_weights(graph, low, 4 * low, signs, generator), ones
        if setting.scheme == "scm":
            rule = torch.zeros_like(rule)
    weights, variance = linear.rescaled(weights, variance, rule, ones)
    laws = torch.full((n_systems, n_nodes), LAWS.index(setting.law), device=device)
    return Part(linear.sampled(weights, variance, laws, setting.n_rows, generator), graph)
